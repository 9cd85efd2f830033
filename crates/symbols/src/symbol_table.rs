//! Symbols of a file: functions and variables by address.

use std::ops::Range;

use object::LittleEndian;
use object::elf::{SHN_UNDEF, STT_FUNC, STT_GNU_IFUNC, STT_OBJECT, Sym64};
use object::read::elf::Sym;

#[cfg(test)]
#[path = "symbol_table_tests.rs"]
mod tests;

/// A function or variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol {
    pub address: u64,
    pub bytes: u64,
    /// Where in the table's text its name begins.
    name: u32,
    pub is_local: bool,
}

/// Symbols in the order of their addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolTable {
    functions: Vec<Symbol>,
    /// The furthest end of this function and those before it, for the search of one around an address.
    furthest: Vec<u64>,
    variables: Vec<Symbol>,
    names: Vec<u8>,
}

impl SymbolTable {
    /// Reads a table and its text. What is broken is left out.
    pub fn parse(table: &[u8], names: &[u8]) -> SymbolTable {
        let (mut functions, mut variables) = (Vec::new(), Vec::new());
        let count = table.len() / size_of::<Sym64<LittleEndian>>();
        let symbols = object::slice_from_bytes::<Sym64<LittleEndian>>(table, count);
        for symbol in symbols.map_or(&[][..], |(symbols, _)| symbols) {
            let list = match symbol.st_type() {
                STT_FUNC | STT_GNU_IFUNC => &mut functions,
                STT_OBJECT => &mut variables,
                _ => continue,
            };
            let (address, bytes) = (symbol.st_value(LittleEndian), symbol.st_size(LittleEndian));
            if symbol.st_shndx(LittleEndian) == SHN_UNDEF || address.checked_add(bytes).is_none() {
                continue;
            }
            list.push(Symbol {
                address,
                bytes,
                name: symbol.st_name(LittleEndian),
                is_local: symbol.is_local(),
            });
        }
        functions.sort_by_cached_key(|symbol| (symbol.address, symbol.bytes));
        variables.sort_by_cached_key(|symbol| (symbol.address, symbol.is_local, symbol.bytes));
        let furthest = functions.iter().scan(0, |furthest, symbol| {
            *furthest = (symbol.address + symbol.bytes).max(*furthest);
            Some(*furthest)
        });
        let furthest = furthest.collect();
        SymbolTable { furthest, functions, variables, names: names.to_vec() }
    }

    pub fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.variables.is_empty()
    }

    /// The function around an address that begins last.
    pub fn function(&self, address: u64) -> Option<Range<u64>> {
        self.function_symbol(address).map(|symbol| symbol.address..symbol.address + symbol.bytes)
    }

    /// The same, as the table has it.
    pub fn function_symbol(&self, address: u64) -> Option<&Symbol> {
        let after = self.functions.partition_point(|symbol| symbol.address <= address);
        for k in (0..after).rev() {
            if self.furthest[k] <= address {
                return None;
            }
            let symbol = &self.functions[k];
            if address - symbol.address < symbol.bytes {
                return Some(symbol);
            }
        }
        None
    }

    /// Variables of at least so many bytes, one for an address.
    pub fn variables(&self, least: u64) -> impl Iterator<Item = &Symbol> {
        let mut last = None;
        let large = self.variables.iter().filter(move |symbol| symbol.bytes >= least.max(1));
        large.filter(move |symbol| last.replace(symbol.address) != Some(symbol.address))
    }

    /// The name as the linker has it; none where the table's text has none.
    pub fn name(&self, symbol: &Symbol) -> Option<&[u8]> {
        let name = self.names.get(symbol.name as usize..)?.split(|&byte| byte == 0).next()?;
        (!name.is_empty()).then_some(name)
    }
}
