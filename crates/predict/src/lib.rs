//! What a few runs of a program say of the placements that were not run.
//!
//! A pure step: a [`Study`](numawise_facts::Study) with some of its points measured in, a [`Prediction`](numawise_tables::Prediction) of all points
//! out; and before there are runs, which points tell most. The model is in `docs/prediction.md`.

mod capacity;
mod choose;
mod expect;
mod fit;
mod model;
mod predict;
mod runs;
#[cfg(test)]
mod search_tests;
mod shape;
#[cfg(test)]
mod simulator_tests;
mod transfer;

// The simulator is an example that prints a table, and the truth of the tests.
#[cfg(test)]
extern crate self as numawise_predict;
#[cfg(test)]
#[path = "../examples/simulated/machine.rs"]
mod machine;
#[cfg(test)]
#[path = "../examples/simulated/program.rs"]
mod program;
#[cfg(test)]
#[path = "../examples/simulated/score.rs"]
mod score;

pub use capacity::{Capacities, NodeCapacity, PairCapacity, RelativeFigure, Source};
pub use choose::{LEAST_PROMISE, most_telling, points_to_run, promise};
pub use expect::{expectations, first_of_search};
pub use fit::{FEWEST_RUNS, Fit, Observed};
pub use predict::{Interval, as_time, predict, predicted};
pub use runs::{BEST, MAY_BE_BEST, PredictionRuns};
pub use shape::{ByPattern, Counts, NoShape, PointShape};
pub use transfer::{CoreRatios, OtherMachine, predict_on};
