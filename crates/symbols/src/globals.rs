//! Variables that stand in a file: globals and statics.

use std::collections::HashMap;
use std::path::Path;

use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, SourcePlace};
use numawise_units::Bytes;

use crate::debug_info::{NO_LINES, cut, demangled};
use crate::definitions::{self, Definition};
use crate::elf::ElfFile;
use crate::symbol_table::{Symbol, SymbolTable};
use crate::variable;

#[cfg(test)]
#[path = "globals_tests.rs"]
mod tests;

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

/// Variables of at least so many bytes, in the order of their addresses. `debug`: the file with the debugging information; `loaded`: how
/// far from its own addresses the file lies.
pub fn variables(
    path: &Path,
    elf: &ElfFile,
    debug: Option<&Path>,
    loaded: u64,
    least: Bytes,
) -> Vec<GlobalVariable> {
    // A stripped file has its statics in the file that was made of what was stripped.
    let apart = debug.filter(|debug| !elf.has_all_symbols && *debug != path).map(ElfFile::read);
    let apart = apart.and_then(Result::ok).filter(|apart| apart.has_all_symbols);
    let symbols = apart.as_ref().map_or(&elf.symbols, |apart| &apart.symbols);
    let large: Vec<&Symbol> = symbols.variables(least.0).collect();
    let mut definitions: HashMap<u64, Option<Definition>> =
        large.iter().map(|symbol| (symbol.address, None)).collect();
    let problem = match debug.filter(|_| !large.is_empty()) {
        Some(debug) => definitions::find(debug, &mut definitions).err().map(|error| error.problem()),
        None => None,
    };
    let variable = |symbol: &&Symbol| {
        let definition = definitions.get(&symbol.address).and_then(Option::as_ref);
        Some(GlobalVariable {
            name: readable_name(symbols, symbol, definition)?,
            address: loaded.wrapping_add(symbol.address),
            bytes: Bytes(symbol.bytes),
            defined: match (definition, &problem) {
                (Some(definition), _) => Reading::Measured(place(path, symbol.address, definition)),
                (None, Some(problem)) => Reading::unavailable(problem.clone()),
                (None, None) => Reading::unavailable(NO_LINES),
            },
        })
    };
    large.iter().filter_map(variable).collect()
}

fn place(path: &Path, address: u64, definition: &Definition) -> CodePlace {
    let function = definition.function.clone();
    CodePlace {
        file: path.to_string_lossy().into_owned(),
        address,
        source: SourcePlace {
            function: function.map_or_else(
                || Reading::unavailable("the variable is in no function"),
                |name| Reading::Measured(cut(name)),
            ),
            file: definition
                .file
                .clone()
                .map_or_else(|| Reading::unavailable(NO_LINES), |file| Reading::Measured(cut(file))),
            line: definition
                .line
                .filter(|line| *line > 0)
                .map_or_else(|| Reading::unavailable(NO_LINES), Reading::Measured),
        },
    }
}

/// The name as the source has it, with what it belongs to.
fn readable_name(symbols: &SymbolTable, symbol: &Symbol, definition: Option<&Definition>) -> Option<String> {
    let linkers = String::from_utf8_lossy(symbols.name(symbol)?);
    if let Some(common) = definition.filter(|definition| definition.is_common)
        && let Some(name) = &common.name
    {
        return Some(cut(name.clone()));
    }
    // The symbol of a common block has a `_` behind its name, also where only its variables are described.
    let file = definition.and_then(|definition| definition.file.as_deref()).unwrap_or_default();
    let of_common = linkers.strip_suffix('_').filter(|_| variable::is_fortran(file));
    Some(cut(of_common.map_or_else(|| source_name(&linkers), str::to_owned)))
}

/// `grids::field` of `__grids_MOD_field`, `table` of `table.3`, C++ and Rust as they are written.
fn source_name(linkers: &str) -> String {
    let of_module = linkers.strip_prefix("__").and_then(|name| name.split_once("_MOD_"));
    if let Some((module, variable)) = of_module
        && !module.is_empty()
    {
        return format!("{module}::{variable}");
    }
    let number = |end: &str| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
    match linkers.rsplit_once('.') {
        Some((name, end)) if !name.is_empty() && number(end) => demangled(name),
        _ => demangled(linkers),
    }
}
