use super::EmulatedMachine;
use crate::Error;

/// A correct machine with everything in it: the broken ones below differ from it in one place each.
const GOOD: &str = r#"
summary = "a test"
distances = [[10, 21, 31], [21, 10, 41], [31, 41, 10]]
kernel_command_line = ["quiet"]

[[node]]
cpus = [0, 1]
memory_mib = 256

[[node]]
cpus = [2]
memory_mib = 0

[[node]]
memory_mib = 128
initiator = 0

[[hmat]]
initiator = 0
latency_ns = [80, 0, 120]
bandwidth_mib_s = [90000, 0, 400000]

[[hmat]]
initiator = 1
latency_ns = [140, 0, 180]
bandwidth_mib_s = [40000, 0, 40000]

[timing]
scale = 1000
core_gbps = 12
cache_kib = 256
cache_ways = 8

[[timing.node]]
gbps = 20
latency_ns = [80, 0, 120]
link_gbps = [0, 0, 0]

[[timing.node]]
gbps = 20
latency_ns = [140, 0, 180]
link_gbps = [8, 0, 8]

[[timing.node]]
gbps = 60
"#;

fn flaw(text: &str) -> String {
    match EmulatedMachine::parse("broken", text) {
        Err(Error::NotAMachine { name, reason }) => {
            assert_eq!(name, "broken");
            reason
        }
        other => panic!("expected a refusal, found {other:?} for\n{text}"),
    }
}

#[test]
fn a_correct_machine_is_read() {
    let machine = EmulatedMachine::parse("good", GOOD).unwrap();
    assert_eq!((machine.cpu_count(), machine.memory_mib()), (3, 384));
    assert_eq!([0, 1, 2, 3].map(|cpu| machine.node_of_cpu(cpu)), [Some(0), Some(0), Some(1), None]);
    assert_eq!(machine.description().timing.as_ref().unwrap().node[1].link_gbps, [8.0, 0.0, 8.0]);
}

/// What is changed in the correct machine, and what is said of it.
const FLAWS: &[(&str, &str, &str)] = &[
    ("cpus = [2]", "cpus = [1]", "cpus of all nodes: found CPU 1, expected each of 0 to 2 once"),
    ("cpus = [2]", "cpus = [3]", "found CPU 3, expected each of 0 to 2 once; CPU 2 comes next"),
    ("cpus = [2]", "", "node 1: found neither CPUs nor memory"),
    (
        "cpus = [2]\nmemory_mib = 0\n\n[[node]]\n",
        "memory_mib = 9\n\n[[node]]\ncpus = [2]\n",
        "node 1: found none, expected CPUs",
    ),
    (
        "memory_mib = 256",
        "memory_mib = 0",
        "node 0: found no memory, expected memory: the kernel is loaded there",
    ),
    (
        "memory_mib = 256",
        "memory_mib = 64",
        "memory_mib of all nodes: found 192 MiB, expected at least 256 MiB",
    ),
    ("[31, 41, 10]]", "]", "distances: found 2 rows, expected 3"),
    ("[31, 41, 10]", "[31, 41]", "distances[2]: found 2 columns, expected 3"),
    ("[31, 41, 10]", "[31, 41, 11]", "distances[2][2]: found 11, expected 10"),
    ("[31, 41, 10]", "[31, 10, 10]", "distances[2][1]: found 10, expected 11 to 254"),
    ("[31, 41, 10]", "[31, 255, 10]", "distances[2][1]: found 255, expected 11 to 254"),
    ("[31, 41, 10]", "[31, 256, 10]", "256"),
    ("initiator = 0\n\n", "\n", "initiator of node 2: found none, expected a node with CPUs"),
    (
        "initiator = 0\n\n",
        "initiator = 2\n\n",
        "initiator of node 2: found 2, expected the number of a node with",
    ),
    (
        "initiator = 0\n\n",
        "initiator = 7\n\n",
        "initiator of node 2: found 7, expected the number of a node with",
    ),
    (
        "cpus = [2]",
        "cpus = [2]\ninitiator = 0",
        "initiator of node 1: found 0, expected none: the node has CPUs",
    ),
    (
        "[[hmat]]\ninitiator = 1",
        "[[hmat]]\ninitiator = 2",
        "initiators of [[hmat]]: found [0, 2], expected [0, 1]",
    ),
    (
        "latency_ns = [80, 0, 120]\nband",
        "latency_ns = [80, 120]\nband",
        "hmat: latency_ns of initiator 0: found 2",
    ),
    (
        "[90000, 0, 400000]",
        "[90000, 5, 400000]",
        "bandwidth_mib_s of initiator 0 to node 1: found 5, expected 0",
    ),
    (
        "[90000, 0, 400000]",
        "[90000, 0, 0]",
        "bandwidth_mib_s of initiator 0 to node 2: found 0, expected a value",
    ),
    ("scale = 1000", "scale = 0", "timing: scale: found 0, expected a number above 0"),
    ("scale = 1000", "scale = nan", "timing: scale: found NaN, expected a number above 0"),
    ("core_gbps = 12", "core_gbps = -1", "timing: core_gbps: found -1"),
    ("cache_ways = 8", "cache_ways = 0", "timing: cache_ways: found 0, expected 1 to 64"),
    ("cache_ways = 8", "cache_ways = 7", "timing: cache_kib: found 256, expected a multiple of 7 ways"),
    ("\n[[timing.node]]\ngbps = 60\n", "", "timing.node: found 2 entries, expected 3"),
    ("gbps = 60", "gbps = inf", "timing.node 2: gbps: found inf"),
    (
        "gbps = 60",
        "gbps = 60\nlatency_ns = [1, 1, 1]",
        "timing.node 2: latency_ns: found 3 values, expected none",
    ),
    ("link_gbps = [8, 0, 8]", "link_gbps = [8, 0]", "timing.node 1: link_gbps: found 2 values, expected 3"),
    ("link_gbps = [8, 0, 8]", "link_gbps = [-8, 0, 8]", "timing.node 1: link_gbps to node 0: found -8"),
    ("[140, 0, 180]\nlink", "[0, 0, 180]\nlink", "timing.node 1: latency_ns to node 0: found 0"),
    ("[\"quiet\"]", "[\"a b\"]", "kernel_command_line: found `a b`, expected words without blanks"),
];

#[test]
fn each_flaw_is_told_with_its_place() {
    for (from, to, expected) in FLAWS {
        assert_eq!(GOOD.matches(*from).count(), 1, "`{from}` must stand once in the correct machine");
        let reason = flaw(&GOOD.replace(from, to));
        assert!(reason.contains(expected), "`{from}` -> `{to}`: `{expected}` is not in `{reason}`");
    }
}

#[test]
fn an_initiator_needs_an_hmat() {
    let start = GOOD.find("[[hmat]]").unwrap();
    let end = GOOD.find("[timing]").unwrap();
    let reason = flaw(&(GOOD[..start].to_owned() + &GOOD[end..]));
    assert!(
        reason.contains("initiator of node 2: found 0, expected none: the machine has no HMAT"),
        "{reason}"
    );
}

#[test]
fn what_is_not_a_description_is_refused_with_its_line() {
    for (text, expected) in [
        ("", "missing field"),
        ("summary = 1", "invalid type"),
        ("\0\u{1}\u{2}", "line 1"),
        ("summary = \"cut off", "line 1"),
        (&GOOD.replace("memory_mib = 256", "memory_mb = 256"), "unknown field `memory_mb`"),
        (&GOOD.replace("memory_mib = 256", "memory_mib = -1"), "line 8"),
        (&GOOD[..GOOD.len() / 2], "line 24"),
        (&GOOD.replace("[[node]]", "[[nodes]]"), "unknown field `nodes`"),
    ] {
        let reason = flaw(text);
        assert!(reason.contains(expected), "`{expected}` is not in `{reason}`");
    }
}

#[test]
fn a_missing_file_is_named() {
    let message = EmulatedMachine::load("no/such.toml".as_ref()).unwrap_err().to_string();
    assert!(message.starts_with("cannot read no/such.toml"), "{message}");
}
