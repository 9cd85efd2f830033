//! Readers of environments: of launchers, and of the plan that a preloaded library gets.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use numawise_wire::heap::rules;
use numawise_wire::mask::{self, MOST_WORDS};
use numawise_wire::pin;

use crate::{Read, Reader};

pub(crate) const READERS: [Reader; 3] = [
    Reader {
        name: "rank",
        read: rank,
        corpus: &["crates/hostile/testdata/ranks"],
        words: &[
            "SLURM_LOCALID=0\n",
            "SLURM_STEP_TASKS_PER_NODE=4294967295(x4294967295)\n",
            "OMPI_COMM_WORLD_LOCAL_RANK=1\n",
            "FLUX_JOB_NNODES=4294967295\n",
            "FLUX_JOB_SIZE=4294967295\n",
            "FLUX_TASK_RANK=4294967294\n",
            "(x",
            "PMI_RANK=1\n",
        ],
        inputs: 1500,
    },
    Reader {
        name: "pin-plan",
        read: pin_plan,
        corpus: &["crates/hostile/testdata/pin"],
        words: &[";", "1;", "0-8191", "8192", "-", ",", "0-7"],
        inputs: 1500,
    },
    Reader {
        name: "object-rules",
        read: object_rules,
        corpus: &["crates/hostile/testdata/object-rules"],
        words: &[
            ";",
            "2;",
            ";n0",
            ";i0-1",
            ";n1023",
            ";n1024",
            ";fapp",
            ";c0:11ca",
            ",0:13dd",
            ";g0:4080+800000",
            "ffffffffffffffff",
            "%3b",
        ],
        inputs: 1500,
    },
];

/// Lines `NAME=value` are the environment.
fn rank(input: &[u8]) -> Read {
    let environment = |name: &str| {
        let mut lines = input.split(|&byte| byte == b'\n');
        let value = lines.find_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        Some(OsString::from_vec(value.to_vec()))
    };
    Read::of(numawise_launch::rank(&environment), |rank| {
        let rank = rank.as_ref()?;
        let outside = rank.local_rank >= rank.local_size
            || rank.size.is_some_and(|size| rank.rank.is_some_and(|rank| rank >= size));
        outside.then(|| format!("{rank:?}"))
    })
}

fn object_rules(input: &[u8]) -> Read {
    let mut broken = None;
    let decoded = rules::decode(input, &mut |part| {
        let sound = match part {
            rules::Part::Nodes(nodes, _) => mask::first(&nodes).is_some(),
            rules::Part::File(name) => !name.is_empty(),
            rules::Part::Calls(calls) => !calls.frames().is_empty(),
            rules::Part::Variable { at, bytes } => at.address().checked_add(bytes).is_some(),
        };
        if !sound {
            broken = Some(format!("{part:?}"));
        }
    });
    match decoded {
        Ok(()) => Read::accepted(broken),
        Err(error) => Read::Refused(format!("{error:?}")),
    }
}

fn pin_plan(input: &[u8]) -> Read {
    let mut pool = vec![0u64; MOST_WORDS * 64];
    match pin::decode(input, &mut pool) {
        Ok(layout) => {
            let sets = pool.chunks(layout.words).take(layout.threads + 1);
            let empty = sets.clone().any(|set| mask::first(set).is_none());
            Read::accepted((empty || sets.count() != layout.threads + 1).then(|| format!("{layout:?}")))
        }
        Err(error) => Read::Refused(format!("{error:?}")),
    }
}
