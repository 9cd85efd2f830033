//! Latency of an idle machine: one thread, loads of which each needs the one before.

use numawise_facts::notice::MembenchNotice;
use numawise_facts::{BufferPages, BufferSpread, Estimate, Reading, WorkingSet};
use numawise_linux::calls::affinity;
use numawise_linux::calls::pages::page_size;
use numawise_units::{Bytes, CpuId, Latency, NodeId};

use crate::error::CellError;
use crate::kernels::Line;
use crate::measurement::{HeldRing, Measurement, RingPart};
use crate::plan::per_octave;
use crate::repeats::{Outcome, Rule, over_buffers};
use crate::ring::{self, RingShape, Track, UNIT};
use crate::team::{self, WindowRule, Work, Worker};
use crate::{clock, sizes};

pub(super) const RULE: Rule = Rule { least: 20, most: 60, precision: 0.01 };
/// Loads in a window at least, where they are slow (an emulated machine takes 80 us for each).
pub(super) const LEAST_LOADS: u64 = 1000;
/// No ring is smaller because linking is slow: beyond any core's own caches, and the rest is emptied of it before.
const LEAST_RING: usize = (2 << 20) / size_of::<Line>();

/// Goes round rings, one for each window in turn.
pub(super) struct Chase<'a> {
    tracks: &'a mut [Track],
    turn: usize,
    block: u64,
    cold: bool,
}

impl<'a> Chase<'a> {
    /// `cold`: whether lines are to come from memory in any case: they are thrown out of the caches before they come again.
    /// There is one track at least.
    pub(super) fn new(tracks: &'a mut [Track], cold: bool) -> Chase<'a> {
        Chase { tracks, turn: 0, block: 16, cold }
    }
}

impl Work for Chase<'_> {
    fn block(&mut self) -> u64 {
        // SAFETY: the measurement holds the ring's buffer for as long as the team runs.
        unsafe { self.tracks[self.turn].go(self.block) };
        self.block
    }

    fn turn(&mut self, window: usize) {
        self.turn = window % self.tracks.len();
    }

    fn tune(&mut self, seconds: f64) {
        if seconds < team::block_seconds() / 2.0 && self.block < 1 << 16 {
            self.block *= 2;
        }
    }

    fn between(&mut self, expected: u64) {
        if self.cold {
            // SAFETY: the same.
            unsafe { self.tracks[self.turn].refresh(expected) };
        }
    }
}

/// An idle latency, and how it was taken.
struct Chased {
    latency: Estimate<Latency>,
    buffers: Reading<BufferSpread<Latency>>,
    bytes: Bytes,
}

impl Measurement<'_> {
    pub(crate) fn latency(&mut self, from: NodeId, to: NodeId) {
        let measured = self.chase(from, to, None);
        let buffer = self.buffer(to).map(|buffer| buffer.pages);
        let Some(cell) = self.profile.latency.iter_mut().find(|cell| cell.from == from && cell.to == to)
        else {
            return;
        };
        cell.pages = Reading::from(buffer);
        cell.bytes = Reading::from(measured.as_ref().map(|chased| chased.bytes));
        cell.buffers = match &measured {
            Ok(chased) => chased.buffers.clone(),
            Err(error) => error.reading(),
        };
        cell.latency = Reading::from(measured.map(|chased| chased.latency));
    }

    pub(crate) fn tlb_misses(&mut self, from: NodeId, to: NodeId) {
        let anywhere = RingShape { block: None, all_lines: false };
        let measured = self.chase(from, to, Some(anywhere));
        if let Some(cell) = self.profile.latency.iter_mut().find(|cell| cell.from == from && cell.to == to) {
            cell.with_tlb_misses = Reading::from(measured.map(|chased| chased.latency));
        }
    }

    /// Chases through the memory of a node from the first core of another: where it is several buffers, through a part of each,
    /// all of which together are as long as one.
    fn chase(&mut self, from: NodeId, to: NodeId, shape: Option<RingShape>) -> Result<Chased, CellError> {
        let cpu = *self.cores(from).first().ok_or(CellError::Stopped)?;
        let page = self.page_lines(to)?;
        let shape = shape.unwrap_or(RingShape { block: Some(page), all_lines: false });
        let buffer = self.buffer(to)?;
        let (count, each) = (buffer.parts, buffer.part_lines());
        let lines = if count == 1 { each } else { (each / count / page * page).max(page.min(each)) };
        let parts: Vec<RingPart> = (0..count).map(|nth| RingPart { from: nth * each, lines }).collect();
        let began = clock::now();
        let tracks: Result<Vec<Track>, CellError> =
            parts.iter().map(|&part| self.linked(to, part, shape)).collect();
        let mut tracks = tracks?;
        // Whoever links first for a node's memory does so for all that follow: it gets more time than they, not less.
        let seconds = (self.allowance - 0.5 * (clock::now() - began)).max(self.allowance / 2.0);
        let outcome = self.chased(cpu, &mut tracks, true, seconds, 0);
        let bytes = Bytes(tracks.iter().map(|track| track.ring.bytes()).sum());
        parts.iter().zip(tracks).for_each(|(&part, track)| self.keep(part, track));
        let outcome = outcome?;
        let buffers = Reading::from(outcome.buffers.ok_or(CellError::of_buffers(count)));
        let buffers = buffers.map(|of| of.map(nanoseconds));
        Ok(Chased { latency: self.estimate(Some(outcome))?.map(nanoseconds), buffers, bytes })
    }

    /// What the time of a load came to on these rings, in seconds.
    fn chased(
        &mut self,
        cpu: CpuId,
        tracks: &mut [Track],
        cold: bool,
        seconds: f64,
        warm: u64,
    ) -> Result<Outcome, CellError> {
        let window_rule = WindowRule {
            window: (seconds / RULE.most as f64).clamp(0.002, 0.025),
            allowance: seconds,
            warm,
            least: LEAST_LOADS,
            rule: RULE,
        };
        let (began, count) = (clock::now(), tracks.len());
        let team = vec![Worker { cpu, work: Box::new(Chase::new(tracks, cold)) }];
        let taken = team::run(team, window_rule, |window| window.seconds_each, &self.system, self.stop)?;
        self.saw(&taken, clock::now() - began);
        let repeats = taken.repeats_by(count, |nth| nth % count, RULE, |window| window.seconds_each);
        over_buffers(&repeats).ok_or(CellError::NoFigure)
    }

    /// Lines in a page of a node's buffer.
    pub(super) fn page_lines(&self, node: NodeId) -> Result<usize, CellError> {
        let huge = self.system.huge_page().map(|(size, _)| size);
        let bytes = match (self.buffer(node)?.pages, huge) {
            (BufferPages::Transparent | BufferPages::Reserved, Some(huge)) => huge,
            _ => page_size().0 as usize,
        };
        Ok(bytes / size_of::<Line>())
    }

    /// The ring in these lines of a node's memory, linked anew where there is another one. Smaller where linking is so slow that
    /// the time would be gone.
    pub(super) fn linked(
        &mut self,
        node: NodeId,
        part: RingPart,
        shape: RingShape,
    ) -> Result<Track, CellError> {
        let held = self.rings.iter().find(|held| (held.part, held.shape) == (part, shape));
        if let Some(held) = held {
            return Ok(held.track);
        }
        let seed = self.request.seed;
        let linker = self.layout.fillers(node, self.machine).last().copied();
        self.buffer(node)?;
        let found = self.buffers.iter_mut().chain(&mut self.base).find(|buffer| buffer.node == node);
        let buffer = found.ok_or(CellError::Stopped)?;
        let RingPart { from, lines } = part;
        let seconds = self.allowance / buffer.parts as f64;
        // By the last core of the node: what it has written is in its caches, and latency is measured from the first. That counts
        // where lines cannot be thrown out of caches, so that it is no failure if it cannot be had.
        let link = || {
            linker.map(affinity::pin);
            let trial = lines.min(LEAST_RING / 8);
            let began = clock::now();
            ring::link(&mut buffer.lines()[from..from + trial], shape, seed);
            let each = (clock::now() - began) / trial as f64;
            let affordable = ((seconds / each) as usize).max(LEAST_RING);
            let lines = &mut buffer.lines()[from..from + lines.min(affordable)];
            (ring::link(lines, shape, seed), affordable)
        };
        let linked = std::thread::scope(|scope| scope.spawn(link).join());
        let (ring, affordable) = linked.map_err(|_| CellError::Stopped)?;
        self.unmodified = false;
        let track = Track::new(ring);
        self.rings.retain(|held| !held.part.overlaps(part));
        self.rings.push(HeldRing { part, shape, track });
        if ring.bytes() < self.layout.caches.0 && affordable < lines {
            self.notice(MembenchNotice::RingWithinCaches { node, ring: Bytes(ring.bytes()) });
        }
        Ok(track)
    }

    /// Remembers how far the ring was gone through.
    pub(super) fn keep(&mut self, part: RingPart, gone: Track) {
        if let Some(held) = self.rings.iter_mut().find(|held| held.part == part) {
            held.track = gone;
        }
    }

    pub(crate) fn working_sets(&mut self, from: NodeId, to: NodeId) {
        self.rings.clear();
        let buffer = self.buffer(to).map(|buffer| (buffer.part_bytes(), buffer.pages));
        let (most, pages) = match buffer {
            Ok((most, pages)) => (most, Reading::Measured(pages)),
            Err(error) => (Bytes(0), error.reading()),
        };
        let sizes = sizes::working_sets(most, per_octave(self.request.depth));
        let began = clock::now();
        let mut points = Vec::new();
        for (done, &bytes) in sizes.iter().enumerate() {
            let left = self.allowance - (clock::now() - began);
            // Linking takes its part, and most of it at the end.
            let seconds = (0.6 * left / (sizes.len() - done) as f64).clamp(0.02, 0.3);
            let latency = Reading::from(self.working_set(from, to, bytes, seconds, left));
            points.push(WorkingSet { bytes, latency });
        }
        let mut cells = self.profile.working_sets.iter_mut();
        if let Some(cell) = cells.find(|cell| cell.from == from && cell.to == to) {
            cell.pages = pages;
            cell.points = points;
        }
    }

    fn working_set(
        &mut self,
        from: NodeId,
        to: NodeId,
        bytes: Bytes,
        seconds: f64,
        left: f64,
    ) -> Result<Estimate<Latency>, CellError> {
        if self.stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(CellError::Stopped);
        }
        let cpu = *self.cores(from).first().ok_or(CellError::Stopped)?;
        let shape = RingShape { block: Some(self.page_lines(to)?), all_lines: true };
        let lines = (bytes.0 as usize / size_of::<Line>()).max(UNIT);
        let (caches, seed) = (self.layout.caches, self.request.seed);
        let buffer = self.buffers.iter_mut().find(|buffer| buffer.node == to).ok_or(CellError::Stopped)?;
        // A part is linked first: where all of it would take longer than all that is left, it is not worth it.
        let trial = lines.min(LEAST_RING / 8);
        let began = clock::now();
        let mut ring = ring::link(&mut buffer.lines()[..trial], shape, seed);
        let all = (clock::now() - began) / trial as f64 * lines as f64;
        if all > left.max(0.5) {
            return Err(CellError::SlowRing { bytes, seconds: all });
        }
        if trial < lines {
            ring = ring::link(&mut buffer.lines()[..lines], shape, seed);
        }
        self.unmodified = false;
        // What no cache holds must not be there from linking; what they hold is there from linking, and comes again.
        let cold = bytes > caches;
        let warm = if cold { 0 } else { ring.lap };
        let outcome = self.chased(cpu, &mut [Track::new(ring)], cold, seconds, warm)?;
        Ok(self.estimate(Some(outcome))?.map(nanoseconds))
    }
}

/// A time in seconds as a latency.
fn nanoseconds(seconds: f64) -> Latency {
    Latency(seconds * 1e9)
}
