//! The tool of OMPT (OpenMP 5.2, chapter 19): LLVM's and Intel's runtimes find it in the process and call it at each event.
//!
//! Where the user gave a tool of his own, by `OMP_TOOL_LIBRARIES` or by preloading it behind us, that one is taken and we step aside.

mod chunks;
mod events;
mod functions;
mod types;

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};

use numawise_wire::snapshot::Flag;
use numawise_wire::snapshot::openmp::TOOLS;

use super::objects;
use crate::{process, system, thread};
use types::{Callback, Event, Lookup, OmptData, SetCallback, StartToolResult};

type Start = unsafe extern "C" fn(c_uint, *const c_char) -> *const StartToolResult;

/// Called by the runtime when it begins.
///
/// # Safety
/// As the specification has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompt_start_tool(version: c_uint, runtime: *const c_char) -> *const StartToolResult {
    let _errno = system::SavedErrno::new();
    let next = system::next_symbol(c"ompt_start_tool");
    if !next.is_null() {
        // SAFETY: a symbol of this name is a function of this type.
        let next: Start = unsafe { core::mem::transmute(next) };
        // SAFETY: the caller's own arguments.
        let theirs = unsafe { next(version, runtime) };
        if !theirs.is_null() {
            step_aside();
            return theirs;
        }
    }
    if thread::current().is_none() {
        return core::ptr::null();
    }
    if system::variable(TOOLS).is_some_and(|tools| !tools.is_empty()) {
        step_aside();
        return core::ptr::null();
    }
    &raw const RESULT
}

/// Where the program itself has a tool, the runtime finds that one before ours, which then is never asked.
fn look_for_another_tool() {
    let _errno = system::SavedErrno::new();
    let found = system::first_symbol(c"ompt_start_tool");
    // Our own use of the name would be bound to that one, too.
    if !found.is_null()
        && system::file_of(found.expose_provenance())
            != system::file_of((&raw const RESULT).expose_provenance())
    {
        step_aside();
    }
}

fn step_aside() {
    process::set_flag(Flag::OtherOmptTool);
    chunks::step_aside();
}

static RESULT: StartToolResult = StartToolResult { initialize, finalize, tool_data: OmptData { value: 0 } };

unsafe extern "C" fn initialize(lookup: Lookup, _device: c_int, _data: *mut OmptData) -> c_int {
    let find = |name: &CStr| {
        // SAFETY: the runtime's function gets a string.
        unsafe { lookup(name.as_ptr()) }
    };
    let Some(set) = find(c"ompt_set_callback") else { return 0 };
    // SAFETY: the function of this name has this type.
    let set: SetCallback = unsafe { core::mem::transmute(set) };
    for (event, callback) in events::callbacks() {
        // SAFETY: each callback has the type of its event. A runtime that does not have the event says so, and nothing is told of it.
        unsafe { set(event as c_int, callback) };
    }
    objects::note_runtime(lookup as *const () as usize);
    process::set_flag(Flag::Ompt);
    1
}

unsafe extern "C" fn finalize(_data: *mut OmptData) {}

/// A callback as the runtime takes it, whatever its arguments.
fn plain(function: *const c_void) -> Callback {
    // SAFETY: function pointers have one size; the runtime calls it with the arguments of its event.
    unsafe { core::mem::transmute(function) }
}

/// An event with the function that is called at it.
type Registration = (Event, Callback);
