//! Places in hwloc's words: the CPUs that we find are those that `hwloc-calc` finds, on synthetic and on recorded machines.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use numawise_facts::Machine;
use numawise_placement::{LocationError, locate};
use numawise_units::CpuSet;

const SYNTHETIC: [&str; 7] = [
    "pack:1 [numa] core:4 pu:1",
    "pack:2 [numa] core:4 pu:2",
    "pack:2 [numa] core:2 pu:2(indexes=0,2,4,6,1,3,5,7)",
    "pack:2 [numa] l3:2 l2:2 core:1 pu:4",
    "pack:2 [numa(memory=4GB)] die:2 [numa] core:3 pu:2",
    "numa:3 pack:2 core:2 pu:2",
    "pack:2 [numa] core:2 pu:2(indexes=0,4,2,6,1,5,3,7)",
];

const LOCATIONS: &[&str] = &[
    "all",
    "root",
    "machine:0",
    "core:0",
    "core:1-",
    "core:odd",
    "core:even",
    "core:all",
    "core:1:2",
    "core:1:100",
    "core:0-1",
    "pu:3",
    "PU:odd",
    "package:0",
    "package:1",
    "socket:1.core:1",
    "pack:all.core:0",
    "package:all.core:1.pu:1",
    "package:odd.pu:even",
    "package:0.package:0",
    "package:1.numa:0",
    "package:1.pu:0",
    "node:0",
    "node:1",
    "node:1.core:0-1",
    "numa:all.core:0",
    "numanode:2.core:1.pu:0",
    // Not node:even.pu:1-, at which hwloc-calc 2.9 runs forever where nodes share their CPUs.
    "node:even.pu:1",
    "l3:0",
    "l3:1.core:0",
    "l2:3",
    "l2:odd.pu:0",
    "l1:2",
    "core:0 core:1",
    "all ~core:0",
    "node:1 ~pu:1",
    "all xcore:1",
    "core:0-1 xpu:odd",
    "all ^core:0",
    "core:0 ^core:1 ^core:0",
    "0x3",
    "0xd",
    "0x00000000,0x00000006",
    // Not 0xf...f alone, which hwloc-calc 2.9 takes for nothing, nor with one word behind it, where it leaves out the 32 bits above.
    "0xf...f,0x00000000,0x00000002",
    "core:1 0x1",
    "all ~0x2",
    "core:1.package:0",
    "core:400",
    "l5:0",
];

/// What hwloc-calc says of a location: its CPUs, and none when it complains that something is not there.
fn peer(machine: &Peer<'_>, location: &str) -> Option<CpuSet> {
    let output = Command::new("hwloc-calc")
        .args(["--if", machine.format, "-i", machine.input])
        .args(machine.disallowed.then_some("--disallowed"))
        .args(["--po", "-I", "pu"])
        .args(location.split_whitespace())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    if ["does not exist", "failed to use", "could not find level"].iter().any(|text| errors.contains(text)) {
        return None;
    }
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.trim().parse().unwrap_or_else(|e| panic!("{}, {location}: {e}\n{errors}", machine.input)))
}

/// A machine as hwloc-calc is told of it.
struct Peer<'a> {
    format: &'a str,
    input: &'a str,
    /// With what may not be used.
    disallowed: bool,
}

/// What is meant to differ: see the module `locate` of the crate `placement`.
fn is_known(machine: &Machine, peer_has_cores: bool, location: &str) -> bool {
    // We give every CPU a core where hwloc knows of none.
    if !peer_has_cores && location.contains("core") {
        return true;
    }
    // hwloc finds nothing below nodes that share their CPUs with others, as DRAM and HBM do.
    let shares =
        |k: usize| machine.nodes[..k].iter().any(|node| node.near.intersects(&machine.nodes[k].near));
    let node = location.starts_with("node") || location.starts_with("numa");
    node && location.contains('.') && (0..machine.nodes.len()).any(shares)
}

/// The number of locations where both find CPUs.
fn compare(name: &str, machine: &Machine, mut told: Peer<'_>, differences: &mut Vec<String>) -> usize {
    // Which CPUs of a recorded machine are there is for the crate `machine` to say; what is below them is compared here.
    told.disallowed = peer(&told, "all") == locate(machine, "all").ok();
    let peer_has_cores = peer(&told, "core:0").is_some();
    let mut found = 0;
    for location in LOCATIONS.iter().filter(|location| !is_known(machine, peer_has_cores, location)) {
        let theirs = peer(&told, location);
        let ours = locate(machine, location);
        found += usize::from(ours.is_ok() && theirs.is_some());
        // What leaves nothing is an error of ours and the empty set to hwloc-calc.
        let ours = match ours {
            Err(LocationError::Nothing { .. }) => Ok(CpuSet::new()),
            // Numbers stay as they were typed; hwloc-calc leaves out those that the machine does not have.
            Ok(cpus) if location.contains("0x") => Ok(cpus.intersection(&machine.online())),
            ours => ours,
        };
        if ours.clone().ok() != theirs {
            let theirs = theirs.map_or_else(|| "nothing".to_owned(), |cpus| cpus.to_string());
            let ours = ours.map_or_else(|error| error.to_string(), |cpus| cpus.to_string());
            differences.push(format!("{name}: {location}: ours {ours}, hwloc-calc's {theirs}"));
        }
    }
    found
}

fn has_peer(test: &str) -> bool {
    let there = Command::new("hwloc-calc").arg("--version").output().is_ok();
    if !there {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: there is no hwloc-calc");
    }
    there
}

#[test]
fn places_on_synthetic_machines() {
    if !has_peer("places_on_synthetic_machines") {
        return;
    }
    let mut differences = Vec::new();
    for description in SYNTHETIC {
        let machine = numawise_machine::from_synthetic(description).unwrap();
        let found = compare(
            description,
            &machine,
            Peer { format: "synthetic", input: description, disallowed: true },
            &mut differences,
        );
        assert!(found > LOCATIONS.len() / 3, "{description}: only {found} locations were found");
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn places_on_recorded_machines() {
    let test = "places_on_recorded_machines";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/machines");
    let Ok(entries) = fs::read_dir(&folder) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: there is no folder {}", folder.display());
        return;
    };
    if !has_peer(test) {
        return;
    }
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "xml"));
    files.sort();
    let mut differences = Vec::new();
    for file in files {
        let machine = numawise_machine::from_xml_file(&file).unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        // With CPUs offline hwloc orders objects by the lowest CPU that they would have; we know only those online.
        if name.contains("offline") {
            continue;
        }
        let told = Peer { format: "xml", input: file.to_str().unwrap(), disallowed: true };
        let found = compare(name, &machine, told, &mut differences);
        assert!(found > LOCATIONS.len() / 5, "{name}: only {found} locations were found");
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
