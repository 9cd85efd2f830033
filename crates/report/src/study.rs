//! A study of a grid: one document for the terminal and for HTML, JSON and CSV, with the same sentences.

mod bars;
mod comparison;
mod csv;
mod curves;
mod data;
mod figures;
mod json;
mod maps;
mod raw;
mod reproduce;
mod trials;
mod words;

use numawise_facts::{Effect, Reading, Study};
use numawise_tables::{GridRow, GridTables, LevelEffects, ScalingSeries};

use curves::{CurveMeasure, Curves};
use trials::DrawnTrials;

pub use comparison::{ShownComparison, comparison_document, comparison_json};
pub use csv::csv;
pub use json::{SCHEMA, json};
pub use words::{rank_binding, ranks, repeats};

use crate::amount;
use crate::document::{
    Bar, BarPart, Bars, Block, Cell, Charts, Column, Document, Entry, Face, Fact, Opening, Row, RowLimits,
    SHADE, Table, Text, Tone, section,
};
use crate::findings;
use crate::page_text::{PageText, page_text};
use crate::{notice, picture};

const SCRIPT: PageText = page_text!("src/study/charts.js");

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct ShownStudy<'a> {
    pub study: &'a Study,
    pub tables: &'a GridTables,
    /// The file of the record, as the reader would type it.
    pub record: &'a str,
}

/// The widest lines that are of use on a terminal.
const WIDTH: usize = 140;

/// The study as a document: the best point first.
pub fn document(shown: &ShownStudy<'_>) -> Document {
    let drawn = DrawnTrials::of(shown);
    let curves = curves::curves(shown);
    let mut blocks = opening_blocks(shown, curves.as_ref());
    let html = |block| Block::Only(Face::Html, Box::new(block));
    let bars = bars::bars(shown);
    blocks.extend(bars.as_ref().map(|bars| html(bars::section_of(shown, bars))));
    blocks.extend(maps::section_of(shown).map(html));
    blocks.extend(drawn_points(shown).map(html));
    blocks.extend(trials::sections(shown, &drawn).into_iter().map(html));
    blocks.extend(notices(shown));
    blocks.extend(reproduce::sections(shown).into_iter().map(html));
    blocks.push(html(raw::section_of(shown)));
    let charts =
        Charts { data: data::data(shown, curves.as_ref(), bars.as_ref(), &drawn), scripts: vec![SCRIPT] };
    Document { charts: Some(charts), ..of_blocks(shown, blocks) }
}

/// The same without what only a page shows, which takes time where there are many trials.
pub fn terminal_document(shown: &ShownStudy<'_>) -> Document {
    let mut blocks = opening_blocks(shown, curves::curves(shown).as_ref());
    blocks.extend(notices(shown));
    of_blocks(shown, blocks)
}

/// The best and the worst point on the machine; nothing where no trial gave a value.
fn drawn_points(shown: &ShownStudy<'_>) -> Option<Block> {
    let blocks = picture::of_points(&shown.tables.pictures);
    (!blocks.is_empty()).then(|| section("machine", "The best and the worst point on the machine", blocks))
}

fn of_blocks(shown: &ShownStudy<'_>, mut blocks: Vec<Block>) -> Document {
    blocks.push(Block::Reasons { title: "Why figures are unavailable" });
    Document {
        tool: "numawise study",
        title: format!("Study: {}", shown.study.header.command.shell_line()),
        opening: Opening {
            headline: words::headline(shown),
            tone: match shown.tables.best.measured() {
                Some(best) if best.is_sure => Tone::Good,
                _ => Tone::Doubt,
            },
            effect: Some(words::best(shown)),
            sentence: words::sentence(shown),
        },
        blocks,
        charts: None,
        width: WIDTH,
    }
}

/// What could not be measured, what was not tried, and what limits us on this machine.
fn notices(shown: &ShownStudy<'_>) -> impl Iterator<Item = Block> {
    let unavailable: Vec<String> = shown.tables.unavailable.iter().map(notice::text).collect();
    let not_tried: Vec<String> = shown.study.header.not_tried.iter().map(notice::text_in_grid).collect();
    let limits = notice::machine::sentences(&shown.study.header.machine);
    let lists = [
        crate::document::list("unavailable", "What could not be measured", &unavailable),
        crate::document::list("not-tried", "What was not tried", &not_tried),
        crate::document::list("limits", "Limits on this machine", &limits),
    ];
    lists.into_iter().flatten()
}

/// What a terminal shows too.
fn opening_blocks(shown: &ShownStudy<'_>, curves: Option<&Curves<'_>>) -> Vec<Block> {
    let header = &shown.study.header;
    let fact = |name, text: String| Fact { name, text: text.into(), code: false };
    let mut facts = vec![
        Fact { name: "Program", text: header.command.shell_line().into(), code: true },
        fact("Trials", words::trials(shown)),
        fact("Metric", words::metric(&header.metric)),
        fact("Baseline", shown.tables.baseline.to_string()),
        Fact { name: "Record", text: shown.record.into(), code: true },
    ];
    facts.extend(words::ranks(header).map(|text| fact("Ranks", text)));
    if let Some(grid) = header.grid.as_ref().filter(|grid| !grid.constraints.is_empty()) {
        facts.push(fact("Where", grid.constraints.join("; ")));
    }
    if let Some(grid) = header.grid.as_ref().filter(|grid| !grid.templates.is_empty()) {
        let files: Vec<&str> = grid.templates.iter().map(|template| template.file.as_str()).collect();
        facts.push(fact("Filled in", files.join("; ")));
    }
    let mut blocks = vec![Block::Facts(facts)];
    blocks.extend(findings(shown));
    blocks.push(section(
        "points",
        "Points",
        std::iter::once(Block::Table(points(shown)))
            .chain(bases(shown.tables))
            .chain(bars(shown.tables))
            .collect(),
    ));
    blocks.extend(others(shown.tables));
    blocks.extend(effects(shown.tables));
    blocks.extend(scaling(shown, curves));
    blocks
}

/// Why speedups are not the quotients of the medians; nothing where they are, or where there are none.
fn bases(tables: &GridTables) -> Option<Block> {
    /// What two figures of a table show.
    const SEEN: f64 = 0.01;
    let rows = || tables.rows.iter();
    let first = *rows().find(|row| row.point == tables.baseline)?.median.measured()?;
    let differs = |row: &GridRow| {
        let (median, speedup) = (row.median.measured()?, row.speedup.measured()?.ratio.0);
        let quotient = median / first;
        Some([quotient, 1.0 / quotient].iter().all(|quotient| (speedup / quotient).ln().abs() > SEEN))
    };
    let legend = "Speedups compare trials of the same round, which had the same neighbours on the machine; medians are of all trials, so that their \
                  quotients differ a little.";
    rows().any(|row| differs(row) == Some(true)).then(|| Block::Legend(legend.into()))
}

/// Nothing where there are none.
fn findings(shown: &ShownStudy<'_>) -> Option<Block> {
    let entry = |finding| findings::entry(&shown.study.header, finding);
    let entries: Vec<Entry> = shown.tables.findings.iter().map(entry).collect();
    (!entries.is_empty()).then(|| section("findings", "Findings", vec![Block::Entries(entries)]))
}

fn points(shown: &ShownStudy<'_>) -> Table {
    let tables = shown.tables;
    let metric = &shown.study.header.metric;
    let mut columns = factor_columns(tables);
    columns.extend([
        Column::number("n").named(),
        Column::number("median"),
        Column::number("95 % interval").expendable(2),
        Column::number("mean").expendable(3),
        Column::number("sd").named().expendable(4),
        Column::number("min").expendable(5),
        Column::number("speedup"),
        Column::number("interval").expendable(1),
        Column::number("efficiency"),
        Column { ascii: Some('#'), ..Column::picture("shaded: interval") },
    ]);
    // So far as intervals go, but not for the sake of one that says nothing.
    let intervals = tables.rows.iter().filter_map(|row| row.speedup.measured());
    let most = intervals.map(|effect| effect.high.0.min(1.5 * effect.ratio.0)).fold(1.0, f64::max);
    let best = tables.best.measured().map(|best| &best.point);
    let row = |row: &GridRow| {
        let figure = |of: &Reading<f64>| cell(of, |value| amount::value(metric, *value));
        let levels = row.levels.iter().map(|level| Cell::from(level.as_str()));
        let figures = [
            count(row).into(),
            figure(&row.median),
            interval(&row.low, &row.high, |value| amount::value(metric, value)),
            figure(&row.mean),
            figure(&row.sd),
            figure(&row.min),
            cell(&row.speedup, |effect| effect.ratio.to_string()),
            cell(&row.speedup, |effect: &Effect| format!("{} to {}", effect.low, effect.high)),
            cell(&row.efficiency, |effect| words::share(effect.ratio)),
            row.speedup.measured().map_or_else(String::new, |effect| bar(effect, most)).into(),
        ];
        let tone = if best == Some(&row.point) { Tone::Good } else { Tone::Plain };
        Row { cells: levels.chain(figures).collect(), tone }
    };
    let rest = "JSON and CSV have all points";
    let limits = Some(RowLimits { terminal: 100, html: 1000, rest });
    Table { columns, rows: tables.rows.iter().map(row).collect(), most: limits }
}

fn factor_columns(tables: &GridTables) -> Vec<Column> {
    tables.factors.iter().map(|factor| Column::text(factor.name.clone()).named()).collect()
}

fn most_speedup(tables: &GridTables) -> f64 {
    let speedups = tables.rows.iter().filter_map(|row| row.speedup.measured()).map(|effect| effect.ratio.0);
    speedups.fold(1.0, f64::max)
}

/// A bar as long as the share of the largest; from the lower end of the interval to the upper it is shaded.
fn bar(effect: &Effect, most: f64) -> String {
    const LONGEST: f64 = 20.0;
    let length = |ratio: f64| (LONGEST * (ratio / most).clamp(0.0, 1.0)).round() as usize;
    let (low, high) = (length(effect.low.0), length(effect.high.0));
    let full = if low == high { length(effect.ratio.0) } else { low };
    format!("{}{}", "\u{2588}".repeat(full), SHADE.to_string().repeat(high - low))
}

/// The speedups as bars of a page; nothing where there are too many for it.
fn bars(tables: &GridTables) -> Option<Block> {
    const MOST: usize = 40;
    if tables.rows.len() > MOST {
        return None;
    }
    let most = most_speedup(tables);
    let bar = |row: &GridRow| {
        let share = row.speedup.measured().map_or(0.0, |effect| effect.ratio.0 / most);
        Bar { name: row.point.to_string(), shares: vec![share] }
    };
    Some(Block::Bars(Bars {
        chart: None,
        label: "Points by their speedup; the table holds the figures".to_owned(),
        parts: vec![BarPart { name: "speedup", colour: "--n0" }],
        bars: tables.rows.iter().map(bar).collect(),
        caption: format!("A bar is a point, as long as its speedup against {}.", tables.baseline),
    }))
}

/// The trials that count, and the failures where there are some.
fn count(row: &GridRow) -> String {
    match row.failures {
        0 => row.repeats.to_string(),
        failures => format!("{} ({failures} failed)", row.repeats),
    }
}

/// `1.2 s to 1.3 s`
fn span(low: &Reading<f64>, high: &Reading<f64>, text: impl Fn(f64) -> String) -> Reading<String> {
    low.as_ref().zip(high.as_ref()).map(|(low, high)| format!("{} to {}", text(*low), text(*high)))
}

fn interval(low: &Reading<f64>, high: &Reading<f64>, text: impl Fn(f64) -> String) -> Cell {
    cell(&span(low, high, text), Clone::clone)
}

fn cell<T>(of: &Reading<T>, text: impl FnOnce(&T) -> String) -> Cell {
    Text::of(of, text).into()
}

/// The medians of what trials gave besides; nothing where no trial counts.
fn others(tables: &GridTables) -> Option<Block> {
    let figures = &tables.rows.first()?.others;
    tables.rows.iter().find(|row| row.repeats > 0)?;
    let mut columns = factor_columns(tables);
    // A figure that no point has takes no columns: it is said why.
    let is_measured = |k: usize| {
        tables.rows.iter().any(|row| row.others.get(k).is_some_and(|of| of.median.measured().is_some()))
    };
    // Asked once: it is a pass over thousands of points.
    let there: Vec<bool> = (0..figures.len()).map(is_measured).collect();
    let is_there = |k: usize| there.get(k).is_some_and(|there| *there);
    let nowhere = figures.iter().enumerate().filter(|(k, _)| !is_there(*k));
    let nowhere: Vec<String> = nowhere
        .filter_map(|(_, of)| Some(format!("{} is not known: {}.", of.name, of.median.reason()?)))
        .collect();
    for (k, figure) in figures.iter().enumerate().filter(|(k, _)| is_there(*k)) {
        columns.push(Column::number(figure.name.clone()).named());
        columns.push(Column::number("95 % interval").expendable(k.min(9) as u8 + 1));
    }
    let row = |row: &GridRow| -> Row {
        let levels = row.levels.iter().map(|level| Cell::from(level.as_str()));
        let others = row.others.iter().enumerate().filter(|(k, _)| is_there(*k));
        let medians = others.flat_map(|(_, of)| {
            let shown = |value: f64| words::other(of.unit, value);
            [cell(&of.median, |value| shown(*value)), interval(&of.low, &of.high, shown)]
        });
        levels.chain(medians).collect()
    };
    let rest = "JSON and CSV have all points";
    let most = Some(RowLimits { terminal: 100, html: 1000, rest });
    let table = Table { columns, rows: tables.rows.iter().map(row).collect(), most };
    let legend = "Medians of the trials that count; times, CPU time and energy (of all processors and their memory, whatever ran) divided by \
                  the number of copies, memory the most of any one process.";
    let legend = [legend.to_owned()].into_iter().chain(nowhere).collect::<Vec<_>>().join(" ");
    Some(section(
        "others",
        "Other figures of the trials",
        vec![Block::Table(table), Block::Legend(legend.into())],
    ))
}

/// What each factor brings; nothing where one level each is all there is.
fn effects(tables: &GridTables) -> Option<Block> {
    let rows = tables.effects.iter().flat_map(|of: &LevelEffects| {
        of.levels.iter().enumerate().map(|(k, effect)| {
            let name = if k == 0 { of.factor.clone() } else { String::new() };
            let note = if k == 0 { words::depends(of) } else { String::new() };
            let cells: [Cell; 5] = [
                name.into(),
                effect.level.as_str().into(),
                cell(&effect.gain, ToString::to_string),
                cell(&effect.spread, words::spread),
                note.into(),
            ];
            cells.into_iter().collect::<Row>()
        })
    });
    let rows: Vec<Row> = rows.collect();
    let columns = vec![
        Column::text("factor"),
        Column::text("level"),
        Column::number("vs first level"),
        Column::number("scatter vs first level").expendable(1),
        Column::text(""),
    ];
    let legend = "Geometric means over all combinations of the other factors that have both levels; above 1x is better. Scatter is that of trials \
                  about the medians of their points: below 1x they differ less, and a range that holds 1x may be chance.";
    (!rows.is_empty()).then(|| {
        section(
            "effects",
            "Effect of each factor",
            vec![Block::Table(Table { columns, rows, most: None }), Block::Legend(legend.into())],
        )
    })
}

/// The curves, and the laws of scaling; nothing where there are too few numbers.
fn scaling(shown: &ShownStudy<'_>, curves: Option<&Curves<'_>>) -> Option<Block> {
    let mut blocks: Vec<Block> = curves.map_or_else(Vec::new, |curves| curves::blocks(shown, curves));
    let sentences: Vec<Text> = shown
        .tables
        .scaling
        .iter()
        .flat_map(|series: &ScalingSeries| words::scaling(series))
        .map(Text::from)
        .collect();
    if !sentences.is_empty() {
        blocks.push(Block::List(sentences));
    }
    let title = match curves {
        Some(curves) if curves.measure == CurveMeasure::Metric => format!("By {}", curves.along),
        _ => "How it scales".to_owned(),
    };
    (!blocks.is_empty()).then(|| section("scaling", title, blocks))
}
