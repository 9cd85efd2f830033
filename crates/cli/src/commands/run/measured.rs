//! What was measured of this machine, where a plan asks for it: for weights, and for kinds of memory.
//!
//! No other plan looks for a profile, so that no other start takes longer because there is one.

use numawise_facts::{AttributeOrigin, Machine, MemoryMode, MemoryRequest, Placement};
use numawise_report::notice;
use numawise_session::{here, profiles::SavedProfile};
use numawise_units::{BytesPerSecond, NodeSet};

use super::request::Request;
use crate::commands::measured;

#[cfg(test)]
#[path = "measured_tests.rs"]
mod tests;

/// The machine for a plan, and the profile that was laid over it.
pub fn laid_over(request: &Request, machine: Machine) -> (Machine, Option<SavedProfile>) {
    if !asks(request) {
        return (machine, None);
    }
    here::with_newest_profile(machine)
}

fn asks(request: &Request) -> bool {
    match request.placement.memory {
        // numactl's own option takes the kernel's weights as they are.
        MemoryRequest::Weighted(_) => !request.kernels_weights,
        MemoryRequest::Hbm => true,
        _ => false,
    }
}

/// What a plan was told from, for --verbose and --dry-run, as clauses.
pub fn notes(
    request: &Request,
    machine: &Machine,
    placement: &Placement,
    found: Option<&SavedProfile>,
) -> Vec<String> {
    let mut notes = Vec::new();
    if !asks(request) {
        return notes;
    }
    let date = found.map(measured::when_and_where);
    let weighted = placement.tasks.iter().find(|task| task.memory.mode == MemoryMode::WeightedInterleave);
    match (weighted, &date) {
        (Some(task), _) if !task.memory.weights.is_empty() => {
            notes.extend(of_weights(machine, &task.memory.nodes, date.as_deref()));
        }
        (None, Some(date)) => notes.push(format!("kinds of memory are told by what was measured on {date}")),
        _ => {}
    }
    notes.extend(found.iter().flat_map(|found| &found.notices).map(notice::text));
    notes
}

fn of_weights(machine: &Machine, nodes: &NodeSet, date: Option<&str>) -> Option<String> {
    let known = numawise_placement::bandwidths(machine, nodes).ok()?;
    let rate = |value: u64| BytesPerSecond(value as f64 * 1e6);
    let list: Vec<String> =
        known.of.iter().map(|(node, value)| format!("node {node} {}", rate(*value))).collect();
    let who = match (known.origin, date) {
        (AttributeOrigin::Measured, Some(date)) => format!("measured on {date}"),
        (AttributeOrigin::Measured, None) => "measured, as the machine file has them".to_owned(),
        (AttributeOrigin::Firmware, _) => "that the firmware declares".to_owned(),
    };
    Some(format!("the weights go by bandwidths {who}: {}", list.join(", ")))
}
