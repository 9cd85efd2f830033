//! What is done before and after a function that allocates, frees or maps. A free is written before it, an allocation after it, so that
//! the order of the ring is that in which memory changed hands.

use core::ffi::c_long;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use numawise_guest::system::SavedErrno;
use numawise_guest::{process, sandbox};
use numawise_wire::heap::EventKind;

use crate::budget::{self, Cost, SMALL_SITE, Surroundings, Turn};
use crate::frame::Frame;
use crate::function::{self, FUNCTIONS, Function, Size, What};
use crate::local::{Local, local};
use crate::log::{self, Log};
use crate::ring::{self, Happened};
use crate::{draw, early, member, placed, rules, stacks, timer};

/// Bytes from which on an allocation is written down; before the begin all come here, and none after it where nothing is watched. Read
/// by the entries.
pub static LEAST: AtomicU64 = AtomicU64::new(0);

/// All large ones are written down, whatever that costs.
pub static IS_ALL: AtomicBool = AtomicBool::new(false);

/// In [`Frame::note`]: it is one of the large ones.
const LARGE: usize = 1;
/// It is small, and drawn.
const DRAWN: usize = 2;
/// The block that is to be made larger was one that was written down.
const REMOVED: usize = 4;
/// From this bit on, a byte each: the place of a large one, and as an exponent for how many it stands.
const SITE_SHIFT: u32 = 8;
const EXPONENT_SHIFT: u32 = 16;
/// It was put on nodes; from this bit on the note has 1 + the number of these.
const TARGET_SHIFT: u32 = 24;

/// In [`Next::how`]: the function is called, and [`after`] then.
const CALL: usize = 1;

/// What the entry does; returned in two registers.
#[repr(C)]
pub struct Next {
    value: usize,
    how: usize,
}

impl Next {
    fn jump(function: usize) -> Next {
        Next { value: function, how: 0 }
    }

    fn call(function: usize) -> Next {
        Next { value: function, how: CALL }
    }

    fn result(value: usize) -> Next {
        Next { value, how: 2 }
    }
}

pub extern "C" fn before(frame: &mut Frame) -> Next {
    let local = local();
    if log::is_begun() {
        let _errno = SavedErrno::new();
        local.budget.begin_timing(log::now);
    }
    let next = next(local, frame);
    if next.how == CALL {
        let _errno = SavedErrno::new();
        local.budget.pause_timing(log::now);
    }
    next
}

fn next(local: &Local, frame: &mut Frame) -> Next {
    let errno = SavedErrno::new();
    let Some(function) = FUNCTIONS.get(frame.number) else { return Next::result(0) };
    if let Some(number) = system_call(function)
        && (local.looks_up.get() || !function::is_known(frame.number))
    {
        drop(errno);
        return directly(number, frame);
    }
    if local.looks_up.get() {
        return looked_up(function, frame);
    }
    let real = function::real(frame.number, frame.ip);
    if real == 0 {
        drop(errno);
        return nothing_there(function);
    }
    frame.note = 0;
    let passed = function.operator && !function::is_of_allocator(real);
    if passed || early::length(frame.argument(0)).is_some() {
        return early(function, frame, real).unwrap_or(Next::jump(real));
    }
    match function.what {
        What::Allocate(_) | What::AllocateInto(_) if function::is_inner(frame.ip) => {}
        What::Allocate(size) | What::AllocateInto(size) => {
            frame.note = note(local, frame, bytes_of(frame, size));
        }
        What::Reallocate => {
            let old = frame.argument(0);
            frame.note = note(local, frame, frame.argument(1));
            if released(local, old) {
                frame.note |= REMOVED;
                if let Some(target) = placed::give_back(old) {
                    frame.note |= (target + 1) << TARGET_SHIFT;
                }
            }
        }
        What::Release => {
            let address = frame.argument(0);
            if released(local, address) {
                placed::free(address);
            }
        }
        What::Map | What::Attach => frame.note = LARGE,
        What::Unmap => unmapped(local, frame),
        What::Remap => {
            unmapped(local, frame);
            frame.note = LARGE;
        }
        What::Detach => {
            gone(local, EventKind::Detached, frame.argument(0), 0);
        }
        What::Signal if timer::is_signal(frame.argument(0)) => {
            if let Some(next) = signal(frame) {
                return next;
            }
        }
        What::Signal => {}
    }
    if frame.note == 0 { Next::jump(real) } else { Next::call(real) }
}

fn bytes_of(frame: &Frame, size: Size) -> usize {
    match size {
        Size::Argument(number) => frame.argument(number),
        Size::Product => frame.argument(0).checked_mul(frame.argument(1)).unwrap_or(0),
    }
}

/// The large ones, where they are not too many, and small ones that are drawn.
fn note(local: &Local, frame: &Frame, bytes: usize) -> usize {
    if bytes as u64 >= LEAST.load(Relaxed) {
        return large(local, frame, bytes);
    }
    if !cfg!(target_arch = "x86_64") {
        local.countdown.set(local.countdown.get().saturating_sub_unsigned(bytes as u64));
    }
    if local.countdown.get() >= 0 {
        return 0;
    }
    if process::is_off() {
        // Nothing is ever drawn: the entries need not ask again.
        local.countdown.set(i64::MAX);
    }
    if log::is_begun() && draw::is_due(local) { DRAWN } else { 0 }
}

/// The calling thread.
struct Here<'a>(&'a Local);

impl Surroundings for Here<'_> {
    fn now(&mut self) -> u64 {
        log::now()
    }

    fn used(&mut self) -> u64 {
        numawise_syscalls::clock(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or(0)
    }

    fn random(&mut self) -> u64 {
        draw::random(self.0)
    }
}

/// The note of a large one; 0 where another of its place stands for it.
fn large(local: &Local, frame: &Frame, bytes: usize) -> usize {
    let counted = local.counted.replace(0) as usize;
    let site = match counted.checked_sub(1) {
        Some(site) => site,
        None => budget::site(frame.ip, local.operator_from.replace(0), bytes),
    };
    let Some(countdown) = local.countdowns.get(site) else { return 0 };
    if counted == 0 {
        countdown.set(countdown.get().wrapping_sub(1));
        if countdown.get() >= 0 {
            return 0;
        }
    }
    let written =
        |exponent: u8| LARGE | (site & 0xff) << SITE_SHIFT | usize::from(exponent) << EXPONENT_SHIFT;
    // Those of rules are put on nodes, each of them.
    if rules::are_there() && !sandbox::is_quiet() || IS_ALL.load(Relaxed) && log::is_begun() {
        countdown.set(0);
        return written(0);
    }
    if !log::is_begun() {
        countdown.set(0);
        return 0;
    }
    match local.budget.take_turn(site, countdown, &mut Here(local)) {
        Turn::Written(exponent) => written(exponent),
        Turn::Passed => 0,
    }
}

/// Writes down that a block is freed, where that it was allocated is. True where it may be so.
fn released(local: &Local, address: usize) -> bool {
    let is = member::remove(address);
    if is {
        gone(local, EventKind::Freed, address, 0);
    }
    is
}

/// munmap(2) and mremap(2) refuse what does not begin with a page.
fn unmapped(local: &Local, frame: &Frame) {
    let (address, bytes) = (frame.argument(0), frame.argument(1));
    if bytes > 0 && address.is_multiple_of(numawise_guest::memory::PAGE) {
        gone(local, EventKind::Unmapped, address, bytes);
    }
}

fn gone(local: &Local, kind: EventKind, address: usize, bytes: usize) {
    if let Some(log) = log::log() {
        let at = log::now();
        let event = Happened { kind, at, address, bytes: bytes as u64, stack: None, exponent: 0 };
        ring::write_event(&log, local, &event);
        local.budget.time(Cost::Gone, log::now);
        local.budget.charge_gone();
    }
}

/// Tells the log what the thread spent.
pub fn tell(log: &Log<'_>, local: &Local, is_last: bool) {
    if let Some(told) = local.budget.told(is_last) {
        log.header.spent.fetch_add(told.nanoseconds, Relaxed);
        log.header.passed.fetch_add(told.passed, Relaxed);
    }
}

/// The program takes the signal of the samples, or asks for it: it finds the default, as without us.
fn signal(frame: &Frame) -> Option<Next> {
    let is_asked = frame.number == function::SIGACTION && frame.argument(1) == 0;
    if !is_asked {
        timer::give_signal_back();
        return None;
    }
    if frame.argument(2) != 0 {
        let old = core::ptr::with_exposed_provenance_mut::<libc::sigaction>(frame.argument(2));
        // SAFETY: the caller keeps to sigaction(2): there is place for one. Zeros are the default.
        unsafe { old.write(core::mem::zeroed()) };
    }
    Some(Next::result(0))
}

/// Functions that are calls of the kernel, and nothing else.
fn system_call(function: &Function) -> Option<c_long> {
    match function.what {
        What::Map => Some(libc::SYS_mmap),
        What::Unmap => Some(libc::SYS_munmap),
        What::Remap => Some(libc::SYS_mremap),
        What::Attach => Some(libc::SYS_shmat),
        What::Detach => Some(libc::SYS_shmdt),
        _ => None,
    }
}

/// Before the begin, an allocator that is linked into the program may map its first memory while it cannot be asked for any, which the loader
/// does where it looks a function up.
fn directly(number: c_long, frame: &Frame) -> Next {
    let [a, b, c, d, e, f] = frame.arguments;
    // SAFETY: the arguments are the program's own.
    Next::result(unsafe { libc::syscall(number, a, b, c, d, e, f) } as usize)
}

/// What the loader allocates while it looks functions up for us.
fn looked_up(function: &Function, frame: &Frame) -> Next {
    match function.what {
        What::Allocate(size) => {
            let alignment = if size == Size::Argument(1) { frame.argument(0) } else { 0 };
            Next::result(early::allocate(bytes_of(frame, size), alignment))
        }
        What::Reallocate => Next::result(moved(frame.argument(0), frame.argument(1), early::allocate)),
        What::AllocateInto(_) => Next::result(libc::ENOMEM as usize),
        // Of another allocator: a few bytes that stay.
        What::Release => Next::result(0),
        What::Map | What::Unmap | What::Remap | What::Attach | What::Detach | What::Signal => {
            Next::result(usize::MAX)
        }
    }
}

/// Frees of what was allocated so, and what becomes of it when it is to be larger. `None` for all else.
fn early(function: &Function, frame: &Frame, real: usize) -> Option<Next> {
    let address = frame.argument(0);
    early::length(address)?;
    match function.what {
        What::Release => Some(Next::result(0)),
        What::Reallocate => {
            type Reallocate = unsafe extern "C" fn(usize, usize) -> usize;
            // SAFETY: the real realloc, which takes null for what is new.
            let new = |bytes, _| unsafe { core::mem::transmute::<usize, Reallocate>(real)(0, bytes) };
            Some(Next::result(moved(address, frame.argument(1), new)))
        }
        _ => None,
    }
}

/// New memory with what was in the old; 0 where there is none.
fn moved(old: usize, bytes: usize, allocate: impl Fn(usize, usize) -> usize) -> usize {
    let new = allocate(bytes, 0);
    let length = early::length(old).unwrap_or(0).min(bytes);
    if new != 0 && length > 0 {
        let (from, to) =
            (core::ptr::with_exposed_provenance::<u8>(old), core::ptr::with_exposed_provenance_mut(new));
        // SAFETY: both have so many bytes, and the new one is nobody else's.
        unsafe { core::ptr::copy_nonoverlapping(from, to, length) };
    }
    new
}

/// There is no such function: it fails as where there is no memory.
fn nothing_there(function: &Function) -> Next {
    // SAFETY: the address is valid for the calling thread.
    unsafe { *libc::__errno_location() = libc::ENOMEM };
    match function.what {
        What::AllocateInto(_) => Next::result(libc::ENOMEM as usize),
        What::Map | What::Remap | What::Attach | What::Unmap | What::Detach | What::Signal => {
            Next::result(usize::MAX)
        }
        What::Allocate(_) | What::Reallocate | What::Release => Next::result(0),
    }
}

pub extern "C" fn after(frame: &Frame, result: usize) -> usize {
    let _errno = SavedErrno::new();
    if let Some(function) = FUNCTIONS.get(frame.number) {
        let place = Place { frame, local: local(), log: log::log() };
        place.local.budget.go_on_timing(log::now);
        match function.what {
            What::Allocate(size) => place.allocated(result, bytes_of(frame, size)),
            What::AllocateInto(size) if result == 0 => {
                // SAFETY: the function succeeded, and wrote the address there.
                let address =
                    unsafe { core::ptr::with_exposed_provenance::<usize>(frame.argument(0)).read() };
                place.allocated(address, bytes_of(frame, size));
            }
            What::Reallocate => place.reallocated(result),
            What::Map => place.mapped(result, frame.argument(1), frame.argument(3) as i32),
            What::Remap => place.remapped(result),
            What::Attach => place.attached(result),
            What::AllocateInto(_) | What::Release | What::Unmap | What::Detach | What::Signal => {}
        }
    }
    result
}

/// A call that returned.
struct Place<'a> {
    frame: &'a Frame,
    local: &'a Local,
    /// Where anything is written down.
    log: Option<Log<'a>>,
}

impl Place<'_> {
    fn write(&self, kind: EventKind, address: usize, bytes: u64) {
        let Some(log) = &self.log else { return };
        let at = log::now();
        let stack = stacks::number(log, self.local, self.frame, at);
        let exponent = if kind == EventKind::Allocated { self.byte(EXPONENT_SHIFT) as u8 } else { 0 };
        let event = Happened { kind, at, address, bytes, stack, exponent };
        let late = ring::write_event(log, self.local, &event);
        let budget = &self.local.budget;
        budget.time(Cost::Begun, log::now);
        let (site, countdown) = match kind {
            EventKind::Allocated => {
                let site = self.byte(SITE_SHIFT);
                (site, self.local.countdowns.get(site))
            }
            EventKind::Drawn => (SMALL_SITE, None),
            // Mappings are written down whatever they cost: they come and go in parts.
            _ => return budget.charge_other(),
        };
        if rules::are_there() || IS_ALL.load(Relaxed) {
            budget.charge_other();
        } else {
            budget.charge(site, countdown, (at, late), &mut Here(self.local));
        }
        tell(log, self.local, false);
    }

    fn byte(&self, shift: u32) -> usize {
        self.frame.note >> shift & 0xff
    }

    /// The nodes on which a block was before it was made larger.
    fn target_before(&self) -> Option<usize> {
        (self.frame.note >> TARGET_SHIFT).checked_sub(1)
    }

    /// Puts what was mapped on nodes, where a rule says so: the policy goes with the mapping.
    fn put(&self, address: usize, bytes: usize) {
        if let Some(target) = rules::target(self.frame) {
            placed::put_mapping(address, bytes, target);
        }
    }

    fn allocated(&self, address: usize, bytes: usize) {
        let weight = draw::weight(self.local, bytes as u64);
        if self.frame.note & DRAWN != 0 {
            draw::begin(self.local);
        }
        if address == 0 || self.frame.note & (LARGE | DRAWN) == 0 {
            return;
        }
        let is_large = self.frame.note & LARGE != 0;
        let target = if is_large { rules::target(self.frame).or(self.target_before()) } else { None };
        let is_put = target.is_some_and(|target| placed::put_block(address, bytes, target));
        if is_put || self.log.is_some() {
            member::insert(address);
        }
        if is_large {
            self.write(EventKind::Allocated, address, bytes as u64);
        } else {
            self.write(EventKind::Drawn, address, weight);
        }
    }

    fn reallocated(&self, new: usize) {
        let (old, bytes) = (self.frame.argument(0), self.frame.argument(1));
        if new == 0 && bytes > 0 && self.frame.note & REMOVED != 0 {
            // It failed, and the block is as it was.
            let bytes = function::usable(old);
            let is_put = self.target_before().is_some_and(|target| placed::put_block(old, bytes, target));
            if is_put || self.log.is_some() {
                member::insert(old);
            }
            self.write(EventKind::Allocated, old, bytes as u64);
        } else {
            self.allocated(new, bytes);
        }
    }

    fn mapped(&self, address: usize, bytes: usize, flags: i32) {
        // What the allocator maps is the memory of what it gives out.
        let of_others = flags & libc::MAP_STACK != 0 || function::is_of_allocator(self.frame.ip);
        if address == usize::MAX || (bytes as u64) < LEAST.load(Relaxed) || of_others {
            return;
        }
        self.put(address, bytes);
        // MAP_SHARED is a bit of MAP_SHARED_VALIDATE too.
        let is_shared = flags & libc::MAP_SHARED != 0;
        self.write(
            if is_shared { EventKind::MappedShared } else { EventKind::Mapped },
            address,
            bytes as u64,
        );
    }

    fn remapped(&self, address: usize) {
        let (old, old_bytes, bytes) =
            (self.frame.argument(0), self.frame.argument(1), self.frame.argument(2));
        if function::is_of_allocator(self.frame.ip) {
            return;
        }
        let (address, bytes) = if address == usize::MAX { (old, old_bytes) } else { (address, bytes) };
        if bytes as u64 >= LEAST.load(Relaxed) {
            self.write(EventKind::Mapped, address, bytes as u64);
        }
    }

    fn attached(&self, address: usize) {
        if address == usize::MAX || sandbox::is_quiet() {
            return;
        }
        // SAFETY: zeros are a value of the struct, and the kernel fills it.
        let mut segment: libc::shmid_ds = unsafe { core::mem::zeroed() };
        // SAFETY: as above.
        let known =
            unsafe { libc::shmctl(self.frame.argument(0) as i32, libc::IPC_STAT, &raw mut segment) } == 0;
        if known {
            self.put(address, segment.shm_segsz);
            self.write(EventKind::Attached, address, segment.shm_segsz as u64);
        }
    }
}
