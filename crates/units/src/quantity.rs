//! Physical quantities with their unit in the type, and how people read them.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::harmless::quoted;

#[cfg(test)]
#[path = "quantity_tests.rs"]
mod tests;

/// A span of time in whole nanoseconds. Prints with three to four digits in the unit that suits it: `1.234 s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanoseconds(pub u64);

impl Nanoseconds {
    /// From seconds; negative values and NaN become zero, values too large the maximum.
    #[inline]
    pub fn from_seconds(seconds: f64) -> Self {
        Nanoseconds((seconds * 1e9) as u64)
    }

    #[inline]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    #[inline]
    pub fn saturating_sub(self, other: Self) -> Self {
        Nanoseconds(self.0.saturating_sub(other.0))
    }
}

impl From<Duration> for Nanoseconds {
    fn from(duration: Duration) -> Self {
        Nanoseconds(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Nanoseconds> for Duration {
    fn from(span: Nanoseconds) -> Self {
        Duration::from_nanos(span.0)
    }
}

impl Add for Nanoseconds {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Nanoseconds(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Nanoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{} ns", self.0),
            1_000..1_000_000 => write!(f, "{:.*} us", decimals(ns / 1e3), ns / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.*} ms", decimals(ns / 1e6), ns / 1e6),
            1_000_000_000..120_000_000_000 => write!(f, "{:.*} s", decimals(ns / 1e9), ns / 1e9),
            _ => {
                let seconds = self.0 / 1_000_000_000;
                let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
                match hours {
                    0 => write!(f, "{minutes} min {seconds:02} s"),
                    _ => write!(f, "{hours} h {minutes:02} min"),
                }
            }
        }
    }
}

/// Digits behind the point so that about four digits show.
fn decimals(value: f64) -> usize {
    match value {
        v if v < 10.0 => 3,
        v if v < 100.0 => 2,
        v if v < 1000.0 => 1,
        _ => 0,
    }
}

/// A span of time as typed: `90`, `90s`, `3m`, `1h30m`, `250ms`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a span of time; expected for example 90s, 3m, 1h30m or 250ms")]
pub struct ParseSpanError(String);

impl FromStr for Nanoseconds {
    type Err = ParseSpanError;

    fn from_str(text: &str) -> Result<Self, ParseSpanError> {
        let error = || ParseSpanError(quoted(text));
        let mut rest = text.trim();
        let mut total = 0f64;
        if rest.is_empty() {
            return Err(error());
        }
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let value: f64 = rest[..digits].parse().map_err(|_| error())?;
            rest = rest[digits..].trim_start();
            let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            let unit = match &rest[..letters] {
                "" | "s" | "sec" => 1.0,
                "ms" => 1e-3,
                "us" => 1e-6,
                "ns" => 1e-9,
                "m" | "min" => 60.0,
                "h" => 3600.0,
                _ => return Err(error()),
            };
            rest = rest[letters..].trim_start();
            total += value * unit;
        }
        // Centuries and above would become the greatest number there is.
        if total * 1e9 < u64::MAX as f64 { Ok(Nanoseconds::from_seconds(total)) } else { Err(error()) }
    }
}

/// Cycles of a core, by which processors give the time of single accesses: `214 cycles`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cycles(pub u64);

impl fmt::Display for Cycles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, if self.0 == 1 { "cycle" } else { "cycles" })
    }
}

/// An amount of memory. Prints in binary units: `1.5 GiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    pub const fn kib(n: u64) -> Self {
        Bytes(n << 10)
    }

    pub const fn mib(n: u64) -> Self {
        Bytes(n << 20)
    }
}

impl Add for Bytes {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Bytes(self.0.saturating_add(other.0))
    }
}

impl Sub for Bytes {
    type Output = Self;
    /// Saturates at zero.
    fn sub(self, other: Self) -> Self {
        Bytes(self.0.saturating_sub(other.0))
    }
}

impl std::iter::Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Bytes(0), Add::add)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        if self.0 < 1024 {
            return write!(f, "{} B", self.0);
        }
        let mut value = self.0 as f64 / 1024.0;
        let mut unit = 0;
        while value >= 1023.95 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        match value.fract() {
            0.0 => write!(f, "{value} {}", UNITS[unit]),
            _ => write!(f, "{value:.1} {}", UNITS[unit]),
        }
    }
}

/// An amount of memory as typed: `512MiB`, `4GiB`, `1.5G`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not an amount of memory; expected for example 512MiB or 4GiB (K, M, G and T are short for KiB to TiB)"
)]
pub struct ParseBytesError(String);

impl FromStr for Bytes {
    type Err = ParseBytesError;

    fn from_str(text: &str) -> Result<Self, ParseBytesError> {
        let error = || ParseBytesError(quoted(text));
        let trimmed = text.trim();
        let digits = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
        let value: f64 = trimmed[..digits].parse().map_err(|_| error())?;
        let unit = match trimmed[digits..].trim_start().to_ascii_lowercase().as_str() {
            "b" => 1.0,
            "k" | "kib" => 1024.0,
            "m" | "mib" => 1024f64.powi(2),
            "g" | "gib" => 1024f64.powi(3),
            "t" | "tib" => 1024f64.powi(4),
            "kb" => 1e3,
            "mb" => 1e6,
            "gb" => 1e9,
            "tb" => 1e12,
            _ => return Err(error()),
        };
        let bytes = value * unit;
        // Addresses have at most 57 bits.
        if bytes < (1u64 << 57) as f64 { Ok(Bytes(bytes.round() as u64)) } else { Err(error()) }
    }
}

/// A rate of data. Prints in decimal units, as memory bandwidth is quoted: `21.3 GB/s`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BytesPerSecond(pub f64);

impl fmt::Display for BytesPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            v if v >= 1e9 => write!(f, "{:.1} GB/s", v / 1e9),
            v if v >= 1e6 => write!(f, "{:.1} MB/s", v / 1e6),
            v => write!(f, "{:.1} kB/s", v / 1e3),
        }
    }
}

/// A rate of floating-point operations. Prints as it is quoted: `12.3 GFLOP/s`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FlopsPerSecond(pub f64);

impl fmt::Display for FlopsPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            v if v >= 999.95e9 => write!(f, "{:.2} TFLOP/s", v / 1e12),
            v if v >= 999.95e6 => write!(f, "{:.1} GFLOP/s", v / 1e9),
            v => write!(f, "{:.1} MFLOP/s", v / 1e6),
        }
    }
}

/// A frequency of a CPU. Prints as it is quoted: `2.60 GHz`, `800 MHz`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hertz(pub u64);

impl Hertz {
    /// No CPU runs faster: what says so is no frequency.
    pub const FASTEST: Hertz = Hertz(100_000_000_000);
}

impl fmt::Display for Hertz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 as f64 {
            v if v >= 999.5e6 => write!(f, "{:.2} GHz", v / 1e9),
            v if v >= 999.5e3 => write!(f, "{:.0} MHz", v / 1e6),
            v => write!(f, "{:.0} kHz", v / 1e3),
        }
    }
}

/// Energy, as the kernel counts it. Prints in joules: `12.3 J`, `4.56 kJ`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Microjoules(pub u64);

impl Microjoules {
    pub fn joules(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl std::ops::Add for Microjoules {
    type Output = Microjoules;

    fn add(self, other: Microjoules) -> Microjoules {
        Microjoules(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Microjoules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.joules() {
            v if v >= 999.5 => write!(f, "{:.2} kJ", v / 1e3),
            v if v >= 99.95 => write!(f, "{v:.0} J"),
            v if v >= 0.9995 => write!(f, "{v:.1} J"),
            v => write!(f, "{:.1} mJ", v * 1e3),
        }
    }
}

/// How long one access to memory takes, in nanoseconds and parts of one. Prints with one decimal: `81.3 ns`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Latency(pub f64);

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} ns", self.0)
    }
}

/// A quotient of two like quantities; 1 is "no difference". Prints as `1.87x`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ratio(pub f64);

impl Ratio {
    /// The ratio seen from the other side.
    pub fn inverse(self) -> Self {
        Ratio(1.0 / self.0)
    }

    /// As a share: `43.2 %`.
    pub fn percent(self) -> String {
        format!("{:.1} %", self.0 * 100.0)
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            v if v.abs() >= 10.0 => write!(f, "{v:.1}x"),
            v if (v - 1.0).abs() < 0.1 => write!(f, "{v:.3}x"),
            v => write!(f, "{v:.2}x"),
        }
    }
}

/// A part of a whole, above none of it and below all of it. Prints as a percentage: `5%`, `0.5%`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Share(f64);

impl Share {
    /// The share, between 0 and 1.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As many digits as a person types; not those of the division by 100.
        write!(f, "{}%", (self.0 * 1e6).round() / 1e4)
    }
}

/// Text that is no share: `5%` and `0.05` are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a share above 0 and below 100%, such as 5% or 0.05")]
pub struct ParseShareError;

impl FromStr for Share {
    type Err = ParseShareError;

    fn from_str(text: &str) -> Result<Self, ParseShareError> {
        let (number, unit) = match text.strip_suffix('%') {
            Some(number) => (number.trim_end(), 100.0),
            None => (text, 1.0),
        };
        match number.parse::<f64>().map(|value| value / unit) {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Share(share)),
            _ => Err(ParseShareError),
        }
    }
}
