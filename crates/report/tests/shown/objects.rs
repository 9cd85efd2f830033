//! Memory objects as people and scripts see them.

use std::collections::BTreeSet;

use crate::memory_objects::{Watched, hbm, nothing, wave};
use numawise_facts::objects::{AccessMethod, FileAddress, ProcessRank};
use numawise_facts::{ObjectRun, Reading};
use numawise_report::document::{self, Style};
use numawise_report::objects::{SCHEMA, Shown, document, json, to_try};
use numawise_units::Rank;
use serde_json::Value;

fn terminal(of: &Watched, style: Style) -> String {
    document::terminal(&document(&of.shown()), style)
}

fn wide(of: &Watched) -> String {
    terminal(of, Style { width: 120, ..Style::plain() })
}

fn html(of: &Watched) -> String {
    document::html(&document(&of.shown()))
}

fn parsed(of: &Watched) -> Value {
    serde_json::from_str(&json(&of.shown())).unwrap()
}

#[test]
fn objects_on_the_terminal() {
    insta::assert_snapshot!("objects-wave", wide(&Watched::of(wave())));
    insta::assert_snapshot!("objects-hbm", wide(&Watched::of(hbm())));
    insta::assert_snapshot!("objects-nothing", wide(&Watched::of(nothing())));
    let narrow = Style { width: 60, unicode: false, ..Style::plain() };
    let text = terminal(&Watched::of(wave()), narrow);
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!("objects-narrow", text);
}

#[test]
fn objects_as_json() {
    insta::assert_snapshot!("objects-json", json(&Watched::of(hbm()).shown()));
    let of = Watched::of(wave());
    let value = parsed(&of);
    assert_eq!(value["schema"], SCHEMA);
    let u = &value["objects"][0];
    assert_eq!(
        (&u["name"], &u["kind"], &u["function"], &u["line"]),
        (&"u".into(), &"heap".into(), &"Grid::Grid".into(), &41.into())
    );
    assert_eq!(u["pages"][0]["bytes"], u["bytes"]);
    let first = &u["first_touch"][0];
    assert_eq!(
        (&first["thread"], &first["node"], &first["share"], &first["line"]),
        (&0.into(), &0.into(), &1.0.into(), &17.into())
    );
    assert_eq!(u["used"][0]["reads_share"], 0.5);
    let sum: f64 = u["used"].as_array().unwrap().iter().map(|one| one["share"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9);
    let share = &u["memory_time_share"];
    assert!(
        share["low"].as_f64() < share["value"].as_f64() && share["value"].as_f64() < share["high"].as_f64()
    );
    let advice = &value["findings"][0]["advice"][1];
    assert_eq!(
        (&advice["brought"]["ratio"], &advice["line"]),
        (&1.77.into(), &"numawise run --memory interleave:0-1 -- ./wave 512".into())
    );
}

#[test]
fn a_run_that_is_kept_has_a_line_that_puts_its_objects_into_the_fast_memory() {
    let of = Watched::of(hbm());
    let line = |record| {
        let shown = Shown { record, ..of.shown() };
        let value: Value = serde_json::from_str(&json(&shown)).unwrap();
        value["findings"][0]["advice"][0]["line"].as_str().unwrap().to_owned()
    };
    let is = |text: String, begin: &str| assert!(text.starts_with(begin), "{text}");
    is(line(None), "numawise run --memory hbm -- ");
    is(line(Some("run.nw")), "numawise run --objects-to hbm=run.nw -- ");
    is(line(Some("my run.nw")), "numawise run --objects-to 'hbm=my run.nw' -- ");
}

/// What is tried is what is printed, once each: on the object alone where its allocation is known, and for all memory.
#[test]
fn cures_are_tried_on_single_objects_and_on_all_memory() {
    let lines = |run: &ObjectRun, record| {
        let of = Watched::of(run.clone());
        let cures = to_try(&Shown { record, ..of.shown() });
        cures.iter().map(|cure| (cure.object, cure.line(&run.header.command))).collect::<Vec<_>>()
    };
    let line = |options: &str| format!("numawise run {options} -- ./wave 512");
    let mut run = wave();
    run.trials.clear();
    let whole = |options: &str| (None, line(options));
    let [all, pages, node] =
        ["--memory interleave:0-1", "--page-size thp", "--memory preferred:1"].map(whole);
    let of_all = [all.clone(), pages.clone(), node.clone()];
    assert_eq!(lines(&run, None), of_all);
    // Nothing is known of its calls.
    assert_eq!(lines(&run, Some("run.nw")), of_all);
    let calls = |address| Reading::Measured(vec![FileAddress { file: "/wave".to_owned(), address }]);
    run.objects.iter_mut().zip(1..).for_each(|(object, address)| object.site = calls(address));
    let own =
        |object: u32, to: &str, name: &str| (Some(object), line(&format!("--objects-to {to}=run.nw:{name}")));
    let turn = "interleave:0-1";
    let [u, table] = [own(2, turn, "u"), own(3, turn, "table")];
    let found = lines(&run, Some("run.nw"));
    assert!(
        found.contains(&u) && found.contains(&table) && found.contains(&own(6, "1", "inbox")),
        "{found:#?}"
    );
    assert_eq!((found.first(), found.last()), (Some(&u), Some(&all)));
    // Two of one name have numbers.
    let numbered = |k: u32| (Some(k), line(&format!("--objects-to '{turn}=run.nw:#{k}'")));
    run.objects[3].name = Reading::Measured("u".to_owned());
    let found = lines(&run, Some("run.nw"));
    assert!(found.contains(&numbered(2)) && found.contains(&numbered(3)), "{found:#?}");
    let value: Value =
        serde_json::from_str(&json(&Shown { record: Some("run.nw"), ..Watched::of(run).shown() })).unwrap();
    let text = value["findings"][0]["advice"][1]["text"].as_str().unwrap();
    assert!(text.contains("; not tried; for it alone: numawise run --objects-to"), "{text}");
}

#[test]
fn objects_of_ranks_say_of_which() {
    let mut run = wave();
    let process = run.objects[2].process;
    run.ranks = vec![ProcessRank { process, rank: Rank(7) }];
    let of = Watched::of(run);
    let value = parsed(&of);
    let ranks: Vec<&Value> =
        value["objects"].as_array().unwrap().iter().map(|object| &object["rank"]).collect();
    assert!(
        ranks.iter().all(|rank| **rank == 7 || rank.is_null()) && ranks.contains(&&Value::from(7)),
        "{ranks:?}"
    );
    let text = wide(&of);
    assert!(text.contains("object u of rank 7, 4.2 GiB"), "{text}");
    assert!(
        text.lines().any(|line| line.split_whitespace().take(3).eq(["object", "rank", "time"])),
        "{text}"
    );
    assert!(!wide(&Watched::of(wave())).contains("rank"));
}

/// 100 % is 1 or say why there is none; nothing that is not known is null or 0.
#[test]
fn what_is_not_known_has_its_reason_in_json() {
    let value = parsed(&Watched::of(nothing()));
    let object = &value["objects"][0];
    for key in
        ["pages", "first_touch", "used", "memory_time_share", "remote_share", "huge_pages_share", "samples"]
    {
        assert!(
            object[key]["unavailable"].as_str().is_some_and(|reason| !reason.is_empty()),
            "{key}: {object}"
        );
    }
    let what: Vec<&str> =
        value["unavailable"].as_array().unwrap().iter().map(|one| one["what"].as_str().unwrap()).collect();
    assert_eq!(
        what,
        ["allocations", "first_touch", "loads", "used", "cost_percent", "memory_bound", "bandwidth"]
    );
    assert!(value["cost_percent"]["unavailable"].is_string());
}

#[test]
fn a_page_says_all_without_scripts() {
    let page = html(&Watched::of(wave()));
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("objects.html"), &page).unwrap();
    std::fs::write(folder.join("objects-hbm.html"), html(&Watched::of(hbm()))).unwrap();
    let rendered: String = page.split("<script").next().unwrap().to_owned();
    for expected in [
        "NW040",
        "NW042",
        "NW043",
        "NW044",
        "NW046",
        "wave.cpp:41 (Grid::Grid)",
        "u = std::vector&lt;float&gt;(cells);",
        "names&lt;&amp;&gt;",
        "By thread",
        "Where they lay over time",
        "Memory bandwidth over time",
        "tried, 1.77x (1.60x to 1.95x)",
    ] {
        assert!(rendered.contains(expected), "{expected}");
    }
    assert_eq!(page.matches("</script><b>").count(), 0, "a line of the program does not end the script");
    let fast = html(&Watched::of(hbm()));
    assert!(fast.contains("For the fast memory") && fast.contains("NW045"));
}

#[test]
fn a_finding_of_several_objects_has_its_name_in_the_page_once() {
    let page = html(&Watched::of(hbm()));
    assert_eq!(page.matches("<article class=\"finding\"").count(), 2);
    assert_eq!(page.matches("id=\"NW045\"").count(), 1);
}

#[test]
fn where_no_finding_could_be_that_is_said() {
    let text = wide(&Watched::of(nothing()));
    assert!(text.contains("Who uses the objects is not known"), "{text}");
    let mut one_node = wave();
    one_node.objects.truncate(2);
    one_node.header.machine.nodes.truncate(1);
    if let Reading::Measured(time) = &mut one_node.watching.time {
        time.with_memory = 400;
    }
    let text = wide(&Watched::of(one_node));
    assert!(text.contains("This machine has one node: no object can lie on the wrong one"), "{text}");
}

#[test]
fn shares_of_accesses_are_not_called_time() {
    let mut run = wave();
    if let Reading::Measured(time) = &mut run.watching.time {
        time.method = AccessMethod::Passes;
    }
    let text = wide(&Watched::of(run));
    for expected in [
        "share of the accesses in loops",
        "40 % of all accesses in loops (95 %",
        "of its accesses, kernel.cpp:88",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains("of their time for memory with it") && !text.contains("of its memory time"));
}

#[test]
fn a_cure_that_failed_is_not_one_that_was_not_tried() {
    let mut run = wave();
    run.trials[0].effect = Reading::unavailable("it was killed by signal 9");
    let text = wide(&Watched::of(run)).split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "tried by numawise run --memory interleave:0-1 -- ./wave 512, without a result (it was killed by signal 9)";
    assert!(text.contains(expected), "{text}");
}

/// What the manual shows is what comes out.
#[test]
fn the_example_of_the_manual_is_a_real_one() {
    let manual = include_str!("../../../../docs/user/objects.md");
    let text = wide(&Watched::of(wave()));
    let begin = text
        .find("object u, 4.2 GiB, allocated wave.cpp:41 (Grid::Grid), on node 0: 100 %\n  first")
        .unwrap();
    let end = begin + text[begin..].find("\n\n").unwrap();
    let example = &text[begin..end];
    assert!(example.lines().count() > 8 && manual.contains(example), "the manual lacks\n{example}");
}

/// Every key is described, so that nobody has to guess.
#[test]
fn the_description_names_every_key() {
    let page = include_str!("../../../../docs/formats/objects-json.md");
    let mut keys = BTreeSet::new();
    for run in [wave(), hbm(), nothing()] {
        collect(&parsed(&Watched::of(run)), &mut keys);
    }
    assert!(keys.len() > 60, "{}", keys.len());
    let is_there = |key: &&String| {
        let ends = [format!("{key}`"), format!("{key}[]`")];
        ends.iter().any(|end| page.contains(&format!("`{end}")) || page.contains(&format!(".{end}")))
    };
    let missing: Vec<_> = keys.iter().filter(|key| !is_there(key)).collect();
    assert!(missing.is_empty(), "not in docs/formats/objects-json.md: {missing:?}");
}

/// The rows of the description are there, too.
#[test]
fn what_is_described_is_there() {
    let page = include_str!("../../../../docs/formats/objects-json.md");
    let values = [wave(), hbm(), nothing()].map(|run| parsed(&Watched::of(run)));
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(row, _)| row));
    let rows: Vec<&str> = rows.collect();
    assert!(rows.len() > 30, "{rows:?}");
    for row in rows {
        let mut at: Vec<&Value> = values.iter().collect();
        for part in row.split('.') {
            let (name, is_list) = part.strip_suffix("[]").map_or((part, false), |name| (name, true));
            at = at.iter().filter_map(|value| value.get(name)).collect();
            assert!(!at.is_empty(), "{row}: there is no {name}");
            if is_list {
                at = at.iter().filter_map(|value| value.as_array()).flatten().collect();
                assert!(!at.is_empty(), "{row}: {name} is no list");
            }
        }
    }
}

fn collect(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                keys.insert(key.clone());
                // What to do, and what evidence speaks of, are described in check-json.md; notices in notices.md.
                if !["do", "arguments", "subject", "value", "of", "interval"].contains(&key.as_str())
                    || key == "value" && value.is_number()
                {
                    collect(value, keys);
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|value| collect(value, keys)),
        _ => {}
    }
}
