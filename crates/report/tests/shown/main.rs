//! What is shown as people and scripts see it: texts, JSON, CSV, pages.

#[allow(dead_code)] // it is of tests of `analyse`
#[path = "../../../analyse/src/snapshot/sample.rs"]
mod activities;
mod check;
#[path = "../../../analyse/src/profile/sample.rs"]
mod machines;
#[path = "../memory_objects/mod.rs"]
mod memory_objects;
mod objects;
mod objects_of_ranks;
mod picture;
mod profile;
#[path = "../sample/mod.rs"]
mod sample;
mod series;
mod snapshot;
mod snapshot_json;
mod study;
mod survey;
#[path = "../timeline/mod.rs"]
mod timeline;
#[path = "../watched/mod.rs"]
mod watched;

// The samples of `analyse` take these of what is above them.
use numawise_analyse::{RunParts, run_snapshot};
