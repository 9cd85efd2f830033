//! Which communicators there are, and their ranks. Each process tells its own rank in each of its communicators, and a number that is the same
//! for the same ranks in the same order: where all of them tell, all ranks are known.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use numawise_facts::WatchedRun;

use super::ranks::{Ranks, World};

/// A communicator of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub name: String,
    pub world: usize,
    /// Ranks of the world, in the order of the communicator's; none where not all are known.
    pub members: Option<Vec<u32>>,
    /// The same as far as it is known.
    partial: BTreeMap<u32, u32>,
}

impl Known {
    /// The number in the communicator of a rank of the world. Where ranks are not known, those of the world stand for them.
    pub fn rank_of(&self, rank: u32) -> Option<u32> {
        let Some(members) = &self.members else { return Some(rank) };
        // Most are those of the world in its order.
        if members.get(rank as usize) == Some(&rank) {
            return Some(rank);
        }
        members.iter().position(|member| *member == rank).map(|place| place as u32)
    }

    /// The same of a rank of the communicator.
    pub fn root(&self, rank: u32) -> Option<u32> {
        match &self.members {
            Some(members) => ((rank as usize) < members.len()).then_some(rank),
            None => self.partial.get(&rank).copied(),
        }
    }
}

/// What tells communicators of a world apart: the number for their ranks, and the how manieth it is with that number in its processes; of one
/// without a number its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Ranks(u64, u32),
    Called(String),
}

#[derive(Debug, Default)]
pub struct Communicators {
    /// Those of all ranks of each world, then others that are used.
    pub all: Vec<Known>,
    /// By a process and its number for a communicator.
    of_process: BTreeMap<(usize, u16), u32>,
    /// By a world and the number that messages have for a communicator.
    of_messages: BTreeMap<(usize, NonZeroU64), u32>,
}

impl Communicators {
    pub fn of(run: &WatchedRun, ranks: &Ranks) -> Communicators {
        let world = |(number, world): (usize, &World)| Known {
            name: "MPI_COMM_WORLD".to_owned(),
            world: number,
            members: Some((0..world.size).collect()),
            partial: BTreeMap::new(),
        };
        let mut found = Communicators {
            all: ranks.worlds.iter().enumerate().map(world).collect(),
            ..Communicators::default()
        };
        let (by_name, names) = gathered(run, ranks);
        let used = used(run, ranks);
        for ((world, name), (size, mut known)) in by_name {
            let places = names.get(&(world, name.clone())).map_or(&[][..], Vec::as_slice);
            if !places.iter().any(|place| used.contains_key(place)) {
                continue;
            }
            let of_world = ranks.worlds.get(world).map_or(0, |world| world.size);
            known.members = members(&name, size, of_world, &known.partial);
            let is_first = matches!(name, Name::Ranks(_, 0));
            let is_world =
                is_first && found.all.get(world).is_some_and(|of_all| of_all.members == known.members);
            let number = if is_world { world } else { found.all.len() };
            if !is_world {
                found.all.push(known);
            }
            for place in places {
                found.of_process.insert(*place, number as u32);
                for message in used.get(place).into_iter().flatten() {
                    found.of_messages.entry((world, *message)).or_insert(number as u32);
                }
            }
        }
        found
    }

    pub fn get(&self, number: u32) -> Option<&Known> {
        self.all.get(number as usize)
    }

    /// By what a process calls it.
    pub fn of_process(&self, process: usize, communicator: Option<u16>) -> Option<u32> {
        self.of_process.get(&(process, communicator?)).copied()
    }

    /// By what messages call it.
    pub fn of_messages(&self, world: usize, communicator: Option<NonZeroU64>) -> Option<u32> {
        self.of_messages.get(&(world, communicator?)).copied()
    }

    pub fn unknown(&self) -> u64 {
        self.all.iter().filter(|known| known.members.is_none()).count() as u64
    }
}

type Gathered = BTreeMap<(usize, Name), (u32, Known)>;
type Places = BTreeMap<(usize, Name), Vec<(usize, u16)>>;

/// What all processes say of their communicators.
fn gathered(run: &WatchedRun, ranks: &Ranks) -> (Gathered, Places) {
    let (mut all, mut names) = (Gathered::new(), Places::new());
    for group in &ranks.groups {
        let (Some(process), Some((world, rank))) = (group.process, group.rank) else { continue };
        let Some(activity) = run.processes.get(process) else { continue };
        let mut times: BTreeMap<u64, u32> = BTreeMap::new();
        for (place, of) in activity.communicators.iter().enumerate() {
            let Ok(place) = u16::try_from(place) else { break };
            let name = match of.members.measured().filter(|_| !of.is_inter) {
                Some(members) => {
                    let time = times.entry(*members).or_default();
                    *time += 1;
                    Name::Ranks(*members, *time - 1)
                }
                None => Name::Called(of.name.clone()),
            };
            let nothing = || Known { name: of.name.clone(), world, members: None, partial: BTreeMap::new() };
            let (_, known) = all.entry((world, name.clone())).or_insert_with(|| (of.size, nothing()));
            if let Name::Ranks(..) = name {
                known.partial.insert(of.rank, rank);
            }
            names.entry((world, name)).or_default().push((process, place));
        }
    }
    (all, names)
}

fn members(name: &Name, size: u32, of_world: u32, partial: &BTreeMap<u32, u32>) -> Option<Vec<u32>> {
    if let Name::Called(_) = name {
        return None;
    }
    if partial.len() as u64 == u64::from(size) && partial.keys().copied().eq(0..size) {
        return Some(partial.values().copied().collect());
    }
    // All ranks are in it: if those that are known have their own numbers, the others have them too.
    let is_world = size == of_world && partial.iter().all(|(rank, of_world)| rank == of_world);
    is_world.then(|| (0..size).collect())
}

/// The communicators that calls are on, with what the messages of these call them.
fn used(run: &WatchedRun, ranks: &Ranks) -> BTreeMap<(usize, u16), Vec<NonZeroU64>> {
    let mut used: BTreeMap<(usize, u16), Vec<NonZeroU64>> = BTreeMap::new();
    for location in 0..ranks.locations.len() as u64 {
        let Some(process) = ranks.group_of(location).and_then(|group| group.process) else { continue };
        let Some(trace) = ranks.trace(run, location) else { continue };
        let mut next = 0usize;
        for call in &trace.calls {
            let messages = next..next.saturating_add(call.messages as usize);
            next = messages.end;
            let site = trace.sites.get(call.site as usize);
            let Some(communicator) = site.and_then(|site| site.communicator) else { continue };
            let names = used.entry((process, communicator)).or_default();
            let own = trace.messages.get(messages).unwrap_or_default().iter();
            let own = own.filter(|message| message.end.is_of_message());
            for name in own.filter_map(|message| message.communicator) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    used
}
