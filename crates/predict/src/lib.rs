//! What a few runs of a program say of the placements that were not run.
//!
//! A pure step: a [`Study`](numawise_facts::Study) with some of its points measured in, a [`Prediction`](numawise_tables::Prediction) of all points
//! out; and before there are runs, which points tell most. The model is in `docs/prediction.md`.

mod capacity;
mod choose;
mod fit;
mod model;
mod predict;
mod runs;
mod shape;
#[cfg(test)]
mod simulator_tests;

pub use capacity::Capacities;
pub use choose::points_to_run;
pub use fit::{FEWEST_RUNS, Fit, Observed};
pub use predict::{Interval, predict, predicted};
pub use runs::PredictionRuns;
pub use shape::{Counts, NoShape, PointShape};
