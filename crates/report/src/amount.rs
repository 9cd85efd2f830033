//! Numbers and moments as people read them.

use numawise_facts::merged::ProcessName;
use numawise_facts::{Metric, Reading};
use numawise_units::{Nanoseconds, Ratio};

#[cfg(test)]
#[path = "amount_tests.rs"]
mod tests;

/// `1 node`, `2 nodes`, `2 processes`.
pub fn many(n: u64, noun: &str) -> String {
    let plural = if noun.ends_with("ss") { "es" } else { "s" };
    format!("{n} {noun}{}", if n == 1 { "" } else { plural })
}

/// ` (ranks 0, 1 and 3 more)`; nothing where there are none.
pub fn of_ranks(ranks: &[u32], further: u64) -> String {
    let names = ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match (ranks.len(), further) {
        (0, _) => String::new(),
        (1, 0) => format!(" (rank {names})"),
        (_, 0) => format!(" (ranks {names})"),
        (_, further) => format!(" (ranks {names} and {further} more)"),
    }
}

/// `once`, `2 times`.
pub fn times(n: u64) -> String {
    if n == 1 { "once".to_owned() } else { format!("{n} times") }
}

/// A value of the metric: a time in its unit, any other number with four digits.
pub fn value(metric: &Metric, value: f64) -> String {
    match metric {
        Metric::WallTime if value.is_finite() && value >= 0.0 => Nanoseconds::from_seconds(value).to_string(),
        _ => number(value),
    }
}

/// The same for a reading; why there is none is said elsewhere.
pub fn reading(metric: &Metric, reading: &Reading<f64>) -> String {
    reading.measured().map_or_else(|| "none".to_owned(), |v| value(metric, *v))
}

/// Four digits, plainly where that is readable.
pub fn number(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if !value.is_finite() => value.to_string(),
        0.0 => "0".to_owned(),
        1e-3..1e7 => {
            let digits = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
            format!("{value:.digits$}")
        }
        _ => format!("{value:.3e}"),
    }
}

/// A share with two decimals, for costs far below one percent.
pub fn small_share(share: Ratio) -> String {
    format!("{:.2} %", share.0 * 100.0)
}

/// A moment as `2025-01-31 12:00:00 UTC`.
pub fn moment(since_1970: Nanoseconds) -> String {
    let seconds = since_1970.0 / 1_000_000_000;
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// The date of a day counted from 1970-01-01, Gregorian.
fn date(mut day: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    loop {
        let length = if leap(year) { 366 } else { 365 };
        if day < length {
            break;
        }
        day -= length;
        year += 1;
    }
    let february = if leap(year) { 29 } else { 28 };
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= months[month] {
        day -= months[month];
        month += 1;
    }
    (year, month as u64 + 1, day + 1)
}

/// `rank 3`, `rank 0 of world 2`, `process 4711`.
pub fn whose(of: &ProcessName) -> String {
    match (of.rank, of.world) {
        (Some(rank), Some(world)) => format!("rank {rank} of world {world}"),
        (Some(rank), None) => format!("rank {rank}"),
        (None, _) => format!("process {}", of.pid),
    }
}
