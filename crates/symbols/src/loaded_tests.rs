use std::ffi::CString;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::*;

fn own_pid() -> Pid {
    Pid(std::process::id() as i32)
}

/// A function with debugging information in a library of this process; nothing where there is no compiler.
fn loaded_function(folder: &Path) -> Option<u64> {
    let (source, library) = (folder.join("twice.c"), folder.join("libtwice.so"));
    std::fs::write(&source, "int twice(int x)\n{\n    return x + x;\n}\n").unwrap();
    let compiled =
        Command::new("cc").args(["-g", "-O0", "-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    if !compiled.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no C compiler");
        return None;
    }
    let path = CString::new(library.to_str().unwrap()).unwrap();
    // SAFETY: the library has nothing that runs when it is loaded, and stays loaded.
    let twice = unsafe { libc::dlsym(libc::dlopen(path.as_ptr(), libc::RTLD_NOW), c"twice".as_ptr()) };
    assert!(!twice.is_null(), "{}", library.display());
    Some(twice as u64)
}

#[test]
fn mappings_of_a_process_are_read_where_nothing_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let Some(address) = loaded_function(folder.path()) else { return };
    let mut files = LoadedFiles::default();
    let (begin, code) = files.function(own_pid(), address).unwrap();
    assert_eq!(begin, address);
    // SAFETY: the code of this function, for its whole length.
    assert_eq!(code, unsafe { std::slice::from_raw_parts(address as *const u8, code.len()) });
    let place = files.place(own_pid(), address).unwrap();
    assert_eq!(place.source.function.measured().map(String::as_str), Some("twice"), "{place:?}");
    assert!(place.source.file.measured().unwrap().ends_with("twice.c"), "{place:?}");
    assert_eq!(place.source.line.measured(), Some(&2), "{place:?}");
    // Of a program without debugging information the function is known all the same.
    let own = mappings_of_a_process_are_read_where_nothing_was_said as *const () as u64;
    assert_eq!(files.function(own_pid(), own).unwrap().0, own);
    let place = files.place(own_pid(), own).unwrap();
    assert!(place.source.function.measured().unwrap().contains("mappings_of_a_process"), "{place:?}");
}

#[test]
fn code_without_symbols_has_the_bounds_of_its_frame() {
    let mut files = LoadedFiles::default();
    // What memcpy is on this processor has no symbol that other files may use.
    let copy = libc::memcpy as *const () as u64;
    let (begin, code) = files.function(own_pid(), copy).unwrap();
    assert!(begin <= copy && copy < begin + code.len() as u64);
}

#[test]
fn a_process_that_was_forked_or_replaced_or_is_not_known() {
    let mut files = LoadedFiles::new(Roots::at("/no/such/root"));
    let path = std::env::current_exe().unwrap();
    let elf = ElfFile::read(&path).unwrap();
    let segment = *elf.segments.iter().find(|segment| segment.is_code).unwrap();
    let address = 0x5000_0000 + 64;
    files.mapped(Pid(1), 0x5000_0000, segment.bytes_in_file, segment.offset, &path);
    files.forked(Pid(2), Pid(1));
    files.forked(Pid(3), Pid(99));
    assert!(files.place(Pid(2), address).is_some() && files.place(Pid(3), address).is_none());
    files.replaced(Pid(1));
    assert!(files.place(Pid(1), address).is_none() && files.place(Pid(2), address).is_some());
    files.ended(Pid(2));
    assert!(files.place(Pid(2), address).is_none() && files.function(Pid(2), address).is_none());
    for odd in ["//anon", "[vdso]", "/memfd:x (deleted)", ""] {
        files.mapped(Pid(4), 0x1000, 0x1000, 0, Path::new(odd));
        assert!(files.function(Pid(4), 0x1800).is_none() && files.place(Pid(4), 0x1800).is_none(), "{odd}");
    }
    assert_eq!(files.problems().count(), 0);
    files.mapped(Pid(4), 0x1000, 0x1000, 0, Path::new("/etc/hostname"));
    assert!(files.function(Pid(4), 0x1800).is_none());
    assert_eq!(files.problems().count(), 1);
}

#[test]
fn the_variables_of_a_strangers_program_are_those_of_its_symbols() {
    let mut python = Command::new("python3");
    python.args(["-c", "print('begun', flush=True); input()"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut child) = python.spawn() else {
        eprintln!("SKIPPED: no python3");
        return;
    };
    // By then the program and its libraries are loaded.
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "begun\n");
    let mut files = LoadedFiles::default();
    let pid = Pid(child.id() as i32);
    let loaded = files.files(pid);
    let named: Vec<String> = loaded
        .iter()
        .flat_map(|path| files.variables(pid, path, Bytes(4096)).unwrap())
        .map(|variable| variable.name)
        .collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(loaded.iter().any(|path| path.to_string_lossy().contains("libc.so")), "{loaded:?}");
    assert!(named.iter().any(|name| name.starts_with("_Py")), "{named:?}");
}

#[test]
fn code_of_no_function_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = LoadedFiles::new(Roots::at(folder.path()));
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "no code").unwrap();
    let map = |files: &mut LoadedFiles, process, begin, path: &Path| {
        files.mapped(Pid(process), begin, 0x1000, 0, path);
    };
    map(&mut files, 1, 0x1000, Path::new("//anon"));
    map(&mut files, 1, 0x2000, Path::new("[vdso]"));
    map(&mut files, 1, 0x3000, &file);
    let path = file.to_string_lossy().into_owned();
    assert_eq!(files.unknown(Pid(1), 0x1800), (CodeObstacle::NoFile, None));
    assert_eq!(files.unknown(Pid(1), 0x2800), (CodeObstacle::OfKernel, None));
    assert_eq!(files.unknown(Pid(1), 0x3800), (CodeObstacle::UnreadableFile, Some(path)));
    assert_eq!(files.unknown(Pid(1), 0x9000), (CodeObstacle::Gone, None));
    assert_eq!(files.unknown(Pid(1), u64::MAX), (CodeObstacle::OfKernel, None));
    // The same memory is a runtime's where one is loaded, which may name what it makes.
    map(&mut files, 1, 0x5000, Path::new("/opt/julia/lib/libjulia.so.1"));
    let (why, by) = files.unknown(Pid(1), 0x1800);
    assert_eq!(why, CodeObstacle::JustInTime(numawise_facts::objects::CodeRuntime::Julia));
    assert_eq!(by.as_deref(), Some("/opt/julia/lib/libjulia.so.1"));
    std::fs::create_dir(folder.path().join("tmp")).unwrap();
    std::fs::write(folder.path().join("tmp/perf-1.map"), "1800 10 julia_solve_7\n").unwrap();
    assert_eq!(files.made_function(Pid(1), 0x1804).as_deref(), Some("julia_solve_7"));
    assert_eq!((files.made_function(Pid(1), 0x1900), files.made_function(Pid(2), 0x1804)), (None, None));
}
