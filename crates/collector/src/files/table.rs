//! The functions of the C library that we stand before, and what each does.

use core::ffi::CStr;

/// What a function does; the numbers are those of the arguments that hold a descriptor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Gives how many bytes it read or wrote.
    Read(u8),
    Write(u8),
    /// From one descriptor to another.
    Copy {
        from: u8,
        to: u8,
    },
    Sync(u8),
    /// Waits for files that it does not name.
    SyncAll,
    /// Changes the length, or reserves space.
    Change(u8),
    /// Gives a descriptor, or a stream.
    Open,
    OpenStream,
    Close(u8),
    /// Puts another file in the place of one.
    Replace(u8),
    /// Closes all from the first argument on, up to the second.
    CloseRange,
    CloseFrom,
    /// The same, of the stream that is the first argument.
    StreamRead,
    StreamWrite,
    StreamClose,
}

/// A function by its name.
pub struct FileCall {
    pub name: &'static CStr,
    pub effect: Effect,
}

/// Defines a function that hands its number to the entry, with all arguments where the caller put them.
macro_rules! wrapper {
    ($(#[$attribute:meta])* $name:ident, $number:expr) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        pub extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                "mov r11d, {number}",
                "jmp numawise_collector_file_call",
                number = const $number,
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(
                "mov w16, #{number}",
                "b numawise_collector_file_call",
                number = const $number,
            );
        }
    };
}

macro_rules! functions {
    ($($number:literal $name:ident $effect:expr;)*) => {
        const EXPORTED: usize = [$($number),*].len();
        const NAMED: [FileCall; EXPORTED] = [$(FileCall {
            name: match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!(),
            },
            effect: $effect,
        }),*];
        const _: () = {
            let numbers = [$($number),*];
            let mut k = 0;
            while k < EXPORTED {
                assert!(numbers[k] == k);
                k += 1;
            }
        };
        $(wrapper!(#[unsafe(no_mangle)] $name, $number);)*
    };
}

functions! {
    0 read Effect::Read(0);
    1 __read_chk Effect::Read(0);
    2 pread Effect::Read(0);
    3 pread64 Effect::Read(0);
    4 __pread_chk Effect::Read(0);
    5 __pread64_chk Effect::Read(0);
    6 readv Effect::Read(0);
    7 preadv Effect::Read(0);
    8 preadv64 Effect::Read(0);
    9 preadv2 Effect::Read(0);
    10 preadv64v2 Effect::Read(0);
    11 write Effect::Write(0);
    12 pwrite Effect::Write(0);
    13 pwrite64 Effect::Write(0);
    14 writev Effect::Write(0);
    15 pwritev Effect::Write(0);
    16 pwritev64 Effect::Write(0);
    17 pwritev2 Effect::Write(0);
    18 pwritev64v2 Effect::Write(0);
    19 copy_file_range Effect::Copy { from: 0, to: 2 };
    20 sendfile Effect::Copy { from: 1, to: 0 };
    21 sendfile64 Effect::Copy { from: 1, to: 0 };
    22 splice Effect::Copy { from: 0, to: 2 };
    23 fsync Effect::Sync(0);
    24 fdatasync Effect::Sync(0);
    25 sync_file_range Effect::Sync(0);
    26 syncfs Effect::Sync(0);
    27 sync Effect::SyncAll;
    28 msync Effect::SyncAll;
    29 ftruncate Effect::Change(0);
    30 ftruncate64 Effect::Change(0);
    31 fallocate Effect::Change(0);
    32 fallocate64 Effect::Change(0);
    33 posix_fallocate Effect::Change(0);
    34 posix_fallocate64 Effect::Change(0);
    35 open Effect::Open;
    36 open64 Effect::Open;
    37 openat Effect::Open;
    38 openat64 Effect::Open;
    39 creat Effect::Open;
    40 creat64 Effect::Open;
    41 __open_2 Effect::Open;
    42 __open64_2 Effect::Open;
    43 __openat_2 Effect::Open;
    44 __openat64_2 Effect::Open;
    45 fopen Effect::OpenStream;
    46 fopen64 Effect::OpenStream;
    47 close Effect::Close(0);
    48 dup2 Effect::Replace(1);
    49 dup3 Effect::Replace(1);
    50 close_range Effect::CloseRange;
    51 closefrom Effect::CloseFrom;
}

/// What the streams of glibc call, not by these names but through a table.
pub const STREAM_READ: usize = EXPORTED;
pub const STREAM_WRITE: usize = EXPORTED + 1;
pub const STREAM_CLOSE: usize = EXPORTED + 2;
pub const FUNCTIONS: usize = EXPORTED + 3;

wrapper!(stream_read, STREAM_READ);
wrapper!(stream_write, STREAM_WRITE);
wrapper!(stream_close, STREAM_CLOSE);

static EXPORTED_CALLS: [FileCall; EXPORTED] = NAMED;
static STREAM_CALLS: [FileCall; FUNCTIONS - EXPORTED] = [
    FileCall { name: c"_IO_file_read", effect: Effect::StreamRead },
    FileCall { name: c"_IO_file_write", effect: Effect::StreamWrite },
    FileCall { name: c"_IO_file_close", effect: Effect::StreamClose },
];

/// The function with this number.
#[inline]
pub fn call(number: usize) -> Option<&'static FileCall> {
    match EXPORTED_CALLS.get(number) {
        Some(call) => Some(call),
        None => STREAM_CALLS.get(number.checked_sub(EXPORTED)?),
    }
}
