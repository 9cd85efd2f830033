//! The words of a job over time.

use numawise_facts::Reading;
use numawise_tables::{LocalChange, MemoryChange, TaskTimeline};
use numawise_units::{Bytes, Nanoseconds, Ratio};

use super::Series;
use crate::amount::{self, many};

/// Where nothing is known; why is said below the tables.
pub const UNKNOWN: &str = "?";

pub fn size(bytes: &Reading<Bytes>) -> String {
    bytes.measured().map_or_else(|| UNKNOWN.to_owned(), Bytes::to_string)
}

pub fn cpus(busy: &Reading<Ratio>) -> String {
    busy.measured().map_or_else(|| UNKNOWN.to_owned(), |busy| format!("{:.2}", busy.0))
}

pub fn count(count: &Reading<u64>) -> String {
    count.measured().map_or_else(|| UNKNOWN.to_owned(), u64::to_string)
}

/// How long after the first sample: `+0:01:30`.
pub fn after(series: &Series, moment: Nanoseconds) -> String {
    let begun = series.timeline.sessions.first().map_or(moment, |session| session.first);
    let seconds = (moment.saturating_sub(begun).0 + 500_000_000) / 1_000_000_000;
    format!("+{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// The peak, and when it was.
pub fn peak_at(series: &Series, memory: &MemoryChange) -> String {
    memory.peak_at.measured().map_or_else(|| UNKNOWN.to_owned(), |at| after(series, *at))
}

/// First and last, and the least where it is another.
fn local(series: &Series, local: &LocalChange) -> String {
    let where_threads_run = "of the pages lay where threads of their process ran";
    let mut text = if local.first.percent() == local.last.percent() {
        format!("{} {where_threads_run}", local.last.percent())
    } else {
        format!("{} {where_threads_run} at first, {} at last", local.first.percent(), local.last.percent())
    };
    if local.least.0 < local.first.0.min(local.last.0) {
        text += &format!("; at least {}, at {}", local.least.percent(), after(series, local.least_at));
    }
    text
}

/// The share when last seen, short.
pub fn local_last(local: &Reading<LocalChange>) -> String {
    local.measured().map_or_else(|| UNKNOWN.to_owned(), |local| local.last.percent())
}

/// What was watched, and when.
pub fn heading(series: &Series) -> String {
    let timeline = series.timeline;
    let tasks = many(timeline.tasks.len() as u64, "process");
    match (timeline.sessions.first(), timeline.sessions.last()) {
        (Some(first), Some(last)) => {
            let sessions = match timeline.sessions.len() as u64 {
                1 => String::new(),
                n => format!(" in {}", many(n, "session")),
            };
            format!(
                "{tasks}, {}{sessions}, {} to {} ({})",
                many(timeline.samples, "sample"),
                amount::moment(first.first),
                amount::moment(last.last),
                after(series, last.last).trim_start_matches('+'),
            )
        }
        _ => "nothing was recorded yet".to_owned(),
    }
}

/// Pairs of a name and a text.
pub fn summary(series: &Series) -> Vec<(&'static str, String)> {
    let timeline = series.timeline;
    let memory = format!(
        "{} at first, {} at last, at most {} at {}",
        size(&timeline.total.first),
        size(&timeline.total.last),
        size(&timeline.total.peak),
        peak_at(series, &timeline.total)
    );
    vec![
        ("Memory", or_reason(&timeline.total.peak, |_| memory)),
        ("CPUs busy", or_reason(&timeline.busy, |_| format!("{} on average", cpus(&timeline.busy)))),
        ("Local", or_reason(&timeline.local, |share| local(series, share))),
        ("Moved", or_reason(&timeline.migrations, |times| format!("{} to another CPU", many_times(*times)))),
    ]
}

fn or_reason<T>(reading: &Reading<T>, text: impl FnOnce(&T) -> String) -> String {
    match reading {
        Reading::Measured(value) => text(value),
        Reading::Unavailable { unavailable } => format!("unavailable ({unavailable})"),
    }
}

fn many_times(n: u64) -> String {
    match n {
        0 => "no thread was moved".to_owned(),
        1 => "a thread was moved once".to_owned(),
        n => format!("threads were moved {n} times"),
    }
}

/// The name of a process for a row.
pub fn rank(task: &TaskTimeline) -> String {
    task.rank.measured().map_or_else(|| "-".to_owned(), u32::to_string)
}

pub fn has_ranks(series: &Series) -> bool {
    series.timeline.tasks.iter().any(|task| task.rank.measured().is_some())
}

/// What the figures mean.
pub const LEGEND: &str = "CPUs: kept busy on average, between samples. local: pages on nodes where threads of their process run, \
                          when last seen. moved: how often threads were put on another CPU. Times are counted from the \
                          first sample.";
/// What the figures of nodes mean.
pub const NODE_LEGEND: &str = "Memory that is resident of all processes together; a page that several of them map counts for each. \
                               CPUs that the threads kept busy on each node on average; a thread counts where it was last.";
