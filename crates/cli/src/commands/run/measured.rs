//! What was measured of this machine, where a plan asks for it: for weights, and for kinds of memory.
//!
//! No other plan looks for a profile, so that no other start takes longer because there is one.

use numawise_facts::{
    Machine, MemoryMode, MemoryRequest, NodeBandwidth, Notice, Placement, PlanNotice, ProfileReference,
};
use numawise_session::{here, profiles::SavedProfile};
use numawise_units::NodeSet;

use super::request::Request;

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
    // numactl's own option takes the kernel's weights as they are.
    matches!(request.placement.memory, MemoryRequest::Weighted(_) | MemoryRequest::Hbm)
}

/// What a plan was derived from, for --verbose and --dry-run.
pub fn notes(
    request: &Request,
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
