//! A guest's life from start to end, and what it leaves.

use crate::frames::{self, Frames};
use crate::{Error, Truth, qemu};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What the kernel says of a breakpoint that it set itself while it changed its code and that QEMU still runs into (see `qemu`).
const OWN_BREAKPOINT: &str = "Oops: int3";
/// A guest that dies before its first command has run nothing, so another try hides nothing; nor does it where its kernel met a
/// breakpoint of its own. What `qemu` says of QEMU 7.2's translations is the reason seen so far.
const BOOTS: u32 = 3;
const CONSOLE_TAIL_LINES: usize = 25;
const POLL: Duration = Duration::from_millis(20);
/// QEMU gets this long to write the plugin's counts when it is told to stop.
const PATIENCE: Duration = Duration::from_secs(5);

/// What one command in the guest did.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandResult {
    /// The command as given.
    pub command: String,
    /// Its exit status as a shell reports it: 128 + N for signal N.
    pub status: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// How long it took by the guest's clock, to 10 ms.
    pub seconds: f64,
    /// Where memory really came from, in a guest with timing.
    pub truth: Option<Truth>,
}

/// All that came out of a guest; used like a slice of [`CommandResult`].
#[derive(Debug)]
pub struct GuestRun {
    /// One for each command, in order.
    pub results: Vec<CommandResult>,
    /// What was printed on the console.
    pub console: String,
    /// From the start of the kernel to the first command, by the guest's clock.
    pub boot: Duration,
    /// How often the guest was started until it came up and stayed: 1, unless a boot failed.
    pub boots: u32,
    /// From the start of QEMU to its end.
    pub wall: Duration,
}

impl Deref for GuestRun {
    type Target = [CommandResult];

    fn deref(&self) -> &[CommandResult] {
        &self.results
    }
}

/// Files in which QEMU leaves what it says.
pub(crate) struct Outputs<'a> {
    pub console: &'a Path,
    pub results: &'a Path,
    pub messages: &'a Path,
}

/// How a guest is watched while it runs.
pub(crate) struct Watch<'a> {
    pub limit: Duration,
    /// Files that are collected.
    pub files: usize,
    /// The console is copied to standard error as it grows.
    pub live: bool,
    /// Ends the guest when it is raised.
    pub stop: Option<&'a AtomicBool>,
}

/// Starts a guest until it stays, where what ended it is nothing that it was told to do. Returns what came of it, and how often it was started.
pub(crate) fn until_it_stays<T>(mut once: impl FnMut() -> Result<T, Error>) -> Result<(T, u32), Error> {
    let mut boots = 1;
    loop {
        match once() {
            Err(Error::Ended { booted: false, .. } | Error::Ended { own_breakpoint: true, .. })
                if boots < BOOTS =>
            {
                boots += 1;
            }
            other => return Ok((other?, boots)),
        }
    }
}

/// Runs QEMU, which is `program`, until the guest powers off. Returns the frames and how long it took.
pub(crate) fn run(
    program: &OsStr,
    arguments: &[String],
    outputs: &Outputs<'_>,
    watch: &Watch<'_>,
    commands: &[String],
) -> Result<(Frames, Duration), Error> {
    let limit = watch.limit;
    let mut console: Option<File> = None;
    let messages = File::create(outputs.messages).map_err(Error::write(outputs.messages))?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(messages);
    let start = Instant::now();
    let mut qemu = Guard(spawn_bound_to_us(&mut command).map_err(qemu::not_started)?);
    let status = loop {
        if let Some(status) = qemu.0.try_wait().map_err(qemu::not_started)? {
            break status;
        }
        if watch.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            qemu.stop();
            return Err(Error::Stopped);
        }
        if start.elapsed() > limit {
            qemu.stop();
            let frames = frames::parse(&bytes(outputs.results)?)?;
            let console = tail(&text(outputs.console)?);
            return Err(Error::TimeLimit { limit, progress: progress(&frames, commands), console });
        }
        if watch.live {
            show(&mut console, outputs.console);
        }
        std::thread::sleep(POLL);
    };
    if watch.live {
        show(&mut console, outputs.console);
    }
    let frames = frames::parse(&bytes(outputs.results)?)?;
    // The last word of a guest that has powered off may be lost in its serial port, on a busy host. What it is about is all there then.
    let is_whole = frames.done || status.success() && frames.are_all(commands.len(), watch.files);
    if is_whole { Ok((frames, start.elapsed())) } else { Err(ended(status, &frames, commands, outputs)?) }
}

/// Copies what is new on the console. It is for people only: what cannot be read or shown now is left out.
fn show(console: &mut Option<File>, path: &Path) {
    if console.is_none() {
        *console = File::open(path).ok();
    }
    let mut new = Vec::new();
    if let Some(file) = console
        && file.read_to_end(&mut new).is_ok()
    {
        let _ = std::io::stderr().write_all(harmless(&new).as_bytes());
    }
}

fn ended(
    status: ExitStatus,
    frames: &Frames,
    commands: &[String],
    outputs: &Outputs<'_>,
) -> Result<Error, Error> {
    let qemu = text(outputs.messages)?.trim().to_owned();
    let console = text(outputs.console)?;
    Ok(Error::Ended {
        status,
        booted: frames.boot.is_some(),
        own_breakpoint: console.contains(OWN_BREAKPOINT),
        progress: progress(frames, commands),
        qemu,
        console: tail(&console),
    })
}

/// What was going on in the guest, for messages.
fn progress(frames: &Frames, commands: &[String]) -> String {
    let done = frames.commands.len();
    match (frames.boot, frames.started) {
        (None, _) => "before it had booted".to_owned(),
        (_, Some(k)) if k == done => {
            let command = commands.get(k).map_or("", |command| command.lines().next().unwrap_or_default());
            format!("during command {} of {}, `{command}`", k + 1, commands.len())
        }
        _ => format!("after {done} of {} commands", commands.len()),
    }
}

fn tail(console: &str) -> String {
    let lines: Vec<&str> = console.lines().collect();
    lines[lines.len().saturating_sub(CONSOLE_TAIL_LINES)..].join("\n")
}

/// A file that QEMU writes; it may not have come to creating it.
fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    match std::fs::read(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other.map_err(Error::read(path)),
    }
}

/// As text that does no harm on a terminal.
pub(crate) fn text(path: &Path) -> Result<String, Error> {
    Ok(harmless(&bytes(path)?))
}

fn harmless(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// Starts a process that is told to end when the thread that started it does: no guest outlives a killed test.
fn spawn_bound_to_us(command: &mut Command) -> std::io::Result<Child> {
    use std::os::unix::process::CommandExt;
    // Ctrl-C at the terminal is for us, who end the guest as is fit.
    command.process_group(0);
    // SAFETY: between fork and exec only prctl is called, which is async-signal-safe and touches no memory.
    unsafe {
        command.pre_exec(|| match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    command.spawn()
}

/// QEMU; ended with its owner.
struct Guard(Child);

impl Guard {
    /// Politely first: then the plugin writes its counts.
    fn stop(&mut self) {
        // SAFETY: kill has no memory effects here; the child has not been waited for, so its id is still its own.
        unsafe { libc::kill(self.0.id() as libc::pid_t, libc::SIGTERM) };
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(POLL);
        }
        // Errors: it ended in this moment, which is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            self.stop();
        }
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
