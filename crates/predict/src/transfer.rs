//! The same program on another machine: what it does stays, what the machine gives is measured there.

use numawise_facts::{Machine, Placement, Reading, Study};
use numawise_tables::Prediction;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::capacity::Capacities;
use crate::fit::{Fit, normal};
use crate::model::Program;
use crate::predict::{Figures, Known, figure, parts, predicted, rows, table, too_wide};
use crate::shape::{NoShape, PointShape};

#[cfg(test)]
#[path = "transfer_tests.rs"]
mod tests;

/// How much longer a core of the other machine takes for the same: times, with local memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoreRatios {
    /// To compute; `None` where that is not known of both machines.
    pub compute: Option<f64>,
    pub latency: f64,
    /// For the bytes that one core moves by itself.
    pub bandwidth: f64,
}

/// The other machine, and where the points of the study would be there, in their order.
pub struct OtherMachine<'a> {
    pub machine: &'a Machine,
    /// Cores that take what the local memory of a node gives.
    pub saturating: f64,
    pub ratios: CoreRatios,
    pub placements: Vec<Result<Placement, String>>,
}

/// Standard deviation of the logarithm of the time that computing takes: peaks are those of registers, and programs differ; where peaks are not
/// known, cores of servers are within a factor of 2 with 95 %.
const KNOWN_PEAKS: f64 = 0.15;
const UNKNOWN_PEAKS: f64 = 0.35;
/// The same of what was measured on both machines, which the program uses in its own way.
const MEASURED: f64 = 0.1;
const SEED: u64 = 40;
const NOT_RUN: &str = "nothing was run on that machine";

/// A time for every point of a study, had it been run on the other machine. No run there stands behind it.
pub fn predict_on(study: &Study, other: &OtherMachine<'_>) -> Prediction {
    let known = Known::of(study);
    let there = Capacities::of(other.machine, Some(other.saturating));
    let fits = known.fits();
    let moved = |fit: &Fit| moved(fit, &known.capacities, other);
    let moved: std::collections::BTreeMap<_, _> =
        fits.iter().map(|(group, (_, fit))| (*group, moved(fit))).collect();
    let figures = |place: usize| -> Result<Figures, String> {
        let placement = other.placements.get(place).ok_or("it has no placement there")?.as_ref();
        let shape = PointShape::of(&there, placement.map_err(Clone::clone)?).map_err(NoShape::reason)?;
        let fit = moved.get(known.groups[place].as_slice()).ok_or_else(|| known.too_few(place))?;
        let interval = predicted(fit, &shape, None, known.noise);
        let figure = figure(&interval, &study.header.metric).ok_or_else(|| {
            let speed = "how fast cores compute is not known of both machines, and ";
            format!("{}{}", if other.ratios.compute.is_none() { speed } else { "" }, too_wide())
        })?;
        Ok((figure, parts(fit, &shape)))
    };
    let points = rows(study, |place| (0, Reading::unavailable(NOT_RUN), figures(place).into()));
    Prediction { errors: Reading::unavailable(NOT_RUN), ..table(study, points) }
}

/// The programs that may be it, each as it is on the other machine.
fn moved(fit: &Fit, here: &Capacities, other: &OtherMachine<'_>) -> Fit {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let mut off = |sd: f64| (sd * normal(&mut random)).exp();
    let spread = if other.ratios.compute.is_some() { KNOWN_PEAKS } else { UNKNOWN_PEAKS };
    let draws = fit.draws.iter().map(|program| {
        let ratios = CoreRatios {
            compute: Some(other.ratios.compute.unwrap_or(1.0) * off(spread)),
            latency: other.ratios.latency * off(MEASURED),
            bandwidth: other.ratios.bandwidth * off(MEASURED),
        };
        let saturating = program.saturating / here.saturating.value * other.saturating;
        Program { saturating, ..program.on(&ratios) }
    });
    let draws: Vec<Program> = draws.collect();
    Fit { unmodelled: fit.unmodelled.clone(), without: Vec::new(), stretch: fit.stretch, draws }
}

impl Program {
    /// With one thread's parts so many times longer.
    fn on(&self, ratios: &CoreRatios) -> Program {
        let joined = |busy: f64, load: f64| {
            (busy.powf(self.overlap) + load.powf(self.overlap)).powf(1.0 / self.overlap)
        };
        let work = self.time * (1.0 - self.serial) / joined(1.0 - self.bandwidth, self.bandwidth);
        let busy = work * (1.0 - self.bandwidth);
        let compute = ratios.compute.unwrap_or(1.0);
        let (computing, waiting) =
            (busy * (1.0 - self.latency) * compute, busy * self.latency * ratios.latency);
        let loading = work * self.bandwidth * ratios.bandwidth;
        let all = computing + waiting + loading;
        let bandwidth = loading / all;
        let shared = all * joined(1.0 - bandwidth, bandwidth);
        let of_serial = (1.0 - self.serial_memory) * compute + self.serial_memory * all / work;
        let serial = self.time * self.serial * of_serial;
        let time = shared + serial;
        Program {
            time,
            serial: serial / time,
            latency: waiting / (computing + waiting),
            bandwidth,
            sync: self.sync * self.time * ratios.latency / time,
            ..*self
        }
    }
}
