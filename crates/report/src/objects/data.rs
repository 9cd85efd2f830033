//! What the charts of the objects draw.

use numawise_tables::objects::ObjectRow;
use numawise_units::NodeId;
use serde_json::{Value, json as object};

use super::{Shown, views, words};

/// Objects of the map.
const MAP: usize = 200;

/// Sizes in bytes, times in milliseconds; null where something is not known.
pub fn data(shown: &Shown) -> Value {
    let nodes = views::nodes(shown);
    let residence = views::timed(shown).map(|(row, moments)| {
        let moments = moments.iter().map(|moment| {
            let bytes = |node: &NodeId| {
                let share =
                    moment.nodes.iter().find(|of| of.node == Some(*node)).map_or(0.0, |of| of.share.0);
                (share * moment.bytes.0 as f64).round()
            };
            object!([moment.at.0 / 1_000_000, nodes.iter().map(bytes).collect::<Vec<_>>()])
        });
        object!({ "name": words::name(row), "moments": moments.collect::<Vec<_>>() })
    });
    object!({
        "objects": shown.tables.rows.iter().take(MAP).filter_map(point).collect::<Vec<_>>(),
        "nodes": nodes.iter().map(|node| format!("node {node}")).collect::<Vec<_>>(),
        "residence": residence.collect::<Vec<_>>(),
        "bandwidth": bandwidth(shown),
    })
}

/// An object of the map: name, bytes, share of time and its interval, local share, where it was allocated.
fn point(row: &ObjectRow) -> Option<Value> {
    let time = row.memory_time.measured().filter(|share| share.value.0 > 0.0)?;
    let size = *words::size(row).measured()?;
    let local =
        row.used.measured().and_then(|used| used.remote.measured()).map(|remote| short(1.0 - remote.0));
    let place = row.allocated.measured().map(words::at);
    let [value, low, high] = [time.value, time.low, time.high].map(|share| short(share.0));
    Some(object!([words::name(row), size, value, low, high, local, place]))
}

fn bandwidth(shown: &Shown) -> Value {
    let Some(of) = shown.run.bandwidth.measured() else { return Value::Null };
    let flows = views::flows(of);
    let moments = of.moments.iter().map(|moment| {
        let values = flows.iter().map(|flow| flow.rate(moment).map(|rate| short(rate.0)));
        object!([moment.at.0 / 1_000_000, values.collect::<Vec<_>>()])
    });
    object!({
        "nodes": flows.iter().map(|flow| flow.name()).collect::<Vec<_>>(),
        "moments": moments.collect::<Vec<_>>(),
    })
}

/// Six digits are finer than any screen.
fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
