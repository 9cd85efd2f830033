//! One contrast's paired differences of logarithms, and what stands between them and an interval.
//!
//! Knows the metric's direction and its step; knows neither levels nor decisions.

use crate::design::{Better, FamilyDesign, PlannedContrast};
use crate::error::StatsError;

/// Why a contrast has no interval. An interval is never made up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoInterval {
    /// Fewer than two blocks hold both points.
    TooFewBlocks { found: usize },
    /// Every value of both points is the same number and the step of the metric is not known.
    NoVariation,
}

impl std::fmt::Display for NoInterval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooFewBlocks { found } => {
                let blocks = if *found == 1 { "round has" } else { "rounds have" };
                write!(f, "{found} {blocks} a run of both points; an interval needs 2")
            }
            Self::NoVariation => f.write_str(
                "every value of both points is the same number: the metric is too coarse or does not measure the \
                 program",
            ),
        }
    }
}

/// The differences of one contrast: log improvement of the second point over the first, block by block.
pub(crate) struct Differences {
    pub by_block: Vec<Option<f64>>,
    pub count: usize,
    pub mean: f64,
    /// Sample standard deviation (n - 1); 0 with fewer than two values.
    pub sd: f64,
    /// The largest error that rounding to the metric's step can put into `mean`; `None`: no value ever differed.
    pub floor: Option<f64>,
}

/// Relative gap below which two values count as the same: a few thousand roundings of a double.
const SAME: f64 = 1e-12;

impl Differences {
    pub fn new(
        design: &FamilyDesign,
        pair: (usize, usize),
        blocks: &[Vec<Option<f64>>],
        better: Better,
    ) -> Self {
        let sign = match better {
            Better::Lower => 1.0,
            Better::Higher => -1.0,
        };
        let mut both = Vec::with_capacity(2 * blocks.len());
        let by_block: Vec<Option<f64>> = blocks
            .iter()
            .map(|block| {
                let (a, b) = (block[pair.0]?, block[pair.1]?);
                both.extend([a, b]);
                Some(sign * (a.ln() - b.ln()))
            })
            .collect();
        let count = both.len() / 2;
        let n = count as f64;
        let values = || by_block.iter().flatten();
        let mean = if count > 0 { values().sum::<f64>() / n } else { 0.0 };
        let squares: f64 = values().map(|d| (d - mean) * (d - mean)).sum();
        let sd = if count > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 };
        // The sum of two rounding errors of at most half a step each, relative to the values themselves.
        let inverse = if count > 0 { both.iter().map(|x| 1.0 / x).sum::<f64>() / n } else { 0.0 };
        let floor = step(design.resolution, &mut both).map(|q| 0.5 * q * inverse);
        Self { by_block, count, mean, sd, floor }
    }

    pub fn no_interval(&self) -> Option<NoInterval> {
        if self.count < 2 {
            Some(NoInterval::TooFewBlocks { found: self.count })
        } else if self.floor.is_none() {
            Some(NoInterval::NoVariation)
        } else {
            None
        }
    }

    /// Half the width of the interval on the log scale, for the critical value `t`.
    pub fn half_width(&self, t: f64) -> f64 {
        let noise = if self.sd > 0.0 { t * self.sd / (self.count as f64).sqrt() } else { 0.0 };
        noise.max(self.floor.unwrap_or(f64::INFINITY))
    }
}

/// The step of the metric: as given, else 0 where all values differ, else the smallest gap between two that do.
///
/// Ties are what gives a coarse metric away; a continuous one has none. `None`: all values are the same.
fn step(given: Option<f64>, values: &mut [f64]) -> Option<f64> {
    if given.is_some() {
        return given;
    }
    values.sort_by(f64::total_cmp);
    let mut tied = false;
    let mut smallest: Option<f64> = None;
    for gap in values.windows(2) {
        let width = gap[1] - gap[0];
        if width <= SAME * gap[1].abs() {
            tied = true;
        } else if smallest.is_none_or(|s| width < s) {
            smallest = Some(width);
        }
    }
    if tied { smallest } else { Some(0.0) }
}

/// Refuses blocks and designs that no contrast can be computed from.
pub(crate) fn check_input(design: &FamilyDesign, blocks: &[Vec<Option<f64>>]) -> Result<(), StatsError> {
    if design.contrasts.is_empty() {
        return Err(StatsError::NoContrasts);
    }
    for (name, value, good, expected) in [
        ("margin", design.margin, design.margin > 0.0 && design.margin < 1.0, "a number above 0 and below 1"),
        (
            "confidence",
            design.confidence,
            design.confidence >= 0.5 && design.confidence < 1.0,
            "a number from 0.5 to below 1",
        ),
        (
            "resolution",
            design.resolution.unwrap_or(0.0),
            design.resolution.is_none_or(|r| r >= 0.0 && r.is_finite()),
            "a finite number, 0 or above",
        ),
    ] {
        if !good {
            return Err(StatsError::BadParameter { name, value, expected });
        }
    }
    let Some(points) = blocks.first().map(Vec::len) else {
        return Ok(());
    };
    for (index, block) in blocks.iter().enumerate() {
        if block.len() != points {
            return Err(StatsError::Ragged { block: index, found: block.len(), expected: points });
        }
        for (point, value) in block.iter().enumerate() {
            if let Some(value) = *value
                && !(value > 0.0 && value.is_finite())
            {
                return Err(StatsError::NotPositive { block: index, point, value });
            }
        }
    }
    let mut pairs = design.contrasts.iter().map(PlannedContrast::pair);
    match pairs.find(|(a, b)| a == b || *a >= points || *b >= points) {
        Some(pair) => Err(StatsError::BadPair { pair, points }),
        None => Ok(()),
    }
}
