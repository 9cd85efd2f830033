use std::fs::File;
use std::io::{Read, Write};

use super::*;

/// Sends bytes and one descriptor, as the collector does.
fn send(path: &Path, bytes: &[u8], descriptor: RawFd) {
    let stream = UnixStream::connect(path).unwrap();
    let mut control = [0u64; 3];
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    // SAFETY: all that the message points to lives until it is sent.
    unsafe {
        let mut all: libc::msghdr = std::mem::zeroed();
        all.msg_iov = &raw mut part;
        all.msg_iovlen = 1;
        all.msg_control = control.as_mut_ptr().cast();
        all.msg_controllen = libc::CMSG_LEN(4) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const all);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(4) as _;
        libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(descriptor);
        assert!(libc::sendmsg(stream.as_raw_fd(), &raw const all, 0) > 0);
    }
}

#[test]
fn a_descriptor_that_was_handed_over_is_the_file_that_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = listen(&path).unwrap();
    assert!(!wait_for(&[listener.as_raw_fd()], 0));
    let mut file =
        File::options().read(true).write(true).create_new(true).open(folder.path().join("file")).unwrap();
    file.write_all(b"text").unwrap();
    send(&path, b"hello", file.as_raw_fd());
    drop(file);
    assert!(wait_for(&[listener.as_raw_fd()], 1000));
    let (stream, _) = listener.accept().unwrap();
    assert_eq!(peer(&stream).unwrap().0, std::process::id() as i32);
    let (bytes, mut descriptors) = receive(&stream, 100).unwrap();
    assert_eq!(bytes, b"hello");
    let mut file = File::from(descriptors.pop().unwrap());
    std::io::Seek::rewind(&mut file).unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), descriptors.len()), ("text", 0));
}

#[test]
fn who_sends_nothing_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = listen(&path).unwrap();
    let sender = UnixStream::connect(&path).unwrap();
    let (stream, _) = listener.accept().unwrap();
    assert_eq!(receive(&stream, 10).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    drop(sender);
    let (bytes, descriptors) = receive(&stream, 10).unwrap();
    assert!(bytes.is_empty() && descriptors.is_empty());
}
