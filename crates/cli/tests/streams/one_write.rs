//! What ranks say side by side stays in whole messages: each goes out by one `write`.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::process::Stdio;

use crate::numawise;

/// What `numawise run` with these words writes on its standard error, write by write: each is a packet of its own.
fn writes(words: &[&str]) -> Vec<String> {
    let (reads, writes) = UnixDatagram::pair().unwrap();
    let mut command = numawise(&[&["run"], words].concat());
    command.stdout(Stdio::null()).stderr(OwnedFd::from(writes));
    assert!(!command.status().unwrap().success(), "{words:?}");
    drop(command);
    // All that was written is there.
    reads.set_nonblocking(true).unwrap();
    let mut packet = vec![0; 1 << 16];
    let mut all = Vec::new();
    while let Ok(length) = reads.recv(&mut packet) {
        if length == 0 {
            break;
        }
        all.push(String::from_utf8(packet[..length].to_vec()).unwrap());
    }
    all
}

#[test]
fn an_error_is_one_write() {
    for words in [
        &["no-such-program-anywhere"][..],
        &["--bogus", "app"],
        &["--emit", "taskset", "app"],
        &["-N", "no:thing", "app"],
        &["--copies", "0", "app"],
        &["--nodes", "60000", "app"],
        &["--show", "--copies", "2"],
    ] {
        let [only] = &writes(words)[..] else { panic!("{words:?}: {:?}", writes(words)) };
        assert!(only.ends_with('\n') && only.len() > 20, "{words:?}: {only:?}");
    }
}

#[test]
fn a_warning_and_an_error_are_one_write_each() {
    let written = writes(&["--place", "local", "--threads", "9999", "no-such-program-anywhere"]);
    assert!(written.len() > 1, "{written:?}");
    assert!(written.iter().all(|text| text.starts_with("numawise: ") && text.ends_with('\n')), "{written:?}");
}
