//! Readers of the kernel's files: one by one, and as whole trees.

use numawise_facts::MemorySnapshot;
use numawise_linux::memory::MemoryInfo;
use numawise_linux::node_account;
use numawise_linux::proc::cmdline;
use numawise_linux::proc::cpu_time::CpuTicks;
use numawise_linux::proc::environ::Environment;
use numawise_linux::proc::maps::{MappedFile, Mapping};
use numawise_linux::proc::numa_maps::NumaMapping;
use numawise_linux::proc::sched::Sched;
use numawise_linux::proc::schedstat::SchedStat;
use numawise_linux::proc::smaps::{SmapsReader, own_part_of_shared};
use numawise_linux::proc::stat::TaskStat;
use numawise_linux::proc::status::Status;
use numawise_linux::{Malformed, Roots};
use numawise_machine::Policy;
use numawise_observe::{ProcessRequest, SnapshotOptions};
use numawise_units::{CpuSet, NodeId, NodeSet, Pid};

use super::text;
use crate::{Read, Reader, sane, tree};

/// A reader of a file of `/proc`, whose corpus is the folder of its name.
const fn file(name: &'static str, read: fn(&[u8]) -> Read, corpus: &'static [&'static str]) -> Reader {
    let words = &[
        " ",
        ":",
        "kB",
        "N0=",
        "N99999=",
        "anon=",
        "file=",
        "\t",
        "cpu",
        ")",
        "(",
        "0-3",
        "00400000-00500000 rw-p ",
    ];
    Reader { name, read, corpus, words, inputs: 900 }
}

pub(crate) const READERS: [Reader; 17] = [
    file("proc-stat", |input| of(TaskStat::parse(input)), &["crates/hostile/testdata/stat"]),
    file("proc-status", status, &["crates/hostile/testdata/status"]),
    file(
        "proc-maps",
        |input| {
            lines(input, |line| {
                MappedFile::of(line);
                Mapping::parse(line).map(|_| ())
            })
        },
        &["crates/hostile/testdata/maps"],
    ),
    file("proc-numa-maps", numa_maps, &["crates/hostile/testdata/numa_maps"]),
    file("proc-smaps", smaps, &["crates/hostile/testdata/smaps"]),
    file(
        "proc-sched",
        |input| {
            Sched::parse(input);
            Read::Accepted
        },
        &["crates/hostile/testdata/sched"],
    ),
    file("proc-schedstat", |input| of(SchedStat::parse(input)), &["crates/hostile/testdata/schedstat"]),
    file("proc-environ", environ, &["crates/hostile/testdata/environ"]),
    file(
        "proc-cmdline",
        |input| {
            cmdline::words(input);
            Read::Accepted
        },
        &["crates/hostile/testdata/cmdline"],
    ),
    file("proc-cpu-time", cpu_time, &["crates/hostile/testdata/cpu_time"]),
    file(
        "proc-meminfo",
        |input| {
            MemoryInfo::parse(&text(input));
            Read::Accepted
        },
        &["crates/hostile/testdata/meminfo"],
    ),
    Reader {
        name: "cpu-list",
        read: cpu_list,
        corpus: &["crates/hostile/testdata/lists"],
        words: &LISTS,
        inputs: 1200,
    },
    Reader {
        name: "node-list",
        read: node_list,
        corpus: &["crates/hostile/testdata/lists"],
        words: &LISTS,
        inputs: 1200,
    },
    Reader {
        name: "machine-tree",
        read: |input| tree::with_tree(input, machine),
        corpus: &["crates/machine/testdata"],
        words: &[
            "0-8191",
            "0-65535",
            "1023",
            "10 20",
            "max 100000",
            "0",
            "-1",
            "MemTotal: 18014398509481983 kB",
            "\n== ",
        ],
        inputs: 700,
    },
    Reader {
        name: "process-tree",
        read: |input| tree::with_tree(input, processes),
        corpus: &["crates/hostile/testdata/processes"],
        words: &[
            "N0=",
            "SLURM_PROCID=4294967296\0",
            "Cpus_allowed_list:\t0-8191",
            "VmRSS: 1 kB",
            "\n== ",
            "huge",
            "stack",
        ],
        inputs: 500,
    },
    Reader {
        name: "fingerprint-tree",
        read: |input| tree::with_tree(input, fingerprint),
        corpus: &["crates/machine/testdata/two-socket.tree", "crates/machine/testdata/hbm.tree"],
        words: &["model name : ", "\n== ", "0-1"],
        inputs: 200,
    },
    Reader {
        name: "node-account-tree",
        read: |input| tree::with_tree(input, node_account),
        corpus: &["crates/hostile/testdata/node_account"],
        words: &["kB", ":", "Node 0 ", "numa_hit ", "18446744073709551615", "-1", "\n== "],
        inputs: 300,
    },
];

const LISTS: [&str; 10] = ["0-3", ",", "-", ":2", "0-65535", "0-4000000000", "8191", "8192", "1023", "1024"];

fn of<T>(result: Result<T, Malformed>) -> Read {
    match result {
        Ok(_) => Read::Accepted,
        Err(malformed) => malformed_at(malformed),
    }
}

fn malformed_at(malformed: Malformed) -> Read {
    Read::refused(&malformed.at(std::path::Path::new("file")))
}

/// Lines of a file, until one is refused.
fn lines(input: &[u8], mut parse: impl FnMut(&[u8]) -> Result<(), Malformed>) -> Read {
    for line in input.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        if let Err(malformed) = parse(line) {
            return malformed_at(malformed);
        }
    }
    Read::Accepted
}

fn status(input: &[u8]) -> Read {
    match Status::parse(input) {
        Ok(status) => {
            let _ = (status.own(), Status::name(input));
            let cpus = status.cpus.as_ref().and_then(sane::cpus);
            Read::accepted(cpus.or_else(|| status.nodes.as_ref().and_then(sane::nodes)))
        }
        Err(malformed) => malformed_at(malformed),
    }
}

fn numa_maps(input: &[u8]) -> Read {
    let mut nodes = Vec::new();
    let mut nonsense = None;
    let read = lines(input, |line| {
        let mapping = NumaMapping::parse(line, &mut nodes)?;
        let sum: u64 = nodes.iter().map(|(_, pages)| pages).sum();
        if sum != mapping.pages {
            nonsense = Some(format!("{} pages in all, {sum} on nodes", mapping.pages));
        }
        if let Some((node, _)) = nodes.iter().find(|(node, _)| node.0 >= 65_536) {
            nonsense = Some(format!("pages on node {node}"));
        }
        Ok(())
    });
    nonsense.map_or(read, Read::Nonsense)
}

fn smaps(input: &[u8]) -> Read {
    let mut reader = SmapsReader::default();
    let read = lines(input, |line| reader.line(line).map(|_| ()));
    reader.end();
    own_part_of_shared(input);
    read
}

fn environ(input: &[u8]) -> Read {
    let environment = Environment(input);
    for name in ["PATH", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", ""] {
        environment.value(name);
    }
    Read::Accepted
}

fn cpu_time(input: &[u8]) -> Read {
    let by_cpu: Vec<_> =
        CpuTicks::by_cpu(input).map(|(cpu, ticks)| (cpu, ticks.busy(), ticks.total())).collect();
    if let Some((cpu, ..)) = by_cpu.iter().find(|(cpu, ..)| cpu.0 >= 65_536) {
        return Read::Nonsense(format!("time of CPU {cpu}"));
    }
    of(CpuTicks::of_all(input))
}

fn cpu_list(input: &[u8]) -> Read {
    Read::of(text(input).parse::<CpuSet>(), sane::cpus)
}

fn node_list(input: &[u8]) -> Read {
    Read::of(text(input).parse::<NodeSet>(), sane::nodes)
}

fn machine(roots: &Roots) -> Read {
    Read::of(numawise_machine::without_hwloc(roots, &Policy::Default), |machine| {
        sane::machine(machine).or_else(|| {
            let full = numawise_machine::quick_with_figures(roots).ok()?;
            sane::machine(&full)
        })
    })
}

fn fingerprint(roots: &Roots) -> Read {
    Read::of(numawise_machine::quick(roots), |machine| {
        let fingerprint = numawise_machine::fingerprint(roots, machine);
        fingerprint.topology.measured().filter(|topology| topology.len() != 16).cloned()
    })
}

/// The rows that the kernel has of a node.
fn node_account(roots: &Roots) -> Read {
    let node = NodeId(0);
    Read::of(node_account::allocations(roots, node), |_| None);
    Read::of(node_account::meminfo(roots, node), |rows| {
        rows.iter().find(|(name, _)| name.is_empty()).map(|_| "a row without a name".to_owned())
    })
}

/// Processes as they are found and as a sample of them.
fn processes(roots: &Roots) -> Read {
    let options = SnapshotOptions { roots: roots.clone(), ..SnapshotOptions::default() };
    let snapshot = numawise_observe::snapshot(&[Pid(42), Pid(43)], &options);
    for task in &snapshot.tasks {
        if let Some(memory) = task.memory.measured()
            && memory_is_nonsense(memory)
        {
            return Read::Nonsense(format!("the memory of a process: {memory:?}"));
        }
    }
    let requests = [
        ProcessRequest::Pid(Pid(42)),
        ProcessRequest::Name("app".to_owned()),
        ProcessRequest::User(1000),
        ProcessRequest::Job("77".to_owned()),
        ProcessRequest::Descendants(Pid(42)),
    ];
    for request in requests {
        if let Err(error) = numawise_observe::find(roots, &request) {
            let read = Read::refused(&error);
            if matches!(read, Read::Nonsense(_)) {
                return read;
            }
        }
    }
    Read::Accepted
}

/// More on a node than addresses reach.
fn memory_is_nonsense(memory: &MemorySnapshot) -> bool {
    let mappings = memory.largest.iter().flat_map(|mapping| &mapping.by_node);
    let by_use = memory.by_use.iter().map(|(_, node, bytes)| (node, bytes));
    by_use
        .chain(mappings.map(|(node, bytes)| (node, bytes)))
        .any(|(node, bytes)| bytes.0 >= 1 << 57 || node.0 >= 65_536)
}
