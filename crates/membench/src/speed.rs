//! The processor's own speed, told by a loop that needs nothing but the core: it changes with heat, power and what the neighbours
//! do, and with it all that lies nearer than memory.
//!
//! No counter is read: [`spin`](crate::kernels::spin) takes always as many cycles, so that the time of a step is a measure of the cycle. Of
//! several tries the shortest counts, since whatever comes between makes a try longer. Boost clocks move by 10 to 40 %; the
//! measure itself repeats to a fraction of a percent on a processor that holds its clock.

use crate::clock;
use crate::kernels::spin;

const TRIES: usize = 15;
/// Some 20 us on a processor of today.
const STEPS: u64 = 16_000;
/// Changes of less than this share are not told of.
const TOLD: f64 = 0.05;

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
    seen: Vec<(u32, Range)>,
}

#[derive(Debug, Clone)]
struct Range {
    fastest: f64,
    slowest: f64,
    when: String,
}

impl Speeds {
    /// Takes in what a step took on a CPU during the measurement `what`.
    pub fn add(&mut self, cpu: u32, seconds: f64, what: &str) {
        if !(seconds.is_finite() && seconds > 0.0) {
            return;
        }
        let range = match self.seen.iter_mut().find(|(seen, _)| *seen == cpu) {
            Some((_, range)) => range,
            None => {
                let range = Range { fastest: seconds, slowest: seconds, when: what.to_owned() };
                self.seen.push((cpu, range));
                return;
            }
        };
        range.fastest = range.fastest.min(seconds);
        if seconds > range.slowest {
            (range.slowest, range.when) = (seconds, what.to_owned());
        }
    }

    /// What a reader should know: by how much the CPU that changed most was slower, and when.
    pub fn remark(&self) -> Option<String> {
        let slower = |range: &Range| range.slowest / range.fastest - 1.0;
        let (cpu, range) = self.seen.iter().max_by(|a, b| slower(&a.1).total_cmp(&slower(&b.1)))?;
        (slower(range) > TOLD).then(|| {
            format!(
                "The processor changed its speed: a loop that needs no memory took up to {:.0} % longer on CPU {cpu} than at its \
                 fastest (during: {}). What lies in caches, and what one core can draw, follows it; fix the frequency where \
                 that matters.",
                100.0 * slower(range),
                range.when
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_with_its_cpu_and_when() {
        let mut speeds = Speeds::default();
        assert_eq!(speeds.remark(), None);
        speeds.add(0, 1.00e-9, "idle latency");
        speeds.add(3, 2.00e-9, "idle latency");
        assert_eq!(speeds.remark(), None, "two CPUs may differ, as fast and efficient cores do");
        speeds.add(0, 1.04e-9, "bandwidth, read");
        assert_eq!(speeds.remark(), None, "less than five percent");
        speeds.add(0, 1.20e-9, "bandwidth, triad");
        speeds.add(0, 0.96e-9, "transfers");
        let told = speeds.remark().unwrap();
        assert!(told.contains("25 % longer on CPU 0") && told.contains("during: bandwidth, triad"), "{told}");
    }

    #[test]
    fn what_is_no_time_is_passed_over() {
        let mut speeds = Speeds::default();
        for nothing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            speeds.add(0, nothing, "nothing");
        }
        speeds.add(0, 1e-9, "idle latency");
        assert_eq!(speeds.remark(), None);
    }

    #[test]
    fn a_step_takes_some_time_and_not_much() {
        let seconds = here();
        assert!((1e-11..1e-5).contains(&seconds), "{seconds}");
    }
}
