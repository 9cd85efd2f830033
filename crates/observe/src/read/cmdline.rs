//! `/proc/PID/cmdline`: the words of the command, or what the program wrote over them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use numawise_facts::Argument;

#[cfg(test)]
mod tests;

/// The words. None when there are none: threads of the kernel and what has ended.
pub(crate) fn words(text: &[u8]) -> Vec<&[u8]> {
    let mut text = text.strip_suffix(b"\0").unwrap_or(text);
    // Programs that write a title over their arguments fill up with zeros; two empty words at the end are such a filling.
    if text.ends_with(b"\0\0") {
        while let Some(shorter) = text.strip_suffix(b"\0") {
            text = shorter;
        }
    }
    if text.is_empty() { Vec::new() } else { text.split(|&byte| byte == 0).collect() }
}

/// The command as a shell would need it.
pub(crate) fn shell_line(text: &[u8]) -> Option<String> {
    let words = words(text);
    let quoted = |word: &&[u8]| Argument(OsString::from_vec(word.to_vec())).to_string();
    (!words.is_empty()).then(|| words.iter().map(quoted).collect::<Vec<_>>().join(" "))
}

/// The last part of a path.
pub(crate) fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
}
