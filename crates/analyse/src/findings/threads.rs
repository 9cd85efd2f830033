//! NW002: threads that wander.

use numawise_facts::{Finding, FindingId};

use super::{Case, cost};

/// Confidence of the comparison of two spreads.
const CONFIDENCE: f64 = 0.95;
/// Seed of its permutation test, fixed so that the same study gives the same finding.
const SEED: u64 = 2;

/// Threads migrate: they were seen to change CPUs under the operating system, and pinned they are faster or vary less.
pub fn migrate(case: &Case) -> Option<Finding> {
    let os = case.os();
    let pinned = case.point("pinned").or_else(|| case.point("all-nodes"))?;
    let migrations = os.migrations.measured().copied().filter(|n| *n > 0)?;
    let faster = case.gain("os", &pinned.id.0);
    let spread = numawise_stats::compare_spread(&os.samples, &pinned.samples, CONFIDENCE, SEED).ok();
    let steadier = spread.filter(|s| s.differs && s.ratio > 1.0);
    if faster.is_none() && steadier.is_none() {
        return None;
    }
    let mut evidence =
        vec![format!("threads were seen to change CPUs {migrations} times in a run (median; at least)")];
    if let (Some(loose), Some(tight)) = (os.variation.measured(), pinned.variation.measured()) {
        evidence.push(format!(
            "run times vary by {} unpinned and by {} pinned",
            loose.percent(),
            tight.percent()
        ));
    }
    if let Some(s) = steadier {
        let interval = format!("95 % interval {:.1} to {:.1}", s.low, s.high);
        evidence
            .push(format!("unpinned runs spread {:.1} times as much as pinned ones ({interval})", s.ratio));
    }
    if let Some(effect) = faster {
        evidence.push(format!("pinned threads are {effect} as fast"));
    }
    Some(Finding {
        id: FindingId::ThreadsMigrate,
        evidence,
        cost: cost(faster, "pinning makes the runs steadier; a difference in speed is not decided"),
        advice: vec![
            "pin the threads, one to a CPU (--place with --pin; OMP_PLACES and OMP_PROC_BIND do the same)"
                .to_owned(),
        ],
    })
}
