//! Collective calls of which all ranks are there: who needs what of whom.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;

use numawise_facts::activity::{MessageSide, TracedKind};
use numawise_units::Arrange;

use super::Run;
use super::lanes::{At, Lane, Lanes};
use super::needs::{Key, Member, Pattern, Sources, lower, of_member};

/// One of them.
pub struct Collective {
    pub pattern: Pattern,
    /// A call of it may come back before all have come: only one that does not has waited.
    pub is_loose: bool,
    /// Its world, and its number there.
    key: Key,
    /// Where the pattern has one.
    pub root: Option<At>,
    /// The call that began last.
    pub last: At,
    members: Range<usize>,
    /// Where the list of its first member stands, where each needs others.
    lists: Option<usize>,
}

impl Collective {
    fn needed_by(&self, begun: At) -> Option<At> {
        match self.pattern {
            Pattern::All => Some(self.last),
            Pattern::FromRoot => self.root,
            Pattern::ToRoot => (self.root == Some(begun)).then_some(self.last),
            Pattern::FromLower | Pattern::FromNeighbours => None,
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
    /// The calls that it needs, the one that began last behind the others; none where the pattern says it for all of them.
    pub own: Option<&'s [At]>,
}

impl Part<'_> {
    /// The call for which the rank waits at most; none where it needs nobody.
    pub fn late(&self) -> Option<At> {
        let late = match self.own {
            Some(own) => own.last().copied(),
            None => self.of.needed_by(self.begun),
        };
        late.filter(|late| *late != self.begun)
    }
}

/// A call that ends what another call of its rank began, which may have begun several.
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
    /// Where what each member needs stands in `needs`, of those with lists.
    lists: Vec<Range<usize>>,
    needs: Vec<At>,
    completions: Vec<Completion>,
    /// As `members`, of each the call that is over when it is; none where these are they.
    met: Vec<At>,
    /// Of a slice, those of which members may come.
    open: Vec<(Key, Vec<At>)>,
    pub sources: Sources,
    /// Of a slice, those that all of their ranks have made, then or before.
    pub made_windows: Arc<BTreeSet<Key>>,
}

impl Collectives {
    pub fn of(run: &Run<'_>, lanes: &Lanes<'_>) -> Collectives {
        let mut calls: Vec<Member> = Vec::new();
        for lane in &lanes.all {
            for (number, call) in (0..).zip(lane.calls) {
                if let TracedKind::Collective { key, root } = call.kind {
                    let at = At { lane: lane.number, call: number };
                    calls.push(Member { key: (lane.world, key), at, site: call.site, root });
                }
            }
            calls.extend(parts_of(lane));
        }
        calls.sort_unstable();
        let (sources, made_windows) = (Sources::of(lanes), Arc::clone(&lanes.made_windows));
        let mut found = Collectives { sources, made_windows, ..Collectives::default() };
        for of_call in calls.chunk_by(|one, other| one.key == other.key) {
            let before = found.all.len();
            found.add(run, lanes, of_call);
            if lanes.slice.is_some() && found.all.len() == before {
                found.add_open(lanes, of_call);
            }
        }
        found.complete(lanes);
        found
    }

    /// Of all ranks, as far as it is known where they wait.
    pub fn parts<'s>(&'s self, lanes: &'s Lanes<'_>) -> impl Iterator<Item = Part<'s>> {
        let at_once = self.each().enumerate().flat_map(move |(number, (of, members))| {
            let waits_itself = members.iter().enumerate().filter(|(_, at)| !lanes.begins(**at));
            waits_itself.map(move |(member, at)| Part {
                of,
                number,
                begun: *at,
                waits: *at,
                own: self.own(of, member),
            })
        });
        let later = self.completions.iter().filter_map(|one| {
            let (of, number) = (self.all.get(one.of)?, one.of);
            let member = of.lists.and_then(|_| self.members(number).binary_search(&one.begun).ok());
            let own = member.and_then(|member| self.own(of, member));
            Some(Part { of, number, begun: one.begun, waits: one.at, own })
        });
        at_once.chain(later)
    }

    fn own(&self, of: &Collective, member: usize) -> Option<&[At]> {
        self.needs.get(self.lists.get(of.lists? + member)?.clone())
    }

    /// Whether all ranks of one are there.
    pub fn has(&self, key: Key) -> bool {
        self.made_windows.contains(&key) || self.all.binary_search_by_key(&key, |one| one.key).is_ok()
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
        let by_key = |key: Key| self.all.binary_search_by_key(&key, |one| one.key).ok();
        let mut completions = Vec::new();
        for lane in &lanes.all {
            for (number, _) in (0..).zip(lane.calls) {
                let at = At { lane: lane.number, call: number };
                let ended = lane.messages(number as usize).iter();
                for message in ended.filter(|message| message.end == MessageSide::CollectiveDone) {
                    // Mostly the thread's own; another one may have begun it.
                    let threads = lanes.of_process(lane.number);
                    let begun = [lane].into_iter().chain(threads);
                    let begun = begun.filter_map(|other| other.call_at(message.posted));
                    let of = |begun| match message.communicator {
                        Some(key) => {
                            by_key((lane.world, key)).filter(|of| self.members(*of).contains(&begun))
                        }
                        None => of_member.get(&begun).copied(),
                    };
                    let found = begun.filter_map(|begun| Some((begun, of(begun)?))).next();
                    completions.extend(found.map(|(begun, of)| Completion { at, begun, of }));
                }
            }
        }
        self.completions = completions;
        self.completions.sort_unstable_by_key(|one| (one.of, one.begun));
        let end = |of: usize, at: &At| {
            let place = self.completions.binary_search_by_key(&(of, *at), |one| (one.of, one.begun)).ok();
            place.and_then(|place| self.completions.get(place)).map_or(*at, |one| one.at)
        };
        // They stand in the order of their collective calls.
        let of_all = (0..self.all.len()).flat_map(|of| self.members(of).iter().map(move |at| end(of, at)));
        self.met = of_all.collect();
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

    fn add_open(&mut self, lanes: &Lanes<'_>, of_call: &[Member]) {
        let may_come = |of: &Member| {
            let (lane, call) = lanes.call(of.at)?;
            let is_open = if lane.is_between_groups(call) {
                self.sources.may_come(lanes, of_call)
            } else {
                let size = lane.kind_of(of.site)?.ranks? as usize;
                of_call.len() < size && size <= lanes.all.len()
            };
            is_open.then_some(of.key)
        };
        if let Some(key) = of_call.first().and_then(may_come) {
            self.open.push((key, of_call.iter().map(|of| of.at).collect()));
        }
    }

    /// Those of which members may come, each with its number in its world.
    pub fn open(&self) -> impl Iterator<Item = (NonZeroU64, &[At])> {
        self.open.iter().map(|((_, key), members)| (*key, members.as_slice()))
    }

    /// All whose members are there, each with its number in its world, its members, and, of members that another call ends, that.
    pub fn complete_ones(&self) -> impl Iterator<Item = (NonZeroU64, &[At], impl Iterator<Item = (At, At)>)> {
        self.each().enumerate().map(|(number, (one, members))| {
            let first = self.completions.partition_point(|ended| ended.of < number);
            let ended = self.completions.get(first..).unwrap_or_default().iter();
            let ended =
                ended.take_while(move |ended| ended.of == number).map(|ended| (ended.begun, ended.at));
            (one.key.1, members, ended)
        })
    }

    fn add(&mut self, run: &Run<'_>, lanes: &Lanes<'_>, of_call: &[Member]) {
        let name =
            |of: &Member| lanes.call(of.at).and_then(|(lane, _)| Some(lane.site(of.site)?.call.as_str()));
        let Some((key, first, said)) = of_call.first().and_then(|of| Some((of.key, of.at, name(of)?))) else {
            return;
        };
        let Some((first, _)) = lanes.call(first) else { return };
        let pattern = Pattern::of(said);
        let is_inter = of_call.iter().all(|of| of_member(run, lanes, of).is_some_and(|of| of.is_inter));
        let is_same = |of: &Member| {
            let size = lanes.call(of.at).and_then(|(lane, _)| {
                lane.error_beside(first)?;
                lane.kind_of(of.site)?.ranks
            });
            (is_inter || size == Some(of_call.len() as u32)) && name(of) == Some(said)
        };
        if !of_call.iter().all(is_same) {
            return;
        }
        let needs = match pattern {
            _ if is_inter => self.sources.between_groups(lanes, of_call, pattern),
            Pattern::FromLower => lower(run, lanes, of_call),
            Pattern::FromNeighbours => self.sources.neighbours(lanes, of_call),
            Pattern::All | Pattern::FromRoot | Pattern::ToRoot => Some(Vec::new()),
        };
        let Some(needs) = needs else { return };
        let root = match pattern {
            Pattern::FromRoot | Pattern::ToRoot if !is_inter => {
                let Some(root) = of_call.iter().find(|of| is_root(run, lanes, of)) else { return };
                Some(root.at)
            }
            _ => None,
        };
        let begin_of = |at: &At| lanes.call(*at).map(|(_, call)| call.begin);
        let Some(last) = of_call.iter().map(|of| of.at).max_by_key(|at| (begin_of(at), *at)) else { return };
        let makes_window = said.starts_with("MPI_Win_create") || said.starts_with("MPI_Win_allocate");
        if lanes.slice.is_some() && makes_window {
            Arc::make_mut(&mut self.made_windows).insert(key);
        }
        let begin = self.members.len();
        self.members.extend(of_call.iter().map(|of| of.at));
        let (members, is_loose) = (begin..self.members.len(), said.starts_with("MPI_Win_"));
        let lists = (!needs.is_empty()).then_some(self.lists.len());
        for mut own in needs {
            own.arrange_by_key(|at| (begin_of(at), *at));
            let from = self.needs.len();
            self.needs.append(&mut own);
            self.lists.push(from..self.needs.len());
        }
        self.all.push(Collective { pattern, is_loose, key, root, last, members, lists });
    }
}

/// The parts of a lane's calls that do not say themselves what they are.
fn parts_of<'l>(lane: &'l Lane<'_>) -> impl Iterator<Item = Member> + 'l {
    let calls = if lane.has_end(MessageSide::Part) { lane.calls.len() } else { 0 };
    let parts = (0..calls).flat_map(move |call| lane.messages(call).iter().map(move |of| (call, of)));
    parts.filter(|(_, of)| of.end == MessageSide::Part).filter_map(|(call, of)| {
        let at = At { lane: lane.number, call: call as u32 };
        let root = of.tag.cast_unsigned().checked_sub(1);
        Some(Member { key: (lane.world, of.communicator?), at, site: of.peer, root })
    })
}

fn is_root(run: &Run<'_>, lanes: &Lanes<'_>, of: &Member) -> bool {
    of.root.is_some() && of_member(run, lanes, of).map(|of| of.rank) == of.root
}
