//! Studies and analyses made by hand, for whoever shows them.

pub mod build;
mod cases;
mod findings;
#[allow(dead_code)] // each test uses a part
pub mod grid;

use numawise_facts::Study;
use numawise_report::check::{Check, UseFromNowOn};
use numawise_tables::Analysis;

pub struct Sample {
    pub name: &'static str,
    pub study: Study,
    pub analysis: Analysis,
    pub from_now_on: UseFromNowOn,
}

impl Sample {
    pub fn check(&self) -> Check<'_> {
        Check {
            study: &self.study,
            analysis: &self.analysis,
            from_now_on: &self.from_now_on,
            record: "app.nw",
            objects: None,
        }
    }
}

/// One of every kind.
pub fn all() -> Vec<Sample> {
    vec![
        cases::affected(),
        cases::not_affected(),
        cases::undecided(),
        cases::one_node(),
        cases::nothing_available(),
        cases::failed(),
        cases::hostile(),
        cases::large(),
        findings::node_chosen_anew(),
        findings::memory_out_of_reach(),
        findings::threads_bound(),
        findings::better_together(),
        findings::placement_helps(),
    ]
}
