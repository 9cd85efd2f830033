use numawise_facts::notice::{MovedTask, NamedTask, ResidencyNotice, ResidencyPart};
use numawise_facts::{PageUse, Reading, Reason};
use numawise_tables::Residency;
use numawise_units::{Nanoseconds, Pid};
use serde_json::Value;

use super::sample::*;
use super::*;

/// How the terminal is.
#[derive(Clone, Copy)]
struct Style {
    width: usize,
    colour: bool,
    every_thread: bool,
}

impl Style {
    fn plain() -> Self {
        Style { width: 80, colour: false, every_thread: false }
    }
}

fn text(residency: &Residency, style: &Style) -> String {
    let Style { width, colour, every_thread } = *style;
    let document = document(residency, ResidencyDetail { width, every_thread });
    crate::document::terminal(&document, crate::document::Style { width, colour, unicode: true })
}

fn plain(residency: &Residency) -> String {
    text(residency, &Style::plain())
}

fn threads(
    n: i32,
    name: impl Fn(i32) -> String,
    mask: impl Fn(i32) -> String,
) -> Vec<numawise_tables::ThreadResidency> {
    (0..n)
        .map(|k| {
            let mask = mask(k);
            let cpu = mask.split(['-', ',']).next().unwrap().parse().unwrap();
            thread(5000 + k, &name(k), cpu, &mask, 0.5)
        })
        .collect()
}

/// The lines of the thread table of one process.
fn thread_lines(residency: &Residency, every_thread: bool) -> Vec<String> {
    let text = text(residency, &Style { every_thread, ..Style::plain() });
    let lines = text.lines().skip_while(|line| !line.trim_start().starts_with("TID")).skip(1);
    lines.take_while(|line| !line.starts_with("  CPU %")).map(|line| line[2..].to_owned()).collect()
}

#[test]
fn two_ranks_on_a_page() {
    insta::assert_snapshot!("two-ranks", plain(&two_ranks()));
}

#[test]
fn many_processes_are_shown_together() {
    let one = |k: i32| {
        let cpu = k as u32;
        task(100 + k, Some(cpu), vec![thread(100 + k, "app", cpu, &cpu.to_string(), 1.0)], table(&[10, 20]))
    };
    let shown = plain(&job((0..7).map(one).collect(), 2));
    assert!(shown.contains("\n  PID  TID  name  state  CPU  node  may run on"), "{shown}");
    assert!(shown.contains("\n  heap      70.00  140.00  210.00\n"), "{shown}");
    assert!(shown.contains("\n  rank 6, app (106)   11.21   20.00  31.21\n"), "{shown}");
    assert!(!shown.contains("policy  "), "{shown}");
}

#[test]
fn threads_that_are_alike_share_a_line() {
    let only = |threads| job(vec![task(5000, None, threads, table(&[1, 0]))], 2);
    // Few: each has its line.
    let few = only(threads(16, |_| "app".to_owned(), |_| "0-3".to_owned()));
    assert_eq!(thread_lines(&few, false).len(), 16);
    // The same name and mask.
    let same = only(threads(1000, |_| "app".to_owned(), |k| format!("{}-{}", k % 2 * 4, k % 2 * 4 + 3)));
    let lines = thread_lines(&same, false);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("500 of  app ") && lines[0].contains(" 0-3 "), "{lines:?}");
    assert!(lines[0].contains("25000.0"), "half of a CPU each: {lines:?}");
    // Numbered names, each pinned on a CPU of its own.
    let pinned = only(threads(64, |k| format!("worker-{k}"), |k| (k % 8).to_string()));
    let lines = thread_lines(&pinned, false);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("worker-*") && lines[0].contains("1 CPU each"), "{lines:?}");
    // As many names as threads.
    let unlike = only(threads(
        1000,
        |k| format!("x{}y", char::from_u32(0x4e00 + k as u32).unwrap()),
        |_| "0".to_owned(),
    ));
    let lines = thread_lines(&unlike, false);
    assert_eq!(lines.len(), 16);
    assert!(lines[15].contains("985 of") && lines[15].contains("(others)"), "{lines:?}");
    assert_eq!(thread_lines(&unlike, true).len(), 1000);
}

#[test]
fn many_nodes_fold() {
    let mut heap = vec![0; 128];
    let one = |heap: &[u64]| {
        plain(&job(vec![task(7, None, vec![thread(7, "app", 0, "0", 1.0)], table(heap))], 128))
    };
    (heap[0], heap[99]) = (5, 7);
    let shown = one(&heap);
    assert!(shown.contains("On 126 of 128 nodes is nothing."), "{shown}");
    assert!(
        shown.contains("\n  node 99  0.00   7.00   0.00     0.00  0.00    0.00   7.00     0.0 %\n"),
        "{shown}"
    );
    assert!(shown.contains("126 of 128 nodes have none of it."), "{shown}");
    // A node where it runs is shown, with pages or without.
    heap[1] = 0;
    let mut elsewhere = job(vec![task(7, None, vec![thread(7, "app", 5, "5", 1.0)], table(&heap))], 128);
    elsewhere.nodes[1].cpus = true;
    assert!(plain(&elsewhere).contains("\n  node 1 "), "{}", plain(&elsewhere));

    heap.iter_mut().for_each(|mib| *mib = 3);
    let shown = one(&heap);
    assert!(shown.contains("There is less on 116 more nodes."), "{shown}");
    assert_eq!(
        shown.lines().filter(|line| line.starts_with("  node ")).count(),
        129,
        "a line for each, and titles"
    );
}

#[test]
fn many_processes_on_many_nodes_stay_on_the_screen() {
    let one = |k: i32| task(100 + k, None, vec![thread(100 + k, "app", 0, "0", 1.0)], table(&[200; 24]));
    let shown = plain(&job((0..6).map(one).collect(), 24));
    for line in shown.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(shown.contains("4801.21"), "the total of a row is there: {shown}");
}

#[test]
fn one_node_needs_no_table_of_nodes() {
    let shown = plain(&job(vec![task(7, None, vec![thread(7, "app", 0, "0-3", 1.0)], table(&[5]))], 1));
    assert!(!shown.contains("node  kind"), "{shown}");
    assert!(shown.contains("\n  MiB        node 0  total\n"), "{shown}");
    assert!(!shown.contains("rank"), "{shown}");
}

#[test]
fn what_is_missing_is_a_question_mark_and_a_reason() {
    let mut blind = task(7, None, vec![], table(&[5, 5]));
    blind.threads = Reading::unavailable("not permitted");
    blind.memory = Reading::unavailable("numa_maps is missing");
    blind.busy = Reading::unavailable("not permitted");
    blind.local = Reading::unavailable("not permitted");
    blind.remote = Reading::unavailable("not permitted");
    blind.time_by_node = Reading::unavailable("not permitted");
    let mut all = job(vec![blind], 2);
    all.job.busy = Reading::unavailable("not permitted");
    all.job.total = Reading::unavailable("numa_maps is missing");
    all.job.memory = Reading::unavailable("numa_maps is missing");
    for node in &mut all.job.by_node {
        node.busy = Reading::unavailable("not permitted");
        node.memory = Reading::unavailable("numa_maps is missing");
    }
    all.notes = vec![ResidencyNotice::Unavailable {
        part: ResidencyPart::Threads,
        tasks: vec![],
        reason: Reason("not permitted".into()),
    }];
    let shown = plain(&all);
    let begin = "1 process, an unknown number of threads, ? CPUs busy, ? of memory; ";
    assert!(shown.starts_with(begin), "{shown}");
    assert!(shown.contains("\n    7  app         ?     ?       ?        ?       ?       ?\n"), "{shown}");
    assert!(shown.contains("Its threads: unavailable (not permitted)."), "{shown}");
    assert!(shown.contains("Its memory: unavailable (numa_maps is missing)."), "{shown}");
    assert!(shown.ends_with("What could not be seen\n  - threads: not permitted\n"), "{shown}");
    let json = json(&all);
    assert_eq!(json["tasks"][0]["threads"]["unavailable"], "not permitted");
    assert_eq!(json["job"]["total_bytes"]["unavailable"], "numa_maps is missing");
    let csv = csv(&all);
    assert!(csv.contains(",7,,app,,,,,cpu_share,,CPUs,not permitted\n"), "{csv}");
    assert!(csv.contains(",7,,app,,,,,memory,,bytes,numa_maps is missing\n"), "{csv}");
    assert!(!csv.contains(",0,"), "nothing missing became a zero: {csv}");
}

#[test]
fn sums_say_what_is_not_in_them() {
    let blind = |threads: &[u32], memory: &[u32]| {
        let mut tasks = vec![];
        for pid in 1..=3 {
            let mut task = task(pid, None, vec![], table(&[5, 5]));
            if threads.contains(&(pid as u32)) {
                task.threads = Reading::unavailable("not permitted");
            }
            if memory.contains(&(pid as u32)) {
                task.memory = Reading::unavailable("not permitted");
            }
            tasks.push(task);
        }
        job(tasks, 2)
    };
    let said = |all: &Residency| {
        let words: Vec<String> = plain(all).split_whitespace().map(str::to_owned).collect();
        words.join(" ")
    };
    assert!(!said(&blind(&[], &[])).contains("Not in these sums"));
    assert!(!said(&blind(&[1, 2, 3], &[1, 2, 3])).contains("Not in these sums"), "there are no sums then");
    let some = blind(&[2], &[1, 3]);
    let expected =
        "Not in these sums, since it could not be read: the threads of 1 process, the memory of 2 processes.";
    assert!(said(&some).contains(expected), "{}", said(&some));
    assert_eq!(json(&some)["job"]["left_out"], serde_json::json!({ "threads": 1, "memory": 2 }));
}

#[test]
fn no_process_is_a_line() {
    let mut none = job(vec![], 2);
    none.job.busy = Reading::unavailable("there are no processes to sample");
    none.job.total = Reading::unavailable("there are no processes to sample");
    assert_eq!(plain(&none), "0 processes, 0 threads, ? CPUs busy, ? of memory; 2023-11-14 22:13:20 UTC\n");
    assert_eq!(csv(&none), format!("{HEADER}\n"));
    assert_eq!(json(&none)["tasks"], Value::Array(vec![]));
}

/// Names that clear the screen, ring, break lines and cells, and turn the writing round.
fn hostile() -> Residency {
    let evil = "\u{1b}[2J\u{7}a\n,\"\r\t\u{9b}1m\u{202e}\u{200b}b";
    let mut all = two_ranks();
    for task in &mut all.tasks {
        task.name = evil.to_owned();
        task.command = Reading::Measured(evil.to_owned());
        if let Reading::Measured(threads) = &mut task.threads {
            threads.iter_mut().for_each(|thread| {
                thread.name = evil.to_owned();
                thread.state = '\u{1b}';
            });
        }
        if let Reading::Measured(memory) = &mut task.memory {
            memory.policies.iter_mut().for_each(|share| share.policy = evil.to_owned());
            for mapping in &mut memory.largest {
                mapping.policy = evil.to_owned();
                mapping.file = Some(evil.to_owned());
            }
        }
    }
    let evil_task = NamedTask { pid: Pid(1234), name: evil.to_owned(), rank: None };
    all.job.remarks = vec![ResidencyNotice::ManyMigrations {
        tasks: vec![MovedTask { task: evil_task, moves: 50 }],
        span: Nanoseconds::from_seconds(1.0),
    }];
    all.notes = vec![ResidencyNotice::Unavailable {
        part: ResidencyPart::Memory,
        tasks: vec![],
        reason: Reason(evil.into()),
    }];
    all
}

#[test]
fn names_do_not_steer_the_terminal() {
    for every_thread in [false, true] {
        let shown = text(&hostile(), &Style { every_thread, ..Style::plain() });
        let bad =
            shown.chars().find(|c| *c != '\n' && (c.is_control() || matches!(c, '\u{202e}' | '\u{200b}')));
        assert_eq!(bad, None);
        assert!(shown.contains(r"\x1b[2J\x07a\n"), "{shown}");
    }
    assert!(json(&hostile()).to_string().contains(r"\u001b[2J\u0007a\n"), "JSON escapes by itself");
}

/// The cells of a line as RFC 4180 has them.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut inside) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' if inside && letters.peek() == Some(&'"') => cells.last_mut().unwrap().extend(letters.next()),
            '"' => inside = !inside,
            ',' if !inside => cells.push(String::new()),
            c => cells.last_mut().unwrap().push(c),
        }
    }
    cells
}

#[test]
fn every_row_of_the_csv_has_every_column_and_a_value_or_a_reason() {
    let columns = HEADER.split(',').count();
    for all in [two_ranks(), hostile()] {
        let csv = csv(&all);
        let mut lines = csv.lines();
        assert_eq!(lines.next(), Some(HEADER));
        for line in lines {
            let cells = cells(line);
            assert_eq!(cells.len(), columns, "{line}");
            assert_eq!(cells[0], "2023-11-14T22:13:20.123Z");
            let is_number = cells[9].parse::<f64>().is_ok_and(f64::is_finite);
            assert!(is_number != (cells[9].is_empty() && !cells[11].is_empty()), "{line}");
        }
        assert_eq!(rows(&all).lines().count() + 1, csv.lines().count());
    }
    let csv = csv(&two_ranks());
    assert!(csv.contains(",1234,0,app,1234,app,,0,cpu_share,0.995000,CPUs,\n"), "{csv}");
    assert!(csv.contains(",1234,0,app,,,heap,1,memory,314572800,bytes,\n"), "{csv}");
    assert!(
        csv.contains(",2234,1,app,,,,1,memory_total,0,bytes,\n"),
        "none is a zero where it was read: {csv}"
    );
    assert!(csv.contains(",2234,app,,0,migrations,,count,the kernel keeps no count\n"), "{csv}");
}

/// Every key of every object, but numbers of nodes.
fn keys(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| keys(one, found)),
        Value::Object(members) => {
            for (key, member) in members {
                if key.parse::<u32>().is_err() && !found.contains(key) {
                    found.push(key.clone());
                }
                keys(member, found);
            }
        }
        _ => {}
    }
}

#[test]
fn the_json_is_as_documented() {
    let document = include_str!("../../../docs/formats/where-json.md");
    let all = two_ranks();
    let json = json(&all);
    assert_eq!(json["schema"], SCHEMA);
    let mut found = Vec::new();
    keys(&json, &mut found);
    assert!(found.len() > 60, "{found:?}");
    for key in found {
        assert!(document.contains(&format!("`{key}`")) || document.contains(&format!("\"{key}\"")), "{key}");
    }
    for word in HEADER.split(',').chain(["busy", "local_at_most", "cpu_time", "memory_total"]) {
        assert!(document.contains(&format!("`{word}`")), "{word}");
    }
    for used_for in PageUse::ALL {
        assert!(document.contains(&format!("`{used_for}`")), "{used_for}");
    }
    let task = &json["tasks"][0];
    assert_eq!(task["memory"]["by_node_bytes"]["1"], 300 << 20);
    assert_eq!(task["memory"]["uses"][1]["use"], "heap");
    assert_eq!(task["threads"][0]["cpu_share"], 0.995);
    assert_eq!(task["memory"]["largest"][0]["address"], "0x555555550000");
    assert_eq!(json["tasks"][1]["remote"][0]["distance"], 2.1);
    assert_eq!(json["span"]["span_ns"], 1_000_000_000);
}

#[test]
fn colours_are_asked_for() {
    let colour = text(&two_ranks(), &Style { colour: true, ..Style::plain() });
    assert!(colour.contains("\u{1b}[1mWhat stands out\u{1b}[0m"), "{colour}");
    assert!(!plain(&two_ranks()).contains('\u{1b}'));
}

#[test]
fn a_narrow_terminal_loses_columns_and_not_figures() {
    let mut all = two_ranks();
    all.tasks[0].name = "a-name-of-15-by".to_owned();
    let shown = text(&all, &Style { width: 60, ..Style::plain() });
    let title = shown.lines().find(|line| line.contains("PID")).unwrap();
    assert!(title.contains("local %") && title.contains("remote") && !title.contains("even %"), "{title}");
    assert!(text(&all, &Style { width: 0, ..Style::plain() }) == shown, "narrower than 60 is 60");
}

#[test]
fn sums_of_unknown_and_known_shares_are_of_the_known() {
    let mut threads = threads(20, |_| "app".to_owned(), |_| "0".to_owned());
    threads[0].share = Reading::unavailable("it was not seen at the sample before");
    let all = job(vec![task(5000, None, threads, table(&[1]))], 1);
    assert!(thread_lines(&all, false)[0].contains(" 950.0 "), "half of a CPU each for 19 of 20");
}

#[test]
fn what_was_seen_on_an_emulated_machine_says_so() {
    let notice = numawise_facts::notice::MachineNotice::Rehearsed {
        machine: "dual.xml".to_owned(),
        slowdown: 1000.0,
        differences: Vec::new(),
        file: "/run/rehearsal.json".to_owned(),
    };
    let seen = Residency { rehearsal: Some(notice.into()), ..two_ranks() };
    assert_eq!(json(&seen)["rehearsal"]["code"], "NW220");
    assert_eq!(json(&two_ranks())["rehearsal"], Value::Null);
}
