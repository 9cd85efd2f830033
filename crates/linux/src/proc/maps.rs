//! `/proc/PID/maps`: the program's own writable memory by address.

use std::ops::Range;

use crate::error::Malformed;

#[cfg(test)]
#[path = "maps_tests.rs"]
mod tests;

/// One mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    pub addresses: Range<u64>,
    pub writable: bool,
    /// Writes stay with the process (`p`) rather than go to others or to a file (`s`).
    pub private: bool,
}

impl Mapping {
    pub fn parse(line: &[u8]) -> Result<Self, Malformed> {
        Self::fields(line).ok_or_else(|| {
            Malformed::new(line, "'first-last rwxp offset device inode [path]' with last above first")
        })
    }

    fn fields(line: &[u8]) -> Option<Self> {
        let mut fields = line.split(|&byte| byte == b' ').filter(|field| !field.is_empty());
        let span = fields.next()?;
        let dash = span.iter().position(|&byte| byte == b'-')?;
        let addresses = hex(&span[..dash])?..hex(&span[dash + 1..])?;
        let &[_, write, _, share] = fields.next()? else {
            return None;
        };
        // Offset, device and inode must be there, so that a line cut short is not taken for a whole one.
        let (_offset, _device, _inode) = (hex(fields.next()?)?, fields.next()?, hex(fields.next()?)?);
        if addresses.is_empty() || !matches!(share, b'p' | b's') {
            return None;
        }
        Some(Mapping { addresses, writable: write == b'w', private: share == b'p' })
    }

    /// True for heap, stacks, anonymous mappings and private data of programs and libraries.
    pub fn own(&self) -> bool {
        self.private && self.writable
    }
}

/// A file that processes may have mapped, and how far into it a mapping reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappedFile<'a> {
    /// As the kernel prints it, `00:01`.
    pub device: &'a [u8],
    pub inode: u64,
    pub end: u64,
    /// With ` (deleted)` behind it where it has no name any more.
    pub path: &'a [u8],
}

impl<'a> MappedFile<'a> {
    /// The file of a line of `maps`; none for memory without a file, and for a broken line.
    pub fn of(line: &'a [u8]) -> Option<Self> {
        let mut fields = line.split(|&byte| byte == b' ').filter(|field| !field.is_empty());
        let (span, _rights, offset, device) =
            (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let digits = std::str::from_utf8(fields.next()?).ok()?;
        let dash = span.iter().position(|&byte| byte == b'-')?;
        let long = hex(&span[dash + 1..])?.checked_sub(hex(&span[..dash])?)?;
        let path = line.iter().position(|&byte| byte == b'/').map(|at| line[at..].trim_ascii_end())?;
        Some(MappedFile { device, inode: digits.parse().ok()?, end: hex(offset)?.checked_add(long)?, path })
    }
}

/// Code of a file that a process has mapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedCode<'a> {
    pub addresses: Range<u64>,
    /// Where in the file it begins.
    pub offset: u64,
    /// With ` (deleted)` behind it where it has no name any more; `[vdso]` for what the kernel puts there; empty for other memory without a file.
    pub path: &'a [u8],
}

impl<'a> MappedCode<'a> {
    /// Of a line of `maps`; none for memory that holds no code, and for a broken line.
    pub fn of(line: &'a [u8]) -> Option<Self> {
        let mapping = Mapping::fields(line)?;
        let mut fields = line.split(|&byte| byte == b' ').filter(|field| !field.is_empty()).skip(1);
        let (rights, offset) = (fields.next()?, hex(fields.next()?)?);
        let path = line.iter().position(|&byte| matches!(byte, b'/' | b'['));
        let path = path.map_or(&[][..], |at| line[at..].trim_ascii_end());
        (rights.get(2) == Some(&b'x')).then_some(MappedCode { addresses: mapping.addresses, offset, path })
    }
}

/// The name of the file that a line of `maps` is of, without its folder; none for memory without a file.
pub fn file_name(line: &[u8]) -> Option<&[u8]> {
    let path = line.iter().position(|&byte| byte == b'/').map(|at| &line[at..])?;
    path.rsplit(|&byte| byte == b'/').next().filter(|name| !name.is_empty())
}

/// An address as the kernel prints it: hexadecimal without prefix.
pub(crate) fn hex(text: &[u8]) -> Option<u64> {
    let digit = |sum: u64, &byte: &u8| {
        let digit = char::from(byte).to_digit(16)?;
        (sum >> 60 == 0).then_some(sum << 4 | u64::from(digit))
    };
    (!text.is_empty()).then(|| text.iter().try_fold(0, digit)).flatten()
}
