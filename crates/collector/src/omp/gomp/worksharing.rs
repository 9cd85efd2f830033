//! What loops and sections have in common: they begin in one entry point and end in another.

use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::ThreadState;

use super::super::account::Me;
use super::super::chunks;
use super::super::fork::at_barrier;
use super::super::local::{caller, entry};
use super::super::next::Next;
use super::super::position::OpenLoop;
use super::super::table::{Place, add};
use super::parallel::team;
use crate::time;

/// Opens a loop or sections by `run`, which fetches a first chunk too.
#[inline(always)]
pub fn begin<R: Copy>(
    place: impl FnOnce(&Me<'_>) -> Place,
    increment: i64,
    trips: u64,
    chunk: i64,
    run: impl FnOnce() -> R,
) -> R {
    let Some(me) = Me::here() else { return run() };
    let outside = me.local.position.get();
    let before = me.enter(&place(&me), ThreadState::OmpScheduling);
    let position = me.local.position.get();
    let row = me.row(position);
    add(&row.trips, trips);
    if chunk > 0 {
        row.chunk.store(chunk.cast_unsigned(), Relaxed);
    }
    let result = run();
    let Some(me) = Me::here() else { return result };
    me.go(time::now(), before.state, me.valid(position));
    me.local.open_loop.set(OpenLoop { outside, increment });
    result
}

/// Counts the chunk that came with the begin of a loop.
///
/// # Safety
/// The pointers must be where the runtime wrote the chunk, if it gave one.
#[inline(always)]
pub unsafe fn first(more: bool, begin: *const i64, end: *const i64) -> bool {
    if more && let Some(me) = Me::here() {
        // SAFETY: the caller's promise.
        chunks::count(me.local, unsafe { (*end).wrapping_sub(*begin) });
    }
    more
}

/// Closes a loop or sections by `run`, in which the thread waits for the others of its team.
#[inline(always)]
fn wait<R: Copy>(team: u32, run: impl FnOnce() -> R) -> R {
    let Some(me) = Me::here() else { return run() };
    let before = me.before(time::now());
    me.go(before.since, at_barrier(team) as u32, before.position);
    let result = run();
    if let Some(me) = Me::here() {
        me.leave(&before);
        close(&me);
    }
    result
}

/// A loop that is one with its region was not opened on its own: what follows is in the region still.
#[inline(always)]
fn close(me: &Me<'_>) {
    let outside = me.local.open_loop.get().outside;
    if outside.key != 0 {
        me.local.open_loop.set(OpenLoop::NONE);
        me.move_to(me.valid(outside));
    }
}

/// The same without a wait.
#[inline(always)]
fn go_on(me: &Me<'_>) {
    let at = me.local.position.get();
    let state = me.slot.state.load(Relaxed);
    me.go(time::now(), state, at);
    close(me);
}

type Plain = unsafe extern "C" fn();
type Cancelled = unsafe extern "C" fn() -> bool;

macro_rules! ends {
    ($($body:ident, $next:ident, $symbol:literal, $type:ty, $result:ty;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<$type> = Next::new($symbol);

        unsafe extern "C" fn $body() -> $result {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own call.
            let run = || unsafe { next() };
            if $next.tells_itself(from) { run() } else { wait(team(from), run) }
        }
    )* };
}

macro_rules! ends_at_once {
    ($($body:ident, $next:ident, $symbol:literal;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<Plain> = Next::new($symbol);

        unsafe extern "C" fn $body() {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own call.
            unsafe { next() };
            if !$next.tells_itself(from) && let Some(me) = Me::here() {
                go_on(&me);
            }
        }
    )* };
}

ends! {
    loop_end, LOOP_END, c"GOMP_loop_end", Plain, ();
    loop_end_cancel, LOOP_END_CANCEL, c"GOMP_loop_end_cancel", Cancelled, bool;
    sections_end, SECTIONS_END, c"GOMP_sections_end", Plain, ();
    sections_end_cancel, SECTIONS_END_CANCEL, c"GOMP_sections_end_cancel", Cancelled, bool;
}
ends_at_once! {
    loop_end_nowait, LOOP_END_NOWAIT, c"GOMP_loop_end_nowait";
    sections_end_nowait, SECTIONS_END_NOWAIT, c"GOMP_sections_end_nowait";
}

entry! {
    GOMP_loop_end => loop_end;
    GOMP_loop_end_cancel => loop_end_cancel;
    GOMP_loop_end_nowait => loop_end_nowait;
    GOMP_sections_end => sections_end;
    GOMP_sections_end_cancel => sections_end_cancel;
    GOMP_sections_end_nowait => sections_end_nowait;
}
