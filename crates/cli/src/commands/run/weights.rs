//! The kernel's weights for weighted interleaving, beside those of a plan.

use std::fs;

use numawise_facts::{MemoryMode, NodeWeight, Notice, Placement, PlanNotice};
use numawise_machine::{Roots, WEIGHTS, global_weight};

use super::super::Failure;
use super::arguments::Arguments;

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

/// Writes the plan's weights into the kernel. Gives what was done, as a warning.
///
/// # Errors
/// When the plan has no weights, or they cannot be written.
pub fn write(arguments: &Arguments, placement: &mut Placement) -> Result<(), Failure> {
    if !arguments.global_weights {
        return Ok(());
    }
    let wanted = wanted(placement).to_vec();
    if wanted.is_empty() {
        return Err(no_weights(arguments, placement));
    }
    for one in &wanted {
        let file = format!("{WEIGHTS}/node{}", one.node);
        fs::write(&file, one.weight.to_string()).map_err(|error| {
            Failure::new(format!(
                "--global-weights: cannot write {} to {file}: {error}; {}",
                one.weight,
                match error.kind() {
                    std::io::ErrorKind::NotFound =>
                        "kernels have this file since Linux 6.9; try --memory interleave",
                    std::io::ErrorKind::PermissionDenied => "only root may write it",
                    _ => "expected a kernel that takes it",
                }
            ))
        })?;
    }
    placement.warnings.retain(|warning| !is_about_weights(warning));
    placement.warnings.push(PlanNotice::KernelWeightsWritten { weights: wanted }.into());
    Ok(())
}

fn no_weights(arguments: &Arguments, placement: &Placement) -> Failure {
    let why = placement.warnings.iter().find(|warning| is_about_weights(warning));
    let why = match (why, arguments.weighted_interleave.is_some()) {
        (_, true) => {
            "numactl's --weighted-interleave takes the kernel's weights as they are; expected --memory \
                      weighted"
                .to_owned()
        }
        (Some(why), _) => numawise_report::notice::text(why),
        (None, _) => "expected --memory weighted with two nodes or more".to_owned(),
    };
    Failure::new(format!("--global-weights: the plan has no weights to write: {why}"))
}
