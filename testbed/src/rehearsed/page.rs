//! The page: ratios beside what was published, then the machines.

use std::fmt::Write as _;

use super::Kept;
use super::machines::Booted;
use super::ratios::{ALL, MeasuredRatio, PublishedRatio};

/// What is promised of bandwidth-bound programs.
const WITHIN: f64 = 0.15;

pub(super) fn text(kept: &Kept) -> String {
    let mut text = String::from(
        "# Rehearsals and the truth\n\nMade by `cargo run -p testbed -- rehearse-truth`: speed ratios, medians of three runs each, of machines \
         described by public figures. Promised: the direction, and for what bandwidth bounds 15 %.\n\n```\n",
    );
    let _ = writeln!(text, "{:<28}published  rehearsed", "program");
    let known =
        ALL.iter().filter_map(|of| Some((of, kept.ratios.iter().find(|ratio| ratio.name == of.name)?)));
    for (of, ratio) in known.clone() {
        let difference = 100.0 * (ratio.ratio() / of.ratio - 1.0);
        let (name, found) = (of.name, ratio.ratio());
        let judged = judgement(of, ratio);
        let _ = writeln!(text, "{name:<28}{:>9.2}{found:>11.2}  {difference:+.0}%, {judged}", of.ratio);
    }
    text.push_str("```\n");
    for (of, _) in known {
        let _ = writeln!(text, "- {}: {}", of.name, of.about);
    }
    text.push_str("\n## Recorded machines, booted\n```\n");
    let _ = writeln!(text, "{:<42}nodes CPUs start/s", "machine or profile");
    for machine in &kept.machines {
        text.push_str(&row(machine));
    }
    text + "```\n"
}

fn judgement(of: &PublishedRatio, ratio: &MeasuredRatio) -> &'static str {
    let (found, size) = (ratio.ratio(), (ratio.ratio() / of.ratio - 1.0).abs());
    match () {
        () if (found > 1.0) != (of.ratio > 1.0) => "WRONG direction",
        () if size <= WITHIN => "right",
        () if of.is_bandwidth_bound => "direction right, size NOT",
        () => "direction right; no size is promised",
    }
}

fn row(of: &Booted) -> String {
    let name = &of.name;
    match &of.came_up {
        Ok(up) => {
            let with = up.cores_per_node.map_or(String::new(), |n| format!("  --cores-per-node {n}"));
            format!("{name:<42}{:>5}{:>5}{:>8.1}{with}\n", up.nodes, up.cpus, up.seconds)
        }
        Err(why) => format!("{name:<42}NOT: {why}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_says_what_is_right_and_what_is_not() {
        let ratio = |name: &str, second: f64| MeasuredRatio {
            name: name.to_owned(),
            speeds: [vec![1.0, 9.0, 1.0], vec![second; 3]],
        };
        let ratios = vec![
            ratio(ALL[0].name, 2.0),
            ratio(ALL[1].name, 2.0),
            ratio(ALL[2].name, 0.9),
            ratio(ALL[3].name, 1.2),
        ];
        let refused = Booted { name: "large.xml".to_owned(), came_up: Err("no room".to_owned()) };
        let page = text(&Kept { machines: vec![refused], ratios });
        for line in [
            "2.05       2.00  -3%, right\n",
            "-55%, direction right, size NOT",
            ", WRONG direction",
            "no size is promised",
            "NOT: no room",
        ] {
            assert!(page.contains(line), "no `{line}` in {page}");
        }
    }
}
