//! The files that are loaded into processes, and what they say of addresses there.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, SourcePlace};
use numawise_facts::objects::{CodeObstacle, FileAddress};
use numawise_linux::Roots;
use numawise_linux::file::Lines;
use numawise_linux::proc::maps::MappedCode;
use numawise_units::{Bytes, Pid};

use crate::debug_info::{DebugInfo, demangled, source_name, system_place};
use crate::elf::{ElfFile, FileIdentity};
use crate::error::Error;
use crate::frame_table::FrameTable;
use crate::globals::{self, GlobalVariable};
use crate::mappings::{MappedPart, Mappings};
use crate::perf_map::PerfMap;
use crate::runtimes;
use crate::source::SourceFiles;
use crate::system_code::is_systems_library;
use crate::unwind::{CodeAt, StackView, Unwinder};
use crate::variable;

#[cfg(test)]
#[path = "loaded_tests.rs"]
mod tests;

/// How often the mappings of a process are read at most, when an address is in none that is known. Code that a program makes for itself
/// would have them read at every sample.
const AGAIN: Duration = Duration::from_secs(1);
/// Larger functions are not read: the largest of GCC itself has a third of it.
const LARGEST_FUNCTION: u64 = 4 << 20;

/// The files that are loaded into each process.
#[derive(Debug)]
pub struct LoadedFiles {
    roots: Roots,
    processes: HashMap<Pid, Process>,
    numbers: HashMap<PathBuf, u32>,
    files: Vec<LoadedFile>,
    unwinder: Unwinder,
    sources: SourceFiles,
    made: HashMap<Pid, PerfMap>,
}

#[derive(Debug, Clone, Default)]
struct Process {
    mappings: Mappings,
    read: Option<Instant>,
}

/// A file that was loaded.
#[derive(Debug)]
struct LoadedFile {
    path: PathBuf,
    /// What the path stood for when the file was loaded.
    identity: Option<FileIdentity>,
    content: Option<Result<Content, Error>>,
    debug: Option<Result<DebugInfo, Error>>,
}

#[derive(Debug)]
struct Content {
    elf: ElfFile,
    frames: FrameTable,
}

impl LoadedFile {
    fn open(&mut self) -> Result<&Content, Error> {
        let (path, identity) = (&self.path, self.identity);
        let content = self.content.get_or_insert_with(|| {
            let mut elf = ElfFile::read(path)?;
            if identity.is_some_and(|identity| identity != elf.identity) {
                return Err(Error::Changed { path: path.clone() });
            }
            let frames = FrameTable::of(&mut elf);
            Ok(Content { elf, frames })
        });
        content.as_ref().map_err(Clone::clone)
    }

    fn debug(&mut self) -> Result<&DebugInfo, Error> {
        self.open()?;
        let path = &self.path;
        self.debug.get_or_insert_with(|| DebugInfo::open(path)).as_ref().map_err(Clone::clone)
    }

    fn read(&self) -> Option<&Content> {
        self.content.as_ref()?.as_ref().ok()
    }

    fn problem(&self) -> Option<&Error> {
        let content = self.content.as_ref().and_then(|content| content.as_ref().err());
        content.or_else(|| self.debug.as_ref().and_then(|debug| debug.as_ref().err()))
    }
}

impl Default for LoadedFiles {
    fn default() -> Self {
        LoadedFiles::new(Roots::live())
    }
}

impl LoadedFiles {
    /// Of no process so far. `roots`: where mappings are read of processes of which nothing was said.
    pub fn new(roots: Roots) -> LoadedFiles {
        LoadedFiles {
            roots,
            processes: HashMap::new(),
            numbers: HashMap::new(),
            files: Vec::new(),
            unwinder: Unwinder::default(),
            sources: SourceFiles::default(),
            made: HashMap::new(),
        }
    }

    /// A file, or memory without one, was mapped so that its code can run.
    pub fn mapped(&mut self, process: Pid, begin: u64, bytes: u64, offset: u64, path: &Path) {
        let file = self.number(path);
        let end = begin.saturating_add(bytes);
        let is_kernels = path.as_os_str().as_bytes().starts_with(b"[v");
        let part = MappedPart { begin, end, offset, file, is_kernels };
        self.processes.entry(process).or_default().mappings.insert(part);
    }

    /// A process was made, which has what its parent has.
    pub fn forked(&mut self, child: Pid, parent: Pid) {
        if child != parent
            && let Some(of_parent) = self.processes.get(&parent).cloned()
        {
            self.processes.insert(child, Process { read: None, ..of_parent });
        }
    }

    /// A process runs another program.
    pub fn replaced(&mut self, process: Pid) {
        self.processes.remove(&process);
    }

    /// A process ended; its number may come again.
    pub fn ended(&mut self, process: Pid) {
        self.processes.remove(&process);
    }

    /// Files of which nothing can be said, each once.
    pub fn problems(&self) -> impl Iterator<Item = &Error> {
        self.files.iter().filter_map(LoadedFile::problem)
    }

    fn number(&mut self, path: &Path) -> Option<u32> {
        let bytes = path.as_os_str().as_bytes();
        // `//anon`, `[vdso]`, `/dev/zero (deleted)`, `/SYSV00000000 (deleted)`, `/anon_hugepage (deleted)`.
        if !bytes.starts_with(b"/") || bytes.starts_with(b"//") || bytes.ends_with(b" (deleted)") {
            return None;
        }
        if let Some(number) = self.numbers.get(path) {
            return Some(*number);
        }
        let number = u32::try_from(self.files.len()).ok()?;
        let identity = FileIdentity::at(path);
        self.files.push(LoadedFile { path: path.to_owned(), identity, content: None, debug: None });
        self.numbers.insert(path.to_owned(), number);
        Some(number)
    }

    /// The part of memory around an address; the process is asked where it is not known.
    fn part(&mut self, process: Pid, address: u64) -> Option<MappedPart> {
        let known = self.processes.entry(process).or_default();
        if let Some(part) = known.mappings.at(address) {
            return Some(part);
        }
        if known.read.is_some_and(|read| read.elapsed() < AGAIN) {
            return None;
        }
        known.read = Some(Instant::now());
        self.read_mappings(process);
        self.processes.get(&process)?.mappings.at(address)
    }

    fn read_mappings(&mut self, process: Pid) {
        let path = self.roots.process(process).join("maps");
        // Gone with its process: what is known stays.
        let Ok(mut lines) = Lines::open(&path) else { return };
        let mut found = Vec::new();
        let mut take = |line: &[u8]| {
            if let Some(code) = MappedCode::of(line) {
                found.push((code.addresses, code.offset, PathBuf::from(OsStr::from_bytes(code.path))));
            }
        };
        while let Ok(true) = lines.piece(&mut take) {}
        for (addresses, offset, path) in found {
            self.mapped(process, addresses.start, addresses.end - addresses.start, offset, &path);
        }
    }

    /// The file at an address, opened, and the address in it.
    fn file(&mut self, process: Pid, address: u64) -> Option<(&mut LoadedFile, u64)> {
        let part = self.part(process, address)?;
        let file = self.files.get_mut(part.file? as usize)?;
        let in_file = file.open().ok()?.elf.address(part.offset_of(address))?;
        Some((file, in_file))
    }

    /// The function around an address: where it begins in the process, and its bytes.
    pub fn function(&mut self, process: Pid, address: u64) -> Option<(u64, Vec<u8>)> {
        let (file, in_file) = self.file(process, address)?;
        let content = file.read()?;
        let by_symbol = content.elf.symbols.function(in_file);
        let bounds = by_symbol.or_else(|| content.frames.function(in_file))?;
        let bytes = bounds.end - bounds.start;
        if bytes > LARGEST_FUNCTION {
            return None;
        }
        let code = content.elf.code(&file.path, bounds.start, bytes).ok()?;
        Some((address.wrapping_sub(in_file - bounds.start), code))
    }

    /// Why there is no function around an address, and the file that it is about.
    pub fn unknown(&mut self, process: Pid, address: u64) -> (CodeObstacle, Option<String>) {
        let text = |path: &Path| Some(path.to_string_lossy().into_owned());
        let Some(part) = self.part(process, address) else {
            let is_of_kernel = address >> 63 != 0;
            return (if is_of_kernel { CodeObstacle::OfKernel } else { CodeObstacle::Gone }, None);
        };
        let Some(number) = part.file else {
            if part.is_kernels {
                return (CodeObstacle::OfKernel, None);
            }
            let found = runtimes::of(self.loaded(process));
            return match found {
                Some((runtime, path)) => (CodeObstacle::JustInTime(runtime), text(path)),
                None => (CodeObstacle::NoFile, None),
            };
        };
        let file = &mut self.files[number as usize];
        let why = match file.open() {
            Ok(_) => CodeObstacle::NoFunction,
            Err(_) => CodeObstacle::UnreadableFile,
        };
        (why, text(&file.path))
    }

    /// The files of whose code something is loaded into a process.
    fn loaded(&self, process: Pid) -> impl Iterator<Item = &Path> {
        let parts = self.processes.get(&process).into_iter().flat_map(|of| of.mappings.all());
        parts.filter_map(|part| Some(self.files.get(part.file? as usize)?.path.as_path()))
    }

    /// The function at an address of code that a process has made for itself, as it says in its map for `perf`.
    pub fn made_function(&mut self, process: Pid, address: u64) -> Option<String> {
        let roots = &self.roots;
        let read = || PerfMap::read(&roots.path(&PerfMap::path_of(process))).unwrap_or_default();
        self.made.entry(process).or_insert_with(read).function(address)
    }

    /// Where the callers go on, from the innermost on, as far as the copied stack reaches.
    pub fn callers(&mut self, process: Pid, stack: &StackView<'_>) -> Vec<u64> {
        // Whatever is opened for the search is opened before, as the search only reads.
        loop {
            let callers = self.callers_by_what_is_open(process, stack);
            let ips = std::iter::once(stack.ip).chain(callers.iter().copied());
            let unopened: Vec<u64> = ips
                .flat_map(|ip| [ip, ip.wrapping_sub(1)])
                .filter(|ip| self.is_unopened(process, *ip))
                .collect();
            let mut opened = false;
            for ip in unopened {
                self.file(process, ip);
                opened |= !self.is_unopened(process, ip);
            }
            if !opened {
                return callers;
            }
        }
    }

    fn is_unopened(&self, process: Pid, address: u64) -> bool {
        let Some(of_process) = self.processes.get(&process) else { return true };
        match of_process.mappings.at(address) {
            None => of_process.read.is_none_or(|read| read.elapsed() >= AGAIN),
            Some(part) => part.file.is_some_and(|file| self.files[file as usize].content.is_none()),
        }
    }

    fn callers_by_what_is_open(&mut self, process: Pid, stack: &StackView<'_>) -> Vec<u64> {
        let Some(of_process) = self.processes.get(&process) else { return Vec::new() };
        let (mappings, files) = (&of_process.mappings, &self.files);
        let code = |address| {
            let part = mappings.at(address)?;
            let number = part.file?;
            let content = files.get(number as usize)?.read()?;
            let in_file = content.elf.address(part.offset_of(address))?;
            let processor = content.elf.processor;
            Some(CodeAt { file: number, frames: &content.frames, processor, address: in_file })
        };
        self.unwinder.callers(stack, code, |address| mappings.at(address).is_some())
    }

    /// The file around an address, and the address in it.
    pub fn in_file(&mut self, process: Pid, address: u64) -> Option<FileAddress> {
        let (file, address) = self.file(process, address)?;
        Some(FileAddress { file: file.path.to_string_lossy().into_owned(), address })
    }

    /// What stands at an address: the innermost function there that is the program's own, and its line.
    pub fn place(&mut self, process: Pid, address: u64) -> Option<CodePlace> {
        self.place_by(process, address, DebugInfo::own_place)
    }

    /// The same, and of a function of a header of the system that was not put into one of the program's own, as of a template, its line.
    pub fn place_of_code(&mut self, process: Pid, address: u64) -> Option<CodePlace> {
        self.place_by(process, address, DebugInfo::own_or_outer_place)
    }

    fn place_by(
        &mut self,
        process: Pid,
        address: u64,
        place: fn(&DebugInfo, u64) -> SourcePlace,
    ) -> Option<CodePlace> {
        let (file, in_file) = self.file(process, address)?;
        let path = file.path.to_string_lossy().into_owned();
        // Of a library of the system no line is said, and its debugging information is large: its symbols suffice.
        let source = if is_systems_library(&path) {
            of_systems_library(&file.read()?.elf, in_file)
        } else {
            place(file.debug().ok()?, in_file)
        };
        Some(CodePlace { file: path, address: in_file, source })
    }

    /// The variable that the memory goes to which a call on a line gives; several where the line has several.
    pub fn variable(&mut self, place: &CodePlace) -> Reading<String> {
        variable::of(place, &mut self.sources)
    }

    /// The variables that results go to of the calls which return to an address: of the innermost call, and of those around it that the compiler put into one another, as far as
    /// the source names them.
    pub fn variables_of_calls(&mut self, returns_to: &FileAddress) -> Vec<String> {
        let address = returns_to.address.saturating_sub(1);
        let path = Path::new(&returns_to.file);
        let Some(file) = self.files.iter_mut().find(|file| file.path == path) else { return Vec::new() };
        let Ok(debug) = file.debug() else { return Vec::new() };
        let calls = debug.own_calls(address);
        let sources = &mut self.sources;
        let names = calls.into_iter().map(|(source, column)| {
            let place = CodePlace { file: returns_to.file.clone(), address, source };
            variable::of_call(&place, column, sources)
        });
        names.filter_map(|name| name.measured().cloned()).collect()
    }

    /// A line of a source file with so many before and after it.
    pub fn source_lines(&mut self, file: &str, line: u32, context: u32) -> Reading<Vec<(u32, String)>> {
        self.sources.lines(file, line, context)
    }

    /// The files that are loaded into a process, in the order of their addresses.
    pub fn files(&mut self, process: Pid) -> Vec<PathBuf> {
        if self.processes.get(&process).is_none_or(|known| known.mappings.all().next().is_none()) {
            self.read_mappings(process);
        }
        let Some(of_process) = self.processes.get(&process) else { return Vec::new() };
        let mut numbers: Vec<u32> = of_process.mappings.all().filter_map(|part| part.file).collect();
        let mut met = std::collections::HashSet::new();
        numbers.retain(|number| met.insert(*number));
        numbers.into_iter().map(|number| self.files[number as usize].path.clone()).collect()
    }

    /// The file whose code lies nearest below an address of a process: where its variables lie, if they are those of a file.
    pub fn file_below(&mut self, process: Pid, address: u64) -> Option<PathBuf> {
        if self.processes.get(&process).is_none_or(|known| known.mappings.all().next().is_none()) {
            self.read_mappings(process);
        }
        let parts = self.processes.get(&process)?.mappings.all().filter(|part| part.begin <= address);
        let nearest = parts.filter(|part| part.file.is_some()).max_by_key(|part| part.begin)?;
        Some(self.files.get(nearest.file? as usize)?.path.clone())
    }

    /// Variables of at least so many bytes of a file that is loaded into a process.
    ///
    /// # Errors
    /// The file cannot be read, is not loaded, or was changed since.
    pub fn variables(
        &mut self,
        process: Pid,
        path: &Path,
        least: Bytes,
    ) -> Result<Vec<GlobalVariable>, Error> {
        let not_loaded = || Error::Unreadable {
            path: path.to_owned(),
            problem: "no code of it is loaded into the process".to_owned(),
        };
        self.files(process);
        let number = *self.numbers.get(path).ok_or_else(not_loaded)?;
        let parts = self.processes.get(&process).into_iter().flat_map(|of| of.mappings.all());
        let parts: Vec<MappedPart> = parts.filter(|part| part.file == Some(number)).collect();
        let file = &mut self.files[number as usize];
        file.open()?;
        // Where a variable of the system's own libraries is defined helps nobody, and their debugging information is large.
        if !is_systems_library(&path.to_string_lossy()) {
            let _ = file.debug();
        }
        let LoadedFile { path, content: Some(Ok(content)), debug, .. } = &*file else {
            return Err(not_loaded());
        };
        let elf = &content.elf;
        let loaded =
            parts.iter().find_map(|part| elf.moved_by(part.begin, part.offset)).ok_or_else(not_loaded)?;
        let debug = debug.as_ref().and_then(|debug| debug.as_ref().ok());
        Ok(globals::variables(path, elf, debug.map(|debug| debug.path.as_path()), loaded, least))
    }
}

/// The function of an address of such a library.
fn of_systems_library(elf: &ElfFile, address: u64) -> SourcePlace {
    let symbols = &elf.symbols;
    let name = symbols.function_symbol(address).and_then(|symbol| symbols.name(symbol));
    let name = name.map(|name| demangled(&String::from_utf8_lossy(name)));
    system_place(name.and_then(|name| source_name(&name)))
}
