//! The six figures that stand for the trials of a point, of the metric and of what trials gave besides: by the names that JSON and
//! CSV have for them.

use numawise_facts::Reading;
use numawise_tables::{GridRow, OtherFigure};

pub const NAMES: [&str; 6] = ["mean", "median", "sd", "min", "low", "high"];

/// In the order of the [names](NAMES).
pub fn of_row(of: &GridRow) -> [&Reading<f64>; 6] {
    [&of.mean, &of.median, &of.sd, &of.min, &of.low, &of.high]
}

pub fn of_other(of: &OtherFigure) -> [&Reading<f64>; 6] {
    [&of.mean, &of.median, &of.sd, &of.min, &of.low, &of.high]
}
