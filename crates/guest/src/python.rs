//! What a thread executes in Python, where the program has CPython in it: its functions in progress, from the innermost on, with their lines.
//!
//! What the interpreter keeps is read, by the layout of its version ([`numawise_wire::python`]). At first the kernel does the reading
//! (`process_vm_readv`), so that a layout of another build gives nothing, and never ends the program. Once that has led from the thread to code objects, which
//! have a type that is known, a thread in a call of its own reads what is its own by itself: its functions stay where they are meanwhile. In a handler of a
//! signal, which may come while they change, the kernel goes on to read.

mod memory;

use core::cell::{Cell, UnsafeCell};
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use numawise_wire::python::{FRAMES, Layout, Letters, PUBLISHED_BYTES, Position, frame_head, line};

use crate::known::mix;
use crate::system::{self, SavedErrno};
use memory::{Bytes, Own, Window, Words, pointer, read, whole, word};

/// The interpreter of this process.
pub struct Interpreter {
    runtime: usize,
    layout: Layout,
    /// `PyCode_Type`: of what is none, nothing is believed.
    code_type: usize,
    /// A function of the file in which it is: what calls return to there is the interpreter itself.
    pub function: usize,
    /// `PyGILState_GetThisThreadState`: the state of the calling thread, or null.
    own_state: unsafe extern "C" fn() -> *const c_void,
    /// The layout has led to code objects.
    is_checked: AtomicBool,
}

/// Who asks what the calling thread executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// A function that the thread itself has called.
    InCall,
    /// A handler, at any moment.
    InSignal,
}

struct Found(UnsafeCell<Option<Interpreter>>);
// SAFETY: written by the one thread that begins to look, and read once that is noted.
unsafe impl Sync for Found {}
static FOUND: Found = Found(UnsafeCell::new(None));

static PHASE: AtomicU8 = AtomicU8::new(0);
const LOOKS: u8 = 1;
const IS_THERE: u8 = 2;

/// Looks whether the program has one, once. Takes a lock of the loader.
pub fn look_up() {
    if PHASE.compare_exchange(0, LOOKS, Ordering::Acquire, Ordering::Relaxed).is_err() {
        return;
    }
    if let Some(found) = find() {
        // SAFETY: nobody else is here, and nobody reads yet.
        unsafe { *FOUND.0.get() = Some(found) };
        PHASE.store(IS_THERE, Ordering::Release);
    }
}

/// The interpreter, where the program has one of a version that is known.
#[inline]
pub fn interpreter() -> Option<&'static Interpreter> {
    if PHASE.load(Ordering::Acquire) != IS_THERE {
        return None;
    }
    // SAFETY: not written any more.
    unsafe { &*FOUND.0.get() }.as_ref()
}

fn find() -> Option<Interpreter> {
    let symbol = |name| match system::first_symbol(name).expose_provenance() {
        0 => None,
        address => Some(address),
    };
    let runtime = symbol(c"_PyRuntime")?;
    let (code_type, function) = (symbol(c"PyCode_Type")?, symbol(c"PyEval_EvalCode")?);
    let layout = match symbol(c"Py_Version") {
        Some(version) => {
            let mut bytes = [0; 8];
            let minor =
                (read(version, &mut bytes)? >= bytes.len()).then_some(u64::from_ne_bytes(bytes) >> 16)?;
            match minor {
                0x30b | 0x30c => Layout::of(minor as u8)?,
                _ => {
                    let mut published = [0; PUBLISHED_BYTES];
                    let length = read(runtime, &mut published)?;
                    Layout::published(published.get(..length)?)?
                }
            }
        }
        // Older ones say it by a call only: their functions tell them apart.
        None if symbol(c"PyModule_AddObjectRef").is_some() => Layout::of(10)?,
        None if symbol(c"PyInterpreterState_Get").is_some() => Layout::of(9)?,
        None => return None,
    };
    let own_state = core::ptr::with_exposed_provenance::<()>(symbol(c"PyGILState_GetThisThreadState")?);
    // SAFETY: in all versions it is a function of this type.
    let own_state =
        unsafe { core::mem::transmute::<*const (), unsafe extern "C" fn() -> *const c_void>(own_state) };
    Some(Interpreter { runtime, layout, code_type, function, own_state, is_checked: AtomicBool::new(false) })
}

/// Who reads.
#[derive(Clone, Copy)]
enum Reader {
    Kernel,
    Thread,
}

/// What a thread remembers of where its state is. All zeros at its begin.
#[derive(Debug, Default)]
pub struct Remembered {
    state: Cell<usize>,
    /// How often none was found: threads of others are not searched for each time.
    misses: Cell<u32>,
}

impl Remembered {
    pub const fn new() -> Remembered {
        Remembered { state: Cell::new(0), misses: Cell::new(0) }
    }
}

/// A thread that has none is searched for so often, and then each time that so many questions have passed.
const TRIES: u32 = 4;
const REST: u32 = 256;
/// More interpreters and threads are not looked at.
const MOST_STATES: usize = 4096;
/// Bytes of a state that are read: of all versions its frame and its thread are among them.
const STATE: usize = 192;
/// Bytes of a code object.
const CODE: usize = 144;

/// A function in progress: its code object, and at which byte of its instructions it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InProgress {
    code: usize,
    at: u32,
}

/// Not known: the instructions lie elsewhere.
const NO_PLACE: u32 = u32::MAX;
/// Functions of more bytes are none.
const LONGEST: usize = 1 << 28;

/// The functions of a thread, from the innermost on.
pub struct Stack {
    frames: [InProgress; FRAMES],
    count: usize,
    /// Tells a code object from another that takes its place when it is gone.
    innermost: u64,
}

impl Stack {
    /// Tells it apart from others.
    pub fn hash(&self) -> u64 {
        self.frames.iter().take(self.count).fold(self.innermost, |hash, of| of.mixed(hash))
    }
}

impl InProgress {
    fn mixed(self, hash: u64) -> u64 {
        mix(hash, (self.code as u64).rotate_left(24) ^ u64::from(self.at))
    }
}

/// What a search for the calling thread came to.
enum Searched {
    /// Its state, and its innermost function.
    Found(usize, usize),
    /// There are no threads, or one only: it is at work on its begin.
    Nothing,
    /// There are others.
    Others,
}

impl Interpreter {
    /// What the calling thread executes, at most so many functions; `None` where it is nothing of Python. Async-signal-safe.
    pub fn stack(&self, remembered: &Remembered, asked: Asked, most: usize) -> Option<Stack> {
        if asked == Asked::InCall && self.is_checked.load(Ordering::Relaxed) {
            return self.frames(Reader::Thread, self.own_frame()?, most);
        }
        let _errno = SavedErrno::new();
        let found = self.frames(Reader::Kernel, self.frame(remembered)?, most)?;
        let is_code = |of: &InProgress| self.code(of.code).is_some();
        if asked == Asked::InCall && found.frames.iter().take(found.count).all(is_code) {
            self.is_checked.store(true, Ordering::Relaxed);
        }
        Some(found)
    }

    /// [`Stack::hash`] of what the calling thread executes, in a call of its own.
    #[inline]
    pub fn hash(&self, remembered: &Remembered, most: usize) -> Option<u64> {
        if !self.is_checked.load(Ordering::Relaxed) {
            return self.stack(remembered, Asked::InCall, most).map(|stack| stack.hash());
        }
        let (mut hash, mut count, mut next) = (0, 0, self.own_frame()?);
        for _ in 0..2 * FRAMES {
            if next == 0 || count >= most {
                break;
            }
            // SAFETY: as in `frames`.
            let Some((of, previous)) = self.in_progress(&unsafe { Own::new(next) }) else { break };
            if let Some(of) = of {
                if count == 0 {
                    // SAFETY: what a function of the thread executes is an object; it is code, as was seen of others.
                    hash = self.identity(&unsafe { Own::new(of.code) })?;
                }
                (hash, count) = (of.mixed(hash), count + 1);
            }
            next = previous;
        }
        (count > 0).then_some(hash)
    }

    /// What tells a code object from another that takes its place when it is gone. `None` for what is none.
    #[inline]
    fn identity(&self, code: &(impl Words + ?Sized)) -> Option<u64> {
        let layout = &self.layout.code;
        let (kind, file, first) =
            (code.word(layout.kind)?, code.word(layout.file)?, code.word(layout.first_line)?);
        let mixed = (file as u64).rotate_left(32) ^ first as u64 & 0xffff_ffff;
        (kind == self.code_type).then_some(mixed)
    }

    fn frames(&self, reader: Reader, innermost: usize, most: usize) -> Option<Stack> {
        let mut stack = Stack { frames: [InProgress::default(); FRAMES], count: 0, innermost: 0 };
        let mut window = None;
        let mut next = innermost;
        // Those of the interpreter itself are between them.
        for _ in 0..2 * FRAMES {
            if next == 0 || stack.count >= most {
                break;
            }
            let found = match reader {
                // SAFETY: the functions of this thread that are in progress, which nobody else changes or takes away.
                Reader::Thread => self.in_progress(&unsafe { Own::new(next) }),
                Reader::Kernel => {
                    let window = window.get_or_insert_with(Window::new);
                    window.around(next).and_then(|bytes| self.in_progress(bytes))
                }
            };
            let Some((of, previous)) = found else { break };
            if let Some(of) = of {
                let Some(place) = stack.frames.get_mut(stack.count) else { break };
                *place = of;
                stack.count += 1;
            }
            next = previous;
        }
        let innermost = stack.frames.first().filter(|_| stack.count > 0)?;
        stack.innermost = match reader {
            // SAFETY: what a function of the thread executes is an object, and one that is no code has other objects behind it.
            Reader::Thread => self.identity(&unsafe { Own::new(innermost.code) })?,
            Reader::Kernel => self.identity(&self.code(innermost.code)?[..])?,
        };
        Some(stack)
    }

    /// The innermost function of the calling thread, by what the interpreter and the thread have.
    fn own_frame(&self) -> Option<usize> {
        let finalizing = self.runtime + usize::from(self.layout.runtime.finalizing);
        // SAFETY: a word of the interpreter's own data. Once it begins to end, states of threads may go.
        if unsafe { core::ptr::with_exposed_provenance::<usize>(finalizing).read_volatile() } != 0 {
            return None;
        }
        // SAFETY: it may be called at any time by any thread, and reads a word of the thread's.
        let state = unsafe { (self.own_state)() }.addr();
        let layout = &self.layout.thread;
        if state == 0 {
            return None;
        }
        // SAFETY: the state of this thread, which is there as long as it has one.
        let frame = unsafe { Own::new(state) }.word(layout.frame).filter(|frame| *frame != 0)?;
        match layout.within {
            // SAFETY: it belongs to the state.
            Some(within) => unsafe { Own::new(frame) }.word(within),
            None => Some(frame),
        }
    }

    /// The innermost function of the calling thread, as an address; `None` where it has none.
    fn frame(&self, remembered: &Remembered) -> Option<usize> {
        // SAFETY: no preconditions.
        let own = unsafe { libc::pthread_self() } as usize;
        let known = remembered.state.get();
        if known != 0 {
            if let Some((state, _)) = self.state(known, own)
                && let Some(frame) = state
            {
                return Some(frame);
            }
            remembered.state.set(0);
        }
        let misses = remembered.misses.get();
        if misses >= TRIES && !misses.is_multiple_of(REST) {
            remembered.misses.set(misses.wrapping_add(1));
            return None;
        }
        match self.search(own) {
            Searched::Found(state, frame) => {
                remembered.state.set(state);
                remembered.misses.set(0);
                Some(frame)
            }
            Searched::Nothing => None,
            Searched::Others => {
                remembered.misses.set(misses.wrapping_add(1));
                None
            }
        }
    }

    /// The state of a thread: its function in progress where it is the thread that is meant, and the next state.
    fn state(&self, at: usize, own: usize) -> Option<(Option<usize>, usize)> {
        let bytes: [u8; STATE] = whole(at)?;
        let layout = &self.layout.thread;
        let next = word(&bytes, layout.next)?;
        if word(&bytes, layout.id)? != own {
            return Some((None, next));
        }
        let frame = word(&bytes, layout.frame).filter(|frame| *frame != 0);
        let frame = match layout.within {
            Some(within) => frame.and_then(|outer| pointer(outer.wrapping_add(usize::from(within)))),
            None => frame,
        };
        Some((frame, next))
    }

    #[cold]
    fn search(&self, own: usize) -> Searched {
        let layout = &self.layout.runtime;
        let mut found = Searched::Nothing;
        let mut interpreter = pointer(self.runtime + usize::from(layout.interpreters)).unwrap_or(0);
        for _ in 0..MOST_STATES {
            if interpreter == 0 {
                break;
            }
            let mut state = pointer(interpreter.wrapping_add(usize::from(layout.threads))).unwrap_or(0);
            for _ in 0..MOST_STATES {
                match self.state(state, own) {
                    Some((Some(frame), _)) => return Searched::Found(state, frame),
                    // A thread that is only just made has its maker's number for a moment.
                    Some((None, next)) if next != 0 => state = next,
                    _ => break,
                }
                found = Searched::Others;
            }
            interpreter = pointer(interpreter.wrapping_add(usize::from(layout.next))).unwrap_or(0);
        }
        found
    }

    /// A function by its bytes, where it is one of the program's, and the one that has called it.
    fn in_progress(&self, of: &(impl Words + ?Sized)) -> Option<(Option<InProgress>, usize)> {
        let layout = &self.layout.frame;
        let previous = of.word(layout.previous)?;
        // What is the interpreter's own has 3 or more there.
        let owner = layout.owner.and_then(|at| of.byte(at));
        // Newer versions keep marks in the lowest bits.
        let code = of.word(layout.code)? & !7;
        if owner.is_some_and(|owner| owner > 2) || code == 0 {
            return Some((None, previous));
        }
        let instruction = of.word(layout.instruction)?;
        let at = match layout.position {
            // They are numbers of 32 bits, negative where nothing was executed yet.
            Position::Bytes => (instruction as u32).cast_signed().max(0) as usize,
            Position::Units => 2 * (instruction as u32).cast_signed().max(0) as usize,
            Position::Address { begin } => instruction.wrapping_sub(code.wrapping_add(usize::from(begin))),
        };
        // Before its first instruction, an address is that of the one before.
        let at = if at > usize::MAX - 8 { 0 } else { at };
        let at = if at < LONGEST { at as u32 } else { NO_PLACE };
        Some((Some(InProgress { code, at }), previous))
    }

    fn code(&self, at: usize) -> Option<[u8; CODE]> {
        let bytes: [u8; CODE] = whole(at)?;
        self.identity(&bytes[..]).map(|_| bytes)
    }

    /// Writes the functions down as [`numawise_wire::python::frames`] reads them: how many bytes it was.
    #[cold]
    pub fn write(&self, stack: &Stack, into: &mut [u8]) -> usize {
        let _errno = SavedErrno::new();
        let mut written = 0;
        for of in stack.frames.iter().take(stack.count) {
            let Some(bytes) = into.get_mut(written..).and_then(|rest| self.write_one(*of, rest)) else {
                break;
            };
            written += bytes;
        }
        written
    }

    fn write_one(&self, of: InProgress, into: &mut [u8]) -> Option<usize> {
        let head = frame_head(0, 0, 0).len();
        let code = self.code(of.code)?;
        let layout = &self.layout.code;
        let file = self.text(word(&code, layout.file)?, FILE_LETTERS, into.get_mut(head..)?)?;
        let function = self.text(word(&code, layout.name)?, NAME_LETTERS, into.get_mut(head + file..)?)?;
        let first = word(&code, layout.first_line)? as u32;
        let line = if of.at == NO_PLACE { None } else { self.line(word(&code, layout.lines)?, first, of.at) };
        let bytes = frame_head(line.unwrap_or(0), u16::try_from(file).ok()?, u16::try_from(function).ok()?);
        into.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
        Some(head + file + function)
    }

    fn line(&self, table: usize, first: u32, at: u32) -> Option<u32> {
        let layout = &self.layout.text;
        let head: [u8; 40] = whole(table)?;
        let length = word(&head, layout.bytes_length)?.min(LONGEST);
        let bytes = Bytes::new(table.wrapping_add(usize::from(layout.bytes)), length);
        line(self.layout.code.table, bytes, first, at)
    }

    /// A string in UTF-8, of a long one its end: how many bytes it was. `None` where there is no room, or no string.
    fn text(&self, at: usize, most: usize, into: &mut [u8]) -> Option<usize> {
        let layout = &self.layout.text;
        let head: [u8; 48] = whole(at)?;
        let length = word(&head, layout.length)?;
        let letters = Letters::of(word(&head, layout.state)? as u32)?;
        let width = usize::from(letters.width);
        let begin = if letters.is_ascii { layout.ascii } else { layout.others };
        let left_out = length.saturating_sub(most);
        let from = at.wrapping_add(usize::from(begin)).wrapping_add(left_out.wrapping_mul(width));
        let mut bytes = Bytes::new(from, length.min(most) * width);
        let mut written = 0;
        while let Some(first) = bytes.next() {
            let rest = (1..letters.width).map(|number| u32::from(bytes.next().unwrap_or(0)) << (8 * number));
            let letter = rest.fold(u32::from(first), |all, byte| all | byte);
            let (encoded, letter) = encoded(letter);
            let place = into.get_mut(written..written + letter)?;
            place.iter_mut().zip(encoded).for_each(|(place, byte)| *place = byte);
            written += letter;
        }
        Some(written)
    }
}

/// A letter in UTF-8, and how many bytes it has. A byte of a path that is no UTF-8 (PEP 383) is itself again.
fn encoded(letter: u32) -> ([u8; 4], usize) {
    // The lowest six bits behind so many others, as a byte that is not the first.
    let rest = |shift: u32| 0x80 | (letter >> shift & 63) as u8;
    match letter {
        0..0x80 => ([letter as u8, 0, 0, 0], 1),
        0xdc80..0xdd00 => ([letter as u8, 0, 0, 0], 1),
        0x80..0x800 => ([0xc0 | (letter >> 6) as u8, rest(0), 0, 0], 2),
        0x800..0x1_0000 => ([0xe0 | (letter >> 12) as u8, rest(6), rest(0), 0], 3),
        0x1_0000..0x11_0000 => ([0xf0 | (letter >> 18) as u8, rest(12), rest(6), rest(0)], 4),
        _ => ([b'?', 0, 0, 0], 1),
    }
}

/// Letters of a path and of a name that are kept.
const FILE_LETTERS: usize = 400;
const NAME_LETTERS: usize = 120;
