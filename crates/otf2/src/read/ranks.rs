//! Which location group is which rank. Events count ranks in the list of all locations of MPI, which several worlds may share.

use std::collections::{BTreeMap, BTreeSet};

use super::Assumption;
use super::definitions::Definitions;
use super::lane::Lane;

/// A process: a rank of a world, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProcessOf {
    /// World and rank in it; what is no rank comes behind.
    pub rank: (bool, usize, u32),
    /// The location group.
    pub group: u32,
}

impl ProcessOf {
    pub fn world_rank(&self) -> Option<(usize, u32)> {
        let (is_none, world, rank) = self.rank;
        (!is_none).then_some((world, rank))
    }
}

#[derive(Debug, Default)]
pub struct Ranks {
    /// By their ranks; with calls of MPI.
    pub processes: Vec<ProcessOf>,
    /// How many ranks each world has.
    pub worlds: Vec<u32>,
    /// The place of each process in the list of all.
    places: Vec<Option<u64>>,
    /// World and rank of each place in the list of all.
    of_place: Vec<Option<(usize, u32)>>,
    by_location: BTreeMap<u64, usize>,
}

impl Ranks {
    pub fn of(definitions: &Definitions, lanes: &[Lane<'_>]) -> (Ranks, Option<Assumption>) {
        let group_of = |location: &u64| definitions.locations.get(location).map(|of| of.group);
        let calls: BTreeSet<u32> = lanes
            .iter()
            .filter(|lane| !lane.calls.is_empty())
            .filter_map(|lane| group_of(&lane.location))
            .collect();
        let (places, how): (Vec<Option<u32>>, _) = match definitions.rank_locations() {
            Some(list) => (list.members.iter().map(group_of).collect(), None),
            None => by_names(definitions, &calls),
        };
        let worlds = worlds(definitions, places.len());
        let mut of_place = vec![None; places.len()];
        for (world, members) in worlds.iter().enumerate() {
            for (place, rank) in members.iter().zip(0..) {
                if let Some(of) = of_place.get_mut(*place as usize) {
                    of.get_or_insert((world, rank));
                }
            }
        }
        let mut rank_of: BTreeMap<u32, (usize, u32)> = BTreeMap::new();
        let mut place_of: BTreeMap<u32, u64> = BTreeMap::new();
        for ((group, of), place) in places.iter().zip(&of_place).zip(0..) {
            if let (Some(group), Some(of)) = (group, of) {
                rank_of.entry(*group).or_insert(*of);
                place_of.entry(*group).or_insert(place);
            }
        }
        // A rank without calls is one of the others that wait for it.
        let groups: BTreeSet<u32> = calls.iter().chain(rank_of.keys()).copied().collect();
        let process = |group: u32| {
            let rank = rank_of.get(&group).map_or((true, 0, 0), |(world, rank)| (false, *world, *rank));
            ProcessOf { rank, group }
        };
        let mut processes: Vec<ProcessOf> = groups.into_iter().map(process).collect();
        processes.sort_unstable();
        let by_group: BTreeMap<u32, usize> =
            processes.iter().enumerate().map(|(number, of)| (of.group, number)).collect();
        let by_location = lanes.iter().filter_map(|lane| {
            let group = group_of(&lane.location)?;
            Some((lane.location, *by_group.get(&group)?))
        });
        let by_location = by_location.collect();
        let worlds = worlds.iter().map(|members| members.len() as u32).collect();
        let places = processes.iter().map(|of| place_of.get(&of.group).copied()).collect();
        (Ranks { processes, worlds, places, of_place, by_location }, how)
    }

    /// Which of [`Ranks::processes`] a location belongs to.
    pub fn process_of(&self, location: u64) -> Option<usize> {
        self.by_location.get(&location).copied()
    }

    /// The place of a process in the list of all.
    pub fn place(&self, process: usize) -> Option<u64> {
        self.places.get(process).copied().flatten()
    }

    /// World and rank of a place in the list of all.
    pub fn at(&self, place: u64) -> Option<(usize, u32)> {
        self.of_place.get(usize::try_from(place).ok()?).copied().flatten()
    }

    /// How many places the list of all has.
    pub fn all_places(&self) -> usize {
        self.of_place.len()
    }
}

/// The members of each world, as places in the list of all. Where none has the name, or those that have it share members, all are of one.
fn worlds(definitions: &Definitions, places: usize) -> Vec<Vec<u64>> {
    let named =
        definitions.comms.values().filter(|comm| definitions.string(comm.name) == Some("MPI_COMM_WORLD"));
    let members = named.filter_map(|comm| {
        let group = definitions.comm_group(comm.group)?;
        let is_list = group.kind == crate::ffi::GROUP_COMM;
        is_list.then(|| group.members.clone())
    });
    let members: Vec<Vec<u64>> = members.collect();
    let mut seen = BTreeSet::new();
    let are_apart = members.iter().flatten().all(|place| *place < places as u64 && seen.insert(*place));
    let all = || (0..places as u64).collect();
    if are_apart && seen.len() == places && !members.is_empty() { members } else { vec![all()] }
}

/// Location groups in the order of the numbers at the ends of their names; where these are not those of ranks, in their own.
fn by_names(definitions: &Definitions, calls: &BTreeSet<u32>) -> (Vec<Option<u32>>, Option<Assumption>) {
    let number = |group: &u32| {
        let name = definitions.string(definitions.processes.get(group)?.name)?;
        let digits = name.len() - name.trim_end_matches(|end: char| end.is_ascii_digit()).len();
        name.get(name.len() - digits..)?.parse::<u32>().ok()
    };
    let numbers: BTreeMap<u32, u32> =
        calls.iter().filter_map(|group| Some((number(group)?, *group))).collect();
    if numbers.len() == calls.len() && numbers.keys().copied().eq(0..calls.len() as u32) {
        return (numbers.into_values().map(Some).collect(), Some(Assumption::RanksByNames));
    }
    (calls.iter().copied().map(Some).collect(), Some(Assumption::RanksByOrder))
}
