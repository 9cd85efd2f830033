//! The texts of notices: the one place where a notice becomes a sentence.

pub mod machine;
mod plan;
mod session;

use numawise_facts::Notice;

/// The text of a notice: a clause or a sentence without its full stop, in the words of the command line.
pub fn text(notice: &Notice) -> String {
    match notice {
        Notice::Plan(notice) => plan::text(notice),
        Notice::Machine(notice) => machine::sentence(notice),
        Notice::Session(notice) => session::text(notice),
    }
}
