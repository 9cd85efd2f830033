//! What a profile of a machine says: tables, sentences, and how it differs from another.

use numawise_facts::{Machine, Profile, ProfileComparison, ProfileTables, Reading};

/// One profile as tables and sentences. `machine` names the caches that show in the curves; without it they stay unnamed.
pub fn profile(_profile: &Profile, _machine: Option<&Machine>) -> ProfileTables {
    ProfileTables {
        meaning: Vec::new(),
        matrices: Vec::new(),
        peaks: Vec::new(),
        declared: Reading::unavailable("not looked at"),
        working_sets: Vec::new(),
        loaded: Vec::new(),
        transfers: Vec::new(),
        cores: Vec::new(),
        remarks: Vec::new(),
    }
}

/// Two profiles cell by cell: the second beside the first.
pub fn compare_profiles(_a: &Profile, _b: &Profile) -> ProfileComparison {
    ProfileComparison {
        meaning: Vec::new(),
        differences: Vec::new(),
        cells: Vec::new(),
        only_a: Vec::new(),
        only_b: Vec::new(),
        margin: 0.03,
        method: Vec::new(),
    }
}
