//! A socket through which processes hand over descriptors.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use super::{checked, process};

#[cfg(test)]
#[path = "handover_tests.rs"]
mod tests;

/// So many processes may wait to be taken; the kernel cuts this to `net.core.somaxconn`.
const WAITING: libc::c_int = 4096;
/// The most that one message may carry (`SCM_MAX_FD`).
const MOST_DESCRIPTORS: usize = 253;

/// Listens at a path that is not there yet.
///
/// # Errors
/// Where the path is too long, or no socket can be made there.
pub fn listen(path: &Path) -> io::Result<UnixListener> {
    let listener = UnixListener::bind(path)?;
    // SAFETY: takes two numbers; a socket that listens may be told another length of its queue.
    checked(unsafe { libc::listen(listener.as_raw_fd(), WAITING) })?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// What came in one message: its bytes, and the descriptors, which are ours now.
pub type Handed = (Vec<u8>, Vec<OwnedFd>);

/// The one message that a process has sent, of at most `most` bytes.
///
/// # Errors
/// Where nothing has come yet ([`io::ErrorKind::WouldBlock`]), or it was longer.
pub fn receive(from: &UnixStream, most: usize) -> io::Result<Handed> {
    const HEADER: usize = size_of::<libc::cmsghdr>();
    let mut bytes = vec![0u8; most];
    // Words, for the header's sake.
    let mut control = vec![0u64; (HEADER + MOST_DESCRIPTORS * size_of::<RawFd>()).div_ceil(8)];
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    // SAFETY: zeros are a value of the struct.
    let mut all: libc::msghdr = unsafe { std::mem::zeroed() };
    all.msg_iov = &raw mut part;
    all.msg_iovlen = 1;
    all.msg_control = control.as_mut_ptr().cast();
    all.msg_controllen = size_of_val(control.as_slice()) as _;
    let flags = libc::MSG_CMSG_CLOEXEC | libc::MSG_DONTWAIT;
    // SAFETY: the kernel writes at most what the message says into buffers that live.
    let length = unsafe { libc::recvmsg(from.as_raw_fd(), &raw mut all, flags) };
    if length < 0 {
        return Err(io::Error::last_os_error());
    }
    let mut descriptors = Vec::new();
    // SAFETY: the kernel has written whole headers, which these macros find within the length that it says.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(&raw const all);
        while !header.is_null() {
            if (*header).cmsg_level == libc::SOL_SOCKET && (*header).cmsg_type == libc::SCM_RIGHTS {
                let count = ((*header).cmsg_len as usize).saturating_sub(HEADER) / size_of::<RawFd>();
                let first: *const RawFd = libc::CMSG_DATA(header).cast();
                // Nobody else owns them: the kernel made them for this message.
                descriptors.extend((0..count).map(|k| OwnedFd::from_raw_fd(first.add(k).read_unaligned())));
            }
            header = libc::CMSG_NXTHDR(&raw const all, header);
        }
    }
    if all.msg_flags & (libc::MSG_CTRUNC | libc::MSG_TRUNC) != 0 {
        return Err(io::Error::other("some of the descriptors did not come"));
    }
    bytes.truncate(length as usize);
    Ok((bytes, descriptors))
}

/// The process at the other end, by its number here.
#[doc(alias = "SO_PEERCRED")]
pub fn peer(of: &UnixStream) -> Option<numawise_units::Pid> {
    let mut facts = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the kernel writes one ucred, which `facts` is.
    let result = unsafe {
        libc::getsockopt(
            of.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut facts).cast(),
            &raw mut length,
        )
    };
    (result == 0 && facts.pid > 0).then_some(numawise_units::Pid(facts.pid))
}

/// Waits until somebody comes to one of these, so long at most. False where nobody came.
pub fn wait_for(descriptors: &[RawFd], milliseconds: i32) -> bool {
    let mut all: Vec<libc::pollfd> = descriptors
        .iter()
        .map(|descriptor| libc::pollfd { fd: *descriptor, events: libc::POLLIN, revents: 0 })
        .collect();
    // SAFETY: the kernel writes into the live array of that length.
    unsafe { libc::poll(all.as_mut_ptr(), all.len() as libc::nfds_t, milliseconds) > 0 }
}

/// As many descriptors as this process may have, until it is dropped; children that are made meanwhile have that limit too.
#[derive(Debug)]
#[must_use]
#[doc(alias = "RLIMIT_NOFILE")]
pub struct ManyDescriptors(Option<libc::rlimit>);

impl ManyDescriptors {
    pub fn allow() -> ManyDescriptors {
        let before = process::limit(libc::RLIMIT_NOFILE);
        if let Some(before) = before {
            set(libc::rlimit { rlim_cur: before.rlim_max, ..before });
        }
        ManyDescriptors(before)
    }
}

impl Drop for ManyDescriptors {
    fn drop(&mut self) {
        self.0.into_iter().for_each(set);
    }
}

fn set(limit: libc::rlimit) {
    // SAFETY: the kernel reads one rlimit, which `limit` is.
    unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
}
