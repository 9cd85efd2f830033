//! The functions that we stand before: what each does, and where the real ones are.

use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use numawise_guest::system::{self, loaded_file};

use crate::code;
use crate::local::local;

/// How many bytes a function is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// By one argument.
    Argument(usize),
    /// By the first argument times the second.
    Product,
}

/// What a function does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Returns new memory.
    Allocate(Size),
    /// Puts the address of new memory where its first argument says, and returns 0.
    AllocateInto(Size),
    /// Makes the first argument as large as the second says.
    Reallocate,
    /// Frees the first argument.
    Release,
    Map,
    Unmap,
    Remap,
    Attach,
    Detach,
    /// Says what a signal does, which is the first argument; the second is what it is to do, and the third where to put what it did.
    Signal,
}

pub struct Function {
    pub name: &'static CStr,
    pub what: What,
    /// Stands for the C++ operators, which the C++ library has, or the allocator.
    pub operator: bool,
}

const fn of(name: &'static CStr, what: What) -> Function {
    Function { name, what, operator: false }
}

const fn new(name: &'static CStr) -> Function {
    Function { name, what: What::Allocate(Size::Argument(0)), operator: true }
}

const fn delete(name: &'static CStr) -> Function {
    Function { name, what: What::Release, operator: true }
}

pub const MALLOC: usize = 0;
pub const FREE: usize = 3;
pub const SIGACTION: usize = 37;
/// The first of the operators.
pub const OPERATORS: usize = 17;
pub const COUNT: usize = OPERATORS + 22;

/// By their numbers, which the entries have (`exports.rs`).
pub static FUNCTIONS: [Function; COUNT] = [
    of(c"malloc", What::Allocate(Size::Argument(0))),
    of(c"calloc", What::Allocate(Size::Product)),
    of(c"realloc", What::Reallocate),
    of(c"free", What::Release),
    of(c"posix_memalign", What::AllocateInto(Size::Argument(2))),
    of(c"aligned_alloc", What::Allocate(Size::Argument(1))),
    of(c"memalign", What::Allocate(Size::Argument(1))),
    of(c"valloc", What::Allocate(Size::Argument(0))),
    of(c"pvalloc", What::Allocate(Size::Argument(0))),
    of(c"free_sized", What::Release),
    of(c"free_aligned_sized", What::Release),
    of(c"mmap", What::Map),
    of(c"mmap64", What::Map),
    of(c"munmap", What::Unmap),
    of(c"mremap", What::Remap),
    of(c"shmat", What::Attach),
    of(c"shmdt", What::Detach),
    new(c"_Znwm"),
    new(c"_Znam"),
    new(c"_ZnwmRKSt9nothrow_t"),
    new(c"_ZnamRKSt9nothrow_t"),
    new(c"_ZnwmSt11align_val_t"),
    new(c"_ZnamSt11align_val_t"),
    new(c"_ZnwmSt11align_val_tRKSt9nothrow_t"),
    new(c"_ZnamSt11align_val_tRKSt9nothrow_t"),
    delete(c"_ZdlPv"),
    delete(c"_ZdaPv"),
    delete(c"_ZdlPvm"),
    delete(c"_ZdaPvm"),
    delete(c"_ZdlPvSt11align_val_t"),
    delete(c"_ZdaPvSt11align_val_t"),
    delete(c"_ZdlPvmSt11align_val_t"),
    delete(c"_ZdaPvmSt11align_val_t"),
    delete(c"_ZdlPvRKSt9nothrow_t"),
    delete(c"_ZdaPvRKSt9nothrow_t"),
    delete(c"_ZdlPvSt11align_val_tRKSt9nothrow_t"),
    delete(c"_ZdaPvSt11align_val_tRKSt9nothrow_t"),
    of(c"sigaction", What::Signal),
    of(c"signal", What::Signal),
];

/// The real functions, once they were looked up; read by the entries.
pub static REAL: [AtomicUsize; COUNT] = [const { AtomicUsize::new(0) }; COUNT];
/// Those of the C++ library, which call malloc and free, where we see them; read by the entries.
pub static PASSED: [AtomicUsize; COUNT] = [const { AtomicUsize::new(0) }; COUNT];

/// The file in which the allocator lies; what it maps is no object, but the memory of those that it gives out.
static ALLOCATOR: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// Whether it has the operators of C++ too, which may call its other functions where we see them.
static OWNS_OPERATORS: AtomicBool = AtomicBool::new(false);

/// The real function; 0 where there is none. `caller` is where the program goes on.
pub fn real(number: usize, caller: usize) -> usize {
    let Some(place) = REAL.get(number) else { return 0 };
    match place.load(Relaxed) {
        0 => look_up(number, caller, place),
        found => found,
    }
}

/// Whether the real function was looked up.
pub fn is_known(number: usize) -> bool {
    REAL.get(number).is_some_and(|place| place.load(Relaxed) != 0)
}

#[cold]
fn look_up(number: usize, caller: usize, place: &AtomicUsize) -> usize {
    let Some(function) = FUNCTIONS.get(number) else { return 0 };
    let local = local();
    let before = local.looks_up.replace(true);
    let mut found = system::next_symbol(function.name);
    if found.is_null() && function.operator {
        found = of_caller(caller, function.name);
    }
    local.looks_up.set(before);
    let mut found = found.expose_provenance();
    if found == 0 && function.what == What::Release && number != FREE {
        // A library that has no such function frees by the one that all have.
        found = real(FREE, caller);
    }
    if found == 0 && function.operator {
        found = real(MALLOC, caller);
    }
    // Constructors may call it before the allocator is known.
    let is_known = ALLOCATOR[1].load(Relaxed) != 0;
    if function.operator
        && is_known
        && !is_of_allocator(found)
        && let Some(passed) = PASSED.get(number)
    {
        passed.store(found, Relaxed);
    }
    place.store(found, Relaxed);
    found
}

/// A library that was loaded for itself has its C++ library for itself, which is not in the global scope.
fn of_caller(caller: usize, name: &CStr) -> *const c_void {
    let Some(file) = loaded_file(caller) else { return core::ptr::null() };
    // SAFETY: the name of a file is a string while that is loaded, and it runs.
    unsafe {
        let scope = libc::dlopen(file.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if scope.is_null() {
            libc::dlerror();
            return core::ptr::null();
        }
        let found = libc::dlsym(scope, name.as_ptr());
        if found.is_null() {
            libc::dlerror();
        }
        libc::dlclose(scope);
        found
    }
}

/// Looks the functions up that most programs call, while the process has one thread.
pub fn look_all_up() {
    for number in 0..OPERATORS {
        real(number, 0);
    }
    let (begin, end) = code::file_around(real(MALLOC, 0));
    let [first, last] = &ALLOCATOR;
    first.store(begin, Relaxed);
    last.store(end, Relaxed);
    let local = local();
    local.looks_up.set(true);
    for (number, function) in FUNCTIONS.iter().enumerate().skip(OPERATORS) {
        // Those of the C++ library are not there in all programs.
        let found = system::next_symbol(function.name);
        if let (false, Some(place)) = (found.is_null(), REAL.get(number)) {
            let found = found.expose_provenance();
            let owned = is_of_allocator(found);
            if owned && function.operator {
                OWNS_OPERATORS.store(true, Relaxed);
            }
            if let (false, Some(passed)) = (owned, PASSED.get(number)) {
                passed.store(found, Relaxed);
            }
            place.store(found, Relaxed);
        }
    }
    local.looks_up.set(false);
}

/// Whether an address lies in the allocator's file.
pub fn is_of_allocator(address: usize) -> bool {
    let [begin, end] = &ALLOCATOR;
    (begin.load(Relaxed)..end.load(Relaxed)).contains(&address)
}

/// Whether a call comes from the allocator, whose own operator it is that the program called. The C library allocates for the program
/// (strdup), and has no operators.
pub fn is_inner(caller: usize) -> bool {
    OWNS_OPERATORS.load(Relaxed) && is_of_allocator(caller)
}

/// Bytes of a block, as its allocator says; 0 where it does not.
#[cold]
pub fn usable(address: usize) -> usize {
    type Usable = unsafe extern "C" fn(usize) -> usize;
    let found = system::next_symbol(c"malloc_usable_size");
    // SAFETY: the allocator's function of this type; the block is one of its own.
    if found.is_null() { 0 } else { unsafe { core::mem::transmute::<*const c_void, Usable>(found)(address) } }
}
