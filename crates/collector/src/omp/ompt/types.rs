//! Types and numbers of OMPT, as the OpenMP specification has them.

use core::ffi::{c_char, c_int, c_void};

/// A word that belongs to the tool, for each thread, region and task.
#[derive(Clone, Copy)]
#[repr(C)]
pub union OmptData {
    pub value: u64,
    pub pointer: *const c_void,
}

// SAFETY: nobody reads the pointer of the one static value.
unsafe impl Sync for OmptData {}

pub type Callback = unsafe extern "C" fn();
pub type Lookup = unsafe extern "C" fn(*const c_char) -> Option<Callback>;
pub type SetCallback = unsafe extern "C" fn(c_int, Callback) -> c_int;

#[repr(C)]
pub struct StartToolResult {
    pub initialize: unsafe extern "C" fn(Lookup, c_int, *mut OmptData) -> c_int,
    pub finalize: unsafe extern "C" fn(*mut OmptData),
    pub tool_data: OmptData,
}

/// Numbers of the events that we ask for.
#[derive(Clone, Copy)]
#[repr(i32)]
pub enum Event {
    ParallelBegin = 3,
    ParallelEnd = 4,
    TaskCreate = 5,
    TaskSchedule = 6,
    ImplicitTask = 7,
    Target = 8,
    SyncRegionWait = 16,
    Work = 20,
    MutexAcquire = 26,
    MutexAcquired = 27,
    NestLock = 28,
}

pub const SCOPE_BEGIN: c_int = 1;
pub const SCOPE_END: c_int = 2;

/// What is waited for.
pub mod sync {
    use core::ffi::c_int;

    pub const IMPLICIT: c_int = 2;
    pub const TASKWAIT: c_int = 5;
    pub const TASKGROUP: c_int = 6;
    pub const REDUCTION: c_int = 7;
    pub const END_OF_PARALLEL: c_int = 9;
}

/// Worksharing constructs. From 10 on, loops by their schedule (OpenMP 6.0; LLVM from 18 on).
pub mod work {
    use core::ffi::c_int;

    pub const LOOP: c_int = 1;
    pub const SECTIONS: c_int = 2;
    pub const SINGLE_EXECUTOR: c_int = 3;
    pub const SINGLE_OTHER: c_int = 4;
    pub const WORKSHARE: c_int = 5;
    pub const DISTRIBUTE: c_int = 6;
    pub const TASKLOOP: c_int = 7;
    pub const LOOP_STATIC: c_int = 10;
    pub const LOOP_DYNAMIC: c_int = 11;
    pub const LOOP_GUIDED: c_int = 12;
    pub const LOOP_OTHER: c_int = 13;
}

/// What is locked.
pub mod mutex {
    use core::ffi::c_int;

    pub const LOCK: c_int = 1;
    pub const NEST_LOCK: c_int = 3;
    pub const CRITICAL: c_int = 5;
    pub const ATOMIC: c_int = 6;
    pub const ORDERED: c_int = 7;
}

/// What became of a task that a thread leaves for another.
pub mod status {
    use core::ffi::c_int;

    pub const COMPLETE: c_int = 1;
    pub const YIELD: c_int = 2;
    pub const CANCEL: c_int = 3;
    pub const DETACH: c_int = 4;
    pub const SWITCH: c_int = 7;
}

/// Flags of tasks and regions.
pub const TASK_INITIAL: c_int = 1;
pub const TASK_EXPLICIT: c_int = 4;
pub const LEAGUE: c_int = 0x4000_0000;
