//! The greatest bandwidths, and which share of the firmware's figures they are.

use numawise_facts::{Bandwidth, Mix, Profile, Reading, Target, Workers};
use numawise_tables::{DeclaredShare, Peak};
use numawise_units::{Arrange, NodeId, Ratio};

use super::figures::plain;

/// All on their local memory first, then all on one node's, each node on its own, one core on its own.
pub(super) fn peaks(profile: &Profile) -> Vec<Peak> {
    let mut cells: Vec<&Bandwidth> = profile.bandwidth.iter().filter(|cell| is_peak(cell)).collect();
    cells.arrange_by_key(|cell| (order(cell), cell.target == Target::Local, cell.mix));
    let mut peaks: Vec<Peak> = Vec::new();
    for group in cells.chunk_by(|one, other| order(one) == order(other)) {
        let mut by_mix = Vec::new();
        for mix in Mix::ALL {
            // A node's local memory by its number comes before the same by "own".
            if let Some(cell) = group.iter().find(|cell| cell.mix == mix) {
                by_mix.push((mix, cell.rate.clone()));
            }
        }
        let rates = by_mix.iter().filter_map(|(mix, rate)| Some((*mix, plain(rate).measured()?.median)));
        let best = rates.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(mix, _)| mix);
        let Bandwidth { workers, target, ref threads, .. } = *group[0];
        let threads = threads.clone();
        peaks.push(Peak { workers, target, threads, by_mix, best });
    }
    peaks
}

fn is_peak(cell: &Bandwidth) -> bool {
    match (cell.workers, cell.target) {
        (Workers::Machine, _) | (_, Target::Local) => true,
        (Workers::Node(from) | Workers::Core(from), Target::Node(to)) => from == to,
    }
}

fn order(cell: &Bandwidth) -> (u8, Option<NodeId>) {
    match (cell.workers, cell.target) {
        (Workers::Machine, Target::Local) => (0, None),
        (Workers::Machine, Target::Node(node)) => (1, Some(node)),
        (Workers::Node(node), _) => (2, Some(node)),
        (Workers::Core(node), _) => (3, Some(node)),
    }
}

/// What was measured is at most so many times what is declared: beyond, the firmware's figure is of something else.
const MOST_DECLARED: f64 = 100.0;

/// Every bandwidth of which the firmware says something.
pub(super) fn declared(profile: &Profile) -> Reading<Vec<DeclaredShare>> {
    let one = |cell: &Bandwidth| {
        let declared = *cell.declared.measured()?;
        let share = if declared.0 > 0.0 {
            match plain(&cell.rate).map(|rate| rate.median / declared.0) {
                Reading::Measured(share) if share > MOST_DECLARED => Reading::unavailable(format!(
                    "more than {MOST_DECLARED} times what the firmware declares was measured, so that its figure cannot be of this memory"
                )),
                share => share.map(Ratio),
            }
        } else {
            Reading::unavailable("the firmware declares no bandwidth greater than zero")
        };
        let Bandwidth { workers, target, mix, ref rate, .. } = *cell;
        Some(DeclaredShare { workers, target, mix, measured: rate.clone(), declared, share })
    };
    let known: Vec<DeclaredShare> = profile.bandwidth.iter().filter_map(one).collect();
    let why = || profile.bandwidth.iter().find_map(|cell| cell.declared.reason());
    match (known.is_empty(), why()) {
        (false, _) => Reading::Measured(known),
        (true, Some(reason)) => Reading::Unavailable { unavailable: reason.clone() },
        (true, None) => Reading::unavailable("no bandwidth was measured"),
    }
}
