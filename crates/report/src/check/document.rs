//! A check as people read it: the verdict first, then what it rests on.

use numawise_facts::{LineTool, Study};
use numawise_tables::{ContrastCall, VerdictCase};

use super::points::{self, PointRow};
use super::{Check, data, details, lines, nodes, words};
use crate::document::{
    Block, Cell, Charts, Column, Command, Document, Entry, Face, Fact, Opening, RatioRow, Ratios, Row, Table,
    Text, Tone, captioned, list, section,
};
use crate::page_text::{PageText, page_text};
use crate::{findings, levels, notice, picture};

const SCRIPT: PageText = page_text!("src/check/charts.js");

/// The check as a document.
pub fn document(check: &Check) -> Document {
    let (header, analysis) = (&check.study.header, check.analysis);
    let headline = words::headline(&analysis.verdict);
    let record = format!("{} (SQLite: trials, samples, machine, placements)", check.record);
    let record = Block::Facts(vec![Fact { name: "Record", text: record.into(), code: false }]);
    let mut blocks = vec![summary(check), placements(check), entries(check), from_now_on(check)];
    blocks.extend(check.objects.iter().flat_map(crate::objects::blocks));
    blocks.extend(drawn(check));
    blocks.extend(nodes::section(check));
    blocks.extend(details::expected(check));
    blocks.push(details::trials(check));
    blocks.extend(list("notices", "Notes", &notice::texts(&analysis.verdict.caveats)));
    blocks.extend(list(
        "limits",
        "Limits on this machine",
        &notice::machine::sentences(&check.study.header.machine),
    ));
    blocks.extend(list("not-tried", "Not tried", &notice::texts(&header.not_tried)));
    blocks.extend(list("not-measured", "Could not be measured", &notice::texts(&analysis.unavailable)));
    blocks.extend(failure(check.study));
    blocks.push(details::study(check));
    blocks.push(Block::Reasons { title: "Why figures are unavailable" });
    blocks.push(Block::Only(Face::Terminal, Box::new(record)));
    Document {
        tool: "numawise check",
        title: format!("{headline}: {}", header.command.shell_line()),
        opening: Opening {
            headline: headline.to_owned(),
            tone: match analysis.verdict.case() {
                VerdictCase::Gains => Tone::Loud,
                VerdictCase::PlacedWellSensitive | VerdictCase::PlacedWell | VerdictCase::NotAffected => {
                    Tone::Good
                }
                VerdictCase::GainNotKept
                | VerdictCase::Sensitive
                | VerdictCase::TooShort
                | VerdictCase::CannotTell => Tone::Doubt,
            },
            effect: words::effect(check),
            sentence: Some(words::sentence(check)),
        },
        blocks,
        charts: Some(Charts { data: data::data(check), scripts: vec![SCRIPT] }),
        width: 120,
    }
}

/// The placements on the machine; nothing where there is none to draw.
fn drawn(check: &Check) -> Option<Block> {
    let blocks = picture::of_points(&check.analysis.pictures);
    (!blocks.is_empty()).then(|| {
        let section = section("machine", "Placements on the machine", blocks);
        Block::Only(Face::Html, Box::new(section))
    })
}

fn summary(check: &Check) -> Block {
    let fact =
        |(name, text): (&'static str, String)| Fact { name, text: text.into(), code: name == "Program" };
    Block::Facts(words::summary(check).into_iter().map(fact).collect())
}

fn tone(call: Option<ContrastCall>) -> Tone {
    match call {
        Some(ContrastCall::Better) => Tone::Good,
        Some(ContrastCall::Worse) => Tone::Bad,
        Some(ContrastCall::Open) => Tone::Doubt,
        Some(ContrastCall::Same) | None => Tone::Plain,
    }
}

fn placements(check: &Check) -> Block {
    let rows = points::rows(check);
    let baseline = rows.iter().find(|row| row.baseline);
    let versus = baseline.map_or_else(|| "ratio".to_owned(), |row| format!("vs {}", row.point.id));
    let mut blocks = Vec::new();
    if rows.iter().any(|row| row.effect().is_some()) {
        blocks.push(captioned(
            "chart-ratios",
            "Ratio to the operating system's placement with 95 % intervals",
            "How many times as good as the operating system's placement, with the 95 % interval. The band around 1x is \
             what counts as no difference."
                .to_owned(),
        ));
    }
    let rows = rows.iter().map(ratio_row).collect();
    blocks.push(Block::Ratios(Ratios { subject: "placement", figure: "median", versus, rows }));
    if let Some(table) = others(check) {
        blocks.extend([Block::Heading("compared with each other"), Block::Table(table)]);
    }
    section("placements", "Placements", blocks)
}

fn ratio_row(row: &PointRow) -> RatioRow {
    RatioRow {
        name: row.point.id.to_string(),
        about: levels::title(&row.point.levels),
        figure: row.median.clone(),
        interval: row.interval.clone(),
        effect: row.effect(),
        ratio: row.effect_text(),
        call: row.call_text(),
        tone: tone(row.call()),
        count: row.point.samples.len(),
        notes: row.notes.clone(),
    }
}

/// The comparisons that are not with the operating system's placement.
fn others(check: &Check) -> Option<Table> {
    let rows: Vec<Row> = points::other_contrasts(check)
        .into_iter()
        .map(|contrast| {
            let effect = Text::of(&contrast.effect, |effect| points::effect_text(*effect));
            let tone = contrast.effect.measured().map_or(Tone::Plain, |_| tone(Some(contrast.call)));
            let cells: [Cell; 5] = [
                contrast.to.to_string().into(),
                contrast.from.to_string().into(),
                Cell { tone, ..effect.into() },
                words::call(contrast.call).into(),
                contrast.repeats.to_string().into(),
            ];
            cells.into_iter().collect()
        })
        .collect();
    let columns = vec![
        Column::code("placement"),
        Column::code("vs"),
        Column::text("ratio"),
        Column::text(""),
        Column::number("repeats"),
    ];
    (!rows.is_empty()).then_some(Table { columns, rows, most: None })
}

fn entries(check: &Check) -> Block {
    let entry = |finding| findings::entry(&check.study.header, finding);
    let entries: Vec<Entry> = check.analysis.findings.iter().map(entry).collect();
    let block = if entries.is_empty() { Block::Paragraph("none".into()) } else { Block::Entries(entries) };
    section("findings", "Findings", vec![block])
}

fn from_now_on(check: &Check) -> Block {
    let from_now_on = check.from_now_on;
    let note = lines::beside(check, LineTool::Numawise.name());
    let mut blocks =
        vec![Block::Commands(vec![Command { tool: None, line: from_now_on.line.clone(), note }])];
    if !from_now_on.equivalents.is_empty() {
        let command = |(tool, line): &(String, String)| Command {
            tool: Some(tool.clone()),
            line: line.clone(),
            note: lines::beside(check, tool),
        };
        let commands = from_now_on.equivalents.iter().map(command).collect();
        blocks.extend([Block::Heading("the same without numawise"), Block::Commands(commands)]);
    }
    let against = check.analysis.lines.as_ref().and_then(lines::against);
    let comments = against.iter().chain(&from_now_on.comments);
    let comments: Vec<Text> = comments.map(|text| text.as_str().into()).collect();
    if !comments.is_empty() {
        blocks.push(Block::List(comments));
    }
    section("use", "Use from now on", blocks)
}

fn failure(study: &Study) -> Option<Block> {
    let (what, output) = words::first_failure(study)?;
    let mut blocks = vec![Block::Paragraph(what.into())];
    if !output.trim().is_empty() {
        blocks.extend([Block::Paragraph("Its last lines of output:".into()), Block::Output(output)]);
    }
    Some(section("failure", "The first failure", blocks))
}
