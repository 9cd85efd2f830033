//! Programs that the library which pins threads cannot reach.

use numawise_facts::notice::LaunchNotice;
use numawise_facts::{Notice, Point};

/// What was known before the first trial: the program takes no library.
pub fn out_of_reach(point: &Point) -> bool {
    let said = |notice: &Notice| matches!(notice, Notice::Launch(LaunchNotice::NotPreloadable { .. }));
    point.placement.warnings.iter().any(said)
}
