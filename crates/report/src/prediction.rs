//! A prediction: the points of a grid with their times, measured or predicted, and what bounds them.

use std::cmp::Ordering;

use numawise_facts::{Metric, Reading, StopReason, Study};
use numawise_tables::{OtherMachineFacts, PredictedPoint, Prediction, TimeBound, TimePart};
use numawise_units::Ratio;
use serde_json::{Value, json as object};

use crate::amount::{self, many};
use crate::csv::quoted;
use crate::document::{
    Block, Cell, Column, Command, Document, Fact, Opening, Row, RowLimits, Table, Text, Tone, section,
};
use crate::object::{command, each, reading};

#[cfg(test)]
#[path = "prediction_tests.rs"]
mod tests;

/// The name and the version of the format.
pub const SCHEMA: &str = "numawise/prediction/1";

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub struct ShownPrediction<'a> {
    pub study: &'a Study,
    pub prediction: &'a Prediction,
    /// The file of the record, as the reader would type it.
    pub record: &'a str,
    /// What to type for the best point.
    pub line: Option<&'a str>,
    /// Where the points would be run, if that is not the machine of the runs.
    pub machine: Option<&'a OtherMachineFacts>,
}

/// Parts of a time that are named in a line.
const NAMED: usize = 2;

/// A figure of a point: its name in JSON and CSV, its title, and what it is.
struct PointFigure {
    name: &'static str,
    title: &'static str,
    /// The higher, the earlier it is left out where a line is short.
    expendable: u8,
    value: fn(&PredictedPoint) -> Reading<f64>,
    /// A share instead of a value of the metric.
    is_share: bool,
    /// Only points that were run have it.
    is_of_runs: bool,
}

/// All figures, once for every face.
const FIGURES: [PointFigure; 5] = [
    PointFigure {
        name: "predicted",
        title: "predicted",
        expendable: 0,
        value: |of| of.predicted.as_ref().map(|figure| figure.value),
        is_share: false,
        is_of_runs: false,
    },
    PointFigure {
        name: "predicted_low",
        title: "95 % from",
        expendable: 0,
        value: |of| of.predicted.as_ref().map(|figure| figure.low),
        is_share: false,
        is_of_runs: false,
    },
    PointFigure {
        name: "predicted_high",
        title: "to",
        expendable: 0,
        value: |of| of.predicted.as_ref().map(|figure| figure.high),
        is_share: false,
        is_of_runs: false,
    },
    PointFigure {
        name: "measured",
        title: "measured",
        expendable: 0,
        value: |of| of.measured.clone(),
        is_share: false,
        is_of_runs: true,
    },
    PointFigure {
        name: "error",
        title: "error",
        expendable: 1,
        value: |of| of.error().map(|error| error.0),
        is_share: true,
        is_of_runs: true,
    },
];

/// `memory bandwidth of node 0`, and the word for it in JSON and CSV.
pub fn bound(of: TimeBound) -> (String, String) {
    let both = |text: &str, word: &str| (text.to_owned(), word.to_owned());
    match of {
        TimeBound::Serial => both("serial work", "serial"),
        TimeBound::Compute => both("computing", "compute"),
        TimeBound::Latency => both("memory latency", "latency"),
        TimeBound::CoreBandwidth => both("bandwidth of each core", "core_bandwidth"),
        TimeBound::MemoryBandwidth(node) => {
            (format!("memory bandwidth of node {node}"), format!("memory_bandwidth:{node}"))
        }
        TimeBound::LinkBandwidth(from, to) => (
            format!("link from CPUs of node {from} to memory of node {to}"),
            format!("link_bandwidth:{from}:{to}"),
        ),
        TimeBound::Synchronisation => both("synchronisation", "synchronisation"),
        TimeBound::ThreadLimit => both("limit of threads at work", "thread_limit"),
    }
}

/// `62 % memory bandwidth of node 0, 20 % computing`
fn bounds(parts: &[TimePart]) -> String {
    let one = |part: &TimePart| format!("{:.0} % {}", 100.0 * part.share.0, bound(part.bound).0);
    parts.iter().take(NAMED).map(one).collect::<Vec<_>>().join(", ")
}

/// The best point first; what has no figure last.
pub fn document(shown: &ShownPrediction<'_>) -> Document {
    let fact = |name, text: String| Fact { name, text: text.into(), code: false };
    let prediction = shown.prediction;
    let mut facts = vec![
        Fact { name: "Program", text: shown.study.header.command.shell_line().into(), code: true },
        fact("Points", points(prediction)),
        Fact {
            name: "Errors",
            text: Text::of(&prediction.errors, |errors| {
                format!(
                    "each run point vs the prediction by the others: median {}, largest {}",
                    percent(errors.median),
                    percent(errors.largest)
                )
            }),
            code: false,
        },
        Fact { name: "Record", text: shown.record.into(), code: true },
    ];
    facts.extend(shown.machine.map(|machine| fact("Machine", other_machine(machine))));
    let legend = "A prediction of a point that was run is made as if it had not been. The interval is where a run would lie with 95 %.";
    let mut blocks = vec![Block::Facts(facts)];
    if let Some(line) = shown.line {
        let line = Command { tool: None, line: line.to_owned(), note: None };
        blocks.push(section("use", "Use from now on", vec![Block::Commands(vec![line])]));
    }
    blocks.push(section("points", "Points", vec![Block::Table(table(shown)), Block::Legend(legend.into())]));
    blocks.push(Block::Reasons { title: "Why figures are unavailable" });
    Document {
        tool: "numawise predict",
        title: format!("Prediction: {}", shown.study.header.command.shell_line()),
        opening: opening(shown),
        blocks,
        charts: None,
        width: 140,
    }
}

/// What stands behind a prediction for another machine.
fn other_machine(of: &OtherMachineFacts) -> String {
    let speed = match &of.compute {
        Reading::Measured(ratio) => {
            format!("its cores compute {:.2} times as fast as those of the runs, by both profiles", ratio.0)
        }
        Reading::Unavailable { unavailable } => format!(
            "how fast its cores compute is not known ({unavailable}): they are taken to be alike, within a factor of 2"
        ),
    };
    format!(
        "that of {}, with {} and {}; no run there stands behind this; {speed}",
        of.profile,
        many(u64::from(of.nodes), "node"),
        many(u64::from(of.cores), "core")
    )
}

fn points(prediction: &Prediction) -> String {
    let predicted =
        prediction.points.iter().filter(|point| point.runs == 0 && point.predicted.measured().is_some());
    format!(
        "{}: {} run, {} predicted",
        many(prediction.points.len() as u64, "point"),
        prediction.run,
        predicted.count()
    )
}

fn percent(share: Ratio) -> String {
    format!("{:.1} %", 100.0 * share.0)
}

fn best<'a>(shown: &ShownPrediction<'a>) -> Option<&'a PredictedPoint> {
    let best = shown.prediction.best.measured()?;
    shown.prediction.points.iter().find(|point| point.point == *best)
}

fn opening(shown: &ShownPrediction<'_>) -> Opening {
    let metric = &shown.study.header.metric;
    let Some(best) = best(shown) else {
        let reason = shown.prediction.best.reason().map(ToString::to_string);
        return Opening {
            headline: "no prediction".to_owned(),
            tone: Tone::Doubt,
            effect: None,
            sentence: reason,
        };
    };
    let value = |value: f64| amount::value(metric, value);
    let figure = best.predicted.measured();
    let predicted = figure.map(|of| format!("{} to {}", value(of.low), value(of.high)));
    let was_run = best.measured.measured();
    let sentence = match (was_run, best.error().measured()) {
        (Some(measured), Some(error)) => Some(format!(
            "measured {}; the other runs say {}, {} off",
            value(*measured),
            predicted.unwrap_or_default(),
            percent(Ratio(error.0.abs()))
        )),
        (Some(measured), None) => Some(format!("measured {}", value(*measured))),
        (None, _) if shown.machine.is_some() => Some(format!(
            "predicted {} on the machine of {}, where nothing was run",
            predicted.unwrap_or_default(),
            shown.machine.map(|machine| machine.profile.as_str()).unwrap_or_default()
        )),
        (None, _) => Some(format!(
            "predicted {}, and not run: run it before it is used",
            predicted.unwrap_or_default()
        )),
    };
    let is_whole = shown.study.stopped == Some(StopReason::Decided);
    let headline = match was_run {
        Some(_) if is_whole => "best point",
        Some(_) => "best point so far",
        None => "best point as predicted",
    };
    Opening {
        headline: headline.to_owned(),
        tone: if was_run.is_some() { Tone::Good } else { Tone::Doubt },
        effect: Some(best.point.to_string()),
        sentence,
    }
}

fn table(shown: &ShownPrediction<'_>) -> Table {
    let metric = &shown.study.header.metric;
    let factors = shown.prediction.factors.iter().map(|factor| Column::text(factor.name.clone()).named());
    let mut columns: Vec<Column> = factors.collect();
    columns.push(Column::number("runs").named().expendable(2));
    columns.extend(FIGURES.iter().map(|figure| Column::number(figure.title).expendable(figure.expendable)));
    columns.push(Column::text("what takes the time"));
    let row = |point: &&PredictedPoint| {
        let levels = point.levels.iter().map(|level| Cell::from(level.as_str()));
        let figures = FIGURES.iter().map(|figure| cell(figure, metric, point));
        let runs = Cell::from(point.runs.to_string());
        let parts = Cell::from(Text::of(&point.parts, |parts| bounds(parts)));
        let is_best = shown.prediction.best.measured() == Some(&point.point);
        Row {
            cells: levels.chain([runs]).chain(figures).chain([parts]).collect(),
            tone: if is_best { Tone::Good } else { Tone::Plain },
        }
    };
    let mut points: Vec<&PredictedPoint> = shown.prediction.points.iter().collect();
    points.sort_by(|one, other| by_figure(metric, one, other));
    let most = Some(RowLimits { terminal: 40, html: 1000, rest: "JSON and CSV have all points" });
    Table { columns, rows: points.iter().map(row).collect(), most }
}

/// Why a point was not run is no question: its prediction stands beside it.
fn cell(figure: &PointFigure, metric: &Metric, point: &PredictedPoint) -> Cell {
    let of = (figure.value)(point);
    if point.runs == 0 && figure.is_of_runs && point.predicted.measured().is_some() {
        return Cell::from("");
    }
    let text = |value: &f64| {
        if figure.is_share { percent(Ratio(*value)) } else { amount::value(metric, *value) }
    };
    Text::of(&of, text).into()
}

fn by_figure(metric: &Metric, one: &PredictedPoint, other: &PredictedPoint) -> Ordering {
    match (one.figure(), other.figure()) {
        (Some(one), Some(other)) if metric.higher_is_better() => other.total_cmp(&one),
        (Some(one), Some(other)) => one.total_cmp(&other),
        (one, other) => other.is_some().cmp(&one.is_some()),
    }
}

/// The prediction as one JSON object, ending with a newline.
pub fn json(shown: &ShownPrediction<'_>) -> String {
    let prediction = shown.prediction;
    let opening = opening(shown);
    let value = object!({
        "schema": SCHEMA,
        "headline": opening.headline,
        "text": opening.sentence,
        "factors": each(&prediction.factors, |factor| object!({
            "kind": factor.kind, "name": factor.name, "levels": factor.levels,
        })),
        "higher_is_better": shown.study.header.metric.higher_is_better(),
        "best": prediction.best,
        "use": shown.line,
        "run": prediction.run,
        "errors": reading(&prediction.errors, |errors| object!({
            "median": errors.median.0, "largest": errors.largest.0,
        })),
        "points": each(&prediction.points, point),
        "command": command(&shown.study.header.command),
        "record": shown.record,
        "machine": shown.machine.map(|machine| object!({
            "profile": machine.profile,
            "nodes": machine.nodes,
            "cores": machine.cores,
            "compute": reading(&machine.compute, |ratio| object!(ratio.0)),
        })),
        "tool_version": shown.study.header.tool_version,
    });
    format!("{value:#}\n")
}

fn point(of: &PredictedPoint) -> Value {
    let mut value =
        object!({ "point": of.point, "levels": of.levels, "threads": of.threads, "runs": of.runs });
    for figure in &FIGURES {
        value[figure.name] = object!((figure.value)(of));
    }
    value["bounds"] = reading(&of.parts, |parts| {
        each(parts, |part| object!({ "bound": bound(part.bound).1, "share": part.share.0 }))
    });
    value
}

/// A row for each point; an empty cell is a figure that is unavailable, whose reason JSON has.
pub fn csv(shown: &ShownPrediction<'_>) -> String {
    let line = |cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        format!("{}\n", cells.join(","))
    };
    let factors = shown.prediction.factors.iter().map(|factor| factor.name.clone());
    let names = FIGURES.iter().map(|figure| figure.name.to_owned());
    let mut text =
        line(factors.chain(["runs".to_owned()]).chain(names).chain(["bounds".to_owned()]).collect());
    for point in &shown.prediction.points {
        let figures = FIGURES
            .iter()
            .map(|figure| (figure.value)(point).measured().map_or_else(String::new, ToString::to_string));
        let parts = point.parts.measured().map_or(&[][..], Vec::as_slice);
        let parts: Vec<String> =
            parts.iter().map(|part| format!("{}={:.3}", bound(part.bound).1, part.share.0)).collect();
        let cells = point.levels.iter().cloned().chain([point.runs.to_string()]).chain(figures);
        text += &line(cells.chain([parts.join(" ")]).collect());
    }
    text
}
