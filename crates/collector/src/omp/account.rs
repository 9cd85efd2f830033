//! The calling thread's time: in which construct it is, in which state, and what its workers' waiting is made of.
//!
//! A change of state charges what has passed to the slot and to the row of the construct (`thread/state.rs`). What a
//! construct is left for is kept on the stack of the entry point, as values, so that a longjmp or an exception leaves nothing
//! dangling: whoever catches it goes back to what it kept itself.

use core::sync::atomic::Ordering::Relaxed;

use numawise_guest::python::{Interpreter, interpreter};
use numawise_wire::snapshot::openmp::{
    CHUNKS_PER_SAMPLE, ConstructKind, ConstructRow, OpenMp, ROOT, ROOT_KEY, ROWS,
};
use numawise_wire::snapshot::{ThreadSlot, ThreadState};

use super::local::{self, Local};
use super::objects;
use super::position::{Before, OpenLoop, Position};
use super::table::{self, Place, add, raise};
use crate::{process, python, thread, time, trace};

/// Regions stand in lines of Python as long as no more rows than these are taken.
const ROWS_WITH_LINES: u32 = ROWS as u32 * 2 / 3;

/// The calling thread, which is watched.
#[derive(Clone, Copy)]
pub struct Me<'a> {
    pub slot: &'a ThreadSlot,
    pub local: &'a Local,
}

impl<'a> Me<'a> {
    /// `None` where the thread is not watched.
    #[inline(always)]
    pub fn here() -> Option<Me<'a>> {
        Me::in_region_of(None)
    }

    /// The same, in a region that the thread of this number opened: another one, which is seen for the first time, was made for it.
    #[inline(always)]
    pub fn in_region_of(master: Option<u32>) -> Option<Me<'a>> {
        let slot = thread::current()?;
        let me = Me { slot, local: local::here() };
        if me.local.generation.get() == thread::local().generation.get()
            && core::ptr::eq(me.local.slot.get(), slot)
        {
            return Some(me);
        }
        me.begin(master).then_some(me)
    }

    /// The calling thread with the slot that it has; `None` where it did nothing of OpenMP with it.
    pub fn of(slot: &'a ThreadSlot) -> Option<Me<'a>> {
        let me = Me { slot, local: local::here() };
        let known = me.local.generation.get() == thread::local().generation.get();
        (known && core::ptr::eq(me.local.slot.get(), slot)).then_some(me)
    }

    #[inline(always)]
    pub fn part(&self) -> &'a OpenMp {
        &self.slot.tables.openmp
    }

    /// False where the thread's table has no memory.
    #[cold]
    fn begin(&self, master: Option<u32>) -> bool {
        if thread::tables(self.slot).is_none() {
            return false;
        }
        let local = self.local;
        local.slot.set(self.slot);
        local.generation.set(thread::local().generation.get());
        local.position.set(Position::ROOT);
        local.open_loop.set(OpenLoop::NONE);
        local.chunks.set(0);
        local.distance.set(0);
        local.estimate.set(0);
        local.typical.set(0);
        // Not the first call for sure: it is the slowest, and stands for many.
        let thread = self.slot.thread.load(Relaxed);
        local.countdown.set(1 + thread % CHUNKS_PER_SAMPLE as u32);
        local.random.set(thread | 1);
        local.last_end.set(0);
        local.master.set(core::ptr::null());
        local.opened.set(core::ptr::null());
        local.last_opened.set(core::ptr::null());
        local.unseen.set(0);
        local.works.set(0);
        local.depth.set(0);
        let part = self.part();
        part.docked.store(0, Relaxed);
        part.last_end.store(0, Relaxed);
        table::prepare(part);
        // What was before is charged to no row.
        let state = self.slot.state.load(Relaxed);
        let is_made = master.is_some_and(|master| master != thread);
        let before = if is_made { ThreadState::OmpScheduling as u32 } else { state };
        thread::change(self.slot, before, state, time::now());
        self.slot.row.store(1 + ROOT, Relaxed);
        true
    }

    #[inline(always)]
    pub fn row(&self, position: Position) -> &'a ConstructRow {
        table::row(self.part(), position.row)
    }

    /// A construct at `address` in what the thread is in. The same region within itself is one place: a recursion would fill the
    /// table.
    #[inline(always)]
    pub fn place(&self, kind: ConstructKind, address: usize) -> Place {
        let at = self.local.position.get();
        // A call that is the last thing in a region's function returns to whom that returns to, which is ourselves or the runtime: it
        // stands at the end of the region, and is named by the region.
        let at_end = objects::is_ours(address) || objects::is_runtime(address);
        let address = if at_end { self.row(at).address.load(Relaxed) as usize } else { address };
        if at.key == ROOT_KEY
            && kind == ConstructKind::Parallel
            && let Some(interpreter) = interpreter()
            && let Some(place) = self.in_python(interpreter, address)
        {
            return place;
        }
        let place = Place::inside(at.key, at.depth, kind, address);
        let row = self.row(at);
        if row.address.load(Relaxed) != place.address || row.kind.load(Relaxed) as u16 != kind as u16 {
            return place;
        }
        let parent = row.parent.load(Relaxed);
        Place { key: at.key, parent, depth: at.depth, ..place }
    }

    /// A region that a line of a program in Python opens: it stands in that line. Where many lines open many regions, further ones stand
    /// outside, so that there are rows for all regions.
    #[inline(never)]
    fn in_python(&self, interpreter: &Interpreter, address: usize) -> Option<Place> {
        let line = python::line(interpreter, thread::local())?;
        let line = Place::inside(ROOT_KEY, 0, ConstructKind::PythonLine, line as usize);
        let place = Place::inside(line.key, line.depth, ConstructKind::Parallel, address);
        let part = self.part();
        if part.rows_used.load(Relaxed) >= ROWS_WITH_LINES && !table::has(part, place.key) {
            return None;
        }
        table::find(part, &line);
        Some(place)
    }

    /// Where a thread is in `place`.
    #[inline(always)]
    pub fn position(&self, place: &Place) -> Position {
        let at = self.local.position.get();
        let row = table::find(self.part(), place);
        let Place { key, depth, .. } = *place;
        match place.kind {
            ConstructKind::Parallel | ConstructKind::Teams => {
                Position { key, region: key, row, depth, region_depth: depth }
            }
            _ => Position { key, row, depth, ..at },
        }
    }

    /// Goes over to a state in a construct; what has passed is charged to what the thread was in.
    #[inline(always)]
    pub fn go(&self, now: u64, state: u32, position: Position) {
        if trace::is_on() {
            self.trace(now, state);
        }
        self.go_untraced(now, state, position);
    }

    /// The same where what is over is written down already.
    #[inline(always)]
    pub fn go_untraced(&self, now: u64, state: u32, position: Position) {
        let local = self.local;
        if local.chunks.get() != 0 || local.estimate.get() != 0 {
            self.charge_chunks(now);
        }
        thread::change(self.slot, self.slot.state.load(Relaxed), state, now);
        self.slot.row.store(1 + position.row, Relaxed);
        local.position.set(position);
    }

    /// Of a change of state: a wait that is over; of a worker that waits to be called the task that it took up meanwhile.
    #[inline(never)]
    fn trace(&self, now: u64, next: u32) {
        let before = self.slot.state.load(Relaxed);
        let [barrier, lock] = [ThreadState::OmpBarrier as u32, ThreadState::OmpLock as u32];
        let is_docked = self.part().docked.load(Relaxed) != 0;
        let [begun, since] = self.local.called.get();
        match (is_docked, before == barrier, next == barrier) {
            (true, true, false) => self.local.called.set([begun, now]),
            (true, false, true) => self.trace_worked([begun, since, now]),
            (false, true, _) => trace::waited(self.slot, now),
            (false, false, _) if before == lock => trace::waited(self.slot, now),
            _ => {}
        }
    }

    #[inline(never)]
    pub fn trace_worked(&self, moments: [u64; 3]) {
        trace::worked(self.slot, moments, self.part().master.load(Relaxed));
    }

    /// Before a change of state: brings the chunks since the last one into the row, and takes what fetching them took off the useful
    /// time. A sample that stands for more than there was stands for all there was.
    #[inline(never)]
    fn charge_chunks(&self, now: u64) {
        let local = self.local;
        let row = table::row(self.part(), self.slot.row.load(Relaxed).wrapping_sub(1));
        add(&row.chunks, local.chunks.replace(0));
        let (distance, increment) = (local.distance.replace(0), local.open_loop.get().increment);
        if increment != 0 {
            // Each distance is a multiple of the increment, but for the last chunk of the loop.
            let rest = distance.wrapping_rem(increment);
            add(&row.iterations, distance.wrapping_div(increment).unsigned_abs() + u64::from(rest != 0));
        }
        let state = self.slot.state.load(Relaxed);
        let estimate = local.estimate.replace(0);
        if estimate != 0 && state == ThreadState::Useful as u32 {
            let since = self.slot.since.load(Relaxed);
            let until = since.saturating_add(estimate).min(now);
            // As if they had been fetched one after the other at the beginning.
            thread::change(self.slot, ThreadState::OmpScheduling as u32, state, until);
        }
    }

    /// Goes into a construct that stands where `place` says.
    #[inline(always)]
    pub fn enter(&self, place: &Place, state: ThreadState) -> Before {
        let now = time::now();
        let before = self.before(now);
        let position = self.position(place);
        self.go(now, state as u32, position);
        add(&self.row(position).calls, 1);
        before
    }

    #[inline(always)]
    pub fn before(&self, now: u64) -> Before {
        Before { position: self.local.position.get(), state: self.slot.state.load(Relaxed), since: now }
    }

    /// Goes back out of a construct in which the thread waited.
    #[inline(always)]
    pub fn leave(&self, before: &Before) {
        let now = time::now();
        let row = self.row(self.local.position.get());
        raise(&row.longest, now.saturating_sub(before.since));
        self.back(now, before);
        process::note_time(now);
    }

    /// Goes back to what was left. A child of fork has another table: it is then outside of everything.
    #[inline(always)]
    pub fn back(&self, now: u64, before: &Before) {
        let position = self.valid(before.position);
        self.go(now, before.state, position);
    }

    /// Stands in another construct from now on, which is the moment of the last change.
    #[inline(always)]
    pub fn move_to(&self, position: Position) {
        self.slot.row.store(1 + position.row, Relaxed);
        self.local.position.set(position);
    }

    /// The position, where the table has it.
    #[inline(always)]
    pub fn valid(&self, position: Position) -> Position {
        if self.row(position).key.load(Relaxed) == position.key || position.row != ROOT && position.row < 2 {
            position
        } else {
            Position::ROOT
        }
    }
}

/// Within a construct at the caller's place, in a state; `run` is what the runtime does there.
#[inline(always)]
pub fn within<R>(kind: ConstructKind, state: ThreadState, caller: usize, run: impl FnOnce() -> R) -> R {
    let before = Me::here().map(|me| me.enter(&me.place(kind, caller), state));
    let result = run();
    if let Some(before) = before
        && let Some(me) = Me::here()
    {
        me.leave(&before);
    }
    result
}
