//! Calls from extension modules of Python: the line of the program takes the place of the address in the module, which is the same for all lines.
//!
//! A source that was met is one of the files of the process, at addresses that nothing has, with one for each line.

use core::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use numawise_guest::known::Flags;
use numawise_guest::loaded;
use numawise_guest::python::{Asked, Interpreter, interpreter};
use numawise_wire::python::{FrameText, contains, frames, is_installed};

use crate::process;
use crate::thread::Local;

/// Functions of Python in which a line of the program is searched for, where the innermost is one of an installed package.
const DEEPEST: usize = 8;
/// Places of instructions that were met.
const PLACES: usize = 4096;
/// A place is searched for so far behind the one that its hash gives.
const FARTHEST: usize = 16;
/// Bytes of the text of functions.
const TEXT: usize = 4096;
/// Addresses of calls of which is known whether they are in an extension module.
const CALLERS: usize = 256;

/// What stands for an address: the innermost function is no line of the program; there is no line.
const DEEPER: u64 = 1;
const NONE: u64 = 2;

struct Known {
    /// What tells the functions in progress apart; 0: nothing yet.
    hash: AtomicU64,
    address: AtomicU64,
}

static KNOWN: [Known; PLACES] =
    [const { Known { hash: AtomicU64::new(0), address: AtomicU64::new(0) } }; PLACES];
/// Addresses in extension modules.
static IN_EXTENSION: Flags<CALLERS> = Flags::empty();

/// In a child of fork: its file has no sources yet.
pub fn begin_child() {
    for known in &KNOWN {
        if known.hash.load(Relaxed) != 0 {
            known.hash.store(0, Relaxed);
            known.address.store(0, Relaxed);
        }
    }
}

/// The address that stands for the place of a call that returns to this one.
#[inline]
pub fn site(address: usize, local: &Local) -> usize {
    match interpreter() {
        None => address,
        Some(interpreter) => of_extension(interpreter, address, local).map_or(address, |line| line as usize),
    }
}

#[inline(never)]
fn of_extension(interpreter: &Interpreter, address: usize, local: &Local) -> Option<u64> {
    if is_in_extension(address) { line(interpreter, local) } else { None }
}

/// The address that stands for the line of the program that the thread executes; `None`: it is in no function of Python.
#[inline]
pub fn line(interpreter: &Interpreter, local: &Local) -> Option<u64> {
    match known(interpreter, local, 1)? {
        NONE => None,
        DEEPER => known(interpreter, local, DEEPEST).filter(|line| *line != NONE),
        line => Some(line),
    }
}

/// What stands for so many functions in progress.
#[inline]
fn known(interpreter: &Interpreter, local: &Local, most: usize) -> Option<u64> {
    let hash = interpreter.hash(&local.python, most)?.wrapping_add(most as u64).max(1);
    let first = (hash >> 40) as usize;
    for k in 0..FARTHEST {
        let place = KNOWN.get((first + k) % PLACES)?;
        let mut found = place.hash.load(Acquire);
        if found == 0 {
            found =
                place.hash.compare_exchange(0, hash, Acquire, Acquire).map_or_else(|other| other, |_| hash);
        }
        if found == hash {
            let known = place.address.load(Acquire);
            return if known == 0 { read(interpreter, local, most, &place.address) } else { Some(known) };
        }
    }
    None
}

/// The same of functions that are met for the first time; `None` where another thread notes a file now.
#[cold]
#[inline(never)]
fn read(interpreter: &Interpreter, local: &Local, most: usize, place: &AtomicU64) -> Option<u64> {
    let stack = interpreter.stack(&local.python, Asked::InCall, most)?;
    let mut text = [0; TEXT];
    let length = interpreter.write(&stack, &mut text);
    let of = || frames(text.get(..length).unwrap_or_default());
    let is_own = |of: &FrameText<'_>| !is_installed(of.file);
    let found = match of().find(is_own).or(of().next()) {
        Some(innermost) if most == 1 && !is_own(&innermost) => DEEPER,
        Some(chosen) => {
            let begin = process::note_source(process::header()?, chosen.file)?;
            begin.map_or(NONE, |begin| begin + u64::from(chosen.line))
        }
        None => NONE,
    };
    place.store(found, Release);
    Some(found)
}

fn is_in_extension(address: usize) -> bool {
    IN_EXTENSION.is(address as u64, || is_extension(loaded::path_of(address)))
}

/// By the ends of names that importlib knows (`importlib.machinery.EXTENSION_SUFFIXES`).
fn is_extension(path: &[u8]) -> bool {
    contains(path, b".cpython-3") || contains(path, b".abi3.so")
}
