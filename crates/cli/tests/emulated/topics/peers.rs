//! The same request through numactl, hwloc-bind and taskset: the same masks, policies and pages, where there are nodes to tell.

use testbed::{CommandResult, Guest};

use crate::probe::{Line, lines};
use crate::shared::Topic;

pub const PEERS: &str = "peers";
pub const IN_A_CGROUP: &str = "peers-in-a-cgroup";

const PROBE: &str = "place_probe self 8";

/// A peer's words, and ours.
pub type Pair = (&'static str, &'static str);

pub fn tools(guest: Guest<'_>) -> Guest<'_> {
    guest.tool("numactl").tool("hwloc-bind").tool("taskset")
}

pub fn asked(pairs: &[Pair]) -> Topic {
    let both =
        |(theirs, ours): &Pair| [format!("{theirs} {PROBE}"), format!("numawise run {ours} -- {PROBE}")];
    Topic::new(PEERS, pairs.iter().flat_map(both))
}

/// What must be the same.
fn shown(line: &Line) -> (&str, &str, &str, &str, &str) {
    (line.text("cpus"), line.text("policy"), line.text("nodes"), line.text("flags"), line.text("pages"))
}

pub fn are_alike(run: &[CommandResult], pairs: &[Pair]) {
    for (pair, results) in pairs.iter().zip(run.chunks(2)) {
        let (theirs, ours) = (lines(&results[0]).remove(0), lines(&results[1]).remove(0));
        assert_eq!(shown(&ours), shown(&theirs), "{pair:?}");
    }
}

/// Requests of numactl in a cgroup whose CPUs lie on more nodes than its memory; all but the first one under a mask too.
const REQUESTS: [&str; 9] = [
    "-N all",
    "-a -N all",
    "-a -N !0",
    "-a -N 1",
    "-a -C all",
    "-C all",
    "-a -C +0-1",
    "-a -N all -i all",
    "-a -m all",
];

/// All that one place is asked stands in one command: a shell enters the cgroup once.
pub fn in_a_cgroup() -> Topic {
    let enter = "mkdir -p /sys/fs/cgroup/peers && cd /sys/fs/cgroup/peers && echo 0-2 > cpuset.cpus && echo 0 > cpuset.mems; \
                 echo $$ > cgroup.procs";
    let look = "sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status; sed -n '/stack/{s/[^ ]* //;s/ .*//;p}' /proc/self/numa_maps";
    let each = |request: &&str| {
        ["numactl", "numawise run"].map(|tool| format!("echo {request}: $({tool} {request} sh -c \"$look\")"))
    };
    let script = |place: String, requests: &[&str]| {
        let lines: Vec<String> = requests.iter().flat_map(each).collect();
        format!("look=\"{look}\"\n{place}\n{}", lines.join("\n"))
    };
    let masked = format!("{enter}; taskset -p 5 $$ > /dev/null");
    Topic::new(IN_A_CGROUP, [script(enter.to_owned(), &REQUESTS), script(masked, &REQUESTS[1..])])
}

/// Lists mean what they mean to numactl; nodes without `-a` under a mask do not (docs/user/numactl.md).
pub fn are_alike_in_a_cgroup(run: &[CommandResult]) {
    for (result, requests) in run.iter().zip([&REQUESTS[..], &REQUESTS[1..]]) {
        let said: Vec<&str> = result.stdout.lines().collect();
        assert_eq!(said.len(), 2 * requests.len(), "{}\n{}", result.stdout, result.stderr);
        for (pair, request) in said.chunks(2).zip(requests) {
            assert_eq!(pair[1], pair[0], "{}", result.stderr);
            // The mask and the policy, which both came.
            let words = pair[0].strip_prefix(&format!("{request}: ")).map(|said| said.split(' ').count());
            assert_eq!(words, Some(2), "{pair:?}\n{}", result.stderr);
        }
    }
    let mask = |k: usize| run[0].stdout.lines().nth(2 * k).and_then(|line| line.split(": ").nth(1));
    let masks = [mask(0), mask(1)].map(|of| of.and_then(|of| of.split(' ').next()));
    assert_eq!(masks, [Some("0-1"), Some("0-2")], "nodes whose memory is allowed, and all");
}
