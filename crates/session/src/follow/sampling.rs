//! How a program is sampled here, and what that costs it.

use numawise_facts::notice::ObjectsNotice;
use numawise_facts::objects::{
    AccessMethod, LoadSampler, LoadSamples, ObjectWatching, Skid, TimeSamples, TouchMethod,
};
use numawise_facts::{Notice, Reading};
use numawise_launch::{HeapSettings, MOST_TIMER_SAMPLES};
use numawise_linux::Roots;
use numawise_linux::calls::affinity;
use numawise_linux::calls::pages::page_size;
use numawise_linux::calls::sampler::{Sampler, SamplerObstacle, SamplerSettings};
use numawise_linux::load_events::{LoadEventCounts, load_events};
use numawise_observe::objects::calibration::{Calibration, calibrate, calibrate_timers};
use numawise_observe::objects::fault_period::{FAULT_PERIODS, FaultPeriod};
use numawise_observe::objects::watch::WatchedObjects;
use numawise_units::{Bytes, Nanoseconds};

use super::Followed;

#[cfg(test)]
#[path = "sampling_tests.rs"]
mod tests;

/// How often threads are sampled where no period is asked for.
#[derive(Debug, Clone, Copy)]
struct Rate {
    /// The part of a thread's time that samples take.
    cost: f64,
    longest: Nanoseconds,
}

/// Samples take this part of the time of a thread, with what it takes to follow them, should the program need
/// all CPUs: a third of what is promised. Faults and allocations cost something too, and an interrupt more than its own time, in caches:
/// iso3dfd with a thread on each of two CPUs pays 1.6 % (one sample in 1 ms) or 0.8 % (in 1.7 ms), where this is 1.1 % or 0.7 %.
const OF_OBJECTS: Rate = Rate { cost: 0.007, longest: Nanoseconds(10_000_000) };
/// Half of it. With a sample in 3.1 ms iso3dfd, a thread on each of two CPUs, took 1.023 of its time (n 9, 0.93 to 1.05), with one in 6.2 ms
/// 1.006 (n 11, 0.997 to 1.016), two ranks of cg 1.005 (n 5). 100 samples, which a report needs, come within 0.8 s.
const OF_LOOPS: Rate = Rate { cost: 0.0035, longest: Nanoseconds(8_000_000) };
/// What our own thread takes to say what one sample is of.
const FOLLOWING: Nanoseconds = Nanoseconds(7_000);
const SHORTEST: Nanoseconds = Nanoseconds(1_000_000);
/// From one sample of any thread to the next: with [`FOLLOWING`] our own thread takes 2 % of one CPU, and where the threads of the program wait for one
/// another, the slowest of them is the program. With 16 of them on 16 CPUs it took 5 % longer at 100 us, and 0.8 % at 400.
const FOLLOWED: Nanoseconds = Nanoseconds(400_000);
/// By timers in the program; the prototype had 1.1 % at this rate.
const OF_TIMERS: Nanoseconds = Nanoseconds(4_000_000);
/// Bytes of the stack of each sample: the innermost ten to twenty functions.
const STACK: u32 = 1024;

/// Why nothing is known of memory.
const OF_SURVEY: &str = "a survey of loops looks at no memory";

/// Bits of the widest vectors that this CPU has instructions for.
pub fn widest_vectors() -> Reading<u32> {
    #[cfg(target_arch = "x86_64")]
    return Reading::Measured(match () {
        () if std::arch::is_x86_feature_detected!("avx512f") => 512,
        () if std::arch::is_x86_feature_detected!("avx2") => 256,
        () => 128,
    });
    #[cfg(target_arch = "aarch64")]
    return if std::arch::is_aarch64_feature_detected!("sve") {
        Reading::unavailable("the length of SVE's vectors was not asked for")
    } else {
        Reading::Measured(128)
    };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    Reading::unavailable("instructions of this CPU are not decoded")
}

/// What was found out before the program began.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrated {
    pub period: Nanoseconds,
    /// Missing where not even a timer could be had.
    pub measured: Option<Calibration>,
    /// Why the kernel does not sample for us.
    obstacle: Option<String>,
    /// How the processor samples loads, and how many of what it counts are from one sample to the next; or why it does not.
    loads: Result<(LoadSampler, u64), String>,
}

/// A program that is about to be sampled.
#[derive(Debug)]
pub struct Sampling {
    calibrated: Calibrated,
    sampler: Option<Sampler>,
}

impl Sampling {
    /// Measures, and opens the events of what this thread starts next.
    pub fn begin(followed: Followed, period: Option<Nanoseconds>) -> Sampling {
        match Sampling::by_kernel(followed, period) {
            Ok(sampling) => sampling,
            Err(obstacle) => Sampling {
                calibrated: Calibrated {
                    period: period.unwrap_or(OF_TIMERS),
                    measured: calibrate_timers().ok(),
                    obstacle: Some(obstacle.to_string()),
                    loads: Err(not_for_us("loads", &obstacle.to_string())),
                },
                sampler: None,
            },
        }
    }

    fn by_kernel(followed: Followed, period: Option<Nanoseconds>) -> Result<Sampling, SamplerObstacle> {
        let measured = calibrate(STACK)?;
        let cpus = affinity::own().map_or(1, |cpus| cpus.len());
        let (rate, faults, stack): (Rate, &[u64], u32) = match followed {
            Followed::Objects { .. } => (OF_OBJECTS, FAULT_PERIODS, STACK),
            Followed::Loops => (OF_LOOPS, &[], 0),
        };
        let period = period.unwrap_or_else(|| affordable(&measured.time_sample, cpus, rate));
        let settings = SamplerSettings { period, faults, stack, begins_with_exec: true };
        let mut sampler = Sampler::open(&settings)?;
        let loads = match followed {
            Followed::Objects { .. } => add_loads(&mut sampler),
            Followed::Loops => Err(OF_SURVEY.to_owned()),
        };
        let calibrated = Calibrated { period, measured: Some(measured), obstacle: None, loads };
        Ok(Sampling { calibrated, sampler: Some(sampler) })
    }

    pub fn notice(&self) -> Option<Notice> {
        let problem = self.calibrated.obstacle.clone()?;
        Some(ObjectsNotice::SampledInside { problem }.into())
    }

    /// What the library in the program is to do; nothing where it is not needed.
    pub fn heap_settings(&self, followed: Followed) -> Option<HeapSettings> {
        let rate = 1_000_000_000 / self.calibrated.period.0.max(1);
        let timer = self.sampler.is_none().then_some(rate.clamp(1, MOST_TIMER_SAMPLES));
        match followed {
            Followed::Objects { least } => Some(HeapSettings { least: Some(least), drawn: None, timer }),
            Followed::Loops => timer.map(|timer| HeapSettings {
                least: Some(followed.least()),
                drawn: Some(Bytes(0)),
                timer: Some(timer),
            }),
        }
    }

    pub fn into_parts(self) -> (Calibrated, Option<Sampler>) {
        (self.calibrated, self.sampler)
    }
}

/// Has the processor sample loads too, where it can.
fn add_loads(sampler: &mut Sampler) -> Result<(LoadSampler, u64), String> {
    let events = load_events(&Roots::live()).map_err(|error| error.to_string())?;
    let first = events.first().ok_or("no core has an event that samples loads")?;
    let by = match first.counts {
        LoadEventCounts::Loads(least) => LoadSampler::MemLoads { least },
        LoadEventCounts::Cycles => LoadSampler::Ibs,
        LoadEventCounts::Operations { least, .. } => LoadSampler::Spe { least },
    };
    sampler.add_loads(&events, true).map_err(|obstacle| not_for_us("loads", &obstacle.to_string()))?;
    Ok((by, first.period))
}

fn not_for_us(what: &str, problem: &str) -> String {
    format!("the kernel does not sample {what} for us: {problem}")
}

/// The shortest period that costs a thread no more than that, and with which one of ours can follow a program that has all these CPUs.
fn affordable(sample: &Reading<Nanoseconds>, cpus: usize, rate: Rate) -> Nanoseconds {
    let followed = Nanoseconds(FOLLOWED.0.saturating_mul(cpus as u64));
    let of_thread = match sample.measured() {
        Some(cost) => {
            let both = cost.0.saturating_add(FOLLOWING.0);
            Nanoseconds((both as f64 / rate.cost) as u64).clamp(SHORTEST, rate.longest)
        }
        None => rate.longest,
    };
    of_thread.max(followed)
}

impl Calibrated {
    pub fn method(&self) -> AccessMethod {
        if self.skid().is_one_instruction() { AccessMethod::Waited } else { AccessMethod::Passes }
    }

    /// How often page faults are to be sampled.
    pub fn fault_period(&self) -> FaultPeriod {
        FaultPeriod::new(
            self.measured.as_ref().and_then(|measured| measured.fault_sample.measured().copied()),
        )
    }

    fn skid(&self) -> Skid {
        self.measured.as_ref().map(|measured| measured.skid).unwrap_or_default()
    }
}

/// How the run was watched.
pub fn watching(
    followed: Followed,
    calibrated: &Calibrated,
    watched: &WatchedObjects,
    notices: &mut Vec<Notice>,
) -> ObjectWatching {
    let (counts, log, kernel) = (&watched.fed.tracked.counts, watched.fed.log, watched.fed.kernel);
    let is_survey = followed == Followed::Loops;
    if log.processes == 0 && !(is_survey && calibrated.obstacle.is_none()) {
        notices.push(ObjectsNotice::NothingLogged.into());
    }
    let sandboxed = watched.fed.own.sandboxed;
    if sandboxed > 0 {
        notices.push(ObjectsNotice::ObjectsSandboxed { count: sandboxed }.into());
    }
    if kernel.lost > 0 {
        notices.push(ObjectsNotice::RecordsLost { count: kernel.lost }.into());
    }
    let time = TimeSamples {
        period: calibrated.period,
        samples: counts.time_samples,
        with_memory: counts.with_memory,
        unknown_address: counts.unknown_address,
        spinning: counts.spinning,
        lost: kernel.lost + watched.fed.own.lost,
        skid: calibrated.skid(),
        method: calibrated.method(),
    };
    let faults = match &calibrated.obstacle {
        _ if is_survey => Reading::unavailable(OF_SURVEY),
        None => Reading::Measured(watched.fed.faults(TouchMethod::Faults)),
        Some(_) if watched.fed.own.samples > 0 => Reading::Measured(watched.fed.faults(TouchMethod::Counted)),
        Some(problem) => Reading::unavailable(format!(
            "{}; and no thread could be sampled from within",
            not_for_us("page faults", problem)
        )),
    };
    let loads = match &calibrated.loads {
        Ok((sampler, period)) => Reading::Measured(LoadSamples {
            sampler: *sampler,
            period: *period,
            samples: counts.load_samples,
            without_address: counts.loads_without_address,
        }),
        Err(reason) => Reading::unavailable(reason.clone()),
    };
    ObjectWatching {
        least: followed.least(),
        allocations: if is_survey {
            Reading::unavailable(OF_SURVEY)
        } else if log.processes == 0 {
            Reading::unavailable("no process of the program had the library loaded")
        } else {
            Reading::Measured(log)
        },
        time: Reading::Measured(time),
        faults,
        loads,
        cost: cost(calibrated, watched),
        own_time: Reading::Measured(watched.cost),
        page_size: Reading::Measured(page_size()),
    }
}

/// What watching took of the program's time: by each sample, and by what the library in it measured of itself.
fn cost(calibrated: &Calibrated, watched: &WatchedObjects) -> Reading<Nanoseconds> {
    let Some(measured) = &calibrated.measured else {
        return Reading::unavailable("what a sample costs could not be measured");
    };
    let counts = &watched.fed.tracked.counts;
    let logged = watched.fed.log_spent.0;
    let of = |samples: u64, each: &Reading<Nanoseconds>| match samples {
        0 => Reading::Measured(Nanoseconds(0)),
        samples => each.clone().map(|each| Nanoseconds(samples * each.0)),
    };
    // Without the kernel's samples page faults are counted in those of time.
    let fault_samples =
        if calibrated.obstacle.is_none() { counts.fault_samples + counts.again_samples } else { 0 };
    // A sample of a load has no copy of the stack: it costs no more than one of time, and nothing where the processor writes it down itself.
    let interrupts = match calibrated.loads {
        Ok((LoadSampler::Spe { .. }, _)) => 0,
        _ => counts.load_interrupts,
    };
    of(counts.time_samples + interrupts, &measured.time_sample)
        .zip(of(fault_samples, &measured.fault_sample))
        .map(|(time, faults)| Nanoseconds(time.0 + faults.0 + logged))
}

/// A run of which nothing is known.
pub fn not_watched(least: Bytes, problem: &str) -> ObjectWatching {
    let reason = || problem.to_owned();
    ObjectWatching {
        least,
        allocations: Reading::unavailable(reason()),
        time: Reading::unavailable(reason()),
        faults: Reading::unavailable(reason()),
        loads: Reading::unavailable(reason()),
        cost: Reading::unavailable(reason()),
        own_time: Reading::unavailable(reason()),
        page_size: Reading::Measured(page_size()),
    }
}
