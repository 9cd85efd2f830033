//! The ranks of a job, one after the other: all of them in full, or merged with those that stand out where they are many.
//!
//! What stands out of all ranks stands out of each part of them that it is in. So it does not matter in which order they come, or what was
//! merged before.

use numawise_facts::{Activity, Machine, MergedRanks};
use numawise_units::Arrange;

use super::merge::{merge, outliers, rank_summary};
use super::placement;

#[cfg(test)]
#[path = "job_tests.rs"]
mod tests;

/// Jobs of more ranks are merged. So many are some 100 MB as records have them, and as many bars as a screen has columns.
pub const MOST_IN_FULL: u64 = 1024;
/// So many may wait until it is looked which of them stand out no more: more than twice as many as can.
const MOST_WAITING: usize = 256;

/// Ranks of a job. Its size does not grow with their number, beyond [`MOST_IN_FULL`].
#[derive(Debug, Clone)]
pub struct JobRanks {
    most_in_full: u64,
    merged: MergedRanks,
    in_full: Vec<Activity>,
}

impl Default for JobRanks {
    fn default() -> Self {
        JobRanks::with_most(MOST_IN_FULL)
    }
}

impl JobRanks {
    /// For a job of which so many ranks are kept in full; 0 merges any.
    pub fn with_most(most_in_full: u64) -> Self {
        JobRanks { most_in_full, merged: MergedRanks::default(), in_full: Vec::new() }
    }

    /// Adds a rank; gives back what is none.
    pub fn add(&mut self, activity: Activity) -> Option<Activity> {
        let Some(summary) = rank_summary(&activity) else { return Some(activity) };
        merge(&mut self.merged, &summary);
        self.keep(activity);
        None
    }

    /// Adds where the threads of ranks of a computer were, which is to be of all ranks that are added of it: what they share with one
    /// another shows of none by itself. To be called before these are added, so that the one that stands out by it is kept.
    pub fn add_placement<'a>(
        &mut self,
        ranks: impl Iterator<Item = &'a Activity>,
        machine: Option<&Machine>,
    ) {
        placement::merge(&mut self.merged.placement, &placement::of_ranks(ranks, machine));
    }

    /// Adds ranks that were merged elsewhere. Those of them that stand out come with [`JobRanks::keep`].
    pub fn add_merged(&mut self, others: &MergedRanks) {
        // What was handed over merged is not there in full.
        self.most_in_full = 0;
        merge(&mut self.merged, others);
    }

    /// Keeps a rank in full that is among those that were added, as long as it stands out.
    pub fn keep(&mut self, activity: Activity) {
        self.in_full.push(activity);
        if self.is_merged() && self.in_full.len() > MOST_WAITING {
            self.leave_out();
        }
    }

    /// All that were added, together.
    pub fn ranks(&self) -> &MergedRanks {
        &self.merged
    }

    /// Those that are kept in full so far.
    pub fn in_full(&self) -> &[Activity] {
        &self.in_full
    }

    /// There are more than are kept in full.
    pub fn is_merged(&self) -> bool {
        self.merged.ranks > self.most_in_full
    }

    fn leave_out(&mut self) {
        let outliers = outliers(&self.merged);
        self.in_full.retain(|activity| number(activity).is_some_and(|rank| outliers.contains(&rank)));
    }

    /// Those in full, in the order of their numbers, and all together where these are not all.
    pub fn finish(mut self) -> (Vec<Activity>, Option<MergedRanks>) {
        let is_merged = self.is_merged();
        if is_merged {
            self.leave_out();
        }
        self.in_full.arrange_by_key(|activity| (number(activity), activity.began, activity.pid));
        (self.in_full, is_merged.then_some(self.merged))
    }
}

fn number(activity: &Activity) -> Option<u32> {
    Some(activity.mpi.measured()?.rank.measured()?.rank)
}
