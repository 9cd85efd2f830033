//! What threads did up to a moment, by state.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use numawise_wire::snapshot::openmp::ROOT;
use numawise_wire::snapshot::thread::STATES;
use numawise_wire::snapshot::{Phase, ThreadSlot, ThreadState};

use crate::process::{self, Watched};
use crate::thread;

/// Ticks by state, and those in MPI outside of parallel regions.
#[derive(Clone, Copy)]
pub struct Sums {
    ticks: [u64; STATES],
    mpi_outside: u64,
    /// Threads that live.
    pub threads: u32,
}

/// A thread is in no construct of OpenMP, or was not seen in one.
pub fn is_outside_of_constructs(slot: &ThreadSlot) -> bool {
    slot.row.load(Relaxed) <= ROOT + 1
}

impl Sums {
    /// Of one thread.
    pub fn of_thread(slot: &ThreadSlot, now: u64) -> Sums {
        let mut sums = Sums { ticks: [0; STATES], mpi_outside: 0, threads: 0 };
        sums.add(slot, now, None);
        sums.mpi_outside = mpi_outside(slot, &sums);
        sums
    }

    /// Of the calling thread and of all that were seen in MPI or OpenMP. What is changed by its thread at this moment may be off by what
    /// that thread just did.
    pub fn of_process(own: &ThreadSlot, now: u64) -> Sums {
        let mut sums = Sums::of_thread(own, now);
        let Some(watched) = process::watched() else { return sums };
        for number in 0..watched.header.slots.load(Relaxed).min(watched.threads) {
            if let Some(slot) = watched.slot(number)
                && !core::ptr::eq(slot, own)
                && thread::has_tables(slot)
            {
                sums.add(slot, now, Some(&watched));
            }
        }
        sums
    }

    fn add(&mut self, slot: &ThreadSlot, now: u64, others: Option<&Watched<'_>>) {
        /// So often it is read anew when the thread has changed it meanwhile.
        const TRIES: usize = 4;
        let mut since = slot.since.load(Relaxed);
        let (mut ticks, mut state) = ([0; STATES], 0);
        for _ in 0..TRIES {
            state = slot.state.load(Relaxed);
            slot.ticks.iter().zip(&mut ticks).for_each(|(word, ticks)| *ticks = word.load(Relaxed));
            let again = slot.since.load(Relaxed);
            if again == since {
                break;
            }
            since = again;
        }
        self.ticks.iter_mut().zip(ticks).for_each(|(sum, ticks)| *sum = sum.wrapping_add(ticks));
        if slot.end.load(Relaxed) != 0 {
            return;
        }
        self.threads = self.threads.saturating_add(1);
        // A worker that waits to be called waits at the barrier up to the end of its region, and is idle after that.
        let is_docked = state == ThreadState::OmpBarrier as u32
            && thread::has_tables(slot)
            && slot.tables.openmp.docked.load(Relaxed) != 0;
        let until = match others.filter(|_| is_docked) {
            Some(watched) => end_of_region(watched, slot, since).min(now),
            None => now,
        };
        self.put(state, until.saturating_sub(since));
        self.put(ThreadState::OmpIdle as u32, now.saturating_sub(until.max(since)));
    }

    fn put(&mut self, state: u32, passed: u64) {
        if let Some(ticks) = self.ticks.get_mut(state as usize) {
            *ticks = ticks.wrapping_add(passed);
        }
    }

    /// What passed since `base`.
    pub fn since(&self, base: &Sums) -> Sums {
        let mut passed = *self;
        passed.ticks.iter_mut().zip(base.ticks).for_each(|(now, base)| *now = now.saturating_sub(base));
        passed.mpi_outside = self.mpi_outside.saturating_sub(base.mpi_outside);
        passed
    }

    pub fn store(&self, ticks: &[AtomicU64; STATES], mpi: &AtomicU64) {
        ticks.iter().zip(self.ticks).for_each(|(word, ticks)| word.store(ticks, Relaxed));
        mpi.store(self.mpi_outside, Relaxed);
    }

    pub fn load(ticks: &[AtomicU64; STATES], mpi: &AtomicU64) -> Sums {
        let mut sums = Sums { ticks: [0; STATES], mpi_outside: mpi.load(Relaxed), threads: 0 };
        sums.ticks.iter_mut().zip(ticks).for_each(|(sum, word)| *sum = word.load(Relaxed));
        sums
    }

    /// Adds a phase that is over.
    pub fn add_to(&self, phase: &Phase, elapsed: u64) {
        phase.ticks.iter().zip(self.ticks).for_each(|(word, ticks)| {
            if ticks != 0 {
                word.fetch_add(ticks, Relaxed);
            }
        });
        phase.mpi_outside.fetch_add(self.mpi_outside, Relaxed);
        phase.elapsed.fetch_add(elapsed, Relaxed);
        phase.longest.fetch_max(elapsed, Relaxed);
        phase.threads.fetch_max(self.threads, Relaxed);
    }
}

/// When the region ended whose worker waits since `since`; the end of time, where it has not.
fn end_of_region(watched: &Watched<'_>, worker: &ThreadSlot, since: u64) -> u64 {
    let master = worker.tables.openmp.master.load(Relaxed);
    for number in 0..watched.header.slots.load(Relaxed).min(watched.threads) {
        if let Some(slot) = watched.slot(number)
            && slot.thread.load(Relaxed) == master
        {
            let end = slot.tables.openmp.last_end.load(Relaxed);
            return if end > since { end } else { u64::MAX };
        }
    }
    u64::MAX
}

/// What of a thread's time in MPI is in no construct.
fn mpi_outside(slot: &ThreadSlot, sums: &Sums) -> u64 {
    let of = |ticks: &[u64; STATES]| ticks.get(ThreadState::Mpi as usize).copied().unwrap_or(0);
    if slot.row.load(Relaxed) == 0 {
        return of(&sums.ticks);
    }
    let used = slot.tables.openmp.rows_used.load(Relaxed) as usize;
    let rows = slot.tables.openmp.rows.iter().take(used).skip(ROOT as usize + 1);
    let inside = rows.filter_map(|row| row.ticks.get(ThreadState::Mpi as usize));
    of(&sums.ticks).saturating_sub(inside.fold(0u64, |sum, word| sum.saturating_add(word.load(Relaxed))))
}
