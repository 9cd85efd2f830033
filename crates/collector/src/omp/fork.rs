//! Parallel regions: what the thread that opens one hands to those that work in it, and how a worker's waiting is told apart.
//!
//! A worker returns from the region's function and comes back when it is called into the next one. It cannot see when the
//! region ended in between: the master tells it with the next region ([`Fork::previous_end`]). Up to there the worker
//! waited at the barrier, from there to the next region's begin it was idle, and from there to its own begin it was being woken. Until it
//! is called again the slot says that it is docked, and the reader splits by the master's `last_end`.

use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::openmp::{ConstructRow, ROOT};
use numawise_wire::snapshot::{ThreadSlot, ThreadState};

use super::account::Me;
use super::position::{Before, OpenLoop, Position};
use super::table::{self, Place, add, raise};
use crate::{process, thread, time, trace};

/// What a region's function is, as the compiler makes it.
pub type Body = unsafe extern "C" fn(*mut c_void);

/// A region that is open. What a worker needs each time lies in one line of the cache: it is fetched from the master's processor.
#[repr(C, align(64))]
pub struct Fork {
    /// For `GOMP_parallel_reductions`, which reads the first word of what it is given as that of the program's data.
    pub head: usize,
    pub body: Body,
    pub data: *mut c_void,
    pub begun: u64,
    /// The end of the last region with several threads that the master opened before; 0: none.
    pub previous_end: u64,
    /// The master's slot, and its number in the kernel: a child of fork is not its parent.
    pub slot: *const ThreadSlot,
    pub master: u32,
    /// The region is one with its loop.
    pub is_loop: u16,
    pub depth: u16,
    /// That of `place`.
    pub key: u64,
    pub place: Place,
    /// The loop's increment.
    pub increment: i64,
    pub before: Before,
}

/// A thread that works in a region, and what it was in before.
pub struct Arrived {
    thread: u32,
    pub is_master: bool,
    open_loop: OpenLoop,
}

impl Fork {
    /// The calling thread opens a region. `address` is the region's name: its function, or the place of the call.
    #[inline(always)]
    pub fn begin(me: &Me<'_>, place: Place, body: Body, data: *mut c_void) -> Fork {
        let begun = time::now();
        thread::note_place(me.slot);
        let before = me.before(begun);
        let local = me.local;
        let position = me.position(&place);
        me.go(begun, ThreadState::OmpScheduling as u32, position);
        let row = me.row(position);
        add(&row.calls, 1);
        add(&row.opened, 1);
        Fork {
            head: 0,
            body,
            data,
            begun,
            previous_end: local.last_end.get(),
            slot: me.slot,
            master: me.slot.thread.load(Relaxed),
            is_loop: 0,
            depth: place.depth,
            key: place.key,
            place,
            increment: 0,
            before,
        }
    }

    /// The region is over, for all its threads. `team` is how many they were; 0: not known.
    #[inline(always)]
    pub fn end(&self, team: u32) {
        let Some(me) = Me::here() else { return };
        let now = time::now();
        if me.slot.thread.load(Relaxed) != self.master {
            // A child of fork, which has no such region.
            return me.back(now, &self.before);
        }
        let row = me.row(me.position(&self.place));
        add(&row.wall, now.saturating_sub(self.begun));
        if team != 0 {
            note_team(row, team);
        }
        if trace::is_on() {
            self.trace_end(&me, now, team);
        }
        if team != 1 {
            me.local.last_end.set(now);
            me.part().last_end.store(now, Relaxed);
        }
        me.go_untraced(now, self.before.state, me.valid(self.before.position));
        process::note_time(now);
    }

    /// The wait at its end is part of it.
    #[inline(never)]
    fn trace_end(&self, me: &Me<'_>, now: u64, team: u32) {
        let slot = me.slot;
        let waits = slot.state.load(Relaxed) == ThreadState::OmpBarrier as u32;
        let since = if waits { slot.since.load(Relaxed) } else { now };
        let row = 1 + me.position(&self.place).row;
        trace::region(slot, [self.begun, since, now], row, team);
    }

    /// The calling thread begins to work in the region.
    #[inline(always)]
    pub fn arrive(&self, me: &Me<'_>) -> Arrived {
        let now = time::now();
        let local = me.local;
        let part = me.part();
        let thread = me.slot.thread.load(Relaxed);
        let is_master = thread == self.master;
        let arrived = Arrived { thread, is_master, open_loop: local.open_loop.get() };
        let increment = if self.is_loop != 0 { self.increment } else { 0 };
        local.open_loop.set(OpenLoop { increment, ..OpenLoop::NONE });
        if is_master {
            me.go(now, ThreadState::Useful as u32, local.position.get());
            return arrived;
        }
        if part.docked.load(Relaxed) != 0 {
            undock(me, self.previous_end, self.begun);
        }
        let row = table::find_key(part, self.key, &self.place);
        let depth = self.depth;
        let position = Position { key: self.key, region: self.key, row, depth, region_depth: depth };
        add(&me.row(position).calls, 1);
        local.master.set(self.slot);
        local.called.set([self.begun, now]);
        part.master.store(self.master, Relaxed);
        me.slot.row.store(1 + row, Relaxed);
        me.go(now, ThreadState::Useful as u32, position);
        arrived
    }

    /// The calling thread has done its part and waits for the others.
    #[inline(always)]
    pub fn depart(me: &Me<'_>, arrived: &Arrived) {
        if me.slot.thread.load(Relaxed) != arrived.thread {
            return;
        }
        let now = time::now();
        let local = me.local;
        // The master has noted how many they are.
        let state = if arrived.is_master { at_barrier(local.team.get()) } else { ThreadState::OmpBarrier };
        me.go(now, state as u32, local.position.get());
        if arrived.is_master {
            local.open_loop.set(arrived.open_loop);
            return;
        }
        dock(me);
    }
}

/// What a barrier takes: the only thread of a team waits for nobody there, and what it takes is the runtime's work.
#[inline(always)]
pub fn at_barrier(team: u32) -> ThreadState {
    if team == 1 { ThreadState::OmpScheduling } else { ThreadState::OmpBarrier }
}

/// A worker has done its part, and waits to be called again.
#[inline(always)]
pub fn dock(me: &Me<'_>) {
    me.local.open_loop.set(OpenLoop::NONE);
    if trace::is_on() {
        let [begun, since] = me.local.called.get();
        me.trace_worked([begun, since, me.slot.since.load(Relaxed)]);
    }
    me.part().docked.store(1, Relaxed);
    thread::note_place(me.slot);
}

fn note_team(row: &ConstructRow, team: u32) {
    let known = row.team.load(Relaxed);
    let (least, most) = (known as u32, (known >> 32) as u32);
    if known == 0 || team < least || team > most {
        let least = if known == 0 { team } else { least.min(team) };
        row.team.store(u64::from(least) | u64::from(most.max(team)) << 32, Relaxed);
    }
}

/// What a worker did since it returned from its last region: it waited until that region's end, then it was idle.
#[inline(always)]
fn undock(me: &Me<'_>, region_end: u64, begun: u64) {
    let (slot, part) = (me.slot, me.part());
    part.docked.store(0, Relaxed);
    if slot.state.load(Relaxed) != ThreadState::OmpBarrier as u32 {
        return;
    }
    let since = slot.since.load(Relaxed);
    let end = region_end.min(begun).max(since);
    raise(&table::row(part, slot.row.load(Relaxed).wrapping_sub(1)).longest, end - since);
    // Charges the row of the region that it returned from.
    thread::change(slot, ThreadState::OmpBarrier as u32, ThreadState::OmpIdle as u32, end);
    slot.row.store(1 + ROOT, Relaxed);
    thread::change(slot, ThreadState::OmpIdle as u32, ThreadState::OmpScheduling as u32, begun.max(end));
}

/// To be called when a thread ends, before its time is charged: a worker that is docked was idle since its master's last region.
pub fn thread_ends(slot: &ThreadSlot, now: u64) {
    let Some(me) = Me::of(slot) else { return };
    if me.part().docked.load(Relaxed) == 0 {
        return;
    }
    // SAFETY: slots stay mapped as long as the process.
    let end = unsafe { me.local.master.get().as_ref() }
        .map_or(0, |master| master.tables.openmp.last_end.load(Relaxed));
    // A nested team's threads end with it, before their master has told: they waited up to now.
    let end = if end < slot.since.load(Relaxed) { now } else { end };
    undock(&me, end, now);
}
