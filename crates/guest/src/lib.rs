//! What libraries that are preloaded into a program share: their begin and their end ([`preloaded`]), calls to the kernel and to the C library that
//! change nothing of the program's ([`system`]), memory and files that are mapped ([`memory`]), whether the process is watched, and its forks
//! ([`process`]), the file of an address ([`loaded`]), the CPU of a thread ([`cpu`]), threads from their begin ([`threads`]), what they execute in
//! Python ([`python`]), what was found out once ([`known`]), that a name which is not there without us is not there ([`names`]), and that nothing is
//! called where a program has forbidden it to itself ([`sandbox`]).
//!
//! Each library has a copy of its own, with its own statics, and exports what it stands before by macros from here. Without `std`, without
//! allocation, without a panic.

#![no_std]

pub mod cpu;
pub mod known;
pub mod loaded;
pub mod memory;
pub mod names;
pub mod process;
pub mod python;
mod quiet;
pub mod sandbox;
pub mod system;
pub mod threads;

/// What each of the libraries is at its root. It runs the first function before the program does, when the libraries that the program needs have begun
/// (with `-z initfirst` before all), and the second one at exit, when the program's own handlers are done. The mark is read in the file by who has
/// the library loaded; of so many names it can withdraw what nobody has without it ([`names`]).
#[macro_export]
macro_rules! preloaded {
    (begin: $begin:path, end: $end:path, layout: $layout:ident = $mark:path, names: $names:literal) => {
        // SAFETY: the section holds pointers to functions that the loader calls; this is one.
        #[unsafe(link_section = ".fini_array")]
        #[used]
        static END: extern "C" fn() = $end;

        // SAFETY: nobody else has this name.
        #[unsafe(no_mangle)]
        pub static $layout: [u8; 32] = $mark;

        $crate::withdraw_names!($names);

        fn begin_behind_others() {
            keep_names();
            $crate::sandbox::look_up();
            $begin();
        }

        $crate::preloaded!(begin: begin_behind_others);
    };
    (begin: $begin:path) => {
        // Where the compiler unwinds (tests, and builds without optimisation), it wants `std` for that.
        #[cfg(any(test, panic = "unwind"))]
        extern crate std;

        // SAFETY: as above. glibc gives it what main gets.
        #[unsafe(link_section = ".init_array")]
        #[used]
        static BEGIN: extern "C" fn(
            core::ffi::c_int,
            $crate::system::Strings,
            $crate::system::Strings,
        ) = preloaded;

        extern "C" fn preloaded(
            count: core::ffi::c_int,
            arguments: $crate::system::Strings,
            environment: $crate::system::Strings,
        ) {
            $crate::system::use_environment(count, arguments, environment);
            $begin();
        }

        /// There is no panic in this library, and a test sees to it that nothing calls this; the compiler wants it all the same.
        #[cfg(all(not(test), panic = "abort"))]
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
            // SAFETY: no preconditions.
            unsafe { libc::abort() }
        }
    };
}
