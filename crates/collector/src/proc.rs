//! What the kernel says of this process in files: read at the end of a thread or of the process, into a buffer of the caller's.

use core::ffi::{CStr, c_int};
use core::fmt::{self, Write};
use core::sync::atomic::Ordering::Relaxed;

use numawise_wire::snapshot::{Header, KERNEL_BYTES};

use crate::system::read;

/// Of the process.
const STATUS: &CStr = c"/proc/self/status";

/// A path with the number of a thread.
struct Path {
    bytes: [u8; 48],
    length: usize,
}

impl Write for Path {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // The last byte stays zero.
        let end = self.length + text.len();
        if end >= self.bytes.len() {
            return Err(fmt::Error);
        }
        let place = self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?;
        place.iter_mut().zip(text.as_bytes()).for_each(|(place, byte)| *place = *byte);
        self.length = end;
        Ok(())
    }
}

fn number(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    core::str::from_utf8(text.get(..digits)?).ok()?.parse().ok()
}

/// How long a thread of this process was ready and waited for a CPU, in nanoseconds; `None` where the kernel does not count.
pub fn run_delay(thread: c_int) -> Option<u64> {
    let mut path = Path { bytes: [0; 48], length: 0 };
    write!(path, "/proc/self/task/{thread}/schedstat").ok()?;
    let mut buffer = [0; 96];
    let text = read(CStr::from_bytes_until_nul(&path.bytes).ok()?, &mut buffer)?;
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(number);
    let (_, delay, slices) = (words.next()??, words.next()??, words.next()??);
    // No time slice of a thread that runs: nothing is counted.
    (slices > 0).then_some(delay)
}

/// Whether the kernel accounts the waiting for disks: a setting of Linux since 5.14, and not known before.
const ACCOUNTS_WAITING: &CStr = c"/proc/sys/kernel/task_delayacct";
/// Ticks of the kernel's files are hundredths of a second.
const NANOSECONDS_OF_A_TICK: u64 = 10_000_000;

/// How long a thread of this process waited for disks, in nanoseconds; `None` where the kernel does not account it.
pub fn disk_wait(thread: c_int) -> Option<u64> {
    // The 42nd word of the file, and the 40th behind the name in brackets, which may hold anything.
    const BEHIND_NAME: usize = 39;
    let mut setting = [0; 8];
    if read(ACCOUNTS_WAITING, &mut setting).map(number) != Some(Some(1)) {
        return None;
    }
    let mut path = Path { bytes: [0; 48], length: 0 };
    write!(path, "/proc/self/task/{thread}/stat").ok()?;
    let mut buffer = [0; 1024];
    let text = read(CStr::from_bytes_until_nul(&path.bytes).ok()?, &mut buffer)?;
    let behind = text.get(text.iter().rposition(|byte| *byte == b')')?.checked_add(1)?..)?;
    let mut words = behind.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.nth(BEHIND_NAME).and_then(number)?.checked_mul(NANOSECONDS_OF_A_TICK)
}

/// The kernel's account of what this process has read and written, and how long the text of it was, which counts as read from then on.
pub fn io() -> Option<([u64; KERNEL_BYTES], u64)> {
    const NAMES: [&[u8]; KERNEL_BYTES] =
        [b"rchar:", b"wchar:", b"read_bytes:", b"write_bytes:", b"cancelled_write_bytes:"];
    let mut buffer = [0; 512];
    let text = read(c"/proc/self/io", &mut buffer)?;
    let mut numbers = [0; KERNEL_BYTES];
    for (place, name) in numbers.iter_mut().zip(NAMES) {
        let line = text.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(name))?;
        *place = number(line)?;
    }
    Some((numbers, text.len() as u64))
}

/// How many threads this process has: their folder has a link for each, and nothing has to be read, which the kernel would account to the
/// program.
pub fn threads() -> Option<u32> {
    // SAFETY: zeros are a value of the struct.
    let mut facts: libc::stat = unsafe { core::mem::zeroed() };
    let path = c"/proc/self/task";
    // SAFETY: the path is a string, and the kernel fills the struct.
    let result =
        unsafe { libc::syscall(libc::SYS_newfstatat, libc::AT_FDCWD, path.as_ptr(), &raw mut facts, 0) };
    (result == 0).then_some((facts.st_nlink as u32).checked_sub(2)?)
}

/// Notes the kernel's account of the memory of this process.
pub fn note_memory(header: &Header) {
    let mut buffer = [0; 4096];
    let text = read(STATUS, &mut buffer).unwrap_or_default();
    let bytes = |name: &[u8]| {
        let line = text.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(name))?;
        number(line)?.checked_mul(1024)
    };
    header.peak_memory.store(bytes(b"VmHWM:").unwrap_or(0), Relaxed);
    // 0 is not known.
    header.swapped.store(bytes(b"VmSwap:").map_or(0, |bytes| bytes.saturating_add(1)), Relaxed);
}
