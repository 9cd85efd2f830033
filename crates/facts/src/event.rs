//! What goes up while something runs. Crates report; only the faces show.

use numawise_units::Nanoseconds;

use crate::{MeasurementStep, Notice, Outcome, PointId};

/// Something that a person waiting would like to know.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A study goes on from trials kept earlier.
    Resumed { trials: u32 },
    /// A trial begins. `left` is what is left of the budget.
    TrialBegins { number: u32, block: u32, point: PointId, left: Nanoseconds },
    /// A trial ended.
    TrialEnded { number: u32, point: PointId, outcome: Outcome },
    /// So many trials of a study that is carried out elsewhere are kept, the warm-up left out.
    TrialsKept { trials: u32 },
    /// So many jobs wait for their turn, and so many run.
    Jobs { waiting: u32, running: u32 },
    /// A step of a measurement begins: the `done + 1`st of `of`, with what is probably left in all.
    Step { done: u32, of: u32, what: MeasurementStep, left: Nanoseconds },
    /// Something worth a line on the terminal.
    Warning(Notice),
}

/// Takes events.
pub trait Sink {
    fn event(&mut self, event: Event);
}

/// A sink for those who do not care.
#[derive(Debug, Clone, Copy)]
pub struct Ignore;

impl Sink for Ignore {
    fn event(&mut self, _: Event) {}
}
