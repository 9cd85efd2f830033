//! A program that is built by the user's own command, while its compilers write down what they make of its loops.
//!
//! gcc looks for its compiler proper (`cc1`, `cc1plus`, `f951`, `lto1`) in the folders of `COMPILER_PATH` first, however gcc itself is called: a
//! script of ours stands there, and adds the option for the record. clang takes options, and where to log, from its environment. So it is all
//! the same whether a build names compilers by PATH, by an absolute path or through a wrapper of MPI, how many sources a call has, and
//! whether calls run at the same time. What is built is what would have been built.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{BuildFlags, CodeSamples, CompiledUnit, CompilerRecords, LoopRemark};
use numawise_facts::{Argument, Exit, Reading, Redactor, RunSpec, TaskPlacement};
use numawise_launch::{EndedProgram, Foreground, Keeping};
use numawise_symbols::remarks::{ClangCall, clang_calls, clang_remarks, gcc_call, gcc_remarks};
use numawise_units::{Arrange, Nanoseconds, TaskId};

use crate::Error;
use crate::ran::redactor;
use crate::snapshot::folder::{self, CollectorFolder};

pub mod tried;

#[cfg(test)]
#[path = "rebuild_tests.rs"]
mod tests;

/// What the build prints, in the folder.
const PRINTED: &str = "printed";
/// A file there that says: the build has ended.
const OVER: &str = "over";
const SCRIPT: &str = include_str!("rebuild/compiler.sh");
/// The compilers proper of gcc: C, C++, Fortran, and whole programs when they are linked.
const PROPER: [&str; 4] = ["cc1", "cc1plus", "f951", "lto1"];
/// What clang is to say of loops; `#` before it: without a word about the change.
const REMARKS: &str =
    "^-g +-Rpass=loop-vectorize +-Rpass-missed=loop-vectorize +-Rpass-analysis=loop-vectorize";
/// File systems round times.
const ROUNDING: Duration = Duration::from_secs(2);
/// Longer reasons are cut.
const LONGEST_REASON: usize = 300;
/// What is shown of the output of a build that failed.
const LAST_LINES: usize = 20;

/// A build that has ended.
#[derive(Debug)]
pub struct RanBuild {
    folder: CollectorFolder,
    command: String,
    begun: SystemTime,
    wall: Nanoseconds,
    exit: Exit,
}

type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// Runs the command by the shell in this folder, and waits for it. What it prints is kept: see [`RanBuild::last_lines`].
///
/// # Errors
/// Where there is no place for the records, or no shell can be started.
pub fn build(command: &str, environment: Environment<'_>) -> Result<RanBuild, Error> {
    build_for(Purpose::Records, command, environment)
}

/// What a build is for.
#[derive(Debug, Clone, Copy)]
enum Purpose<'a> {
    /// Compilers say what they do.
    Records,
    /// As it is without us.
    Product,
    /// With these options behind all others.
    Flags(&'a [BuildFlags]),
}

fn build_for(purpose: Purpose<'_>, command: &str, environment: Environment<'_>) -> Result<RanBuild, Error> {
    let folder = CollectorFolder::on_disk(environment)?;
    let path = folder.path();
    prepare(path, purpose, environment)
        .map_err(|source| Error::NoFolderForRecords { folder: path.to_owned(), source })?;
    let begun = SystemTime::now();
    let run = RunSpec { command: words(command, path, purpose, environment), directory: PathBuf::from(".") };
    // Who asks us to end asks the build, and nothing is left of it. The supervisor goes with the build, and leaves what is to be read.
    let over = path.join(OVER);
    let remove = || {
        if !over.exists() {
            folder::remove(path);
        }
    };
    let keeping = Keeping { ends_leftovers: true, after_us: &remove };
    let mut shell = Foreground::spawn(&run, &TaskPlacement::of_nothing(TaskId(0)), &[], keeping)?;
    let EndedProgram { exit, wall, .. } = shell.wait();
    fs::write(&over, "").map_err(|source| Error::NoFolderForRecords { folder: path.to_owned(), source })?;
    drop(shell);
    Ok(RanBuild { command: command.to_owned(), begun, wall, exit, folder })
}

/// The shell with the command, what it prints in a file, and the variables for compilers.
fn words(command: &str, folder: &Path, purpose: Purpose<'_>, environment: Environment<'_>) -> Vec<Argument> {
    let quiet = "exec </dev/null >\"$0\" 2>&1; exec env \"$@\"";
    let mut words = ["/bin/sh", "-c", quiet].map(Argument::from).to_vec();
    words.push(Argument(folder.join(PRINTED).into()));
    for (name, value) in variables(folder, purpose, environment) {
        words.push(Argument(OsString::from_vec([name.as_bytes(), b"=", value.as_bytes()].concat())));
    }
    words.extend(["/bin/sh", "-c", command].map(Argument::from));
    words
}

/// The script under the names of the compilers.
fn prepare(folder: &Path, purpose: Purpose<'_>, environment: Environment<'_>) -> io::Result<()> {
    let (scripts, records) = (folder.join("bin"), folder.join("records"));
    fs::create_dir(&scripts)?;
    fs::create_dir(&records)?;
    let before = environment("COMPILER_PATH").unwrap_or_default();
    fs::write(folder.join("path"), [before.as_bytes(), b"\n"].concat())?;
    for name in PROPER {
        let script = scripts.join(name);
        fs::write(&script, SCRIPT)?;
        fs::set_permissions(&script, Permissions::from_mode(0o700))?;
    }
    if let Purpose::Flags(flags) = purpose {
        fs::write(folder.join("flags"), BuildFlags::line(flags) + "\n")?;
    }
    Ok(())
}

fn variables(
    folder: &Path,
    purpose: Purpose<'_>,
    environment: Environment<'_>,
) -> Vec<(&'static str, OsString)> {
    let joined = |name: &str, ours: OsString, between: &str, ours_first: bool| {
        let Some(theirs) = environment(name).filter(|theirs| !theirs.is_empty()) else { return ours };
        let (one, other) = if ours_first { (ours, theirs) } else { (theirs, ours) };
        OsString::from_vec([one.as_bytes(), between.as_bytes(), other.as_bytes()].concat())
    };
    let ours = match purpose {
        Purpose::Product => return Vec::new(),
        Purpose::Records => REMARKS.to_owned(),
        Purpose::Flags(flags) => {
            BuildFlags::line(flags).split(' ').map(|word| format!("+{word}")).collect::<Vec<_>>().join(" ")
        }
    };
    let overrides = match environment("CCC_OVERRIDE_OPTIONS").filter(|theirs| !theirs.is_empty()) {
        Some(_) => joined("CCC_OVERRIDE_OPTIONS", ours.into(), " ", false),
        None => format!("# {ours}").into(),
    };
    vec![
        ("COMPILER_PATH", joined("COMPILER_PATH", folder.join("bin").into(), ":", true)),
        ("CCC_OVERRIDE_OPTIONS", overrides),
        ("CC_LOG_DIAGNOSTICS", "1".into()),
        ("CC_LOG_DIAGNOSTICS_FILE", folder.join("clang.log").into()),
        ("CC_PRINT_OPTIONS", "1".into()),
        ("CC_PRINT_OPTIONS_FILE", folder.join("clang.calls").into()),
        // What ccache has kept would not be compiled, and nothing said of it.
        ("CCACHE_DISABLE", "1".into()),
    ]
}

impl RanBuild {
    pub fn exit(&self) -> Exit {
        self.exit
    }

    pub fn wall(&self) -> Nanoseconds {
        self.wall
    }

    /// The end of what it printed, without what clang says of loops.
    pub fn last_lines(&self) -> String {
        let printed = fs::read(self.folder.path().join(PRINTED)).unwrap_or_default();
        let printed = String::from_utf8_lossy(&printed);
        let lines: Vec<&str> = without_remarks(&printed);
        lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
    }

    /// What the compilers said of the loops of a run of the program.
    pub fn records(
        &self,
        code: &CodeSamples,
        places: &[CodePlace],
        program: &RunSpec,
    ) -> Reading<CompilerRecords> {
        let redactor = &redactor(program);
        match self.exit {
            Exit::Code(0) => {}
            Exit::Code(code) => {
                return Reading::unavailable(format!("the build failed with exit status {code}"));
            }
            Exit::Signal(signal) => return Reading::unavailable(format!("signal {signal} ended the build")),
        }
        let mut kept = Kept::of(places, code, redactor);
        let compiled = kept.read(self.folder.path());
        if compiled == 0 {
            return Reading::unavailable(
                "the build compiled nothing with gcc (from version 9 on) or clang; where it has nothing to do, remove what it has \
                 built before, as by 'make clean'",
            );
        }
        let written = kept.written(code, self.begun.checked_sub(ROUNDING).unwrap_or(self.begun));
        let Kept { units, mut remarks, .. } = kept;
        remarks.arrange_by(|one, other| {
            (&one.file, one.line, one.unit).cmp(&(&other.file, other.line, other.unit))
        });
        remarks.dedup();
        let command = redactor.text(&self.command);
        Reading::Measured(CompilerRecords { command, wall: self.wall, compiled, units, remarks, written })
    }
}

/// A remark of clang has three lines: itself, the source, and a mark below it.
fn without_remarks(printed: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut skipped = 0;
    for line in printed.lines() {
        if line.contains(": remark: ") && line.contains("[-Rpass") {
            skipped = 2;
        } else if skipped > 0 && (line.trim_start().starts_with('^') || !line.contains(": ")) {
            skipped -= 1;
        } else {
            skipped = 0;
            lines.push(line);
        }
    }
    lines
}

/// What is kept of the records: that which may be of sampled loops.
struct Kept<'a> {
    /// Lines of sampled loops, behind the name of their file.
    lines: BTreeSet<(&'a str, u32)>,
    redactor: &'a Redactor,
    units: Vec<CompiledUnit>,
    remarks: Vec<LoopRemark>,
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn text(path: PathBuf) -> io::Result<String> {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// One file for each source that gcc compiled.
fn gcc_records(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("records")).into_iter().flatten().flatten();
    let mut calls: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    calls.retain(|path| path.extension().is_some_and(|end| end == "call"));
    calls.sort();
    calls
}

fn clang_records(folder: &Path) -> Vec<ClangCall> {
    clang_calls(&text(folder.join("clang.calls")).unwrap_or_default())
}

impl<'a> Kept<'a> {
    fn of(places: &'a [CodePlace], code: &CodeSamples, redactor: &'a Redactor) -> Kept<'a> {
        let mut lines = BTreeSet::new();
        let of_loops = code.loops.iter().flat_map(|of| &of.lines);
        for place in of_loops.filter_map(|line| places.get(line.place as usize)) {
            if let (Some(file), Some(line)) = (place.source.file.measured(), place.source.line.measured()) {
                lines.insert((name(file), *line));
            }
        }
        Kept { lines, redactor, units: Vec::new(), remarks: Vec::new() }
    }

    /// How many calls of compilers have a record.
    fn read(&mut self, folder: &Path) -> u64 {
        let mut compiled = 0;
        for path in gcc_records(folder) {
            let Some(call) = text(path.clone()).ok().and_then(|words| gcc_call(&words)) else { continue };
            // The compiler makes it when it has something to say.
            let record = text(path.with_extension("loops")).unwrap_or_default();
            let remarks = gcc_remarks(&record, &call.folder, 0);
            compiled += 1;
            self.take(vec![call.unit(&remarks)], remarks);
        }
        let log = text(folder.join("clang.log")).unwrap_or_default();
        let calls = clang_records(folder);
        let (units, remarks) = clang_remarks(&log, &calls);
        compiled += calls.len() as u64;
        self.take(units, remarks);
        compiled
    }

    fn take(&mut self, units: Vec<CompiledUnit>, remarks: Vec<LoopRemark>) {
        let any =
            |file: &str, from: u32, to: u32| self.lines.range((file, from)..=(file, to)).next().is_some();
        let is_meant = |of: &LoopRemark| {
            let (file, line) = (name(&of.file), of.line);
            any(file, line, line.saturating_add(LoopRemark::LINES_BEFORE))
                || any(file, 0, line) && any(file, line, u32::MAX)
        };
        let remarks: Vec<LoopRemark> = remarks.into_iter().filter(is_meant).collect();
        let is_of =
            |source: &Option<String>| source.as_ref().is_some_and(|source| any(name(source), 0, u32::MAX));
        let mut numbers: Vec<Option<u32>> = vec![None; units.len()];
        for (number, unit) in units.into_iter().enumerate() {
            if is_of(&unit.source) || remarks.iter().any(|of| of.unit as usize == number) {
                numbers[number] = Some(self.units.len() as u32);
                let source = unit.source.as_ref().map(|source| self.redactor.text(source));
                let flags = unit.flags.iter().map(|flag| self.redactor.text(flag)).collect();
                self.units.push(CompiledUnit { source, flags, ..unit });
            }
        }
        for mut of in remarks {
            let Some(unit) = numbers.get(of.unit as usize).copied().flatten() else { continue };
            of.unit = unit;
            of.file = self.redactor.text(&of.file);
            if let Some(why) = &mut of.obstacle {
                why.text = self.redactor.text(&why.text).chars().take(LONGEST_REASON).collect();
            }
            self.remarks.push(of);
        }
    }

    /// Files with sampled loops that are as new as the build.
    fn written(&self, code: &CodeSamples, begun: SystemTime) -> Vec<String> {
        let files: BTreeSet<&str> = code.loops.iter().map(|of| of.head.file.as_str()).collect();
        let is_new =
            |file: &&str| fs::metadata(file).and_then(|of| of.modified()).is_ok_and(|at| at >= begun);
        files.into_iter().filter(is_new).map(str::to_owned).collect()
    }
}
