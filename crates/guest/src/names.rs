//! Names that the program does not have without us are not there because of us.
//!
//! A preloaded library stands before functions by exporting their names, and what asks the loader whether a name is there finds ours: mpi4py
//! asks by weak symbols whether the MPI at hand has MPI-4's `MPI_Send_c`, calls what it finds, and there is nothing behind it. The loader
//! knows no condition on a name. So the table of symbols, which it reads anew for each name, is changed in memory, before the program and
//! any constructor run:
//!
//! - A name that another file defines stays as it is.
//! - Where the program's MPI is there and does not have a name, that name has no value any more: the loader looks on, as without us.
//! - A name that no file defines, but one that is loaded later may, becomes an indirect function: the loader asks us when it binds the name,
//!   and the answer is none until some file defines it. `dlsym` gets the error that it would have given.
//!
//! What the loader had bound to us before our turn is put right: it binds the files that were loaded last first.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use self::file::{File, Name, Relocation};
use self::loaded::Loaded;
use crate::system;

mod file;
mod loaded;

/// The library's own names; made by [`withdraw_names`](crate::withdraw_names).
pub struct Names<const MOST: usize> {
    /// Where each function lies whose name became an indirect function, from the library's begin; by the name's place in the table.
    functions: [AtomicU32; MOST],
}

impl<const MOST: usize> Names<MOST> {
    #[expect(clippy::new_without_default, reason = "for statics")]
    pub const fn new() -> Names<MOST> {
        Names { functions: [const { AtomicU32::new(0) }; MOST] }
    }
}

/// What the library has beside the statics of this module.
#[derive(Clone, Copy)]
pub struct Own {
    functions: &'static [AtomicU32],
    /// The first of the functions that the loader asks, one for each name.
    stubs: usize,
}

impl Own {
    pub fn new<const MOST: usize>(names: &'static Names<MOST>, stubs: *const u8) -> Own {
        Own { functions: &names.functions, stubs: stubs.addr() }
    }
}

/// Bytes of a stub.
#[cfg(target_arch = "x86_64")]
const STUB: usize = 10;
#[cfg(target_arch = "aarch64")]
const STUB: usize = 8;

#[cfg(target_arch = "x86_64")]
mod kinds {
    pub const ADDRESS: u32 = 1; // R_X86_64_64
    pub const GLOBAL: u32 = 6; // R_X86_64_GLOB_DAT
    pub const JUMP: u32 = 7; // R_X86_64_JUMP_SLOT
}
#[cfg(target_arch = "aarch64")]
mod kinds {
    pub const ADDRESS: u32 = 257; // R_AARCH64_ABS64
    pub const GLOBAL: u32 = 1025; // R_AARCH64_GLOB_DAT
    pub const JUMP: u32 = 1026; // R_AARCH64_JUMP_SLOT
}

const FUNCTION: u8 = 2; // STT_FUNC
const INDIRECT: u8 = 10; // STT_GNU_IFUNC

/// Names of our own: whoever looks for them looks for us.
fn is_ours(name: Name) -> bool {
    // SAFETY: a name of our own table.
    unsafe { name.is(Name::of(c"ompt_start_tool")) || name.begins(b"numawise_") }
}

/// # Safety
/// The name must be one.
unsafe fn is_of_mpi(name: Name) -> bool {
    // SAFETY: the caller's promise.
    unsafe { name.begins(b"MPI_") || name.begins(b"PMPI_") }
}

/// A file that has MPI defines one of these: who has no MPI is asked for these only.
const OF_EACH_MPI: [&CStr; 8] = [
    c"MPI_Init",
    c"PMPI_Init",
    c"MPI_Send",
    c"mpi_init_",
    c"mpi_init__",
    c"MPI_INIT",
    c"mpi_init_f08_",
    c"mpi_init_f08ts_",
];

/// As many names as a library may have: 4,096.
const WORDS: usize = 64;

/// The names of ours that no other file defines, a bit for each; those of MPI apart from the others.
struct Missing(UnsafeCell<[[u64; WORDS]; 2]>);

// SAFETY: looked at while there is one thread only, by that.
unsafe impl Sync for Missing {}

/// All zeros, and not on the stack: a function that fills memory would be called.
static MISSING: Missing = Missing(UnsafeCell::new([[0; WORDS]; 2]));

/// What the library exports.
struct Exported<'a> {
    own: &'a File,
    first: usize,
    end: usize,
}

impl Exported<'_> {
    fn symbol(&self, number: usize) -> *const libc::Elf64_Sym {
        self.own.symbols.wrapping_add(self.first + number)
    }

    fn name(&self, number: usize) -> Name {
        // SAFETY: one of our own symbols.
        unsafe { self.own.name(self.symbol(number)) }
    }
}

/// Withdraws the names that are not there without us. To be called by the loader, when it has bound what the library itself needs.
pub fn settle(library: Own) {
    let Some(own) = loaded::own() else { return };
    // SAFETY: our own tables.
    let Some((first, end)) = (unsafe { own.file.exported() }) else { return };
    if end - first > library.functions.len().min(WORDS * 64) {
        return;
    }
    let exported = Exported { own: &own.file, first, end };
    // SAFETY: there is one thread, and nobody else has it.
    let missing = unsafe { &mut *MISSING.0.get() };
    take_all(&exported, missing);
    let mut has_mpi = false;
    loaded::each(&mut |other| {
        if other.file.base != own.file.base {
            has_mpi |= leave_out_defined(&exported, &other.file, missing);
        }
    });
    let is_changed = missing.as_flattened().iter().any(|word| *word != 0);
    if is_changed && withdraw(&own, &exported, missing, has_mpi, library) {
        loaded::each(&mut |other| {
            if other.file.base != own.file.base {
                put_right(&exported, other);
            }
        });
    }
}

/// Takes each name as missing that is a function of other people's.
fn take_all(exported: &Exported<'_>, missing: &mut [[u64; WORDS]; 2]) {
    for number in 0..exported.end - exported.first {
        let name = exported.name(number);
        let [others, mpi] = &mut *missing;
        // SAFETY: one of our own symbols.
        let (is_mpi, kind) = unsafe { (is_of_mpi(name), (*exported.symbol(number)).st_info & 15) };
        let names = if is_mpi { mpi } else { others };
        if kind == FUNCTION
            && !is_ours(name)
            && let Some(word) = names.get_mut(number / 64)
        {
            *word |= 1 << (number % 64);
        }
    }
}

/// Leaves out those that a file defines; gives whether it has MPI.
fn leave_out_defined(exported: &Exported<'_>, file: &File, missing: &mut [[u64; WORDS]; 2]) -> bool {
    // SAFETY: the file is loaded, and names are names.
    unsafe {
        let has_mpi = OF_EACH_MPI.iter().any(|name| {
            let name = Name::of(name);
            file.defines(name, name.hash())
        });
        for names in missing.iter_mut().take(1 + usize::from(has_mpi)) {
            for (begin, word) in (0..).step_by(64).zip(names) {
                for bit in bits(*word) {
                    let name = exported.name(begin + bit);
                    if file.defines(name, name.hash()) {
                        *word &= !(1 << bit);
                    }
                }
            }
        }
        has_mpi
    }
}

/// The places of the bits that are set.
fn bits(word: u64) -> impl Iterator<Item = usize> {
    let mut left = word;
    core::iter::from_fn(move || {
        let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(bit)
    })
}

/// Changes our table of symbols; false where all stays.
fn withdraw(
    own: &Loaded<'_>,
    exported: &Exported<'_>,
    missing: &[[u64; WORDS]; 2],
    has_mpi: bool,
    library: Own,
) -> bool {
    let (begin, end) = (exported.symbol(0).addr(), exported.symbol(exported.end - exported.first).addr());
    let part = own.part(libc::PT_LOAD, begin);
    let as_it_was = match part {
        Some(part) if part.p_flags & libc::PF_X != 0 => libc::PROT_READ | libc::PROT_EXEC,
        _ => libc::PROT_READ,
    };
    if !protect(begin, end, as_it_was | libc::PROT_WRITE) {
        return false;
    }
    for (names, is_mpi) in missing.iter().zip([false, true]) {
        let words = names.iter().zip((0..).step_by(64));
        for number in words.flat_map(|(word, begin)| bits(*word).map(move |bit| begin + bit)) {
            let Some(function) = library.functions.get(number) else { break };
            // SAFETY: one of our own symbols; nobody else looks at it while the loader is here.
            unsafe {
                let symbol = exported.symbol(number).cast_mut();
                function.store((*symbol).st_value as u32, Relaxed);
                if has_mpi && is_mpi {
                    (*symbol).st_value = 0;
                } else {
                    (*symbol).st_info = (*symbol).st_info & !15 | INDIRECT;
                    (*symbol).st_value = (library.stubs + number * STUB - own.file.base) as u64;
                }
            }
        }
    }
    protect(begin, end, as_it_was);
    true
}

/// What may be done with the pages from `begin` to `end`.
fn protect(begin: usize, end: usize, protection: c_int) -> bool {
    let page = system::page();
    let first = begin / page * page;
    let bytes = end.next_multiple_of(page) - first;
    // SAFETY: pages of a file that is loaded; they become writable, or what they were.
    unsafe { numawise_syscalls::protect(first, bytes, protection) }.is_ok()
}

/// Takes our functions out of where the loader put them for names that are withdrawn.
fn put_right(exported: &Exported<'_>, other: &Loaded<'_>) {
    for (begin, bytes) in other.file.relocations {
        let table: *const Relocation = core::ptr::with_exposed_provenance(begin);
        for number in 0..bytes / size_of::<Relocation>() {
            // SAFETY: the file's own table, and places in it that the loader has written.
            unsafe {
                let relocation = &*table.add(number);
                let (kind, symbol) = (relocation.info as u32, (relocation.info >> 32) as usize);
                if symbol == 0 || !matches!(kind, kinds::ADDRESS | kinds::GLOBAL | kinds::JUMP) {
                    continue;
                }
                let slot: *mut usize =
                    core::ptr::with_exposed_provenance_mut(other.file.base.wrapping_add(relocation.place));
                let bound = slot.read_unaligned().wrapping_sub(relocation.addend as usize);
                let name = other.file.name(other.file.symbols.add(symbol));
                if is_withdrawn(exported, name, bound) {
                    put(other, slot, relocation.addend as usize);
                }
            }
        }
    }
}

/// Whether a place holds our function of a name that was withdrawn.
fn is_withdrawn(exported: &Exported<'_>, name: Name, bound: usize) -> bool {
    // Functions lie behind the table of symbols, in the same file.
    if bound.wrapping_sub(exported.own.base) > 1 << 24 {
        return false;
    }
    (0..exported.end - exported.first).any(|number| {
        // SAFETY: one of our own symbols, and a name.
        unsafe {
            let symbol = exported.symbol(number);
            let is_changed = (*symbol).st_value == 0 || (*symbol).st_info & 15 == INDIRECT;
            is_changed && exported.name(number).is(name)
        }
    })
}

/// Writes to where the loader keeps an address, which it may have protected already.
///
/// # Safety
/// It must be such a place of the file.
unsafe fn put(of: &Loaded<'_>, slot: *mut usize, value: usize) {
    let (begin, end) = (slot.addr(), slot.addr() + size_of::<usize>());
    if protect(begin, end, libc::PROT_READ | libc::PROT_WRITE) {
        // SAFETY: the caller's promise.
        unsafe { slot.write_unaligned(value) };
        if of.part(libc::PT_GNU_RELRO, begin).is_some() {
            protect(begin, end, libc::PROT_READ);
        }
    }
}

/// Answers the loader, which asks for the function of a name: 0 where no other file has it. `asks` is where the answer goes to.
pub fn answer(library: Own, number: usize, asks: usize) -> usize {
    let Some((own, function)) = loaded::own().zip(library.functions.get(number)) else { return 0 };
    let function = own.file.base + function.load(Relaxed) as usize;
    // SAFETY: our own tables; the number is that of one of our names.
    let name = unsafe {
        let Some(first) = own.file.first_exported() else { return 0 };
        own.file.name(own.file.symbols.add(first + number))
    };
    // SAFETY: a name.
    let hash = unsafe { name.hash() };
    let mut is_found = false;
    loaded::each(&mut |other| {
        // SAFETY: the file is loaded.
        is_found |= other.file.base != own.file.base && unsafe { other.file.defines(name, hash) };
    });
    if loaded::is_in_loader(asks) {
        // It binds a file, which may have the name in a scope of its own.
        return if is_found { function } else { 0 };
    }
    // It is dlsym that asks: in the global scope, as this does, after us.
    // SAFETY: a name with its end.
    let text = unsafe { CStr::from_ptr(name.0.cast()) };
    if is_found && !system::next_symbol(text).is_null() {
        return function;
    }
    refuse(text);
    0
}

/// Raises the error that dlsym raises itself for a name that it does not find: `dlerror` has to tell of it. Comes back where the C library
/// has no such function.
fn refuse(name: &CStr) {
    let raise = system::next_symbol(c"_dl_signal_error");
    if raise.is_null() {
        return;
    }
    let mut text = [0u8; 128];
    let message = b"undefined symbol: ".iter().chain(name.to_bytes());
    for (to, from) in text.iter_mut().take(127).zip(message) {
        *to = *from;
    }
    // SAFETY: the function has had this type since glibc 2.0; the strings live until it has copied them.
    unsafe {
        let raise: unsafe extern "C" fn(c_int, *const u8, *const u8, *const u8) = core::mem::transmute(raise);
        raise(0, program().cast(), core::ptr::null(), text.as_ptr());
    }
}

/// The name by which the program was called: the loader's messages begin with it.
fn program() -> *const c_char {
    unsafe extern "C" {
        static program_invocation_name: *const c_char;
    }
    // SAFETY: the C library sets it before it runs anything.
    unsafe { program_invocation_name }
}

/// To be called when the program's constructors run.
pub fn begun() {
    loaded::begun();
}

/// Withdraws the names of a library that the program does not have without it. `$most` is at least the number of its names.
#[macro_export]
macro_rules! withdraw_names {
    ($most:literal) => {
        static NAMES: $crate::names::Names<$most> = $crate::names::Names::new();

        fn own_names() -> $crate::names::Own {
            unsafe extern "C" {
                static numawise_names_stubs: u8;
            }
            $crate::names::Own::new(&NAMES, &raw const numawise_names_stubs)
        }

        /// The loader takes it for the choice of a function, and calls it as soon as all else of the library is bound.
        extern "C" fn settle_names() -> usize {
            $crate::names::settle(own_names());
            (settle_names as *const ()).addr()
        }

        extern "C" fn answer_name(number: u32, asks: usize) -> usize {
            $crate::names::answer(own_names(), number as usize, asks)
        }

        /// Keeps the place of which the loader asks in the library.
        fn keep_names() {
            unsafe extern "C" {
                static numawise_names_settled: usize;
            }
            // SAFETY: a word, which the loader has written.
            unsafe { (&raw const numawise_names_settled).read_volatile() };
            $crate::names::begun();
        }

        #[cfg(target_arch = "x86_64")]
        core::arch::global_asm!(
            ".pushsection .text.numawise_names,\"ax\",@progbits",
            ".globl numawise_names_stubs",
            ".hidden numawise_names_stubs",
            "numawise_names_stubs:",
            ".set numawise_names_number, 0",
            ".rept {most}",
            ".byte 0xb8", // mov eax, NUMBER
            ".long numawise_names_number",
            ".byte 0xe9", // jmp
            ".long 1f - (. + 4)",
            ".set numawise_names_number, numawise_names_number + 1",
            ".endr",
            "1:",
            "mov edi, eax",
            "mov rsi, qword ptr [rsp]",
            "jmp {answer}",
            ".type numawise_names_settle, @gnu_indirect_function",
            "numawise_names_settle:",
            "jmp {settle}",
            ".popsection",
            most = const $most,
            answer = sym answer_name,
            settle = sym settle_names,
        );
        #[cfg(target_arch = "aarch64")]
        core::arch::global_asm!(
            ".pushsection .text.numawise_names,\"ax\",@progbits",
            ".balign 4",
            ".globl numawise_names_stubs",
            ".hidden numawise_names_stubs",
            "numawise_names_stubs:",
            ".set numawise_names_number, 0",
            ".rept {most}",
            "movz w16, #numawise_names_number",
            "b 1f",
            ".set numawise_names_number, numawise_names_number + 1",
            ".endr",
            "1:",
            "mov w0, w16",
            "mov x1, x30",
            "b {answer}",
            ".type numawise_names_settle, %gnu_indirect_function",
            "numawise_names_settle:",
            "b {settle}",
            ".popsection",
            most = const $most,
            answer = sym answer_name,
            settle = sym settle_names,
        );
        core::arch::global_asm!(
            ".pushsection .data.rel.ro.numawise_names,\"aw\",@progbits",
            ".balign 8",
            ".globl numawise_names_settled",
            ".hidden numawise_names_settled",
            "numawise_names_settled:",
            ".quad numawise_names_settle",
            ".popsection",
        );
    };
}
