//! Predictions of simulated programs, and how far they are off.

use numawise_predict::{
    BEST, Capacities, Fit, LEAST_PROMISE, MAY_BE_BEST, Observed, PointShape, most_telling, predicted, promise,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machine::{SimulatedMachine, SimulatedPoint, capacities, grid};
use crate::program::{SimulatedKind, SimulatedProgram};

/// What predictions came to.
#[derive(Debug, Default, Clone)]
pub struct Score {
    pub errors: Vec<f64>,
    pub inside: usize,
    /// How much slower the point that is chosen is than the best.
    pub regrets: Vec<f64>,
}

impl Score {
    fn quantile(of: &[f64], share: f64) -> f64 {
        let mut sorted = of.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted[((sorted.len() - 1) as f64 * share).round() as usize]
    }

    pub fn error(&self, share: f64) -> f64 {
        Score::quantile(&self.errors, share)
    }

    pub fn regret(&self, share: f64) -> f64 {
        Score::quantile(&self.regrets, share)
    }

    pub fn coverage(&self) -> f64 {
        self.inside as f64 / self.errors.len() as f64
    }

    pub fn add(&mut self, other: &Score) {
        self.errors.extend(&other.errors);
        self.inside += other.inside;
        self.regrets.extend(&other.regrets);
    }
}

pub fn normal(random: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}

/// A machine with its points as the model sees them, and those that are run first.
pub struct Bench {
    machine: SimulatedMachine,
    told: Capacities,
    truth: Capacities,
    grid: Vec<SimulatedPoint>,
    shapes: Vec<PointShape>,
    chosen: Vec<usize>,
}

impl Bench {
    pub fn new(machine: SimulatedMachine, is_measured: bool, runs: usize) -> Bench {
        let (told, truth) = (capacities(&machine, is_measured), capacities(&machine, true));
        let grid = grid(&machine);
        let shape = |point: &SimulatedPoint| {
            PointShape::of_counts(
                &told,
                &point.counts,
                point.first(),
                point.threads() as usize,
                &point.memory,
            )
            .expect("every node of a simulated machine is known")
        };
        let shapes: Vec<PointShape> = grid.iter().map(shape).collect();
        let chosen = most_telling(&told, &shapes.iter().collect::<Vec<_>>(), runs);
        Bench { machine, told, truth, grid, shapes, chosen }
    }

    /// The median of three runs.
    fn run(&self, program: &SimulatedProgram, place: usize, time: f64, random: &mut ChaCha8Rng) -> Observed {
        let mut three = [0.0; 3].map(|_: f64| time.ln() + program.noise * normal(random));
        three.sort_by(f64::total_cmp);
        let seen = |(_, patterns): (_, numawise_predict::ByPattern)| {
            if program.is_touched_by_first() { patterns[1] } else { patterns[0] }
        };
        Observed {
            shape: self.shapes[place].clone(),
            time: three[1],
            noise: program.noise / 3f64.sqrt(),
            at_first_node: self.shapes[place].first_node.map(seen),
        }
    }

    /// One program of a kind.
    pub fn score(&self, kind: SimulatedKind, seed: u64) -> Score {
        let program = SimulatedProgram::draw(kind, &self.machine, seed);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let times: Vec<f64> =
            self.grid.iter().map(|point| program.time(&self.machine, &self.truth, point)).collect();
        let mut known = self.chosen.clone();
        let mut observed: Vec<Observed> =
            known.iter().map(|place| self.run(&program, *place, times[*place], &mut random)).collect();
        let mut fit = Fit::of(&self.told, &observed);
        let mut score = Score::default();
        for place in (0..times.len()).filter(|place| !known.contains(place)) {
            let interval = predicted(&fit, &self.shapes[place], None, program.noise / 3f64.sqrt());
            let seen = times[place].ln() + program.noise / 2f64.sqrt() * normal(&mut random);
            score.errors.push((interval.middle - times[place].ln()).exp_m1().abs());
            score.inside += usize::from((interval.low..=interval.high).contains(&seen));
        }
        for more in 0..MAY_BE_BEST + BEST {
            let least = observed.iter().map(|one| one.time).fold(f64::INFINITY, f64::min);
            let value = |place: usize| {
                let interval = predicted(&fit, &self.shapes[place], None, program.noise / 3f64.sqrt());
                // First what promises most, then what is expected to be best.
                if more < MAY_BE_BEST {
                    promise(&interval, least) - LEAST_PROMISE
                } else {
                    least - interval.middle
                }
            };
            let unknown = (0..times.len()).filter(|place| !known.contains(place));
            let best =
                unknown.map(|place| (place, value(place))).max_by(|one, other| one.1.total_cmp(&other.1));
            let Some((best, _)) = best.filter(|(_, value)| *value > 0.0) else { continue };
            observed.push(self.run(&program, best, times[best], &mut random));
            known.push(best);
            fit = Fit::of(&self.told, &observed);
        }
        let chosen = (0..known.len()).min_by(|a, b| observed[*a].time.total_cmp(&observed[*b].time));
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        score.regrets.push(times[known[chosen.unwrap_or_default()]] / least - 1.0);
        score
    }
}
