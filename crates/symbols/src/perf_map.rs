//! `/tmp/perf-PID.map`: the names that a runtime gives to the code that it makes, written for `perf`.

use std::path::Path;

use numawise_units::Pid;

use crate::debug_info::cut;
use crate::error::Error;
use crate::mappings::{MappedPart, Mappings};

#[cfg(test)]
#[path = "perf_map_tests.rs"]
mod tests;

/// Larger ones are not read: a large Java server writes a tenth of it.
const LARGEST: u64 = 256 << 20;

/// Functions by address; where several were written, the last is there.
#[derive(Debug, Clone, Default)]
pub struct PerfMap {
    /// Each with the number of its name.
    functions: Mappings,
    /// Where they stand in the text.
    names: Vec<usize>,
    text: Vec<u8>,
}

impl PerfMap {
    /// Where a process writes it.
    pub fn path_of(process: Pid) -> String {
        format!("/tmp/perf-{process}.map")
    }

    /// Reads a map.
    ///
    /// # Errors
    /// There is none, it is no file, or too large.
    pub fn read(path: &Path) -> Result<PerfMap, Error> {
        let unreadable = |problem: String| Error::Unreadable { path: path.to_owned(), problem };
        let facts = std::fs::metadata(path).map_err(|e| unreadable(e.to_string()))?;
        if !facts.is_file() || facts.len() > LARGEST {
            return Err(unreadable(format!("it is no file, or has more than {LARGEST} bytes")));
        }
        Ok(PerfMap::parse(std::fs::read(path).map_err(|e| unreadable(e.to_string()))?))
    }

    /// Lines of `begin bytes name`, both hexadecimal. What is broken is left out.
    pub fn parse(text: Vec<u8>) -> PerfMap {
        let (mut functions, mut names) = (Mappings::default(), Vec::new());
        let mut at = 0;
        for line in text.split(|byte| *byte == b'\n') {
            let mut words = line.splitn(3, |byte| *byte == b' ');
            if let Some((begin, bytes)) = hex(words.next()).zip(hex(words.next()))
                && let Some((end, name)) = begin.checked_add(bytes).zip(words.next())
            {
                let file = u32::try_from(names.len()).ok();
                functions.insert(MappedPart { begin, end, offset: 0, file, is_kernels: false });
                names.push(at + line.len() - name.len());
            }
            at += line.len() + 1;
        }
        PerfMap { functions, names, text }
    }

    /// The name of the function at an address.
    pub fn function(&self, address: u64) -> Option<String> {
        let at = *self.names.get(self.functions.at(address)?.file? as usize)?;
        let name = self.text.get(at..)?.split(|byte| *byte == b'\n').next()?.trim_ascii();
        (!name.is_empty()).then(|| cut(String::from_utf8_lossy(name).into_owned()))
    }
}

fn hex(word: Option<&[u8]>) -> Option<u64> {
    let word = std::str::from_utf8(word?).ok()?;
    u64::from_str_radix(word.strip_prefix("0x").unwrap_or(word), 16).ok()
}
