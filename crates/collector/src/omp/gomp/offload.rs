//! Offloading: counted, at the place of the call. What runs on the host then is the calling thread's time.

use core::ffi::{c_int, c_uint, c_void};

use numawise_wire::snapshot::openmp::ConstructKind;

use super::super::account::Me;
use super::super::fork::Body;
use super::super::local::{caller, entry};
use super::super::next::Next;
use super::super::table::{self, add};

fn count(from: usize) {
    let Some(me) = Me::here() else { return };
    let place = me.place(ConstructKind::Target, from);
    add(&table::row(me.part(), table::find(me.part(), &place)).calls, 1);
}

macro_rules! counted {
    ($($body:ident, $next:ident, $symbol:literal, ($($argument:ident: $type:ty),*);)*) => { $(
        #[unsafe(link_section = "numawise_next")]
        static $next: Next<unsafe extern "C" fn($($type),*)> = Next::new($symbol);

        #[allow(clippy::too_many_arguments)]
        unsafe extern "C" fn $body($($argument: $type),*) {
            let from = caller();
            let next = $next.get(from);
            if !$next.tells_itself(from) { count(from); }
            // SAFETY: the caller's own arguments.
            unsafe { next($($argument),*) }
        }
    )* };
}

type Addresses = *mut *mut c_void;
type Sizes = *mut usize;
type Marks = *mut c_void;

counted! {
    target, TARGET, c"GOMP_target",
        (device: c_int, body: Body, unused: *const c_void, number: usize, addresses: Addresses, sizes: Sizes, marks: Marks);
    target_ext, TARGET_EXT, c"GOMP_target_ext",
        (device: c_int, body: Body, number: usize, addresses: Addresses, sizes: Sizes, marks: Marks, flags: c_uint,
         depend: Addresses, arguments: Addresses);
    data, DATA, c"GOMP_target_data",
        (device: c_int, unused: *const c_void, number: usize, addresses: Addresses, sizes: Sizes, marks: Marks);
    data_ext, DATA_EXT, c"GOMP_target_data_ext",
        (device: c_int, number: usize, addresses: Addresses, sizes: Sizes, marks: Marks);
    update, UPDATE, c"GOMP_target_update",
        (device: c_int, unused: *const c_void, number: usize, addresses: Addresses, sizes: Sizes, marks: Marks);
    update_ext, UPDATE_EXT, c"GOMP_target_update_ext",
        (device: c_int, number: usize, addresses: Addresses, sizes: Sizes, marks: Marks, flags: c_uint, depend: Addresses);
    enter_exit, ENTER_EXIT, c"GOMP_target_enter_exit_data",
        (device: c_int, number: usize, addresses: Addresses, sizes: Sizes, marks: Marks, flags: c_uint, depend: Addresses);
}

entry! {
    GOMP_target => target;
    GOMP_target_ext => target_ext;
    GOMP_target_data => data;
    GOMP_target_data_ext => data_ext;
    GOMP_target_update => update;
    GOMP_target_update_ext => update_ext;
    GOMP_target_enter_exit_data => enter_exit;
}
