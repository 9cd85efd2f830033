//! The texts of notices: the one place where a notice becomes a sentence.

mod emulation;
mod jobs;
mod launch;
pub mod machine;
pub mod membench;
mod objects;
mod plan;
mod residency;
mod session;
mod snapshot;
pub(crate) mod study;

use numawise_facts::Notice;
use serde_json::{Value, json};

pub use launch::not_loaded;
pub use plan::numactl_option;
pub use study::{
    disturbance, disturbances, metric_problem, text_in_grid, trial_status, why as why_not_tried,
};

/// The text of a notice: a clause or a sentence without its full stop, in the words of the command line.
pub fn text(notice: &Notice) -> String {
    match notice {
        Notice::Plan(notice) => plan::text(notice),
        Notice::Machine(notice) => machine::sentence(notice),
        Notice::Residency(notice) => residency::text(notice),
        Notice::Membench(notice) => membench::text(notice),
        Notice::Session(notice) => session::text(notice),
        Notice::Launch(notice) => launch::text(notice),
        Notice::Emulation(notice) => emulation::text(notice),
        Notice::Snapshot(notice) => snapshot::text(notice),
        Notice::Objects(notice) => objects::text(notice),
        Notice::Study(notice) => study::text(notice),
    }
}

/// The texts of several notices.
pub fn texts(notices: &[Notice]) -> Vec<String> {
    notices.iter().map(text).collect()
}

/// A notice in JSON: its identifier and arguments for programs, its text for people.
pub fn json(notice: &Notice) -> Value {
    let mut value = json!(notice);
    if value.get("arguments").is_none() {
        value["arguments"] = json!({});
    }
    value["text"] = json!(text(notice));
    value
}
