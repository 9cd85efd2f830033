//! Transfers between cores: one changes lines, the other chases through them; only the chase is timed.
//!
//! The owner changes all lines of a ring that fits its first cache several times over, hands the turn to the reader, and waits.
//! The reader's loads find each line modified in the owner's cache. A repetition is many such rounds.

use std::sync::Mutex;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use numawise_facts::{Estimate, Reading};
use numawise_linux::calls::affinity;
use numawise_units::{CpuId, Latency};

use crate::buffer::{Buffer, Effort, PagesRequest};
use crate::error::CellError;
use crate::kernels::{Line, chase as kernel};
use crate::measurement::Measurement;
use crate::plan::Core;
use crate::repeats::{Repeats, Rule};
use crate::ring::{self, Ring, RingShape};
use crate::{clock, sizes};

/// 32 KiB: the owner's first cache holds them on every processor that we know but the smallest, its second on those.
const LINES: usize = 512;
const RULE: Rule = Rule { least: 10, most: 40, precision: 0.01 };
/// Chasing in a repetition, in seconds.
const REPETITION: f64 = 0.001;
/// Phases: even, it is the owner's turn; odd, the reader's.
const DONE: u64 = u64::MAX;
/// After so many polls at the turn a thread lets others run: on a machine with fewer real CPUs than it shows.
const POLLS: u32 = 10_000;

/// Whose turn it is, and what went wrong.
struct Turn {
    phase: AtomicU64,
    trouble: Mutex<Option<CellError>>,
}

impl Turn {
    /// Waits for an odd or an even phase; nothing when it is all over.
    fn wait(&self, odd: bool) -> Option<u64> {
        let mut polls = 0;
        loop {
            let phase = self.phase.load(Acquire);
            if phase == DONE {
                return None;
            }
            if (phase % 2 == 1) == odd {
                return Some(phase);
            }
            polls += 1;
            match polls % POLLS {
                0 => std::thread::yield_now(),
                _ => std::hint::spin_loop(),
            }
        }
    }

    fn pass_on(&self, phase: u64) {
        let _ = self.phase.compare_exchange(phase, phase + 1, Release, Relaxed);
    }

    fn pin(&self, cpu: CpuId) -> bool {
        let pinned = affinity::pin(cpu);
        if let (Err(error), Ok(mut trouble)) = (&pinned, self.trouble.lock()) {
            trouble.get_or_insert(CellError::of_pinning(cpu, error));
        }
        pinned.is_ok()
    }

    fn end(&self) {
        self.phase.store(DONE, Release);
    }
}

impl Measurement<'_> {
    pub(crate) fn transfer(&mut self, owner: Core, reader: Core) {
        let latency = self.transferred(owner, reader);
        let same = |cell: &&mut numawise_facts::Transfer| {
            cell.owner.measured() == Some(&owner.cpu) && cell.reader.measured() == Some(&reader.cpu)
        };
        if let Some(cell) = self.profile.transfers.iter_mut().find(same) {
            let latency = latency.map(|latency| latency.map(|seconds| Latency(seconds * 1e9)));
            cell.latency = Reading::from(latency);
        }
    }

    fn transferred(&mut self, owner: Core, reader: Core) -> Result<Estimate<f64>, CellError> {
        if self.buffer(owner.home).is_ok_and(|buffer| buffer.bytes() != sizes::LEAST) {
            self.forget();
        }
        if self.buffer(owner.home).is_err() {
            self.forget();
            let allowed = sizes::allowance(&self.limits(owner.home, 1));
            if allowed.bytes < sizes::LEAST {
                let sizes::Allowance { bytes: allowed, because } = allowed;
                return Err(CellError::TooLittleMemory { node: owner.home, allowed, because });
            }
            let wanted = sizes::LEAST;
            let effort = Effort { wanted, least: wanted, seconds: 1.0, patience: 1.0, stop: self.stop };
            let buffer =
                Buffer::on(owner.home, self.placing, PagesRequest::Base, effort, &[owner.cpu], &self.system)?;
            self.buffers.push(buffer);
        }
        let buffer =
            self.buffers.iter_mut().find(|buffer| buffer.node == owner.home).ok_or(CellError::Stopped)?;
        let lines = &mut buffer.lines()[..LINES];
        let ring = ring::link(lines, RingShape { block: None, all_lines: false }, self.request.seed);
        let repeats = play(lines, ring, [owner.cpu, reader.cpu], self.allowance)?;
        self.estimate(repeats.outcome())
    }
}

/// Lets the owner change and the reader chase, in turns, until it is sure or time is up.
fn play(
    lines: &mut [Line],
    ring: Ring,
    [owner, reader]: [CpuId; 2],
    seconds: f64,
) -> Result<Repeats, CellError> {
    let turn = Turn { phase: AtomicU64::new(0), trouble: Mutex::new(None) };
    let turn = &turn;
    let repeats = std::thread::scope(|scope| {
        scope.spawn(move || {
            let lines = lines;
            if turn.pin(owner) {
                while let Some(phase) = turn.wait(false) {
                    kernel::dirty(lines);
                    turn.pass_on(phase);
                }
            }
            turn.end();
        });
        let reader = scope.spawn(move || {
            let repeats = turn.pin(reader).then(|| read(turn, ring, seconds));
            turn.end();
            repeats
        });
        reader.join().ok().flatten()
    });
    let trouble = turn.trouble.lock().ok().and_then(|mut trouble| trouble.take());
    match (trouble, repeats) {
        (None, Some(repeats)) => Ok(repeats),
        (trouble, _) => Err(trouble.unwrap_or(CellError::Stopped)),
    }
}

/// The reader's part.
fn read(turn: &Turn, ring: Ring, seconds: f64) -> Repeats {
    let (began, mut repeats) = (clock::now(), Repeats::new(RULE));
    let mut warm = true;
    loop {
        let (mut chased, mut lost, mut loads) = (0.0, 0.0, 0);
        while chased < REPETITION {
            let Some(phase) = turn.wait(true) else { return repeats };
            let (wall, own) = (clock::now(), clock::thread_seconds());
            let before = clock::now();
            // SAFETY: the ring lies in lines that live until both threads have ended, and it is our turn.
            let end = unsafe { ring::chase(ring.start(), ring.lap) };
            chased += clock::now() - before;
            lost += (clock::now() - wall - (clock::thread_seconds() - own)).max(0.0);
            std::hint::black_box(end);
            loads += ring.lap;
            turn.pass_on(phase);
            // One round may be longer than all the time: on an emulated machine.
            if clock::now() - began > 3.0 * seconds {
                break;
            }
        }
        let late = clock::now() - began > seconds;
        if !warm || late {
            // Each round takes the clock's own time once, some 30 ns beside thousands; the rest is the processor's.
            repeats.push(chased / loads as f64, (lost > 0.02 * chased).then_some(lost / chased));
        }
        warm = false;
        if repeats.enough() || (late && repeats.len() >= 3) || clock::now() - began > 3.0 * seconds {
            return repeats;
        }
    }
}
