//! Bandwidth: threads step through their shares of a buffer, block by block, round and round.

use numawise_facts::{BufferSpread, Estimate, LoopChoice, Mix, Reading, Target, Workers};
use numawise_units::{BytesPerSecond, CpuId, NodeId};

use super::trial::Turns;
use crate::buffer::{Buffer, CHUNK};
use crate::clock;
use crate::error::CellError;
use crate::kernels::{Kernel, Line, fill};
use crate::measurement::Measurement;
use crate::repeats::{Rule, over_buffers};
use crate::team::{self, WindowRule, Work, Worker};

/// No block is larger, in lines of a stream: a window must have many.
const MOST_LINES: usize = (1 << 20) / size_of::<Line>();
/// Streams that begin at the same place of a page hide each other's loads and stores behind their own (4 KiB aliasing): each
/// begins so many lines later.
const SKEW: usize = 21;
/// The share of its time that finding the fastest loop may take a figure.
const TRIAL_SHARE: f64 = 0.25;
pub(super) const RULE: Rule = Rule { least: 20, most: 60, precision: 0.01 };

/// A thread's shares of buffers, each worked through with one of some kernels at a time.
pub(super) struct Stream {
    kernels: Vec<Kernel>,
    places: Vec<Place>,
    turns: Turns,
    /// Which kernel, and which place.
    turn: (usize, usize),
    block: usize,
    /// What the sum over a chunk must be, where that is known.
    sum: Option<u64>,
    wrong: Option<Kernel>,
}

/// A share of a buffer, and how far it was gone through.
struct Place {
    streams: [*mut Line; 3],
    /// Lines of each stream.
    lines: usize,
    at: usize,
}

// SAFETY: the share is this thread's alone while it works: shares do not overlap, and the buffer outlives the team.
unsafe impl Send for Stream {}

/// Part `part` of `parts` of some lines of a buffer.
#[derive(Clone, Copy)]
pub(super) struct Share {
    pub start: *mut Line,
    pub lines: usize,
    pub part: usize,
    pub parts: usize,
}

impl Place {
    /// Where the share is too small for so many streams, the reason.
    fn new(share: Share, count: usize) -> Result<Place, CellError> {
        let chunks = share.lines / CHUNK;
        let (from, to) = (chunks * share.part / share.parts, chunks * (share.part + 1) / share.parts);
        // The skew takes a chunk of each stream but the first.
        let each = (to - from) / count;
        let lines = each.saturating_sub(usize::from(count > 1)) * CHUNK;
        if lines == 0 {
            let kib = share.lines * size_of::<Line>() / 1024;
            return Err(CellError::ShareTooSmall { kib, threads: share.parts, streams: count });
        }
        let stream = |number: usize| share.start.wrapping_add((from + number.min(count - 1) * each) * CHUNK);
        let streams = std::array::from_fn(|number| stream(number).wrapping_add(number.min(count - 1) * SKEW));
        Ok(Place { streams, lines, at: 0 })
    }
}

impl Stream {
    /// One share of each buffer. `unmodified`: the buffers hold what they were filled with.
    pub(super) fn new(
        kernels: &[Kernel],
        shares: impl IntoIterator<Item = Share>,
        unmodified: bool,
    ) -> Result<Stream, CellError> {
        let first = *kernels.first().ok_or(CellError::NoFigure)?;
        let places = shares.into_iter().map(|share| Place::new(share, first.streams()));
        let places = places.collect::<Result<Vec<Place>, CellError>>()?;
        let known = unmodified && first.mix == Mix::Read;
        let sum = known.then(|| first.expected(CHUNK, 0));
        let turns = Turns { loops: kernels.len(), buffers: places.len().max(1) };
        Ok(Stream { kernels: kernels.to_vec(), places, turns, turn: (0, 0), block: CHUNK, sum, wrong: None })
    }

    pub(super) fn fixed_block(mut self, lines: usize) -> Stream {
        self.block = self.places.iter().map(|place| place.lines).fold(lines, usize::min);
        self
    }

    pub(super) fn take_turn(&mut self, window: usize) {
        self.turn = (self.turns.loop_of(window), self.turns.buffer_of(window));
    }

    /// One block; bytes.
    pub(super) fn step(&mut self) -> u64 {
        let kernel = self.kernels[self.turn.0];
        let place = &mut self.places[self.turn.1];
        let lines = self.block.min(place.lines - place.at);
        let streams = place.streams.map(|start| start.wrapping_add(place.at));
        // SAFETY: within the share's streams, which lie in the buffer side by side and are this thread's alone.
        let sum = unsafe { kernel.run(streams, lines) };
        if self.sum.is_some_and(|each| sum != each.wrapping_mul((lines / CHUNK) as u64)) {
            self.wrong.get_or_insert(kernel);
        }
        std::hint::black_box(sum);
        place.at = if place.at + lines >= place.lines { 0 } else { place.at + lines };
        let (read, written) = kernel.bytes(lines);
        read + written
    }
}

impl Work for Stream {
    fn block(&mut self) -> u64 {
        self.step()
    }

    fn turn(&mut self, window: usize) {
        self.take_turn(window);
    }

    fn tune(&mut self, seconds: f64) {
        if seconds < team::block_seconds() / 2.0 && self.block < MOST_LINES {
            self.block *= 2;
        }
    }

    fn wrong(&self) -> Option<CellError> {
        self.wrong.map(|Kernel { mix, which, .. }| CellError::OtherWords { mix, which })
    }
}

/// The same loops, each seen to do what its mix says on a little memory.
pub(super) fn checked(kernels: Vec<Kernel>) -> Result<Vec<Kernel>, CellError> {
    let lines = 4 * CHUNK;
    for kernel in &kernels {
        let mut memory: Vec<Vec<Line>> = (0..3).map(|_| vec![Line([0; 8]); lines]).collect();
        memory.iter_mut().for_each(|stream| fill(stream));
        let streams = [memory[0].as_mut_ptr(), memory[1].as_mut_ptr(), memory[2].as_mut_ptr()];
        for pass in 0..2 {
            // SAFETY: three streams of that many lines, nobody else's.
            if unsafe { kernel.run(streams, lines) } != kernel.expected(lines, pass) {
                return Err(CellError::WrongSums { mix: kernel.mix, which: kernel.which });
            }
        }
        // SAFETY: the same streams.
        unsafe { kernel.verify(streams, lines, 2) }?;
    }
    Ok(kernels)
}

/// A bandwidth, and how it was taken.
struct Rated {
    rate: Estimate<f64>,
    with: LoopChoice,
    buffers: Reading<BufferSpread<BytesPerSecond>>,
}

impl Measurement<'_> {
    pub(crate) fn bandwidth(&mut self, workers: Workers, target: Target, mix: Mix) {
        let rated = self.rate(workers, target, mix);
        self.unmodified &= mix == Mix::Read;
        let mut cells = self.profile.bandwidth.iter_mut();
        let cell = cells.find(|cell| cell.workers == workers && cell.target == target && cell.mix == mix);
        let Some(cell) = cell else { return };
        cell.with = Reading::from(rated.as_ref().map(|rated| rated.with.clone()));
        cell.buffers = match &rated {
            Ok(rated) => rated.buffers.clone(),
            Err(error) => error.reading(),
        };
        cell.rate = Reading::from(rated.map(|rated| rated.rate.map(BytesPerSecond)));
    }

    fn rate(&mut self, workers: Workers, target: Target, mix: Mix) -> Result<Rated, CellError> {
        let candidates = checked(Kernel::candidates(mix))?;
        let began = clock::now();
        let team = self.streams(workers, target, &candidates)?;
        let threads = team.len().max(1) as u64;
        // Until the caches are full of what this mix changes, it writes nothing back.
        let warm = self.layout.caches.0 / threads;
        let buffers = self.places(workers, target)?;
        let turns = Turns { loops: candidates.len(), buffers };
        let verdict = self.tried(&candidates, team, turns, TRIAL_SHARE * self.allowance, warm)?;
        let left = (self.allowance - (clock::now() - began)).max(self.allowance / 2.0);
        let window_rule = WindowRule {
            window: (left / RULE.most as f64).clamp(0.01, 0.025),
            allowance: left,
            // They are, from the trial of the same mix.
            warm: 0,
            least: 1 << 20,
            rule: RULE,
        };
        let team = self.streams(workers, target, &[verdict.winner])?;
        let began = clock::now();
        let taken = team::run(team, window_rule, |window| window.all, &self.system, self.stop)?;
        self.saw(&taken, clock::now() - began);
        let turns = Turns { loops: 1, buffers };
        let repeats = taken.repeats_by(buffers, |nth| turns.buffer_of(nth), RULE, |window| window.all);
        let outcome = over_buffers(&repeats);
        let buffers =
            Reading::from(outcome.and_then(|one| one.buffers).ok_or(CellError::of_buffers(buffers)));
        let rate = self.estimate(outcome)?;
        Ok(Rated { rate, with: verdict.choice, buffers: buffers.map(|of| of.map(BytesPerSecond)) })
    }

    /// On how many buffers all of them can work at the same time.
    fn places(&self, workers: Workers, target: Target) -> Result<usize, CellError> {
        let parts = self.groups(workers, target).into_iter().map(|(_, to)| Ok(self.buffer(to)?.parts));
        let parts = parts.collect::<Result<Vec<usize>, CellError>>()?;
        Ok(parts.into_iter().min().unwrap_or(1))
    }

    /// A thread on each CPU with its share of the memory, and all of these loops.
    fn streams<'b>(
        &self,
        workers: Workers,
        target: Target,
        kernels: &[Kernel],
    ) -> Result<Vec<Worker<'b>>, CellError> {
        let mut team = Vec::new();
        let places = self.places(workers, target)?;
        for (cpus, to) in self.groups(workers, target) {
            team.extend(members(&cpus, self.buffer(to)?, places, kernels, self.unmodified)?);
        }
        Ok(team)
    }

    /// Which CPUs use which node's memory.
    fn groups(&self, workers: Workers, target: Target) -> Vec<(Vec<CpuId>, NodeId)> {
        let mut groups: Vec<(Vec<CpuId>, NodeId)> = match workers {
            Workers::Core(node) => vec![(self.cores(node).into_iter().take(1).collect(), node)],
            Workers::Node(node) => vec![(self.cores(node), node)],
            Workers::Machine => {
                self.layout.with_local_memory().map(|row| (row.cores().to_vec(), row.node)).collect()
            }
        };
        if let Target::Node(to) = target {
            groups.iter_mut().for_each(|(_, node)| *node = to);
        }
        groups
    }
}

fn members<'a>(
    cpus: &[CpuId],
    buffer: &Buffer,
    places: usize,
    kernels: &[Kernel],
    unmodified: bool,
) -> Result<Vec<Worker<'a>>, CellError> {
    let member = |(part, &cpu): (usize, &CpuId)| {
        let share =
            |place| Share { start: buffer.part(place), lines: buffer.part_lines(), part, parts: cpus.len() };
        let work = Stream::new(kernels, (0..places).map(share), unmodified)?;
        Ok(Worker { cpu, work: Box::new(work) as Box<dyn Work> })
    };
    cpus.iter().enumerate().map(member).collect()
}
