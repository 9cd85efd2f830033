//! How threads go through a loop, by the registers of samples: how often from its begin to its end, how fast, and over which memory.

use numawise_facts::Reading;
use numawise_facts::objects::{LoopAccess, LoopPass, LoopSpeed, LoopTrips, PassCount};
use numawise_linux::calls::pages::page_nodes;
use numawise_operands::{
    Architecture, Course, CourseAccess, Direction, Listing, Nest, NoCounter, NoPassCount, Registers, Stride,
    Work,
};
use numawise_units::{Arrange, Nanoseconds, NodeId, Pid};

use super::super::input::{Code, LoadedVariable};

#[cfg(test)]
#[path = "passing_tests.rs"]
mod tests;

/// Accesses of a loop whose addresses are followed.
const MOST_ACCESSES: usize = 64;
/// Of fewer samples nothing is said of passes.
const LEAST_SAMPLES: u64 = 30;
/// Of fewer samples nobody can say whether numbers are equally frequent.
const LEAST_LEFT: u64 = 100;
/// Standard deviations that chance makes at most, nearly always.
const CHANCE: f64 = 4.0;
/// Of the 95 % interval of a mean.
const NORMAL: f64 = 1.96;
/// Pairs of samples that are kept.
const MOST_PAIRS: usize = 20_000;
const LEAST_PAIRS: usize = 20;

/// What samples say of a loop.
#[derive(Debug, Default)]
pub struct Passing {
    /// Nothing where it is no innermost loop.
    course: Option<Course>,
    whole: Whole,
    left: Left,
    samples: u64,
    seen: Vec<Seen>,
    /// The last sample of each thread, by its number.
    last: Vec<Option<LastSample>>,
    /// By how many passes are left.
    left_speeds: Speeds,
    /// CPU time from sample to sample.
    period: Nanoseconds,
}

/// A sample: its number among those of the thread, and how many passes were left.
#[derive(Debug, Clone, Copy)]
struct LastSample {
    number: u64,
    left: Option<u64>,
}

/// Passes in a second from sample to sample.
#[derive(Debug, Default)]
struct Speeds {
    of_pairs: Vec<f64>,
    /// Pairs of samples between which it began anew.
    anew: usize,
}

/// Sums of whole numbers of passes.
#[derive(Debug, Default)]
struct Whole {
    samples: u64,
    sum: f64,
    inverse: f64,
    inverse_squares: f64,
    least: u64,
    most: u64,
}

/// Sums of numbers of passes that are left.
#[derive(Debug, Default)]
struct Left {
    samples: u64,
    sum: f64,
    squares: f64,
    most: u64,
}

/// Addresses of an access.
#[derive(Debug, Default, Clone)]
struct Seen {
    addresses: Option<(u64, u64)>,
    stride: Option<i64>,
    differs: bool,
    variable: Option<String>,
    nodes: Vec<NodeId>,
}

impl Passing {
    pub fn of(
        architecture: Architecture,
        code: (&Listing, &[Option<Work>]),
        nest: &Nest,
        number: usize,
    ) -> Passing {
        let course = Course::of(architecture, code, nest, number).ok();
        let accesses = course.as_ref().map_or(0, |course| course.accesses.len().min(MOST_ACCESSES));
        Passing { course, seen: vec![Seen::default(); accesses], ..Passing::default() }
    }

    pub fn sample(
        &mut self,
        step: usize,
        (process, registers): (Pid, &Registers),
        (thread, sample, period): (u32, u64, Nanoseconds),
    ) {
        let Some(course) = &self.course else { return };
        let moment = course.moment(step, registers);
        let left = moment.left();
        if let Some(all) = moment.trips().filter(|all| *all > 0) {
            self.whole.add(all);
        } else if let Some(left) = left {
            self.left.add(left);
        }
        for (of, seen) in course.accesses.iter().zip(&mut self.seen) {
            seen.add(moment.place(of), moment.stride(of));
        }
        self.samples += 1;
        // Ever more seldom: pages stay where they are, mostly.
        if self.samples.is_power_of_two() {
            let places = course.accesses.iter().map(|of| moment.place(of));
            look(process, places, &mut self.seen);
        }
        let thread = thread as usize;
        self.last.resize(self.last.len().max(thread + 1), None);
        let Some(before) = self.last[thread].replace(LastSample { number: sample, left }) else {
            return;
        };
        // Samples of a thread are as much of its CPU time apart, however long it waited for a CPU.
        if sample != before.number + 1 {
            return;
        }
        let span = period.0;
        self.period = period;
        if let (Some(before), Some(left)) = (before.left, left) {
            self.left_speeds.add(before.checked_sub(left), span);
        }
    }

    /// The variables that its accesses are in.
    pub fn name(&mut self, process: Pid, code: &mut dyn Code, known: &mut Vec<LoadedVariable>) {
        for seen in &mut self.seen {
            let Some((address, _)) = seen.addresses.filter(|_| seen.variable.is_none()) else { continue };
            known.extend(code.variables_near(process, address));
            let of = known.iter().find(|of| (of.address..of.address + of.bytes).contains(&address));
            seen.variable = of.map(|of| of.name.clone());
        }
    }

    /// What a pass does; `samples`: of an instruction.
    pub fn pass(&self, samples: &dyn Fn(usize) -> u64) -> Reading<LoopPass> {
        let Some(course) = &self.course else { return Reading::unavailable(NOT_INNERMOST) };
        let counts = match &course.counts {
            Ok(counts) => counts,
            Err(NoPassCount::Calls) => {
                return Reading::unavailable("it calls functions, whose instructions are not its own");
            }
            Err(NoPassCount::Repeats) => {
                return Reading::unavailable(
                    "an instruction in it goes over as much memory as registers say",
                );
            }
            Err(NoPassCount::LengthUnknown) => {
                return Reading::unavailable("the length of its vectors is not in its instructions");
            }
        };
        let mean = match counts.likely(samples) {
            Some(mean) => Reading::Measured(count(&mean)),
            None => Reading::unavailable(
                "several ways lead through it or masks leave elements out, and samples do not say how often",
            ),
        };
        Reading::Measured(LoopPass { mean, least: count(&counts.least), most: count(&counts.most) })
    }

    pub fn trips(&self) -> Reading<LoopTrips> {
        let Some(course) = &self.course else { return Reading::unavailable(NOT_INNERMOST) };
        match course.no_counter() {
            Some(NoCounter::SeveralExits) => return Reading::unavailable("it can be left at several places"),
            Some(NoCounter::ByData) => {
                return Reading::unavailable(
                    "it ends by what it loads or computes, not by a count in registers",
                );
            }
            None => {}
        }
        if self.whole.samples >= LEAST_SAMPLES {
            return Reading::Measured(self.whole.trips());
        }
        self.left.trips()
    }

    /// By the passes that are left, where the loop goes on from sample to sample.
    pub fn speed(&self) -> Reading<LoopSpeed> {
        let is_long = self.left_speeds.anew * 3 <= self.left_speeds.of_pairs.len();
        match (self.left_speeds.median().filter(|_| is_long), self.trips()) {
            (Some(speed), Reading::Measured(trips)) => Reading::Measured(LoopSpeed {
                again: trips.least as f64 * 1e9 / self.period.0.max(1) as f64,
                ..speed
            }),
            _ if self.last.is_empty() => Reading::unavailable("it was not sampled itself"),
            _ => Reading::unavailable("it begins anew from sample to sample, or is left too soon"),
        }
    }

    /// `address`: of an instruction, in its file.
    pub fn accesses(&self, address: impl Fn(usize) -> u64) -> Vec<LoopAccess> {
        let all = self.course.iter().flat_map(|course| &course.accesses);
        all.zip(&self.seen).map(|(of, seen)| access(of, seen, address(of.step))).collect()
    }
}

const NOT_INNERMOST: &str = "loops lie inside of it, or it was not sampled itself";

/// Asks the kernel on which nodes accesses are; of a process that is gone it says nothing.
fn look(process: Pid, places: impl Iterator<Item = Option<u64>>, seen: &mut [Seen]) {
    let all = places.zip(seen).filter_map(|(place, seen)| Some((place? as usize, seen)));
    let (addresses, seen): (Vec<usize>, Vec<&mut Seen>) = all.unzip();
    let mut nodes = vec![-1; addresses.len()];
    if !addresses.is_empty() && page_nodes(process, &addresses, &mut nodes).is_ok() {
        for (seen, node) in seen.into_iter().zip(nodes) {
            let node = u32::try_from(node).ok().map(NodeId);
            let is_new = |node: &NodeId| !seen.nodes.contains(node);
            let node = node.filter(is_new);
            seen.nodes.extend(node);
        }
    }
}

fn count(of: &numawise_operands::PassCount) -> PassCount {
    PassCount {
        loaded: of.loaded,
        stored: of.stored,
        stack_loaded: of.stack_loaded,
        stack_stored: of.stack_stored,
        fixed: of.fixed,
        double: of.double,
        single: of.single,
        half: of.half,
        instructions: of.instructions,
    }
}

fn access(of: &CourseAccess, seen: &Seen, address: u64) -> LoopAccess {
    let stride = match (of.stride, seen.stride) {
        (Stride::Constant(bytes), _) => Reading::Measured(bytes),
        (Stride::ByRegister, Some(bytes)) if !seen.differs => Reading::Measured(bytes),
        (Stride::ByRegister, Some(_)) => Reading::unavailable("it differs from time to time"),
        (Stride::ByRegister, None) => Reading::unavailable("no sample says it"),
        (Stride::Irregular, _) if of.elements > 1 => Reading::unavailable("its elements are gathered"),
        (Stride::Irregular, _) => Reading::unavailable("its address is loaded or computed anew in each pass"),
    };
    LoopAccess {
        address,
        reads: of.direction != Direction::Write,
        writes: of.direction != Direction::Read,
        bytes: of.bytes,
        elements: of.elements,
        stride,
        stream: of.stream,
        offset: of.offset,
        is_of_stack: of.is_of_stack,
        seen: match seen.addresses {
            Some(seen) => Reading::Measured(seen),
            None => Reading::unavailable("no sample says its address"),
        },
        variable: match &seen.variable {
            Some(name) => Reading::Measured(name.clone()),
            None => Reading::unavailable("it is no large variable: allocated, or on the stack"),
        },
        nodes: seen.nodes.clone(),
    }
}

impl Speeds {
    fn add(&mut self, passed: Option<u64>, span: u64) {
        match passed.filter(|passed| *passed > 0) {
            Some(passed) if self.of_pairs.len() < MOST_PAIRS => {
                self.of_pairs.push(passed as f64 * 1e9 / span as f64);
            }
            Some(_) => {}
            None => self.anew += 1,
        }
    }

    fn median(&self) -> Option<LoopSpeed> {
        let mut speeds = self.of_pairs.clone();
        speeds.arrange_by(f64::total_cmp);
        let quartile = |quarter: usize| speeds[(speeds.len() - 1) * quarter / 4];
        (speeds.len() >= LEAST_PAIRS).then(|| LoopSpeed {
            passes: quartile(2),
            low: quartile(1),
            high: quartile(3),
            again: 0.0,
            pairs: speeds.len() as u64,
        })
    }
}

impl Seen {
    fn add(&mut self, address: Option<u64>, stride: Option<i64>) {
        if let Some(address) = address {
            let (low, high) = self.addresses.unwrap_or((address, address));
            self.addresses = Some((low.min(address), high.max(address)));
        }
        self.differs |= stride.is_some() && self.stride.is_some() && stride != self.stride;
        self.stride = stride.or(self.stride);
    }
}

impl Whole {
    fn add(&mut self, all: u64) {
        self.least = if self.samples == 0 { all } else { self.least.min(all) };
        self.most = self.most.max(all);
        self.samples += 1;
        self.sum += all as f64;
        self.inverse += 1.0 / all as f64;
        self.inverse_squares += 1.0 / all as f64 / all as f64;
    }

    /// A sample meets a loop with N passes N times as often as one with a single pass, so that each counts 1 / N (Cox, Some sampling problems
    /// in technology, 1969): the mean is n / sum(1 / N), the mean of squares sum(N) / sum(1 / N).
    fn trips(&self) -> LoopTrips {
        let mean = self.samples as f64 / self.inverse;
        let variance = (self.sum / self.inverse - mean * mean).max(0.0);
        // What is left of rounding.
        let deviation = if self.least == self.most { 0.0 } else { variance.sqrt() };
        // Of the mean of 1 / N, as a part of it.
        let n = self.samples as f64;
        let spread = (self.inverse_squares / n - (self.inverse / n).powi(2)).max(0.0).sqrt();
        let error = if deviation > 0.0 { NORMAL * spread / n.sqrt() / (self.inverse / n) } else { 0.0 };
        let low = (mean / (1.0 + error)).max(self.least as f64);
        let high = if error < 1.0 { mean / (1.0 - error) } else { f64::INFINITY }.min(self.most as f64);
        LoopTrips { mean, low, high, deviation, least: self.least, most: self.most, samples: self.samples }
    }
}

impl Left {
    fn add(&mut self, left: u64) {
        self.samples += 1;
        self.sum += left as f64;
        self.squares += (left as f64) * (left as f64);
        self.most = self.most.max(left);
    }

    /// At a random moment of a loop with N passes, each number from 0 to N - 1 is as likely to be left. Where all are so, N is the greatest
    /// that was seen and 1, and the n-th part of it more. Where they are not, numbers of passes differ: what is left then says no mean.
    fn trips(&self) -> Reading<LoopTrips> {
        let n = self.samples as f64;
        if self.samples < LEAST_LEFT {
            return Reading::unavailable(format!(
                "only {} samples say how many passes are left; {LEAST_LEFT} are needed",
                self.samples
            ));
        }
        let mean = self.most as f64 + 1.0 + self.most as f64 / n;
        let (middle, variance) = ((mean - 1.0) / 2.0, (mean * mean - 1.0) / 12.0);
        let found = self.sum / n;
        let found_variance = self.squares / n - found * found;
        let is_near = |found: f64, expected: f64, deviation: f64| {
            (found - expected).abs() <= CHANCE * deviation + mean / n
        };
        let is_even = is_near(found, middle, (variance / n).sqrt())
            && is_near(found_variance.sqrt(), variance.sqrt(), (variance * 0.2 / n).sqrt());
        if !is_even {
            return Reading::unavailable(
                "where it begins is not in registers any more, and its numbers of passes differ",
            );
        }
        let most = mean.round() as u64;
        let low = self.most as f64 + 1.0;
        // With 95 % the greatest of n is at least 0.05^(1 / n) of all.
        let high = low / 0.05_f64.powf(1.0 / n);
        let samples = self.samples;
        Reading::Measured(LoopTrips { mean, low, high, deviation: 0.0, least: most, most, samples })
    }
}
