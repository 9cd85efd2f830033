//! Files in the Executable and Linkable Format: what of them is needed to find functions, unwind stacks and read code. Files are read
//! rather than mapped, so that one that gets shorter meanwhile is an error and no signal.

use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use object::elf::{
    EM_AARCH64, EM_X86_64, FileHeader64, NT_GNU_BUILD_ID, PF_X, PT_LOAD, ProgramHeader64, SHT_DYNSYM,
    SHT_NOBITS, SHT_SYMTAB,
};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, SectionTable};
use object::{LittleEndian, ReadCache};

use crate::error::Error;
use crate::symbol_table::SymbolTable;

#[cfg(test)]
#[path = "elf_tests.rs"]
mod tests;

/// Tables above this are not read: the largest that were met (a browser with debugging information) have a quarter of it.
const LARGEST_TABLE: u64 = 1 << 30;
/// Debugging information is unpacked up to this size.
const LARGEST_UNPACKED: u64 = 8 << 30;

/// Of a kernel for aarch64.
const LARGEST_PAGE: u64 = 1 << 16;

type Header = FileHeader64<LittleEndian>;
type Cache = ReadCache<File>;
type Sections<'a> = SectionTable<'a, Header, &'a Cache>;

/// The processor that code is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processor {
    X86_64,
    Aarch64,
}

/// Which bytes a name stood for at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl FileIdentity {
    pub fn of(facts: &std::fs::Metadata) -> FileIdentity {
        FileIdentity {
            device: facts.dev(),
            inode: facts.ino(),
            bytes: facts.size(),
            changed: (facts.mtime(), facts.mtime_nsec()),
        }
    }

    pub fn at(path: &Path) -> Option<FileIdentity> {
        Some(FileIdentity::of(&std::fs::metadata(path).ok()?))
    }
}

/// A part of the file that is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    pub offset: u64,
    pub bytes_in_file: u64,
    /// Where it is to lie; addresses in the file count from there.
    pub address: u64,
    pub is_code: bool,
}

/// Bytes of the file with their address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    pub address: u64,
    pub bytes: Vec<u8>,
}

/// What was read of a file.
#[derive(Debug)]
pub struct ElfFile {
    pub identity: FileIdentity,
    pub processor: Processor,
    pub segments: Vec<Segment>,
    /// `.eh_frame`, by which stacks are unwound, and its index; empty where missing.
    pub frames: Section,
    pub frames_index: Section,
    pub symbols: SymbolTable,
    /// The symbols are all that the linker knew, and not only those that other files may use.
    pub has_all_symbols: bool,
}

fn unreadable(path: &Path, problem: impl ToString) -> Error {
    Error::Unreadable { path: path.to_owned(), problem: problem.to_string() }
}

fn open(path: &Path) -> Result<(File, std::fs::Metadata), Error> {
    // A pipe or a device would be waited for.
    let facts = std::fs::metadata(path).map_err(|e| unreadable(path, e))?;
    if !facts.is_file() {
        return Err(unreadable(path, "it is not a file"));
    }
    let file = File::open(path).map_err(|e| unreadable(path, e))?;
    let facts = file.metadata().map_err(|e| unreadable(path, e))?;
    Ok((file, facts))
}

impl ElfFile {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, is no such file, is for another processor than those that we know, or is broken.
    pub fn read(path: &Path) -> Result<ElfFile, Error> {
        let (file, facts) = open(path)?;
        let cache = Cache::new(file);
        let problem = |e: object::read::Error| unreadable(path, e);
        let header = Header::parse(&cache).map_err(problem)?;
        let endian = header.endian().map_err(problem)?;
        let processor = match header.e_machine.get(endian) {
            EM_X86_64 => Processor::X86_64,
            EM_AARCH64 => Processor::Aarch64,
            other => {
                let problem = format!("its code is for processor {}, and not for x86-64 or aarch64", other.0);
                return Err(unreadable(path, problem));
            }
        };
        let programs = header.program_headers(endian, &cache).map_err(problem)?;
        let segments = programs.iter().filter(|p| p.p_type(endian) == PT_LOAD).map(segment).collect();
        // Without a table of sections, as some tools strip it, nothing has a name.
        let sections = header.sections(endian, &cache).unwrap_or_default();
        let section = |name: &str| named(&sections, &cache, name).unwrap_or_default();
        let (symbols, has_all_symbols) = symbols(&sections, &cache);
        Ok(ElfFile {
            identity: FileIdentity::of(&facts),
            processor,
            segments,
            frames: section(".eh_frame"),
            frames_index: section(".eh_frame_hdr"),
            symbols,
            has_all_symbols,
        })
    }

    /// The address in the file of the code that stands at an offset in it.
    pub fn address(&self, offset: u64) -> Option<u64> {
        let segment = self.segments.iter().filter(|segment| segment.is_code).find(|segment| {
            offset.checked_sub(segment.offset).is_some_and(|at| at < segment.bytes_in_file)
        })?;
        segment.address.checked_add(offset - segment.offset)
    }

    /// How far a process has the file from its own addresses, by the part of its code that lies at `begin`. A part begins with the
    /// page in which its segment does.
    pub fn moved_by(&self, begin: u64, offset: u64) -> Option<u64> {
        let around = |segment: &&Segment| {
            let end = segment.offset.saturating_add(segment.bytes_in_file);
            segment.is_code && offset < end && offset.saturating_add(LARGEST_PAGE) > segment.offset
        };
        let segment = self.segments.iter().find(around)?;
        Some(begin.wrapping_sub(offset).wrapping_add(segment.offset).wrapping_sub(segment.address))
    }

    fn offset(&self, address: u64, bytes: u64) -> Option<u64> {
        let inside = |segment: &&Segment| {
            address
                .checked_sub(segment.address)
                .and_then(|at| at.checked_add(bytes))
                .is_some_and(|end| end <= segment.bytes_in_file)
        };
        let segment = self.segments.iter().find(inside)?;
        segment.offset.checked_add(address - segment.address)
    }

    /// Code of the file at `path`, from which this was read.
    ///
    /// # Errors
    /// The file was changed since, or is shorter than its segments say.
    pub fn code(&self, path: &Path, address: u64, bytes: u64) -> Result<Vec<u8>, Error> {
        let (file, facts) = open(path)?;
        if FileIdentity::of(&facts) != self.identity {
            return Err(Error::Changed { path: path.to_owned() });
        }
        let broken = || unreadable(path, "code lies outside of what is loaded");
        let offset = self.offset(address, bytes).ok_or_else(broken)?;
        let mut code = vec![0; usize::try_from(bytes).map_err(|_| broken())?];
        file.read_exact_at(&mut code, offset).map_err(|e| unreadable(path, e))?;
        Ok(code)
    }
}

fn segment(program: &ProgramHeader64<LittleEndian>) -> Segment {
    let endian = LittleEndian;
    Segment {
        offset: program.p_offset(endian),
        bytes_in_file: program.p_filesz(endian),
        address: program.p_vaddr(endian),
        is_code: program.p_flags(endian).contains(PF_X),
    }
}

fn named(sections: &Sections<'_>, cache: &Cache, name: &str) -> Option<Section> {
    let (_, section) = sections.section_by_name(LittleEndian, name.as_bytes())?;
    let address = section.sh_addr(LittleEndian);
    let fits = section.sh_type(LittleEndian) != SHT_NOBITS && section.sh_size(LittleEndian) <= LARGEST_TABLE;
    let bytes = fits.then(|| section.data(LittleEndian, cache).ok()).flatten()?;
    Some(Section { address, bytes: bytes.to_vec() })
}

/// The full table of symbols; of a file without one that of the dynamic linker.
fn symbols(sections: &Sections<'_>, cache: &Cache) -> (SymbolTable, bool) {
    let table = |kind| {
        let section = sections.iter().find(|section| section.sh_type(LittleEndian) == kind)?;
        let names = sections.section(section.link(LittleEndian)).ok()?;
        let fits = [section, names].iter().all(|part| part.sh_size(LittleEndian) <= LARGEST_TABLE);
        let of = |section: &_| {
            let data = SectionHeader::data(section, LittleEndian, cache);
            fits.then(|| data.ok()).flatten()
        };
        Some(SymbolTable::parse(of(section)?, of(names)?)).filter(|table| !table.is_empty())
    };
    match table(SHT_SYMTAB) {
        Some(all) => (all, true),
        None => (table(SHT_DYNSYM).unwrap_or_default(), false),
    }
}

/// Where the debugging information of a file is, as the file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DebugHints {
    pub build: Option<Vec<u8>>,
    /// The name of a file with its debugging information.
    pub link: Option<Vec<u8>>,
    /// The path of a file with what it shares with others.
    pub shared: Option<Vec<u8>>,
    pub has_lines: bool,
}

/// Reads where the debugging information of a file is.
///
/// # Errors
/// Those of [`ElfFile::read`]; its debugging information is too large to be unpacked.
pub fn debug_hints(path: &Path) -> Result<DebugHints, Error> {
    let (file, _) = open(path)?;
    let cache = Cache::new(file);
    let problem = |e: object::read::Error| unreadable(path, e);
    let header = Header::parse(&cache).map_err(problem)?;
    let endian = header.endian().map_err(problem)?;
    let sections = header.sections(endian, &cache).map_err(problem)?;
    let mut hints = DebugHints::default();
    let mut unpacked = 0_u64;
    for section in sections.iter() {
        let name = sections.section_name(endian, section).unwrap_or_default();
        let small = section.sh_size(endian) <= 1 << 16;
        let text = || {
            let bytes = small.then(|| section.data(endian, &cache).ok()).flatten()?;
            Some(bytes.split(|&byte| byte == 0).next()?.to_vec()).filter(|text| !text.is_empty())
        };
        match name {
            b".note.gnu.build-id" => hints.build = build(section, &cache),
            b".gnu_debuglink" => hints.link = text(),
            b".gnu_debugaltlink" => hints.shared = text(),
            b".debug_info" => hints.has_lines = section.sh_type(endian) != SHT_NOBITS,
            _ => {}
        }
        if name.starts_with(b".debug_")
            && let Ok(Some((packed, _, _))) = section.compression(endian, &cache)
        {
            unpacked = unpacked.saturating_add(object::read::elf::CompressionHeader::ch_size(packed, endian));
        }
    }
    if unpacked > LARGEST_UNPACKED {
        return Err(unreadable(
            path,
            format!("its debugging information has {unpacked} bytes when unpacked"),
        ));
    }
    Ok(hints)
}

fn build(section: &object::elf::SectionHeader64<LittleEndian>, cache: &Cache) -> Option<Vec<u8>> {
    let mut notes = section.notes(LittleEndian, cache).ok()??;
    while let Ok(Some(note)) = notes.next() {
        if note.n_type(LittleEndian) == NT_GNU_BUILD_ID && (2..=64).contains(&note.desc().len()) {
            return Some(note.desc().to_vec());
        }
    }
    None
}

/// The debugging information of a file, unpacked: names of sections and their bytes.
///
/// # Errors
/// Those of [`ElfFile::read`]; a section is too large.
pub fn debug_sections(path: &Path) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    const WANTED: [&str; 7] = [
        ".debug_abbrev",
        ".debug_addr",
        ".debug_info",
        ".debug_line",
        ".debug_line_str",
        ".debug_str",
        ".debug_str_offsets",
    ];
    let (file, _) = open(path)?;
    let cache = Cache::new(file);
    let problem = |e: object::read::Error| unreadable(path, e);
    let parsed = object::read::elf::ElfFile64::<LittleEndian, _>::parse(&cache).map_err(problem)?;
    let mut sections = Vec::new();
    for name in WANTED {
        let Some(section) = object::Object::section_by_name(&parsed, name) else { continue };
        let packed = object::ObjectSection::compressed_data(&section).map_err(problem)?;
        if packed.uncompressed_size > LARGEST_TABLE {
            return Err(unreadable(path, format!("{name} has {} bytes", packed.uncompressed_size)));
        }
        sections.push((name, packed.decompress().map_err(problem)?.into_owned()));
    }
    Ok(sections)
}
