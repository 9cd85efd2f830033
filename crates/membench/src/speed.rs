//! The processor's own speed, measured by a loop that needs nothing but the core: it changes with heat, power and what the neighbours
//! do, and with it all that lies nearer than memory.
//!
//! No counter is read: [`spin`](crate::kernels::spin) takes always as many cycles, so that the time of a step is a measure of the cycle. Of
//! several tries the shortest counts, since whatever comes between makes a try longer. Boost clocks move by 10 to 40 %; the
//! measure itself repeats to a fraction of a percent on a processor that holds its clock.

#[cfg(test)]
#[path = "speed_tests.rs"]
mod tests;

use crate::clock;
use numawise_facts::MeasurementStep;
use numawise_facts::notice::MembenchNotice;
use numawise_units::{CpuId, Ratio};

use crate::kernels::spin;

const TRIES: usize = 15;
/// Some 20 us on a processor of today.
const STEPS: u64 = 16_000;
/// Changes of less than this share make no notice.
const WORTH_A_NOTICE: f64 = 0.05;

/// Seconds for each step of the loop, on the CPU that the caller runs on.
pub fn here() -> f64 {
    let one = || {
        let began = clock::now();
        spin(STEPS);
        (clock::now() - began) / STEPS as f64
    };
    (0..TRIES).map(|_| one()).fold(f64::INFINITY, f64::min)
}

/// The fastest and the slowest that were seen on one CPU, and where the slowest was.
#[derive(Debug, Clone, Default)]
pub struct Speeds {
    ranges: Vec<(CpuId, Range)>,
}

#[derive(Debug, Clone)]
struct Range {
    fastest: f64,
    slowest: f64,
    when: MeasurementStep,
}

impl Speeds {
    /// Takes in what a step took on a CPU during a step.
    pub fn add(&mut self, cpu: CpuId, seconds: f64, during: &MeasurementStep) {
        if !(seconds.is_finite() && seconds > 0.0) {
            return;
        }
        let range = match self.ranges.iter_mut().find(|(known, _)| *known == cpu) {
            Some((_, range)) => range,
            None => {
                let range = Range { fastest: seconds, slowest: seconds, when: during.clone() };
                self.ranges.push((cpu, range));
                return;
            }
        };
        range.fastest = range.fastest.min(seconds);
        if seconds > range.slowest {
            (range.slowest, range.when) = (seconds, during.clone());
        }
    }

    /// By how much the CPU that changed most was slower, and when; nothing where it is little.
    pub fn notice(&self) -> Option<MembenchNotice> {
        let slower = |range: &Range| range.slowest / range.fastest - 1.0;
        let (cpu, range) = self.ranges.iter().max_by(|a, b| slower(&a.1).total_cmp(&slower(&b.1)))?;
        (slower(range) > WORTH_A_NOTICE).then(|| MembenchNotice::ProcessorChangedSpeed {
            cpu: *cpu,
            longer: Ratio(slower(range)),
            during: range.when.clone(),
        })
    }
}
