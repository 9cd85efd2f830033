//! What a program defines itself, by its table of symbols, which strip(1) takes away.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

#[cfg(test)]
#[path = "symbols_tests.rs"]
mod tests;

/// Where the fields of an ELF file of 64 bits are (elf(5)).
const HEADER: usize = 64;
const SECTIONS: usize = 40;
const SECTION_SIZE: usize = 58;
const SECTION_COUNT: usize = 60;
const SECTION: usize = 64;
const SYMBOL: usize = 24;
const SYMTAB: u32 = 2;
/// The section of a symbol that is in no file of this one.
const UNDEFINED: u16 = 0;
/// Largest table that is read: above what the largest programs have.
const MOST_BYTES: u64 = 256 << 20;

/// Whether the program defines a symbol of this name. False for a program without a table of symbols, and for what is no program of 64
/// bits.
///
/// # Errors
/// Where it cannot be read.
pub fn defines(program: &Path, name: &str) -> io::Result<bool> {
    let file = File::open(program)?;
    let header = read(&file, 0, HEADER as u64)?;
    if header.len() < HEADER
        || !header.starts_with(b"\x7fELF\x02")
        || half(&header, SECTION_SIZE) as usize != SECTION
    {
        return Ok(false);
    }
    let count = u64::from(half(&header, SECTION_COUNT));
    let sections = read(&file, long(&header, SECTIONS), count * SECTION as u64)?;
    for section in sections.chunks_exact(SECTION).filter(|section| word(section, 4) == SYMTAB) {
        let Some(strings) = sections.chunks_exact(SECTION).nth(word(section, 40) as usize) else { continue };
        let part = |section: &[u8]| read(&file, long(section, 24), long(section, 32));
        let (symbols, strings) = (part(section)?, part(strings)?);
        let is_it = |symbol: &[u8]| {
            half(symbol, 6) != UNDEFINED
                && strings
                    .get(word(symbol, 0) as usize..)
                    .is_some_and(|rest| rest.starts_with(name.as_bytes()) && rest.get(name.len()) == Some(&0))
        };
        if symbols.chunks_exact(SYMBOL).any(is_it) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// As much as there is, up to the limit.
fn read(file: &File, offset: u64, bytes: u64) -> io::Result<Vec<u8>> {
    let there = file.metadata()?.len().saturating_sub(offset);
    let mut buffer = vec![0; bytes.min(there).min(MOST_BYTES) as usize];
    file.read_exact_at(&mut buffer, offset)?;
    Ok(buffer)
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes([bytes[at], bytes[at + 1]])
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}
