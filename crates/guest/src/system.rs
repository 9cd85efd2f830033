//! The calls to the kernel and to the C library that several parts need.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ops::Range;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use numawise_wire::Variable;

use crate::quiet;

/// The environment that the loader gave us, while the C library's is not set.
static ENVIRONMENT: AtomicPtr<*const c_char> = AtomicPtr::new(core::ptr::null_mut());

/// Strings with a null at their end.
pub type Strings = *const *const c_char;

/// What the loader gives a constructor; to be called before the program begins to change it. So early glibc's getenv finds nothing. The environment lies
/// behind the arguments; where it does not, we were given none: other C libraries give nothing, and these are whatever was in the registers.
pub fn use_environment(count: c_int, arguments: Strings, environment: Strings) {
    if arguments.wrapping_add(1).wrapping_offset(count as isize) == environment && !arguments.is_null() {
        ENVIRONMENT.store(environment.cast_mut(), Ordering::Relaxed);
    }
}

/// A variable of the environment; valid until the program changes it.
pub fn variable<'a>(variable: Variable) -> Option<&'a [u8]> {
    let name = variable.c_name();
    let mut entry = ENVIRONMENT.load(Ordering::Relaxed);
    if !entry.is_null() {
        // SAFETY: the environment is a list of strings with a null at its end.
        unsafe {
            while !(*entry).is_null() {
                let text = CStr::from_ptr(*entry).to_bytes();
                if let Some(value) =
                    text.strip_prefix(name.to_bytes()).and_then(|rest| rest.strip_prefix(b"="))
                {
                    return Some(value);
                }
                entry = entry.add(1);
            }
        }
        return None;
    }
    // SAFETY: the name is a string; what comes back is null or a string that lives until the program changes it, and the
    // only caller copies it at once.
    unsafe {
        let value: *const c_char = libc::getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_bytes())
    }
}

/// A number of the environment; `None` where there is no such variable, or where it is no number.
pub fn number(of: Variable) -> Option<u64> {
    core::str::from_utf8(variable(of)?).ok()?.parse().ok()
}

/// The next definition of a symbol in the global scope, after ours; null when there is none. Takes a lock of the loader.
pub fn next_symbol(name: &CStr) -> *const c_void {
    symbol(libc::RTLD_NEXT, name)
}

/// The first definition of a symbol in the global scope: the program's own, where it has one. Otherwise as [`next_symbol`].
pub fn first_symbol(name: &CStr) -> *const c_void {
    // From here `RTLD_DEFAULT` would begin with ourselves, as we are linked to our own symbols first (-Bsymbolic).
    // SAFETY: no name is the program itself, which is there and stays.
    unsafe {
        let program = libc::dlopen(core::ptr::null(), libc::RTLD_LAZY);
        let found = symbol(program, name);
        libc::dlclose(program);
        found
    }
}

fn symbol(scope: *mut c_void, name: &CStr) -> *const c_void {
    // SAFETY: the name is a string. What we do not find is not for the program's dlerror.
    unsafe {
        let found = libc::dlsym(scope, name.as_ptr());
        if found.is_null() {
            libc::dlerror();
        }
        found
    }
}

/// What the loader says of the file in which an address lies; none where it lies in no file. Its strings are kept while the file is loaded.
pub fn loaded_file(address: usize) -> Option<libc::Dl_info> {
    let address = core::ptr::with_exposed_provenance(address);
    // SAFETY: zeros are a value of the struct, which the loader fills where the address lies in a file.
    unsafe {
        let mut found: libc::Dl_info = core::mem::zeroed();
        (libc::dladdr(address, &raw mut found) != 0).then_some(found)
    }
}

/// Where the loader put the file in which an address lies; null where it lies in none.
pub fn file_of(address: usize) -> *const c_void {
    loaded_file(address).map_or(core::ptr::null(), |file| file.dli_fbase)
}

/// The parts of a file that is loaded.
pub fn parts(info: &libc::dl_phdr_info) -> &[libc::Elf64_Phdr] {
    if info.dlpi_phdr.is_null() {
        return &[];
    }
    // SAFETY: the loader's table of so many entries.
    unsafe { core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) }
}

/// Of a file that is loaded at a base, the part of a kind in which an address lies.
pub fn part_with(
    base: usize,
    parts: &[libc::Elf64_Phdr],
    kind: u32,
    address: usize,
) -> Option<&libc::Elf64_Phdr> {
    parts.iter().find(|part| {
        let begin = base.wrapping_add(part.p_vaddr as usize);
        part.p_type == kind && address.wrapping_sub(begin) < part.p_memsz as usize
    })
}

/// Whether an address lies in a file.
pub fn holds(info: &libc::dl_phdr_info, address: usize) -> bool {
    part_with(info.dlpi_addr as usize, parts(info), libc::PT_LOAD, address).is_some()
}

/// Where a file begins and ends; empty where nothing of it is loaded.
pub fn extent(info: &libc::dl_phdr_info) -> Range<usize> {
    let loaded = parts(info).iter().filter(|part| part.p_type == libc::PT_LOAD);
    loaded.fold(Range { start: usize::MAX, end: 0 }, |all, part| {
        let begin = (info.dlpi_addr as usize).wrapping_add(part.p_vaddr as usize);
        all.start.min(begin)..all.end.max(begin.wrapping_add(part.p_memsz as usize))
    })
}

/// Bytes of a page.
pub fn page() -> usize {
    // SAFETY: no preconditions.
    unsafe { libc::getauxval(libc::AT_PAGESZ) as usize }.max(crate::memory::PAGE)
}

/// A symbol of the global scope after ours, looked up when it is first needed.
pub struct Symbol {
    name: &'static CStr,
    /// 0: not looked up.
    found: AtomicUsize,
}

/// There is no such symbol. No function has this address.
const NONE: usize = 1;

impl Symbol {
    pub const fn new(name: &'static CStr) -> Symbol {
        Symbol { name, found: AtomicUsize::new(0) }
    }

    /// Null when there is none.
    pub fn get(&self) -> *const c_void {
        let mut found = self.found.load(Ordering::Relaxed);
        if found == 0 {
            found = next_symbol(self.name).expose_provenance().max(NONE);
            self.found.store(found, Ordering::Relaxed);
        }
        match found {
            NONE => core::ptr::null(),
            found => core::ptr::with_exposed_provenance(found),
        }
    }
}

/// New memory, all zeros; what is not touched takes none.
pub fn memory(bytes: usize) -> Option<*mut c_void> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the kernel finds a place for it.
    unsafe { crate::memory::map(core::ptr::null_mut(), bytes, protection, None, libc::MAP_NORESERVE) }
}

/// Opens a file for ourselves: the C library's functions are those that we stand before. Negative where it cannot be.
pub fn open(path: &CStr, flags: c_int, mode: libc::mode_t) -> c_int {
    if quiet::is_quiet() {
        return -1;
    }
    let flags = flags | libc::O_CLOEXEC;
    // SAFETY: the path is a string.
    unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, mode) as c_int }
}

/// The first bytes of a file, up to its end or that of the buffer; `None` where it cannot be read.
pub fn read<'a>(path: &CStr, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    let file = open(path, libc::O_RDONLY, 0);
    if file < 0 {
        return None;
    }
    // SAFETY: the kernel writes at most the buffer.
    let length = unsafe { libc::syscall(libc::SYS_read, file, buffer.as_mut_ptr(), buffer.len()) };
    close(file);
    buffer.get(..usize::try_from(length).ok()?)
}

/// Closes a descriptor of ours.
pub fn close(file: c_int) {
    // SAFETY: the descriptor is ours.
    unsafe { libc::syscall(libc::SYS_close, file) };
}

/// File systems whose files the kernel makes up as they are read: of processes, of devices and the like.
/// By the numbers of linux/magic.h: proc, sys, the two of cgroups, debug, trace, security, bpf.
const MADE_UP: [u32; 8] =
    [0x9fa0, 0x6265_6572, 0x0027_e0eb, 0x6367_7270, 0x6462_6720, 0x7472_6163, 0x7363_6673, 0xcafe_4a11];

/// Whether a descriptor is a regular file, which lies on a storage or in memory, or a block device.
pub fn is_file(descriptor: c_int) -> bool {
    // SAFETY: zeros are a value of the struct, and the kernel fills it: it has this layout on 64-bit machines.
    let mut of: libc::stat = unsafe { core::mem::zeroed() };
    // SAFETY: as above.
    if unsafe { libc::syscall(libc::SYS_fstat, descriptor, &raw mut of) } != 0 {
        return false;
    }
    match of.st_mode & libc::S_IFMT {
        libc::S_IFBLK => true,
        // What has blocks, or lies on a device, is no file that was made up.
        libc::S_IFREG => of.st_blocks > 0 || libc::major(of.st_dev) != 0 || !is_made_up(descriptor),
        _ => false,
    }
}

fn is_made_up(descriptor: c_int) -> bool {
    // SAFETY: as in `is_file`.
    let mut of: libc::statfs = unsafe { core::mem::zeroed() };
    // SAFETY: as above.
    let known = unsafe { libc::syscall(libc::SYS_fstatfs, descriptor, &raw mut of) } == 0;
    known && MADE_UP.contains(&(of.f_type as u32))
}

pub fn let_others_run() {
    // SAFETY: no preconditions.
    unsafe { libc::sched_yield() };
}

pub fn process() -> c_int {
    // SAFETY: no preconditions.
    unsafe { libc::getpid() }
}

/// The number of the calling thread.
pub fn thread() -> c_int {
    // SAFETY: no preconditions.
    unsafe { libc::syscall(libc::SYS_gettid) as c_int }
}

/// The program's errno, put back at the end: functions that we stand before must not change it.
pub struct SavedErrno(c_int);

impl SavedErrno {
    #[expect(clippy::new_without_default, reason = "it is what errno is at this place")]
    pub fn new() -> SavedErrno {
        // SAFETY: the address is valid for the calling thread.
        SavedErrno(unsafe { *libc::__errno_location() })
    }
}

impl Drop for SavedErrno {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = self.0 };
    }
}
