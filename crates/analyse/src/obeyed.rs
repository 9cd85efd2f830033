//! Asked and found: whether the threads and the memory of a point were where the plan has them. Nothing may be concluded
//! from a point that was not obeyed in either.

pub mod memory;
pub mod pinned;
mod reach;
pub mod threads;

use numawise_facts::{Point, PointId, Study};

/// The points that were not obeyed.
pub fn disobeyed(study: &Study) -> Vec<&PointId> {
    let astray = |point: &&Point| {
        threads::not_obeyed(study, point).is_some() || memory::not_obeyed(study, point).is_some()
    };
    study.header.points.iter().filter(astray).map(|point| &point.id).collect()
}
