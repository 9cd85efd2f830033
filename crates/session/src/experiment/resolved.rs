//! The points of a design with their placements.

use std::collections::HashSet;

use numawise_facts::notice::{LaunchNotice, PreloadObstacle, StudyNotice};
use numawise_facts::{Machine, Notice, Point, PointId, PointPair, ThreadBinding};
use numawise_study::{PlannedPoint, StudyDesign};

use crate::Error;

/// A design with the placement of every point.
pub(crate) struct ResolvedDesign {
    pub points: Vec<Point>,
    pub pairs: Vec<PointPair>,
    pub not_tried: Vec<Notice>,
}

/// Resolves every point to a placement; one that cannot be placed is not tried, and says why.
pub(crate) fn resolve(
    machine: &Machine,
    design: StudyDesign,
    obstacle: Option<&PreloadObstacle>,
) -> Result<ResolvedDesign, Error> {
    let StudyDesign { points: planned, mut pairs, mut not_tried } = design;
    let mut points: Vec<Point> = Vec::new();
    for PlannedPoint { id, levels, role, request, ranks: _ } in planned {
        match numawise_placement::place(machine, &request) {
            Ok(mut placement) => {
                let obstacle = obstacle.filter(|_| placement.binding == ThreadBinding::Pinned);
                placement.warnings.extend(obstacle.cloned().map(not_preloadable));
                points.push(Point { id, levels, role, request, placement, ranks: None });
            }
            Err(error) if points.is_empty() => return Err(error.into()),
            Err(error) => {
                let (problem, limits) = (error.to_string(), error.limits().to_vec());
                not_tried.push(StudyNotice::CannotBePlaced { point: id, levels, problem, limits }.into());
            }
        }
    }
    let known: HashSet<&PointId> = points.iter().map(|point| &point.id).collect();
    pairs.retain(|pair| known.contains(&pair.from) && known.contains(&pair.to));
    Ok(ResolvedDesign { points, pairs, not_tried })
}

pub(super) fn not_preloadable(obstacle: PreloadObstacle) -> Notice {
    LaunchNotice::NotPreloadable { obstacle }.into()
}
