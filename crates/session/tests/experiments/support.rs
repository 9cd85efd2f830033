//! An experiment of the shortest kind.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use numawise_facts::{Argument, Metric, RunSpec};
use numawise_session::experiment::ExperimentRequest;
use numawise_units::Nanoseconds;

/// The record is `app.nw` in the folder.
pub fn request(folder: &Path, program: &str) -> ExperimentRequest {
    ExperimentRequest {
        command: RunSpec { command: vec![Argument::from(program)], directory: folder.to_owned() },
        threads: None,
        near: None,
        metric: Metric::WallTime,
        budget: Nanoseconds(1),
        begun: std::time::Instant::now(),
        repeats: None,
        margin: "5%".parse().unwrap(),
        sampling: "0.5%".parse().unwrap(),
        seed: Some(7),
        record: folder.join("app.nw"),
        fresh: false,
        objects: None,
        version: "0".to_owned(),
        rank_words: |_, _| Vec::new(),
    }
}

/// Nobody else starts a program meanwhile: one that another thread is starting would hold the lock of the record for a moment, until it has
/// closed its copy.
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}
