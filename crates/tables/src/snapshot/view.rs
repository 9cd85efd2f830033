//! What a viewer of a trace asks for, and gets: a part of the timeline, never more than a screen shows.

use numawise_facts::RankSet;
use numawise_units::Nanoseconds;

use super::trace::TraceEvents;

/// Shares of a column, in this order: useful, serial, waits in OpenMP, waits in MPI, in calls, polls, idle, in files.
pub const SHARES: usize = 8;

/// A part of the timeline, and the screen for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedWindow<'r> {
    /// Since the begin of the span.
    pub from: Nanoseconds,
    pub to: Nanoseconds,
    /// Only rows of these ranks count; none, or none of the trace: all.
    pub ranks: Option<&'r RankSet>,
    /// Rows: threads that call no MPI stand below the lane of their rank.
    pub top: u32,
    pub bottom: u32,
    /// How many columns and lines of pixels there are.
    pub columns: u32,
    pub lines: u32,
    /// Also all phases of the trace.
    pub with_phases: bool,
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceWindow<'r> {
    /// As far as there is a timeline.
    pub of: AskedWindow<'r>,
    /// The first row of each group that shares a line of pixels; none where there are few calls, which are all in `events`.
    pub groups: Vec<u32>,
    /// Of each group, of each column, [`SHARES`] numbers up to 255; less all together where no rank was there, or what it did is not read yet.
    pub shares: Vec<u8>,
    /// All lanes and workers, each with what it has in the window; also calls on the other side of a message or a wait.
    pub events: TraceEvents,
    /// More is known soon.
    pub is_rough: bool,
}

impl<'r> TraceWindow<'r> {
    /// Of a trace of which nothing is known yet.
    pub fn nothing(of: AskedWindow<'r>) -> TraceWindow<'r> {
        TraceWindow {
            of,
            groups: Vec::new(),
            shares: Vec::new(),
            events: TraceEvents::default(),
            is_rough: true,
        }
    }
}
