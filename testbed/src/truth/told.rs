//! What `numawise check` said, as far as it is judged. Its JSON is documented in `docs/formats/check-json.md`.

use serde_json::Value;

use super::hand::{AS_IS, Gain};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    pub case: String,
    /// What the first line rests on: from, to, how many times as good; none where there is no effect.
    pub effect: Option<Effect>,
    pub findings: Vec<String>,
    /// The placement to use from now on, as it is called by hand; `None` where nothing is recommended.
    pub recommended: Option<String>,
    /// The lines to use from now on, that of numawise first.
    pub lines: Vec<PrintedLine>,
}

/// A line that is printed to be used.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PrintedLine {
    pub tool: String,
    /// The effect that stands beside it.
    pub effect: Option<Gain>,
    /// Why it was not measured, which stands beside it instead.
    pub not_measured: Option<String>,
}

/// An effect between two placements, as they are called by hand.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Effect {
    pub from: String,
    pub to: String,
    pub gain: Gain,
}

impl Told {
    /// None: it is not what a check prints.
    pub fn of(json: &Value) -> Option<Told> {
        let told = &json["effect"];
        let name = |point: &Value| Some(by_hand(json, point.as_str()?));
        let effect = gain(told)
            .and_then(|gain| Some(Effect { from: name(&told["from"])?, to: name(&told["to"])?, gain }));
        let findings = json["findings"].as_array()?.iter();
        Some(Told {
            case: json["case"].as_str()?.to_owned(),
            effect,
            findings: findings.filter_map(|one| Some(one["id"].as_str()?.to_owned())).collect(),
            recommended: name(&json["recommended"]),
            lines: lines(&json["use"]),
        })
    }
}

fn lines(from_now_on: &Value) -> Vec<PrintedLine> {
    let line = |tool: &str, one: &Value| PrintedLine {
        tool: tool.to_owned(),
        effect: gain(&one["effect"]),
        not_measured: one["effect"]["unavailable"].as_str().map(str::to_owned),
    };
    let ours = from_now_on["line"].is_string().then(|| line("numawise", from_now_on));
    let others = from_now_on["equivalents"].as_array().into_iter().flatten();
    ours.into_iter().chain(others.map(|one| line(one["tool"].as_str().unwrap_or_default(), one))).collect()
}

fn gain(effect: &Value) -> Option<Gain> {
    let number = |key: &str| effect[key].as_f64();
    Some(Gain { ratio: number("ratio")?, low: number("low")?, high: number("high")? })
}

/// A placement of the check as it is called by hand: inside a node whatever the check calls it, where all its CPUs are of one, as
/// those of one thread are.
fn by_hand(json: &Value, point: &str) -> String {
    match point {
        "os" => AS_IS.to_owned(),
        "one-node" => format!("node{}", node(json, point).unwrap_or(0)),
        "all-nodes" | "pinned" => {
            node(json, point).map_or_else(|| "spread".to_owned(), |node| format!("node{node}"))
        }
        other => other.to_owned(),
    }
}

/// The node that all CPUs of a placement are of.
fn node(json: &Value, point: &str) -> Option<u64> {
    let point = json["points"].as_array()?.iter().find(|one| one["id"] == point)?;
    let cpus = numbers(point["placement"]["tasks"][0]["cpus"].as_str()?)?;
    let has_all = |node: &&Value| {
        let own = node["cpus"].as_str().and_then(numbers).unwrap_or_default();
        cpus.iter().all(|cpu| own.contains(cpu))
    };
    json["machine"]["nodes"].as_array()?.iter().find(has_all)?["id"].as_u64()
}

/// The numbers of a list such as `0-1,4`; none where it is no such list, or empty.
fn numbers(list: &str) -> Option<Vec<u64>> {
    let mut all = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        all.extend(first.parse::<u64>().ok()?..=last.parse().ok()?);
    }
    (!all.is_empty()).then_some(all)
}

#[cfg(test)]
#[path = "told_tests.rs"]
mod tests;
