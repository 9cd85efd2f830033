//! The kernel's weights for weighted interleaving, compared with those of a plan.

use std::io;

use numawise_facts::notice::PlanNotice;
use numawise_facts::{MemoryMode, NodeWeight, Notice, Placement};
use numawise_linux::weights as kernel;
use numawise_machine::{Roots, global_weight};

use super::request::{MemorySelection, RunRequest};
use crate::error::{Error, WeightsMissing};

#[cfg(test)]
#[path = "weights_tests.rs"]
mod tests;

/// The weights that the plan asks for; all its tasks ask for the same.
fn wanted(placement: &Placement) -> &[NodeWeight] {
    let weighted = placement.tasks.iter().filter(|task| task.memory.mode == MemoryMode::WeightedInterleave);
    weighted.map(|task| task.memory.weights.as_slice()).next().unwrap_or_default()
}

/// Compares the kernel's weights with the plan's, where this computer runs it. Where they are the same nothing needs to
/// be said; where they differ, what they are now is said.
pub fn compare(placement: &mut Placement, roots: &Roots) {
    let wanted = wanted(placement).to_vec();
    let now: Option<Vec<NodeWeight>> = wanted
        .iter()
        .map(|one| Some(NodeWeight { node: one.node, weight: global_weight(roots, one.node)? }))
        .collect();
    match now {
        // A kernel without the files has no such policy either; the call will say so.
        None => {}
        Some(now) if now.is_empty() => {}
        Some(now) if same_shares(&now, &wanted) => {
            placement.warnings.retain(|warning| !is_about_weights(warning));
        }
        Some(now) => {
            placement.warnings.push(PlanNotice::KernelWeightsDiffer { now, planned: wanted }.into());
        }
    }
}

/// True for what a plan says of the weights that it needs.
fn is_about_weights(notice: &Notice) -> bool {
    use PlanNotice::{BandwidthUnknown, KernelWeightsDiffer, WeightsNeeded};
    matches!(
        notice,
        Notice::Plan(WeightsNeeded { .. } | BandwidthUnknown { .. } | KernelWeightsDiffer { .. })
    )
}

/// 2 and 4 share pages as 1 and 2 do.
fn same_shares(now: &[NodeWeight], wanted: &[NodeWeight]) -> bool {
    let sum = |weights: &[NodeWeight]| weights.iter().map(|one| u32::from(one.weight)).sum::<u32>();
    let (all_now, all_wanted) = (sum(now), sum(wanted));
    now.iter()
        .zip(wanted)
        .all(|(now, wanted)| u32::from(now.weight) * all_wanted == u32::from(wanted.weight) * all_now)
}

/// Writes the plan's weights into the kernel, and says so in the plan's warnings.
///
/// # Errors
/// When the plan has no weights, or they cannot be written.
pub fn write(request: &RunRequest, placement: &mut Placement) -> Result<(), Error> {
    let wanted = wanted(placement).to_vec();
    if wanted.is_empty() {
        return Err(Error::NoWeights(missing(request, placement)));
    }
    for one in &wanted {
        kernel::set(&numawise_linux::Roots::live(), one.node, one.weight)
            .map_err(|source| not_written(*one, source))?;
    }
    placement.warnings.retain(|warning| !is_about_weights(warning));
    placement.warnings.push(PlanNotice::KernelWeightsWritten { weights: wanted }.into());
    Ok(())
}

fn not_written(weight: NodeWeight, source: io::Error) -> Error {
    let file = kernel::file(weight.node);
    Error::WeightNotWritten { weight: weight.weight, file, source }
}

fn missing(request: &RunRequest, placement: &Placement) -> WeightsMissing {
    let of_numactl = MemoryMode::WeightedInterleave;
    if matches!(request.memory, MemorySelection::Numactl { policy, .. } if policy == of_numactl) {
        return WeightsMissing::KernelsAreTaken;
    }
    match placement.warnings.iter().find(|warning| is_about_weights(warning)) {
        Some(notice) => WeightsMissing::Unknown(Box::new(notice.clone())),
        None => WeightsMissing::NotAskedFor,
    }
}
