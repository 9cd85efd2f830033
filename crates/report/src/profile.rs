//! What was measured of a machine's memory: as text for the terminal, as JSON and as one HTML file; and two such profiles
//! beside each other.
//!
//! One profile: [`terminal`], [`json`], [`html`]. Two: [`compare_terminal`], [`compare_json`], [`compare_html`]. The tables
//! come from `analyse`: `numawise_analyse::profile` and `numawise_analyse::compare_profiles`.

mod brief;
mod compare;
mod grid;
mod html;
mod json;
mod terminal;
mod words;

use numawise_facts::{Estimate, Profile, Reading};
use numawise_tables::{ProfileComparison, ProfileTables};
use numawise_units::{BytesPerSecond, Latency};

pub use brief::brief;
pub use compare::{compare_html, compare_terminal};
pub use html::html;
pub use json::{compare_json, json};
pub use terminal::terminal;

/// What is shown of one profile.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    pub profile: &'a Profile,
    /// Of the same profile.
    pub tables: &'a ProfileTables,
    /// The file that it is kept in, as the reader would type it; none where it is not kept.
    pub saved: Option<&'a str>,
}

/// What is shown of two.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    pub a: &'a Profile,
    pub b: &'a Profile,
    /// What they are called: names or files, as the reader typed them.
    pub names: [&'a str; 2],
    /// Of these two in this order.
    pub comparison: &'a ProfileComparison,
}

/// What has a number in base units.
trait Plain: Copy {
    fn plain(self) -> f64;
}

impl Plain for Latency {
    fn plain(self) -> f64 {
        self.0
    }
}

impl Plain for BytesPerSecond {
    fn plain(self) -> f64 {
        self.0
    }
}

/// Without its type, for tables of any figures.
fn plain<T: Plain>(reading: &Reading<Estimate<T>>) -> Reading<Estimate<f64>> {
    reading.as_ref().map(plain_estimate)
}

fn plain_estimate<T: Plain>(estimate: &Estimate<T>) -> Estimate<f64> {
    Estimate {
        median: estimate.median.plain(),
        low: estimate.low.plain(),
        high: estimate.high.plain(),
        samples: estimate.samples,
        disturbed: estimate.disturbed,
    }
}
