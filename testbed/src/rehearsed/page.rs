//! The page: ratios beside what was published, then the machines.

use std::fmt::Write as _;

use super::Kept;
use super::machines::Booted;
use super::ratios::{ALL, MeasuredRatio, PublishedRatio};

/// What is promised of bandwidth-bound programs.
const WITHIN: f64 = 0.15;

pub(super) fn text(kept: &Kept) -> String {
    let mut text = String::from(
        "# Rehearsals and the truth\n\nMade by `cargo run -p testbed -- rehearse-truth`.\n\n## Ratios that were published\n\n\
         The second speed over the first, medians of three runs each. The machines are described by public figures only; the direction must be \
         right, and of programs that are bound by bandwidth the size within 15 %.\n\n\
         | program | published | rehearsed | difference | |\n|---|---|---|---|---|\n",
    );
    let known =
        ALL.iter().filter_map(|of| Some((of, kept.ratios.iter().find(|ratio| ratio.name == of.name)?)));
    for (of, ratio) in known.clone() {
        let difference = ratio.ratio() / of.ratio - 1.0;
        let _ = writeln!(
            text,
            "| {} | {:.2} | {:.2} | {:+.0} % | {} |",
            of.name,
            of.ratio,
            ratio.ratio(),
            100.0 * difference,
            judgement(of, ratio)
        );
    }
    text.push('\n');
    for (of, _) in known {
        let _ = writeln!(text, "- {}: {}", of.name, of.about);
    }
    text.push_str(
        "\n## Recorded machines\n\nEach is booted as it is, or with the most cores for each node that can be emulated, and counts its nodes and CPUs.\n\n\
         | machine or profile | nodes | CPUs | start (s) | with |\n|---|---|---|---|---|\n",
    );
    for machine in &kept.machines {
        text.push_str(&row(machine));
    }
    text
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
    match &of.came_up {
        Ok(up) => {
            let with = up.cores_per_node.map_or(String::new(), |n| format!("`--cores-per-node {n}`"));
            format!("| {} | {} | {} | {:.1} | {with} |\n", of.name, up.nodes, up.cpus, up.seconds)
        }
        Err(why) => format!("| {} | - | - | - | NOT: {why} |\n", of.name),
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
            "first touch | 2.05 | 2.00 | -3 % | right |",
            "| -55 % | direction right, size NOT |",
            "| WRONG direction |",
            "no size is promised",
            "| large.xml | - | - | - | NOT: no room |",
        ] {
            assert!(page.contains(line), "no `{line}` in {page}");
        }
    }
}
