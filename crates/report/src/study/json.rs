//! A study as JSON, for scripts: `docs/formats/study-json.md`.

use numawise_facts::{Effect, Finding, GridRun, Metric, Point, PointId, RankBinding, Reading};
use numawise_tables::{
    GridRow, GridTables, LevelEffects, OtherFigure, ScalingKnee, ScalingModel, ScalingSeries, UsedUp,
};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json as object};

use super::{ShownStudy, figures, words};
use crate::object::{command, each, reading};
use crate::{findings, notice};

/// The name and the version of the format.
pub const SCHEMA: &str = "numawise/study/1";

/// The study as one JSON object, ending with a newline.
pub fn json(shown: &ShownStudy<'_>) -> String {
    let (header, tables) = (&shown.study.header, shown.tables);
    let bound = |point: &Point| Some((point.id.clone(), point.ranks.clone()?));
    let bound: Vec<(PointId, RankBinding)> = header.points.iter().filter_map(bound).collect();
    let before = object!({
        "schema": SCHEMA,
        "headline": format!("{}: {}", words::headline(shown), words::best(shown)),
        "text": words::sentence(shown),
        "factors": each(&tables.factors, |factor| object!({
            "kind": factor.kind, "name": factor.name, "levels": factor.levels,
        })),
        "constraints": header.grid.as_ref().map(|grid| grid.constraints.clone()),
        "templates": header.grid.as_ref().map(|grid| each(&grid.templates, |template| object!({
            "file": template.file, "bytes": template.text.len(),
        }))),
        "ranks": each(&bound, |(point, binding)| object!({ "point": point, "binding": binding })),
        "metric": metric(header.metric_name(), &header.metric),
        "other_metrics": header.grid.as_ref().map(|grid| {
            each(&grid.other_metrics, |other| metric(&other.name, &other.metric))
        }),
    });
    let after = object!({
        "baseline": tables.baseline,
        "best": reading(&tables.best, |best| object!({
            "point": best.point,
            "levels": levels_of(tables, &best.point),
            "sure": best.is_sure,
            "rivals": best.rivals,
            "cheapest": best.cheapest.as_ref().map(|cheapest| object!({
                "point": cheapest.point, "workers": cheapest.workers, "of": cheapest.of, "share": cheapest.share.0,
            })),
        })),
        "effects": each(&tables.effects, effect_of_levels),
        "scaling": each(&tables.scaling, scaling),
        "findings": each(&tables.findings, |one| finding(shown, one)),
        "trials": tables.trials,
        "stopped": tables.stopped,
        "unavailable": each(&tables.unavailable, notice::json),
        "not_tried": each(&header.not_tried, notice::json),
        "limits": each(&header.machine.limits, notice::machine::json),
        "command": command(&header.command),
        "tool_version": header.tool_version,
        "begun_ns": header.begun,
        "seed": header.seed,
        "repeats": header.min_repeats,
        "margin": header.margin,
        "record": shown.record,
    });
    let document = Document { before, points: Points(shown), after };
    let text = serde_json::to_string_pretty(&document).expect("all keys are text");
    text + "\n"
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    before: Value,
    points: Points<'a>,
    #[serde(flatten)]
    after: Value,
}

/// Written one by one: a large grid has too many to hold them all as values. The rows of the tables are in the order of the runs of the grid.
struct Points<'a>(&'a ShownStudy<'a>);

impl Serialize for Points<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let runs = self.0.study.header.grid.iter().flat_map(|grid| &grid.runs);
        serializer.collect_seq(runs.zip(&self.0.tables.rows).map(|(run, row)| point(self.0, run, row)))
    }
}

/// The cure is a point, which has more than a placement.
fn finding(shown: &ShownStudy<'_>, finding: &Finding) -> Value {
    let mut value = findings::json::finding(&shown.study.header, finding);
    value["cure"] = finding.cured_by().map_or(Value::Null, |point| {
        let grid = shown.study.header.grid.as_ref();
        let run = grid.and_then(|grid| grid.runs.iter().find(|run| run.point == *point));
        object!({
            "point": point,
            "levels": levels_of(shown.tables, point),
            "command": run.map(|run| run.command.shell_line()),
        })
    });
    value
}

fn metric(name: &str, of: &Metric) -> Value {
    object!({
        "name": name,
        "regex": of.regex(),
        "file": of.file().map(ToString::to_string),
        "higher_is_better": of.higher_is_better(),
    })
}

fn levels_of(tables: &GridTables, point: &numawise_facts::PointId) -> Value {
    tables.rows.iter().find(|row| row.point == *point).map_or(Value::Null, |row| levels(tables, row))
}

fn levels(tables: &GridTables, row: &GridRow) -> Value {
    let all = tables.factors.iter().zip(&row.levels).map(|(factor, level)| {
        // Numbers are numbers, so that scripts need not parse them.
        let value = level.parse::<u64>().map_or_else(|_| object!(level), |number| object!(number));
        (factor.name.clone(), value)
    });
    all.collect::<Map<_, _>>().into()
}

fn point(shown: &ShownStudy<'_>, run: &GridRun, row: &GridRow) -> Value {
    let name = shown.study.header.metric_name().to_owned();
    let mut metrics = Map::from_iter([(name, object!(named(figures::of_row(row))))]);
    metrics.extend(row.others.iter().map(|of| (of.name.clone(), other(of))));
    object!({
        "point": row.point,
        "levels": levels(shown.tables, row),
        "workers": row.workers,
        "n": row.repeats,
        "failures": row.failures,
        "disturbed": row.disturbed,
        "metrics": metrics,
        "speedup": reading(&row.speedup, effect),
        "efficiency": reading(&row.efficiency, effect),
        "command": run.command.shell_line(),
        "environment":
            run.environment.iter().map(|(name, value)| (name.clone(), object!(value))).collect::<Map<_, _>>(),
    })
}

fn other(of: &OtherFigure) -> Value {
    let mut value = named(figures::of_other(of));
    value.insert("n".to_owned(), object!(of.repeats));
    value.into()
}

fn named(figures: [&Reading<f64>; 6]) -> Map<String, Value> {
    figures::NAMES.iter().zip(figures).map(|(name, of)| ((*name).to_owned(), object!(of))).collect()
}

fn effect(of: &Effect) -> Value {
    object!({ "ratio": of.ratio, "low": of.low, "high": of.high })
}

fn knee(of: &ScalingKnee) -> Value {
    let reason = |of: &UsedUp| match *of {
        UsedUp::CoresOfNode(cores) => object!({ "kind": "cores_of_node", "cores": cores }),
        UsedUp::Cores(cores) => object!({ "kind": "cores", "cores": cores }),
        UsedUp::Cpus(cpus) => object!({ "kind": "cpus", "cpus": cpus }),
        UsedUp::MemoryBandwidth(cores) => object!({ "kind": "memory_bandwidth", "cores": cores }),
    };
    object!({
        "workers": of.workers, "before": of.before, "after": of.after, "used_up": each(&of.reasons, reason),
    })
}

fn effect_of_levels(of: &LevelEffects) -> Value {
    object!({
        "factor": of.factor,
        "levels": each(&of.levels, |of| object!({
            "level": of.level,
            "ratio": of.gain,
            "spread": reading(&of.spread, |spread| object!({
                "ratio": spread.ratio.ratio, "low": spread.ratio.low, "high": spread.ratio.high, "differs": spread.differs,
            })),
        })),
        "depends": of.depends.map(|(low, high)| object!({ "low": low, "high": high })),
    })
}

fn scaling(of: &ScalingSeries) -> Value {
    let at: Map<String, Value> = of.at.iter().map(|(name, level)| (name.clone(), object!(level))).collect();
    object!({
        "at": at,
        "points": of.points,
        "amdahl": model(&of.amdahl),
        "universal": model(&of.universal),
        "knee": of.knee.as_ref().map(knee),
        "text": words::scaling(of),
    })
}

fn model(of: &Reading<ScalingModel>) -> Value {
    reading(of, |model| {
        object!({
            "contention": model.contention,
            "coherency": model.coherency,
            "limit": model.limit,
            "peak": model.peak,
            "ratios": model.ratios,
            "worst": model.worst,
            "fits": model.fits,
        })
    })
}
