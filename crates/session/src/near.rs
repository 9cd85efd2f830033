//! What experiments have to do with a device that their points are near to.

use std::collections::BTreeMap;

use numawise_facts::notice::SessionNotice;
use numawise_facts::{DeviceName, Machine, Notice, PlacementRequest, Strategy};
use numawise_placement::{near, place};
use numawise_study::{NearDevice, StudyDesign};
use numawise_units::CpuSet;

use crate::Error;

#[cfg(test)]
#[path = "near_tests.rs"]
mod tests;

/// The CPUs that a run near to the device would have.
///
/// # Errors
/// Those of such a run.
pub(crate) fn device(machine: &Machine, name: &DeviceName) -> Result<NearDevice, Error> {
    let all = PlacementRequest { strategy: Strategy::Explicit, ..PlacementRequest::as_the_os_does() };
    let placement = place(machine, &near(machine, &all, name)?)?;
    let cpus = placement.tasks.iter().fold(CpuSet::new(), |all, task| all.union(&task.cpus));
    Ok(NearDevice { name: name.clone(), cpus })
}

/// What there is to say of points near to a device on a machine where all are.
///
/// # Errors
/// When there is no such device, or what it is near to is not known.
pub fn near_everywhere(machine: &Machine, name: &DeviceName) -> Result<Option<Notice>, Error> {
    let nodes = || machine.nodes_with_allowed_cpus().map(|node| node.id).collect();
    let notice = || SessionNotice::NearEverywhere { device: name.clone(), nodes: nodes() };
    Ok(device(machine, name)?.is_everywhere(machine).then(|| notice().into()))
}

/// Keeps the points of a design that are to be near to a device there, with as many threads as all that they are compared with.
pub(crate) fn resolve(machine: &Machine, design: &mut StudyDesign) -> Result<(), Error> {
    for point in &mut design.points {
        let placement = &mut point.levels.placement;
        if let Some(name) = &placement.near {
            point.request = near(machine, &point.request, name)?;
            placement.nodes.clone_from(&point.request.nodes);
            placement.cpus.clone_from(&point.request.cpus);
        }
    }
    share_threads(machine, design);
    Ok(())
}

/// Where nobody gave a number of threads, points with as many tasks have as many as the one near to a device with the fewest: a program
/// has fewer threads on fewer CPUs, and that would pass for what the device is worth.
fn share_threads(machine: &Machine, design: &mut StudyDesign) {
    let mut fewest: BTreeMap<u32, u32> = BTreeMap::new();
    let near = design.points.iter().filter(|point| point.levels.placement.near.is_some());
    for point in near.filter(|point| point.request.threads.is_none()) {
        // A point that cannot be placed is left out with its reason, later.
        let Ok(placement) = place(machine, &point.request) else { continue };
        let threads = placement.tasks.iter().map(|task| task.threads.len() as u32).min().unwrap_or(0);
        let least = fewest.entry(point.request.tasks).or_insert(threads);
        *least = threads.min(*least);
    }
    for point in design.points.iter_mut().filter(|point| point.request.threads.is_none()) {
        if let Some(threads) = fewest.get(&point.request.tasks).filter(|threads| **threads > 0) {
            point.request.threads = Some(*threads);
            point.levels.threads = *threads;
        }
    }
}
