//! Variables that stand in a file: globals and statics.

use std::path::Path;

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_units::Bytes;

use crate::debug_info::{cut, demangled};
use crate::elf::ElfFile;
use crate::error::Error;

/// A variable of a file that is loaded into a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobalVariable {
    pub name: String,
    /// In the process.
    pub address: u64,
    pub bytes: Bytes,
    /// Where it is defined.
    pub defined: Reading<CodePlace>,
}

/// Variables of at least so many bytes. `loaded`: how far from its own addresses the file lies.
pub fn variables(
    path: &Path,
    elf: &ElfFile,
    loaded: u64,
    least: Bytes,
) -> Result<Vec<GlobalVariable>, Error> {
    let _ = path;
    let variable = |symbol: &crate::symbol_table::Symbol| {
        let name = elf.symbols.name(symbol).map(String::from_utf8_lossy)?;
        Some(GlobalVariable {
            name: cut(demangled(&name)),
            address: loaded.wrapping_add(symbol.address),
            bytes: Bytes(symbol.bytes),
            defined: Reading::unavailable("not looked for"),
        })
    };
    Ok(elf.symbols.variables(least.0).filter_map(variable).collect())
}
