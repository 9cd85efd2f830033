//! The verdict on iso3dfd where memory has the timing of a two-socket machine: the gain of placing it well is known.

use std::time::Duration;

use testbed::Machine;

use crate::{findings, guest, json};

/// Small enough for an emulator, many times larger than the emulated caches.
const GRID: &str = "64 64 64 2 64 64 16";
/// How much slower than real the emulated memory is: enough to outweigh the emulator's own slowness, and no more.
const SCALE: f64 = 400.0;
/// Sampling costs far more here than on a real machine: every instruction is emulated, but waiting takes no longer.
const OPTIONS: &str = "--json --fresh --sampling 3% --margin 20% --budget 130s --seed 1 \
                       --metric 'throughput: ([0-9.]+)' --higher-is-better";

fn throughput(output: &str) -> f64 {
    let line = output
        .lines()
        .find_map(|line| line.strip_prefix("throughput: "))
        .expect("iso3dfd printed no throughput");
    line.split(' ').next().unwrap().parse().unwrap()
}

/// Serial initialisation is found, with its evidence; what interleaving brings is measured; and what parallel
/// initialisation truly brings is no less than was promised.
#[test]
fn emulated_serial_initialisation_is_found_and_its_cure_is_true() {
    if !testbed::ready() {
        return;
    }
    let machine = Machine::load("two-socket").unwrap();
    let check = format!("numawise check {OPTIONS} -o /root/serial.nw -- iso3dfd {GRID} {{threads}}");
    let serial = format!("iso3dfd {GRID} 4");
    let parallel = format!("iso3dfd {GRID} 4 --first-touch");
    let run = guest(&machine)
        .timing(true)
        .scale(SCALE)
        .limit(Duration::from_secs(400))
        .run(&[&check, &serial, &parallel, &parallel, &serial, &serial, &parallel])
        .unwrap();
    let told = json(&run[0]);
    assert_eq!(told["schema"], "numawise/check/1");
    assert_eq!(told["verdict"], "affected", "{}", run[0].stdout);
    assert_eq!(told["placed_well"], false);
    assert!(findings(&told).contains(&"NW001"), "{}", run[0].stdout);
    let first_touch = &told["findings"][0];
    let evidence = first_touch["evidence"].to_string();
    assert!(evidence.contains("lie on node") && evidence.contains("page faults"), "{evidence}");
    let promised = first_touch["cost"]["low"].as_f64().expect("interleaving was measured");
    assert!(promised > 1.0, "{first_touch}");
    let mean =
        |indices: [usize; 3]| indices.iter().map(|k| throughput(&run[*k].stdout).ln()).sum::<f64>() / 3.0;
    let truth = (mean([2, 3, 6]) - mean([1, 4, 5])).exp();
    assert!(truth >= promised, "promised at least {promised}, and parallel initialisation brings {truth}");
    assert!(truth > 1.3, "the machine file says that local memory is much faster: {truth}");
}

/// The same program with parallel initialisation is placed well: placement matters, and there is nothing to change.
#[test]
fn emulated_parallel_initialisation_is_placed_well() {
    if !testbed::ready() {
        return;
    }
    let machine = Machine::load("two-socket").unwrap();
    let check = format!("numawise check {OPTIONS} -o /root/f.nw -- iso3dfd {GRID} {{threads}} --first-touch");
    let report = "numawise report /root/f.nw";
    let run = guest(&machine)
        .timing(true)
        .scale(SCALE)
        .limit(Duration::from_secs(400))
        .run(&[&check, report])
        .unwrap();
    let told = json(&run[0]);
    assert_eq!(told["placed_well"], true, "{}", run[0].stdout);
    assert_eq!(told["verdict"], "affected", "far memory costs: {}", run[0].stdout);
    assert!(!findings(&told).contains(&"NW001"), "{}", run[0].stdout);
    assert!(run[1].stdout.contains("placed well"), "{}", run[1].stdout);
}
