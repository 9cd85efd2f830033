//! One thread: where it is, and how much of a CPU it uses.

use numawise_facts::{Reading, Snapshot, ThreadSnapshot};
use numawise_tables::{ShareSpan, ThreadResidency};
use numawise_units::{CpuSet, Nanoseconds, Ratio};

use super::topology::Topology;

/// From here on a thread wants a CPU.
const BUSY: f64 = 0.1;
/// A sample takes its time: threads that are read late in one sample and early in the other seem to use more than a CPU. Up
/// to here that is taken for a whole CPU, and beyond for figures that cannot be right.
const MOST: f64 = 1.25;
/// Starts are told in clock ticks of 10 ms, rounded down: a thread from just after a sample may seem to be older.
const TICKS: u64 = 20_000_000;

const ONE_SAMPLE: &str = "there was one sample only";

/// The moments of the samples.
pub struct Clock {
    at: Nanoseconds,
    before: Option<Nanoseconds>,
}

impl Clock {
    pub fn new(now: &Snapshot, before: Option<&Snapshot>) -> Self {
        Clock { at: now.at, before: before.map(|sample| sample.at) }
    }

    pub fn span(&self) -> ShareSpan {
        match self.before {
            None => ShareSpan::SinceBegin,
            Some(before) => ShareSpan::BetweenSamples(self.at.saturating_sub(before)),
        }
    }

    /// The time between two samples that are apart in time.
    pub fn apart(&self) -> Option<Nanoseconds> {
        match self.span() {
            ShareSpan::BetweenSamples(span) if span.0 > 0 => Some(span),
            ShareSpan::BetweenSamples(_) | ShareSpan::SinceBegin => None,
        }
    }

    /// There was nothing of this age at the sample before, as far as clocks can tell.
    fn is_new(&self, started: Nanoseconds, span: Nanoseconds) -> bool {
        self.before.is_some_and(|before| started.0 + TICKS + span.0 / 10 >= before.0)
    }
}

/// A thread as it is shown, and the CPU time by which it counts.
pub struct SampledThread {
    pub row: ThreadResidency,
    /// Used over the span; unknown where its share is.
    pub used: Option<Nanoseconds>,
}

pub fn thread(
    now: &ThreadSnapshot,
    before: Option<&ThreadSnapshot>,
    clock: &Clock,
    topology: &Topology,
) -> SampledThread {
    let recent = recent(now, before, clock);
    let share = recent.as_ref().and_then(|recent| quotient(recent.used, recent.over));
    let counted = |of: &dyn Fn(&Recent) -> Option<u64>| match clock.before {
        None => Reading::unavailable(ONE_SAMPLE),
        Some(_) => recent.as_ref().and_then(|recent| match of(recent) {
            Some(count) => Reading::Measured(count),
            None => Reading::unavailable("its count went backwards between the samples"),
        }),
    };
    let moves = match now.migrations.reason().or_else(|| before.and_then(|old| old.migrations.reason())) {
        Some(reason) if clock.before.is_some() => Reading::Unavailable { unavailable: reason.clone() },
        _ => counted(&|recent| recent.migrations),
    };
    let busy = match (clock.before, share.measured()) {
        (Some(_), Some(share)) => share.0 >= BUSY,
        _ => now.state == 'R',
    };
    SampledThread {
        used: share.measured().and(recent.measured()).map(|recent| recent.used),
        row: ThreadResidency {
            tid: now.tid,
            name: now.name.clone(),
            state: now.state,
            cpu: now.cpu,
            node: topology.node_of(now.cpu),
            mask: now.mask.clone(),
            mask_nodes: now.mask.as_ref().map(|mask| topology.nodes_of(mask)),
            share,
            busy,
            cpu_time: now.cpu_time,
            migrations: now.migrations.clone(),
            recent_migrations: moves,
            minor_faults: now.minor_faults,
            major_faults: now.major_faults,
            recent_faults: counted(&|recent| recent.faults),
        },
    }
}

/// What a thread did over the span, or since it began where that is later.
struct Recent {
    used: Nanoseconds,
    over: Nanoseconds,
    migrations: Option<u64>,
    faults: Option<u64>,
}

fn recent(now: &ThreadSnapshot, before: Option<&ThreadSnapshot>, clock: &Clock) -> Reading<Recent> {
    let faults = |thread: &ThreadSnapshot| thread.minor_faults.saturating_add(thread.major_faults);
    let since_begin = || match clock.at.0.checked_sub(now.started.0) {
        None => Reading::unavailable("it seems to have begun after it was sampled"),
        Some(over) => Reading::Measured(Recent {
            used: now.cpu_time,
            over: Nanoseconds(over),
            migrations: now.migrations.measured().copied(),
            faults: Some(faults(now)),
        }),
    };
    if clock.span() == ShareSpan::SinceBegin {
        return since_begin();
    }
    let Some(span) = clock.apart() else {
        return Reading::unavailable("no time has passed between the samples");
    };
    let Some(old) = before else {
        return if clock.is_new(now.started, span) {
            since_begin()
        } else {
            Reading::unavailable("it was not seen at the sample before")
        };
    };
    match now.cpu_time.0.checked_sub(old.cpu_time.0) {
        None => Reading::unavailable("its CPU time went backwards between the samples"),
        Some(used) => Reading::Measured(Recent {
            used: Nanoseconds(used),
            over: span,
            migrations: match (now.migrations.measured(), old.migrations.measured()) {
                (Some(now), Some(old)) => now.checked_sub(*old),
                _ => None,
            },
            faults: faults(now).checked_sub(faults(old)),
        }),
    }
}

fn quotient(used: Nanoseconds, over: Nanoseconds) -> Reading<Ratio> {
    if over.0 == 0 {
        return Reading::unavailable("no time has passed since it began");
    }
    match used.0 as f64 / over.0 as f64 {
        share if share > MOST => {
            Reading::unavailable(format!("its figures do not fit together: {used} of CPU time in {over}"))
        }
        share => Reading::Measured(Ratio(share.min(1.0))),
    }
}

/// The threads that do the work: those with at least a tenth of the CPU time of the busiest. Ended ones do none.
pub fn working(seen: &[SampledThread]) -> impl Iterator<Item = &ThreadResidency> {
    let lives = |row: &&ThreadResidency| !matches!(row.state, 'Z' | 'X');
    let most = seen.iter().map(|seen| &seen.row).filter(lives).map(|row| row.cpu_time.0).max().unwrap_or(0);
    seen.iter().map(|seen| &seen.row).filter(lives).filter(move |row| row.cpu_time.0 >= most.div_ceil(10))
}

/// The CPUs on which the working threads may run.
pub fn mask(seen: &Reading<Vec<SampledThread>>) -> Reading<CpuSet> {
    seen.as_ref().and_then(|seen| mask_of(seen))
}

fn mask_of(seen: &[SampledThread]) -> Reading<CpuSet> {
    let mut union: Option<CpuSet> = None;
    for mask in working(seen).filter_map(|row| row.mask.measured()) {
        union = Some(match union {
            None => mask.clone(),
            // The masks of most threads of a program are alike.
            Some(union) if union == *mask => union,
            Some(union) => union.union(mask),
        });
    }
    match (union, working(seen).find_map(|row| row.mask.reason())) {
        (Some(union), _) => Reading::Measured(union),
        (None, Some(reason)) => Reading::Unavailable { unavailable: reason.clone() },
        (None, None) => Reading::unavailable("no thread of it was seen"),
    }
}

/// The sum of the shares that are known.
pub fn busy(seen: &Reading<Vec<SampledThread>>) -> Reading<Ratio> {
    seen.as_ref().and_then(|seen| sum(seen.iter().map(|seen| &seen.row.share), "no thread of it was seen"))
}

/// The sum of what is known; the first reason where nothing is, or `none` where there is nothing to sum.
pub fn sum<'a>(shares: impl Iterator<Item = &'a Reading<Ratio>>, none: &'static str) -> Reading<Ratio> {
    let (mut total, mut known, mut reason) = (0.0, false, None);
    for share in shares {
        match share {
            Reading::Measured(share) => {
                total += share.0;
                known = true;
            }
            Reading::Unavailable { unavailable } => reason = reason.or(Some(unavailable)),
        }
    }
    match (known, reason) {
        (true, _) => Reading::Measured(Ratio(total)),
        (false, Some(reason)) => Reading::Unavailable { unavailable: reason.clone() },
        (false, None) => Reading::unavailable(none),
    }
}
