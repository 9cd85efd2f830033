//! Columns of a trace: threads of OpenMP that wait for one another, and what lies outside of regions.

use numawise_facts::Reading;
use numawise_tables::snapshot::{LateThread, RankActivity, TracedRegion, TracedSerial};

use super::super::trace::{between, ends, operation as operation_name, region as region_name};
use super::{Value, count, known_seconds, place, read, text};

/// The thread that came last in a region, and that region, or the serial part.
pub fn part(of: &RankActivity) -> Vec<Value> {
    let (thread, part) = match of {
        RankActivity::InRegion { region: at, thread, .. } => (*thread, region_name(at)),
        RankActivity::Serial { after, before, .. } => (None, between(after.as_ref(), before.as_ref())),
        RankActivity::InFiles { operation, .. } => (None, operation_name(*operation).to_owned()),
        _ => (None, String::new()),
    };
    let thread =
        thread.map_or_else(|| Reading::unavailable("no thread of a region came last"), Reading::Measured);
    vec![read("thread", "", &thread, u32::to_string), text("part", part)]
}

/// With the thread that came last by most.
pub fn region(of: &TracedRegion) -> Vec<Value> {
    let late = of.late.first().copied();
    let late = late.map_or_else(|| Reading::unavailable("no thread came last"), Reading::Measured);
    let mut row = Vec::from(place(&of.region));
    row.extend([
        count("times", of.times),
        count("uneven", of.uneven),
        known_seconds("time_seconds", of.time),
        known_seconds("seconds", of.waiting),
        known_seconds("gain_seconds", of.gain),
        read("late_rank", "", &late, |late: &LateThread| late.rank.to_string()),
        read("late_thread", "", &late, |late: &LateThread| late.thread.to_string()),
        read("late_seconds", "s", &late, |late: &LateThread| late.time.seconds().to_string()),
    ]);
    row
}

pub fn serial(of: &TracedSerial) -> Vec<Value> {
    let [after, before] = ends(of.after.as_ref(), of.before.as_ref());
    vec![
        text("after", after),
        text("before", before),
        count("times", of.times),
        known_seconds("seconds", of.time),
        known_seconds("idle_seconds", of.idle),
        count("ranks", of.ranks),
    ]
}
