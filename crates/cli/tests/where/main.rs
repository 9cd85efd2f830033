//! `numawise where` from outside, on real processes: what people and scripts read, and the full-screen view in a terminal.

#[path = "../run/answer.rs"]
mod answer;
#[path = "../support/collector.rs"]
mod collector;
mod errors;
mod formats;
#[path = "../../../collector/tests/support/library.rs"]
mod library;
mod live;
mod looks;
mod objects;
#[path = "../support/program.rs"]
mod program;
mod support;
mod system;
