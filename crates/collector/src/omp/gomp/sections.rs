//! Sections: a loop over the numbers of blocks of code.

use core::ffi::{c_uint, c_void};

use numawise_wire::snapshot::openmp::{ConstructKind, LoopSchedule};

use super::super::account::Me;
use super::super::chunks;
use super::super::local::{caller, entry};
use super::super::next::Next;
use super::super::table::Place;
use super::worksharing::begin;

/// The number of a section, from 1 on; 0: none is left.
type Section = c_uint;

fn sections(me: &Me<'_>, from: usize) -> Place {
    Place { schedule: LoopSchedule::Dynamic, ..me.place(ConstructKind::Sections, from) }
}

fn open(from: usize, number: c_uint, run: impl FnOnce() -> Section) -> Section {
    let section = begin(|me| sections(me, from), 1, u64::from(number), 1, run);
    if section != 0
        && let Some(me) = Me::here()
    {
        chunks::count(me.local, 1);
    }
    section
}

#[unsafe(link_section = "numawise_next")]
static START: Next<unsafe extern "C" fn(c_uint) -> Section> = Next::new(c"GOMP_sections_start");

unsafe extern "C" fn start(number: c_uint) -> Section {
    let from = caller();
    let next = START.get(from);
    // SAFETY: the caller's own arguments.
    let run = || unsafe { next(number) };
    if START.tells_itself(from) { run() } else { open(from, number, run) }
}

type Start2 = unsafe extern "C" fn(c_uint, *mut usize, *mut *mut c_void) -> Section;
#[unsafe(link_section = "numawise_next")]
static START2: Next<Start2> = Next::new(c"GOMP_sections2_start");

unsafe extern "C" fn start2(number: c_uint, reductions: *mut usize, memory: *mut *mut c_void) -> Section {
    let from = caller();
    let next = START2.get(from);
    // SAFETY: the caller's own arguments.
    let run = || unsafe { next(number, reductions, memory) };
    if START2.tells_itself(from) { run() } else { open(from, number, run) }
}

#[unsafe(link_section = "numawise_next")]
static NEXT: Next<unsafe extern "C" fn() -> Section> = Next::new(c"GOMP_sections_next");

unsafe extern "C" fn next_section() -> Section {
    let next = NEXT.get(caller());
    // SAFETY: the caller's own call.
    chunks::fetch(move || unsafe { next() }, |section| (section != 0).then_some(1))
}

entry! {
    GOMP_sections_start => start;
    GOMP_sections2_start => start2;
    GOMP_sections_next => next_section;
}
