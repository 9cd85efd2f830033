//! An archive as a run with traces, whoever wrote it. [`archive`]: libotf2. [`definitions`]: what events refer to. [`lane`]: the calls of one
//! location. [`ranks`]: which location group is which rank. [`communicators`]: which communicators are one. [`traces`]: calls and messages of
//! a process as a run has them. [`clocks`]: no message comes before it is sent. [`process`]: the rest of a process.

use std::path::Path;

use numawise_facts::WatchedRun;
use numawise_units::Nanoseconds;

use crate::{MissingPart, Otf2Error, ffi};

mod archive;
mod clocks;
mod communicators;
mod definitions;
mod lane;
mod places;
mod process;
mod ranks;
mod spans;
mod traces;

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;

use definitions::{Clock, Definitions, Regions};
use lane::{Lane, Odd};

/// A run that an archive holds, and what had to be assumed.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadTrace {
    pub run: WatchedRun,
    /// The tool that wrote the archive, by its own name.
    pub creator: String,
    pub events: u64,
    /// What the archive does not say, or says in two ways; in the order of [`Assumption`].
    pub assumed: Vec<Assumption>,
}

/// What an archive does not say, or says in two ways, and what was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assumption {
    /// No group says which locations are ranks: location groups have the numbers at the ends of their names.
    RanksByNames,
    /// Nor do names: ranks are in the order of location groups.
    RanksByOrder,
    /// There is no clock: a tick is a nanosecond.
    TickIsNanosecond,
    /// By the archive it is so long; its events are of so long a time, which counts.
    OtherLength { told: Nanoseconds, found: Nanoseconds },
    /// By its definitions it has so many events; so many were read, which count.
    OtherEvents { told: u64, read: u64 },
    /// Locations whose events could not be read, or not to their end.
    LocationsUnread { locations: u64 },
    /// Groups of one kind that have one number: the first of them counts.
    GroupsOfOneNumber { groups: u64 },
    /// Communicators of the same ranks that have several numbers, each used by others of these ranks: they were taken as one.
    CommunicatorsJoined { communicators: u64 },
    /// Messages and collective calls on communicators that are not defined: they were left out.
    CommunicatorsUnknown { events: u64 },
    /// Messages from or to what is no rank of the world: they were left out.
    PeersUnknown { messages: u64 },
    /// Receives in the background of which nothing says what came: their messages are missing.
    ReceivesNotCompleted { requests: u64 },
    /// Sends in the background of which nothing says when they were done.
    SendsNotCompleted { requests: u64 },
    /// What came of requests that were not begun: it was begun by the call in which it came.
    RequestsNotBegun { requests: u64 },
    /// Requests that had the number of one that was not completed.
    RequestNumbersAgain { requests: u64 },
    /// Messages and collective calls outside of all calls of MPI: they were left out.
    OutsideOfCalls { events: u64 },
    /// Regions that were left and not entered, or entered and not left: the first were left out, the others end where what surrounds them ends.
    Unbalanced { regions: u64 },
    /// Events that lay before the one before them: they were set to its moment.
    MomentsMoved { events: u64 },
    /// The clock of a process went after those of others: by so much it was moved, the least that lets nothing come before it was sent.
    ClockMoved { rank: u32, by: Nanoseconds },
    /// No move of clocks lets all come after it was sent: by so much messages come too early at most.
    ClocksContradict { by: Nanoseconds },
}

/// Reads the traces of an OTF2 archive by its anchor file, `traces.otf2`.
///
/// # Errors
/// Where libotf2 is not installed, does not read the archive, or there are no calls of MPI in it.
pub fn read(anchor: &Path) -> Result<ReadTrace, Otf2Error> {
    let otf2 = ffi::Otf2::open()?;
    let mut archive = archive::Archive::open(&otf2, anchor)?;
    let definitions = archive.definitions()?;
    let numbers: Vec<u64> = definitions.threads().collect();
    if numbers.is_empty() {
        return Err(Otf2Error::Missing { anchor: anchor.to_owned(), part: MissingPart::Processes });
    }
    let creator = archive.creator();
    let regions = Regions::of(&definitions, ffi::CREATOR.to_str() == Ok(&creator));
    let mut assumed = Assumed::default();
    let clock = definitions.clock.unwrap_or_else(|| {
        assumed.0.push(Assumption::TickIsNanosecond);
        Clock::default()
    });
    let mut broken = archive.select(&numbers)?;
    let attributes = definitions.attributes();
    let mut lanes = Vec::with_capacity(numbers.len());
    for location in numbers {
        let mut lane = Lane::new(location, &regions, clock);
        let (events, is_whole) = archive.events(location, attributes, &mut |event| lane.take(event));
        lane.all_events = events;
        // Of a rank that was not traced there need not be a file.
        let is_none =
            definitions.locations.get(&location).is_some_and(|told| told.events == 0) && events == 0;
        broken += u64::from(!is_whole && !is_none);
        lane.finish();
        lanes.push(lane);
    }
    drop(archive);
    assumed.count(broken, |locations| Assumption::LocationsUnread { locations });
    if lanes.iter().all(|lane| lane.calls.is_empty()) {
        return Err(Otf2Error::Missing { anchor: anchor.to_owned(), part: MissingPart::CallsOfMpi });
    }
    let events = lanes.iter().map(|lane| lane.events).sum();
    let run = run(anchor, &definitions, clock, &regions, &lanes, &mut assumed);
    assumed.0.sort_unstable();
    Ok(ReadTrace { run, creator, events, assumed: assumed.0 })
}

/// The run of what was read.
fn run(
    anchor: &Path,
    definitions: &Definitions,
    clock: Clock,
    regions: &Regions,
    lanes: &[Lane<'_>],
    assumed: &mut Assumed,
) -> WatchedRun {
    assumed.of_lanes(definitions, clock, lanes);
    let (ranks, how) = ranks::Ranks::of(definitions, lanes);
    assumed.0.extend(how);
    let (communicators, joined) = communicators::Communicators::of(definitions, &ranks, lanes);
    assumed.count(joined, |communicators| Assumption::CommunicatorsJoined { communicators });
    let mut places = places::Places::new(definitions, regions);
    let mut traced = traces::all(&ranks, &communicators, &mut places, lanes);
    assumed.of_traces(&traced.odd);
    let moves = clocks::moves(&traced);
    assumed.0.extend(moves.assumed(&traced));
    moves.apply(&mut traced);
    process::run(anchor, definitions, clock, &ranks, &communicators, places, traced)
}

/// What had to be assumed so far.
#[derive(Debug, Default)]
struct Assumed(Vec<Assumption>);

impl Assumed {
    /// Says it where there is any.
    fn count(&mut self, count: u64, what: impl FnOnce(u64) -> Assumption) {
        if count > 0 {
            self.0.push(what(count));
        }
    }

    fn of_lanes(&mut self, definitions: &Definitions, clock: Clock, lanes: &[Lane<'_>]) {
        let odd = lanes.iter().fold(Odd::default(), |sum, lane| sum.with(&lane.odd));
        self.count(odd.outside, |events| Assumption::OutsideOfCalls { events });
        self.count(odd.unbalanced, |regions| Assumption::Unbalanced { regions });
        self.count(odd.moved, |events| Assumption::MomentsMoved { events });
        self.count(definitions.groups_again(), |groups| Assumption::GroupsOfOneNumber { groups });
        let (told, read) = (definitions.events(), lanes.iter().map(|lane| lane.all_events).sum());
        if told != read {
            self.0.push(Assumption::OtherEvents { told, read });
        }
        let first = lanes.iter().filter_map(Lane::first).min();
        let last = lanes.iter().map(|lane| lane.last).max();
        let found = first.zip(last).map_or(0, |(first, last)| last.saturating_sub(first));
        // The moments of events that are not looked at count too: a tenth is no contradiction.
        let other = clock.length().filter(|told| told.0.abs_diff(found) > found.max(told.0) / 10);
        let found = Nanoseconds(found);
        self.0.extend(other.map(|told| Assumption::OtherLength { told, found }));
    }

    fn of_traces(&mut self, odd: &traces::Odd) {
        self.count(odd.communicators, |events| Assumption::CommunicatorsUnknown { events });
        self.count(odd.peers, |messages| Assumption::PeersUnknown { messages });
        self.count(odd.receives_open, |requests| Assumption::ReceivesNotCompleted { requests });
        self.count(odd.sends_open, |requests| Assumption::SendsNotCompleted { requests });
        self.count(odd.not_begun, |requests| Assumption::RequestsNotBegun { requests });
        self.count(odd.again, |requests| Assumption::RequestNumbersAgain { requests });
    }
}
