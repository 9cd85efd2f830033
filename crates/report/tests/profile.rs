//! What was measured of a machine, as people and scripts see it.

#[path = "../../analyse/src/profile/sample.rs"]
mod sample;

use numawise_facts::{Machine, Profile};
use numawise_report::check::Style;
use numawise_report::profile::{Measured, html, terminal};

fn plain(profile: &Profile, machine: Option<&Machine>, style: Style) -> String {
    let tables = numawise_analyse::profile(profile, machine);
    terminal(&Measured { profile, tables: &tables, saved: Some("profile.json") }, style)
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

#[test]
fn pages() {
    let poor = sample::poor();
    let mut all: Vec<(&str, Profile, Option<Machine>)> = vec![("poor", poor, None)];
    for (name, shape) in [
        ("two", sample::two_sockets()),
        ("hbm", sample::hbm()),
        ("eight", sample::eight()),
        ("sixteen", sample::sixteen()),
        ("quick", sample::quick()),
    ] {
        all.push((name, shape.profile(), Some(shape.machine())));
    }
    for (name, profile, machine) in &all {
        let tables = numawise_analyse::profile(profile, machine.as_ref());
        let page = html(&Measured { profile, tables: &tables, saved: None });
        std::fs::create_dir_all("/tmp/pages").unwrap();
        std::fs::write(format!("/tmp/pages/{name}.html"), page).unwrap();
    }
}
