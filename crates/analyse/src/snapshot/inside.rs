//! What of a thread's time is inside of parallel regions, by its own rows.

use std::collections::BTreeMap;

use numawise_facts::ThreadActivity;
use numawise_facts::activity::{Construct, ConstructName};
use numawise_units::Nanoseconds;

/// How deep constructs may stand in one another.
const DEEPEST: usize = 64;

/// Time of a thread in MPI outside of parallel regions. What found no row of its own is taken for inside.
pub fn mpi_outside_of_regions(thread: &ThreadActivity) -> Nanoseconds {
    let rows: BTreeMap<u64, &Construct> = thread.constructs.iter().map(|row| (row.key, row)).collect();
    let inside = thread.constructs.iter().filter(|row| is_inside(&rows, row));
    let inside = inside.fold(Nanoseconds(0), |sum, row| sum + row.times.mpi);
    let all = thread.times.measured().map_or(Nanoseconds(0), |times| times.mpi);
    all.saturating_sub(inside)
}

fn is_inside(rows: &BTreeMap<u64, &Construct>, row: &Construct) -> bool {
    use ConstructName::{Others, Parallel, Teams};
    let outward = std::iter::successors(Some(row), |row| rows.get(&row.parent).copied());
    outward.take(DEEPEST).any(|row| matches!(row.name, Parallel | Teams | Others))
}
