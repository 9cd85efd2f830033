//! Callers of interrupted functions against backtrace(3) of the program itself, at each instruction that it runs.
#![cfg(target_arch = "x86_64")]

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use numawise_facts::activity::CodePlace;
use numawise_symbols::{LoadedFiles, StackView};
use numawise_units::Pid;

/// What the program wrote of one instruction.
struct Stepped {
    words: [u64; 11],
    callers: Vec<u64>,
    stack: Vec<u8>,
}

impl Stepped {
    fn read(bytes: &mut &[u8]) -> Option<Stepped> {
        let mut word = || {
            let (first, rest) = bytes.split_at_checked(8)?;
            *bytes = rest;
            Some(u64::from_le_bytes(first.try_into().unwrap()))
        };
        let words: [u64; 11] = std::array::from_fn(|_| word().unwrap_or_default());
        let callers = (0..words[9]).map(|_| word()).collect::<Option<Vec<u64>>>()?;
        let (stack, rest) = bytes.split_at_checked(words[10] as usize)?;
        *bytes = rest;
        (words[0] != 0).then(|| Stepped { words, callers, stack: stack.to_vec() })
    }

    fn view(&self) -> StackView<'_> {
        let [ip, sp, bp, rbx, r12, r13, r14, r15, r10, ..] = self.words;
        let kept = [rbx, r12, r13, r14, r15];
        StackView { ip, sp, bp, kept, r10: Some(r10), after_call: false, bytes: &self.stack }
    }
}

struct Program {
    child: Child,
    steps: Vec<Stepped>,
    // Removed with its program.
    _folder: tempfile::TempDir,
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name)
}

/// Compiles and runs a program of `testdata`; nothing where its compiler is missing.
fn stepped(compiler: &str, flags: &[&str], name: &str) -> Option<Program> {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("app");
    let mut command = Command::new(compiler);
    command.arg("-mno-red-zone").args(flags).arg(source(name));
    if name.ends_with(".f90") {
        command.arg(source("frames_main.c")).current_dir(&folder);
    }
    let compiled = command.arg("-o").arg(&program).arg("-lm").output();
    let Ok(compiled) = compiled else {
        eprintln!("SKIPPED: {compiler} is missing");
        return None;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let mut child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut bytes = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut bytes).unwrap();
    let mut rest = &bytes[..];
    let steps: Vec<Stepped> = std::iter::from_fn(|| Stepped::read(&mut rest)).collect();
    assert!(rest.is_empty() && steps.len() > 500, "{} steps, {} bytes too many", steps.len(), rest.len());
    Some(Program { child, steps, _folder: folder })
}

/// True for the functions that go on in the frame of another one: for their last two instructions that frame is in rcx, of which a
/// sample's stack says nothing.
fn throws(place: &CodePlace) -> bool {
    let function = place.source.function.measured().map_or("", String::as_str);
    ["_Unwind_RaiseException", "_Unwind_Resume"].contains(&function)
}

/// All steps must have the callers that the program found, as far as the copied stack reaches.
fn equal(compiler: &str, flags: &[&str], name: &str) {
    let Some(program) = stepped(compiler, flags, name) else { return };
    let pid = Pid(program.child.id() as i32);
    let mut files = LoadedFiles::default();
    let (mut wrong, mut seen) = (0, HashSet::new());
    // Another turn of a loop is the same code below the same callers.
    let steps = program.steps.iter().filter(|step| seen.insert((step.words[0], &step.callers)));
    let (mut stacks, mut callers) = (0, 0);
    for step in steps {
        stacks += 1;
        callers += step.callers.len();
        let found = files.callers(pid, &step.view());
        if found != step.callers {
            let place = files.place(pid, step.words[0]);
            if found.is_empty() && place.as_ref().is_some_and(throws) {
                continue;
            }
            wrong += 1;
            if wrong <= 10 {
                eprintln!("at {:#x} {place:?}\n  {found:x?}\n  {:x?}", step.words[0], step.callers);
            }
        }
    }
    eprintln!("{compiler} {flags:?} {name}: {stacks} stacks with {callers} callers; {wrong} wrong");
    assert!(stacks > 300 && callers > stacks, "{stacks} stacks with {callers} callers");
    assert_eq!(wrong, 0, "{compiler} {flags:?} {name}");
}

#[test]
fn callers_in_c_are_those_of_backtrace() {
    equal("gcc", &["-O2", "-g"], "frames.c");
    equal("gcc", &["-O0", "-no-pie", "-Wl,-z,lazy"], "frames.c");
    equal("gcc", &["-O2", "-mavx", "-fno-omit-frame-pointer", "-Wl,-z,lazy"], "frames.c");
    equal("gcc", &["-O3", "-static"], "frames.c");
    equal("gcc", &["-Os", "-mavx2", "-Wl,-z,lazy"], "frames.c");
}

#[test]
fn callers_in_c_of_clang_are_those_of_backtrace() {
    equal("clang", &["-O2", "-mavx"], "frames.c");
    equal("clang", &["-O0", "-fuse-ld=bfd", "-Wl,-z,lazy"], "frames.c");
}

#[test]
fn callers_in_cpp_are_those_of_backtrace() {
    equal("g++", &["-O0"], "frames.cpp");
    equal("clang++", &["-O2", "-fomit-frame-pointer"], "frames.cpp");
    equal("g++", &["-O3", "-g", "-mavx2"], "frames.cpp");
}

#[test]
fn callers_in_fortran_are_those_of_backtrace() {
    equal("gfortran", &["-O0", "-g"], "frames.f90");
    equal("gfortran", &["-O2", "-mavx2"], "frames.f90");
}
