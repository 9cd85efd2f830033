//! Steps on windows: a start waits for the post of its target, a wait for the complete of its origins, a lock for who holds it.
//!
//! On a window, a start that names a rank and the post of that rank which names the first one belong together in the order in which they were called (MPI
//! 4.1, section 12.5.2). A lock is held from its end, at the latest, until its unlock begins; what a rank that only asks for it at its first access
//! waits there is not followed.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU64;

use numawise_facts::activity::{MessageSide, WindowStep};
use numawise_tables::snapshot::WaitKind;
use numawise_units::Nanoseconds;

use super::collectives::Collectives;
use super::lanes::{At, Lanes};
use super::matching::paired;

/// A world, and the number of a window there.
type Window = (usize, NonZeroU64);

/// Of one rank: from a start to its complete, from a post to its wait, from a lock to its unlock.
#[derive(Debug, Clone, Copy)]
struct Epoch {
    rank: u32,
    begin: At,
    end: Option<At>,
    is_exclusive: bool,
}

/// Where it was locked: at a rank, or at all.
type Target = Option<u32>;

/// A call waited from its begin to this moment.
pub struct WindowWait {
    pub at: At,
    pub kind: WaitKind,
    pub until: Nanoseconds,
    pub late: At,
}

/// Steps that a later slice needs as long as others are not there, or lie in it: the call of each, and its place among the messages of the lane.
pub struct NeededSteps {
    pub steps: Vec<(At, u32)>,
    /// Others are not there yet.
    pub is_open: bool,
}

/// What steps on windows tell.
#[derive(Default)]
pub struct Windows {
    pub waits: Vec<WindowWait>,
    /// Calls of which waiting is known.
    pub judged: Vec<At>,
    /// Calls of two ranks of which one needed the other.
    pub met: Vec<(At, At)>,
    /// Of a slice.
    pub needed: Vec<NeededSteps>,
}

/// Of all ranks, in the order in which they began.
#[derive(Default)]
struct Epochs {
    all: Vec<Epoch>,
    /// By their window, origin and target: starts, and posts.
    pairs: BTreeMap<(Window, u32, u32), [Vec<usize>; 2]>,
    locks: BTreeMap<Window, BTreeMap<Target, Vec<usize>>>,
    /// Of each, its steps with the rank that each names.
    steps: Vec<Vec<(At, u32, u32)>>,
}

impl Windows {
    pub fn of(lanes: &Lanes<'_>, collectives: &Collectives) -> Windows {
        let epochs = Epochs::of(lanes);
        let mut found = Windows::default();
        if lanes.slice.is_some() {
            found.needed = epochs.needed();
        }
        for [starts, posts] in epochs.pairs.into_values() {
            // Which belong together is not known where both ends of the trace are missing.
            if lanes.is_window {
                continue;
            }
            for (start, post) in paired(starts, posts, lanes.is_end) {
                if let (Some(access), Some(exposure)) = (epochs.all.get(start), epochs.all.get(post)) {
                    found.pair(lanes, access, exposure);
                }
            }
        }
        // Of ranks that are not there, nobody knows what they held.
        for (_, locks) in epochs.locks.iter().filter(|(window, _)| collectives.has(**window)) {
            let of = |target: &Target| locks.get(target).map_or(&[][..], Vec::as_slice);
            for target in locks.keys() {
                let rivals: Vec<usize> = match target {
                    Some(_) => of(target).iter().chain(of(&None)).copied().collect(),
                    None => locks.values().flatten().copied().collect(),
                };
                found.locks(lanes, &epochs.all, of(target), rivals);
            }
        }
        found
    }

    fn wait(&mut self, at: At, kind: WaitKind, until: Nanoseconds, late: At) {
        self.waits.push(WindowWait { at, kind, until, late });
    }

    fn pair(&mut self, lanes: &Lanes<'_>, access: &Epoch, exposure: &Epoch) {
        let (start, post) = (access.begin, exposure.begin);
        let (Some((lane, _)), Some((target, posted))) = (lanes.call(start), lanes.call(post)) else { return };
        if lane.error_beside(target).is_none() {
            return;
        }
        self.judged.extend([start, post]);
        self.judged.extend(access.end);
        self.met.push((start, post));
        // The call in progress when the target came: the start, an access, or the complete.
        let last = access.end.filter(|end| end.lane == start.lane).map_or(start.call, |end| end.call);
        let in_progress = lane.calls.partition_point(|call| call.begin < posted.begin).checked_sub(1);
        if let Some(call) =
            in_progress.map(|call| call as u32).filter(|call| (start.call..=last).contains(call))
        {
            let at = At { call, ..start };
            if lanes.call(at).is_some_and(|(_, call)| call.end >= posted.begin) {
                self.wait(at, WaitKind::LatePost, posted.begin, post);
            }
        }
        let (Some(complete), Some(wait)) = (access.end, exposure.end) else { return };
        if let Some((_, completed)) = lanes.call(complete) {
            self.judged.push(wait);
            self.met.push((complete, wait));
            self.wait(wait, WaitKind::LateComplete, completed.begin, complete);
        }
    }

    /// Of epochs at one target, and all that may have kept it from them.
    fn locks(&mut self, lanes: &Lanes<'_>, all: &[Epoch], own: &[usize], rivals: Vec<usize>) {
        let span = |at: At| lanes.call(at).map(|(_, call)| (call.begin, call.end));
        let held = |epoch: &usize| {
            let epoch = all.get(*epoch)?;
            let end = epoch.end?;
            Some((span(end)?.0, span(epoch.begin)?.1, end, *epoch))
        };
        let mut held: Vec<_> = rivals.iter().filter_map(held).collect();
        held.sort_unstable_by_key(|(released, ..)| *released);
        for epoch in own.iter().filter_map(|epoch| all.get(*epoch)) {
            let Some((begin, end)) = span(epoch.begin).filter(|_| !lanes.are_apart()) else { continue };
            self.judged.push(epoch.begin);
            let from = held.partition_point(|(released, ..)| *released <= begin);
            let meanwhile = held.iter().skip(from).take_while(|(released, ..)| *released <= end);
            for (released, granted, unlock, rival) in meanwhile {
                let is_in_the_way = rival.rank != epoch.rank && (rival.is_exclusive || epoch.is_exclusive);
                if is_in_the_way && *granted <= end {
                    self.wait(epoch.begin, WaitKind::LockContention, *released, *unlock);
                }
            }
        }
    }
}

impl Epochs {
    fn of(lanes: &Lanes<'_>) -> Epochs {
        let mut steps = Vec::new();
        for lane in &lanes.all {
            let calls = if lane.has_windows() { lane.calls.len() } else { 0 };
            for (number, call) in (0..calls).zip(lane.calls) {
                let at = At { lane: lane.number, call: number as u32 };
                for (place, message) in lane.messages_of(number).zip(lane.messages(number)) {
                    if let (MessageSide::Window(step), Some(window)) = (message.end, message.communicator) {
                        let at = (at, place as u32);
                        steps.push(((lane.world, window), lane.rank, call.begin, at, step, message.peer));
                    }
                }
            }
        }
        // A stable sort: those of a call stay in their order.
        steps.sort_by_key(|(window, rank, begin, at, ..)| (*window, *rank, *begin, *at));
        let mut epochs = Epochs::default();
        let mut open: HashMap<(Window, u32, Opened), usize> = HashMap::new();
        for (window, rank, _, at, step, peer) in steps {
            epochs.add(&mut open, (window, rank), at, (step, peer));
        }
        epochs
    }

    /// Both epochs of a pair, as far as they are of it, one without the other, and locks.
    fn needed(&self) -> Vec<NeededSteps> {
        let mut all = Vec::new();
        // Of an epoch of several pairs, the step that names the other rank, and the end.
        let of_pair = |number: Option<&usize>, peer: u32| {
            let epoch = number.and_then(|number| Some((self.all.get(*number)?, self.steps.get(*number)?)));
            let (epoch, steps) = epoch?;
            let own = steps.iter().filter(move |(at, _, of)| *at != epoch.begin || *of == peer);
            Some((epoch.end.is_none(), own.map(|(at, place, _)| (*at, *place)).collect::<Vec<_>>()))
        };
        for ((_, origin, target), [starts, posts]) in &self.pairs {
            for number in 0..starts.len().max(posts.len()) {
                let both = [of_pair(starts.get(number), *target), of_pair(posts.get(number), *origin)];
                let is_open = both.iter().any(|one| one.as_ref().is_none_or(|(is_open, _)| *is_open));
                let steps = both.into_iter().flatten().flat_map(|(_, steps)| steps).collect();
                all.push(NeededSteps { steps, is_open });
            }
        }
        for number in self.locks.values().flat_map(BTreeMap::values).flatten() {
            if let Some((epoch, steps)) = self.all.get(*number).zip(self.steps.get(*number)) {
                let steps = steps.iter().map(|(at, place, _)| (*at, *place)).collect();
                all.push(NeededSteps { steps, is_open: epoch.end.is_none() });
            }
        }
        all
    }

    fn add(
        &mut self,
        open: &mut HashMap<(Window, u32, Opened), usize>,
        (window, rank): (Window, u32),
        (at, place): (At, u32),
        (step, peer): (WindowStep, u32),
    ) {
        let next = self.all.len();
        let epoch = |is_exclusive| Epoch { rank, begin: at, end: None, is_exclusive };
        let (opened, target) = match step {
            WindowStep::Start | WindowStep::Complete => (Opened::Access, None),
            WindowStep::Post | WindowStep::Wait => (Opened::Exposure, None),
            WindowStep::LockExclusive | WindowStep::LockShared | WindowStep::Unlock => {
                (Opened::Lock(peer), Some(peer))
            }
            WindowStep::LockAll | WindowStep::UnlockAll => (Opened::LockAll, None),
        };
        let key = (window, rank, opened);
        match step {
            WindowStep::Start | WindowStep::Post => {
                // Each rank that it names is told by itself.
                let known = open.get(&key).copied();
                let is_same = |known: &usize| self.all.get(*known).is_some_and(|epoch| epoch.begin == at);
                let number = known.filter(is_same).unwrap_or(next);
                if number == next {
                    self.all.push(epoch(false));
                    self.steps.push(Vec::new());
                    open.insert(key, next);
                }
                self.steps.get_mut(number).into_iter().for_each(|steps| steps.push((at, place, peer)));
                let is_start = step == WindowStep::Start;
                let (origin, target) = if is_start { (rank, peer) } else { (peer, rank) };
                let [starts, posts] = self.pairs.entry((window, origin, target)).or_default();
                if is_start { starts.push(number) } else { posts.push(number) }
            }
            WindowStep::LockExclusive | WindowStep::LockShared | WindowStep::LockAll => {
                self.all.push(epoch(step == WindowStep::LockExclusive));
                self.steps.push(vec![(at, place, peer)]);
                self.locks.entry(window).or_default().entry(target).or_default().push(next);
                open.insert(key, next);
            }
            WindowStep::Complete | WindowStep::Wait | WindowStep::Unlock | WindowStep::UnlockAll => {
                let Some(number) = open.remove(&key) else { return };
                self.all.get_mut(number).into_iter().for_each(|epoch| epoch.end = Some(at));
                self.steps.get_mut(number).into_iter().for_each(|steps| steps.push((at, place, peer)));
            }
        }
    }
}

/// What a rank has begun on a window, and not ended.
#[derive(PartialEq, Eq, Hash)]
enum Opened {
    Access,
    Exposure,
    Lock(u32),
    LockAll,
}
