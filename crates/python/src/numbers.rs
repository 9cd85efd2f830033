//! Sets of CPUs and nodes as Python has them.

use std::collections::BTreeSet;

use numawise_units::Id;
use pyo3::prelude::*;

pub fn numbers<I: Id>(set: impl Iterator<Item = I>) -> BTreeSet<u32> {
    set.map(|id| id.index()).collect()
}

/// CPUs or nodes, as the kernel's list ("0-3,8") or as numbers.
#[derive(FromPyObject)]
pub enum Numbers {
    Text(String),
    One(u32),
    Many(Vec<u32>),
    Set(BTreeSet<u32>),
}

impl Numbers {
    pub fn text(self) -> String {
        let joined = |all: Vec<u32>| all.iter().map(u32::to_string).collect::<Vec<String>>().join(",");
        match self {
            Numbers::Text(text) => text,
            Numbers::One(one) => one.to_string(),
            Numbers::Many(all) => joined(all),
            Numbers::Set(all) => joined(all.into_iter().collect()),
        }
    }
}
