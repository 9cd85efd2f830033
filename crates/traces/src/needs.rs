//! Collective calls in which each rank needs others: those before it, its neighbours in a topology, those of another group.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::Arc;

use numawise_facts::activity::{Communicator, MessageSide, ROOT_ITSELF, begun_call, plain_call};
use numawise_units::Arrange;

use super::Run;
use super::lanes::{At, Lanes, ToldSources};

/// Who needs what of whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    All,
    FromRoot,
    ToRoot,
    /// Of the ranks before it in the communicator.
    FromLower,
    /// Of its neighbours in the topology of the communicator.
    FromNeighbours,
}

impl Pattern {
    /// Of a call.
    pub fn of(call: &str) -> Pattern {
        let name = begun_call(call).unwrap_or(plain_call(call));
        match name.strip_suffix("_init").unwrap_or(name) {
            "Bcast" | "bcast" | "Scatter" | "scatter" | "Scatterv" | "scatterv" => Pattern::FromRoot,
            "Reduce" | "reduce" | "Gather" | "gather" | "Gatherv" | "gatherv" => Pattern::ToRoot,
            "Scan" | "scan" | "Exscan" | "exscan" => Pattern::FromLower,
            name if name.starts_with("Neighbor_") || name.starts_with("neighbor_") => Pattern::FromNeighbours,
            _ => Pattern::All,
        }
    }
}

/// A world, and a number there.
pub type Key = (usize, NonZeroU64);

/// A part in a collective call: the call, the site that says what it is, and its root in the communicator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    pub key: Key,
    pub at: At,
    pub site: u32,
    pub root: Option<u32>,
}

/// Of more ranks before one only the last to come is kept: a replay in which another one is late does not see that.
const MOST_LOWER: usize = 64;

/// The communicator of a member as its process has it.
pub fn of_member<'a>(run: &Run<'a>, lanes: &Lanes<'_>, of: &Member) -> Option<&'a Communicator> {
    let (lane, _) = lanes.call(of.at)?;
    let communicator = lane.site(of.site)?.communicator?;
    run.processes.get(lane.process)?.activity.communicators.get(usize::from(communicator))
}

/// Of each member the calls of those before it; nothing where it is not known which these are.
pub fn lower(run: &Run<'_>, lanes: &Lanes<'_>, members: &[Member]) -> Option<Vec<Vec<At>>> {
    let ranked = |of: &Member| Some((of_member(run, lanes, of)?.rank, of.at));
    let ranks: Vec<(u32, At)> = members.iter().map(ranked).collect::<Option<_>>()?;
    let mut order = ranks.clone();
    order.arrange();
    if order.windows(2).any(|pair| matches!(pair, [(one, _), (other, _)] if one == other)) {
        return None;
    }
    let begin = |at: &At| lanes.call(*at).map(|(_, call)| call.begin);
    // Of all before each one, which came last.
    let mut last: Vec<Option<At>> = vec![None];
    for (_, at) in &order {
        let before = last.last().copied().flatten();
        last.push(before.into_iter().chain([*at]).max_by_key(|at| (begin(at), *at)));
    }
    let own = |(rank, _): &(u32, At)| {
        let before = order.partition_point(|(other, _)| other < rank);
        match order.get(..before) {
            Some(all) if before <= MOST_LOWER => all.iter().map(|(_, at)| *at).collect(),
            _ => last.get(before).copied().flatten().into_iter().collect(),
        }
    };
    Some(ranks.iter().map(own).collect())
}

/// Whose data ranks get.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    pub told: Arc<ToldSources>,
}

impl Sources {
    /// With those that were told before a slice.
    pub fn of(lanes: &Lanes<'_>) -> Sources {
        let mut told = Arc::clone(&lanes.told);
        let mut is_changed = false;
        for lane in lanes.all.iter().filter(|lane| lane.has_end(MessageSide::Source)) {
            for (number, call) in lane.calls.iter().enumerate() {
                let own = lane.messages(number).iter().filter(|message| message.end == MessageSide::Source);
                let ranks: Vec<u32> = own.map(|message| message.peer).collect();
                if !ranks.is_empty() {
                    let communicator = lane.site(call.site).and_then(|site| site.communicator);
                    let of_lane = Arc::make_mut(&mut told).entry((lane.process, communicator)).or_default();
                    let of_call = (call.begin, ranks);
                    // Neighbouring slices have some calls in common.
                    if !of_lane.contains(&of_call) {
                        of_lane.push(of_call);
                        is_changed = true;
                    }
                }
            }
        }
        if is_changed {
            let all = Arc::make_mut(&mut told).values_mut();
            all.for_each(|of_lane| of_lane.arrange_by_key(|(begin, _)| *begin));
        }
        Sources { told }
    }

    /// Whether ranks that members between two groups need are not there yet, and all of them are traced.
    pub fn may_come(&self, lanes: &Lanes<'_>, members: &[Member]) -> bool {
        let by_rank = by_rank(lanes, members);
        let Some(world) = members.first().map(|of| of.key.0) else { return false };
        let sources: Option<Vec<&[u32]>> = members.iter().map(|of| self.ranks(lanes, of)).collect();
        let needed = sources.unwrap_or_default().into_iter().flatten();
        let mut missing = needed.filter(|rank| !by_rank.contains_key(rank)).peekable();
        let is_traced = |rank: &u32| lanes.all.iter().any(|lane| (lane.world, lane.rank) == (world, *rank));
        missing.peek().is_some() && missing.all(is_traced)
    }

    /// Of a member, as they were told last; several threads may be in their first calls at once.
    fn ranks(&self, lanes: &Lanes<'_>, of: &Member) -> Option<&[u32]> {
        let (lane, call) = lanes.call(of.at)?;
        let told = self.told.get(&(lane.process, lane.site(of.site)?.communicator))?;
        let before = told.partition_point(|(begin, _)| *begin <= call.begin);
        Some(&told.get(before.checked_sub(1)?)?.1)
    }

    pub fn neighbours(&self, lanes: &Lanes<'_>, members: &[Member]) -> Option<Vec<Vec<At>>> {
        let by_rank = by_rank(lanes, members);
        let own = |of: &Member| {
            // Who has no neighbours tells none, as one whose neighbours are not known.
            let sources = self.ranks(lanes, of)?;
            let calls = sources.iter().map(|rank| by_rank.get(rank).copied());
            Some(calls.collect::<Option<Vec<At>>>()?.into_iter().filter(|at| *at != of.at).collect())
        };
        members.iter().map(own).collect()
    }

    /// Nobody waits for those of the own group.
    pub fn between_groups(
        &self,
        lanes: &Lanes<'_>,
        members: &[Member],
        pattern: Pattern,
    ) -> Option<Vec<Vec<At>>> {
        let by_rank = by_rank(lanes, members);
        let own = |of: &Member| {
            let others = self.ranks(lanes, of)?;
            let others: Vec<At> =
                others.iter().map(|rank| by_rank.get(rank).copied()).collect::<Option<_>>()?;
            Some(match (pattern, of.root) {
                (Pattern::All, _) | (Pattern::ToRoot, Some(ROOT_ITSELF)) => others,
                (Pattern::FromRoot, Some(root)) if root != ROOT_ITSELF => vec![*others.get(root as usize)?],
                (Pattern::FromRoot | Pattern::ToRoot, _) => Vec::new(),
                (Pattern::FromLower | Pattern::FromNeighbours, _) => return None,
            })
        };
        members.iter().map(own).collect()
    }
}

fn by_rank(lanes: &Lanes<'_>, members: &[Member]) -> HashMap<u32, At> {
    let ranked = |of: &Member| Some((lanes.all.get(of.at.lane as usize)?.rank, of.at));
    members.iter().filter_map(ranked).collect()
}
