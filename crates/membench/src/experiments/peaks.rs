//! What one core computes in registers, and reads from each of its caches, at most.

use numawise_facts::{Estimate, Mix, PeakArithmetic, PeakCache, Reading};
use numawise_units::{Arrange, Bytes, BytesPerSecond, CpuId};

use super::bandwidth::checked;
use crate::buffer::CHUNK;
use crate::clock;
use crate::error::CellError;
use crate::kernels::arithmetic::ArithmeticLoop;
use crate::kernels::{Kernel, Line, fill};
use crate::measurement::Measurement;
use crate::repeats::{Rule, over_buffers};
use crate::team::{self, WindowRule, Work, Worker};

const RULE: Rule = Rule { least: 7, most: 15, precision: 0.01 };
/// Seconds for each figure.
const SECONDS: f64 = 0.08;
/// The part of a cache that is read: the rest is for all else that comes to it.
const PART: u64 = 2;
/// Of a cache that cores share one core reads so much at most.
const MOST: u64 = 16 << 20;

/// Does something again and again, so many times in a block.
struct Again<F> {
    once: F,
    times: u64,
    most: u64,
}

impl<F: FnMut(u64) -> u64 + Send> Work for Again<F> {
    fn block(&mut self) -> u64 {
        (self.once)(self.times)
    }

    fn tune(&mut self, seconds: f64) {
        if seconds < team::block_seconds() / 2.0 && self.times < self.most {
            self.times *= 2;
        }
    }
}

impl Measurement<'_> {
    /// Of the first core that we may use.
    pub(crate) fn core_peaks(&mut self) {
        let Some(cpu) = self.layout.usable_rows().find_map(|row| row.cores().first().copied()) else {
            return;
        };
        let arithmetic = ArithmeticLoop::available().into_iter().map(|of| {
            let once = move |passes: u64| {
                of.run(passes);
                passes * of.operations()
            };
            PeakArithmetic { cpu, kind: of.kind, rate: Reading::from(self.peak(cpu, once)) }
        });
        let arithmetic = arithmetic.collect();
        let mut levels: Vec<(u32, Bytes)> = self
            .machine
            .caches
            .iter()
            .filter(|of| of.cpus.contains(cpu))
            .map(|of| (of.level, of.size))
            .collect();
        levels.arrange();
        let caches = levels.into_iter().map(|(level, size)| self.cache(cpu, level, size)).collect();
        (self.profile.arithmetic, self.profile.caches) = (arithmetic, caches);
    }

    fn cache(&mut self, cpu: CpuId, level: u32, size: Bytes) -> PeakCache {
        let lines = (size.0 / PART).min(MOST) as usize / size_of::<Line>() / CHUNK * CHUNK;
        let mut memory = vec![Line([0; 8]); lines.max(CHUNK)];
        fill(&mut memory);
        let bytes = Bytes((memory.len() * size_of::<Line>()) as u64);
        let start = Start(memory.as_mut_ptr());
        let of = |kernel: Kernel| {
            let (start, lines) = (start, memory.len());
            move |times: u64| {
                // The whole of it is sent to the thread, and not the pointer alone.
                let Start(first) = { start };
                let mut sum = 0_u64;
                for _ in 0..times {
                    // SAFETY: so many lines, which are held until the team has ended, and which nobody else uses.
                    sum = sum.wrapping_add(unsafe { kernel.run([first; 3], lines) });
                }
                std::hint::black_box(sum);
                times * kernel.bytes(lines).0
            }
        };
        let rates = checked(Kernel::candidates_for_short_blocks(Mix::Read))
            .map(|kernels| kernels.into_iter().map(|kernel| self.peak(cpu, of(kernel))).collect::<Vec<_>>());
        let best = rates.and_then(|rates| {
            let rates = rates.into_iter().collect::<Result<Vec<Estimate<f64>>, CellError>>()?;
            rates
                .into_iter()
                .max_by(|one, other| one.median.total_cmp(&other.median))
                .ok_or(CellError::NoFigure)
        });
        PeakCache { cpu, level, size, bytes, read: Reading::from(best.map(|rate| rate.map(BytesPerSecond))) }
    }

    /// The rate at which something is done.
    fn peak(&mut self, cpu: CpuId, once: impl FnMut(u64) -> u64 + Send) -> Result<Estimate<f64>, CellError> {
        let seconds = SECONDS.min(self.allowance.max(SECONDS / 10.0));
        let rule = WindowRule {
            window: (seconds / RULE.most as f64).clamp(0.002, 0.025),
            allowance: seconds,
            warm: 0,
            least: 1,
            rule: RULE,
        };
        let began = clock::now();
        let work: Box<dyn Work> = Box::new(Again { once, times: 1, most: 1 << 20 });
        let taken =
            team::run(vec![Worker { cpu, work }], rule, |window| window.all, &self.system, self.stop)?;
        self.saw(&taken, clock::now() - began);
        let outcome = over_buffers(&[taken.repeats(RULE, |window| window.all)]);
        self.estimate(outcome)
    }
}

/// Where lines begin.
#[derive(Clone, Copy)]
struct Start(*mut Line);

// SAFETY: one thread uses the lines at a time, and they are held until it has ended.
unsafe impl Send for Start {}
