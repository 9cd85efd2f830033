//! What the kernel in a guest sees is what the machine file says.

use std::collections::BTreeMap;
use testbed::{EmulatedMachine, guest_physical};

/// `name: contents` of files, as `head -n 1` prints them for each of several.
const SHOW_NODES: &str = "cd /sys/devices/system/node\n\
    for f in online possible has_cpu has_memory node*/cpulist node*/distance; do echo \"$f: $(cat $f)\"; done\n\
    for n in node*; do echo \"$n/memory: $(grep MemTotal $n/meminfo | awk '{print $4}')\"; done\n\
    for f in node*/access0/initiators/read_*; do [ -e $f ] && echo \"$f: $(cat $f)\"; done; true";
const SHOW_RANGES: &str =
    "dmesg | sed -n 's/.*SRAT: Node \\([0-9]*\\) PXM [0-9]* \\[mem 0x\\(.*\\)-0x\\(.*\\)\\]/\\1 \\2 \\3/p'";

fn values(text: &str) -> BTreeMap<&str, &str> {
    text.lines().filter_map(|line| line.split_once(": ")).collect()
}

/// Numbers as sysfs lists them: `0-1,3`.
fn list(numbers: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &n in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => parts.push((n, n)),
        }
    }
    let text = |(a, b): &(u32, u32)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    parts.iter().map(text).collect::<Vec<_>>().join(",")
}

fn check_nodes(machine: &EmulatedMachine, text: &str) {
    let seen = values(text);
    let file = |name: &str| *seen.get(name).unwrap_or_else(|| panic!("no {name} in\n{text}"));
    let ids = |with: &dyn Fn(&testbed::EmulatedNode) -> bool| -> String {
        list(&machine.nodes().filter(|(_, node)| with(node)).map(|(id, _)| id).collect::<Vec<_>>())
    };
    assert_eq!(file("online"), ids(&|_| true));
    assert_eq!(file("has_cpu"), ids(&|node| !node.cpus.is_empty()));
    assert_eq!(file("has_memory"), ids(&|node| node.memory_mib > 0));
    for (id, node) in machine.nodes() {
        assert_eq!(file(&format!("node{id}/cpulist")), list(&node.cpus), "CPUs of node {id}");
        let distances: Vec<u8> = file(&format!("node{id}/distance"))
            .split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect();
        assert_eq!(distances, machine.description().distances[id as usize], "distances of node {id}");
        let kib: u64 = file(&format!("node{id}/memory")).parse().unwrap();
        let mib = kib as f64 / 1024.0;
        let expected = node.memory_mib as f64;
        // The kernel keeps its code and tables to itself, most of it on node 0.
        assert!(
            mib <= expected && mib >= expected * 0.97 - 60.0,
            "node {id}: {mib} MiB seen, {expected} described"
        );
    }
}

/// The nearest initiator's row, which is what `access0` shows.
fn check_hmat(machine: &EmulatedMachine, text: &str) {
    let seen = values(text);
    for (id, node) in machine.nodes() {
        let initiator = node.initiator.unwrap_or(id);
        let row = machine.description().hmat.iter().find(|row| row.initiator == initiator).unwrap();
        for (file, expected) in
            [("latency", row.latency_ns[id as usize]), ("bandwidth", row.bandwidth_mib_s[id as usize])]
        {
            let name = format!("node{id}/access0/initiators/read_{file}");
            assert_eq!(seen.get(name.as_str()), Some(&expected.to_string().as_str()), "{name} in\n{text}");
        }
    }
}

/// The firmware's memory ranges lie in the pieces that the layout computes (it leaves out the video hole under 1 MiB).
fn check_ranges(machine: &EmulatedMachine, text: &str) {
    let pieces = guest_physical(machine);
    let mut covered = vec![0; pieces.len()];
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let node: u32 = words[0].parse().unwrap();
        let first = u64::from_str_radix(words[1], 16).unwrap();
        let end = u64::from_str_radix(words[2], 16).unwrap() + 1;
        let within =
            |p: &testbed::MemoryPiece| p.node == node && p.addresses.start <= first && end <= p.addresses.end;
        let k =
            pieces.iter().position(within).unwrap_or_else(|| panic!("`{line}` is in none of {pieces:x?}"));
        covered[k] += end - first;
    }
    for (piece, covered) in pieces.iter().zip(covered) {
        let missing = piece.addresses.end - piece.addresses.start - covered;
        assert!(missing <= 0x60000, "{missing:#x} bytes of {piece:x?} are not the kernel's");
    }
}

fn check(name: &str) {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load(name).unwrap();
    let run = testbed::guest(&machine).run(&[SHOW_NODES, SHOW_RANGES, "nproc"]).unwrap();
    for result in run.iter() {
        assert_eq!((result.status, result.stderr.as_str()), (0, ""), "{}", result.command);
    }
    check_nodes(&machine, &run[0].stdout);
    check_ranges(&machine, &run[1].stdout);
    assert_eq!(run[2].stdout.trim(), machine.cpu_count().to_string());
    if !machine.description().hmat.is_empty() {
        check_hmat(&machine, &run[0].stdout);
    }
}

#[test]
fn emulated_two_socket_shows_its_nodes() {
    check("two-socket");
}

#[test]
fn emulated_hbm_shows_nodes_without_cpus_and_the_hmat() {
    check("hbm");
}

#[test]
fn emulated_holes_shows_the_node_without_memory_and_the_hole_under_4_gib() {
    check("holes");
}

#[test]
fn emulated_eight_nodes_shows_its_distances() {
    check("eight-nodes");
}
