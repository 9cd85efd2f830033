//! The machine as a page draws it: what stands in the cells, that the table says the same, and that it stays small.

use crate::sample::build;
use numawise_facts::{
    Machine, MemoryMode, MemoryPlan, Package, Placement, Strategy, TaskPlacement, ThreadBinding,
};
use numawise_report::document::{Document, html};
use numawise_report::{machine, plan};
use numawise_units::{CpuId, CpuSet, TaskId};

fn set(list: &str) -> CpuSet {
    list.parse().unwrap()
}

/// Tasks with their threads, each on the CPUs that it may use, memory interleaved over nodes 0 and 1.
fn placed(binding: ThreadBinding, tasks: &[&[&str]]) -> Placement {
    let task = |(k, threads): (usize, &&[&str])| {
        let threads: Vec<CpuSet> = threads.iter().map(|cpus| set(cpus)).collect();
        TaskPlacement {
            task: TaskId(k as u32),
            cpus: threads.iter().fold(CpuSet::new(), |all, cpus| all.union(cpus)),
            threads,
            memory: MemoryPlan::new(MemoryMode::Interleave, "0-1".parse().unwrap()),
            gpus: Vec::new(),
        }
    };
    let tasks = tasks.iter().enumerate().map(task).collect();
    Placement { strategy: Strategy::Local, binding, tasks, warnings: vec![] }
}

fn page(machine: &Machine, placement: &Placement) -> String {
    let view = plan::View {
        machine,
        placement,
        command: "./app",
        environment: &[],
        commands: &[],
        inputs: &[],
        notes: &[],
        ours: None,
    };
    page_of(&plan::page(&view, &numawise_analyse::picture(machine, Some(placement))))
}

/// The section in which the machine is drawn.
fn page_of(document: &Document) -> String {
    let page = html(document);
    let (_, rest) = page.split_once("<section id=\"machine\">").expect("the machine is drawn");
    rest.split_once("</section>").expect("the section ends").0.to_owned()
}

/// The texts of the cells, with their classes.
fn cells(drawn: &str) -> Vec<String> {
    let (_, cells) = drawn.split_once("<div class=\"boxes").unwrap();
    let cells = cells.split("<strong ").skip(1).filter(|cell| cell.contains("title=\"CPU "));
    let cell = |cell: &str| {
        let class = cell.strip_prefix("class=\"").and_then(|rest| rest.split('"').next()).unwrap_or("-");
        let text = cell.split_once('>').unwrap().1.split('<').next().unwrap();
        format!("{class}:{text}")
    };
    cells.map(cell).collect()
}

fn says(text: &str, expected: &[&str]) {
    for expected in expected {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn a_machine_has_its_cpus_by_number() {
    let machine = build::machine(2);
    let drawn = page_of(&machine::page(&machine, &numawise_analyse::picture(&machine, None), None));
    says(&drawn, &["role=\"img\"", "2 nodes with CPUs, 8 CPUs", "package 1", "node 1 <small>dram 16 GiB"]);
    assert_eq!(cells(&drawn), (0..8).map(|cpu| format!("-:{cpu}")).collect::<Vec<_>>());
    assert!(!drawn.contains("<table"), "the tables of the page say the same");
}

#[test]
fn threads_stand_in_their_cells_and_in_the_table() {
    let one = page(&build::machine(2), &placed(ThreadBinding::Pinned, &[&["0", "4"]]));
    assert_eq!(cells(&one), ["c0:0", "-:", "-:", "-:", "c0:1", "-:", "-:", "-:"]);
    says(&one, &["CPU 4, core 4: thread 1 of task 0", "task 0: 1 thread held", "task 0: interleave, 50.0 %"]);
    says(&one, &["the number of the thread that is held there"]);

    let two = page(&build::machine(2), &placed(ThreadBinding::Pinned, &[&["0", "1"], &["1", "4"]]));
    assert_eq!(cells(&two)[..5], ["c0:0.0", "m:2\u{d7}", "-:", "-:", "c1:1.1"]);
    says(&two, &["several tasks", "tasks 0-1: interleave, 50.0 %", "thread 1 of task 0, thread 0 of task 1"]);

    let free = page(&build::machine(2), &placed(ThreadBinding::Free, &[&["0-3"; 4]]));
    assert_eq!(cells(&free)[..5], ["c0:0", "c0:0", "c0:0", "c0:0", "-:"]);
    says(&free, &["threads of task 0 may move there", "task 0: threads may move there", "nobody"]);
}

#[test]
fn what_may_not_be_used_and_what_is_not_placed_is_said() {
    let mut machine = build::machine(2);
    machine.allowed_cpus = set("0-3");
    let drawn = page(&machine, &Placement::of_nothing());
    says(
        &drawn,
        &[
            "CPU 7, core 7: may not be used",
            "class=\"x\"",
            "Nothing is placed: threads run and memory lies where the operating system puts them.",
            "as the operating system chooses",
        ],
    );
}

/// Eight packages of 64 cores with two threads each.
#[test]
fn a_thousand_cpus_stay_small() {
    let mut large = build::machine(8);
    let cpu = large.cpus[0].clone();
    large.cpus = (0..1024)
        .map(|k| numawise_facts::Cpu {
            id: CpuId(k),
            node: Some(numawise_units::NodeId(k % 512 / 64)),
            package: Some(k % 512 / 64),
            core: k % 512,
            smt: k / 512,
            ..cpu.clone()
        })
        .collect();
    large.allowed_cpus = set("0-1023");
    let own = |k: u32| set(&format!("{}-{},{}-{}", 64 * k, 64 * k + 63, 512 + 64 * k, 512 + 64 * k + 63));
    large.packages = (0..8).map(|index| Package { index, cpus: own(index) }).collect();
    for node in &mut large.nodes {
        (node.cpus, node.near) = (own(node.id.0), own(node.id.0));
    }
    let names: Vec<String> = (0..1024).map(|cpu: u32| cpu.to_string()).collect();
    let tasks: Vec<Vec<&str>> =
        names.chunks(128).map(|part| part.iter().map(String::as_str).collect()).collect();
    let tasks: Vec<&[&str]> = tasks.iter().map(Vec::as_slice).collect();
    let drawn = page(&large, &placed(ThreadBinding::Pinned, &tasks));
    assert!(drawn.len() < 100_000, "{} bytes", drawn.len());
    assert!(drawn.contains("boxes dense"));
    assert_eq!(drawn.matches("class=\"c7\"").count(), 128 + 1, "its CPUs, and the key");
}
