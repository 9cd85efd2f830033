//! The same request through hwloc-bind and hwloc-distrib and through `numawise run`: the same CPUs. What differs, and why, is
//! in docs/user/numactl.md.

use std::io::Write as _;
use std::process::Command;

use numawise_units::{CpuId, CpuSet};
use serde_json::Value;

const NUMAWISE: &str = env!("CARGO_BIN_EXE_numawise");

/// What a tool prints; `None` when it is not installed.
fn printed(tool: &[&str]) -> Option<String> {
    match Command::new(tool[0]).args(&tool[1..]).env_remove("OMP_NUM_THREADS").output() {
        Ok(output) => {
            assert!(output.status.success(), "{tool:?}: {}", String::from_utf8_lossy(&output.stderr));
            Some(String::from_utf8(output.stdout).unwrap())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not installed", tool[0]);
            None
        }
        Err(error) => panic!("{tool:?}: {error}"),
    }
}

/// `0xff00` as a set.
fn mask(text: &str) -> CpuSet {
    let number = u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    (0..64).filter(|bit| number >> bit & 1 == 1).map(CpuId).collect()
}

fn tasks(options: &[&str]) -> Vec<CpuSet> {
    let words = [&[NUMAWISE, "run", "--dry-run", "--json"], options, &["app"]].concat();
    let plan: Value = serde_json::from_str(&printed(&words).unwrap()).unwrap();
    let tasks = plan["tasks"].as_array().unwrap();
    tasks.iter().map(|task| task["cpus"].as_str().unwrap().parse().unwrap()).collect()
}

#[test]
fn hwloc_distrib_shares_out_the_same() {
    for (machine, numbers) in [
        ("pack:2 [numa] core:4 pu:2", &["2", "4", "8", "16"][..]),
        ("pack:2 [numa] core:3 pu:1", &["2", "6"]),
        ("pack:4 [numa] core:4 pu:1", &["4", "8", "16"]),
        ("numa:2 core:8 pu:2", &["2", "4", "8", "16"]),
        ("pack:2 numa:2 core:6 pu:2", &["4", "8", "12", "24"]),
    ] {
        for number in numbers {
            let Some(theirs) = printed(&["hwloc-distrib", "-i", machine, number, "--taskset"]) else {
                return;
            };
            let theirs: Vec<CpuSet> = theirs.lines().map(mask).collect();
            let ours = ["--input", machine, "--place", "semi", "--no-pin", "--smt", "all", "--ranks", number];
            let ours = tasks(&ours);
            assert_eq!(ours, theirs, "{machine} for {number}");
        }
    }
}

#[test]
fn hwloc_bind_and_a_location_give_the_same_mask() {
    const LOOK: [&str; 3] = ["grep", "^Cpus_allowed_list", "/proc/self/status"];
    for location in
        ["core:0", "pu:0", "node:0", "node:0.core:0", "package:0.pu:0", "machine:0", "core:0.pu:0", "all"]
    {
        let theirs = [&["hwloc-bind", location, "--"][..], &LOOK].concat();
        let Some(theirs) = printed(&theirs) else { return };
        let ours = printed(&[&[NUMAWISE, "run", "--cpus", location, "--"][..], &LOOK].concat());
        assert_eq!(ours.unwrap(), theirs, "{location}");
    }
}

#[test]
fn a_location_on_another_machine_is_what_hwloc_calc_says() {
    let machine = "pack:2 numa:2 core:4 pu:2";
    for location in
        ["node:1.core:0-1", "package:1.pu:3", "node:2-3", "core:5 core:9", "pack:1.node:0", "node:0.core:odd"]
    {
        let words =
            [&["hwloc-calc", "-i", machine, "--taskset"][..], &location.split(' ').collect::<Vec<_>>()]
                .concat();
        let Some(theirs) = printed(&words) else { return };
        let ours = tasks(&["--input", machine, "--cpus", location]);
        assert_eq!(ours, [mask(theirs.trim())], "{location}");
    }
}

#[test]
fn hwloc_bind_and_numawise_set_the_same_memory_policy() {
    const LOOK: [&str; 3] =
        ["sh", "-c", "sed -n 's/^[0-9a-f]* \\(.*\\) heap.*/\\1/p' /proc/self/numa_maps | head -n 1"];
    for (options, ours) in [
        (&["--strict", "--mempolicy", "bind"][..], "bind:0"),
        // Without --strict hwloc only prefers the nodes.
        (&["--mempolicy", "bind"], "preferred-many:0"),
        (&["--mempolicy", "interleave"], "interleave:0"),
    ] {
        let words = [&["hwloc-bind", "--membind", "node:0"][..], options, &["--"], &LOOK].concat();
        let Some(theirs) = printed(&words) else { return };
        assert_eq!(
            printed(&[&[NUMAWISE, "run", "--memory", ours, "--"][..], &LOOK].concat()).unwrap(),
            theirs
        );
    }
}
