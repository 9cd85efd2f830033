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

use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use self::file::{File, Relocation, hash_of};
use crate::system::{self, holds, parts};

mod file;

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

/// Where the library's own dynamic section lies, and its base; 0 until [`settle`] was here.
static DYNAMIC: AtomicUsize = AtomicUsize::new(0);
static BASE: AtomicUsize = AtomicUsize::new(0);

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

/// The library's own file.
fn own() -> Option<File> {
    let dynamic = DYNAMIC.load(Relaxed);
    // SAFETY: null, or our own section, which stays.
    unsafe { File::new(BASE.load(Relaxed), core::ptr::with_exposed_provenance(dynamic)) }
}

/// Names of our own: whoever looks for them looks for us.
fn is_ours(name: &CStr) -> bool {
    let name = name.to_bytes();
    name == b"ompt_start_tool" || name.starts_with(b"numawise_") || name.starts_with(b"NUMAWISE_")
}

fn is_of_mpi(name: &CStr) -> bool {
    let name = name.to_bytes();
    let name = name.strip_prefix(b"P").or_else(|| name.strip_prefix(b"p")).unwrap_or(name);
    name.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case(b"MPI_"))
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

/// The library's own file.
struct Library {
    file: File,
    dynamic: usize,
    /// Whether its table of symbols lies in a part that has code too.
    is_code: bool,
}

/// What a walk over the files that are loaded found.
struct Walk {
    own: File,
    first: usize,
    end: usize,
    /// The names of ours that no other file defines, a bit for each; those of MPI apart from the others.
    missing: [[u64; WORDS]; 2],
    has_mpi: bool,
    is_code: bool,
}

impl Walk {
    /// Takes each name of ours as missing that is a function of other people's.
    fn begin(&mut self) {
        for place in self.first..self.end {
            // SAFETY: our own tables.
            let (name, kind) = unsafe {
                let symbol = self.own.symbols.add(place);
                (self.own.name(symbol), (*symbol).st_info & 15)
            };
            let number = place - self.first;
            let [others, mpi] = &mut self.missing;
            let names = if is_of_mpi(name) { mpi } else { others };
            if kind == FUNCTION
                && !is_ours(name)
                && let Some(word) = names.get_mut(number / 64)
            {
                *word |= 1 << (number % 64);
            }
        }
    }
}

/// Withdraws the names that are not there without us. To be called by the loader, when it has bound what the library itself needs.
pub fn settle(library: Own) {
    let mut own: Option<Library> = None;
    // SAFETY: the function is of the type that is asked for, and its data lives through the call.
    unsafe { libc::dl_iterate_phdr(Some(find_own), (&raw mut own).cast()) };
    let Some(Library { file: own, dynamic, is_code }) = own else { return };
    // SAFETY: our own tables.
    let Some((first, end)) = (unsafe { own.exported() }) else { return };
    if end - first > library.functions.len().min(WORDS * 64) {
        return;
    }
    BASE.store(own.base, Relaxed);
    DYNAMIC.store(dynamic, Relaxed);
    let mut walk = Walk { own, first, end, missing: [[0; WORDS]; 2], has_mpi: false, is_code };
    walk.begin();
    // SAFETY: as above.
    unsafe { libc::dl_iterate_phdr(Some(find_names), (&raw mut walk).cast()) };
    // SAFETY: our own tables; nobody else runs yet.
    if unsafe { withdraw(&walk, library) } {
        // SAFETY: as above.
        unsafe { libc::dl_iterate_phdr(Some(put_right), (&raw mut walk).cast()) };
    }
}

unsafe extern "C" fn find_own(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader gives a live struct, and `data` is the pointer that we gave.
    let (info, own) = unsafe { (&*info, &mut *data.cast::<Option<Library>>()) };
    if !holds(info, (&raw const DYNAMIC).addr()) {
        return 0;
    }
    // SAFETY: the file is loaded.
    let Some(file) = (unsafe { File::of(info) }) else { return 1 };
    let begin = |part: &libc::Elf64_Phdr| file.base.wrapping_add(part.p_vaddr as usize);
    let dynamic = parts(info).iter().find(|part| part.p_type == libc::PT_DYNAMIC);
    let symbols = parts(info).iter().find(|part| {
        part.p_type == libc::PT_LOAD && file.symbols.addr().wrapping_sub(begin(part)) < part.p_memsz as usize
    });
    if let Some((dynamic, symbols)) = dynamic.zip(symbols) {
        let is_code = symbols.p_flags & libc::PF_X != 0;
        *own = Some(Library { file, dynamic: begin(dynamic), is_code });
    }
    1
}

unsafe extern "C" fn find_names(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: as above; the files are loaded.
    unsafe {
        let (info, walk) = (&*info, &mut *data.cast::<Walk>());
        let Some(file) = File::of(info) else { return 0 };
        if file.base == walk.own.base {
            return 0;
        }
        let has_mpi = OF_EACH_MPI.iter().any(|name| file.defines(name, hash_of(name)));
        walk.has_mpi |= has_mpi;
        for names in walk.missing.iter_mut().take(1 + usize::from(has_mpi)) {
            for (number, word) in names.iter_mut().enumerate() {
                for bit in bits(*word) {
                    let symbol = walk.own.symbols.add(walk.first + number * 64 + bit);
                    let name = walk.own.name(symbol);
                    if file.defines(name, hash_of(name)) {
                        *word &= !(1 << bit);
                    }
                }
            }
        }
    }
    0
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
unsafe fn withdraw(walk: &Walk, library: Own) -> bool {
    // SAFETY: as of `settle`.
    unsafe {
        if walk.missing.as_flattened().iter().all(|word| *word == 0) || !protect(walk, true) {
            return false;
        }
        for (names, is_mpi) in walk.missing.iter().zip([false, true]) {
            let places = names.iter().zip((0..).step_by(64));
            for number in places.flat_map(|(word, begin)| bits(*word).map(move |bit| begin + bit)) {
                let symbol = walk.own.symbols.add(walk.first + number).cast_mut();
                let Some(function) = library.functions.get(number) else { break };
                function.store((*symbol).st_value as u32, Relaxed);
                if walk.has_mpi && is_mpi {
                    (*symbol).st_value = 0;
                } else {
                    (*symbol).st_info = (*symbol).st_info & !15 | INDIRECT;
                    (*symbol).st_value = (library.stubs + number * STUB - walk.own.base) as u64;
                }
            }
        }
        protect(walk, false);
    }
    true
}

/// Whether the pages of our table of symbols may be written.
fn protect(walk: &Walk, is_open: bool) -> bool {
    let page = system::page();
    let protection = libc::PROT_READ
        | if is_open { libc::PROT_WRITE } else { 0 }
        | if walk.is_code { libc::PROT_EXEC } else { 0 };
    // SAFETY: places of one table.
    let (begin, end) =
        unsafe { (walk.own.symbols.add(walk.first).addr(), walk.own.symbols.add(walk.end).addr()) };
    protect_range(begin / page * page, end.next_multiple_of(page), protection)
}

fn protect_range(begin: usize, end: usize, protection: c_int) -> bool {
    let at = core::ptr::with_exposed_provenance_mut::<c_void>(begin);
    // SAFETY: pages of a file that is loaded; they become writable, or what they were.
    unsafe { libc::mprotect(at, end - begin, protection) == 0 }
}

/// Takes our functions out of where the loader put them for names that are withdrawn.
unsafe extern "C" fn put_right(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: as above.
    unsafe {
        let (info, walk) = (&*info, &*data.cast::<Walk>());
        let Some(file) = File::of(info) else { return 0 };
        if file.base == walk.own.base {
            return 0;
        }
        for (begin, bytes) in file.relocations {
            let table: *const Relocation = core::ptr::with_exposed_provenance(begin);
            for number in 0..bytes / size_of::<Relocation>() {
                let relocation = &*table.add(number);
                let (kind, symbol) = (relocation.info as u32, (relocation.info >> 32) as usize);
                if symbol == 0 || !matches!(kind, kinds::ADDRESS | kinds::GLOBAL | kinds::JUMP) {
                    continue;
                }
                let slot: *mut usize =
                    core::ptr::with_exposed_provenance_mut(file.base.wrapping_add(relocation.place));
                let bound = slot.read_unaligned().wrapping_sub(relocation.addend as usize);
                let name = file.name(file.symbols.add(symbol));
                if is_withdrawn(walk, name, bound) {
                    put(info, slot, relocation.addend as usize);
                }
            }
        }
    }
    0
}

/// Whether a place holds our function of a name that was withdrawn.
unsafe fn is_withdrawn(walk: &Walk, name: &CStr, bound: usize) -> bool {
    // Functions lie behind the table of symbols, in the same file.
    if bound.wrapping_sub(walk.own.base) > 1 << 24 {
        return false;
    }
    // SAFETY: our own tables.
    unsafe {
        (walk.first..walk.end).any(|place| {
            let symbol = walk.own.symbols.add(place);
            let changed = (*symbol).st_value == 0 || (*symbol).st_info & 15 == INDIRECT;
            changed && walk.own.name(symbol) == name
        })
    }
}

/// Writes to where the loader keeps an address, which it may have protected already.
unsafe fn put(info: &libc::dl_phdr_info, slot: *mut usize, value: usize) {
    let page = system::page();
    let begin = slot.addr() / page * page;
    let end = (slot.addr() + size_of::<usize>()).next_multiple_of(page);
    // SAFETY: the slot is one that the loader has written itself.
    unsafe {
        if protect_range(begin, end, libc::PROT_READ | libc::PROT_WRITE) {
            slot.write_unaligned(value);
            let is_protected = parts(info).iter().any(|part| {
                let at = (info.dlpi_addr as usize).wrapping_add(part.p_vaddr as usize);
                part.p_type == libc::PT_GNU_RELRO && slot.addr().wrapping_sub(at) < part.p_memsz as usize
            });
            if is_protected {
                protect_range(begin, end, libc::PROT_READ);
            }
        }
    }
}

struct Search {
    name: &'static CStr,
    hash: u32,
    own: usize,
    /// An address in the file that asks.
    asks: usize,
    is_found: bool,
    is_loader: bool,
}

/// Answers the loader, which asks for the function of a name: 0 where no other file has it. `asks` is where the answer goes to.
pub fn answer(library: Own, number: usize, asks: usize) -> usize {
    let Some((own, function)) = own().zip(library.functions.get(number)) else { return 0 };
    let function = own.base + function.load(Relaxed) as usize;
    // SAFETY: the number is that of one of our names.
    let name = unsafe {
        let Some((first, _)) = own.exported() else { return 0 };
        own.name(own.symbols.add(first + number))
    };
    let mut search =
        Search { name, hash: hash_of(name), own: own.base, asks, is_found: false, is_loader: false };
    // SAFETY: the function is of the type that is asked for, and its data lives through the call.
    unsafe { libc::dl_iterate_phdr(Some(search_file), (&raw mut search).cast()) };
    if search.is_loader {
        // It binds a file, which may have the name in a scope of its own.
        return if search.is_found { function } else { 0 };
    }
    // It is dlsym that asks: in the global scope, as this does, after us.
    if search.is_found && !system::next_symbol(name).is_null() {
        return function;
    }
    refuse(name);
    0
}

unsafe extern "C" fn search_file(info: *mut libc::dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: as above.
    unsafe {
        let (info, search) = (&*info, &mut *data.cast::<Search>());
        let Some(file) = File::of(info) else { return 0 };
        if file.base != search.own && file.defines(search.name, search.hash) {
            search.is_found = true;
        }
        if holds(info, search.asks) {
            // The loader, and nobody else, defines this.
            search.is_loader = file.defines(LOADERS, hash_of(LOADERS));
        }
    }
    0
}

const LOADERS: &CStr = c"_r_debug";

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
fn program() -> *const core::ffi::c_char {
    unsafe extern "C" {
        static program_invocation_name: *const core::ffi::c_char;
    }
    // SAFETY: the C library sets it before it runs anything.
    unsafe { program_invocation_name }
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
