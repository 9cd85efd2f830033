//! Which communicators are one. In most archives a number stands for one communicator in all processes. Some tools number them in each process,
//! and what they did not bring together has several numbers, each used by others of its ranks.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::{Comm, Definitions, Group};
use super::lane::{Lane, Side};
use super::ranks::Ranks;
use crate::ffi;

/// A communicator, in all its ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Class {
    pub name: String,
    /// Places in the list of all ranks, in the order of its ranks; of one between two groups those of the first.
    pub members: Vec<u64>,
    /// Those of the second group.
    pub others: Option<Vec<u64>>,
    /// Events have places in the list of all in place of its own ranks.
    is_global: bool,
}

/// One of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClassOf {
    /// Which of [`Communicators::all`].
    pub class: u32,
    /// Of one in which each process is alone, which.
    pub alone: Option<u32>,
}

#[derive(Debug, Default)]
pub struct Communicators {
    pub all: Vec<Class>,
    by_number: BTreeMap<u32, u32>,
    /// In which each process is alone.
    selves: BTreeSet<u32>,
}

impl Communicators {
    /// With how many were taken as one with another.
    pub fn of(definitions: &Definitions, ranks: &Ranks, lanes: &[Lane<'_>]) -> (Communicators, u64) {
        let users = users(ranks, lanes);
        let mut found = Communicators::default();
        let mut joined = 0;
        // By their members, with who uses them.
        let mut parts: BTreeMap<Vec<u64>, Vec<(u32, BTreeSet<usize>)>> = BTreeMap::new();
        for (number, users) in &users {
            let Some(comm) = definitions.comms.get(number) else { continue };
            let Some(group) = definitions.comm_group(comm.group) else { continue };
            let class = class(definitions, ranks, comm, group);
            let is_part = users.len() < class.members.len() && class.others.is_none();
            let parts = parts.entry(class.members.clone()).or_default();
            let same = parts.iter_mut().find(|(_, others)| is_part && others.is_disjoint(users));
            let place = match same {
                Some((place, others)) => {
                    others.extend(users);
                    joined += 1;
                    *place
                }
                None => {
                    let place = found.all.len() as u32;
                    if group.kind == ffi::GROUP_COMM_SELF {
                        found.selves.insert(place);
                    } else if is_part {
                        parts.push((place, users.clone()));
                    }
                    found.all.push(class);
                    place
                }
            };
            found.by_number.insert(*number, place);
        }
        (found, joined)
    }

    /// By the number that events of a process have for it.
    pub fn of_number(&self, process: usize, number: u32) -> Option<ClassOf> {
        let class = *self.by_number.get(&number)?;
        Some(ClassOf { class, alone: self.selves.contains(&class).then_some(process as u32) })
    }

    pub fn get(&self, of: ClassOf) -> Option<&Class> {
        self.all.get(of.class as usize)
    }
}

impl Class {
    /// The place in the list of all of a rank in it, for one of its members.
    pub fn place(&self, own: Option<u64>, rank: u32) -> Option<u64> {
        if self.is_global {
            return Some(u64::from(rank));
        }
        // Of one in which each process is alone there is no list.
        if self.members.is_empty() && self.others.is_none() {
            return own.filter(|_| rank == 0);
        }
        let is_first = own.is_some_and(|own| self.members.contains(&own));
        let peers = self.others.as_ref().filter(|_| is_first).unwrap_or(&self.members);
        peers.get(rank as usize).copied()
    }

    /// The rank in it of a place in the list of all.
    pub fn rank(&self, place: u64) -> Option<u32> {
        let in_list = |list: &[u64]| {
            // Most lists are in their order.
            let near = list.get(place as usize).is_some_and(|at| *at == place).then_some(place as usize);
            near.or_else(|| list.iter().position(|member| *member == place)).map(|rank| rank as u32)
        };
        in_list(&self.members).or_else(|| in_list(self.others.as_deref()?))
    }

    /// The root of a collective call in it.
    pub fn root(&self, root: u32) -> Option<u32> {
        if self.is_global { self.rank(u64::from(root)) } else { Some(root) }
    }

    /// How many ranks it has, or the other group of one between two, as one of its members sees it.
    pub fn size(&self, own: Option<u64>) -> u32 {
        let is_first = own.is_some_and(|own| self.members.contains(&own));
        let peers = self.others.as_ref().filter(|_| is_first).unwrap_or(&self.members);
        peers.len().max(1) as u32
    }
}

fn class(definitions: &Definitions, ranks: &Ranks, comm: &Comm, group: &Group) -> Class {
    let places = |group: &Group| match group.kind {
        ffi::GROUP_COMM_LOCATIONS => (0..ranks.all_places() as u64).collect(),
        ffi::GROUP_COMM_SELF => Vec::new(),
        _ => group.members.clone(),
    };
    Class {
        name: definitions.string(comm.name).unwrap_or_default().to_owned(),
        members: places(group),
        others: comm.other.and_then(|other| definitions.comm_group(other)).map(places),
        is_global: group.flags & ffi::GROUP_FLAG_GLOBAL_MEMBERS != 0,
    }
}

/// The processes that use each communicator.
fn users(ranks: &Ranks, lanes: &[Lane<'_>]) -> BTreeMap<u32, BTreeSet<usize>> {
    let mut users: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for lane in lanes {
        let Some(process) = ranks.process_of(lane.location) else { continue };
        let messages = lane.messages.iter().filter_map(|passed| match passed.side {
            Side::Sent(message) | Side::Received(message) | Side::Came(message, _) => {
                Some(message.communicator)
            }
            Side::Ended(collective, _) => Some(collective.communicator),
            Side::Done(_) => None,
        });
        let collectives = lane.calls.iter().filter_map(|call| Some(call.collective?.communicator));
        let mut last = None;
        for number in messages.chain(collectives) {
            if last != Some(number) {
                users.entry(number).or_default().insert(process);
                last = Some(number);
            }
        }
    }
    users
}
