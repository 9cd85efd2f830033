//! Collective calls of which all ranks are there: who needs what of whom.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::ops::Range;

use numawise_facts::activity::{MessageSide, TracedCall, TracedKind, begun_call, plain_call};

use super::super::Run;
use super::lanes::{At, Lane, Lanes};

/// Who needs what of whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    All,
    FromRoot,
    ToRoot,
}

impl Pattern {
    /// Of a call, where it is known.
    pub fn of(call: &str) -> Option<Pattern> {
        match begun_call(call).unwrap_or(plain_call(call)) {
            "Bcast" | "bcast" | "Scatter" | "scatter" | "Scatterv" | "scatterv" => Some(Pattern::FromRoot),
            "Reduce" | "reduce" | "Gather" | "gather" | "Gatherv" | "gatherv" => Some(Pattern::ToRoot),
            // A rank needs what those before it have, and these do not stand in the trace by their order.
            "Scan" | "scan" | "Exscan" | "exscan" => None,
            _ => Some(Pattern::All),
        }
    }
}

/// One of them.
pub struct Collective {
    pub pattern: Pattern,
    /// Where the pattern has one.
    pub root: Option<At>,
    /// The call that began last.
    pub last: At,
    members: Range<usize>,
}

impl Collective {
    /// The call for which a rank waits at most that begins its part with a call; none where it needs nobody.
    pub fn needed_by(&self, begun: At) -> Option<At> {
        match self.pattern {
            Pattern::All => Some(self.last),
            Pattern::FromRoot => self.root,
            Pattern::ToRoot => (self.root == Some(begun)).then_some(self.last),
        }
    }
}

/// What a rank does in one: the call that begins its part, and the one in which it waits for the others.
#[derive(Clone, Copy)]
pub struct Part<'s> {
    pub of: &'s Collective,
    /// The number of the collective call among all.
    pub number: usize,
    pub begun: At,
    pub waits: At,
}

/// A call that ends what another call of its rank began.
#[derive(Debug, Clone, Copy)]
struct Completion {
    at: At,
    begun: At,
    /// The number of the collective call among all.
    of: usize,
}

/// All of a trace.
#[derive(Default)]
pub struct Collectives {
    all: Vec<Collective>,
    members: Vec<At>,
    completions: Vec<Completion>,
    /// As `members`, of each the call that is over when it is; none where these are they.
    met: Vec<At>,
}

/// A call, with its world, its number there, and its root in the communicator.
type Member = ((usize, NonZeroU64), At, Option<u32>);

impl Collectives {
    pub fn of(run: &Run<'_>, lanes: &Lanes<'_>) -> Collectives {
        let mut calls: Vec<Member> = Vec::new();
        for lane in &lanes.all {
            for (number, call) in (0..).zip(lane.calls) {
                if let TracedKind::Collective { key, root } = call.kind {
                    calls.push(((lane.world, key), At { lane: lane.number, call: number }, root));
                }
            }
        }
        calls.sort_unstable();
        let mut found = Collectives::default();
        for of_call in calls.chunk_by(|one, other| one.0 == other.0) {
            found.add(run, lanes, of_call);
        }
        found.complete(lanes);
        found
    }

    /// Of all ranks, as far as it is known where they wait.
    pub fn parts<'s>(&'s self, lanes: &'s Lanes<'_>) -> impl Iterator<Item = Part<'s>> {
        let at_once = self.each().enumerate().flat_map(move |(number, (of, members))| {
            let waits_itself = members.iter().filter(|at| !lanes.begins(**at));
            waits_itself.map(move |at| Part { of, number, begun: *at, waits: *at })
        });
        let later = self.completions.iter().filter_map(|one| {
            let (of, number) = (self.all.get(one.of)?, one.of);
            Some(Part { of, number, begun: one.begun, waits: one.at })
        });
        at_once.chain(later)
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The calls with which it is over in each lane: its own, or those that end what these began. In the order of their lanes.
    pub fn met(&self, number: usize) -> &[At] {
        let all = if self.met.is_empty() { &self.members } else { &self.met };
        self.all.get(number).and_then(|one| all.get(one.members.clone())).unwrap_or_default()
    }

    fn complete(&mut self, lanes: &Lanes<'_>) {
        if self.all.is_empty() || !lanes.all.iter().any(|lane| lane.has_end(MessageSide::CollectiveDone)) {
            return;
        }
        let of_member: HashMap<At, usize> = (0..self.all.len())
            .flat_map(|number| self.members(number).iter().map(move |at| (*at, number)))
            .collect();
        for lane in &lanes.all {
            for (number, _) in (0..).zip(lane.calls) {
                let at = At { lane: lane.number, call: number };
                let ended = lane.messages(number as usize).iter();
                for message in ended.filter(|message| message.end == MessageSide::CollectiveDone) {
                    // Mostly the thread's own; another one may have begun it.
                    let threads = lanes.of_process(lane.number);
                    let begun = [lane].into_iter().chain(threads);
                    let begun = begun.filter_map(|other| other.call_at(message.posted));
                    let found = begun.filter_map(|begun| Some((begun, *of_member.get(&begun)?))).next();
                    self.completions.extend(found.map(|(begun, of)| Completion { at, begun, of }));
                }
            }
        }
        self.completions.sort_unstable_by_key(|one| one.begun);
        let end = |at: &At| {
            let completion = self.completions.binary_search_by_key(at, |one| one.begun).ok();
            completion.and_then(|place| self.completions.get(place)).map_or(*at, |one| one.at)
        };
        self.met = self.members.iter().map(end).collect();
        for one in &self.all {
            // A thread may end what another one began.
            self.met.get_mut(one.members.clone()).into_iter().for_each(<[At]>::sort_unstable);
        }
    }

    /// Each, with its calls in the order of their lanes.
    pub fn each(&self) -> impl Iterator<Item = (&Collective, &[At])> {
        self.all.iter().map(|one| (one, self.members.get(one.members.clone()).unwrap_or_default()))
    }

    /// The calls of one, in the order of their lanes.
    pub fn members(&self, number: usize) -> &[At] {
        self.all.get(number).and_then(|one| self.members.get(one.members.clone())).unwrap_or_default()
    }

    fn add(&mut self, run: &Run<'_>, lanes: &Lanes<'_>, of_call: &[Member]) {
        let calls = || of_call.iter().filter_map(|(_, at, _)| Some((*at, lanes.call(*at)?)));
        let Some((_, (first, call))) = calls().next() else { return };
        let name = first.name(call);
        let Some(pattern) = Pattern::of(name) else { return };
        let is_same = |lane: &Lane<'_>, call: &TracedCall| {
            let size = lane.kind(call).and_then(|kind| kind.ranks);
            lane.error_beside(first).is_some()
                && size == Some(of_call.len() as u32)
                && lane.name(call) == name
        };
        if !calls().all(|(_, (lane, call))| is_same(lane, call)) {
            return;
        }
        let root = match pattern {
            Pattern::All => None,
            Pattern::FromRoot | Pattern::ToRoot => {
                let root = of_call.iter().find(|(_, at, root)| is_root(run, lanes, *at, *root));
                let Some((_, at, _)) = root else { return };
                Some(*at)
            }
        };
        let Some((last, _)) = calls().max_by_key(|(at, (_, call))| (call.begin, *at)) else { return };
        let begin = self.members.len();
        self.members.extend(of_call.iter().map(|(_, at, _)| *at));
        self.all.push(Collective { pattern, root, last, members: begin..self.members.len() });
    }
}

fn is_root(run: &Run<'_>, lanes: &Lanes<'_>, at: At, root: Option<u32>) -> bool {
    let rank = || {
        let (lane, call) = lanes.call(at)?;
        let communicator = lane.site(call.site)?.communicator?;
        let of = run.processes.get(lane.process)?.activity.communicators.get(usize::from(communicator))?;
        Some(of.rank)
    };
    root.is_some() && rank() == root
}
