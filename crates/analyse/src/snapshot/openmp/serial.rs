//! What of a process is outside of parallel regions.

use numawise_facts::Reading;
use numawise_units::{Nanoseconds, Ratio};

use super::constructs::{self, Constructs};
use crate::snapshot::process::Process;

/// So much of the time may be in constructs of which it is not known where they stand.
const UNKNOWN: f64 = 0.01;

/// The share of the time of a process in which its first thread computes outside of regions.
pub fn of(process: &Process<'_>, constructs: &Constructs) -> Reading<Ratio> {
    let Some(first) = process.threads().find(|thread| thread.is_first) else {
        return Reading::unavailable("its first thread found no place in the tables");
    };
    if !first.constructs.iter().any(|row| row.opened > 0 && constructs::is_region(row.name)) {
        return Reading::unavailable("its first thread opened no parallel region");
    }
    let known = first.times.as_ref().zip(process.span.as_ref());
    known.and_then(|(times, span)| {
        let useful = |rows: &dyn Fn(u64) -> bool| {
            let rows = first.constructs.iter().filter(|row| rows(row.key));
            rows.fold(Nanoseconds(0), |sum, row| sum + row.times.useful).seconds()
        };
        let (all, span) = (times.useful.saturating_sub(process.useful_outside()).seconds(), span.seconds());
        let inside = useful(&|key| constructs.region_of(key).is_some());
        let unknown = useful(&|key| constructs.is_of_others(key));
        if span <= 0.0 || unknown > UNKNOWN * span {
            return Reading::unavailable("too much of its time is in constructs that found no row");
        }
        Reading::Measured(Ratio(((all - inside - unknown) / span).clamp(0.0, 1.0)))
    })
}
