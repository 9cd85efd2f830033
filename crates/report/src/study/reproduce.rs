//! What one needs to do a study again: the command of each point, the settings, the machine and its environment.

use numawise_facts::{AroundTrials, GridRun};
use numawise_units::Ratio;

use super::ShownStudy;
use crate::amount::{self, many};
use crate::document::{Block, Cell, Column, Row, RowLimits, Table, section};
use crate::settings;

/// Commands in a page at most; the points to download have all.
const COMMANDS: RowLimits = RowLimits { terminal: 0, html: 200, rest: "in the points to download" };

/// The sections of a page.
pub fn sections(shown: &ShownStudy<'_>) -> Vec<Block> {
    let commands = shown.study.header.grid.as_ref().map(|grid| commands(&grid.runs));
    commands.into_iter().chain([study(shown)]).collect()
}

fn commands(runs: &[GridRun]) -> Block {
    let row = |run: &GridRun| {
        let variables: Vec<String> =
            run.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cells: [Cell; 3] =
            [run.point.to_string().into(), run.command.shell_line().into(), variables.join(" ").into()];
        cells.into_iter().collect::<Row>()
    };
    let table = Table {
        columns: vec![Column::text("point"), Column::code("command"), Column::code("environment")],
        rows: runs.iter().map(row).collect(),
        most: Some(COMMANDS),
    };
    let summary = format!("What was run at each of {}", many(runs.len() as u64, "point"));
    section("commands", "Commands", vec![Block::Folded { summary, blocks: vec![Block::Table(table)] }])
}

fn study(shown: &ShownStudy<'_>) -> Block {
    let header = &shown.study.header;
    let mut facts = vec![
        ("Begun", amount::moment(header.begun)),
        ("Runs of each point", super::words::repeats(header)),
        ("Counts as no difference", format!("within {}", Ratio(header.margin).percent())),
        ("Machine", settings::machine(header)),
    ];
    if let Some(grid) = &header.grid {
        facts.extend(grid.most_trials.map(|most| ("Most trials", most.to_string())));
        facts.extend(around(&grid.around));
    }
    facts.push(("Record", shown.record.to_owned()));
    let blocks = settings::blocks(header, facts);
    let summary = "Settings, machine and environment".to_owned();
    section("study", "The study", vec![Block::Folded { summary, blocks }])
}

fn around(of: &AroundTrials) -> Vec<(&'static str, String)> {
    let commands = [
        ("Once before", &of.setup),
        ("Before each trial", &of.prepare),
        ("After each trial", &of.verify),
        ("A right answer prints", &of.verify_output),
        ("Once after", &of.cleanup),
    ];
    let mut facts: Vec<_> =
        commands.into_iter().filter_map(|(name, command)| Some((name, command.clone()?))).collect();
    facts.extend(of.gap.map(|gap| ("Idle before each trial", gap.to_string())));
    facts.extend(of.drop_caches.then(|| ("Pages of files", "dropped before each trial".to_owned())));
    facts.extend(of.limit.map(|limit| ("Longest trial", limit.to_string())));
    facts
}
