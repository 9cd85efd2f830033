use super::description;
use crate::{Error, Truth, WorkFolder, truth};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

#[test]
fn the_description_has_all_that_the_plugin_needs() {
    let machine = crate::test_machine("hbm");
    let text = description(&machine, Some(500.0), Path::new("/run/truth.txt")).unwrap();
    let expected = "numa-timing 1\nscale 500\ncore 12\ncache 512 8\ncpu 0 0\ncpu 1 0\ncpu 2 1\ncpu 3 1\n\
    node 0 14\nnode 1 14\nnode 2 60\nnode 3 60\n\
    range 0 0 30000000\nrange 1 60000000 90000000\nrange 2 c0000000 d0000000\nrange 3 e0000000 f0000000\n\
    path 0 0 80 0\npath 0 1 160 8\npath 0 2 120 0\npath 0 3 180 8\n\
    path 1 0 160 8\npath 1 1 80 0\npath 1 2 180 8\npath 1 3 120 0\n\
    truth /run/truth.txt\nend\n";
    assert_eq!(text, expected);
}

#[test]
fn without_another_scale_that_of_the_file_is_used() {
    let text = description(&crate::test_machine("two-socket"), None, Path::new("t")).unwrap();
    assert!(text.contains("\nscale 1000\n"), "{text}");
}

#[test]
fn a_machine_without_timing_is_refused() {
    let machine = crate::test_machine("eight-nodes");
    let error = description(&machine, None, Path::new("t")).unwrap_err();
    assert!(matches!(&error, Error::NoTiming(name) if name == "eight-nodes"), "{error}");
}

/// A page of node 0 and one of node 1 lie at these physical addresses; two CPUs, one beside each.
const NODE_1: u64 = 0x1000_0000;
/// What memory takes is stretched to next to nothing: no test waits.
const HEAD: &str = "numa-timing 1\nscale 0.1\ncore 12\n";
const MACHINE: &str = "cpu 0 0\ncpu 1 1\nnode 0 20\nnode 1 20\nrange 0 0 10000000\nrange 1 10000000 20000000\n\
    path 0 0 80 0\npath 0 1 140 8\npath 1 0 140 8\npath 1 1 80 0\n";

/// The plugin, which sees the accesses of `trace` instead of QEMU's; none where there is no gcc.
fn replayed(sets: u64, ways: usize, trace: &str, odd: bool) -> Option<(Output, Vec<Truth>)> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin/replay.c");
    let flags = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread"];
    let program = match WorkFolder::new(folder.path()).compile_c(&source, "replay", &flags) {
        Err(Error::Start { .. }) => {
            eprintln!("SKIPPED: gcc is not installed");
            return None;
        }
        program => program.unwrap(),
    };
    let truth = at("truth.txt");
    let machine = format!("{HEAD}cache {sets} {ways}\n{MACHINE}truth {}\nend\n", truth.display());
    std::fs::write(at("machine.txt"), machine).unwrap();
    std::fs::write(at("trace.txt"), format!("mark\n{trace}")).unwrap();
    let mut replay = Command::new(program);
    replay.args([at("machine.txt"), at("trace.txt")]).args(odd.then_some("odd"));
    let output = replay.output().unwrap();
    let truth = std::fs::read_to_string(&truth).unwrap_or_default();
    Some((output, truth::read(&truth).unwrap()))
}

fn counted(sets: u64, ways: usize, trace: &str) -> Option<Truth> {
    let (output, mut truths) = replayed(sets, ways, trace, false)?;
    assert!(output.status.success(), "{output:?}");
    assert_eq!(truths.len(), 1);
    Some(truths.remove(0))
}

/// Lines, exposed, written of a CPU and a node.
fn of(truth: &Truth, cpu: u32, node: u32) -> (u64, u64, u64) {
    let found = truth.counts.iter().find(|count| (count.cpu, count.node) == (cpu, node));
    found.map_or((0, 0, 0), |count| (count.lines, count.exposed, count.written))
}

/// On paper: 1 MiB, four times what the cache holds, read in order twice, then written in order twice.
#[test]
fn what_a_program_fetches_and_writes_back_is_counted_to_the_line() {
    let mut trace = String::new();
    for kind in ["r", "r", "w", "w"] {
        for word in (0..1u64 << 20).step_by(32) {
            writeln!(trace, "0 {kind} {:x} {:x}", 0x7f00_0000_0000 + word, NODE_1 + word).unwrap();
        }
    }
    trace += "0 r ffff800000001000 1000\n0 r 1000 io\n0 r 2000 none\n";
    let Some(truth) = counted(512, 8, &trace) else { return };
    let lines = (1 << 20) / 64;
    let held = 256 * 1024 / 64;
    // Each pass begins far from where the last one ended: a prefetcher does not see that coming.
    assert_eq!(of(&truth, 0, 1), (4 * lines, 4, 2 * lines - held));
    assert_eq!(
        (truth.lines(), truth.outside),
        (4 * lines, 0),
        "the kernel, devices and nothing are not memory"
    );
}

/// What the plugin models, told as plainly as can be.
#[derive(Default)]
struct Plain {
    known: BTreeMap<u64, (u64, bool)>,
    sets: BTreeMap<u64, Vec<(u64, bool)>>,
    streams: Vec<u64>,
    counts: BTreeMap<u32, (u64, u64, u64)>,
}

impl Plain {
    fn access(&mut self, (sets, ways): (u64, usize), store: bool, address: u64, physical: u64) {
        let (vline, line) = (address / 64, physical / 64);
        let place = (vline ^ (vline >> 8) ^ (vline >> 16)) % 256;
        if self.known.get(&place).is_some_and(|&(known, written)| known == vline && (written || !store)) {
            return;
        }
        self.known.insert(place, (vline, store));
        let set = self.sets.entry((line ^ (line / sets)) % sets).or_default();
        let before = set.iter().position(|&(held, _)| held == line).map(|k| set.remove(k));
        set.insert(0, (line, store || before.is_some_and(|(_, written)| written)));
        if before.is_some() {
            return;
        }
        let node = |line: u64| u32::from(line * 64 >= NODE_1);
        if let Some((evicted, true)) = set.get(ways).copied() {
            self.counts.entry(node(evicted)).or_default().2 += 1;
        }
        set.truncate(ways);
        let count = self.counts.entry(node(line)).or_default();
        count.0 += 1;
        let followed = self.streams.iter().position(|&last| vline != last && vline.abs_diff(last) <= 2);
        count.1 += u64::from(followed.is_none());
        followed.map(|k| self.streams.remove(k));
        self.streams.insert(0, vline);
        self.streams.truncate(32);
    }
}

#[test]
fn the_counts_are_those_of_a_plain_model_for_caches_of_any_size() {
    for (sets, ways) in [(16, 4), (12, 3), (1, 1), (512, 8)] {
        let mut random = 88_172_645_463_325_252_u64;
        let mut next = |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % below
        };
        let (mut trace, mut plain) = (String::new(), [Plain::default(), Plain::default()]);
        let mut streams = [0u64; 40];
        for _ in 0..60_000 {
            let (cpu, store) = (next(2), next(3) == 0);
            // Some 40 sequences, which is more than are followed, and accesses to anywhere in 2 MiB.
            let at = if next(4) > 0 {
                let k = next(40);
                streams[k as usize] += 24;
                k * 50_000 + streams[k as usize] % 50_000
            } else {
                next(1 << 21)
            };
            let (address, physical) = (0x5555_0000_0000 + at, at + if at & 0x4000 == 0 { 0 } else { NODE_1 });
            let kind = if store { 'w' } else { 'r' };
            writeln!(trace, "{cpu} {kind} {address:x} {physical:x}").unwrap();
            plain[cpu as usize].access((sets, ways), store, address, physical);
        }
        let Some(truth) = counted(sets, ways, &trace) else { return };
        for (cpu, plain) in (0..).zip(&plain) {
            for node in [0, 1] {
                let expected = plain.counts.get(&node).copied().unwrap_or_default();
                assert!(expected.0 > 5000 && expected.1 > 1000 && expected.2 > 1000, "{expected:?}");
                assert_eq!(
                    of(&truth, cpu, node),
                    expected,
                    "{sets} sets, {ways} ways, CPU {cpu}, node {node}"
                );
            }
        }
    }
}

#[test]
fn a_qemu_that_marks_stores_in_another_way_is_refused() {
    let Some((output, truths)) = replayed(16, 4, "", true) else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("is a store in another way") && truths.is_empty(),
        "{said}"
    );
}
