//! The timing that programs in a guest measure is the one that the machine file describes.

use testbed::{CommandResult, Guest, GuestRun};

const PROBE: &str = "probe/numa_probe.c";
const HOPS: u32 = 2000;
/// Rounds of hops that the probe makes.
const ROUNDS: u32 = 3;
/// The chain of the probe, in lines; more than 60 times what the cache holds.
const CHAIN_LINES: u64 = (4 << 20) / 64;

fn probe(guest: Guest<'_>, commands: &[String]) -> GuestRun {
    let program = testbed::compile_c(
        PROBE,
        "numa_probe",
        &["-O2", "-Wall", "-Wextra", "-Werror", "-static", "-pthread"],
    );
    let run = guest.file(program.unwrap()).run(commands).unwrap();
    for result in run.iter() {
        assert_eq!((result.status, result.stderr.as_str()), (0, ""), "{}", result.command);
    }
    run
}

fn latency(cpu: u32, node: u32) -> String {
    format!("numa_probe latency {cpu} {node} {HOPS}")
}

fn triad(place: &str, mib: u32) -> String {
    format!("numa_probe triad 0,1,2,3 {place} {mib} 3")
}

/// The figure that the probe prints.
fn figure(result: &CommandResult) -> f64 {
    let word = result.stdout.split_whitespace().nth(1);
    word.and_then(|w| w.parse().ok()).unwrap_or_else(|| panic!("`{}`: {:?}", result.command, result.stdout))
}

fn near(what: &str, found: f64, truth: f64, tolerance: f64) {
    let off = found / truth - 1.0;
    eprintln!("{what}: found {found:.4}, truth {truth:.4}, off by {:+.1} %", 100.0 * off);
    assert!(off.abs() <= tolerance, "{what}: found {found}, truth {truth}, at most {tolerance} off");
}

/// Measures latency from the first CPU of each node with CPUs to each node with memory.
fn check_latencies(name: &str) {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load(name).unwrap();
    let timing = machine.description().timing.as_ref().unwrap();
    let mut pairs = Vec::new();
    for (from, cpu) in machine.nodes().filter_map(|(id, node)| Some((id, *node.cpus.first()?))) {
        pairs.extend(machine.nodes().filter(|(_, node)| node.memory_mib > 0).map(|(to, _)| (from, cpu, to)));
    }
    let commands: Vec<String> = pairs.iter().map(|&(_, cpu, to)| latency(cpu, to)).collect();
    let run = probe(testbed::guest(&machine).timing(true), &commands);
    for (result, (from, cpu, to)) in run.iter().zip(pairs) {
        let truth = timing.node[from as usize].latency_ns[to as usize];
        near(&format!("{name}, CPU {cpu} to node {to}, ns"), figure(result) / timing.scale, truth, 0.15);
        let counts = result.truth.as_ref().unwrap();
        assert_eq!(counts.outside, 0, "all addresses belong to a node: {counts:?}");
        let seen = counts.counts.iter().find(|c| (c.cpu, c.node) == (cpu, to)).map_or(0, |c| c.lines);
        // All lines when the chain is made; of the hops some find their line still in the cache (one in 16 at most).
        let expected = CHAIN_LINES + u64::from(ROUNDS * HOPS) * 15 / 16;
        assert!(
            (expected..expected * 3 / 2).contains(&seen),
            "{seen} lines counted from node {to}: {counts:?}"
        );
    }
}

#[test]
#[ignore = "timing: latencies and bandwidths of emulated memory"]
fn emulated_timing_two_socket_latencies_are_those_of_the_file() {
    check_latencies("two-socket");
}

#[test]
#[ignore = "timing: latencies and bandwidths of emulated memory"]
fn emulated_timing_hbm_latencies_are_those_of_the_file() {
    check_latencies("hbm");
}

#[test]
#[ignore = "timing: latencies and bandwidths of emulated memory"]
fn emulated_timing_holes_latencies_are_those_of_the_file_on_both_sides_of_the_hole() {
    check_latencies("holes");
}

#[test]
#[ignore = "timing: latencies and bandwidths of emulated memory"]
fn emulated_timing_two_socket_bandwidths_are_those_of_the_file() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let timing = machine.description().timing.as_ref().unwrap();
    let commands = ["parallel", "serial", "interleave"].map(|place| triad(place, 8));
    let run = probe(testbed::guest(&machine).timing(true), &commands);
    let [parallel, serial, interleave] = [0, 1, 2].map(|k| figure(&run[k]) * timing.scale);
    // Both nodes give all they have.
    near("triad, parallel first touch, GB/s", parallel, timing.node[0].gbps * 2.0, 0.10);
    // All pages are on node 0; the pass ends with the two remote threads. If they always get the whole link, each draws
    // 4 GB/s. If the node serves in proportion to what is asked of it (2 x 12 and 8 GB/s), they draw 2.5 until the
    // local threads are through with 7.5, and 4 from then on: 4 threads x 3.33. The model lies between.
    let (low, high) = (4.0 * 3.33, 4.0 * timing.node[1].link_gbps[0] / 2.0);
    let gain = parallel / serial;
    eprintln!("triad, serial first touch, GB/s: found {serial:.1}, truth {low:.1} to {high:.1}");
    eprintln!("gain of first touch: found {gain:.2}, truth 2.50 to 3.00");
    assert!(
        (low * 0.9..high * 1.1).contains(&serial),
        "serial first touch: {serial}, truth {low} to {high} GB/s"
    );
    assert!((2.5 * 0.9..3.0 * 1.1).contains(&gain), "gain of first touch: {gain}, truth 2.5 to 3.0");
    // A quarter of all traffic goes over the link each way; threads meet there and wait, so the bound is not reached.
    let bound = timing.node[1].link_gbps[0] * 4.0;
    assert!(
        interleave < bound * 1.02 && interleave > bound * 0.7,
        "interleaved: {interleave} of {bound} GB/s"
    );

    let shares = [0, 1, 2].map(|k: usize| run[k].truth.as_ref().unwrap().remote_share(&machine).unwrap());
    assert!(shares[0] < 0.01, "parallel first touch is local: {shares:?}");
    // The first thread also initialises: a third more local lines than the passes alone would have.
    assert!((0.3..0.5).contains(&shares[1]), "half of the threads are remote: {shares:?}");
    assert!((0.45..0.55).contains(&shares[2]), "half of the pages are remote: {shares:?}");
}

/// How far from equally fast two nodes without timing may be: the host may give huge pages to the memory of one node and not to that of the
/// other, for as long as a guest lives. With timing it would be twice as much.
const EQUALLY_FAST: f64 = 0.25;

#[test]
#[ignore = "timing: latencies without the timing plugin"]
fn emulated_without_timing_all_memory_is_equally_fast() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    // Interleaved, and the fastest of each: what else runs on the host only ever makes a pass slower.
    let order: Vec<u32> = [0, 1].repeat(6);
    let commands: Vec<String> =
        order.iter().map(|node| format!("numa_probe latency 0 {node} 2000000")).collect();
    let run = probe(testbed::guest(&machine), &commands);
    assert!(run.iter().all(|result| result.truth.is_none()));
    let of_node = |node: u32| -> Vec<f64> {
        let of_node = run.iter().zip(&order).filter(|(_, of)| **of == node);
        of_node.map(|(result, _)| figure(result)).collect()
    };
    let [local, remote] = [0, 1].map(of_node);
    eprintln!("ns, local {local:.1?}, remote {remote:.1?}");
    let fastest = |of: Vec<f64>| of.into_iter().fold(f64::INFINITY, f64::min);
    near("remote beside local without timing", fastest(remote) / fastest(local), 1.0, EQUALLY_FAST);
}
