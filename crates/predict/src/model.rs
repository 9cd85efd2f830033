//! The model: what a program does, on what a machine gives, is a time. `docs/prediction.md` has the formulas.

use crate::capacity::{Capacities, Source};
use crate::shape::{ByPattern, ByteSource, Load, PATTERNS, Part, PointShape};

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;

/// So many figures describe a program, and what is not known of the machine.
pub const FIGURES: usize = 25;

/// The figures of a fit as deviations from what is likely before any run, in standard deviations.
pub type Deviations = [f64; FIGURES];

/// How sharp the limit is between the threads that a program has and those that may work at a time.
const AT_LIMIT: f64 = 4.0;

/// What a program is like, and how far the machine's figures are off for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Program {
    /// With one thread and local memory.
    pub time: f64,
    pub serial: f64,
    /// How much of the serial part waits for memory as the shared part does.
    pub serial_memory: f64,
    /// Of the work that threads share: what waits for single loads.
    pub latency: f64,
    /// Of the bandwidth that one core takes, the part that a thread uses.
    pub bandwidth: f64,
    /// 1: it computes or loads; large: both at once.
    pub overlap: f64,
    pub patterns: ByPattern,
    /// What each further thread costs, as a share of the time with one thread.
    pub sync: f64,
    pub sync_exponent: f64,
    /// How much the work of equal threads differs, and whether it does so more the more threads there are: towards 0 with the logarithm of their
    /// number, with 1 up to a limit.
    pub imbalance: f64,
    pub imbalance_exponent: f64,
    /// No more threads than these are at work at a time: a lock, a quota, CPUs that others use.
    pub limit: f64,
    /// Of what goes to memory, the part that caches of enough cores hold; how many cores have half of it, and how suddenly.
    pub held: f64,
    pub holding: f64,
    pub suddenness: f64,
    /// 1: the slowest thread decides; 0: work goes to whoever is free.
    pub is_static: f64,
    /// What a second thread on a core brings.
    pub smt: f64,
    /// How much slower cores are when all are busy.
    pub turbo: f64,
    pub saturating: f64,
    pub link: f64,
    pub latency_exponent: f64,
    /// How sharp the limit is between parts of which one is full: with 4 two that are equally full cost 19 % more than one.
    pub sharpness: f64,
    /// How much of the latency to remote memory one core's bandwidth loses.
    pub core_latency: f64,
    /// Standard deviation of the logarithm of what the model leaves out.
    pub sigma: f64,
}

fn logistic(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

/// How far figures of the machine may be off, by where they are from: logarithms.
fn spread(source: Source) -> f64 {
    match source {
        Source::Measured => 0.1,
        Source::Declared => 0.3,
        Source::Guessed => 0.6,
    }
}

/// How far what a node gives to a mix of reads and writes is from what it gives to reads: a logarithm.
const OF_MIX: f64 = 0.25;

/// What is likely before any run; the reasons stand in `docs/prediction.md`.
#[derive(Debug, Clone, Copy)]
pub struct Prior {
    /// Logarithm of the time with one thread, roughly.
    pub time: f64,
    saturating: f64,
    cores: f64,
    spreads: [f64; 2],
}

impl Prior {
    pub fn new(machine: &Capacities, time: f64) -> Prior {
        let remote = machine.pairs.iter().flatten().map(|pair| pair.bandwidth.source).max();
        Prior {
            time,
            saturating: machine.saturating.value,
            cores: machine.cores.max(1) as f64,
            // It is measured for reads, and a program that writes too takes more of a node, or less.
            spreads: [
                spread(machine.saturating.source).max(OF_MIX),
                spread(remote.unwrap_or(Source::Guessed)),
            ],
        }
    }

    pub fn program(&self, z: &Deviations) -> Program {
        let (own, all) = (-1.0 + 1.8 * z[5], -1.5 + 1.8 * z[6]);
        let sum = 1.0 + own.exp() + all.exp();
        Program {
            time: (self.time + 2.0 * z[0]).exp(),
            serial: logistic(-3.5 + 1.8 * z[1]),
            serial_memory: logistic(1.5 * z[18]),
            latency: logistic(-1.5 + 1.8 * z[2]),
            bandwidth: logistic(-0.5 + 1.8 * z[3]),
            overlap: 1.0 + (0.5 + z[4]).exp(),
            patterns: [1.0 / sum, own.exp() / sum, all.exp() / sum],
            sync: (-7.0 + 2.5 * z[7]).exp(),
            sync_exponent: 0.2 + 1.2 * logistic(0.3 + z[8]),
            imbalance: (-3.5 + z[9]).exp(),
            imbalance_exponent: 0.2 + logistic(z[19]),
            limit: 3.0 * self.cores * (1.2 * z[20]).exp(),
            held: logistic(-3.0 + 2.0 * z[21]),
            holding: 0.5 * self.cores * z[22].exp(),
            suddenness: (1.0 + 0.6 * z[23]).exp(),
            is_static: logistic(1.0 + 1.5 * z[10]),
            smt: logistic(-1.0 + 0.8 * z[11]),
            turbo: (-3.2 + 0.8 * z[12]).exp(),
            saturating: self.saturating * (self.spreads[0] * z[13]).exp(),
            link: (self.spreads[1] * z[14]).exp(),
            latency_exponent: (self.spreads[1] * z[15]).exp(),
            core_latency: logistic(1.5 * z[16]),
            sharpness: 2.0 + (1.0 + 0.8 * z[24]).exp(),
            sigma: (-3.9 + 0.8 * z[17]).exp(),
        }
    }
}

/// What a time is made of; the shares add up to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    pub time: f64,
    pub serial: f64,
    pub compute: f64,
    pub latency: f64,
    pub limit: f64,
    pub core: f64,
    pub memory: f64,
    pub link: f64,
    pub sync: f64,
    pub fullest_memory: Option<Part>,
    pub fullest_link: Option<Part>,
}

fn mean(of: &ByPattern, weights: &ByPattern) -> f64 {
    (0..PATTERNS).map(|pattern| of[pattern] * weights[pattern]).sum()
}

fn fullest(loads: &[Load], weights: &ByPattern) -> (f64, Option<Part>) {
    loads.iter().fold((0.0, None), |most, load| {
        let time = mean(&load.time, weights);
        if time > most.0 { (time, Some(load.part)) } else { most }
    })
}

/// Parts of a time before they are shares.
struct Raw {
    serial: f64,
    compute: f64,
    latency: f64,
    /// What a limit of threads adds to the last two.
    limit: f64,
    core: f64,
    memory: (f64, Option<Part>),
    link: (f64, Option<Part>),
    sync: f64,
}

impl Raw {
    fn busy(&self) -> f64 {
        self.compute + self.latency + self.limit
    }
}

impl Program {
    /// How fast a thread is that shares its core with others.
    fn speed(&self, per_core: f64) -> f64 {
        if per_core <= 1.0 { 1.0 } else { (1.0 + self.smt * per_core.log2()) / per_core }
    }

    /// What caches leave of the accesses of one core to memory, where so many cores have a part each.
    fn missed(&self, cores: f64) -> f64 {
        let at = |cores: f64| 1.0 - self.held / (1.0 + (self.holding / cores).powf(self.suddenness));
        at(cores) / at(1.0)
    }

    /// The time of a core for its bytes, one source after the other: none gives more than its way lets through.
    fn bytes_of_core(&self, sources: &[ByteSource]) -> f64 {
        let of = |source: &ByteSource| {
            let latency = source.latency.powf(self.latency_exponent * self.core_latency);
            mean(&source.shares, &self.patterns) * latency.max(source.way / self.saturating / self.link)
        };
        sources.iter().map(of).sum()
    }

    /// By how much the thread with the most work has more than the mean.
    fn uneven(&self, n: f64) -> f64 {
        let e = self.imbalance_exponent;
        1.0 + self.imbalance * (1.0 - n.powf(-e)) / e
    }

    /// How much longer the shared work would take one thread with its memory there than with local memory.
    fn slower_alone(&self, shape: &PointShape, one: f64) -> f64 {
        let latency = mean(&shape.first.0, &self.patterns).powf(self.latency_exponent);
        let way = mean(&shape.first.1, &self.patterns) / self.saturating / self.link;
        let busy = (1.0 - self.bandwidth) * (1.0 - self.latency + self.latency * latency);
        let load = self.bandwidth * latency.powf(self.core_latency).max(way);
        (busy.powf(self.overlap) + load.powf(self.overlap)).powf(1.0 / self.overlap) / one
    }

    fn raw(&self, shape: &PointShape) -> Raw {
        let n = shape.threads;
        let one = (self.bandwidth.powf(self.overlap) + (1.0 - self.bandwidth).powf(self.overlap))
            .powf(1.0 / self.overlap);
        let work = self.time * (1.0 - self.serial) / one;
        let (mut slowest, mut speeds, mut worst, mut latencies, mut core, mut cores, mut rates) =
            (f64::INFINITY, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for group in &shape.groups {
            let latency = mean(&group.latency, &self.patterns).powf(self.latency_exponent);
            let speed = self.speed(group.per_core);
            slowest = speed.min(slowest);
            speeds += speed * group.threads;
            cores += group.threads / group.per_core.max(1.0);
            worst = latency.max(worst);
            latencies += latency * group.threads;
            let own = self.bytes_of_core(&group.sources) * group.per_core.max(1.0) / n;
            core = own.max(core);
            rates +=
                group.threads / n / own.max(mean(&group.link, &self.patterns) / self.saturating / self.link);
        }
        let mixed = |slowest: f64, mean: f64| self.is_static * slowest + (1.0 - self.is_static) * mean;
        let effective = mixed(n * slowest, speeds);
        let (uneven, missed) = (self.uneven(n), self.missed(cores));
        let limited = (1.0 + (n / self.limit).powf(AT_LIMIT)).powf(1.0 / AT_LIMIT);
        let computing = work * (1.0 - self.bandwidth);
        let compute =
            computing * (1.0 - self.latency) / effective * (1.0 + self.turbo * shape.active_cores) * uneven;
        let latency = computing * self.latency / n * mixed(worst, latencies / n) * uneven * missed;
        let bytes = work * self.bandwidth * missed;
        let (memory, at) = fullest(&shape.memories, &self.patterns);
        let (link, over) = fullest(&shape.links, &self.patterns);
        let over_link = link / self.saturating / self.link;
        Raw {
            serial: self.time
                * self.serial
                * (1.0 + self.serial_memory * (self.slower_alone(shape, one) - 1.0)),
            compute,
            latency,
            limit: (compute + latency) * (limited - 1.0),
            core: bytes * mixed(core, core.min(1.0 / rates)),
            memory: (bytes * memory / self.saturating, at),
            link: (bytes * mixed(over_link, over_link.min(1.0 / rates)), over),
            sync: self.time
                * self.sync
                * shape.apart.powf(self.latency_exponent)
                * (n.powf(self.sync_exponent) - 1.0),
        }
    }

    /// Of what is full, the sum that is joined; and powers of what computes and of what loads, which overlap.
    fn joined(&self, raw: &Raw) -> (f64, [f64; 2]) {
        let power = |part: f64| part.powf(self.sharpness);
        let loads = power(raw.core) + power(raw.memory.0) + power(raw.link.0);
        let loading = loads.powf(1.0 / self.sharpness);
        (loads, [raw.busy(), loading].map(|part| part.powf(self.overlap)))
    }

    /// The time of a point.
    pub fn time(&self, shape: &PointShape) -> f64 {
        let raw = self.raw(shape);
        let (_, [computing, loading]) = self.joined(&raw);
        raw.serial + (computing + loading).powf(1.0 / self.overlap) + raw.sync
    }

    /// The same with what it is made of.
    pub fn terms(&self, shape: &PointShape) -> Terms {
        let raw = self.raw(shape);
        let (loads, [computing, loading]) = self.joined(&raw);
        let (busy, both) = (raw.busy(), computing + loading);
        let shared = both.powf(1.0 / self.overlap);
        let time = raw.serial + shared + raw.sync;
        let part = |of: f64, all: f64| if all > 0.0 { of / all } else { 0.0 };
        let of_busy = part(shared, time) * part(computing, both);
        let of_loads = part(shared, time) * part(loading, both);
        let of_part = |one: f64| of_loads * part(one.powf(self.sharpness), loads);
        Terms {
            time,
            serial: part(raw.serial, time),
            compute: of_busy * part(raw.compute, busy),
            latency: of_busy * part(raw.latency, busy),
            limit: of_busy * part(raw.limit, busy),
            core: of_part(raw.core),
            memory: of_part(raw.memory.0),
            link: of_part(raw.link.0),
            sync: part(raw.sync, time),
            fullest_memory: raw.memory.1,
            fullest_link: raw.link.1,
        }
    }
}
