//! The program's own phases: regions that it names (`numawise_region_begin` of `include/numawise.h`, which finds the two functions
//! below), and `MPI_Pcontrol`.
//!
//! Nothing is done where a thread changes its state: at the begin and at the end of a phase the sums of the threads are read, and what
//! lies between them is the phase's. That costs some 50 ns and 10 for each thread, and nothing for programs without phases.

mod stack;
mod sums;
mod table;

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use numawise_wire::snapshot::{Header, Phase, PhaseKind, ThreadSlot};
use numawise_wire::trace::RecordKind;

use crate::process;
use crate::system::SavedErrno;
use crate::{thread, time, trace};

use stack::Entry;
use sums::Sums;
use table::PhaseName;
pub use table::hash;

/// Begins a region of this name.
///
/// # Safety
/// `name` must be a string that ends with a zero, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_collector_region_begin(name: *const c_char) {
    if name.is_null() {
        return;
    }
    let _errno = SavedErrno::new();
    // SAFETY: the caller's promise.
    begin_region(unsafe { CStr::from_ptr(name) }.to_bytes());
}

/// Ends the region of this name that the calling thread began last, and those that it began since.
///
/// # Safety
/// `name` must be a string that ends with a zero, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn numawise_collector_region_end(name: *const c_char) {
    if name.is_null() {
        return;
    }
    let _errno = SavedErrno::new();
    // SAFETY: the caller's promise.
    end_region(unsafe { CStr::from_ptr(name) }.to_bytes());
}

fn begin_region(name: &[u8]) {
    let (Some(slot), Some(header)) = (thread::current(), process::header()) else { return };
    let now = time::now();
    process::note_time(now);
    let is_of_process = slot.main.load(Relaxed) != 0 && sums::is_outside_of_constructs(slot);
    let kind = if is_of_process { PhaseKind::Region } else { PhaseKind::ThreadRegion };
    let row = table::find(kind, PhaseName::Text(name));
    let Some(entry) = stack::push(table::hash(name), row.map(|(number, _)| number)) else {
        header.phases_dropped.fetch_add(1, Relaxed);
        return;
    };
    match row {
        None => {
            header.phases_dropped.fetch_add(1, Relaxed);
        }
        Some(row) if is_of_process => open_of_process(row, slot, now),
        Some((number, phase)) => {
            phase.open.fetch_add(1, Relaxed);
            if !stack::holds(entry, true) {
                trace::phase(slot, RecordKind::PhaseBegin, now, number);
            }
            entry.begin.set(now);
            entry.base.set(Sums::of_thread(slot, now));
        }
    }
}

fn end_region(name: &[u8]) {
    let (Some(slot), Some(header)) = (thread::current(), process::header()) else { return };
    let now = time::now();
    process::note_time(now);
    if stack::leave_beyond() {
        return;
    }
    let name = table::hash(name);
    if !stack::has(name) {
        header.phases_unbalanced.fetch_add(1, Relaxed);
        return;
    }
    while let Some(entry) = stack::pop() {
        close(entry, slot, now);
        if entry.name.get() == name {
            return;
        }
        header.phases_unbalanced.fetch_add(1, Relaxed);
    }
}

/// Ends what a thread that ends has begun for itself. What is of the process goes on.
pub fn thread_ends(slot: &ThreadSlot, now: u64) {
    let Some(header) = process::header() else { return };
    if slot.main.load(Relaxed) != 0 {
        return;
    }
    while let Some(entry) = stack::pop() {
        close(entry, slot, now);
        header.phases_unbalanced.fetch_add(1, Relaxed);
    }
}

fn close(entry: &Entry, slot: &ThreadSlot, now: u64) {
    // Begun by the parent of this child, or it found no row.
    let Some((number, phase)) = entry.number().and_then(row) else { return };
    if phase.kind.load(Relaxed) != PhaseKind::ThreadRegion as u32 {
        close_of_process((number, phase), slot, now);
        return;
    }
    phase.open.fetch_sub(1, Relaxed);
    phase.count.fetch_add(1, Relaxed);
    if !stack::holds(entry, false) {
        trace::phase(slot, RecordKind::PhaseEnd, now, number);
        let passed = Sums::of_thread(slot, now).since(&entry.base.get());
        passed.add_to(phase, now.saturating_sub(entry.begin.get()));
    }
}

fn row<'a>(number: usize) -> Option<(usize, &'a Phase)> {
    table::row(number).map(|phase| (number, phase))
}

/// Only the first thread does that.
fn open_of_process((number, phase): (usize, &Phase), slot: &ThreadSlot, now: u64) {
    if phase.open.load(Relaxed) == 0 {
        trace::phase(slot, RecordKind::PhaseBegin, now, number);
        let sums = Sums::of_process(slot, now);
        phase.begin.store(now, Relaxed);
        sums.store(&phase.base, &phase.base_mpi);
        phase.threads.fetch_max(sums.threads, Relaxed);
    }
    phase.open.fetch_add(1, Relaxed);
}

fn close_of_process((number, phase): (usize, &Phase), slot: &ThreadSlot, now: u64) {
    let open = phase.open.load(Relaxed);
    phase.count.fetch_add(1, Relaxed);
    if open == 1 {
        trace::phase(slot, RecordKind::PhaseEnd, now, number);
        let passed = Sums::of_process(slot, now).since(&Sums::load(&phase.base, &phase.base_mpi));
        passed.add_to(phase, now.saturating_sub(phase.begin.load(Relaxed)));
    }
    phase.open.store(open.saturating_sub(1), Relaxed);
}

/// 1 + the row of what the last MPI_Pcontrol began; 0: nothing.
static CONTROL: AtomicU32 = AtomicU32::new(0);

/// `MPI_Pcontrol(level)`: 1 (and -1) ends what an earlier call began; 0, and 2 and up, begin a phase of that number in its place; -2 and
/// down end the phase of that number. Calls of other threads than the first one are not heeded.
pub fn control(header: &Header, slot: &ThreadSlot, level: i32) {
    header.phase.store(level.cast_unsigned(), Relaxed);
    if slot.main.load(Relaxed) == 0 {
        return;
    }
    let _errno = SavedErrno::new();
    let now = time::now();
    process::note_time(now);
    let current = CONTROL.load(Relaxed).checked_sub(1).and_then(|number| row(number as usize));
    let is_other =
        |(_, phase): &(usize, &Phase)| phase.level.load(Relaxed) != level.wrapping_neg().cast_unsigned();
    if level < -1 && current.as_ref().is_none_or(is_other) {
        header.phases_unbalanced.fetch_add(1, Relaxed);
        return;
    }
    CONTROL.store(0, Relaxed);
    if let Some(phase) = current {
        close_of_process(phase, slot, now);
    }
    if level < 0 || level == 1 {
        return;
    }
    match table::find(PhaseKind::Control, PhaseName::Level(level)) {
        Some((number, phase)) => {
            open_of_process((number, phase), slot, now);
            CONTROL.store(number as u32 + 1, Relaxed);
        }
        None => {
            header.phases_dropped.fetch_add(1, Relaxed);
        }
    }
}

/// In a child of fork: what its parent began is not its own.
pub fn begin_child() {
    CONTROL.store(0, Relaxed);
}
