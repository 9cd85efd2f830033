//! Whether a library can be preloaded into a program: only the dynamic loader of its own C library does that.

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use numawise_facts::notice::{NotPreloadableReason, PreloadObstacle};
use numawise_linux::calls::process;

use crate::path;

#[cfg(test)]
#[path = "preload_tests.rs"]
mod tests;

/// Where the fields of an ELF header are, for the class (32 or 64 bits) of this program (elf(5)).
#[cfg(target_pointer_width = "64")]
mod layout {
    pub const CLASS: u8 = 2;
    pub const HEADER: usize = 64;
    pub const TABLE: usize = 32;
    pub const SECTIONS: usize = 40;
    /// The size of an entry in the table of sections; their number follows.
    pub const SECTION_SIZE: usize = 58;
    pub const ENTRY_SIZE: usize = 54;
    pub const ENTRIES: usize = 56;
    /// Offset and size of a segment, in its entry.
    pub const OFFSET: usize = 8;
    pub const SIZE: usize = 32;
    pub const LEAST_ENTRY: usize = 56;
}
#[cfg(target_pointer_width = "32")]
mod layout {
    pub const CLASS: u8 = 1;
    pub const HEADER: usize = 52;
    pub const TABLE: usize = 28;
    pub const SECTIONS: usize = 32;
    /// The size of an entry in the table of sections; their number follows.
    pub const SECTION_SIZE: usize = 46;
    pub const ENTRY_SIZE: usize = 42;
    pub const ENTRIES: usize = 44;
    pub const OFFSET: usize = 4;
    pub const SIZE: usize = 16;
    pub const LEAST_ENTRY: usize = 32;
}

const MACHINE: usize = 18;
const PT_INTERP: u32 = 3;
/// The longest name of a loader that we read, and the most segments; both far above what linkers make.
const LONGEST: usize = 4096;
const MOST_SEGMENTS: usize = 512;

/// Why no library can be preloaded into `program`; it must be left out then, since a loader that is not glibc's may end
/// the program over it. A name without a slash is looked for in the folders of PATH. `None` also for scripts and for what
/// cannot be read: their interpreters are looked at by nobody.
pub(crate) fn obstacle(program: &Path) -> Option<PreloadObstacle> {
    let program = &path::find(program.as_os_str(), Path::new(""), &path::search())?;
    let file = File::open(program).ok()?;
    let metadata = file.metadata().ok()?;
    let reason = match linked(file).ok()? {
        Linked::NotElf => return None,
        Linked::Foreign => NotPreloadableReason::OtherProcessor,
        Linked::Statically => NotPreloadableReason::StaticallyLinked,
        Linked::By(loader) if !is_known(&loader) => {
            NotPreloadableReason::OtherLoader { loader: String::from_utf8_lossy(&loader).into_owned() }
        }
        // The owner runs it with his own rights: nothing changes, and the loader preloads.
        Linked::By(_) if metadata.mode() & 0o6000 != 0 && changes_rights(&metadata) => {
            NotPreloadableReason::OtherRights
        }
        Linked::By(_) if has_capabilities(program) => NotPreloadableReason::Capabilities,
        Linked::By(_) => return None,
    };
    Some(PreloadObstacle::Program { program: program.display().to_string(), reason })
}

/// A command that does what starting `program` in `directory` takes, and runs nothing of it: its dynamic loader maps and relocates its
/// libraries, preloaded ones too, and lists them. Of a script it is the interpreter that is loaded. `None` for what has no loader that can
/// do that, such as a program that is linked statically, which starts sooner.
pub fn loading(program: &Path, directory: &Path) -> Option<Vec<OsString>> {
    let file = path::find(program.as_os_str(), directory, &path::search())?;
    let of_script = path::interpreter(&file).map(PathBuf::from);
    let file = of_script.unwrap_or(file);
    match linked(File::open(&file).ok()?).ok()? {
        Linked::By(loader) if is_known(&loader) => {
            Some(vec![OsString::from_vec(loader), "--list".into(), file.into_os_string()])
        }
        Linked::By(_) | Linked::NotElf | Linked::Foreign | Linked::Statically => None,
    }
}

/// True for an ELF file of this class that reaches to the end of its table of sections, which linkers write last.
pub(crate) fn is_whole(mut file: &File) -> io::Result<bool> {
    let mut header = [0; layout::HEADER];
    match file.read_exact(&mut header) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
        read => read?,
    }
    if !header.starts_with(b"\x7fELF") || header[4] != layout::CLASS {
        return Ok(false);
    }
    let half = |at: usize| u64::from(u16::from_ne_bytes([header[at], header[at + 1]]));
    let mut offset = [0; size_of::<usize>()];
    offset.copy_from_slice(&header[layout::SECTIONS..layout::SECTIONS + size_of::<usize>()]);
    let table = half(layout::SECTION_SIZE) * half(layout::SECTION_SIZE + 2);
    let end = (usize::from_ne_bytes(offset) as u64).saturating_add(table);
    Ok(file.metadata()?.len() >= end)
}

fn changes_rights(metadata: &std::fs::Metadata) -> bool {
    // SAFETY: both calls have no preconditions.
    let (user, group) = unsafe { (libc::getuid(), libc::getgid()) };
    (metadata.mode() & 0o4000 != 0 && metadata.uid() != user)
        || (metadata.mode() & 0o2000 != 0 && metadata.gid() != group)
}

fn has_capabilities(program: &Path) -> bool {
    let Ok(path) = CString::new(program.as_os_str().as_bytes()) else { return false };
    // SAFETY: both strings are live; a size of zero asks for the length only.
    unsafe { libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) > 0 }
}

/// ld-linux-x86-64.so.2, ld-linux-aarch64.so.1, ld64.so.2 and the like, and ld-musl-x86_64.so.1; both are tested.
fn is_known(loader: &[u8]) -> bool {
    let file = loader.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    [b"ld-linux".as_slice(), b"ld64.so", b"ld.so", b"ld-2.", b"ld-musl"]
        .iter()
        .any(|begin| file.starts_with(begin))
}

#[derive(Debug, PartialEq, Eq)]
enum Linked {
    NotElf,
    Foreign,
    Statically,
    /// The path of the loader.
    By(Vec<u8>),
}

fn linked(mut file: File) -> io::Result<Linked> {
    let mut header = [0u8; layout::HEADER];
    if !filled(&mut file, &mut header)? || !header.starts_with(b"\x7fELF") {
        return Ok(Linked::NotElf);
    }
    let ours_is_little = cfg!(target_endian = "little");
    if header[4] != layout::CLASS || (header[5] == 1) != ours_is_little || machine_differs(&header) {
        return Ok(Linked::Foreign);
    }
    let size = usize::from(half(&header, layout::ENTRY_SIZE));
    let count = usize::from(half(&header, layout::ENTRIES)).min(MOST_SEGMENTS);
    let table = word(&header, layout::TABLE);
    if size < layout::LEAST_ENTRY {
        return Ok(Linked::NotElf);
    }
    let mut entries = vec![0u8; size * count];
    file.seek(SeekFrom::Start(table))?;
    if !filled(&mut file, &mut entries)? {
        return Ok(Linked::NotElf);
    }
    let kind = |entry: &&[u8]| u32::from_ne_bytes([entry[0], entry[1], entry[2], entry[3]]) == PT_INTERP;
    let Some(entry) = entries.chunks_exact(size).find(kind) else { return Ok(Linked::Statically) };
    let (offset, length) = (word(entry, layout::OFFSET), word(entry, layout::SIZE));
    let mut loader = vec![0u8; usize::try_from(length).unwrap_or(LONGEST).min(LONGEST)];
    file.seek(SeekFrom::Start(offset))?;
    if !filled(&mut file, &mut loader)? {
        return Ok(Linked::NotElf);
    }
    loader.truncate(loader.iter().position(|byte| *byte == 0).unwrap_or(loader.len()));
    Ok(Linked::By(loader))
}

/// Our own machine number is that of the program that runs.
fn machine_differs(header: &[u8]) -> bool {
    let mut own = [0u8; layout::HEADER];
    let read = process::own_program().and_then(|mut file| filled(&mut file, &mut own));
    // Where we cannot look at ourselves, nothing is claimed.
    matches!(read, Ok(true)) && half(&own, MACHINE) != half(header, MACHINE)
}

/// False when the file ends before.
fn filled(file: &mut File, buffer: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes([bytes[at], bytes[at + 1]])
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut number = [0u8; size_of::<usize>()];
    number.copy_from_slice(&bytes[at..at + size_of::<usize>()]);
    usize::from_ne_bytes(number) as u64
}
