//! A time series as people and scripts see it.

use crate::timeline;
use numawise_facts::Reading;
use numawise_facts::notice::ResidencyPart;
use numawise_report::document::{self, Style};
use numawise_report::series::{SCHEMA, Series, document, json};
use numawise_tables::Timeline;

fn series(timeline: &Timeline) -> Series<'_> {
    Series { timeline, record: "job.nw" }
}

fn terminal(series: &Series, style: Style) -> String {
    document::terminal(&document(series), style)
}

fn html(series: &Series) -> String {
    document::html(&document(series))
}

fn plain(timeline: &Timeline) -> String {
    terminal(&series(timeline), Style::plain())
}

#[test]
fn a_job_on_the_terminal() {
    insta::assert_snapshot!("series-terminal", plain(&timeline::job()));
    let narrow = Style { width: 60, unicode: false, ..Style::plain() };
    let text = terminal(&series(&timeline::job()), narrow);
    assert!(text.is_ascii(), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
}

#[test]
fn nothing_recorded_is_said() {
    insta::assert_snapshot!("series-terminal-empty", plain(&timeline::empty()));
    let page = html(&series(&timeline::empty()));
    assert!(page.contains("nothing was recorded yet") && !page.contains("<table"));
}

/// What is not known is a question mark with a reason below, never a zero.
#[test]
fn what_is_unknown_is_no_zero() {
    let mut told = timeline::job();
    for node in &mut told.by_node {
        node.memory.last = Reading::unavailable("permission denied");
        node.busy = Reading::unavailable("permission denied");
    }
    told.total.peak = Reading::unavailable("permission denied");
    let text = plain(&told);
    assert!(text.contains("Memory     unavailable (permission denied)"), "{text}");
    let row = text.lines().find(|line| line.trim_start().starts_with("node 1 (dram)"));
    assert!(row.is_some_and(|row| row.matches('?').count() == 2), "{text}");
}

#[test]
fn colours_only_where_they_are_asked_for() {
    let told = timeline::job();
    let painted = terminal(&series(&told), Style { colour: true, ..Style::plain() });
    assert!(painted.contains('\u{1b}') && !plain(&told).contains('\u{1b}'));
}

#[test]
fn json_is_the_timeline_with_the_name_of_its_format() {
    let told = timeline::job();
    let mut value: serde_json::Value = serde_json::from_str(&json(&series(&told))).unwrap();
    assert_eq!((&value["schema"], &value["record"]), (&SCHEMA.into(), &"job.nw".into()));
    let mut told = serde_json::to_value(&told).unwrap();
    for key in told.as_object().unwrap().keys().filter(|key| *key != "unavailable") {
        assert_eq!(value[key], told[key], "{key}");
    }
    // A notice has its text beside its identifier and its arguments.
    let text = value["unavailable"][0]["text"].take();
    assert_eq!(text, "memory: permission denied (in 1 of 6 samples)");
    assert_eq!(value["unavailable"][0]["code"], told["unavailable"][0]["code"].take());
}

#[test]
fn texts_from_outside_stay_texts() {
    let mut told = timeline::job();
    told.tasks[0].name = "</script><b>\u{1b}[31m\u{202e}".to_owned();
    told.tasks[0].command = Reading::Measured("<img src=x onerror=alert(1)>".to_owned());
    told.unavailable =
        vec![timeline::unavailable(ResidencyPart::Memory, vec![], "<script>alert(1)</script>", 1)];
    let page = html(&series(&told));
    assert!(
        !page.contains("<img src=x") && !page.contains("<script>alert") && !page.contains("</script><b>")
    );
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
    assert!(!plain(&told).contains('\u{1b}'));
}

#[test]
fn a_page_needs_no_network_and_no_script() {
    let page = html(&series(&timeline::job()));
    assert!(page.starts_with("<!DOCTYPE html>") && page.len() < 1_500_000);
    let tables = page.matches("<table").count();
    assert_eq!(tables, 3, "nodes, processes, over time");
    for expected in ["node 1 (dram)", "+0:00:20", "400 MiB", "./app --threads 4", "0.75"] {
        assert!(page.contains(expected), "{expected}");
    }
}

/// A page of a day at one look a second stays one that can be sent by mail.
#[test]
fn a_long_series_makes_no_long_page() {
    let mut told = timeline::job();
    let moment = told.moments[1].clone();
    told.moments = vec![moment; 1500];
    told.samples = 86_400;
    let page = html(&series(&told));
    assert!(page.len() < 1_500_000, "{}", page.len());
    assert!(page.matches("<tr>").count() < 300);
}
