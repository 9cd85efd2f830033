//! How many threads the teams of a process can have work at once, by the sizes with which regions were opened.

use std::collections::BTreeMap;

use numawise_facts::ThreadActivity;
use numawise_facts::activity::ConstructName;

/// How deep constructs may stand in one another.
const DEEPEST: usize = 64;

/// A construct in one surrounding, of all threads.
struct Opened {
    parent: u64,
    is_region: bool,
    /// The largest team.
    most: u64,
    by_others: bool,
}

/// The most that regions in one another can have at once, or `None` where that is not known: where threads other than the first
/// open regions side by side, or rows are missing. A runtime that makes threads for each inner region has more for a moment,
/// since the last ones end while the next ones begin.
pub fn most_in_teams<'a>(threads: impl Iterator<Item = &'a ThreadActivity>) -> Option<u64> {
    let mut all: BTreeMap<u64, Opened> = BTreeMap::new();
    for thread in threads {
        if thread.lost_constructs > 0 {
            return None;
        }
        for row in &thread.constructs {
            let is_region = matches!(row.name, ConstructName::Parallel | ConstructName::Teams);
            let is_lost = row.name == ConstructName::Others && (row.calls > 0 || row.opened > 0);
            if is_lost || is_region && row.opened > 0 && row.team.measured().is_none() {
                return None;
            }
            let of_row = Opened { parent: row.parent, is_region, most: 1, by_others: false };
            let opened = all.entry(row.key).or_insert(of_row);
            opened.most = opened.most.max(row.team.measured().map_or(1, |team| u64::from(team.most)));
            opened.by_others |= is_region && row.opened > 0 && !thread.is_first;
        }
    }
    let mut most = None;
    for (key, region) in all.iter().filter(|(_, region)| region.is_region) {
        let outward = std::iter::successors(Some((*key, region)), |(key, one)| {
            all.get(&one.parent).filter(|_| one.parent != *key).map(|parent| (one.parent, parent))
        });
        let around = || outward.clone().take(DEEPEST).filter(|(_, one)| one.is_region);
        if region.by_others && around().count() == 1 {
            return None;
        }
        let together = around().fold(1u64, |product, (_, one)| product.saturating_mul(one.most));
        most = most.max(Some(together));
    }
    most
}
