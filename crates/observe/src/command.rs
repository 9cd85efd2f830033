//! The command of a process as a person would type it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use numawise_facts::{Argument, redaction};
use numawise_linux::proc::cmdline::words;

/// The command as a shell would need it, without what looks like a credential.
pub(crate) fn shell_line(text: &[u8]) -> Option<String> {
    let words = words(text);
    let words: Vec<Argument> = words.iter().map(|word| Argument(OsString::from_vec(word.to_vec()))).collect();
    let quoted = redaction::arguments(&words);
    (!quoted.is_empty()).then(|| quoted.iter().map(Argument::to_string).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_come_as_a_shell_needs_them() {
        for (text, line) in [
            (&b"./app\0"[..], "./app"),
            (b"./app\0-n\x004\0", "./app -n 4"),
            (b"./app\0two words\0it's\0", r"./app 'two words' 'it'\''s'"),
            // An empty last argument is kept, the filling of a title is not.
            (b"./app\0\0", "./app ''"),
            (b"./app\0\0x\0", "./app '' x"),
            (b"nginx: worker\0\0\0\0\0\0", "'nginx: worker'"),
            // Without the zero at the end, as titles are written.
            (b"sshd: me", "'sshd: me'"),
            (
                b"./app\0--token\0s3cret\0-n\x002\0",
                "./app --token '<left out: looks like a credential>' -n 2",
            ),
            (b"a\xffb\0", "'a\u{fffd}b'"),
        ] {
            assert_eq!(shell_line(text).as_deref(), Some(line), "{text:?}");
        }
    }

    #[test]
    fn what_has_no_command_has_none() {
        for text in [&b""[..], b"\0", b"\0\0\0\0"] {
            assert_eq!(shell_line(text), None, "{text:?}");
        }
    }
}
