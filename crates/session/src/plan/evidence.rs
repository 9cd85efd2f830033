//! What was measured of this machine, where a plan asks for it: for weights, and for kinds of memory.
//!
//! No other plan looks for a profile, so that no other start takes longer because there is one.

use numawise_facts::notice::{NodeBandwidth, PlanNotice, ProfileReference};
use numawise_facts::{Machine, MemoryMode, Notice, Placement, PlacementRequest};
use numawise_placement::{MachineDetail, needs};
use numawise_units::NodeSet;

use crate::here;
use crate::profiles::SavedProfile;

#[cfg(test)]
#[path = "evidence_tests.rs"]
mod tests;

/// The machine for a plan, and the profile that was merged into it.
pub fn with_profile(request: &PlacementRequest, machine: Machine) -> (Machine, Option<SavedProfile>) {
    if asks(request) { here::with_newest_profile(machine) } else { (machine, None) }
}

fn asks(request: &PlacementRequest) -> bool {
    needs(request) >= MachineDetail::MemoryKinds
}

/// What a plan was derived from.
pub fn notes(
    request: &PlacementRequest,
    machine: &Machine,
    placement: &Placement,
    found: Option<&SavedProfile>,
) -> Vec<Notice> {
    let mut notes = Vec::new();
    if !asks(request) {
        return notes;
    }
    let profile = found.map(reference);
    let weighted = placement.tasks.iter().find(|task| task.memory.mode == MemoryMode::WeightedInterleave);
    match (weighted, profile) {
        (Some(task), profile) if !task.memory.weights.is_empty() => {
            notes.extend(of_weights(machine, &task.memory.nodes, profile).map(Notice::from));
        }
        (None, Some(profile)) => notes.push(PlanNotice::KindsDerivedFrom { profile }.into()),
        _ => {}
    }
    notes.extend(found.iter().flat_map(|found| &found.notices).cloned());
    notes
}

fn reference(found: &SavedProfile) -> ProfileReference {
    ProfileReference {
        taken: found.profile.header.taken.measured().copied(),
        path: found.path.display().to_string(),
    }
}

fn of_weights(machine: &Machine, nodes: &NodeSet, profile: Option<ProfileReference>) -> Option<PlanNotice> {
    let known = numawise_placement::bandwidths(machine, nodes).ok()?;
    let bandwidths =
        known.of.iter().map(|(node, rate)| NodeBandwidth { node: *node, bandwidth: rate.median }).collect();
    Some(PlanNotice::WeightsDerivedFrom { origin: known.origin, profile, bandwidths })
}
