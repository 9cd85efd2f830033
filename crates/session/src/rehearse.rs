//! A rehearsal: a command of ours, with a program, on an emulated machine that is like another one.
//!
//! A guest boots with that machine's nodes, distances and timing of memory, and sees all files of this computer; what is written
//! there stays in its memory, but for the files that the command was to write, which come back.

mod error;
mod script;
mod setup;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use numawise_emulate::figures::{self, GivenFigures};
use numawise_emulate::{
    DerivedMachine, EmulationRequest, Guest, GuestRun, HostRoot, Truth, WorkFolder, derive, leftovers, reduce,
};
use numawise_facts::notice::{EmulationNotice, MachineNotice};
use numawise_facts::{AttributeOrigin, Machine, Notice, Profile};
use numawise_linux::memory::MemoryInfo;
use numawise_linux::{Roots, replace};
use numawise_machine::REHEARSAL;
use numawise_units::{Bytes, BytesPerSecond};

pub use error::RehearsalError;
pub use numawise_emulate::figures::{DistanceFigures, GivenFigures as RehearsalFigures};
pub use script::RehearsedCommand;
pub use setup::{Requirement, SetupPart, setup, work_folder};

#[cfg(test)]
#[path = "rehearse_tests.rs"]
mod tests;

/// Without another request: small programs fit, and every computer has it.
const USUAL_MEMORY: Bytes = Bytes::mib(2048);
/// With it two emulated sockets of 20 GB/s each have their bandwidths within 3 % and their latencies within 5 % (testbed/README.md).
const LEAST_SLOWDOWN: f64 = 1000.0;
/// Of the fastest memory in a guest: twice that of those sockets, since start-up of programs is slowed down too.
const EMULATED_RATE: BytesPerSecond = BytesPerSecond(40e6);
/// Below this in a node the kernel does not come up, or has no room for a program.
const NODE_MEMORY: Bytes = Bytes::mib(128);
/// QEMU takes so much besides the memory of the guest: translated code, the model of the caches.
const QEMU_MEMORY: Bytes = Bytes::mib(384);
/// A command that is told to end gets this long to write what it has.
const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(50);

/// What is to be rehearsed, and on what.
#[derive(Debug, Clone)]
pub struct RehearsalRequest {
    /// The machine as it was typed.
    pub name: String,
    pub machine: Machine,
    /// What was measured of it, and the name of its file.
    pub profile: Option<(String, Profile)>,
    pub figures: GivenFigures,
    /// So many times longer takes memory than on that machine; without it, as its fastest memory needs.
    pub slowdown: Option<f64>,
    /// Of the guest; without it, what small programs need.
    pub memory: Option<Bytes>,
    pub cores_per_node: Option<u32>,
    /// The command is told to end when this has passed.
    pub limit: Duration,
    /// Where kernels, what is compiled, and runs are kept.
    pub work: PathBuf,
}

/// A rehearsal that can begin.
#[derive(Debug)]
pub struct RehearsalPlan {
    derived: DerivedMachine,
    name: String,
    slowdown: f64,
    limit: Duration,
    work: WorkFolder,
    kernel: numawise_emulate::RootKernel,
}

/// Which stream of the command in the guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuestStream {
    Out,
    Err,
}

/// What goes up while a rehearsal runs.
#[derive(Debug, Clone, Copy)]
pub enum RehearsalEvent<'a> {
    /// Another rehearsal of this user runs, and is waited for.
    Waits,
    /// The command has printed.
    Printed(GuestStream, &'a [u8]),
    /// The command was told to end: by the caller, or since the time is up.
    ToldToEnd { out_of_time: bool },
}

/// How a rehearsal ended.
#[derive(Debug)]
pub struct EndedRehearsal {
    /// Of the command, as a shell reports it.
    pub status: i32,
    /// Files that the command wrote, as they are on this computer now.
    pub written: Vec<PathBuf>,
    /// From the start of the kernel to the first command.
    pub boot: Duration,
    pub out_of_time: bool,
    /// Of the time that the emulated CPUs were busy with the command, the part in which they waited for memory.
    pub memory_share: Option<f64>,
    /// The part of these waits that other programs on this computer made longer.
    pub disturbed_share: Option<f64>,
}

impl RehearsalPlan {
    /// Finds out whether the machine can be emulated here.
    ///
    /// # Errors
    /// Why not, and what is largest that can be.
    pub fn new(request: RehearsalRequest) -> Result<Self, RehearsalError> {
        let derived = emulated(&request)?;
        let slowdown = derived.machine.description().timing.as_ref().map_or(LEAST_SLOWDOWN, |of| of.scale);
        let memory = Bytes::mib(derived.machine.memory_mib());
        let needed = memory + QEMU_MEMORY;
        if let Some(available) = MemoryInfo::available(&Roots::live()).filter(|available| *available < needed)
        {
            return Err(RehearsalError::TooLittleMemory { needed, available });
        }
        let kernel = setup::kernel(&request.work)?;
        setup::qemu()?;
        let work = WorkFolder::new(request.work);
        Ok(Self { derived, name: request.name, slowdown, limit: request.limit, work, kernel })
    }

    /// In what the emulated machine differs from the one that it stands for.
    pub fn notices(&self) -> &[Notice] {
        &self.derived.notices
    }

    /// Nodes, CPUs and memory of the emulated machine.
    pub fn size(&self) -> (usize, u32, Bytes) {
        let machine = &self.derived.machine;
        (self.derived.nodes.len(), machine.cpu_count(), Bytes::mib(machine.memory_mib()))
    }

    /// So many times longer takes memory than on the machine that it stands for.
    pub fn slowdown(&self) -> f64 {
        self.slowdown
    }

    /// How long it takes until the command begins, roughly: 2.6 s were measured with 4 CPUs, and 0.1 s for each that comes up.
    pub fn start(&self) -> Duration {
        Duration::from_secs_f64(2.5 + 0.1 * f64::from(self.derived.machine.cpu_count()))
    }

    /// Runs the command in a guest. The files it was to write come back when it has ended, also where it was told to end.
    ///
    /// # Errors
    /// What failed. No guest is left running.
    pub fn run(
        &self,
        command: &RehearsedCommand,
        show: &mut dyn FnMut(RehearsalEvent<'_>),
        stop: &AtomicBool,
    ) -> Result<EndedRehearsal, RehearsalError> {
        let runs = self.work.path().join("rehearsals");
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| RehearsalError::Folder { path, source }
        };
        std::fs::create_dir_all(&runs).map_err(failed(&runs))?;
        leftovers::remove(&runs);
        leftovers::remove(&self.work.path().join("runs"));
        let folder = tempfile::tempdir_in(&runs).map_err(failed(&runs))?;
        let alive = leftovers::claim(folder.path())?;
        std::fs::create_dir(folder.path().join(script::FILES)).map_err(failed(folder.path()))?;
        let _turn = self.turn(show, stop)?;
        let (run, out_of_time) = self.watched(command, folder.path(), show, stop);
        let run = run?;
        let ended = self.ended(command, folder.path(), &run, out_of_time);
        if matches!(ended, Err(RehearsalError::NotBroughtBack { .. })) {
            // It is all that there is of the rehearsal.
            leftovers::keep(folder.path());
            let _ = folder.keep();
        }
        drop(alive);
        ended
    }

    /// Guests disturb one another's timing: one at a time.
    fn turn(
        &self,
        show: &mut dyn FnMut(RehearsalEvent<'_>),
        stop: &AtomicBool,
    ) -> Result<File, RehearsalError> {
        let path = self.work.path().join("rehearsals.lock");
        let failed = |source| RehearsalError::Folder { path: path.clone(), source };
        let file = File::create(&path).map_err(failed)?;
        let mut is_said = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(std::fs::TryLockError::WouldBlock) => {}
                Err(std::fs::TryLockError::Error(source)) => return Err(failed(source)),
            }
            if stop.load(Ordering::Relaxed) {
                return Err(RehearsalError::Interrupted);
            }
            if !is_said {
                show(RehearsalEvent::Waits);
                is_said = true;
            }
            std::thread::sleep(POLL);
        }
    }

    /// The guest in a thread of its own, and what it prints.
    fn watched(
        &self,
        command: &RehearsedCommand,
        folder: &Path,
        show: &mut dyn FnMut(RehearsalEvent<'_>),
        stop: &AtomicBool,
    ) -> (Result<GuestRun, RehearsalError>, bool) {
        let ends = Arc::new(AtomicBool::new(false));
        let root = HostRoot {
            kernel: self.kernel.clone(),
            results: folder.to_path_buf(),
            told: self.told(),
            script: script::text(command),
        };
        let guest = Guest::new(&self.derived.machine, &self.work)
            .scale(self.slowdown)
            .root(root)
            .stopped_by(Arc::clone(&ends))
            .limit(self.limit + 4 * PATIENCE);
        let mut streams = [Tail::new(folder, script::OUT), Tail::new(folder, script::ERR)];
        std::thread::scope(|scope| {
            // It is bound to the life of its thread, which is waited for.
            let running = scope.spawn(|| guest.run(&HostRoot::commands()));
            let begun = Instant::now();
            let mut told: Option<(Instant, bool)> = None;
            while !running.is_finished() {
                print_new(&mut streams, show);
                let out_of_time = begun.elapsed() > self.limit;
                match told {
                    None if out_of_time || stop.load(Ordering::Relaxed) => {
                        // A full disk: then it is ended without.
                        let _ = std::fs::write(folder.join(script::STOP), "");
                        told = Some((Instant::now(), out_of_time));
                        show(RehearsalEvent::ToldToEnd { out_of_time });
                    }
                    Some((since, _)) if since.elapsed() > PATIENCE => ends.store(true, Ordering::Relaxed),
                    _ => {}
                }
                std::thread::sleep(POLL);
            }
            let run = running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            print_new(&mut streams, show);
            let out_of_time = told.is_some_and(|(_, out_of_time)| out_of_time);
            let run = run.map_err(|error| match (error, told) {
                (numawise_emulate::Error::Stopped, Some((_, false))) => RehearsalError::Interrupted,
                (numawise_emulate::Error::Stopped, _) => RehearsalError::TimeLimit { limit: self.limit },
                (error, _) => RehearsalError::Emulate(error),
            });
            (run, out_of_time)
        })
    }

    /// What numawise in the guest finds of where it is.
    fn told(&self) -> String {
        let differences = self.derived.notices.iter().filter_map(|notice| match notice {
            Notice::Emulation(notice) => Some(notice.clone()),
            _ => None,
        });
        let notice = MachineNotice::Rehearsed {
            machine: self.name.clone(),
            slowdown: self.slowdown,
            differences: differences.collect(),
            file: REHEARSAL.to_owned(),
        };
        serde_json::to_string(&notice).expect("a notice has no maps but with names")
    }

    fn ended(
        &self,
        command: &RehearsedCommand,
        folder: &Path,
        run: &GuestRun,
        out_of_time: bool,
    ) -> Result<EndedRehearsal, RehearsalError> {
        if let Some(failed) = run.iter().find(|of| of.status != 0) {
            let said = format!("{}\n{}", failed.stdout, failed.stderr).trim().to_owned();
            return Err(RehearsalError::NoRoot { status: failed.status, said });
        }
        let status = std::fs::read_to_string(folder.join(script::STATUS)).unwrap_or_default();
        let Ok(status) = status.trim().parse() else {
            return Err(RehearsalError::NoStatus { folder: folder.to_path_buf() });
        };
        let written = bring_back(command, folder)?;
        // The command is the last of the guest's.
        let truth = run.last().and_then(|of| of.truth.as_ref());
        Ok(EndedRehearsal {
            status,
            written,
            boot: run.boot,
            out_of_time,
            memory_share: truth.and_then(Truth::waiting_share),
            disturbed_share: truth.and_then(Truth::lost_share),
        })
    }
}

/// Files that the command wrote, from the folder of results to where they were meant to be: each is there whole, or not at all.
fn bring_back(command: &RehearsedCommand, folder: &Path) -> Result<Vec<PathBuf>, RehearsalError> {
    let mut written = Vec::new();
    for (k, path) in command.outputs.iter().enumerate() {
        let from = folder.join(script::FILES).join(k.to_string());
        let Ok(bytes) = std::fs::read(&from) else { continue };
        let to = command.directory.join(path);
        replace::write(&to, &bytes).map_err(|source| RehearsalError::NotBroughtBack {
            path: to.clone(),
            kept: from.clone(),
            source,
        })?;
        written.push(path.clone());
    }
    Ok(written)
}

fn print_new(streams: &mut [Tail; 2], show: &mut dyn FnMut(RehearsalEvent<'_>)) {
    for (stream, kind) in streams.iter_mut().zip([GuestStream::Out, GuestStream::Err]) {
        let new = stream.new_bytes();
        if !new.is_empty() {
            show(RehearsalEvent::Printed(kind, &new));
        }
    }
}

/// A file that grows.
struct Tail {
    path: PathBuf,
    at: u64,
}

impl Tail {
    fn new(folder: &Path, name: &str) -> Self {
        Tail { path: folder.join(name), at: 0 }
    }

    /// What has come since the last time; nothing where it cannot be read now.
    fn new_bytes(&mut self) -> Vec<u8> {
        let mut new = Vec::new();
        if let Ok(mut file) = File::open(&self.path)
            && file.seek(SeekFrom::Start(self.at)).is_ok()
            && file.read_to_end(&mut new).is_ok()
        {
            self.at += new.len() as u64;
        }
        new
    }
}

/// The machine that stands for the one that is asked for.
pub(crate) fn emulated(request: &RehearsalRequest) -> Result<DerivedMachine, RehearsalError> {
    if let Some(found) = request.slowdown.filter(|of| !(of.is_finite() && *of > 0.0)) {
        return Err(RehearsalError::Slowdown { found });
    }
    if let Some(node) = request.figures.stranger(&request.machine) {
        let nodes = request.machine.nodes.iter().map(|node| node.id).collect();
        return Err(RehearsalError::NoSuchNode { node, nodes });
    }
    let mut machine = request.machine.clone();
    if let Some((file, profile)) = &request.profile {
        machine = with_profile(machine, file, profile)?;
    }
    let (full, mut notices) = figures::with_figures(machine, &request.figures);
    let (found, most) = (reduce::cpu_count(&full), reduce::MOST_CPUS);
    let reduced = match request.cores_per_node {
        Some(0) => return Err(RehearsalError::NoCores),
        Some(cores) => reduce::with_overlapping_misses(&full, reduce::with_cores_per_node(&full, cores)),
        None => full.clone(),
    };
    if reduce::cpu_count(&reduced) > most {
        let cores = reduce::most_cores_per_node(&full, most);
        return Err(RehearsalError::TooManyCpus { found: reduce::cpu_count(&reduced), most, cores });
    }
    let of_core = request.profile.as_ref().and_then(|(_, profile)| numawise_emulate::core_bandwidth(profile));
    let core_bandwidth = of_core.map(|rate| reduce::core_bandwidth(&full, &reduced, rate));
    let emulated = reduce::cpu_count(&reduced);
    if let Some(per_node) = request.cores_per_node.filter(|_| emulated < found) {
        notices.push(EmulationNotice::CoresLeftOut { per_node, real: found, emulated }.into());
    }
    let with_memory = reduced.nodes.iter().filter(|node| !node.has_no_memory()).count() as u64;
    let least = Bytes(NODE_MEMORY.0 * with_memory);
    let memory = request.memory.unwrap_or(USUAL_MEMORY.max(least));
    if memory < least {
        return Err(RehearsalError::MemoryLimitTooSmall { found: memory, least });
    }
    let scale = request.slowdown.unwrap_or_else(|| usual_slowdown(&reduced));
    let mut derived = derive(&request.name, &reduced, &EmulationRequest { memory, scale, core_bandwidth })?;
    derived.notices.splice(0..0, notices);
    Ok(derived)
}

/// The emulation of a program's computing must weigh little beside its memory, however fast that is: the fastest node gives 40 MB/s.
fn usual_slowdown(machine: &Machine) -> f64 {
    let rates = machine.attributes.iter().filter(|of| of.origin == AttributeOrigin::Measured);
    let fastest = rates.filter_map(|of| of.figure.bandwidth()).map(|rate| rate.median.0).fold(0.0, f64::max);
    (fastest / EMULATED_RATE.0).round().max(LEAST_SLOWDOWN)
}

/// What a profile has of the machine; it must have all pairs of nodes, and no nodes that the machine lacks.
fn with_profile(machine: Machine, file: &str, profile: &Profile) -> Result<Machine, RehearsalError> {
    let nodes = |machine: &Machine| machine.nodes.iter().map(|node| node.id).collect();
    let misfit = |from, to| RehearsalError::ProfileDoesNotFit {
        file: file.to_owned(),
        of: profile.header.nodes.iter().map(|node| node.id).collect(),
        nodes: nodes(&machine),
        missing: (from, to),
    };
    if let Some(stranger) = profile.header.nodes.iter().find(|node| machine.node(node.id).is_none()) {
        return Err(misfit(None, Some(stranger.id)));
    }
    let measured = numawise_machine::with_measured(machine.clone(), profile);
    for from in measured.nodes.iter().filter(|node| !node.cpus.is_empty()) {
        for to in measured.nodes.iter().filter(|node| !node.has_no_memory()) {
            let is_there = measured.measured_latency(from.id, to.id).is_some()
                && measured.measured_bandwidth(from.id, to.id).is_some();
            if !is_there {
                return Err(misfit(Some(from.id), Some(to.id)));
            }
        }
    }
    Ok(measured)
}
