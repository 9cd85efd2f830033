//! Rules that say which objects go to which nodes, and whether an allocation is of one of them.
//!
//! A rule has where the calls of its allocation return to. The innermost of these is looked up in a table, which ends the question for nearly
//! all allocations; where it is there, the others must stand on the stack in their order. Between them anything may stand: nothing is
//! unwound here. A word that an earlier call has left may so stand for one that is not there, where the innermost calls are the same.

use core::cell::UnsafeCell;
use core::sync::atomic::{
    AtomicBool, AtomicU16, AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

use numawise_guest::sandbox;
use numawise_wire::heap::rules::{Calls, InFile, MOST_RULES, MOST_TEXT, Part, decode};

use crate::frame::Frame;
use crate::{modules, placed, readable};

/// Bytes of a stack in which the calls of a rule must stand.
const SEARCHED: usize = 8 << 10;
/// Places of the table of innermost calls.
const PLACES: usize = 4 * MOST_RULES;

struct Kept {
    text: [u8; MOST_TEXT],
    length: usize,
    /// Calls, and the number of their nodes.
    calls: [(Calls, u8); MOST_RULES],
    /// Variables, their bytes, and the number of their nodes.
    variables: [(InFile, u64, u8); MOST_RULES],
}

struct Store(UnsafeCell<Kept>);
// SAFETY: written once, by the one thread that begins, and read after `ARE_THERE` says so.
unsafe impl Sync for Store {}

static STORE: Store = Store(UnsafeCell::new(Kept {
    text: [0; MOST_TEXT],
    length: 0,
    calls: [(Calls::NONE, 0); MOST_RULES],
    variables: [(InFile::new(0, 0), 0, 0); MOST_RULES],
}));
static CALLS: AtomicUsize = AtomicUsize::new(0);
static VARIABLES: AtomicUsize = AtomicUsize::new(0);
static ARE_THERE: AtomicBool = AtomicBool::new(false);

/// Where the innermost calls of rules return to in this process, and 1 + the number of the last rule with each.
static INNERMOST: [(AtomicU64, AtomicU16); PLACES] =
    [const { (AtomicU64::new(0), AtomicU16::new(0)) }; PLACES];
/// 1 + the number of the rule before with the same innermost call.
static BEFORE: [AtomicU16; MOST_RULES] = [const { AtomicU16::new(0) }; MOST_RULES];
/// Rules that are in the table, and variables that were put on their nodes.
static IN_TABLE: [AtomicBool; MOST_RULES] = [const { AtomicBool::new(false) }; MOST_RULES];
static PUT: [AtomicBool; MOST_RULES] = [const { AtomicBool::new(false) }; MOST_RULES];

/// Whether there are any.
#[inline]
pub fn are_there() -> bool {
    ARE_THERE.load(Acquire)
}

fn kept<'a>() -> Option<&'a Kept> {
    // SAFETY: not written any more.
    are_there().then(|| unsafe { &*STORE.0.get() })
}

/// Takes the rules that the environment has. False for none, and for what is broken: then nothing is done.
pub fn begin(text: &[u8]) -> bool {
    if are_there() {
        return false;
    }
    // SAFETY: the one thread that begins is here, once.
    let kept = unsafe { &mut *STORE.0.get() };
    let Some(place) = kept.text.get_mut(..text.len()) else { return false };
    // The program may change its environment.
    place.copy_from_slice(text);
    kept.length = text.len();
    if !take(kept) {
        return false;
    }
    ARE_THERE.store(true, Release);
    see_loaded();
    true
}

/// False where the text is broken.
fn take(kept: &mut Kept) -> bool {
    let Kept { text, length, calls, variables } = kept;
    let text = text.get(..*length).unwrap_or_default();
    let (mut target, mut rules, mut globals) = (0usize, 0, 0);
    let mut is_sound = true;
    let result = decode(text, &mut |part| match part {
        Part::Nodes(nodes, spread) => {
            placed::set_target(target, &nodes, spread);
            target += 1;
        }
        Part::File(name) => modules::add(name.as_ptr().addr() - text.as_ptr().addr(), name.len()),
        Part::Calls(of) => {
            match calls.get_mut(rules) {
                Some(place) => *place = (of, target.saturating_sub(1) as u8),
                None => is_sound = false,
            }
            rules += 1;
        }
        Part::Variable { at, bytes } => {
            match variables.get_mut(globals) {
                Some(place) => *place = (at, bytes, target.saturating_sub(1) as u8),
                None => is_sound = false,
            }
            globals += 1;
        }
    });
    CALLS.store(rules, Relaxed);
    VARIABLES.store(globals, Relaxed);
    result.is_ok() && is_sound && rules + globals > 0
}

/// Puts rules into the table, and variables on their nodes, whose files are loaded now.
#[cold]
fn see_loaded() {
    let Some(kept) = kept() else { return };
    if !modules::look(kept.text.get(..kept.length).unwrap_or_default()) {
        return;
    }
    for (number, (calls, _)) in kept.calls.iter().enumerate().take(CALLS.load(Relaxed)) {
        let ip = calls.frames().first().and_then(|first| modules::address(*first));
        if let (Some(ip), Some(done)) = (ip, IN_TABLE.get(number))
            && !done.swap(true, Relaxed)
        {
            insert(ip, number);
        }
    }
    for (number, (at, bytes, target)) in kept.variables.iter().enumerate().take(VARIABLES.load(Relaxed)) {
        if let (Some(address), Some(done)) = (modules::address(*at), PUT.get(number))
            && !done.swap(true, Relaxed)
        {
            placed::put_variable(address as usize, *bytes as usize, usize::from(*target));
        }
    }
}

fn places(ip: u64) -> impl Iterator<Item = &'static (AtomicU64, AtomicU16)> {
    let first = (ip.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
    (0..PLACES).filter_map(move |k| INNERMOST.get((first + k) % PLACES))
}

fn insert(ip: u64, number: usize) {
    for (address, last) in places(ip) {
        let found = address.load(Relaxed);
        if found == 0 || found == ip {
            if let Some(before) = BEFORE.get(number) {
                before.store(last.load(Relaxed), Relaxed);
            }
            last.store(number as u16 + 1, Relaxed);
            address.store(ip, Release);
            return;
        }
    }
}

/// The nodes of the rule that the allocation is of whose caller `frame` has; `None` for one of no rule.
#[inline]
pub fn target(frame: &Frame) -> Option<usize> {
    if sandbox::is_quiet() {
        return None;
    }
    if !are_there() {
        return None;
    }
    find(frame, true)
}

fn find(frame: &Frame, may_look: bool) -> Option<usize> {
    let ip = frame.ip as u64;
    let mut is_incomplete = true;
    for (address, last) in places(ip) {
        match address.load(Acquire) {
            0 => break,
            found if found == ip => {
                let found = of_these(frame, last.load(Relaxed));
                if let Ok(target) = found {
                    return Some(target);
                }
                is_incomplete = found == Err(true);
                break;
            }
            _ => {}
        }
    }
    // A file may have been loaded since.
    if is_incomplete && may_look {
        see_loaded();
        return find(frame, false);
    }
    None
}

/// Among the rules with one innermost call, the one whose other calls are on the stack: the one with the most of them. `Err`: none is; true where one has a
/// file that is not known to be loaded.
fn of_these(frame: &Frame, last: u16) -> Result<usize, bool> {
    let kept = kept().ok_or(false)?;
    let sp = frame.sp();
    let words = readable::from(sp, SEARCHED, frame.address()) / size_of::<u64>();
    let (mut best, mut most, mut is_incomplete) = (None, 0, false);
    let mut next = last;
    while let Some(number) = usize::from(next).checked_sub(1) {
        let Some((calls, target)) = kept.calls.get(number) else { break };
        match depth(calls, sp, words) {
            Some(depth) if depth > most => (best, most) = (Some(usize::from(*target)), depth),
            Some(_) => {}
            None => is_incomplete = true,
        }
        next = BEFORE.get(number).map_or(0, |before| before.load(Relaxed));
    }
    best.ok_or(is_incomplete)
}

/// How many calls a rule has, where all of them stand on the stack in their order; 0 where they do not, and `None` where the file of one is not loaded.
fn depth(calls: &Calls, sp: usize, words: usize) -> Option<usize> {
    let begin = core::ptr::with_exposed_provenance::<u64>(sp);
    let mut at = 0;
    for frame in calls.frames().iter().skip(1) {
        let wanted = modules::address(*frame)?;
        loop {
            if at >= words {
                return Some(0);
            }
            // SAFETY: it can be read, as was asked before; the thread itself, whose stack it is, is here.
            let word = unsafe { begin.add(at).read_volatile() };
            at += 1;
            if word == wanted {
                break;
            }
        }
    }
    Some(calls.frames().len())
}
