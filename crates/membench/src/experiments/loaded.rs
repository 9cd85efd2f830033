//! Latency under load: the first core of a node chases in one half of the buffer, the others load the other half with pauses.

use numawise_facts::{Estimate, LoadPoint, LoopChoice, Mix, Reading};
use numawise_units::{BytesPerSecond, CpuId, Latency, Nanoseconds, NodeId};

use super::bandwidth::{Share, Stream, checked};
use super::latency::{Chase, LEAST_LOADS};
use super::trial::{Turns, Verdict};
use crate::buffer::CHUNK;
use crate::clock;
use crate::error::CellError;
use crate::kernels::{Kernel, spin};
use crate::measurement::{Measurement, RingPart};
use crate::repeats::Rule;
use crate::ring::{RingShape, Track};
use crate::team::{self, TeamResult, WindowRule, Work, Worker};

/// Pauses after each block, in times that the block takes by itself without any: from hardly any load to all there is.
const PAUSES: [f64; crate::plan::DELAYS] = [64.0, 32.0, 16.0, 8.0, 5.0, 3.0, 2.0, 1.3, 0.8, 0.4, 0.15, 0.0];
const RULE: Rule = Rule { least: 7, most: 20, precision: 0.01 };
/// Seconds in which the loops that load take their turns.
const TRIAL_SECONDS: f64 = 0.08;

/// Loads a block, waits, loads the next.
struct Paused {
    stream: Stream,
    steps: u64,
}

impl Work for Paused {
    fn block(&mut self) -> u64 {
        let bytes = self.stream.step();
        spin(self.steps);
        bytes
    }

    fn turn(&mut self, window: usize) {
        self.stream.take_turn(window);
    }

    fn wrong(&self) -> Option<CellError> {
        self.stream.wrong()
    }
}

impl Measurement<'_> {
    pub(crate) fn loaded(&mut self, from: NodeId, to: NodeId, mix: Mix) {
        let curve = self.curve(from, to, mix);
        let mut cells = self.profile.loaded.iter_mut();
        if let Some(cell) = cells.find(|cell| cell.from == from && cell.to == to && cell.mix == mix) {
            cell.with = Reading::from(curve.as_ref().map(|(_, with)| with.clone()));
            cell.points = Reading::from(curve.map(|(points, _)| points));
        }
    }

    fn curve(
        &mut self,
        from: NodeId,
        to: NodeId,
        mix: Mix,
    ) -> Result<(Vec<LoadPoint>, LoopChoice), CellError> {
        let half = self.buffer(to)?.part_lines() / 2 / CHUNK * CHUNK;
        let shape = RingShape { block: Some(self.page_lines(to)?), all_lines: false };
        let began = clock::now();
        let part = RingPart { from: 0, lines: half };
        let mut track = self.linked(to, part, shape)?;
        self.unmodified = false;
        let (Verdict { winner: kernel, choice, .. }, block) = self.fastest_loader(from, to, mix)?;
        let step = step_seconds();
        let mut points = Vec::new();
        for (done, pause) in PAUSES.into_iter().enumerate() {
            let left = self.allowance - (clock::now() - began);
            let seconds = (left / (PAUSES.len() - done) as f64).max(0.03);
            let steps = (pause * block / step).round() as u64;
            match self.point((from, to), kernel, &mut track, steps, seconds) {
                Ok((bandwidth, latency)) => points.push(LoadPoint {
                    delay: Reading::Measured(Nanoseconds::from_seconds(steps as f64 * step)),
                    bandwidth: bandwidth.map(BytesPerSecond),
                    latency: latency.map(|seconds| Latency(seconds * 1e9)),
                }),
                // What there is of a curve is kept: its cell cannot say why the rest is missing, but the header tells of a stop.
                Err(CellError::Stopped) if !points.is_empty() => break,
                Err(error) => return Err(error),
            }
            if self.stop.load(std::sync::atomic::Ordering::Relaxed) {
                break;
            }
        }
        self.keep(part, track);
        Ok((points, choice))
    }

    /// What the chaser and the others came to with this pause.
    fn point(
        &mut self,
        (from, to): (NodeId, NodeId),
        kernel: Kernel,
        track: &mut Track,
        steps: u64,
        seconds: f64,
    ) -> Result<(Estimate<f64>, Estimate<f64>), CellError> {
        let window_rule = WindowRule {
            window: (seconds / RULE.most as f64).clamp(0.005, 0.02),
            allowance: seconds,
            warm: LEAST_LOADS,
            least: LEAST_LOADS,
            rule: RULE,
        };
        let chaser = Chase::new(std::slice::from_mut(track), true);
        let taken = self.together(from, to, kernel, chaser, steps, window_rule)?;
        let bandwidth = self.estimate(taken.repeats(RULE, |window| window.others).outcome())?;
        let latency = self.estimate(taken.repeats(RULE, |window| window.seconds_each).outcome())?;
        Ok((bandwidth, latency))
    }

    /// The fastest loop for short blocks, and the time of its block when all load and nobody waits.
    fn fastest_loader(&mut self, from: NodeId, to: NodeId, mix: Mix) -> Result<(Verdict, f64), CellError> {
        let candidates = checked(Kernel::candidates_for_short_blocks(mix))?;
        let loaders = self.loaders(from, to, &candidates, 0)?;
        let threads = loaders.len() as f64;
        let turns = Turns { loops: candidates.len(), buffers: 1 };
        let verdict = self.tried(&candidates, loaders, turns, TRIAL_SECONDS, 1 << 14)?;
        let (read, written) = verdict.winner.bytes(CHUNK);
        let rate = verdict.rate.ok_or(CellError::NoFigure)?;
        Ok((verdict, (read + written) as f64 * threads / rate))
    }

    /// A thread on each core of the node but the first, each with its share of the second half of the memory.
    fn loaders<'b>(
        &self,
        from: NodeId,
        to: NodeId,
        kernels: &[Kernel],
        steps: u64,
    ) -> Result<Vec<Worker<'b>>, CellError> {
        let cpus = self.cores(from);
        let buffer = self.buffer(to)?;
        let half = buffer.part_lines() / 2 / CHUNK * CHUNK;
        let start = buffer.part(0).wrapping_add(half);
        let parts = cpus.len() - 1;
        let member = |(part, &cpu): (usize, &CpuId)| {
            let share = Share { start, lines: buffer.part_lines() - half, part, parts };
            let stream = Stream::new(kernels, [share], false)?.fixed_block(CHUNK);
            Ok(Worker { cpu, work: Box::new(Paused { stream, steps }) as Box<dyn Work> })
        };
        cpus[1..].iter().enumerate().map(member).collect()
    }

    /// The chaser on the node's first core, and load from all its others.
    fn together(
        &mut self,
        from: NodeId,
        to: NodeId,
        kernel: Kernel,
        chaser: Chase<'_>,
        steps: u64,
        window_rule: WindowRule,
    ) -> Result<TeamResult, CellError> {
        let loaders = self.loaders(from, to, &[kernel], steps)?;
        let cpu = *self.cores(from).first().ok_or(CellError::Stopped)?;
        let chaser = Worker { cpu, work: Box::new(chaser) as Box<dyn Work> };
        let team: Vec<Worker<'_>> = std::iter::once(chaser).chain(loaders).collect();
        let began = clock::now();
        let taken = team::run(team, window_rule, |window| window.seconds_each, &self.system, self.stop)?;
        self.saw(&taken, clock::now() - began);
        Ok(taken)
    }
}

/// How long a step of waiting takes: the shortest of some tries.
fn step_seconds() -> f64 {
    const STEPS: u64 = 2000;
    let try_once = |_| {
        let began = clock::now();
        spin(STEPS);
        (clock::now() - began) / STEPS as f64
    };
    (0..20).map(try_once).fold(f64::INFINITY, f64::min).max(1e-12)
}
