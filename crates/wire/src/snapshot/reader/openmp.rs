//! What a thread did in OpenMP, and what it does since its last change of state.

use core::mem::offset_of;

use super::super::openmp::{ConstructKind, ConstructRow, LoopSchedule, OpenMp, ROOT, TOLD_BY_OMPT};
use super::super::thread::{STATES, ThreadSlot, ThreadState, ThreadTables};
use super::{SnapshotFile, ThreadRecord, long};

/// A construct within what it stands in, as one thread saw it.
#[derive(Debug, Clone, Copy)]
pub struct ConstructRecord {
    pub key: u64,
    pub parent: u64,
    pub address: u64,
    /// The address is that behind the call, also of a region or a task.
    pub is_call: bool,
    /// `None`: a number that this version does not have.
    pub kind: Option<ConstructKind>,
    pub schedule: Option<LoopSchedule>,
    pub depth: u16,
    pub calls: u64,
    pub opened: u64,
    pub wall: u64,
    /// By state, up to the last change.
    pub ticks: [u64; STATES],
    pub longest: u64,
    pub chunks: u64,
    pub iterations: u64,
    pub trips: u64,
    pub chunk: u64,
    /// Smallest and largest.
    pub team: [u32; 2],
}

impl ConstructRecord {
    pub fn in_state(&self, state: ThreadState) -> u64 {
        self.ticks.get(state as usize).copied().unwrap_or(0)
    }
}

impl<'a> ThreadRecord<'a> {
    /// The thread's number in the kernel.
    pub fn number(&self) -> u32 {
        self.word(offset_of!(ThreadSlot, thread))
    }

    /// Nothing, where the thread was not seen in OpenMP.
    pub fn constructs(&self) -> impl Iterator<Item = ConstructRecord> + use<'a> {
        let record = *self;
        (0..record.rows_used() as usize).map(move |number| {
            let stride = size_of::<ConstructRow>();
            let at = record.table(OPENMP + offset_of!(OpenMp, rows), number, stride);
            let field = |offset: usize| long(record.0, at + offset);
            let kind = field(offset_of!(ConstructRow, kind));
            let team = field(offset_of!(ConstructRow, team));
            ConstructRecord {
                key: field(offset_of!(ConstructRow, key)),
                parent: field(offset_of!(ConstructRow, parent)),
                address: field(offset_of!(ConstructRow, address)),
                is_call: (kind >> 48) as u16 & TOLD_BY_OMPT != 0,
                kind: ConstructKind::from_number(kind as u16),
                schedule: LoopSchedule::from_number((kind >> 16) as u16),
                depth: (kind >> 32) as u16,
                calls: field(offset_of!(ConstructRow, calls)),
                opened: field(offset_of!(ConstructRow, opened)),
                wall: field(offset_of!(ConstructRow, wall)),
                ticks: core::array::from_fn(|state| field(offset_of!(ConstructRow, ticks) + 8 * state)),
                longest: field(offset_of!(ConstructRow, longest)),
                chunks: field(offset_of!(ConstructRow, chunks)),
                iterations: field(offset_of!(ConstructRow, iterations)),
                trips: field(offset_of!(ConstructRow, trips)),
                chunk: field(offset_of!(ConstructRow, chunk)),
                team: [team as u32, (team >> 32) as u32],
            }
        })
    }

    /// Constructs that found no row, each time that they were met.
    pub fn dropped_constructs(&self) -> u64 {
        self.openmp(offset_of!(OpenMp, dropped))
    }

    pub(super) fn rows_used(&self) -> u32 {
        self.word(offset_of!(ThreadSlot, tables) + OPENMP + offset_of!(OpenMp, rows_used))
    }

    fn openmp(&self, at: usize) -> u64 {
        self.long(offset_of!(ThreadSlot, tables) + OPENMP + at)
    }

    fn openmp_word(&self, at: usize) -> u32 {
        self.word(offset_of!(ThreadSlot, tables) + OPENMP + at)
    }
}

const OPENMP: usize = offset_of!(ThreadTables, openmp);

/// What a thread that has not ended does since its last change.
struct OpenTime {
    state: usize,
    ticks: u64,
    /// After that: a worker whose region is over.
    idle: u64,
}

impl SnapshotFile<'_> {
    /// A thread's ticks by state up to the moment `until`, with what it does since its last change: a worker that waits to be called
    /// waits at the barrier up to the end of its region, and is idle after that.
    pub fn ticks_until(&self, thread: &ThreadRecord<'_>, until: u64) -> [u64; STATES] {
        let mut ticks = core::array::from_fn(|state| thread.long(offset_of!(ThreadSlot, ticks) + 8 * state));
        if let Some(open) = self.open(thread, until) {
            add(&mut ticks, open.state, open.ticks);
            add(&mut ticks, ThreadState::OmpIdle as usize, open.idle);
        }
        ticks
    }

    /// The same of one of its rows, by its number: the time since the last change is of the row that the thread is in, and idle it is
    /// outside of all.
    pub fn construct_ticks_until(
        &self,
        thread: &ThreadRecord<'_>,
        until: u64,
        (number, row): (usize, &ConstructRecord),
    ) -> [u64; STATES] {
        let mut ticks = row.ticks;
        if let Some(open) = self.open(thread, until) {
            if thread.word(offset_of!(ThreadSlot, row)) as usize == number.saturating_add(1) {
                add(&mut ticks, open.state, open.ticks);
            }
            if number == ROOT as usize {
                add(&mut ticks, ThreadState::OmpIdle as usize, open.idle);
            }
        }
        ticks
    }

    fn open(&self, thread: &ThreadRecord<'_>, until: u64) -> Option<OpenTime> {
        if thread.end() != 0 {
            return None;
        }
        let since = thread.long(offset_of!(ThreadSlot, since));
        let state = thread.word(offset_of!(ThreadSlot, state)) as usize;
        let mut change = until;
        let is_docked =
            state == ThreadState::OmpBarrier as usize && thread.openmp_word(offset_of!(OpenMp, docked)) != 0;
        if is_docked {
            let number = thread.openmp_word(offset_of!(OpenMp, master));
            let master = self.threads().find(|other| other.number() == number);
            let end = master.map_or(0, |master| master.openmp(offset_of!(OpenMp, last_end)));
            change = if end > since { end.min(until) } else { until };
        }
        Some(OpenTime { state, ticks: change.saturating_sub(since), idle: until.saturating_sub(change) })
    }
}

fn add(ticks: &mut [u64; STATES], state: usize, passed: u64) {
    if let Some(ticks) = ticks.get_mut(state) {
        *ticks = ticks.saturating_add(passed);
    }
}
