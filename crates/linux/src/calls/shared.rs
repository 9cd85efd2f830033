//! Shared memory: a file that is mapped, or a System V segment; its policies and its pages.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::ptr;

use numawise_syscalls::{self as raw, MASK_WORDS};
use numawise_units::{Bytes, NodeId, NodeSet};

use super::mempolicy::{PagesThere, PolicyMode, ThreadPolicy, set_range};
use super::pages::page_size;
use super::{checked, error};
use crate::memory::MemoryInfo;
use crate::roots::Roots;

#[cfg(test)]
#[path = "shared_tests.rs"]
mod tests;

/// The part of a file or a segment that is meant, and what is made where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    pub offset: Bytes,
    /// Without it all behind the offset; needed to make a new one.
    pub length: Option<Bytes>,
    /// Of a new file or segment, as in chmod(1).
    pub mode: u32,
    /// Reserved huge pages, for a segment.
    pub huge: bool,
}

/// A mapping of shared memory, until it is dropped. What is set of it stays as long as the file or the segment.
#[derive(Debug)]
pub struct SharedMemory {
    mapping: *mut libc::c_void,
    kind: Kind,
    offset: usize,
    bytes: usize,
    page: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Segment,
}

impl SharedMemory {
    /// Maps a file, which is made and grows where that is needed.
    ///
    /// # Errors
    /// When it cannot be opened, grown or mapped; `InvalidInput` where it is new and no length is given, and where the region does
    /// not begin and end with a page.
    pub fn of_file(path: &Path, region: &Region) -> io::Result<SharedMemory> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(region.mode);
        match (options.open(path), region.length) {
            (Err(error), Some(_)) if error.kind() == io::ErrorKind::NotFound => {
                let made = SharedMemory::of_open(&options.create_new(true).open(path)?, region);
                if made.is_err() {
                    // What nobody can use is not left behind.
                    let _ = std::fs::remove_file(path);
                }
                made
            }
            (opened, _) => SharedMemory::of_open(&opened?, region),
        }
    }

    fn of_open(file: &File, region: &Region) -> io::Result<SharedMemory> {
        let found = file.metadata()?;
        let length = region.length.unwrap_or(Bytes(found.len()) - region.offset);
        let bytes = aligned(region.offset, length, found.blksize())?;
        let end = region.offset.0.checked_add(length.0).ok_or(io::ErrorKind::InvalidInput)?;
        if end > found.len() {
            file.set_len(end)?;
        }
        let mapping = map(file, region.offset, bytes)?;
        Ok(SharedMemory { mapping, kind: Kind::File, offset: 0, bytes, page: found.blksize() as usize })
    }

    /// Attaches the segment of a key file and a number (ftok(3)); both are made where they are not there.
    ///
    /// # Errors
    /// As [`SharedMemory::of_file`].
    #[doc(alias = "shmget")]
    pub fn of_key(path: &Path, id: i32, region: &Region) -> io::Result<SharedMemory> {
        let name = CString::new(path.as_os_str().as_bytes())?;
        let made = !path.exists();
        if made {
            OpenOptions::new().write(true).create(true).truncate(false).mode(region.mode).open(path)?;
        }
        // SAFETY: a live string that ends with a zero.
        let key = checked(unsafe { libc::ftok(name.as_ptr(), id) })?;
        let segment = segment(key, region).inspect_err(|_| {
            if made {
                let _ = std::fs::remove_file(path);
            }
        })?;
        // SAFETY: zeros are a value of the struct, which the kernel fills.
        let mut found: libc::shmid_ds = unsafe { std::mem::zeroed() };
        // SAFETY: the struct lives through the call.
        checked(unsafe { libc::shmctl(segment, libc::IPC_STAT, &raw mut found) })?;
        let whole = Bytes(found.shm_segsz as u64);
        let length = region.length.unwrap_or(whole - region.offset);
        let page = if region.huge { huge_page_size()? } else { page_size().0 };
        let bytes = aligned(region.offset, length, page)?;
        if region.offset.0.checked_add(length.0).is_none_or(|end| end > whole.0) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("the segment has {} bytes", whole.0),
            ));
        }
        // SAFETY: at a place of the kernel's choice.
        let mapping = unsafe { libc::shmat(segment, ptr::null(), 0) };
        if mapping == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let offset = region.offset.0 as usize;
        Ok(SharedMemory { mapping, kind: Kind::Segment, offset, bytes, page: page as usize })
    }

    fn start(&self) -> *mut u8 {
        // SAFETY: offset and length were checked against the mapping.
        unsafe { self.mapping.cast::<u8>().add(self.offset) }
    }

    /// Sets the policy; `strict` fails where pages that are there do not follow it.
    ///
    /// # Errors
    /// When the kernel refuses it.
    #[doc(alias = "mbind")]
    pub fn set_policy(&self, mode: PolicyMode, nodes: &NodeSet, strict: bool) -> io::Result<()> {
        let pages = if strict { PagesThere::MustFollow } else { PagesThere::Stay };
        // SAFETY: the range is the mapping's, and a policy changes no contents.
        unsafe { set_range(self.start(), self.bytes, (mode, nodes), pages) }
    }

    /// Makes all pages resident, without a change to what is in them.
    pub fn touch(&self) {
        for offset in self.pages() {
            // SAFETY: inside of the mapping, which may be written; adding zero is atomic, as others may write too.
            unsafe {
                let byte = std::sync::atomic::AtomicU8::from_ptr(self.start().add(offset));
                byte.fetch_add(0, std::sync::atomic::Ordering::Relaxed);
            }
        }
    }

    /// Where pages begin, from the begin of the region.
    pub fn pages(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.bytes).step_by(self.page)
    }

    pub fn bytes(&self) -> Bytes {
        Bytes(self.bytes as u64)
    }

    /// The policy of a page.
    ///
    /// # Errors
    /// When the call is forbidden.
    pub fn policy_at(&self, offset: usize) -> io::Result<ThreadPolicy> {
        let mut nodes = [0u64; MASK_WORDS];
        let mode = raw::memory_policy_at(self.start() as usize + offset, &mut nodes, 0).map_err(error)?;
        Ok(ThreadPolicy::from_kernel(mode, NodeSet::from_words(nodes)))
    }

    /// The node of a page, which becomes resident by it.
    ///
    /// # Errors
    /// When the call is forbidden.
    pub fn node_at(&self, offset: usize) -> io::Result<NodeId> {
        let at = self.start() as usize + offset;
        let node = raw::memory_policy_at(at, &mut [], raw::MPOL_F_NODE).map_err(error)?;
        u32::try_from(node).map(NodeId).map_err(io::Error::other)
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing points into it any more.
        unsafe {
            match self.kind {
                Kind::File => libc::munmap(self.mapping, self.bytes),
                Kind::Segment => libc::shmdt(self.mapping),
            }
        };
    }
}

fn huge_page_size() -> io::Result<u64> {
    let size = MemoryInfo::of_computer(&Roots::live())?.huge_page;
    size.map(|size| size.0).ok_or_else(|| io::Error::other("the kernel has no huge pages (/proc/meminfo)"))
}

fn aligned(offset: Bytes, length: Bytes, page: u64) -> io::Result<usize> {
    let wrong = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
    if length == Bytes(0) {
        return Err(wrong("the region has no bytes; give it a length".to_owned()));
    }
    if !offset.0.is_multiple_of(page) || !length.0.is_multiple_of(page) {
        return Err(wrong(format!("offset and length must be multiples of the page size, {page} bytes")));
    }
    usize::try_from(length.0).map_err(|_| wrong("it is longer than addresses reach".to_owned()))
}

fn map(file: &File, offset: Bytes, bytes: usize) -> io::Result<*mut libc::c_void> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let offset = i64::try_from(offset.0).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: a new mapping at a place of the kernel's choice.
    let mapping =
        unsafe { libc::mmap(ptr::null_mut(), bytes, access, libc::MAP_SHARED, file.as_raw_fd(), offset) };
    if mapping == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(mapping) }
}

/// Has the kernel make pages of a part of a file now, in place of whoever writes there first. What is in them does not change.
///
/// # Errors
/// Where there is no room for them, the part is not of whole pages, or the kernel cannot do that (before 5.14).
pub fn make_pages(file: &File, offset: Bytes, length: Bytes) -> io::Result<()> {
    let bytes = usize::try_from(length.0).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mapping = map(file, offset, bytes)?;
    // SAFETY: the mapping is ours, and nothing in it is read or written.
    let made = checked(unsafe { libc::madvise(mapping, bytes, libc::MADV_POPULATE_WRITE) });
    // SAFETY: as above; nobody has a reference into it.
    unsafe { libc::munmap(mapping, bytes) };
    made.map(drop)
}

fn segment(key: libc::key_t, region: &Region) -> io::Result<i32> {
    let huge = if region.huge { libc::SHM_HUGETLB } else { 0 };
    // SAFETY: three numbers.
    let found = checked(unsafe { libc::shmget(key, 0, huge) });
    match (found, region.length) {
        (Err(error), Some(length)) if error.kind() == io::ErrorKind::NotFound => {
            let bytes = (region.offset + length).0 as usize;
            let flags = libc::IPC_CREAT | huge | region.mode as i32;
            // SAFETY: three numbers.
            checked(unsafe { libc::shmget(key, bytes, flags) }).map_err(|error| match error.raw_os_error() {
                Some(libc::ENOMEM) if region.huge => io::Error::new(
                    error.kind(),
                    "not so many huge pages are free (HugePages_Free in /proc/meminfo); root reserves more with sysctl vm.nr_hugepages=N",
                ),
                _ => error,
            })
        }
        (found, _) => found,
    }
}
