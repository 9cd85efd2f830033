//! One measurement from its first step to its last: memory that is held, time that is left, cells that get filled.

#[cfg(test)]
#[path = "measurement_tests.rs"]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use numawise_facts::notice::{BufferLimit, MembenchNotice};
use numawise_facts::{
    BufferPages, Estimate, Event, Machine, MeasurementStep, Notice, Profile, Reading, Sink,
};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, NodeSet};

use crate::buffer::{Buffer, Effort, PagesRequest, Placing, placing};
use crate::error::CellError;
use crate::layout::Layout;
use crate::plan::{Experiment, MeasurementPlan, PlannedStep};
use crate::repeats::Outcome;
use crate::ring::{RingShape, Track};
use crate::schedule::Schedule;
use crate::speed::Speeds;
use crate::system::System;
use crate::team::TeamResult;
use crate::{MeasurementRequest, MembenchError, clock, empty_profile, sizes};

/// The share of all the time that getting memory may take, however little memory that is then.
const READY_SHARE: f64 = 0.25;
/// Others that use more of the machine than this, in CPUs, are worth a notice.
const OTHERS_WORTH_A_NOTICE: f64 = 0.1;

pub(crate) struct Measurement<'a> {
    pub machine: &'a Machine,
    pub request: &'a MeasurementRequest,
    pub stop: &'a AtomicBool,
    pub system: System,
    pub layout: Layout,
    pub profile: Profile,
    /// Memory that is held, by ascending node.
    pub buffers: Vec<Buffer>,
    /// Memory in base pages.
    pub base: Option<Buffer>,
    /// Why there is none of a node.
    refused: Vec<(NodeId, CellError)>,
    /// Whether what is held is as it was filled.
    pub unmodified: bool,
    /// The rings that the one held buffer has.
    pub rings: Vec<HeldRing>,
    /// As so many buffers, each in another place, a node's memory is had where there is enough of it.
    parts: usize,
    /// Seconds that the present step may take.
    pub allowance: f64,
    pub placing: Placing,
    /// Seconds, and the CPUs that others used meanwhile.
    others: Vec<(f64, f64)>,
    /// Steps that had too few quiet repetitions.
    disturbed: Vec<MeasurementStep>,
    current: Option<MeasurementStep>,
    speeds: Speeds,
    /// Seconds that getting a node's memory may take in any case.
    patience: f64,
}

/// A ring that is linked, and how far it was gone through.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeldRing {
    pub part: RingPart,
    pub shape: RingShape,
    pub track: Track,
}

/// The lines of a buffer that a ring is linked in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RingPart {
    pub from: usize,
    pub lines: usize,
}

impl RingPart {
    pub fn overlaps(self, other: RingPart) -> bool {
        self.from < other.from + other.lines && other.from < self.from + self.lines
    }
}

pub fn run(
    machine: &Machine,
    request: &MeasurementRequest,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<Profile, MembenchError> {
    run_within(TimeLimits { share: 1.0, patience: 1.0 }, machine, request, sink, stop)
}

/// What a measurement has of the time that is promised.
#[derive(Debug, Clone, Copy)]
struct TimeLimits {
    /// Steps are planned for this share of it: tests have less.
    share: f64,
    /// After so many times of it steps are left out, and no more memory is got: in tests never, however slow the machine is.
    patience: f64,
}

/// The same within these limits.
fn run_within(
    limits: TimeLimits,
    machine: &Machine,
    request: &MeasurementRequest,
    sink: &mut dyn Sink,
    stop: &AtomicBool,
) -> Result<Profile, MembenchError> {
    let layout = Layout::of(machine, request);
    nothing(&layout)?;
    let plan = MeasurementPlan::with(&layout, request).shortened(limits.share);
    let mut measurement = Measurement {
        profile: empty_profile::of(machine, &layout, request, &plan),
        machine,
        request,
        stop,
        system: System::live(),
        buffers: Vec::new(),
        base: None,
        refused: Vec::new(),
        unmodified: false,
        rings: Vec::new(),
        parts: plan.parts,
        allowance: 0.0,
        placing: Placing::Bound,
        others: Vec::new(),
        disturbed: Vec::new(),
        current: None,
        speeds: Speeds::default(),
        patience: plan.budget.seconds() * READY_SHARE * limits.patience / plan.buffers().max(1) as f64,
        layout,
    };
    measurement.prepare();
    let taken = SystemTime::now().duration_since(UNIX_EPOCH);
    measurement.profile.header.taken =
        Reading::from(taken.map(|since| since.as_secs()).map_err(|_| "the clock is before 1970"));
    let began = clock::now();
    let schedule =
        Schedule::new(plan.budget.seconds(), plan.budget.seconds() / limits.share * limits.patience);
    let complete = measurement.steps(plan, schedule, began, sink);
    if complete {
        measurement.core_peaks();
    }
    measurement.profile.header.complete = complete && !stop.load(Relaxed);
    measurement.profile.header.took = Reading::Measured(Nanoseconds::from_seconds(clock::now() - began));
    measurement.conclude();
    Ok(measurement.profile)
}

/// Whether there is anything to do at all.
fn nothing(layout: &Layout) -> Result<(), MembenchError> {
    match (layout.usable_rows().next(), layout.usable_columns().next()) {
        (None, _) => Err(MembenchError::NoUsableCpu),
        (_, None) => Err(MembenchError::NoUsableMemory),
        _ => Ok(()),
    }
}

impl Measurement<'_> {
    /// What must be known before the first step.
    fn prepare(&mut self) {
        if let Some(node) = self.layout.usable_columns().next().map(|column| column.node) {
            self.placing = placing(node);
        }
        if self.placing == Placing::FirstTouch {
            self.notice(MembenchNotice::PlacedByFirstTouch);
        }
    }

    /// Makes the steps one by one, as many as there is time for; false where it was stopped.
    fn steps(
        &mut self,
        plan: MeasurementPlan,
        mut schedule: Schedule,
        began: f64,
        sink: &mut dyn Sink,
    ) -> bool {
        let of = plan.steps.len() as u32;
        let (mut left, mut left_out) = (plan.steps, Vec::new());
        let mut complete = true;
        loop {
            left_out.extend(schedule.leave_out(clock::now() - began, &mut left, &self.layout));
            if left.is_empty() {
                break;
            }
            if self.stop.load(Relaxed) {
                complete = false;
                break;
            }
            let elapsed = clock::now() - began;
            let (done, remaining) = (of - left.len() as u32, schedule.expected(elapsed, &left));
            self.allowance = schedule.allowance(elapsed, &left);
            let step = left.remove(0);
            let expected = Nanoseconds::from_seconds(remaining);
            sink.event(Event::Step { done, of, what: step.step.clone(), left: expected });
            self.current = Some(step.step);
            self.step(step.experiment.clone());
            schedule.learn(&step.experiment, self.allowance, clock::now() - began - elapsed);
        }
        self.leave_out(left_out, plan.budget);
        complete
    }

    /// Says of steps that there was no time for them, in their cells and in a notice.
    fn leave_out(&mut self, steps: Vec<PlannedStep>, budget: Nanoseconds) {
        if steps.is_empty() {
            return;
        }
        for step in &steps {
            empty_profile::leave_out(&mut self.profile, &step.experiment, &CellError::NoTime);
        }
        let steps = steps.into_iter().map(|step| step.step).collect();
        self.notice(MembenchNotice::StepsLeftOut { steps, budget });
    }

    fn step(&mut self, experiment: Experiment) {
        match experiment {
            Experiment::Fill(nodes) => self.fill(&nodes),
            Experiment::Bandwidth { workers, target, mix } => self.bandwidth(workers, target, mix),
            Experiment::Loaded { from, to, mix } => self.loaded(from, to, mix),
            Experiment::Latency { from, to } => self.latency(from, to),
            Experiment::WorkingSets { from, to } => self.working_sets(from, to),
            Experiment::FillBase(node) => self.fill_base(node),
            Experiment::TlbMisses { from, to } => self.tlb_misses(from, to),
            Experiment::Transfer { owner, reader } => self.transfer(owner, reader),
        }
    }

    /// Gives all memory back.
    pub fn forget(&mut self) {
        self.buffers.clear();
        self.base = None;
        self.rings.clear();
        self.refused.clear();
    }

    fn fill(&mut self, nodes: &[NodeId]) {
        self.forget();
        let seconds = self.allowance / nodes.len() as f64;
        // A CPU's quarter of the memory is free for all nodes at once only if it is divided before the first is taken.
        let limits: Vec<sizes::MemoryLimits> =
            nodes.iter().map(|&node| self.limits(node, nodes.len() as u64)).collect();
        for (&node, limits) in nodes.iter().zip(limits) {
            match self.memory(node, &limits, PagesRequest::Huge, seconds) {
                Ok(buffer) => self.buffers.push(buffer),
                Err(reason) => self.refused.push((node, reason)),
            }
        }
        self.unmodified = true;
    }

    fn fill_base(&mut self, node: NodeId) {
        self.forget();
        let limits = self.limits(node, 1);
        match self.memory(node, &limits, PagesRequest::Base, self.allowance) {
            Ok(buffer) => self.base = Some(buffer),
            Err(reason) => self.refused.push((node, reason)),
        }
    }

    pub fn limits(&self, node: NodeId, nodes: u64) -> sizes::MemoryLimits {
        let recorded = self.layout.columns.iter().find(|column| column.node == node);
        let recorded = recorded.and_then(|column| column.free.as_ref().ok().copied().flatten());
        sizes::MemoryLimits {
            free: self.system.free(node).or(recorded),
            cgroup: self.system.cgroup_left(),
            most: self.request.most_memory,
            nodes,
        }
    }

    /// A buffer on this node, as large as it should be or may be.
    fn memory(
        &mut self,
        node: NodeId,
        limits: &sizes::MemoryLimits,
        pages: PagesRequest,
        seconds: f64,
    ) -> Result<Buffer, CellError> {
        let allowed = sizes::allowance(limits);
        let wanted = sizes::wanted(self.layout.caches, self.request.depth);
        if allowed.bytes < sizes::LEAST {
            let sizes::Allowance { bytes: allowed, because } = allowed;
            return Err(CellError::TooLittleMemory { node, allowed, because });
        }
        // Whoever wants base pages chases through all of them at once: one buffer will do.
        let parts = if pages == PagesRequest::Huge { self.parts } else { 1 };
        let bytes = Bytes(wanted.bytes.0.saturating_mul(parts as u64)).min(allowed.bytes);
        // Whole huge pages, where it is a matter of huge pages.
        let huge = self.system.huge_page().map_or(1, |(size, _)| size as u64);
        let bytes = if bytes.0 >= huge { Bytes(bytes.0 / huge * huge) } else { bytes };
        let cpus = self.layout.fillers(node, self.machine).to_vec();
        let effort = Effort {
            wanted: bytes,
            least: wanted.least.min(bytes),
            seconds: 1.5 * seconds,
            patience: self.patience,
            stop: self.stop,
        };
        let mut buffer = Buffer::on(node, self.placing, pages, effort, &cpus, &self.system)?;
        buffer.parts = sizes::parts(buffer.bytes(), wanted, parts);
        self.judge(&buffer, pages, bytes, &allowed);
        Ok(buffer)
    }

    /// What a reader should know of a buffer that is not as it should be.
    fn judge(&mut self, buffer: &Buffer, pages: PagesRequest, wanted: Bytes, allowed: &sizes::Allowance) {
        let (node, bytes, caches) = (buffer.node, buffer.part_bytes(), self.layout.caches);
        if bytes.0 < caches.0 / 2 * 3 {
            let because = if bytes < wanted { BufferLimit::SlowPages } else { allowed.because.clone() };
            self.notice(MembenchNotice::BufferNearCaches { node, buffer: bytes, caches, because });
        }
        if pages == PagesRequest::Huge && buffer.pages == BufferPages::Small {
            self.notice(MembenchNotice::NoHugePages { nodes: NodeSet::single(node) });
        }
    }

    /// The buffer of this node, or why there is none.
    pub fn buffer(&self, node: NodeId) -> Result<&Buffer, CellError> {
        let found = self.buffers.iter().chain(&self.base).find(|buffer| buffer.node == node);
        found.ok_or_else(|| {
            let refused = self.refused.iter().find(|(refused, _)| *refused == node);
            refused.map_or(CellError::Stopped, |(_, reason)| reason.clone())
        })
    }

    /// The CPUs of a row; those that measure of a node.
    pub fn cores(&self, node: NodeId) -> Vec<CpuId> {
        self.layout.row(node).map(|row| row.cores().to_vec()).unwrap_or_default()
    }

    pub fn notice(&mut self, notice: MembenchNotice) {
        let (notices, notice) = (&mut self.profile.header.notices, Notice::from(notice));
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }

    /// Keeps what a team saw of the rest of the machine.
    pub fn saw(&mut self, taken: &TeamResult, seconds: f64) {
        self.others.extend(taken.others.map(|cpus| (seconds, cpus)));
        if let (Some((cpu, speed)), Some(step)) = (taken.speed, &self.current) {
            self.speeds.add(cpu, speed, step);
        }
    }

    /// The estimate of an outcome; notes that its repetitions were disturbed.
    pub fn estimate(&mut self, outcome: Option<Outcome>) -> Result<Estimate<f64>, CellError> {
        let outcome = outcome.ok_or(CellError::NoFigure)?;
        if outcome.disturbed && self.disturbed.last() != self.current.as_ref() {
            self.disturbed.extend(self.current.clone());
        }
        Ok(outcome.estimate)
    }

    /// Adds the notices that only the end can make.
    fn conclude(&mut self) {
        let seconds: f64 = self.others.iter().map(|(seconds, _)| seconds).sum();
        let used: f64 = self.others.iter().map(|(seconds, cpus)| seconds * cpus).sum();
        if seconds > 0.0 && used / seconds > OTHERS_WORTH_A_NOTICE {
            self.notice(MembenchNotice::OtherProgramsRan { cpus: used / seconds });
        }
        if let Some(notice) = self.speeds.notice() {
            self.notice(notice);
        }
        if !self.disturbed.is_empty() {
            let steps = std::mem::take(&mut self.disturbed);
            self.notice(MembenchNotice::DisturbedRepetitionsCount { steps });
        }
    }
}
