//! Which loop is the fastest here: all candidates take turns on the CPUs and the memory of the figure that is to be taken.
//!
//! Turns are windows of the same team, some milliseconds each, and everybody has one in each round, beside the same neighbours
//! and on the same buffer; with each round the order moves on by one. A slow moment meets all of them alike, or a single turn,
//! which the median leaves out. What a trial came to decides only who measures: the figure is taken anew afterwards, so that
//! no candidate wins a better figure by luck.

use numawise_facts::{Estimate, LoopChoice, LoopTrial, Reading};
use numawise_units::BytesPerSecond;

use crate::clock;
use crate::error::CellError;
use crate::kernels::Kernel;
use crate::measurement::Measurement;
use crate::repeats::{Repeats, Rule};
use crate::team::{self, Window, WindowRule, Worker};

#[cfg(test)]
#[path = "trial_tests.rs"]
mod tests;

/// Turns of each candidate. Of seven the median leaves out three that were slow.
const ROUNDS: usize = 7;
/// Where turns are disturbed there are more, until the trial has taken so many times as long as it should.
const PATIENCE: f64 = 1.6;
/// A turn's length, in seconds: below, taking the time and the neighbours' shifted blocks count.
const TURN: (f64, f64) = (0.001, 0.005);

/// Which loop, and which buffer, a window is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turns {
    pub loops: usize,
    pub buffers: usize,
}

impl Turns {
    pub fn loop_of(self, window: usize) -> usize {
        (window + window / self.loops) % self.loops
    }

    pub fn buffer_of(self, window: usize) -> usize {
        (window / self.loops) % self.buffers
    }
}

/// What a trial came to.
pub(super) struct Verdict {
    pub winner: Kernel,
    /// Bytes per second of the winner, where it had a turn.
    pub rate: Option<f64>,
    pub choice: LoopChoice,
}

/// The kernel with the highest median; where nobody had a turn, the first.
fn decided(kernels: &[Kernel], turns: Turns, windows: &[Window]) -> Option<Verdict> {
    let rule = Rule { least: 1, most: usize::MAX, precision: 0.0 };
    let mut repeats = vec![Repeats::new(rule); kernels.len()];
    for (nth, window) in windows.iter().enumerate() {
        repeats[turns.loop_of(nth)].push(window.all, window.lost);
    }
    let estimates: Vec<Option<Estimate<f64>>> =
        repeats.iter().map(|repeats| repeats.outcome().map(|outcome| outcome.estimate)).collect();
    let median = |nth: usize| estimates[nth].map_or(0.0, |estimate| estimate.median);
    // The last of equals would win: the order is turned round, so that it is the first.
    let best = (0..kernels.len()).rev().max_by(|a, b| median(*a).total_cmp(&median(*b)))?;
    let trial = |(kernel, estimate): (&Kernel, &Option<Estimate<f64>>)| LoopTrial {
        candidate: kernel.which,
        rate: match estimate {
            Some(estimate) => Reading::Measured(estimate.map(BytesPerSecond)),
            None => Reading::unavailable("no time was left for its turn"),
        },
    };
    let trials = kernels.iter().zip(&estimates).map(trial).collect();
    Some(Verdict {
        winner: kernels[best],
        rate: estimates[best].map(|estimate| estimate.median),
        choice: LoopChoice { chosen: kernels[best].which, trials },
    })
}

impl Measurement<'_> {
    /// Lets the candidates take turns for some seconds. `team` has all of them, and changes with each window as
    /// `turns` says.
    pub(super) fn tried(
        &mut self,
        kernels: &[Kernel],
        team: Vec<Worker<'_>>,
        turns: Turns,
        seconds: f64,
        warm: u64,
    ) -> Result<Verdict, CellError> {
        let count = kernels.len() * ROUNDS;
        let window_rule = WindowRule {
            window: (seconds / count as f64).clamp(TURN.0, TURN.1),
            allowance: PATIENCE * seconds,
            warm,
            least: 1,
            rule: Rule { least: count, most: count, precision: 0.0 },
        };
        let began = clock::now();
        let taken = team::run(team, window_rule, |window| window.all, &self.system, self.stop)?;
        self.saw(&taken, clock::now() - began);
        decided(kernels, turns, &taken.windows).ok_or(CellError::NoFigure)
    }
}
