//! What the kernel says of this process in files: read at the end of a thread or of the process, into a buffer of the caller's.

use core::ffi::{CStr, c_int};
use core::fmt::{self, Write};

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

/// The first bytes of a file, up to its end or that of the buffer.
fn read<'a>(path: &CStr, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    // SAFETY: the path is a string, and the kernel writes at most the buffer; the descriptor is closed at once.
    let length = unsafe {
        let file = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return None;
        }
        let length = libc::read(file, buffer.as_mut_ptr().cast(), buffer.len());
        libc::close(file);
        length
    };
    buffer.get(..usize::try_from(length).ok()?)
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

/// Memory of the process, in bytes.
pub struct Memory {
    /// The most that was resident at once.
    pub peak: Option<u64>,
    pub swapped: Option<u64>,
}

/// The kernel's account of the memory of this process.
pub fn memory() -> Memory {
    let mut buffer = [0; 4096];
    let text = read(STATUS, &mut buffer).unwrap_or_default();
    let bytes = |name: &[u8]| {
        let line = text.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(name))?;
        number(line)?.checked_mul(1024)
    };
    Memory { peak: bytes(b"VmHWM:"), swapped: bytes(b"VmSwap:") }
}
