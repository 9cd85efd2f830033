//! The definitions of an archive: what its events refer to, by their numbers. Definitions may refer to what follows them.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::activity::{ConstructName, FileOperation};
use numawise_units::Nanoseconds;

use crate::calls::{Role, as_in_c, file_region};
use crate::event::EnteredAt;
use crate::ffi;

/// How many ticks a second has, and when the first of the archive's events is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    pub ticks: u64,
    pub offset: u64,
    pub length: u64,
    /// Nanoseconds since 1970 at `offset`; none: `u64::MAX`.
    pub day: u64,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock { ticks: SECOND, offset: 0, length: 0, day: u64::MAX }
    }
}

const SECOND: u64 = 1_000_000_000;

impl Clock {
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        if self.ticks == SECOND || self.ticks == 0 {
            return ticks;
        }
        let nanoseconds = u128::from(ticks) * u128::from(SECOND) / u128::from(self.ticks);
        u64::try_from(nanoseconds).unwrap_or(u64::MAX)
    }

    /// How long the archive is, where it tells.
    pub fn length(&self) -> Option<Nanoseconds> {
        (self.length > 0).then(|| Nanoseconds(self.nanoseconds(self.length)))
    }

    /// The time of day at a moment of the archive.
    pub fn day(&self, moment: u64) -> Option<u64> {
        let offset = self.nanoseconds(self.offset);
        (self.day != u64::MAX).then(|| self.day.saturating_add(moment).saturating_sub(offset))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemNode {
    pub name: u32,
    pub class: u32,
    pub parent: u32,
}

/// A process, where it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocationGroup {
    pub name: u32,
    pub node: u32,
}

/// A thread, where it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    pub group: u32,
    pub kind: u8,
    pub events: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    pub name: u32,
    pub file: u32,
    pub role: u8,
    pub paradigm: u8,
}

/// A list of ranks or locations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub number: u32,
    pub kind: u8,
    pub paradigm: u8,
    pub flags: u32,
    pub members: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comm {
    pub name: u32,
    pub group: u32,
    /// Of one between two groups the second one.
    pub other: Option<u32>,
}

/// The numbers of attributes that are looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attributes {
    pub line: Option<u32>,
    pub function: Option<u32>,
    pub polls: Option<u32>,
    pub polling: Option<u32>,
}

#[derive(Debug, Clone, Default)]
pub struct Definitions {
    pub clock: Option<Clock>,
    pub strings: BTreeMap<u32, String>,
    pub nodes: BTreeMap<u32, SystemNode>,
    pub processes: BTreeMap<u32, LocationGroup>,
    pub locations: BTreeMap<u64, Location>,
    pub regions: BTreeMap<u32, Region>,
    pub groups: Vec<Group>,
    pub comms: BTreeMap<u32, Comm>,
    /// Number, name and type.
    pub named: Vec<(u32, u32, u8)>,
    /// File and line.
    pub lines: BTreeMap<u32, (u32, u32)>,
}

impl Definitions {
    pub fn string(&self, number: u32) -> Option<&str> {
        self.strings.get(&number).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// Locations whose events are read: threads, and what may be one.
    pub fn threads(&self) -> impl Iterator<Item = u64> {
        let is_thread =
            |of: &Location| of.kind <= ffi::LOCATION_CPU_THREAD && self.processes.contains_key(&of.group);
        self.locations.iter().filter(move |(_, location)| is_thread(location)).map(|(number, _)| *number)
    }

    /// How many events they have by these definitions.
    pub fn events(&self) -> u64 {
        let told = self.threads().filter_map(|number| self.locations.get(&number));
        told.fold(0, |sum, location| sum.saturating_add(location.events))
    }

    pub fn attributes(&self) -> Attributes {
        let find = |name: &str, kind: u8| {
            let is_it =
                |(_, of, of_kind): &&(u32, u32, u8)| *of_kind == kind && self.string(*of) == Some(name);
            self.named.iter().find(is_it).map(|(number, ..)| *number)
        };
        let [line, function, polls, polling] =
            crate::event::ATTRIBUTES.map(|(name, _, kind)| find(name, kind));
        Attributes { line, function, polls, polling }
    }

    /// The locations of all ranks in their order, where the archive tells.
    pub fn rank_locations(&self) -> Option<&Group> {
        let is_it =
            |group: &&Group| group.kind == ffi::GROUP_COMM_LOCATIONS && group.paradigm == ffi::PARADIGM_MPI;
        self.groups.iter().find(is_it).filter(|group| !group.members.is_empty())
    }

    /// The group of a communicator: groups of other kinds may have its number too.
    pub fn comm_group(&self, number: u32) -> Option<&Group> {
        let of_kind = |kinds: [u8; 2]| {
            let is_it = |group: &&Group| group.number == number && kinds.contains(&group.kind);
            self.groups.iter().find(is_it)
        };
        of_kind([ffi::GROUP_COMM, ffi::GROUP_COMM_SELF]).or_else(|| of_kind([ffi::GROUP_COMM_LOCATIONS; 2]))
    }

    /// How many groups have kind and number of one before them, and other members.
    pub fn groups_again(&self) -> u64 {
        let mut known: BTreeMap<(u32, u8), &Group> = BTreeMap::new();
        let mut again = 0;
        for group in &self.groups {
            let first = known.entry((group.number, group.kind)).or_insert(group);
            again += u64::from(first.members != group.members);
        }
        again
    }

    /// The host of a process: the node above it that is a computer, or is right above it.
    pub fn host(&self, process: u32) -> Option<&str> {
        let mut at = self.processes.get(&process)?.node;
        let direct = self.nodes.get(&at)?;
        let mut seen = BTreeSet::new();
        while let Some(node) = self.nodes.get(&at).filter(|_| seen.insert(at)) {
            if self.string(node.class) == Some("node") {
                return self.string(node.name);
            }
            at = node.parent;
        }
        self.string(direct.name)
    }
}

/// Where a call was made: the region of the program that surrounds it, and what the archive says beside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub inside: Option<u32>,
    pub at: EnteredAt,
}

/// What a region outside of calls of MPI is to a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanOf {
    /// A parallel region of OpenMP.
    Parallel,
    /// It waits in OpenMP.
    Wait(ConstructName),
    File(FileOperation),
}

impl SpanOf {
    /// Of a region that is no call of MPI; `is_ours`: of an archive of ours, in which critical sections and the like are the waits for them.
    fn of(name: &str, region: &Region, is_ours: bool) -> Option<SpanOf> {
        let is = |role: Role| region.role == role as u8;
        if region.paradigm != ffi::PARADIGM_OPENMP {
            let file = || FileOperation::ALL.into_iter().find(|of| file_region(*of) == name);
            return if is(Role::File) { file().map(SpanOf::File) } else { None };
        }
        if is(Role::Parallel) {
            return Some(SpanOf::Parallel);
        }
        let waits = [
            (Role::Barrier, ConstructName::Barrier),
            (Role::ImplicitBarrier, ConstructName::Barrier),
            (Role::Critical, ConstructName::Critical),
            (Role::Atomic, ConstructName::Atomic),
            (Role::Ordered, ConstructName::Ordered),
            (Role::TaskWait, ConstructName::Taskwait),
            (Role::Single, ConstructName::Single),
            (Role::Function, ConstructName::Others),
        ];
        let all = if is_ours { waits.len() } else { 2 };
        let wait = waits.into_iter().take(all).find(|(role, _)| is(*role));
        wait.map(|(_, name)| SpanOf::Wait(name))
    }
}

/// What a region is to a trace of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Which of [`Regions::calls`].
    Call(u32),
    /// A part of the time outside of calls.
    Span(SpanOf),
    /// Of the program.
    Other,
}

/// All regions, told apart.
#[derive(Debug, Default)]
pub struct Regions {
    kinds: BTreeMap<u32, Kind>,
    /// Names of calls, each once.
    pub calls: Vec<String>,
    /// The archive is ours: it says of each call whether it polled.
    pub tells_polls: bool,
}

impl Regions {
    pub fn of(definitions: &Definitions, is_ours: bool) -> Regions {
        let mut regions = Regions { tells_polls: is_ours, ..Regions::default() };
        let mut known: BTreeMap<String, u32> = BTreeMap::new();
        for (number, region) in &definitions.regions {
            let name = definitions.string(region.name).unwrap_or_default();
            // Some tools give no paradigm: the name tells. A phase that MPI_Pcontrol begins is no call.
            let is_other = matches!(region.paradigm, ffi::PARADIGM_USER | ffi::PARADIGM_OPENMP);
            let kind = match as_in_c(name).filter(|_| !is_other) {
                Some(call) => {
                    let next = regions.calls.len() as u32;
                    let place = *known.entry(call.clone()).or_insert(next);
                    if place == next {
                        regions.calls.push(call);
                    }
                    Kind::Call(place)
                }
                None => SpanOf::of(name, region, is_ours).map_or(Kind::Other, Kind::Span),
            };
            regions.kinds.insert(*number, kind);
        }
        regions
    }

    pub fn kind(&self, region: u32) -> Kind {
        self.kinds.get(&region).copied().unwrap_or(Kind::Other)
    }

    pub fn name(&self, call: u32) -> &str {
        self.calls.get(call as usize).map_or("", String::as_str)
    }
}
