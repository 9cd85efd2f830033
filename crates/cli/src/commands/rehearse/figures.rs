//! Figures as they are typed: `80,140` for all memory by distance, `2:120,180` for that of node 2.

use std::str::FromStr;

use numawise_session::rehearse::{DistanceFigures, RehearsalFigures};
use numawise_units::{BytesPerSecond, Latency, NodeId};

use super::Failure;

/// One word of `--latency` or `--bandwidth`.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenFigure {
    node: Option<NodeId>,
    values: Vec<f64>,
}

/// A word that is none.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error(
    "expected numbers above 0 with commas between them, such as 80,140; or those of one node, such as 2:120,180"
)]
pub struct NoFigures;

impl FromStr for GivenFigure {
    type Err = NoFigures;

    fn from_str(text: &str) -> Result<Self, NoFigures> {
        let (node, values) = match text.split_once(':') {
            Some((node, values)) => (Some(NodeId(node.trim().parse().map_err(|_| NoFigures)?)), values),
            None => (None, text),
        };
        let value =
            |text: &str| text.trim().parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0);
        let values = values.split(',').map(value).collect::<Option<_>>().ok_or(NoFigures)?;
        Ok(GivenFigure { node, values })
    }
}

/// All words together.
pub fn given(latency: &[GivenFigure], bandwidth: &[GivenFigure]) -> Result<RehearsalFigures, Failure> {
    Ok(RehearsalFigures {
        latency: by_distance("--latency", latency, Latency)?,
        bandwidth: by_distance("--bandwidth", bandwidth, |rate| BytesPerSecond(rate * 1e9))?,
    })
}

fn by_distance<T>(
    option: &str,
    words: &[GivenFigure],
    unit: impl Fn(f64) -> T,
) -> Result<DistanceFigures<T>, Failure> {
    let mut all = DistanceFigures::default();
    for (k, word) in words.iter().enumerate() {
        if words[..k].iter().any(|other| other.node == word.node) {
            let whose = word.node.map_or("all nodes".to_owned(), |node| format!("node {node}"));
            return Err(Failure::new(format!("{option}: figures of {whose} are given twice; leave one out")));
        }
        let values = word.values.iter().map(|value| unit(*value)).collect();
        match word.node {
            None => all.of_all = values,
            Some(node) => all.of_node.push((node, values)),
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_of_all_nodes_or_of_one_and_given_once() {
        let of = |text: &str| text.parse::<GivenFigure>();
        let (all, one) = (of("80, 140").unwrap(), of("2:120").unwrap());
        let read = given(std::slice::from_ref(&all), &[all.clone(), one.clone()]).ok().unwrap();
        assert_eq!(read.latency.of_all, [Latency(80.0), Latency(140.0)]);
        assert_eq!(read.bandwidth.of_node, [(NodeId(2), vec![BytesPerSecond(120e9)])]);
        for text in ["", "80,", "80;140", "-1", "nan", "inf", "a:80", ":80", "0"] {
            assert_eq!(of(text), Err(NoFigures), "{text}");
        }
        let twice = given(&[one.clone(), one], &[]).err().unwrap();
        assert!(
            twice.message().contains("--latency: figures of node 2 are given twice"),
            "{}",
            twice.message()
        );
    }
}
