//! Lines, variables and globals of programs, against what their sources and other tools say.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

use numawise_facts::Reading;
use numawise_symbols::{GlobalVariable, LoadedFiles};
use numawise_units::{Bytes, Pid};

/// A program that wrote what it had to say, and waits.
struct Program {
    child: Child,
    output: String,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Program {
    /// Compiles and runs a file of `testdata`; nothing where the compiler is missing. `change`: what is done to the program before.
    fn run(compiler: &str, flags: &[&str], name: &str, change: impl FnOnce(&Path)) -> Option<Program> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name);
        let Some(compiled) = compiled(compiler, flags, &source) else {
            eprintln!("SKIPPED: {compiler} is missing");
            return None;
        };
        // Not by a thread of ours, which would keep the program open for writing while another thread starts one.
        assert!(Command::new("cp").arg(compiled).arg(&path).status().unwrap().success());
        change(&path);
        let mut child = Command::new(&path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut bytes = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut bytes).unwrap();
        let output = String::from_utf8_lossy(&bytes).into_owned();
        Some(Program { child, output, path, _folder: folder })
    }

    fn pid(&self) -> Pid {
        Pid(self.child.id() as i32)
    }
}

/// The program of these flags, compiled once; nothing where the compiler is missing.
fn compiled(compiler: &str, flags: &[&str], source: &Path) -> Option<PathBuf> {
    static KNOWN: LazyLock<Mutex<HashMap<String, PathBuf>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let words = format!("{compiler} {flags:?} {}", source.display());
    if let Some(program) = known.get(&words) {
        return Some(program.clone());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("symbols-programs");
    std::fs::create_dir_all(&folder).unwrap();
    let mut name = DefaultHasher::new();
    words.hash(&mut name);
    let program = folder.join(format!("{:016x}", name.finish()));
    // Tests of other processes make theirs here too: a program takes its name when it is whole.
    let made = folder.join(format!("{:016x}-{}", name.finish(), std::process::id()));
    let compiled = Command::new(compiler).args(flags).arg(source).arg("-o").arg(&made).output().ok()?;
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    std::fs::rename(&made, &program).unwrap();
    known.insert(words, program.clone());
    Some(program)
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

/// Bytes of an allocation -> the variable, and the line of its place.
fn allocations(program: &Program) -> BTreeMap<u64, (Reading<String>, Option<u32>)> {
    let mut files = LoadedFiles::default();
    let of_line = |line: &str| {
        let mut words = line.split(' ');
        let bytes: u64 = words.next().unwrap().parse().unwrap();
        let callers = words.map(|word| u64::from_str_radix(word, 16).unwrap());
        let mut places =
            callers.filter_map(|caller| files.place(program.pid(), caller - 1)).filter(|place| {
                let file = place.source.file.measured();
                file.is_some_and(|file| !file.ends_with("allocations.h"))
            });
        let place = places.next().unwrap();
        let line = place.source.line.measured().copied();
        (bytes, place, line)
    };
    let places: Vec<_> = program.output.lines().map(of_line).collect();
    places.into_iter().map(|(bytes, place, line)| (bytes, (files.variable(&place), line))).collect()
}

const WRAP: &str = "-Wl,--wrap=malloc";

#[test]
fn an_allocation_has_the_name_of_the_variable_that_it_goes_to() {
    for (compiler, level) in [("g++", "-O0"), ("g++", "-O2"), ("clang++", "-O2")] {
        let flags = ["-g", level, WRAP, "-std=c++17"];
        let Some(program) = Program::run(compiler, &flags, "allocations.cpp", |_| ()) else { continue };
        let found = allocations(&program);
        for (bytes, expected) in [
            (800_001, "plain"),
            (800_002, "split"),
            (1_600_000, "a"),
            (1_680_000, "b"),
            (1_200_000, "c"),
            (1_760_000, "owned"),
            (800_004, "data_"),
            (3_200_000, "rows[i]"),
            (3_200_016, "rows[i]"),
            (900_001, "text"),
            (800_005, "more"),
            // Members of a constructor.
            (800_000, "u_"),
        ] {
            let (name, line) =
                found.get(&bytes).unwrap_or_else(|| panic!("{compiler} {level} {bytes}: {found:#?}"));
            let name = name.measured().map(String::as_str);
            // Both of a line where it has two; for members the line may be that of the constructor, which names none.
            let is_right = name.is_some_and(|name| name.split(", ").any(|name| name == expected));
            let is_member = expected.ends_with('_') && expected != "data_";
            assert!(
                is_right || is_member && name.is_none(),
                "{compiler} {level}: {bytes} {expected}: {name:?} {line:?}"
            );
        }
        // The value of a function, and one of two members on a line.
        for bytes in [800_003, 808_000, 816_000] {
            assert!(found[&bytes].0.reason().is_some(), "{compiler} {level} {bytes}");
        }
    }
}

#[test]
fn a_source_that_was_changed_afterwards_names_nothing() {
    let change = |path: &Path| {
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    };
    let Some(program) = Program::run("g++", &["-g", WRAP], "allocations.cpp", change) else { return };
    let found = allocations(&program);
    assert!(found[&800_001].0.reason().unwrap().to_string().contains("changed after"), "{found:?}");
}

fn globals(program: &Program) -> Vec<GlobalVariable> {
    LoadedFiles::default().variables(program.pid(), &program.path, Bytes(2000)).unwrap()
}

/// File, line and function.
type DefinedAt = Option<(String, u32, Option<String>)>;

/// Name -> bytes, and where it is defined.
fn defined(globals: &[GlobalVariable]) -> BTreeMap<&str, (u64, DefinedAt)> {
    let of = |global: &GlobalVariable| {
        let source = &global.defined.measured()?.source;
        let file = source.file.measured()?.rsplit('/').next()?.to_owned();
        Some((file, *source.line.measured()?, source.function.measured().cloned()))
    };
    globals.iter().map(|global| (global.name.as_str(), (global.bytes.0, of(global)))).collect()
}

#[test]
fn globals_have_the_names_and_lines_of_their_source() {
    let at = |line, function: Option<&str>| {
        Some(("allocations.cpp".to_owned(), line, function.map(str::to_owned)))
    };
    for (compiler, level) in [("g++", "-O2"), ("clang++", "-O0")] {
        let Some(program) = Program::run(compiler, &["-g", level, WRAP], "allocations.cpp", |_| ()) else {
            continue;
        };
        let globals = globals(&program);
        let found = defined(&globals);
        assert_eq!(found["table"], (32768, at(6, None)), "{compiler} {level}");
        assert_eq!(found["counters"], (12000, at(7, None)), "{compiler} {level}");
        assert_eq!(found["physics::constants"], (16384, at(10, None)), "{compiler} {level}");
        let buffer = found.iter().find(|(name, _)| name.contains("buffer")).unwrap();
        assert!(buffer.0.starts_with("make("), "{buffer:?}");
        assert_eq!(buffer.1, &(20000, at(29, Some("make"))), "{compiler} {level}");
        same_as_nm(&program, &globals);
    }
}

/// Addresses and sizes are those of nm.
fn same_as_nm(program: &Program, globals: &[GlobalVariable]) {
    let output = Command::new("nm").arg("-S").arg(&program.path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let hex = |word: &str| u64::from_str_radix(word, 16).unwrap();
    let mut of_nm: Vec<(u64, u64)> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [address, bytes, kind, _] = words[..]
            && "bBdDrRuvV".contains(kind)
            && hex(bytes) >= 2000
        {
            of_nm.push((hex(address), hex(bytes)));
        }
    }
    of_nm.sort_unstable();
    of_nm.dedup();
    let loaded = globals[0].address - of_nm[0].0;
    assert_eq!(loaded % 4096, 0);
    let found: Vec<(u64, u64)> =
        globals.iter().map(|global| (global.address - loaded, global.bytes.0)).collect();
    assert_eq!(found, of_nm);
}

#[test]
fn without_debugging_information_or_apart_from_the_program() {
    let strip = |path: &Path| {
        assert!(Command::new("strip").arg("-g").arg(path).status().unwrap().success());
    };
    let Some(program) = Program::run("g++", &["-g", WRAP], "allocations.cpp", strip) else { return };
    let found = globals(&program);
    assert!(found.iter().any(|global| global.name == "table"));
    assert!(found.iter().all(|global| global.defined.reason().unwrap().to_string().contains("-g")));

    let bare = |path: &Path| assert!(Command::new("strip").arg(path).status().unwrap().success());
    let program = Program::run("g++", &["-g", WRAP], "allocations.cpp", bare).unwrap();
    assert_eq!(globals(&program).iter().filter(|global| global.name == "table").count(), 0);

    let apart = |path: &Path| {
        let debug = path.with_extension("debug");
        let run = |tool: &str, arguments: &[&std::ffi::OsStr]| {
            assert!(Command::new(tool).args(arguments).status().unwrap().success());
        };
        run("objcopy", &["--only-keep-debug".as_ref(), path.as_os_str(), debug.as_os_str()]);
        run("strip", &[path.as_os_str()]);
        let mut link = std::ffi::OsString::from("--add-gnu-debuglink=");
        link.push(&debug);
        run("objcopy", &[&link, path.as_os_str()]);
    };
    let flags = ["-g", "-gz", "-Wl,--build-id", WRAP];
    let program = Program::run("g++", &flags, "allocations.cpp", apart).unwrap();
    let found = globals(&program);
    assert_eq!(defined(&found)["table"].1.as_ref().unwrap().1, 6);
    assert_eq!(allocations(&program)[&800_001].0, Reading::Measured("plain".to_owned()));
}

#[test]
fn a_program_that_was_replaced_on_disk_has_no_code() {
    let Some(program) = Program::run("g++", &["-g", WRAP], "allocations.cpp", |_| ()) else { return };
    let mut files = LoadedFiles::default();
    let frame = program.output.lines().next().unwrap().split(' ').nth(2).unwrap();
    let address = u64::from_str_radix(frame, 16).unwrap();
    let (begin, code) = files.function(program.pid(), address).unwrap();
    assert!((begin..begin + code.len() as u64).contains(&address));
    let other = program.path.with_extension("new");
    std::fs::copy("/bin/true", &other).unwrap();
    std::fs::rename(other, &program.path).unwrap();
    assert_eq!(files.function(program.pid(), address), None);
    // To a reader that comes later the kernel says so.
    let mut later = LoadedFiles::default();
    assert_eq!(later.function(program.pid(), address), None);
    assert_eq!(later.place(program.pid(), address), None);
    assert!(later.variables(program.pid(), &program.path, Bytes(1)).is_err());
}

#[test]
fn globals_of_fortran_have_their_names() {
    let main = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/frames_main.c");
    let modules = tempfile::tempdir().unwrap();
    let folder = format!("-J{}", modules.path().display());
    let flags = ["-g", "-mno-red-zone", &folder, main.to_str().unwrap()];
    let Some(program) = Program::run("gfortran", &flags, "frames.f90", |_| ()) else { return };
    let globals = globals(&program);
    let found = defined(&globals);
    for (name, bytes) in [("grids::field", 16384), ("state", 4000), ("t", 3600)] {
        let (of, place) = &found[name];
        assert!(
            *of == bytes && place.as_ref().is_some_and(|place| place.0 == "frames.f90"),
            "{name}: {found:?}"
        );
    }
}

/// A function of a header that stays one, as a template does, has that header's lines where code is looked at, and none where callers are sought.
#[test]
fn templates_of_the_system_have_their_lines_where_code_is_looked_at() {
    let Some(program) = Program::run("c++", &["-g", "-O2"], "sorted.cpp", |_| {}) else { return };
    let address = u64::from_str_radix(program.output.trim().trim_start_matches("0x"), 16).unwrap();
    let mut files = LoadedFiles::default();
    let (begin, code) = files.function(program.pid(), address).unwrap();
    let mut headers = 0;
    for address in (begin..begin + code.len() as u64).step_by(8) {
        let caller = files.place(program.pid(), address).unwrap();
        let place = files.place_of_code(program.pid(), address).unwrap();
        if caller.source.line.measured().is_none() {
            assert!(place.source.is_of_system() && place.source.line.measured().is_some(), "{place:?}");
            headers += 1;
        }
    }
    assert!(headers > 0, "no line of a header in {} bytes", code.len());
}
