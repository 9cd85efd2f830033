//! What a profile of a machine says: tables, statements, and how it differs from another.

mod compare;
mod curves;
mod distance;
mod figures;
mod matrices;
mod meaning;
mod notices;
mod peaks;
#[cfg(test)]
mod sample;
mod transfers;

use numawise_facts::{Machine, Profile};
use numawise_tables::ProfileTables;

pub use compare::compare_profiles;

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;

/// One profile as tables and statements. `machine` names the caches that show in the curves; without it they stay unnamed. It
/// is for who calls this to see that the profile was taken on that machine.
pub fn profile(profile: &Profile, machine: Option<&Machine>) -> ProfileTables {
    let mut matrices = matrices::matrices(profile);
    matrices.extend(transfers::by_node(profile));
    let mut tables = ProfileTables {
        meaning: Vec::new(),
        matrices,
        peaks: peaks::peaks(profile),
        declared: peaks::declared(profile),
        working_sets: curves::working_sets(profile, machine),
        loaded: curves::loaded(profile),
        transfers: transfers::groups(profile),
        cores: transfers::by_core(profile),
        notices: notices::notices(profile),
    };
    tables.meaning = meaning::statements(profile, &tables);
    tables
}
