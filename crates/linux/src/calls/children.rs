//! The children of this process, read where nothing may be allocated: between fork and exec.

use std::ffi::CStr;
use std::io;

use numawise_units::Pid;

#[cfg(test)]
#[path = "children_tests.rs"]
mod tests;

/// The longest name that the kernel keeps of a task, with the zero that ends it.
pub const NAME: usize = 16;

/// Calls `each` with every child of the calling thread, zombies included. Children that come or go meanwhile may be missed, so
/// who wants all of them asks until wait(2) finds none.
///
/// # Errors
/// When `/proc` is not there.
#[doc(alias = "children")]
pub fn each(mut each: impl FnMut(Pid)) -> io::Result<()> {
    match listed(&mut each) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => by_parent(&mut each),
        result => result,
    }
}

/// The name of a process, padded with zeros; all zeros when it is gone.
#[doc(alias = "comm")]
pub fn name(pid: Pid) -> [u8; NAME] {
    let mut name = [0; NAME];
    let length = OpenFile::open(&path(pid, b"/comm")).map_or(0, |file| file.read(&mut name).unwrap_or(0));
    let end = name[..length].iter().position(|byte| *byte == b'\n').unwrap_or(length);
    name[end..].fill(0);
    name
}

/// From the list that the kernel keeps of them (CONFIG_PROC_CHILDREN).
fn listed(each: &mut dyn FnMut(Pid)) -> io::Result<()> {
    let file = OpenFile::open(c"/proc/thread-self/children".to_bytes_with_nul())?;
    let mut buffer = [0; 4096];
    let mut number = 0;
    loop {
        let length = file.read(&mut buffer)?;
        for byte in &buffer[..length] {
            match byte {
                b'0'..=b'9' => number = number * 10 + i32::from(byte - b'0'),
                _ if number > 0 => each(Pid(std::mem::take(&mut number))),
                _ => {}
            }
        }
        if length == 0 {
            return Ok(());
        }
    }
}

/// From the parent that each process of the system names.
fn by_parent(each: &mut dyn FnMut(Pid)) -> io::Result<()> {
    // SAFETY: getpid has no preconditions.
    let own = unsafe { libc::getpid() };
    let directory = OpenFile::open(c"/proc".to_bytes_with_nul())?;
    let mut buffer = Entries([0; 8192]);
    loop {
        let length = directory.entries(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        let mut at = 0;
        while at < length {
            // linux_dirent64: inode and offset of 8 bytes each, the record's length of 2, a type of 1, the name.
            let size = usize::from(u16::from_ne_bytes([buffer.0[at + 16], buffer.0[at + 17]]));
            let name = &buffer.0[at + 19..(at + size).min(length)];
            at += size.max(19);
            if let Some(pid) = number(name).filter(|pid| parent(*pid) == Some(own)) {
                each(pid);
            }
        }
    }
}

/// What getdents64(2) fills, aligned as its records are.
#[repr(align(8))]
struct Entries([u8; 8192]);

/// The name of a directory that is a number, up to its zero.
fn number(name: &[u8]) -> Option<Pid> {
    let end = name.iter().position(|byte| *byte == 0)?;
    std::str::from_utf8(&name[..end]).ok()?.parse().ok().filter(|pid| *pid > 0).map(Pid)
}

fn parent(pid: Pid) -> Option<i32> {
    let mut buffer = [0; 512];
    let length = OpenFile::open(&path(pid, b"/stat")).ok()?.read(&mut buffer).ok()?;
    parent_in(&buffer[..length])
}

/// The fourth word of `stat`, behind the name in brackets, which may hold brackets and blanks itself.
fn parent_in(stat: &[u8]) -> Option<i32> {
    let behind = stat.iter().rposition(|byte| *byte == b')')?;
    let word = stat[behind + 1..].split(|byte| *byte == b' ').filter(|word| !word.is_empty()).nth(1)?;
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// `/proc/PID/NAME`, ended by a zero.
fn path(pid: Pid, name: &[u8]) -> [u8; 32] {
    let mut path = [0; 32];
    path[..6].copy_from_slice(b"/proc/");
    let mut digits = [0; 10];
    let (mut left, mut count) = (pid.0.unsigned_abs(), 0);
    while left > 0 {
        digits[count] = b'0' + (left % 10) as u8;
        left /= 10;
        count += 1;
    }
    for k in 0..count {
        path[6 + k] = digits[count - 1 - k];
    }
    path[6 + count..6 + count + name.len()].copy_from_slice(name);
    path
}

/// A file that is closed when it goes.
struct OpenFile(libc::c_int);

impl OpenFile {
    fn open(path: &[u8]) -> io::Result<OpenFile> {
        let path = CStr::from_bytes_until_nul(path).map_err(|_| io::ErrorKind::InvalidInput)?;
        // SAFETY: the path is a live string that ends with a zero.
        super::checked(unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) }).map(OpenFile)
    }

    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the buffer is live and its length is given.
        let read = unsafe { libc::read(self.0, buffer.as_mut_ptr().cast(), buffer.len()) };
        usize::try_from(read).map_err(|_| io::Error::last_os_error())
    }

    fn entries(&self, buffer: &mut Entries) -> io::Result<usize> {
        let room = buffer.0.len();
        // SAFETY: the kernel writes at most `room` bytes into the live, aligned buffer.
        let read = unsafe { libc::syscall(libc::SYS_getdents64, self.0, buffer.0.as_mut_ptr(), room) };
        usize::try_from(read).map_err(|_| io::Error::last_os_error())
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        // SAFETY: the descriptor is open and ours alone.
        unsafe { libc::close(self.0) };
    }
}
