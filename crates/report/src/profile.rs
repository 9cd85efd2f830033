//! What was measured of a machine's memory, and two such profiles compared: documents for the terminal and for HTML, and JSON.
//!
//! One profile: [`document`], [`json`]. Two: [`compare_document`], [`compare_json`]. The tables
//! come from `analyse`: `numawise_analyse::profile` and `numawise_analyse::compare_profiles`.

mod brief;
mod compare;
mod curves;
mod data;
mod document;
mod json;
mod loops;
mod matrices;
mod meaning;
mod words;

use numawise_facts::{Estimate, Profile, Reading};
use numawise_tables::{Cell, FigureUnit, ProfileComparison, ProfileTables};
use numawise_units::{BytesPerSecond, Latency};

use crate::document::Text;

pub use brief::brief;
pub use compare::compare_document;
pub use document::document;
pub use json::{compare_json, json};

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

/// A figure in a table: with its interval, or the mark of its reason.
fn figure(cell: &Cell, unit: FigureUnit) -> Text {
    match cell {
        None => "-".into(),
        Some(Reading::Unavailable { unavailable }) => Text::unavailable(unavailable.to_string()),
        Some(Reading::Measured(estimate)) => {
            let half = words::half(unit, estimate).map_or_else(String::new, |half| format!(" ±{half}"));
            format!("{}{half}", words::number(unit, estimate.median)).into()
        }
    }
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
