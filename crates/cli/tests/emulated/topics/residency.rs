//! `numawise where` beside `numastat -p` and move_pages, page by page, on memory that lies where we want it.

use std::collections::BTreeMap;

use serde_json::Value;
use testbed::CommandResult;

use crate::json;
use crate::probe::{Line, lines};
use crate::shared::Topic;

pub const WHERE: &str = "where";
pub const MOVED: &str = "moved";
pub const PLACED: &str = "placed";

const PAGE: u64 = 4096;

/// Bytes by node, without nodes that have none.
fn by_node(value: &Value) -> BTreeMap<u64, u64> {
    let all = value.as_object().unwrap_or_else(|| panic!("{value}"));
    all.iter()
        .map(|(node, bytes)| (node.parse().unwrap(), bytes.as_u64().unwrap()))
        .filter(|(_, b)| *b > 0)
        .collect()
}

fn bytes(line: &Line) -> BTreeMap<u64, u64> {
    line.pages().into_iter().map(|(node, pages)| (node, pages * PAGE)).collect()
}

/// The rows of `numastat -p`, in MiB by node.
fn numastat(result: &CommandResult) -> BTreeMap<String, Vec<f64>> {
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?.to_owned();
        let numbers: Option<Vec<f64>> = words.map(|word| word.parse().ok()).collect();
        Some((name, numbers.filter(|numbers| numbers.len() > 1)?))
    };
    result.stdout.lines().filter_map(row).collect()
}

/// Starts a program that holds these regions, and waits until it has touched them.
fn holds(regions: &str) -> String {
    format!(
        ": > held; place_probe hold {regions} >> held & echo $! > pid; while [ $(wc -l < held) -lt {} ]; do sleep 0.1; done; cat held",
        regions.split(' ').count()
    )
}

const END: &str = "kill $(cat pid)";

/// What is asked of it while it sleeps; `prepare` goes before, `after` behind.
pub fn looked_at(prepare: &str, regions: &str, after: &str) -> Topic {
    let commands = [
        format!("{prepare}{}", holds(regions)),
        "numawise where --json --mappings 100 $(cat pid)".to_owned(),
        "place_probe pages $(cat pid)".to_owned(),
        "numastat -p $(cat pid)".to_owned(),
        "numawise where --json --mappings 100 $(cat pid)".to_owned(),
        "grep -h nr_migrations /proc/$(cat pid)/task/*/sched".to_owned(),
        format!("{END}{after}"),
    ];
    Topic::new(WHERE, commands)
}

/// `numawise where` says what numastat, move_pages and the scheduler do.
pub fn agrees(run: &[CommandResult]) {
    let told = json(&run[1]);
    let task = &told["tasks"][0];
    let memory = &task["memory"];
    let truth = lines_with_all(&run[2]);

    // Node by node, and mapping by mapping.
    assert_eq!(
        by_node(&memory["by_node_bytes"]),
        bytes(truth.last().unwrap()),
        "{memory}\n{}",
        run[2].stdout
    );
    let mappings: BTreeMap<&str, &Line> =
        truth[..truth.len() - 1].iter().map(|line| (line.text("mapping"), line)).collect();
    let largest = memory["largest"].as_array().unwrap();
    assert!(!largest.is_empty(), "{memory}");
    for mapping in largest {
        let address = mapping["address"].as_str().unwrap().trim_start_matches("0x");
        assert_eq!(by_node(&mapping["by_node_bytes"]), bytes(mappings[address]), "{mapping}");
    }
    // What the program itself was told by the kernel of the regions that it bound, under their policies.
    let resident = |region: &Line| bytes(region).values().sum::<u64>();
    for region in lines(&run[0]) {
        let found = largest
            .iter()
            .find(|m| m["address"].as_str().unwrap().trim_start_matches("0x") == region.text("region"));
        let found = found.unwrap_or_else(|| panic!("{region:?} is not among {largest:?}"));
        assert_eq!(found["resident_bytes"], resident(&region), "{region:?}");
        assert_eq!(by_node(&found["by_node_bytes"]), bytes(&region));
        // The kernel says `prefer:0` for preferred.
        let policy = found["policy"].as_str().unwrap().split(':').next().unwrap();
        assert!(region.text("policy").starts_with(policy), "{found}");
    }
    beside_numastat(memory, &run[3]);

    // It slept all the while: another look says the same, and migrations are those that the scheduler counts.
    assert_eq!(json(&run[4])["tasks"][0]["memory"], *memory);
    let counted: u64 = run[5].stdout.split(':').nth(1).unwrap().trim().parse().unwrap();
    assert_eq!(task["threads"][0]["migrations"], counted, "{}", run[5].stdout);
}

/// The last line of `place_probe pages` begins with a word without a value.
fn lines_with_all(result: &CommandResult) -> Vec<Line> {
    let named =
        CommandResult { stdout: result.stdout.replace("all pages=", "mapping=all pages="), ..result.clone() };
    lines(&named)
}

fn beside_numastat(memory: &Value, numastat_says: &CommandResult) {
    let theirs = numastat(numastat_says);
    let ours = |names: &[&str]| {
        let uses =
            memory["uses"].as_array().unwrap().iter().filter(|u| names.contains(&u["use"].as_str().unwrap()));
        let mut sums: BTreeMap<u64, u64> = BTreeMap::new();
        for (node, bytes) in uses.flat_map(|of| by_node(&of["by_node_bytes"])) {
            *sums.entry(node).or_default() += bytes;
        }
        sums
    };
    for (row, uses) in [
        ("Huge", &["huge"][..]),
        ("Heap", &["heap"]),
        ("Stack", &["stack"]),
        ("Private", &["private", "file", "shared"]),
    ] {
        let sums = ours(uses);
        let numbers = &theirs[row];
        // The last column is the sum.
        for (node, mib) in numbers[..numbers.len() - 1].iter().enumerate() {
            let bytes = sums.get(&(node as u64)).copied().unwrap_or(0) as f64;
            let difference = (bytes / f64::from(1 << 20) - mib).abs();
            assert!(
                difference < 0.006,
                "{row}, node {node}: {bytes} bytes, {mib} MiB\n{}",
                numastat_says.stdout
            );
        }
    }
}

pub fn moved() -> Topic {
    let commands = [
        holds("20:bind:1 3:default:0"),
        "numawise move $(cat pid) 0 1 --json".to_owned(),
        "place_probe pages $(cat pid)".to_owned(),
        "numawise move $(cat pid) 1 0".to_owned(),
        "place_probe pages $(cat pid)".to_owned(),
        END.to_owned(),
    ];
    Topic::new(MOVED, commands)
}

/// The memory of a running process goes to another node, and back.
pub fn goes_to_another_node_and_back(run: &[CommandResult]) {
    let told = &json(&run[1])["processes"][0];
    // 20 MiB were bound to node 0; the program's own pages go along, since it is root who asks.
    let moved = told["moved_bytes"].as_u64().unwrap();
    assert!(moved >= 20 << 20, "{told}");
    assert_eq!((&told["unmoved_pages"], &told["takes_shared"]), (&0.into(), &true.into()), "{told}");
    let (seconds, rate) = (told["seconds"].as_f64().unwrap(), told["bytes_per_second"].as_f64().unwrap());
    assert!((rate * seconds / moved as f64 - 1.0).abs() < 1e-6 && seconds > 1e-4, "{told}");
    let sum = |rows: &Value, node: u64| -> u64 {
        let on = rows.as_array().unwrap().iter().filter(|row| row["node"] == node);
        on.map(|row| row["bytes"].as_u64().unwrap()).sum()
    };
    assert_eq!(sum(&told["after"], 1) - sum(&told["before"], 1), moved);
    // As the kernel has it, page by page.
    let pages = |result: &CommandResult| bytes(lines_with_all(result).last().unwrap());
    assert_eq!(pages(&run[2])[&1], sum(&told["after"], 1), "{}", run[2].stdout);
    assert!(run[3].stdout.contains("Moved ") || run[3].stdout.contains("MOVED "), "{}", run[3].stdout);
    assert!(pages(&run[4]).get(&0).is_some_and(|back| *back >= 20 << 20), "{}", run[4].stdout);
}

pub fn placed() -> Topic {
    let mask = "sed -n 's/^Cpus_allowed_list:.//p' /proc/$(cat pid)/status";
    let commands = [
        holds("20:bind:1 3:default:0"),
        format!("{mask}; cat /sys/devices/system/node/node1/cpulist"),
        "numawise place $(cat pid) -N 1 > shown; cat shown".to_owned(),
        mask.to_owned(),
        "$(grep '^ *numawise move ' shown)".to_owned(),
        "place_probe pages $(cat pid)".to_owned(),
        "numawise place $(cat pid) -N 1".to_owned(),
        END.to_owned(),
    ];
    Topic::new(PLACED, commands)
}

/// A running process goes to another node, and its memory by the line that is shown.
pub fn goes_to_another_node_and_its_memory_by_the_line_that_is_shown(run: &[CommandResult]) {
    let (before, node_1) = run[1].stdout.trim().split_once('\n').unwrap();
    assert_ne!(before, node_1, "it may run everywhere at first");
    let shown = run[2].stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("left out) are on node 0, its CPUs on node 1"), "{}", run[2].stdout);
    assert_eq!(run[3].stdout.trim(), node_1, "{}", run[2].stdout);
    assert_eq!(run[4].status, 0, "{}\n{}", run[2].stdout, run[4].stdout);
    let pages = bytes(lines_with_all(&run[5]).last().unwrap());
    assert!(pages.get(&1).is_some_and(|there| *there >= 20 << 20), "{}", run[5].stdout);
    assert!(!run[6].stdout.contains("numawise move"), "nothing is left to move: {}", run[6].stdout);
}
