//! Names of the places in a file's code: function, source file and line, from its symbols and debugging information.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use addr2line::Loader;
use numawise_facts::Reading;
use numawise_facts::activity::SourcePlace;

use crate::cython;
use crate::elf::{self, DebugHints};
use crate::error::Error;
use crate::system_code;

#[cfg(test)]
#[path = "debug_info_tests.rs"]
mod tests;

/// Longer names are cut: templates of C++ make some of a page.
const LONGEST_NAME: usize = 512;
/// Where distributions put debugging information that is a file of its own.
const DEBUG_FOLDER: &str = "/usr/lib/debug";

pub const NO_LINES: &str = "the file has no lines for it; compile with -g";

/// Debugging information of a file.
pub struct DebugInfo {
    loader: Loader,
    is_systems_library: bool,
    /// The file that it stands in.
    pub path: PathBuf,
}

impl std::fmt::Debug for DebugInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DebugInfo").field("path", &self.path).finish_non_exhaustive()
    }
}

impl DebugInfo {
    /// Opens what is known of a file, also where that is another file.
    ///
    /// # Errors
    /// The file cannot be read or is broken.
    pub fn open(path: &Path) -> Result<DebugInfo, Error> {
        DebugInfo::open_below(path, Path::new(DEBUG_FOLDER))
    }

    /// The same, with another folder for debugging information.
    ///
    /// # Errors
    /// The file cannot be read or is broken.
    pub fn open_below(path: &Path, debug_folder: &Path) -> Result<DebugInfo, Error> {
        let hints = elf::debug_hints(path)?;
        let is_systems_library = system_code::is_systems_library(&path.to_string_lossy());
        if !hints.has_lines
            && let Some(apart) = apart(path, &hints, debug_folder)
            && let Ok(of_apart) = elf::debug_hints(&apart)
            && let Ok(loader) = load(&apart, &of_apart)
        {
            return Ok(DebugInfo { loader, is_systems_library, path: apart });
        }
        let loader = load(path, &hints)?;
        Ok(DebugInfo { loader, is_systems_library, path: path.to_owned() })
    }

    /// Function and line of an address in the file: of the innermost function there, also where the compiler put it into another.
    pub fn place(&self, address: u64) -> SourcePlace {
        self.named(address, frames(&self.loader, address).into_iter().next())
    }

    /// The same for what a call returns to, or for where a function begins.
    pub fn place_of_return(&self, address: u64) -> SourcePlace {
        let is_begin =
            self.loader.find_symbol_info(address).is_some_and(|symbol| symbol.address() == address);
        // A call may be the last instruction of a function: what it returns to is then the next function, or another line.
        self.place(if is_begin { address } else { address.saturating_sub(1) })
    }

    /// Function and line of an address in the file, of the innermost function there that is no part of a library or a header of the system. Where there is
    /// none, the outermost, without a line: it is for the caller to have one.
    pub fn own_place(&self, address: u64) -> SourcePlace {
        let mut frames = frames(&self.loader, address);

        let is_own = |frame: &Frame| {
            let file = frame.file.as_ref().filter(|_| !self.is_systems_library);
            file.is_some_and(|file| !system_code::is_system(file))
        };
        let own = frames.iter().position(is_own);
        let has_files = frames.iter().any(|frame| frame.file.is_some());
        let is_systems = own.is_none() && has_files;
        let last = frames.len().wrapping_sub(1);
        let chosen = own.unwrap_or(if is_systems { last } else { 0 });
        let frame = (chosen < frames.len()).then(|| frames.swap_remove(chosen));
        let place = self.named(address, frame);
        if is_systems { system_place(place.function.measured().cloned()) } else { place }
    }

    /// The same for code that is looked at itself: with the line of that outermost function.
    pub fn own_or_outer_place(&self, address: u64) -> SourcePlace {
        let own = self.own_place(address);
        if own.line.measured().is_some() {
            own
        } else {
            self.named(address, frames(&self.loader, address).pop())
        }
    }

    /// The calls at an address of the functions that are no part of a library or a header of the system, from the innermost on, also of those that the compiler put into
    /// others; each with its column, in bytes from 1. Those of which the compiler says none are left out.
    pub fn own_calls(&self, address: u64) -> Vec<(SourcePlace, u32)> {
        if self.is_systems_library {
            return Vec::new();
        }
        let is_own = |frame: &Frame| frame.file.as_ref().is_some_and(|file| !system_code::is_system(file));
        let own = frames(&self.loader, address).into_iter().filter(is_own);
        let with_column = own.filter_map(|frame| Some((frame.column.filter(|column| *column > 0)?, frame)));
        with_column.map(|(column, frame)| (self.named(address, Some(frame)), column)).collect()
    }

    fn named(&self, address: u64, frame: Option<Frame>) -> SourcePlace {
        let frame = frame.unwrap_or_default();
        let symbol = || self.loader.find_symbol(address).map(demangled);
        let function = frame.function.or_else(symbol).and_then(|name| source_name(&name));
        SourcePlace {
            function: function.map_or_else(
                || Reading::unavailable("the file has no symbol for it that the source knows"),
                |name| Reading::Measured(cut(name)),
            ),
            file: frame
                .file
                .map_or_else(|| Reading::unavailable(NO_LINES), |file| Reading::Measured(cut(file))),
            line: frame
                .line
                .filter(|line| *line > 0)
                .map_or_else(|| Reading::unavailable(NO_LINES), Reading::Measured),
        }
    }
}

/// A place in a library or a header of the system, of which no line is said: it is for the caller to have one.
pub fn system_place(function: Option<String>) -> SourcePlace {
    let reason = "its line is in a library or a header of the system";
    SourcePlace {
        function: function.map_or_else(
            || Reading::unavailable("the file has no symbol for it that the source knows"),
            |name| Reading::Measured(cut(name)),
        ),
        file: Reading::unavailable(reason),
        line: Reading::unavailable(reason),
    }
}

fn load(path: &Path, hints: &DebugHints) -> Result<Loader, Error> {
    let shared = hints.shared.as_ref().map(|shared| {
        let folder = path.parent().unwrap_or(Path::new("/"));
        folder.join(OsStr::from_bytes(shared))
    });
    let shared = shared.filter(|shared| shared.is_file());
    Loader::new_with_sup(path, shared.as_deref())
        .map_err(|e| Error::Unreadable { path: path.to_owned(), problem: e.to_string() })
}

/// The file with the debugging information of another, of the same build.
fn apart(path: &Path, hints: &DebugHints, debug_folder: &Path) -> Option<PathBuf> {
    let build = hints.build.as_ref()?;
    let hex: Vec<String> = build.iter().map(|byte| format!("{byte:02x}")).collect();
    let by_build = debug_folder.join(".build-id").join(&hex[0]).join(format!("{}.debug", hex[1..].concat()));
    let link = hints.link.as_ref().map(|link| OsStr::from_bytes(link));
    // A link is the name of a file, and nothing that leads elsewhere.
    let link = link.filter(|link| !link.as_bytes().contains(&b'/'));
    let folder = path.parent()?;
    let below = folder.strip_prefix("/").unwrap_or(folder);
    let by_link = link.into_iter().flat_map(|link| {
        [folder.join(link), folder.join(".debug").join(link), debug_folder.join(below).join(link)]
    });
    let is_of_build = |apart: &PathBuf| {
        apart != path
            && apart.is_file()
            && elf::debug_hints(apart).is_ok_and(|of| of.build.as_ref() == Some(build) && of.has_lines)
    };
    std::iter::once(by_build).chain(by_link).find(is_of_build)
}

/// A function at an address, as the debugging information has it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Frame {
    function: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
}

/// Functions that the compiler put into one another at an address, from the innermost on.
fn frames(loader: &Loader, address: u64) -> Vec<Frame> {
    let Ok(mut of_address) = loader.find_frames(address) else { return Vec::new() };
    let mut frames = Vec::new();
    while let Ok(Some(frame)) = of_address.next() {
        let function = frame.function.as_ref().and_then(|name| name.demangle().ok()).map(Cow::into_owned);
        let location = frame.location.as_ref();
        let file = location.and_then(|location| location.file).map(str::to_owned);
        let (line, column) = location.map_or((None, None), |location| (location.line, location.column));
        frames.push(Frame { function, file, line, column });
    }
    frames
}

/// A linker's name as people write it.
pub fn demangled(name: &str) -> String {
    if let Some(function) = cython::source_function(name) {
        return function;
    }
    // A C function `t` is no `unsigned short`, which a demangler makes of it.
    if !["_Z", "__Z", "_R", "___Z"].iter().any(|begin| name.starts_with(begin)) {
        return name.to_owned();
    }
    addr2line::demangle_auto(Cow::from(name), None).into_owned()
}

/// A function's name without what a compiler puts behind it for the parts that it makes of it; nothing where there is no more.
pub fn source_name(name: &str) -> Option<String> {
    const MADE: [&str; 8] = [
        "._omp_fn.",
        "._omp_cpyfn.",
        ".omp_outlined",
        "._omp_outlined",
        ".constprop.",
        ".isra.",
        ".part.",
        ".cold",
    ];
    // Of `f(int) [clone ._omp_fn.0]`, as a demangler writes it.
    let name = name.find(" [clone .").map_or(name, |at| &name[..at]);
    let end = MADE.iter().filter_map(|made| name.find(made)).min().unwrap_or(name.len());
    let source = &name[..end];
    (!source.is_empty()).then(|| source.to_owned())
}

pub fn cut(mut name: String) -> String {
    if name.len() > LONGEST_NAME {
        let mut end = LONGEST_NAME;
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        name.truncate(end);
        name.push('…');
    }
    name
}
