//! What was measured of a machine, as people and scripts see it.

use crate::machines as sample;
use numawise_facts::notice::{MembenchNotice, MlcLineGap};
use numawise_facts::{Estimate, Machine, Profile, Reading, Workers};
use numawise_report::document::{self, Style};
use numawise_report::profile::{Compared, Measured, compare_document, compare_json, document, json};
use numawise_tables::ProfileComparison;
use numawise_units::{BytesPerSecond, Latency};

/// A page stays one that can be sent by mail.
const MOST: usize = 1_500_000;

fn plain(profile: &Profile, machine: Option<&Machine>, style: Style) -> String {
    let tables = numawise_analyse::profile(profile, machine);
    let measured = Measured { profile, tables: &tables, saved: Some("profile.json") };
    document::terminal(&document(&measured), style)
}

#[test]
fn snapshots() {
    for (name, shape) in [
        ("two-sockets", sample::two_sockets()),
        ("hbm", sample::hbm()),
        ("eight", sample::eight()),
        ("sixteen", sample::sixteen()),
        ("quick", sample::quick()),
    ] {
        let text = plain(&shape.profile(), Some(&shape.machine()), Style { width: 80, ..Style::plain() });
        insta::assert_snapshot!(format!("profile-{name}"), text);
    }
    insta::assert_snapshot!(
        "profile-poor",
        plain(&sample::poor(), None, Style { width: 80, ..Style::plain() })
    );
}

fn compare_html(compared: &Compared) -> String {
    document::html(&compare_document(compared))
}

fn compare_terminal(compared: &Compared, style: Style) -> String {
    document::terminal(&compare_document(compared), style)
}

/// What was changed on a machine: less latency on one pair, less bandwidth, noise, one more mix.
fn two() -> (Profile, Profile) {
    let one = sample::two_sockets().profile();
    let mut other = one.clone();
    other.header.fingerprint.kernel = Reading::Measured("6.8.0".to_owned());
    other.header.fingerprint.firmware = Reading::unavailable("permission denied");
    other.latency[1].latency = Reading::Measured(sample::estimate(120.0, Latency));
    let wide = Estimate {
        median: Latency(130.0),
        low: Latency(90.0),
        high: Latency(170.0),
        samples: 7,
        disturbed: 2,
    };
    other.latency[2].latency = Reading::Measured(wide);
    other.latency[3].latency = Reading::unavailable("stopped before it was measured");
    for cell in other.bandwidth.iter_mut().filter(|cell| cell.workers == Workers::Machine) {
        let Reading::Measured(rate) = &cell.rate else { continue };
        cell.rate = Reading::Measured(sample::estimate(rate.median.0 * 0.8, BytesPerSecond));
    }
    other.transfers.truncate(3);
    (one, other)
}

fn with_compared<T>(a: &Profile, b: &Profile, show: impl Fn(&Compared) -> T) -> T {
    let comparison = numawise_analyse::compare_profiles(a, b);
    show(&Compared { a, b, names: ["before.json", "after.json"], comparison: &comparison })
}

#[test]
fn two_profiles_on_the_terminal() {
    let (one, other) = two();
    for (name, width) in [("narrow", 80), ("wide", 120)] {
        let style = Style { width, ..Style::plain() };
        let text = with_compared(&one, &other, |compared| compare_terminal(compared, style));
        insta::assert_snapshot!(format!("profile-compare-{name}"), text);
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
    }
    let same = with_compared(&one, &one, |compared| compare_terminal(compared, Style::plain()));
    assert!(!same.contains("\nClearly different\n") && same.contains("None of the"), "{same}");
}

#[test]
fn two_profiles_as_json_and_as_a_page() {
    let (one, other) = two();
    let value = with_compared(&one, &other, compare_json);
    assert_eq!(value.as_object().unwrap().keys().next().unwrap(), "schema");
    assert_eq!(value["schema"], "numawise/profile-compare/1");
    assert_eq!((&value["a"]["name"], &value["b"]["name"]), (&"before.json".into(), &"after.json".into()));
    let comparison = numawise_analyse::compare_profiles(&one, &other);
    assert_eq!(serde_json::from_value::<ProfileComparison>(value).unwrap(), comparison);
    let page = with_compared(&one, &other, compare_html);
    assert!(page.len() < MOST, "{}", page.len());
    for part in ["0.86x", "permission denied", "stopped before it was measured", "worse", "Only in the first"]
    {
        assert!(page.contains(part), "{part}");
    }
}

/// All samples: name, profile, and the machine where it is known.
fn all() -> Vec<(&'static str, Profile, Option<Machine>)> {
    let shapes = [
        ("two-sockets", sample::two_sockets()),
        ("hbm", sample::hbm()),
        ("eight", sample::eight()),
        ("sixteen", sample::sixteen()),
        ("quick", sample::quick()),
    ];
    let mut all: Vec<_> =
        shapes.iter().map(|(name, shape)| (*name, shape.profile(), Some(shape.machine()))).collect();
    all.push(("poor", sample::poor(), None));
    all
}

fn page(profile: &Profile, machine: Option<&Machine>) -> String {
    let tables = numawise_analyse::profile(profile, machine);
    document::html(&document(&Measured { profile, tables: &tables, saved: None }))
}

/// With NUMAWISE_PAGES=FOLDER the pages are left there, to be looked at.
#[test]
fn pages_are_whole_and_not_too_large() {
    let (one, other) = two();
    let mut pages: Vec<(&str, String)> =
        all().iter().map(|(name, profile, machine)| (*name, page(profile, machine.as_ref()))).collect();
    pages.push(("compare", with_compared(&one, &other, compare_html)));
    for (name, page) in &pages {
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<table"), "{name}");
        assert!(page.len() < MOST, "{name}: {}", page.len());
        if let Some(folder) = std::env::var_os("NUMAWISE_PAGES") {
            std::fs::write(std::path::Path::new(&folder).join(format!("{name}.html")), page).unwrap();
        }
    }
}

#[test]
fn a_page_holds_the_figures_without_scripts() {
    let shape = sample::two_sockets();
    let page = page(&shape.profile(), Some(&shape.machine()));
    let body = page.split("<script").next().unwrap();
    for part in ["--h:100", "140.2<small>±0.4 · 1.75x</small>", "L2 (2 MiB)", "latency doubled", "128.0 ns"]
    {
        assert!(body.contains(part), "{part}");
    }
    // Every pair of cores, once.
    assert!(body.matches("<td class=\"number\">134</td>").count() >= 32);
}

#[test]
fn what_is_missing_has_its_reason_in_the_cell_and_below() {
    let page = page(&sample::poor(), None);
    let reason = "a quarter of the node's free memory is less than the caches";
    assert!(
        page.contains(&format!("title=\"{}\"", reason.replace('\'', "&#39;")))
            || page.contains(&format!("title=\"{reason}\""))
    );
    assert!(page.contains("Could not be measured") && page.contains("[2]"));
    assert!(!page.contains("NaN") || page.split("<script").next().is_some_and(|body| !body.contains("NaN")));
}

/// Where only the knee is not known, the rest of its row is shown.
#[test]
fn a_curve_without_a_knee_keeps_its_row() {
    let mut vague = sample::two_sockets().profile();
    vague.loaded.truncate(1);
    let Reading::Measured(points) = &mut vague.loaded[0].points else { panic!() };
    (points[0].latency.low, points[0].latency.high) = (Latency(40.0), Latency(180.0));
    let text = plain(&vague, None, Style { width: 80, ..Style::plain() });
    let row = text.lines().find(|line| line.contains("node 0 -> 0  read") && line.contains("ns")).unwrap();
    assert!(row.contains("80.7 ns") && row.contains("94.2 GB/s") && row.contains('['), "{text}");
    assert!(text.contains("the latency at the least load is known only to ±87 %"), "{text}");
    let ascii = plain(&vague, None, Style { unicode: false, ..Style::plain() });
    assert!(ascii.is_ascii() && ascii.contains("known only to +-87 %"), "{ascii}");
    let page = page(&vague, None);
    assert!(page.contains("the latency at the least load is known only to ±87 %"));
}

#[test]
fn lines_of_the_terminal_keep_their_width() {
    for (name, profile, machine) in all() {
        for width in [60, 80, 132, 200] {
            for unicode in [true, false] {
                let text = plain(&profile, machine.as_ref(), Style { width, unicode, ..Style::plain() });
                let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(longest <= width, "{name} at {width}: {longest}\n{text}");
                assert!(unicode || text.is_ascii(), "{name}: {text}");
            }
        }
    }
}

#[test]
fn colours_change_nothing_but_colours() {
    let profile = sample::poor();
    let painted = plain(&profile, None, Style { colour: true, ..Style::plain() });
    let mut bare = String::new();
    let mut rest = painted.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        bare += before;
        rest = after.split_once('m').unwrap().1;
    }
    assert!(painted.contains('\u{1b}'));
    assert_eq!(bare + rest, plain(&profile, None, Style::plain()));
}

#[test]
fn json_is_the_profile_with_the_name_of_its_format() {
    for (name, profile, _) in all() {
        let value = json(&profile);
        assert_eq!(value.as_object().unwrap().keys().next().unwrap(), "schema", "{name}");
        assert_eq!(value["schema"], "numawise/profile/1");
        let text = value.to_string();
        assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), profile, "{name}");
    }
}

/// A profile may come from a file that somebody else wrote.
#[test]
fn texts_from_outside_stay_texts() {
    let mut hostile = sample::poor();
    hostile.header.fingerprint.processor = Reading::Measured("</script><b>\u{1b}[31m\u{202e}".to_owned());
    let line = "<img src=x onerror=alert(1)>\u{1b}[2J".to_owned();
    hostile.header.notices =
        vec![MembenchNotice::MlcLineLeftOut { line, because: MlcLineGap::NotKnown }.into()];
    hostile.latency[0].latency = Reading::unavailable("\"><script>alert(1)</script>\u{1b}");
    hostile.header.taken = Reading::Measured(u64::MAX);
    let shown = page(&hostile, None);
    for bad in ["<img src=x", "<script>alert", "</script><b>", "\u{1b}", "\u{202e}"] {
        assert!(!shown.contains(bad), "{bad}");
    }
    let text = plain(&hostile, None, Style::plain());
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
    let (page, text) = with_compared(&hostile, &sample::poor(), |compared| {
        (compare_html(compared), compare_terminal(compared, Style::plain()))
    });
    assert!(!page.contains("<script>alert") && !page.contains('\u{1b}') && !text.contains('\u{1b}'));
}

#[test]
fn nothing_measured_is_a_page_and_a_text_too() {
    let mut empty = sample::quick().profile();
    (empty.latency, empty.bandwidth, empty.header.nodes) = (Vec::new(), Vec::new(), Vec::new());
    assert!(page(&empty, None).contains("Memory of"));
    assert!(plain(&empty, None, Style::plain()).contains("Memory of"));
    assert!(
        with_compared(&empty, &empty, |c| compare_terminal(c, Style::plain()))
            .contains("no figure in common")
    );
}
