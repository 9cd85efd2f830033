//! Barriers, singles, critical and ordered sections: where threads wait for one another.

use core::ffi::c_void;

use numawise_wire::snapshot::ThreadState;
use numawise_wire::snapshot::openmp::ConstructKind;

use super::super::account::{Me, within};
use super::super::fork::at_barrier;
use super::super::local::{caller, entry};
use super::super::next::Next;
use super::super::table::{self, add};
use super::parallel::team;

/// Entry points in which a thread waits, each a construct of its own at the place of the call.
macro_rules! waits {
    ($($body:ident, $next:ident, $symbol:literal, $kind:ident, $state:ident, ($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<unsafe extern "C" fn($($type),*) $(-> $result)?> = Next::new($symbol);

        unsafe extern "C" fn $body($($argument: $type),*) $(-> $result)? {
            let from = caller();
            let next = $next.get(from);
            // SAFETY: the caller's own arguments.
            let run = || unsafe { next($($argument),*) };
            if $next.tells_itself(from) { return run(); }
            let state = match ThreadState::$state {
                ThreadState::OmpBarrier => at_barrier(team(from)),
                other => other,
            };
            within(ConstructKind::$kind, state, from, run)
        }
    )* };
}

waits! {
    barrier, BARRIER, c"GOMP_barrier", Barrier, OmpBarrier, ();
    barrier_cancel, BARRIER_CANCEL, c"GOMP_barrier_cancel", Barrier, OmpBarrier, () -> bool;
    // Ends a worksharing construct with reductions over tasks: there is a barrier in it.
    reductions_done, REDUCTIONS_DONE, c"GOMP_workshare_task_reduction_unregister", Barrier, OmpBarrier, (cancelled: bool);
    // Where not the first, a thread waits for what that one has copied.
    single_copy_start, SINGLE_COPY_START, c"GOMP_single_copy_start", Single, OmpBarrier, () -> *mut c_void;
    single_copy_end, SINGLE_COPY_END, c"GOMP_single_copy_end", Single, OmpBarrier, (data: *mut c_void);
    critical, CRITICAL, c"GOMP_critical_start", Critical, OmpLock, ();
    critical_name, CRITICAL_NAME, c"GOMP_critical_name_start", Critical, OmpLock, (lock: *mut *mut c_void);
    atomic, ATOMIC, c"GOMP_atomic_start", Atomic, OmpLock, ();
    ordered, ORDERED, c"GOMP_ordered_start", Ordered, OmpLock, ();
}

#[unsafe(link_section = "numawise_next")]
static SINGLE: Next<unsafe extern "C" fn() -> bool> = Next::new(c"GOMP_single_start");

/// Nobody waits here: the barrier behind is one of its own. Counted: calls, and how often this thread is the one.
unsafe extern "C" fn single() -> bool {
    let from = caller();
    let next = SINGLE.get(from);
    // SAFETY: the caller's own call.
    let chosen = unsafe { next() };
    if !SINGLE.tells_itself(from)
        && let Some(me) = Me::here()
    {
        let place = me.place(ConstructKind::Single, from);
        let row = table::row(me.part(), table::find(me.part(), &place));
        add(&row.calls, 1);
        add(&row.opened, u64::from(chosen));
    }
    chosen
}

entry! {
    GOMP_barrier => barrier;
    GOMP_barrier_cancel => barrier_cancel;
    GOMP_workshare_task_reduction_unregister => reductions_done;
    GOMP_single_start => single;
    GOMP_single_copy_start => single_copy_start;
    GOMP_single_copy_end => single_copy_end;
    GOMP_critical_start => critical;
    GOMP_critical_name_start => critical_name;
    GOMP_atomic_start => atomic;
    GOMP_ordered_start => ordered;
}
