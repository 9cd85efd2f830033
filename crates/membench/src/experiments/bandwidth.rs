//! Bandwidth: threads step through their shares of a buffer, block by block, round and round.

use numawise_facts::{Mix, Reading, Target, Workers};
use numawise_units::{BytesPerSecond, CpuId, NodeId};

use crate::buffer::{Buffer, CHUNK};
use crate::clock;
use crate::error::CellError;
use crate::kernels::{Kernel, Line, Shape, fill};
use crate::measurement::Measurement;
use crate::repeats::Rule;
use crate::team::{self, WindowRule, Work, Worker};

/// No block is larger, in lines of a stream: a window must have many.
const MOST_LINES: usize = (1 << 20) / size_of::<Line>();
/// Streams that begin at the same place of a page hide each other's loads and stores behind their own (4 KiB aliasing): each
/// begins so many lines later.
const SKEW: usize = 21;
/// Blocks of fewer lines are gone through straight: the parts that a tuned loop takes at once begin anew in each block, and
/// where a block is that short their first lines, which no prefetcher foresees, are a good share of it.
const SHORT: usize = 1024;
pub(super) const RULE: Rule = Rule { least: 20, most: 60, precision: 0.01 };

/// A thread's share of a buffer, worked through with one kernel.
pub(super) struct Stream {
    kernel: Kernel,
    /// The same for short blocks.
    straight: Kernel,
    streams: [*mut Line; 3],
    /// Lines of each stream.
    lines: usize,
    at: usize,
    block: usize,
    /// What the sum over a chunk must be, where that is known.
    sum: Option<u64>,
    wrong: bool,
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

impl Stream {
    /// Where the share is too small for the kernel's streams, the reason. `unmodified`: the buffer holds what it was filled with.
    pub(super) fn new(kernel: Kernel, share: Share, unmodified: bool) -> Result<Stream, CellError> {
        let chunks = share.lines / CHUNK;
        let (from, to) = (chunks * share.part / share.parts, chunks * (share.part + 1) / share.parts);
        let count = kernel.streams();
        // The skew takes a chunk of each stream but the first.
        let each = (to - from) / count;
        let lines = each.saturating_sub(usize::from(count > 1)) * CHUNK;
        if lines == 0 {
            let kib = share.lines * size_of::<Line>() / 1024;
            return Err(CellError::ShareTooSmall { kib, threads: share.parts, streams: count });
        }
        let stream = |number: usize| share.start.wrapping_add((from + number.min(count - 1) * each) * CHUNK);
        let streams = std::array::from_fn(|number| stream(number).wrapping_add(number.min(count - 1) * SKEW));
        let known = unmodified && kernel.mix == Mix::Read;
        let sum = known.then(|| kernel.expected(CHUNK, 0));
        let straight = Kernel::shaped(kernel.mix, kernel.vectors, Shape::Straight).unwrap_or(kernel);
        Ok(Stream { kernel, straight, streams, lines, at: 0, block: CHUNK, sum, wrong: false })
    }

    pub(super) fn fixed_block(mut self, lines: usize) -> Stream {
        self.block = lines.min(self.lines);
        self
    }

    /// One block; bytes.
    pub(super) fn step(&mut self) -> u64 {
        let lines = self.block.min(self.lines - self.at);
        let streams = self.streams.map(|start| start.wrapping_add(self.at));
        let kernel = if lines < SHORT { &self.straight } else { &self.kernel };
        // SAFETY: within the share's streams, which lie in the buffer side by side and are this thread's alone.
        let sum = unsafe { kernel.run(streams, lines) };
        if let Some(each) = self.sum {
            self.wrong |= sum != each.wrapping_mul((lines / CHUNK) as u64);
        }
        std::hint::black_box(sum);
        self.at = if self.at + lines >= self.lines { 0 } else { self.at + lines };
        let (read, written) = self.kernel.bytes(lines);
        read + written
    }
}

impl Work for Stream {
    fn block(&mut self) -> u64 {
        self.step()
    }

    fn tune(&mut self, seconds: f64) {
        if seconds < team::block_seconds() / 2.0 && self.block < MOST_LINES {
            self.block *= 2;
        }
    }

    fn wrong(&self) -> Option<CellError> {
        let Kernel { mix, vectors, .. } = self.kernel;
        self.wrong.then_some(CellError::OtherWords { mix, vectors })
    }
}

/// Whether the loop for this mix does what it says, tried on a little memory.
pub(super) fn checked(mix: Mix) -> Result<Kernel, CellError> {
    let kernel = Kernel::best(mix);
    let lines = 4 * CHUNK;
    let mut memory: Vec<Vec<Line>> = (0..3).map(|_| vec![Line([0; 8]); lines]).collect();
    memory.iter_mut().for_each(|stream| fill(stream));
    let streams = [memory[0].as_mut_ptr(), memory[1].as_mut_ptr(), memory[2].as_mut_ptr()];
    for pass in 0..2 {
        // SAFETY: three streams of that many lines, nobody else's.
        if unsafe { kernel.run(streams, lines) } != kernel.expected(lines, pass) {
            return Err(CellError::WrongSums { mix, vectors: kernel.vectors });
        }
    }
    // SAFETY: the same streams.
    unsafe { kernel.verify(streams, lines, 2) }?;
    Ok(kernel)
}

impl Measurement<'_> {
    pub(crate) fn bandwidth(&mut self, workers: Workers, target: Target, mix: Mix) {
        let rate = self.rate(workers, target, mix);
        self.unmodified &= mix == Mix::Read;
        let cell = self
            .profile
            .bandwidth
            .iter_mut()
            .find(|cell| cell.workers == workers && cell.target == target && cell.mix == mix);
        if let Some(cell) = cell {
            cell.rate = Reading::from(rate.map(|rate| rate.map(BytesPerSecond)));
        }
    }

    fn rate(
        &mut self,
        workers: Workers,
        target: Target,
        mix: Mix,
    ) -> Result<numawise_facts::Estimate<f64>, CellError> {
        let kernel = checked(mix)?;
        let mut team = Vec::new();
        for (cpus, to) in self.groups(workers, target) {
            let buffer = self.buffer(to)?;
            team.extend(members(&cpus, buffer, kernel, self.unmodified)?);
        }
        let threads = team.len().max(1);
        let window_rule = WindowRule {
            window: (self.allowance / RULE.most as f64).clamp(0.01, 0.025),
            allowance: self.allowance,
            // Until the caches are full of what this loop changes, it writes nothing back.
            warm: self.layout.caches.0 / threads as u64,
            least: 1 << 20,
            rule: RULE,
        };
        let began = clock::now();
        let taken = team::run(team, window_rule, |window| window.all, &self.system, self.stop)?;
        self.saw(&taken, clock::now() - began);
        self.estimate(taken.repeats(RULE, |window| window.all).outcome())
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
    kernel: Kernel,
    unmodified: bool,
) -> Result<Vec<Worker<'a>>, CellError> {
    let member = |(part, &cpu): (usize, &CpuId)| {
        let share = Share { start: buffer.start(), lines: buffer.len(), part, parts: cpus.len() };
        let work = Stream::new(kernel, share, unmodified)?;
        Ok(Worker { cpu, work: Box::new(work) as Box<dyn Work> })
    };
    cpus.iter().enumerate().map(member).collect()
}
