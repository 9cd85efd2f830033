//! The raw figures of a study as CSV, for a page to hold.

use numawise_facts::Trial;

use super::trials::TrialMark;
use super::{ShownStudy, csv};
use crate::amount::many;
use crate::csv::quoted;
use crate::document::{Block, Download, Text, download_length, section};
use crate::notice;

/// Characters of a page that the points may take, and with them the trials.
const POINTS: usize = 1_000_000;
const ALL: usize = 2_900_000;

/// The points and the trials as files in the page, as many as there is room for.
pub fn section_of(shown: &ShownStudy<'_>) -> Block {
    let mut downloads = Vec::new();
    let mut left_out = Vec::new();
    let points = csv::csv(shown);
    let mut room = ALL;
    if download_length(&points) <= POINTS {
        room -= download_length(&points);
        let about = format!("{}, the columns of --csv", many(shown.tables.rows.len() as u64, "point"));
        downloads.push(Download { name: "points.csv".to_owned(), about, text: points });
    } else {
        left_out.push("the points are too many for a page; --csv prints them".to_owned());
    }
    let (text, held) = trials_csv(shown, room);
    let all = shown.study.trials.len();
    if held > 0 {
        let about = if held == all {
            format!("{} in the order in which they ran", many(all as u64, "trial"))
        } else {
            format!("the first {held} of {all} trials in the order in which they ran")
        };
        downloads.push(Download { name: "trials.csv".to_owned(), about, text });
    }
    if held < all {
        left_out.push(format!(
            "{} have no room in a page; the record holds all",
            many((all - held) as u64, "trial")
        ));
    }
    let mut blocks = vec![Block::Downloads(downloads)];
    if !left_out.is_empty() {
        let left_out: Vec<Text> = left_out.iter().map(|text| crate::document::capital(text).into()).collect();
        blocks.push(Block::List(left_out));
    }
    section("raw", "Raw data", blocks)
}

/// A row for each trial: the levels, block, value, and what is to be said of it. As many as there is room for, and how many these are.
fn trials_csv(shown: &ShownStudy<'_>, room: usize) -> (String, usize) {
    let tables = shown.tables;
    let of_point: std::collections::BTreeMap<&str, String> = tables
        .rows
        .iter()
        .map(|row| (row.point.0.as_str(), row.levels.iter().map(|level| quoted(level) + ",").collect()))
        .collect();
    let names: String = tables.factors.iter().map(|factor| quoted(&factor.name) + ",").collect();
    let mut text = format!("{names}block,value,status,disturbances\n");
    let mut length = download_length(&text);
    let mut held = 0;
    for trial in &shown.study.trials {
        let Some(levels) = of_point.get(trial.point.0.as_str()) else { continue };
        let line = format!("{levels}{}", trial_line(shown, trial));
        length += download_length(&line);
        if length > room {
            break;
        }
        text += &line;
        held += 1;
    }
    (text, held)
}

fn trial_line(shown: &ShownStudy<'_>, trial: &Trial) -> String {
    let value = shown.study.header.value(trial).filter(|value| value.is_finite());
    // Nine digits: nanoseconds of a second.
    let value = value.map_or_else(String::new, |value| {
        format!("{value:.8e}").parse::<f64>().map_or_else(|_| value.to_string(), |short| short.to_string())
    });
    let status = match TrialMark::of(trial) {
        TrialMark::Counts => "",
        TrialMark::Disturbed => "disturbed",
        TrialMark::Failed => "failed",
        TrialMark::WarmUp => "warm-up",
    };
    format!("{},{value},{status},{}\n", trial.block, quoted(&notice::disturbances(trial).join("; ")))
}
