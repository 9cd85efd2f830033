//! Two studies side by side: before and after a change.

use numawise_facts::{Effect, PointId, Reading};

use crate::ContrastCall;

/// What two studies say of the points that both have.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyComparison {
    pub rows: Vec<ComparedPoint>,
    /// Points of one of them.
    pub only_first: Vec<PointId>,
    pub only_second: Vec<PointId>,
    /// They ran on different machines, as far as their topologies tell.
    pub other_machine: bool,
    /// They ran different commands.
    pub other_command: bool,
}

/// A point of both.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedPoint {
    pub point: PointId,
    /// Median of the metric for one unit of work.
    pub first: Reading<f64>,
    pub second: Reading<f64>,
    pub repeats: [u32; 2],
    /// Above 1: the second is better. All intervals hold together with 95 %.
    pub effect: Reading<Effect>,
    pub call: ContrastCall,
}
