//! `/proc/PID/cmdline`: the words of the command, or what the program wrote over them.

/// The words. None when there are none: threads of the kernel and what has ended.
pub fn words(text: &[u8]) -> Vec<&[u8]> {
    let mut text = text.strip_suffix(b"\0").unwrap_or(text);
    // Programs that write a title over their arguments fill up with zeros; two empty words at the end are such a filling.
    if text.ends_with(b"\0\0") {
        while let Some(shorter) = text.strip_suffix(b"\0") {
            text = shorter;
        }
    }
    if text.is_empty() { Vec::new() } else { text.split(|&byte| byte == 0).collect() }
}

/// The last part of a path.
pub fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_titles_begin() {
        for (text, expected) in [
            (&b"./app\0-n\x004\0"[..], &[&b"./app"[..], b"-n", b"4"][..]),
            // An empty last argument is kept, the filling of a title is not.
            (b"./app\0\0", &[b"./app", b""]),
            (b"nginx: worker\0\0\0\0\0\0", &[b"nginx: worker"]),
            (b"", &[]),
            (b"\0\0\0\0", &[]),
        ] {
            assert_eq!(words(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_last_part_of_a_path() {
        for (path, name) in
            [("/usr/bin/app", "app"), ("app", "app"), ("./a b", "a b"), ("", ""), ("/", ""), ("dir/", "")]
        {
            assert_eq!(base_name(path.as_bytes()), name.as_bytes(), "{path}");
        }
    }
}
