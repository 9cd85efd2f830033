//! Memory of this process, read by the kernel where it may not be there, and by the thread where it is its own.

use core::ffi::c_void;

use crate::quiet;
use crate::system;

/// Bytes of a function that are read: its code, its instruction, the one before it.
const FRAME: usize = 112;

/// Reads memory of this process, which may not be there: how many bytes it was.
pub fn read(address: usize, into: &mut [u8]) -> Option<usize> {
    if quiet::is_quiet() {
        return None;
    }
    let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let remote = libc::iovec {
        iov_base: core::ptr::with_exposed_provenance_mut::<c_void>(address),
        iov_len: into.len(),
    };
    // SAFETY: the kernel writes at most the buffer, and checks the other address.
    let length = unsafe {
        libc::syscall(
            libc::SYS_process_vm_readv,
            system::process(),
            &raw const local,
            1usize,
            &raw const remote,
            1usize,
            0usize,
        )
    };
    usize::try_from(length).ok().filter(|length| *length <= into.len())
}

/// Reads all of it, or nothing.
pub fn whole<const N: usize>(address: usize) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    (read(address, &mut bytes)? == N).then_some(bytes)
}

pub fn word(bytes: &[u8], at: u16) -> Option<usize> {
    let bytes = bytes.get(usize::from(at)..)?.first_chunk()?;
    Some(usize::from_ne_bytes(*bytes))
}

/// A struct whose words can be read.
pub trait Words {
    fn word(&self, at: u16) -> Option<usize>;
    fn byte(&self, at: u16) -> Option<u8>;
}

impl Words for [u8] {
    fn word(&self, at: u16) -> Option<usize> {
        word(self, at)
    }

    fn byte(&self, at: u16) -> Option<u8> {
        self.get(usize::from(at)).copied()
    }
}

/// A struct of the interpreter that belongs to the calling thread.
pub struct Own(usize);

impl Own {
    /// # Safety
    /// It is one, of the kind whose layout is asked for, and stays while this is used.
    pub unsafe fn new(address: usize) -> Own {
        Own(address)
    }
}

impl Words for Own {
    #[inline]
    fn word(&self, at: u16) -> Option<usize> {
        let place = core::ptr::with_exposed_provenance::<usize>(self.0.wrapping_add(usize::from(at)));
        // SAFETY: who made it says so.
        Some(unsafe { place.read_unaligned() })
    }

    #[inline]
    fn byte(&self, at: u16) -> Option<u8> {
        let place = core::ptr::with_exposed_provenance::<u8>(self.0.wrapping_add(usize::from(at)));
        // SAFETY: as above.
        Some(unsafe { place.read() })
    }
}

pub fn pointer(address: usize) -> Option<usize> {
    whole(address).map(usize::from_ne_bytes).filter(|pointer| *pointer != 0)
}

/// A part of memory in which several functions of a thread lie.
pub struct Window {
    begin: usize,
    length: usize,
    bytes: [u8; Window::BYTES],
}

impl Window {
    const BYTES: usize = 1024;

    pub fn new() -> Window {
        Window { begin: 0, length: 0, bytes: [0; Window::BYTES] }
    }

    /// A function's bytes; as those that have called it lie before it, mostly, what lies there is read with it.
    pub fn around(&mut self, address: usize) -> Option<&[u8]> {
        let is_here = address >= self.begin && address.wrapping_add(FRAME) <= self.begin + self.length;
        if !is_here {
            let page = address & !(crate::memory::PAGE - 1);
            self.begin = address.saturating_sub(Window::BYTES - FRAME).max(page);
            let wanted = address.checked_add(FRAME)? - self.begin;
            self.length = read(self.begin, self.bytes.get_mut(..wanted)?)?;
        }
        self.bytes.get(address.checked_sub(self.begin)?..self.length)
    }
}

/// Bytes from an address on, as far as they are there, read by parts.
pub struct Bytes {
    next: usize,
    left: usize,
    part: [u8; Bytes::PART],
    at: usize,
    length: usize,
}

impl Bytes {
    const PART: usize = 128;

    pub fn new(begin: usize, length: usize) -> Bytes {
        Bytes { next: begin, left: length, part: [0; Bytes::PART], at: 0, length: 0 }
    }
}

impl Iterator for Bytes {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.at == self.length {
            let wanted = self.left.min(Bytes::PART);
            self.length = read(self.next, self.part.get_mut(..wanted)?).unwrap_or(0);
            self.at = 0;
            self.next = self.next.wrapping_add(self.length);
            self.left -= self.length.min(self.left);
        }
        let byte = self.part.get(..self.length)?.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }
}
