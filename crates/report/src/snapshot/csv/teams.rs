//! Columns of a trace: threads of OpenMP that wait for one another, and what lies outside of regions.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_facts::finding::RegionOrCall;
use numawise_tables::snapshot::{LateThread, RankActivity, TracedRegion, TracedSerial};

use super::{Value, count, known_seconds, place, place_as, read, text};

/// The thread that came last in a region, and that region, or what the serial part began behind.
pub fn part(of: &RankActivity) -> Vec<Value> {
    let nowhere = || Reading::unavailable("it was in no region, and behind none");
    let (thread, at) = match of {
        RankActivity::InRegion { region, thread, .. } => (*thread, region.clone()),
        RankActivity::Serial { after: Some(after), .. } => (None, after.place.clone()),
        _ => (None, nowhere()),
    };
    let thread =
        thread.map_or_else(|| Reading::unavailable("no thread of a region came last"), Reading::Measured);
    let mut row = vec![read("thread", "", &thread, u32::to_string)];
    row.extend(place_as(["part_function", "part_file", "part_line"], &at));
    row
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

fn end(names: [&'static str; 4], of: Option<&RegionOrCall>) -> Vec<Value> {
    let [name, function, file, line] = names;
    let call = of.and_then(|of| of.call.clone());
    let nowhere: Reading<CodePlace> = Reading::unavailable("the begin or the end of the rank");
    let at = of.map_or(nowhere, |of| of.place.clone());
    let mut row = vec![text(name, call.unwrap_or_default())];
    row.extend(place_as([function, file, line], &at));
    row
}

pub fn serial(of: &TracedSerial) -> Vec<Value> {
    let mut row = end(["after_name", "after_function", "after_file", "after_line"], of.after.as_ref());
    row.extend(end(["before_name", "before_function", "before_file", "before_line"], of.before.as_ref()));
    row.extend([
        count("times", of.times),
        known_seconds("seconds", of.time),
        known_seconds("idle_seconds", of.idle),
        count("ranks", of.ranks),
    ]);
    row
}
