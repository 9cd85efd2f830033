//! Memory objects of the ranks of a watched run, as people and scripts see them.

use crate::memory_objects::machines::two_sockets;
use crate::memory_objects::runs::{Done as _, Pattern, object, run};
use crate::watched;
use crate::watched::Watched;
use numawise_facts::notice::ObjectsNotice;
use numawise_facts::objects::{MemoryObject, ProcessRank};
use numawise_facts::{ObjectRun, Reading, WatchedRun};
use numawise_report::document::{self, Style};
use numawise_report::snapshot::{document, json, summary};
use numawise_units::{Bytes, Pid, Rank};
use serde_json::Value;

/// `u` of a process: allocated on node 0, used on node 0, or on node 1.
fn u(process: i32, user: u32, samples: f64) -> MemoryObject {
    let u = object("u", Bytes::mib(64)).lying(&[(0, 256)]).touched(&[(0, 2000)]);
    let u = u.used(&[(2 * user, samples)], Pattern::Everything, |_| Some(0));
    MemoryObject { process: Pid(process), ..u }
}

fn rest(process: i32, samples: f64) -> MemoryObject {
    let rest = object("rest", Bytes::mib(2)).lying(&[(0, 256)]).touched(&[(0, 2000)]);
    let rest = rest.used(&[(0, samples)], Pattern::Everything, |_| Some(0));
    MemoryObject { process: Pid(process), ..rest }
}

/// Ranks 0 to 2 use `u` on its node, with 60 to 64 % of their time, rank 3 from the other one.
fn followed() -> ObjectRun {
    let objects = [(0, 600.0), (0, 620.0), (0, 640.0), (1, 610.0)].into_iter().zip(100..);
    let objects = objects
        .flat_map(|((user, samples), process)| [u(process, user, samples), rest(process, 1000.0 - samples)]);
    let ranks = (0..4).map(|k| ProcessRank { process: Pid(100 + k), rank: Rank(k as u32) });
    ObjectRun { ranks: ranks.collect(), ..run(two_sockets(), objects.collect()) }
}

fn of(objects: Vec<ObjectRun>) -> Watched {
    Watched::of(WatchedRun { objects, ..watched::ranks(4, false) })
}

fn terminal(of: &Watched) -> [String; 2] {
    let style = Style { width: 200, ..Style::plain() };
    [document(&of.shown()), summary(&of.shown())].map(|document| document::terminal(&document, style))
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn ranks_that_do_the_same_share_a_line_and_findings_name_theirs() {
    let of = of(vec![followed()]);
    for text in terminal(&of) {
        let line = |begin: &str| {
            let found = text.lines().map(words).find(|line| line.starts_with(begin));
            found.unwrap_or_else(|| panic!("no {begin}: {text}"))
        };
        assert!(
            line("0-2 u ").starts_with("0-2 u 60 % to 64 % 64 MiB wave.cpp:41 (Grid::Grid) node 0 100 %")
        );
        assert!(
            line("3 u ").ends_with("node 0 100 % 100 % NW043")
                || line("3 u ").ends_with("node 1 100 % 100 % NW043"),
            "{}",
            line("3 u ")
        );
        assert!(
            words(&text).contains("NW043 used by one thread, which is on another node: u of rank 3"),
            "{text}"
        );
        assert!(!line("0-2 u ").contains("NW043"), "no other rank has it");
        assert!(text.contains("following them cost 1.50 % of the program's CPU time"), "{text}");
    }
    let [full, _] = terminal(&of);
    assert!(full.contains("Objects of ranks 0-2, as they are on rank 0"), "{full}");
    assert!(full.contains("Objects of rank 3") && full.contains("object u of rank 3, 64 MiB"), "{full}");
    let page = document::html(&document(&of.shown()));
    for expected in ["Memory objects", "Objects of rank 3", "grid.cpp:17", ">0-2<"] {
        assert!(page.contains(expected), "{expected}");
    }
}

#[test]
fn scripts_get_each_group_with_the_least_and_the_most_of_its_ranks() {
    let value: Value = serde_json::from_str(&json(&of(vec![followed()]).shown())).unwrap();
    let groups = value["objects"]["groups"].as_array().unwrap();
    let ranks: Vec<&str> = groups.iter().map(|group| group["ranks"].as_str().unwrap()).collect();
    assert_eq!(ranks, ["0-2", "3"]);
    let u = &groups[0]["objects"][0];
    assert_eq!((&u["name"], &u["rank"]), (&Value::from("u"), &Value::from(0)));
    assert_eq!(u["share_of_ranks"]["least"], serde_json::json!({ "rank": 0, "share": 0.6 }));
    assert_eq!(u["share_of_ranks"]["most"], serde_json::json!({ "rank": 2, "share": 0.64 }));
    assert_eq!(u["memory_time_share_of_all"]["value"], 0.62);
    assert_eq!(groups[0]["findings"], serde_json::json!([]));
    assert_eq!(groups[1]["findings"][0]["id"], "NW043");
    assert_eq!(value["objects"]["cost_percent"], 1.5);
    // The page of the format has a word for each field.
    let page = include_str!("../../../../docs/formats/snapshot-json.md");
    let row = |of: &str| page.lines().find(|line| line.starts_with(of)).unwrap_or_else(|| panic!("no {of}"));
    let fields = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<String>>();
    for (name, value) in [("| `objects` |", &value["objects"]), ("| `objects.groups[]` |", &groups[0])] {
        for field in fields(value) {
            assert!(
                row(name).contains(&format!("`{field}`")) || row(name).contains(&format!("`{field}[]`")),
                "{name} {field}"
            );
        }
    }
}

#[test]
fn what_is_not_known_says_why_and_nothing_is_said_where_nothing_was_followed() {
    let without = of(Vec::new());
    for text in terminal(&without) {
        assert!(!text.contains("Memory objects") && !text.contains("following them"), "{text}");
    }
    let value: Value = serde_json::from_str(&json(&without.shown())).unwrap();
    assert_eq!(value["objects"], Value::Null);
    let mut few = followed();
    few.objects.iter_mut().flat_map(|object| &mut object.uses).for_each(|of| of.samples /= 100.0);
    few.watching.cost = Reading::unavailable("a sample could not be measured");
    few.header.notices = vec![ObjectsNotice::NothingLogged.into(); 2];
    for text in terminal(&of(vec![few.clone(), few.clone()])) {
        let text = words(&text);
        assert!(text.contains("Ranks 0-3: only 80 samples show which memory was waited for"), "{text}");
        assert!(text.contains("a sample could not be measured"), "{text}");
    }
    let [full, _] = terminal(&of(vec![few.clone(), few]));
    assert_eq!(full.matches("no process of the program had the library").count(), 1, "{full}");
}

#[test]
fn of_very_many_groups_a_terminal_shows_some_and_says_so() {
    let objects = (0..200).flat_map(|k| {
        let one = MemoryObject { name: Reading::Measured(format!("u{k}")), ..u(1000 + k, 0, 700.0) };
        [one, rest(1000 + k, 300.0)]
    });
    let ranks = (0..200).map(|k| ProcessRank { process: Pid(1000 + k), rank: Rank(k as u32) }).collect();
    let of = of(vec![ObjectRun { ranks, ..run(two_sockets(), objects.collect()) }]);
    let [full, short] = terminal(&of);
    assert!(full.contains("192 groups more of ranks that differ"), "{full}");
    assert!(
        full.lines().count() < 300 && short.lines().count() < 80,
        "{} {}",
        full.lines().count(),
        short.lines().count()
    );
    let value: Value = serde_json::from_str(&json(&of.shown())).unwrap();
    assert_eq!(value["objects"]["groups"].as_array().unwrap().len(), 200);
}
