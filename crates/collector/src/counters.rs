//! Counters of the processor, where numawise asks for them: opened when the process begins, for it and the threads that it makes, and
//! handed to numawise through a socket. None of the descriptors stays.

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::Ordering::Relaxed;

use numawise_syscalls::{CounterAttributes, open_counter};
use numawise_wire::snapshot::Header;
use numawise_wire::snapshot::counters::{COUNTERS, DecodedRequest, HandedCounters, MOST_COUNTERS};

use crate::{proc, system};

/// A descriptor that is closed with it.
struct Descriptor(c_int);

impl Drop for Descriptor {
    fn drop(&mut self) {
        if self.0 >= 0 {
            system::close(self.0);
        }
    }
}

/// To be called in the one thread with which the process begins. Whatever fails, the process has no counters, and goes on.
pub fn hand_over(header: &Header) {
    let Some(request) = system::variable(COUNTERS).and_then(DecodedRequest::of) else { return };
    let Some(socket) = connect(request.socket) else { return };
    let mut opened = [const { Descriptor(-1) }; MOST_COUNTERS];
    let mut errors = [0; MOST_COUNTERS];
    for ((code, place), error) in request.codes().iter().zip(&mut opened).zip(&mut errors) {
        match open_counter(&CounterAttributes::new(code.kind, code.config, request.flags)) {
            Ok(descriptor) => place.0 = descriptor,
            Err(errno) => *error = errno,
        }
    }
    let message = HandedCounters {
        process: header.process.load(Relaxed),
        threads: proc::threads().unwrap_or(1),
        began: header.begin_realtime.load(Relaxed),
        count: request.codes().len() as u32,
        errors,
    };
    send(&socket, &message.encode(), &opened);
}

/// Where nobody listens, or too many wait, there is none: the process does not wait.
fn connect(path: &[u8]) -> Option<Descriptor> {
    // SAFETY: zeros are a value of the struct.
    let mut address: libc::sockaddr_un = unsafe { core::mem::zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    if path.len() >= address.sun_path.len() {
        return None;
    }
    address.sun_path.iter_mut().zip(path).for_each(|(place, byte)| *place = *byte as c_char);
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: takes three numbers.
    let socket = Descriptor(unsafe { libc::socket(libc::AF_UNIX, kind, 0) });
    let length = size_of::<libc::sockaddr_un>() as libc::socklen_t;
    // SAFETY: the kernel reads the live struct.
    let connected = unsafe { libc::connect(socket.0, (&raw const address).cast(), length) };
    (socket.0 >= 0 && connected == 0).then_some(socket)
}

/// Room for the descriptors, as the kernel wants it aligned.
#[repr(C)]
struct Control {
    header: libc::cmsghdr,
    descriptors: [c_int; MOST_COUNTERS],
}

fn send(socket: &Descriptor, message: &[u8], opened: &[Descriptor]) {
    let mut part = libc::iovec { iov_base: message.as_ptr().cast_mut().cast(), iov_len: message.len() };
    // SAFETY: zeros are a value of the structs.
    let (mut control, mut all): (Control, libc::msghdr) = unsafe { core::mem::zeroed() };
    let open = opened.iter().filter(|one| one.0 >= 0);
    let mut count = 0;
    for (place, descriptor) in control.descriptors.iter_mut().zip(open) {
        *place = descriptor.0;
        count += 1;
    }
    let length = size_of::<libc::cmsghdr>() + count * size_of::<c_int>();
    control.header.cmsg_level = libc::SOL_SOCKET;
    control.header.cmsg_type = libc::SCM_RIGHTS;
    control.header.cmsg_len = length as _;
    all.msg_iov = &raw mut part;
    all.msg_iovlen = 1;
    if count > 0 {
        all.msg_control = (&raw mut control).cast::<c_void>();
        all.msg_controllen = length as _;
    }
    // SAFETY: the kernel reads what the message points to, which lives; it takes references of its own to the descriptors.
    unsafe { libc::sendmsg(socket.0, &raw const all, libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT) };
}
