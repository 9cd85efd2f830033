//! What events refer to: strings, regions, lines of the source; and what is known of locations when their events are written.

use std::collections::BTreeMap;

use numawise_facts::activity::{CodeAddress, TracedSite};
use numawise_facts::{Activity, Reading, WatchedRun};

use super::ranks::Ranks;
use crate::calls::{Role, role};
use crate::event::EnteredAt;
use crate::ffi;

/// One region for each function of MPI, each construct of OpenMP, and each phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    pub name: u32,
    pub role: Role,
    pub paradigm: u8,
}

/// A rank, or a process without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupNames {
    pub name: u32,
    /// Which of [`Definitions::hosts`].
    pub host: u32,
}

#[derive(Debug, Default)]
pub struct Definitions {
    numbers: BTreeMap<String, u32>,
    /// In the order of their numbers.
    pub strings: Vec<String>,
    /// Names of hosts, by the numbers that location groups have for them.
    pub hosts: Vec<u32>,
    pub groups: Vec<GroupNames>,
    /// The names of locations.
    pub locations: Vec<u32>,
    events: BTreeMap<u64, (u64, [u64; 2])>,
    pub regions: Vec<Region>,
    by_call: BTreeMap<(String, u8), u32>,
    /// File and line.
    pub lines: Vec<(u32, u32)>,
    by_line: BTreeMap<(u32, u32), u32>,
}

impl Definitions {
    pub fn new(run: &WatchedRun, ranks: &Ranks) -> Definitions {
        let mut definitions = Definitions::default();
        // The first string is empty: so readers show what has no name.
        definitions.string("");
        let own = run.header.host.hostname.measured().cloned().unwrap_or_default();
        for group in &ranks.groups {
            let activity = group.process.and_then(|process| run.processes.get(process));
            let host = definitions.string(activity.map_or(&own, |activity| &activity.host));
            let known = definitions.hosts.iter().position(|known| *known == host);
            let place = known.unwrap_or_else(|| {
                definitions.hosts.push(host);
                definitions.hosts.len() - 1
            });
            let name = match (group.rank, activity) {
                (Some((0, rank)), _) => format!("MPI Rank {rank}"),
                (Some((world, rank)), _) => format!("MPI Rank {rank} of world {world}"),
                (None, Some(activity)) => format!("Process {}", activity.pid),
                (None, None) => String::new(),
            };
            let name = definitions.string(&name);
            definitions.groups.push(GroupNames { name, host: place as u32 });
        }
        for (number, location) in ranks.locations.iter().enumerate() {
            let activity = ranks.activity(run, number as u64);
            let threads = activity.and_then(|activity| activity.threads.measured());
            let thread = location.thread.and_then(|thread| threads?.get(thread));
            let name = match thread {
                Some(thread) if !thread.is_first => format!("Thread {}", thread.tid),
                _ => "Master thread".to_owned(),
            };
            let name = definitions.string(&name);
            definitions.locations.push(name);
        }
        definitions
    }

    pub fn string(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.strings.len() as u32;
        self.strings.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// Of a string that was numbered before; else of the empty one.
    pub fn number(&self, text: &str) -> u32 {
        self.numbers.get(text).copied().unwrap_or(0)
    }

    fn region(&mut self, call: &str) -> u32 {
        self.other(call, role(call), ffi::PARADIGM_MPI)
    }

    /// A region by its name.
    pub fn other(&mut self, name: &str, role: Role, paradigm: u8) -> u32 {
        let key = (name.to_owned(), paradigm);
        if let Some(number) = self.by_call.get(&key) {
            return *number;
        }
        let (name, number) = (self.string(name), self.regions.len() as u32);
        self.regions.push(Region { name, role, paradigm });
        self.by_call.insert(key, number);
        number
    }

    /// The region of a call, and where it stands as far as symbols say.
    pub fn site(&mut self, run: &WatchedRun, activity: &Activity, site: &TracedSite) -> (u32, EnteredAt) {
        let region = self.region(&site.call);
        (region, self.place(run, activity, &site.at).0)
    }

    /// An address, and as `a.c:3`, as far as symbols say.
    pub fn place(
        &mut self,
        run: &WatchedRun,
        activity: &Activity,
        at: &Reading<CodeAddress>,
    ) -> (EnteredAt, Option<String>) {
        let place = at.measured().and_then(|at| {
            let path = activity.path(at.file)?;
            run.places.get(&(path.to_owned(), at.address))
        });
        let Some(place) = place else { return Default::default() };
        let function = place.function.measured().map(|function| self.string(function));
        let line = place.file.measured().zip(place.line.measured()).map(|(file, line)| {
            let key = (self.string(file), *line);
            let next = self.lines.len() as u32;
            let number = *self.by_line.entry(key).or_insert(next);
            if number == next {
                self.lines.push(key);
            }
            number
        });
        let text = place.file.measured().zip(place.line.measured()).map(|(file, line)| {
            let file = file.rsplit('/').next().unwrap_or(file);
            format!("{file}:{line}")
        });
        (EnteredAt { function, line }, text)
    }

    /// What was written of a location: how many events, and when the archive begins and the location ends.
    pub fn location_has(&mut self, location: u64, events: u64, span: [u64; 2]) {
        self.events.insert(location, (events, span));
    }

    pub fn events_of(&self, location: u64) -> u64 {
        self.events.get(&location).map_or(0, |(events, _)| *events)
    }

    /// How long the archive is, with moments that were moved.
    pub fn length(&self) -> u64 {
        self.events.values().map(|(_, [first, last])| last.saturating_sub(*first)).max().unwrap_or(0)
    }
}
