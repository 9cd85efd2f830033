//! What Slurm 22.05 really set, recorded: the variables that concern tasks, CPUs and steps.

use std::ffi::OsString;

use super::super::{Launcher, rank};

macro_rules! recorded {
    ($name:literal) => {
        include_str!(concat!("../../testdata/slurm-22.05/", $name, ".env"))
    };
}

fn lookup(text: &'static str) -> impl Fn(&str) -> Option<OsString> {
    move |name| {
        let mut pairs = text.lines().filter_map(|line| line.split_once('='));
        pairs.find_map(|(known, value)| (known == name).then(|| value.into()))
    }
}

#[test]
fn ranks_of_srun_are_who_they_were() {
    // Five ranks on three nodes, in blocks: 0 1, 2 3, 4; in turns: 0 3, 1 4, 2.
    for (name, text, told) in [
        ("block-3", recorded!("block-3"), (1, 2, 3, 5)),
        ("block-4", recorded!("block-4"), (0, 1, 4, 5)),
        ("cyclic-3", recorded!("cyclic-3"), (1, 2, 3, 5)),
        ("cyclic-4", recorded!("cyclic-4"), (1, 2, 4, 5)),
        // Two jobs in one: `salloc -N2 -n3 : -N1 -n1`; numbers go through all of it.
        ("heterogeneous-2", recorded!("heterogeneous-2"), (0, 1, 2, 4)),
        ("heterogeneous-3", recorded!("heterogeneous-3"), (0, 1, 3, 4)),
        ("overcommit-4", recorded!("overcommit-4"), (4, 5, 4, 5)),
        ("pmi2-1", recorded!("pmi2-1"), (1, 2, 1, 2)),
        ("pmix-1", recorded!("pmix-1"), (1, 2, 1, 2)),
    ] {
        let found = rank(&lookup(text)).unwrap().unwrap_or_else(|| panic!("{name}: a rank"));
        assert_eq!((found.launcher, found.size_is_assumed), (Launcher::Slurm, false), "{name}");
        let (number, size) = (found.rank.unwrap(), found.size.unwrap());
        assert_eq!((found.local_rank, found.local_size, number, size), told, "{name}");
    }
}

#[test]
fn what_starts_the_ranks_is_none() {
    for text in [recorded!("sbatch"), recorded!("salloc")] {
        assert_eq!(rank(&lookup(text)), Ok(None), "{text}");
    }
}

#[test]
fn who_is_on_the_node_is_told_twice_and_alike() {
    for text in [
        recorded!("block-3"),
        recorded!("block-4"),
        recorded!("cyclic-4"),
        recorded!("heterogeneous-2"),
        recorded!("overcommit-4"),
    ] {
        let lookup = lookup(text);
        let all = lookup("SLURM_GTIDS").unwrap().into_string().unwrap();
        let all: Vec<u32> = all.split(',').map(|number| number.parse().unwrap()).collect();
        let found = rank(&lookup).unwrap().unwrap();
        assert_eq!(all.len() as u32, found.local_size, "{text}");
        assert_eq!(all[found.local_rank as usize], found.rank.unwrap(), "{text}");
    }
}
