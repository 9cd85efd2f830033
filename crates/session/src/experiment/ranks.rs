//! A check of a launcher: what is placed are its ranks, and what they are compared with is the command as it was typed.

use std::collections::HashMap;
use std::num::NonZeroU32;

use numawise_facts::{Balancing, PlacementRequest, Point, PointId, PointRole, RankBinding, RunSpec};
use numawise_study::{PlannedPoint, StudyDesign};

use super::ExperimentRequest;
use crate::launched::{self, Ranks};

impl ExperimentRequest {
    /// So many ranks are started by the command, where it is a launcher whose programs are known and are not placed already.
    pub(super) fn ranks(&self) -> Option<NonZeroU32> {
        launched::number_of_ranks(&self.command)
    }

    /// The points as those of ranks, each of which has its share of the threads. What is tried by copies, without NUMA
    /// balancing, or with threads that cannot be shared out, is left out.
    fn of_ranks(&self, mut design: StudyDesign, ranks: NonZeroU32) -> StudyDesign {
        design.points.retain(|point| {
            let PlacementRequest { threads, tasks, balancing, .. } = point.request;
            // Each rank begins with a numawise, which has no option against NUMA balancing.
            tasks == 1
                && balancing == Balancing::Default
                && threads.is_some_and(|threads| threads > 0 && threads % ranks == 0)
        });
        for point in &mut design.points {
            let threads = point.request.threads.unwrap_or(ranks.get()) / ranks;
            point.request.tasks = ranks.get();
            point.request.threads = Some(threads);
            // What they are told apart by is what each rank has; copies are something else.
            point.levels.threads = threads;
        }
        let is_there = |id: &PointId| design.points.iter().any(|point| point.id == *id);
        design.pairs.retain(|pair| is_there(&pair.from) && is_there(&pair.to));
        design
    }

    /// What is done about the ranks of a point: the first run is as it was typed.
    fn ranks_at(&self, point: &PlannedPoint) -> Ranks {
        match point.role {
            PointRole::Baseline => launched::as_typed(&self.command, &|name| std::env::var_os(name))
                .map_or(Ranks::AsTheyAre, Ranks::Bound),
            PointRole::Candidate | PointRole::Diagnosis => {
                Ranks::Placed { request: point.request.clone(), is_default: false }
            }
        }
    }

    /// The design, as one of ranks where the command starts some, and what is done about these at each of its points.
    pub(super) fn with_ranks(&self, design: StudyDesign) -> (StudyDesign, HashMap<PointId, Ranks>) {
        let Some(ranks) = self.ranks() else { return (design, HashMap::new()) };
        let design = self.of_ranks(design, ranks);
        let of_points = design.points.iter().map(|point| (point.id.clone(), self.ranks_at(point))).collect();
        (design, of_points)
    }

    /// The command of a point at which ranks are placed, which has words of ours in it.
    pub(super) fn of_point(&self, point: &Point) -> Option<(PointId, RunSpec)> {
        let Some(RankBinding::Planned { .. }) = point.ranks else { return None };
        let words = (self.rank_words)(&point.request, true);
        Some((point.id.clone(), launched::with_words(&self.command, &words)))
    }
}
