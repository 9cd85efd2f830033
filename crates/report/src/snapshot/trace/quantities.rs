//! What all threads together did when: of each span of time, the shares of the states (Trace Analyzer's quantitative timeline).

use numawise_tables::snapshot::{RunTrace, TraceTimes};

use super::{LINE, all_times, rows, share, states};
use crate::document::{Block, Face, Timeline, TimelineRow};

/// From a share of nearly nothing to all of it.
const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A state with less of the time, in the span that has most of it, is not drawn on a terminal.
const LEAST: f64 = 1.0 / 16.0;

/// Spans of all threads; of one thread its own drawing tells as much.
pub fn blocks(of: &RunTrace) -> Vec<Block> {
    let rows = rows(of, true);
    if rows.len() < 2 {
        return Vec::new();
    }
    let bins = rows.iter().map(|(_, bins)| bins.len()).min().unwrap_or(0);
    let bin = |k: usize| -> TraceTimes { rows.iter().filter_map(|(_, bins)| bins.get(k)).copied().sum() };
    let all: Vec<TraceTimes> = (0..bins).map(bin).collect();
    let states = states(of);
    let shares = |times: &TraceTimes| -> Vec<f64> {
        states.iter().map(|(_, _, time)| share(time(times), times.total()).0).collect()
    };
    let page = Block::Timeline(Timeline {
        until: None,
        label: "Time from left to right: shares of what all threads did".to_owned(),
        parts: states.iter().map(|(part, ..)| *part).collect(),
        rows: vec![TimelineRow { name: "all".to_owned(), bins: all.iter().map(shares).collect() }],
        begin: of.begin.to_string(),
        end: (of.begin + of.span).to_string(),
    });
    let columns: Vec<Vec<f64>> = (0..LINE)
        .map(|k| {
            shares(&all.get(k * bins / LINE..(k + 1) * bins / LINE).unwrap_or_default().iter().copied().sum())
        })
        .collect();
    let width = states.iter().map(|(part, ..)| part.name.len()).max().unwrap_or(0);
    let mut drawn = String::new();
    for (k, (part, ..)) in states.iter().enumerate() {
        let of_state = |column: &Vec<f64>| column.get(k).copied().unwrap_or(0.0);
        if columns.iter().map(of_state).fold(0.0, f64::max) < LEAST {
            continue;
        }
        let level = |column: &Vec<f64>| LEVELS[(of_state(column) * 8.0).round().clamp(0.0, 8.0) as usize];
        let line: String = columns.iter().map(level).collect();
        drawn += &format!("{:width$} {line}\n", part.name);
    }
    let on_terminal = |block| Block::Only(Face::Terminal, Box::new(block));
    let mut blocks = vec![Block::Only(Face::Html, Box::new(page))];
    if all_times(of).total().0 > 0 {
        blocks.push(on_terminal(Block::Output(drawn)));
        blocks.push(on_terminal(Block::Legend("share of all threads' time; █ all of it".into())));
    }
    blocks
}
