//! Which studies may be continued.

use numawise_facts::{Argument, GridStudy, InputTemplate, Metric, Reading, StudyHeader};
use numawise_record::{Difference, Record};
use numawise_units::Bytes;

use crate::sample;

fn changed(change: impl FnOnce(&mut StudyHeader)) -> Result<(), Difference> {
    let mut now = sample::header();
    change(&mut now);
    Record::same_study(&sample::header(), &now)
}

#[test]
fn what_changes_from_run_to_run_does_not_matter() {
    assert_eq!(changed(|_| ()), Ok(()));
    let unimportant = changed(|h| {
        h.tool_version = "9.9".to_owned();
        h.begun.0 += 1;
        h.seed = 3;
        h.budget.0 *= 2;
        h.min_repeats = 9;
        h.margin = 0.05;
        h.machine.nodes[0].free = Reading::Measured(Bytes(1));
        h.points[0]
            .placement
            .warnings
            .push(numawise_facts::notice::PlanNotice::BalancingWithoutPolicy.into());
        h.not_tried.clear();
        h.host.pid.0 += 1;
    });
    assert_eq!(unimportant, Ok(()));
}

#[test]
fn a_kernel_may_keep_more_memory_for_itself_but_a_node_of_another_size_is_another_machine() {
    let sized = |share: f64| {
        changed(|h| {
            let Reading::Measured(memory) = &mut h.machine.nodes[0].memory else {
                panic!("a node without memory")
            };
            memory.0 = (memory.0 as f64 * share) as u64;
        })
    };
    assert_eq!((sized(0.97), sized(1.03)), (Ok(()), Ok(())));
    for share in [0.5, 0.9, 2.0] {
        let difference = sized(share).unwrap_err().to_string();
        assert!(difference.contains("machine.nodes[0].memory"), "{difference}");
    }
}

#[test]
fn a_difference_is_shown_with_both_values() {
    type Change = Box<dyn FnOnce(&mut StudyHeader)>;
    let cases: Vec<(Change, &str, &str, &str)> = vec![
        (
            Box::new(|h| h.command.command[1] = "200".into()),
            "command",
            r"./app 'it'\''s; rm -rf $HOME' {threads}",
            "./app 200 {threads}",
        ),
        (
            Box::new(|h| h.command.directory = "/home/user/run 2".into()),
            "directory",
            "\"/home/user/run 1\"",
            "\"/home/user/run 2\"",
        ),
        (
            Box::new(|h| h.metric = Metric::Output { regex: "t=(.*)".to_owned(), higher_is_better: false }),
            "metric",
            "wall time",
            "'t=(.*)' in the output, lower is better",
        ),
        (
            Box::new(|h| {
                let (file, regex) = ("out.{task}".into(), None);
                h.metric = Metric::File { file, regex, higher_is_better: true };
            }),
            "metric",
            "wall time",
            "the number in out.{task}, higher is better",
        ),
        (Box::new(|h| h.machine.allowed_cpus = sample::cpus("0-2")), "machine.allowed_cpus", "0-3", "0-2"),
        (
            Box::new(|h| h.machine.nodes[1].memory = Reading::unavailable("hidden")),
            "machine.nodes[1].memory",
            "4294967296",
            "{\"unavailable\":\"hidden\"}",
        ),
        (
            Box::new(|h| {
                h.machine.nodes.pop();
            }),
            "machine.nodes",
            "2 entries",
            "1 entries",
        ),
        (Box::new(|h| h.points.truncate(1)), "points", "os, interleave", "os"),
        (Box::new(|h| h.pairs.clear()), "pairs", "os -> interleave", ""),
        (
            Box::new(|h| h.points[1].placement.tasks[0].memory.nodes = "0".parse().unwrap()),
            "points.interleave.placement.tasks[0].memory.nodes",
            "0-1",
            "0",
        ),
    ];
    for (change, what, recorded, now) in cases {
        let difference = changed(change).expect_err(what);
        let item = &difference.items[0];
        assert_eq!((item.what.as_str(), item.recorded.as_str(), item.now.as_str()), (what, recorded, now));
        let text = difference.to_string();
        assert!(
            text.contains(&format!("recorded: {recorded}\n")) && text.contains(&format!("now:      {now}"))
        );
    }
}

#[test]
fn bytes_that_look_alike_are_told_apart() {
    use std::os::unix::ffi::OsStringExt;
    let argument = |byte| Argument(std::ffi::OsString::from_vec(vec![byte]));
    let (mut old, mut new) = (sample::header(), sample::header());
    old.command.command[1] = argument(0xfe);
    new.command.command[1] = argument(0xff);
    let difference = Record::same_study(&old, &new).unwrap_err();
    assert_ne!(difference.items[0].recorded, difference.items[0].now);
}

#[test]
fn another_machine_does_not_fill_the_screen() {
    let difference = changed(|h| {
        for cpu in &mut h.machine.cpus {
            cpu.core += 10;
            cpu.smt += 1;
        }
    })
    .unwrap_err();
    assert_eq!(difference.items.len(), 7);
    assert_eq!(difference.items[6].what, "machine: 2 more");
}

#[test]
fn an_input_file_that_changed_is_shown_by_its_first_line_that_differs() {
    let with = |files: &[(&str, &str)]| {
        let templates = files
            .iter()
            .map(|(file, text)| InputTemplate { file: (*file).to_owned(), text: (*text).to_owned() })
            .collect();
        let grid = GridStudy { factors: vec![], runs: vec![], templates, ..GridStudy::default() };
        StudyHeader { grid: Some(grid), ..sample::header() }
    };
    let differs = |one: &[(&str, &str)], other: &[(&str, &str)]| {
        let difference = Record::widens(&with(one), &with(other)).unwrap_err();
        let item = &difference.items[0];
        (item.what.clone(), item.recorded.clone(), item.now.clone())
    };
    let of = |what: &str, recorded: &str, now: &str| (what.to_owned(), recorded.to_owned(), now.to_owned());
    let old = [("a.nml", "n = {n}\ndt = 0.1\n")];
    assert_eq!(Record::widens(&with(&old), &with(&old)), Ok(()));
    assert_eq!(
        differs(&old, &[("a.nml", "n = {n}\ndt = 0.2\n")]),
        of("template a.nml, line 2", "dt = 0.1", "dt = 0.2")
    );
    assert_eq!(
        differs(&old, &[("a.nml", "n = {n}\n")]),
        of("template a.nml, line 2", "dt = 0.1", "the end of the file")
    );
    assert_eq!(differs(&old, &[]), of("template a.nml", "an input file", "nothing"));
    assert_eq!(
        differs(&old, &[("a.nml", "n = {n}\ndt = 0.1")]),
        of("template a.nml, line 3", "17 bytes", "16 bytes, and not the same")
    );
}
