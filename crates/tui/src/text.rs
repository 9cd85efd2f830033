//! Short texts for narrow columns, and names made harmless.

use numawise_units::{Bytes, Nanoseconds, Ratio};

use numawise_units::harmless::is_harmful;

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;

/// A name as it may be shown: what a program calls itself must not steer the terminal, nor hide.
///
/// What [`is_harmful`] names becomes `?`, as `ls` has it: columns keep their places.
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if is_harmful(c) { '?' } else { c }).collect()
}

/// An amount of memory in at most five characters: `1.5G`, `812M`, `-` for nothing.
pub fn amount(bytes: Bytes) -> String {
    const UNITS: [char; 6] = ['K', 'M', 'G', 'T', 'P', 'E'];
    if bytes.0 == 0 {
        return "-".to_owned();
    }
    if bytes.0 < 1000 {
        return format!("{}B", bytes.0);
    }
    let mut value = bytes.0 as f64 / 1024.0;
    let mut unit = 0;
    // 999.5 would be rounded to four digits.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if value < 9.95 { 1 } else { 0 };
    format!("{value:.digits$}{}", UNITS[unit])
}

/// A share in at most five characters: `0.0%`, `93.1%`, `100%`.
pub fn share(ratio: Ratio) -> String {
    let percent = ratio.0 * 100.0;
    if percent >= 99.95 { format!("{percent:.0}%") } else { format!("{percent:.1}%") }
}

/// A number of CPUs that are busy: `0.02`, `7.91`, `63.9`, `1024`.
pub fn cpus(ratio: Ratio) -> String {
    match ratio.0 {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

/// A count in at most five characters: `812`, `12k`, `3.4M`.
pub fn count(count: u64) -> String {
    const UNITS: [char; 6] = ['k', 'M', 'G', 'T', 'P', 'E'];
    if count < 10_000 {
        return count.to_string();
    }
    let mut value = count as f64 / 1e3;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1e3;
        unit += 1;
    }
    let digits = if value < 9.95 { 1 } else { 0 };
    format!("{value:.digits$}{}", UNITS[unit])
}

/// A time as clocks show it: `0:07`, `12:34`, `3:25:45`, `12d 03h`.
pub fn clock(span: Nanoseconds) -> String {
    let seconds = span.0 / 1_000_000_000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours) {
        (1.., _) => format!("{days}d {:02}h", hours % 24),
        (_, 1..) => format!("{hours}:{:02}:{:02}", minutes % 60, seconds % 60),
        _ => format!("{minutes}:{:02}", seconds % 60),
    }
}

/// An interval as typed: `0.5 s`, `2 s`.
pub fn interval(span: Nanoseconds) -> String {
    let seconds = (span.seconds() * 1000.0).round() / 1000.0;
    format!("{seconds} s")
}
