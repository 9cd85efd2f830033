//! What experiments have to do with a device that their points are near to.

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

/// Keeps the points of a design that are to be near to a device there.
pub(crate) fn resolve(machine: &Machine, design: &mut StudyDesign) -> Result<(), Error> {
    for point in &mut design.points {
        let placement = &mut point.levels.placement;
        if let Some(name) = &placement.near {
            point.request = near(machine, &point.request, name)?;
            placement.nodes.clone_from(&point.request.nodes);
            placement.cpus.clone_from(&point.request.cpus);
        }
    }
    Ok(())
}
