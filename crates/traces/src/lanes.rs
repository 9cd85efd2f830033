//! The threads whose calls were traced, in the order of their ranks, and their calls as far as all traces are whole.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;

use numawise_facts::activity::{MessageSide, ThreadTrace, TracedCall, TracedMessage, TracedSite};
pub use numawise_tables::snapshot::CallAt as At;
use numawise_tables::snapshot::{CallPlace, EventCommunicator};
use numawise_units::{Arrange, Nanoseconds};

use super::kinds::{Edges, SiteKind};
use super::phases::{Phases, Window};
use super::teams::Team;
use super::threads::{self, Constructs, PlacedConstruct, ThreadStates, Worker};
use super::{Process, Run};

/// One thread of a rank.
#[derive(Clone)]
pub struct Lane<'a> {
    /// Its place among all.
    pub number: u32,
    pub process: usize,
    pub world: usize,
    /// The number of its world, where there are several.
    pub numbered_world: Option<u32>,
    pub rank: u32,
    /// Where several threads of the rank call MPI.
    pub thread_number: Option<i32>,
    pub tid: i32,
    /// What it is in outside of its calls.
    pub states: Arc<ThreadStates>,
    /// What of its time is asked for.
    pub windows: Arc<Vec<Window>>,
    /// It is among the ranks that are asked for.
    pub is_shown: bool,
    pub host: &'a str,
    /// How well its clock is set to those of other computers; none: it is not.
    clock_error: Option<Nanoseconds>,
    /// From the end of `MPI_Init` to the begin of `MPI_Finalize`; of threads that called neither, from their first call to their last.
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    /// Between these two.
    pub calls: &'a [TracedCall],
    /// Where the messages of each call begin, and behind the last one.
    pub first_message: Vec<u32>,
    messages: &'a [TracedMessage],
    sites: &'a [TracedSite],
    /// The places of its sites, by their numbers in [`Lanes::places`].
    places: Arc<Vec<u32>>,
    /// The same with their communicators, by their numbers in [`Lanes::placed`].
    placed: Arc<Vec<u32>>,
    kinds: Arc<Vec<SiteKind>>,
    pub counted: Counted<'a>,
}

/// Which calls of a lane are counted, where it is analysed slice by slice.
#[derive(Clone, Copy, Default)]
pub struct Counted<'a> {
    /// The first ones were counted in slices before: what is known of each.
    pub known: &'a [Known],
    /// Of their messages, whether they were counted.
    pub messages: &'a [bool],
    /// From this call on each is counted later; none: there is no later slice.
    pub end: Option<usize>,
    /// Between the calls before this one others are left out.
    pub solid: usize,
}

/// A part of a trace that is analysed by itself, with what is needed of others.
#[derive(Debug, Clone, Copy)]
pub struct Slice {
    /// Calls are counted that begin in it.
    pub from: Nanoseconds,
    pub to: Nanoseconds,
    /// What began before is not waited for any more: it is as it is.
    pub low: Nanoseconds,
}

/// What is known of a call that was counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known {
    /// It waited from its begin; 0: not at all.
    pub until: Nanoseconds,
    /// Whether it waited may still turn out.
    pub is_open: bool,
}

/// See [`Lane::pieces`].
pub struct Pieces<'l> {
    windows: &'l [Window],
    begin: Nanoseconds,
    end: Nanoseconds,
}

impl Iterator for Pieces<'_> {
    type Item = Window;

    #[inline]
    fn next(&mut self) -> Option<Window> {
        let (window, rest) = self.windows.split_first()?;
        self.windows = rest;
        let (begin, end) = (window.0.max(self.begin), window.1.min(self.end));
        (begin < end).then_some((begin, end))
    }
}

#[derive(Clone)]
pub struct Lanes<'a> {
    pub all: Vec<Lane<'a>>,
    /// Where calls are made.
    pub places: Arc<Vec<CallPlace>>,
    /// The same with their communicators.
    pub placed: Arc<Vec<PlacedSite>>,
    pub constructs: Arc<Vec<PlacedConstruct>>,
    /// In the order of their processes.
    pub workers: Arc<Vec<Worker>>,
    /// Of each lane.
    teams: Arc<Vec<Team>>,
    pub phases: Arc<Phases>,
    /// None: all is counted.
    pub slice: Option<Slice>,
    /// Told before a slice.
    pub told: Arc<ToldSources>,
    /// Made by all of their ranks before a slice.
    pub made_windows: Arc<BTreeSet<(usize, NonZeroU64)>>,
    /// Later calls may have gaps.
    pub until: Nanoseconds,
    /// Of all lanes.
    pub origin: Nanoseconds,
    /// Of the part that is asked for.
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    pub lost: u64,
    /// Else they are processes without MPI.
    pub are_ranks: bool,
    /// What was lost lies before all of it.
    pub is_end: bool,
    /// What was lost lies behind it, too.
    pub is_window: bool,
    /// What was lost lies outside of the time that was asked for.
    pub lost_is_outside: bool,
}

impl<'a> Lane<'a> {
    fn of(
        run: &Run<'a>,
        (process, thread): (usize, &'a ThreadTrace),
        (whole_from, until): (Nanoseconds, Nanoseconds),
        without_mpi: Option<Window>,
    ) -> Option<Lane<'a>> {
        let of: &Process<'a> = run.processes.get(process)?;
        let edges = Edges::of(&thread.sites);
        let calls = &thread.calls[..thread.calls.partition_point(|call| call.end <= until)];
        let init = calls.iter().rposition(|call| edges.begins(call));
        let missing = calls.partition_point(|call| call.begin < whole_from);
        let init = init.filter(|at| *at >= missing);
        let from = init.map_or(missing, |at| at + 1);
        let finalize = calls.iter().position(|call| edges.ends(call)).unwrap_or(calls.len());
        let inside = calls.get(from..finalize)?;
        let begin = match (init, without_mpi) {
            (Some(at), _) => calls.get(at)?.end,
            (None, Some((begin, _))) => begin.max(whole_from),
            // Of calls before that, some are missing.
            (None, None) if whole_from.0 > 0 => whole_from.min(inside.first()?.begin),
            (None, None) => inside.first()?.begin,
        };
        let end = calls.get(finalize).map(|call| call.begin).or(inside.last().map(|call| call.end));
        let end = end.or(without_mpi.map(|(_, end)| end.min(until)));
        let messages = calls.iter().take(from).map(|call| call.messages);
        let first_message = first_messages(messages.fold(0u32, u32::saturating_add), inside);
        Some(Lane {
            number: 0,
            process,
            world: of.world,
            numbered_world: of.numbered_world,
            rank: of.rank().or(without_mpi.map(|_| process as u32))?,
            thread_number: None,
            tid: 0,
            states: Arc::default(),
            windows: Arc::default(),
            is_shown: true,
            host: &of.activity.host,
            clock_error: of.activity.clock.map(|clock| clock.error),
            begin,
            end: end.unwrap_or(begin).max(begin),
            calls: inside,
            first_message,
            messages: &thread.messages,
            sites: &thread.sites,
            places: Arc::default(),
            placed: Arc::default(),
            kinds: Arc::new(
                thread
                    .sites
                    .iter()
                    .map(|site| SiteKind::of(&site.call, of.activity.ranks_of(site.communicator)))
                    .collect(),
            ),
            counted: Counted::default(),
        })
    }

    /// The same with other calls, which lie within it.
    pub fn with_calls(&mut self, of: &'a ThreadTrace, counted: Counted<'a>) {
        (self.calls, self.messages) = (&of.calls, &of.messages);
        self.first_message = first_messages(0, &of.calls);
        self.counted = counted;
    }

    /// The calls that are counted here.
    pub fn own(&self) -> Range<usize> {
        let from = self.counted.known.len();
        from..self.counted.end.unwrap_or(self.calls.len()).max(from)
    }

    /// Their time, with that before each, and, of the last slice, up to the end.
    pub fn own_time(&self) -> Window {
        let own = self.own();
        let until = |at: usize| at.checked_sub(1).and_then(|at| self.calls.get(at)).map(|call| call.end);
        let begin = until(own.start).unwrap_or(self.begin);
        let end = if self.counted.end.is_some() { until(own.end).unwrap_or(begin) } else { self.end };
        (begin, end)
    }

    /// From when on the waiting of a call is counted here that waited until a moment; nothing where it is counted elsewhere.
    #[inline]
    pub fn counts_from(&self, number: usize, call: &TracedCall, until: Nanoseconds) -> Option<Nanoseconds> {
        match self.counted.known.get(number) {
            None => self.counted.end.is_none_or(|end| number < end).then_some(call.begin),
            Some(known) => (known.until < until).then_some(known.until.max(call.begin)),
        }
    }

    /// By how much moments of both may be wrong beside each other; none where their clocks were not compared.
    pub fn error_beside(&self, other: &Lane<'_>) -> Option<Nanoseconds> {
        if self.host == other.host {
            return Some(Nanoseconds(0));
        }
        Some(self.clock_error? + other.clock_error?)
    }

    /// Of a call.
    pub fn messages(&self, call: usize) -> &'a [TracedMessage] {
        self.messages.get(self.messages_of(call)).unwrap_or_default()
    }

    /// By its place among all.
    pub fn message(&self, place: u32) -> Option<&'a TracedMessage> {
        self.messages.get(place as usize)
    }

    /// Their places among all.
    pub fn messages_of(&self, call: usize) -> Range<usize> {
        let place = |at: usize| self.first_message.get(at).map_or(usize::MAX, |at| *at as usize);
        place(call)..place(call + 1)
    }

    /// Of calls before its first one.
    pub fn earlier_messages(&self) -> &'a [TracedMessage] {
        let first = self.first_message.first().map_or(0, |first| *first as usize);
        self.messages.get(..first).unwrap_or_default()
    }

    /// Time outside of calls between two of them.
    pub fn useful_between(&self, one: usize, other: usize) -> Nanoseconds {
        let calls = self.calls.get(one..=other.max(one)).unwrap_or_default();
        calls.windows(2).fold(Nanoseconds(0), |sum, pair| match pair {
            [before, next] => sum + next.begin.saturating_sub(before.end),
            _ => sum,
        })
    }

    /// Its calls that lie, in part, in what is asked for.
    pub fn asked_calls<'l>(
        &'l self,
        lanes: &'l Lanes<'_>,
    ) -> impl Iterator<Item = &'a TracedCall> + use<'l, 'a> {
        let is_asked = |call: &&TracedCall| {
            let end = call.end.max(call.begin + Nanoseconds(1));
            self.pieces(lanes, call.begin, end).next().is_some()
        };
        self.calls.get(self.own()).unwrap_or_default().iter().filter(is_asked)
    }

    /// What of a span is asked for.
    #[inline]
    pub fn pieces(&self, lanes: &Lanes<'_>, begin: Nanoseconds, end: Nanoseconds) -> Pieces<'_> {
        let (begin, end) = (begin.max(lanes.begin), end.min(lanes.end));
        let windows = match self.windows.as_slice() {
            one @ ([] | [_]) => one,
            all => all.get(all.partition_point(|window| window.1 <= begin)..).unwrap_or_default(),
        };
        Pieces { windows, begin, end }
    }

    pub fn site(&self, site: u32) -> Option<&'a TracedSite> {
        self.sites.get(site as usize)
    }

    pub fn all_sites(&self) -> &'a [TracedSite] {
        self.sites
    }

    /// How many it has.
    pub fn sites(&self) -> usize {
        self.sites.len()
    }

    /// What a call can wait for; none where its site is not there.
    pub fn kind(&self, call: &TracedCall) -> Option<SiteKind> {
        self.kind_of(call.site)
    }

    /// Whether its communicator is one of two groups.
    pub fn is_between_groups(&self, call: &TracedCall) -> bool {
        let has_communicator = self.site(call.site).is_some_and(|site| site.communicator.is_some());
        has_communicator && self.kind(call).is_some_and(|kind| kind.ranks.is_none())
    }

    pub fn kind_of(&self, site: u32) -> Option<SiteKind> {
        self.kinds.get(site as usize).copied()
    }

    /// The sites of its calls that are counted here, each once.
    pub fn called_sites(&self) -> impl Iterator<Item = u32> {
        let mut is_called = vec![false; self.sites.len()];
        for call in self.calls.get(self.own()).unwrap_or_default() {
            is_called.get_mut(call.site as usize).into_iter().for_each(|is_called| *is_called = true);
        }
        (0..).zip(is_called).filter(|(_, is_called)| *is_called).map(|(site, _)| site)
    }

    /// The call that began at a moment.
    pub fn call_at(&self, begin: Nanoseconds) -> Option<At> {
        let call = self.calls.binary_search_by_key(&begin, |call| call.begin).ok()?;
        Some(At { lane: self.number, call: call as u32 })
    }

    pub fn has_end(&self, of: MessageSide) -> bool {
        self.messages.iter().any(|message| message.end == of)
    }

    pub fn has_windows(&self) -> bool {
        self.messages.iter().any(|message| matches!(message.end, MessageSide::Window(_)))
    }

    pub fn has_probes(&self) -> bool {
        self.kinds.iter().any(|kind| kind.probes)
    }

    /// As in C.
    pub fn name(&self, call: &TracedCall) -> &'a str {
        self.site(call.site).map_or("", |site| &site.call)
    }

    /// Its call, its place, and the name of its communicator.
    pub fn placed_call(&self, run: &Run<'a>, site: u32) -> Option<super::PlacedCall> {
        let (process, site) = run.processes.get(self.process).zip(self.site(site))?;
        let at = process.activity.place(run.places, &site.at);
        Some((site.call.clone(), at, process.activity.communicator_name(site.communicator)))
    }

    /// The place of a site, by its number in [`Lanes::places`].
    pub fn place_of(&self, site: u32) -> u32 {
        self.places.get(site as usize).copied().unwrap_or(0)
    }

    /// The same with its communicator, by its number in [`Lanes::placed`].
    pub fn placed(&self, site: u32) -> u32 {
        self.placed.get(site as usize).copied().unwrap_or(0)
    }
}

/// By process and communicator: from when on which ranks' data a rank gets, in their order.
pub type ToldSources = HashMap<(usize, Option<u16>), Vec<(Nanoseconds, Vec<u32>)>>;

/// The number of a place, and the communicator of the calls.
pub type PlacedSite = (u32, Option<EventCommunicator>);

/// The number of what is known already, or the next one.
fn number<T: Clone + Ord>((all, numbers): &mut (Vec<T>, BTreeMap<T, u32>), of: T) -> u32 {
    let next = all.len() as u32;
    *numbers.entry(of).or_insert_with_key(|of| {
        all.push(of.clone());
        next
    })
}

/// The places of all sites, and these with their communicators; each lane gets the numbers of its own.
fn named_places(run: &Run<'_>, all: &mut [Lane<'_>]) -> (Vec<CallPlace>, Vec<PlacedSite>) {
    let (mut places, mut placed) = Default::default();
    for lane in all {
        let Some(process) = run.processes.get(lane.process) else { continue };
        let mut own = (Vec::new(), Vec::new());
        for site in lane.sites {
            let place = process.activity.place(run.places, &site.at);
            let place = number(&mut places, CallPlace { call: site.call.clone(), place });
            let ranks = process.activity.ranks_of(site.communicator);
            let name = process.activity.communicator_name(site.communicator).measured().cloned();
            let on = name.map(|name| EventCommunicator { name, ranks });
            own.0.push(place);
            own.1.push(number(&mut placed, (place, on)));
        }
        (lane.places, lane.placed) = (Arc::new(own.0), Arc::new(own.1));
    }
    (places.0, placed.0)
}

/// Where the messages of each call begin, and behind the last one.
fn first_messages(mut next: u32, calls: &[TracedCall]) -> Vec<u32> {
    let mut all = Vec::with_capacity(calls.len() + 1);
    for call in calls {
        all.push(next);
        next = next.saturating_add(call.messages);
    }
    all.push(next);
    all
}

/// What the traces lack.
struct Gaps {
    /// Records.
    lost: u64,
    /// All of them lie outside of the time that was asked for.
    are_outside: bool,
    /// Calls before this moment may have gaps, and those behind the other one.
    from: Nanoseconds,
    until: Nanoseconds,
}

impl Gaps {
    fn of(run: &Run<'_>) -> Gaps {
        let losses = run.processes.iter().filter_map(|process| process.activity.lost.trace);
        let (mut lost, mut from, mut until) = (0u64, Nanoseconds(0), Nanoseconds(u64::MAX));
        let mut are_outside = true;
        for loss in losses {
            lost = lost.saturating_add(loss.records);
            are_outside &= loss.is_outside;
            match loss.until {
                Some(gap) => from = from.max(gap),
                None => until = until.min(loss.since),
            }
            until = until.min(loss.again.unwrap_or(until));
        }
        Gaps { lost, are_outside, from, until }
    }
}

impl<'a> Lanes<'a> {
    /// Nothing where no rank was traced.
    pub fn of(run: &Run<'a>) -> Option<Lanes<'a>> {
        let Gaps { lost, are_outside, from, until } = Gaps::of(run);
        let (mut all, mut workers) = (Vec::new(), Vec::new());
        let (mut constructs, mut phases) = (Constructs::default(), Phases::default());
        let are_ranks = run.processes.iter().any(|process| process.rank().is_some());
        for (number, process) in run.processes.iter().enumerate() {
            let activity: &'a numawise_facts::Activity = process.activity;
            let threads = activity.threads.measured().into_iter().flatten();
            let traced: Vec<_> =
                threads.filter_map(|thread| Some((thread.tid.0, thread.trace.as_deref()?))).collect();
            let are_several = traced.iter().filter(|(_, trace)| !trace.calls.is_empty()).count() > 1;
            let states = threads::of_process(run, activity, &traced, &mut constructs);
            phases.add(number, &traced);
            let spans = threads::spans(&traced);
            let mut own = Vec::new();
            for ((tid, trace), states) in traced.into_iter().zip(states) {
                let is_first = !are_ranks && tid == activity.pid.0;
                match Lane::of(run, (number, trace), (from, until), spans.filter(|_| is_first)) {
                    Some(lane) => {
                        let thread_number = are_several.then_some(tid);
                        all.push(Lane { thread_number, tid, states: Arc::new(states), ..lane });
                    }
                    None if threads::is_in_files_only(trace) => {}
                    None => own.push(Worker { process: number, number: 0, tid, states }),
                }
            }
            own.arrange_by_key(|worker| worker.tid);
            workers.extend((1..).zip(own).map(|(number, worker)| Worker { number, ..worker }));
        }
        all.sort_by_cached_key(|lane: &Lane<'_>| (lane.world, lane.rank, lane.thread_number));
        all.iter_mut().zip(0..).for_each(|(lane, number)| lane.number = number);
        let origin = all.iter().map(|lane| lane.begin).min()?;
        let end = all.iter().map(|lane| lane.end).max()?;
        let part = run.part;
        let moment = |since: Option<Nanoseconds>| since.map(|since| (origin + since).min(end));
        let mut begin = part.and_then(|part| moment(part.from)).unwrap_or(origin);
        let mut end = part.and_then(|part| moment(part.to)).unwrap_or(end).max(begin);
        if let Some(ranks) = part.and_then(|part| part.ranks.as_ref()) {
            all.iter_mut().for_each(|lane| lane.is_shown = ranks.iter().any(|rank| rank.0 == lane.rank));
        }
        let asked = part.and_then(|part| part.phase.as_deref());
        all.iter_mut()
            .for_each(|lane| lane.windows = Arc::new(phases.windows(lane.process, lane.tid, asked)));
        if asked.is_some() {
            let windows = all.iter().filter(|lane| lane.is_shown).flat_map(|lane| lane.windows.iter());
            let asked = windows.filter(|window| window.0 < end && window.1 > begin);
            let (first, last) = asked.fold((end, begin), |(first, last), window| {
                (first.min(window.0.max(begin)), last.max(window.1.min(end)))
            });
            (begin, end) = (first, last.max(first));
        }
        let (places, placed) = named_places(run, &mut all);
        let is_end = from.0 > 0;
        let is_window = is_end && until.0 < u64::MAX;
        let mut lanes = Lanes {
            all,
            places: Arc::new(places),
            placed: Arc::new(placed),
            constructs: Arc::new(constructs.all),
            workers: Arc::new(workers),
            teams: Arc::default(),
            phases: Arc::new(phases),
            slice: None,
            told: Arc::default(),
            made_windows: Arc::default(),
            until,
            origin,
            begin,
            end,
            lost,
            are_ranks,
            is_end,
            is_window,
            lost_is_outside: are_outside,
        };
        lanes.teams = Arc::new(lanes.all.iter().map(|lane| lanes.team_of(lane)).collect());
        Some(lanes)
    }

    fn team_of(&self, lane: &Lane<'_>) -> Team {
        let is_alone = self.of_process(lane.number).count() == 1;
        let own = (&*lane.states, lane.begin, lane.end);
        Team::of(own, is_alone, self.workers_of(lane.number), &self.constructs)
    }

    /// What its threads do together, where any do.
    pub fn team(&self, lane: u32) -> Option<&Team> {
        self.teams.get(lane as usize).filter(|team| team.threads > 0)
    }

    /// The largest error of clocks that were compared; none where all are one.
    pub fn clock_error(&self) -> Option<Nanoseconds> {
        let (first, others) = self.all.split_first()?;
        let others = others.iter().filter(|lane| lane.host != first.host);
        others.filter_map(|lane| lane.error_beside(first)).max()
    }

    /// Whether clocks of computers were not compared.
    pub fn are_apart(&self) -> bool {
        let first = self.all.first();
        first.is_some_and(|first| self.all.iter().any(|lane| lane.error_beside(first).is_none()))
    }

    pub fn shown(&self) -> impl Iterator<Item = &Lane<'a>> {
        self.all.iter().filter(|lane| lane.is_shown)
    }

    /// The workers of a lane's process, where it is the first one of that.
    pub fn workers_of(&self, lane: u32) -> impl Iterator<Item = &Worker> {
        let process = |lane: u32| self.all.get(lane as usize).map(|lane| lane.process);
        let own = process(lane);
        let is_first = lane.checked_sub(1).is_none_or(|before| process(before) != own);
        let from = self.workers.partition_point(|worker| Some(worker.process) < own);
        self.workers.iter().skip(from).take_while(move |worker| is_first && Some(worker.process) == own)
    }

    /// Of a slice, whether one of these calls is so late that what belongs to it may come.
    pub fn is_awaited(&self, mut calls: impl Iterator<Item = At>) -> bool {
        let Some(slice) = self.slice else { return false };
        calls.any(|at| self.call(at).is_some_and(|(_, call)| call.end >= slice.low))
    }

    /// Whether a call begins what another one ends.
    pub fn begins(&self, at: At) -> bool {
        self.call(at).and_then(|(lane, call)| lane.kind(call)).is_some_and(|kind| kind.begins)
    }

    /// The lanes of a lane's process, which lie beside one another.
    pub fn of_process(&self, lane: u32) -> impl Iterator<Item = &Lane<'a>> {
        let (before, from) = self.all.split_at_checked(lane as usize).unwrap_or_default();
        let process = from.first().map(|lane| lane.process);
        let is_of_it = move |other: &&Lane<'a>| Some(other.process) == process;
        before.iter().rev().take_while(is_of_it).chain(from.iter().take_while(is_of_it))
    }

    pub fn call(&self, at: At) -> Option<(&Lane<'a>, &'a TracedCall)> {
        let lane = self.all.get(at.lane as usize)?;
        Some((lane, lane.calls.get(at.call as usize)?))
    }
}
