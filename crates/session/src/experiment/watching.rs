//! How trials are watched, so that watching cannot pass for an effect.

use std::sync::atomic::{AtomicBool, Ordering};

use numawise_facts::notice::MachineNotice;
use numawise_facts::{Machine, Sink, StopReason, Study};
use numawise_record::Record;
use numawise_study::{Engine, SystemClock, WATCHED_PART_OF_MARGIN};

use super::{ExperimentRequest, RecordKeeper, by_contrasts};
use crate::Error;

/// Sampling aims at this part of its share, for what the last sample costs more than was foreseen.
const CAUTION: f64 = 0.8;

/// Fewer samples of a trial say too little of it.
const ENOUGH_SAMPLES: f64 = 8.0;

/// How trials are watched that are compared: alike, and never so much that it could pass for an effect. `sampling` is the share of one CPU that was
/// asked for, `margin` what an effect must be beyond.
pub(crate) fn of_compared(sampling: f64, margin: f64, machine: &Machine) -> numawise_observe::Options {
    let most = sampling.min(WATCHED_PART_OF_MARGIN * margin);
    let rate = CAUTION * most * part_of_quota(machine);
    numawise_observe::Options { rate, is_compared: true, ..numawise_observe::Options::default() }
}

impl ExperimentRequest {
    pub(super) fn watch(&self, machine: &Machine) -> numawise_observe::Options {
        of_compared(self.sampling.value(), self.margin.value(), machine)
    }

    /// How trials are watched that are compared with nothing.
    pub(super) fn closely(&self) -> numawise_observe::Options {
        let rate = CAUTION * self.sampling.value();
        numawise_observe::Options { rate, ..numawise_observe::Options::default() }
    }

    /// Whether trials as long as the first run show too little of the inside, when they are watched as they must be to be compared.
    fn shows_too_little(&self, study: &Study) -> bool {
        let Some(first) = study.trials.first() else { return false };
        let Some(seen) = first.observation.measured().map(|observation| &observation.sampler) else {
            return false;
        };
        let sample = seen.cpu_time.0 as f64 / seen.samples.max(1) as f64;
        let watched = self.watch(&study.header.machine).rate * first.wall.0 as f64;
        self.sampling.value() > 0.0 && watched < ENOUGH_SAMPLES * sample
    }

    /// Runs each placement once for what is seen of it alone, where the trials that are compared show too little; says why when that was broken
    /// off.
    pub(super) fn watch_apart(
        &self,
        study: &mut Study,
        record: &mut Record,
        (sink, stop): (&mut dyn Sink, &AtomicBool),
    ) -> Result<Option<StopReason>, Error> {
        if !self.shows_too_little(study) {
            return Ok(None);
        }
        let mut runner = self.runner(&study.header.machine, &study.header.points);
        runner.watch = self.closely();
        let mut engine = Engine {
            runner: &mut runner,
            clock: &SystemClock { begun: self.begun },
            keep: &mut RecordKeeper(record),
            sink,
            redactor: &self.redactor(),
            standing: &mut by_contrasts,
            repeats_first: false,
            first_block: 0,
            stop,
        };
        for point in study.header.points.clone() {
            if study.is_done(0, &point.id) || study.given_up(&point.id) {
                continue;
            }
            if stop.load(Ordering::Relaxed) || !engine.run_one(study, 0, &point)? {
                return Ok(Some(StopReason::Interrupted));
            }
        }
        Ok(None)
    }
}

/// The part of the CPUs that a quota leaves: what watching takes, the program lacks.
fn part_of_quota(machine: &Machine) -> f64 {
    let quota = machine.limits.iter().find_map(|limit| match limit {
        MachineNotice::CpuQuota { cpus, .. } => Some(*cpus),
        _ => None,
    });
    let cpus = machine.allowed_cpus.len().max(1) as f64;
    quota.map_or(1.0, |quota| (quota / cpus).clamp(0.01, 1.0))
}
