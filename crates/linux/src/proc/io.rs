//! `/proc/PID/io`: what the kernel has accounted to a process, with what its children had that it waited for.

use crate::error::Malformed;
use crate::file::number;

/// The numbers in bytes, in the order of [`NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessIo(pub [u64; 5]);

/// Lines that we use; `syscr` and `syscw` count calls on anything.
const NAMES: [&[u8]; 5] = [b"rchar", b"wchar", b"read_bytes", b"write_bytes", b"cancelled_write_bytes"];

impl ProcessIo {
    /// Takes lines such as `rchar: 4711`.
    ///
    /// # Errors
    /// When one of ours is missing or has no number.
    pub fn parse(text: &[u8]) -> Result<Self, Malformed> {
        let of = |name: &[u8]| {
            let lines = text.split(|&byte| byte == b'\n');
            let value = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(b":")).next()?;
            number(value.trim_ascii())
        };
        let mut numbers = [0; NAMES.len()];
        for (place, name) in numbers.iter_mut().zip(NAMES) {
            *place = of(name).ok_or_else(|| Malformed::new(text, "lines such as rchar: 4711"))?;
        }
        Ok(ProcessIo(numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "rchar: 1\nwchar: 2\nsyscr: 8\nsyscw: 9\nread_bytes: 3\nwrite_bytes: 4\ncancelled_write_bytes: 5\n";

    #[test]
    fn five_numbers_by_their_names() {
        assert_eq!(ProcessIo::parse(TEXT.as_bytes()).unwrap(), ProcessIo([1, 2, 3, 4, 5]));
    }

    #[test]
    fn a_line_that_is_missing_or_no_number_is_refused() {
        for broken in
            [TEXT.replace("wchar: 2\n", ""), TEXT.replace('3', "x"), String::new(), "rchar:".to_owned()]
        {
            ProcessIo::parse(broken.as_bytes()).expect_err(&broken);
        }
    }
}
