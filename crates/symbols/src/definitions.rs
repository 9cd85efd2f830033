//! Where variables are defined, by the debugging information of a file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gimli::{
    Attribute, AttributeValue, DW_AT_location, DW_TAG_common_block, DW_TAG_subprogram, DW_TAG_variable,
    EndianSlice, EntriesRaw, LittleEndian, Operation, Unit, UnitOffset,
};

use crate::elf;
use crate::error::Error;

#[cfg(test)]
#[path = "definitions_tests.rs"]
mod tests;

type Bytes<'a> = EndianSlice<'a, LittleEndian>;
type Dwarf<'a> = gimli::Dwarf<Bytes<'a>>;

/// Functions in one another that are followed.
const DEEPEST: usize = 64;

/// Where a variable is defined.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Definition {
    /// As the source has it.
    pub name: Option<String>,
    /// Of a variable inside of one.
    pub function: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    /// A common block of Fortran, whose symbol has another name.
    pub is_common: bool,
}

/// What was found so far.
struct Search<'a, 'b> {
    dwarf: &'b Dwarf<'a>,
    wanted: &'b mut HashMap<u64, Option<Definition>>,
    missing: usize,
}

/// Looks up variables by their addresses in the file; those that are not found stay without a definition.
///
/// # Errors
/// The file cannot be read, or its debugging information is too large.
pub fn find(path: &Path, wanted: &mut HashMap<u64, Option<Definition>>) -> Result<(), Error> {
    let sections = elf::debug_sections(path)?;
    let section = |id: gimli::SectionId| {
        let bytes = sections.iter().find(|(name, _)| *name == id.name()).map_or(&[][..], |(_, bytes)| bytes);
        Ok::<_, gimli::Error>(EndianSlice::new(bytes, LittleEndian))
    };
    let Ok(dwarf) = Dwarf::load(section) else { return Ok(()) };
    let missing = wanted.values().filter(|found| found.is_none()).count();
    let mut search = Search { dwarf: &dwarf, wanted, missing };
    let mut units = dwarf.units();
    while search.missing > 0
        && let Ok(Some(header)) = units.next()
    {
        // A broken unit says nothing; those behind it may.
        let Ok(unit) = dwarf.unit(header) else { continue };
        let _ = search.unit(&unit);
    }
    Ok(())
}

impl<'a> Search<'a, '_> {
    fn unit(&mut self, unit: &Unit<Bytes<'a>>) -> gimli::Result<()> {
        let mut entries = unit.entries_raw(None)?;
        // Functions around the entry: where each stands, and how deep.
        let mut functions: Vec<(isize, UnitOffset)> = Vec::new();
        while !entries.is_empty() && self.missing > 0 {
            let (offset, depth) = (entries.next_offset(), entries.next_depth());
            let Some(abbreviation) = entries.read_abbreviation()? else { continue };
            while functions.last().is_some_and(|(of, _)| *of >= depth) {
                functions.pop();
            }
            let specs = abbreviation.attributes();
            let tag = abbreviation.tag();
            if tag == DW_TAG_subprogram && abbreviation.has_children() && functions.len() < DEEPEST {
                functions.push((depth, offset));
            }
            let may_be = tag == DW_TAG_variable || tag == DW_TAG_common_block;
            if !may_be || specs.iter().all(|spec| spec.name() != DW_AT_location) {
                entries.skip_attributes(specs)?;
                continue;
            }
            let attributes = read_all(&mut entries, specs)?;
            let Some(address) = attributes.iter().find_map(|attribute| self.address(unit, attribute)) else {
                continue;
            };
            let Some(definition @ None) = self.wanted.get_mut(&address) else { continue };
            let mut found = described(self.dwarf, unit, &attributes);
            found.is_common = tag == DW_TAG_common_block;
            found.function = functions.last().and_then(|(_, function)| {
                let entry = unit.entry(*function).ok()?;
                described(self.dwarf, unit, entry.attrs()).name
            });
            *definition = Some(found);
            self.missing -= 1;
        }
        Ok(())
    }

    /// The address of a variable that has one place for good.
    fn address(&self, unit: &Unit<Bytes<'a>>, attribute: &Attribute<Bytes<'a>>) -> Option<u64> {
        if attribute.name() != DW_AT_location {
            return None;
        }
        let expression = attribute.value().exprloc_value()?;
        let mut operations = expression.operations(unit.encoding());
        let address = match operations.next().ok()?? {
            Operation::Address { address } => address,
            Operation::AddressIndex { index } => self.dwarf.address(unit, index).ok()?,
            _ => return None,
        };
        // What follows would make it another place (that of a thread).
        operations.next().ok()?.is_none().then_some(address)
    }
}

fn read_all<'a>(
    entries: &mut EntriesRaw<'_, Bytes<'a>>,
    specs: &[gimli::AttributeSpecification],
) -> gimli::Result<Vec<Attribute<Bytes<'a>>>> {
    specs.iter().map(|spec| entries.read_attribute(*spec)).collect()
}

/// Name, file and line of an entry, or of the one that it refers to for them.
fn described<'a>(
    dwarf: &Dwarf<'a>,
    unit: &Unit<Bytes<'a>>,
    attributes: &[Attribute<Bytes<'a>>],
) -> Definition {
    let mut found = Definition::default();
    let mut of = attributes.to_vec();
    // A variable refers to its declaration, which may be a copy of another.
    for _ in 0..3 {
        let mut next = None;
        for attribute in &of {
            match (attribute.name(), attribute.value()) {
                (gimli::DW_AT_name, value) if found.name.is_none() => {
                    let name = dwarf.attr_string(unit, value).ok();
                    found.name = name.map(|name| name.to_string_lossy().into_owned());
                }
                (gimli::DW_AT_decl_line, value) if found.line.is_none() => {
                    found.line = value.udata_value().and_then(|line| u32::try_from(line).ok());
                }
                (gimli::DW_AT_decl_file, value) if found.file.is_none() => {
                    found.file = file_index(&value).and_then(|index| source_file(dwarf, unit, index));
                }
                (
                    gimli::DW_AT_specification | gimli::DW_AT_abstract_origin,
                    AttributeValue::UnitRef(offset),
                ) => {
                    next = Some(offset);
                }
                _ => {}
            }
        }
        let Some(entry) = next.and_then(|offset| unit.entry(offset).ok()) else { break };
        of = entry.attrs().to_vec();
    }
    found
}

fn file_index(value: &AttributeValue<Bytes<'_>>) -> Option<u64> {
    match value {
        AttributeValue::FileIndex(index) => Some(*index),
        other => other.udata_value(),
    }
}

/// The path of a source file of a unit.
fn source_file(dwarf: &Dwarf<'_>, unit: &Unit<Bytes<'_>>, index: u64) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    let file = header.file(index)?;
    let text = |value| Some(dwarf.attr_string(unit, value).ok()?.to_string_lossy().into_owned());
    let mut path = unit.comp_dir.map_or_else(PathBuf::new, |folder| folder.to_string_lossy().as_ref().into());
    if let Some(folder) = file.directory(header).and_then(text) {
        path.push(folder);
    }
    path.push(text(file.path_name())?);
    Some(path.to_string_lossy().into_owned())
}
