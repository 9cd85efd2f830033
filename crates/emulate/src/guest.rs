//! A guest to be: what goes into it, what runs in it, what comes back.

use crate::initramfs::Archive;
use crate::libraries::which;
use crate::run::{self, CommandResult, GuestRun, Outputs, Watch};
use crate::{
    EmulatedMachine, Error, HostRoot, Mpi, WorkFolder, leftovers, libraries, mark, mpi, qemu, timing, truth,
};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The programs opened by numawise while it runs; put into each guest when the host has them.
const OPENED_LIBRARIES: [&str; 1] = ["libhwloc.so.15"];
/// Against guests that hang: a busy host may take ten times as long as an idle one.
const DEFAULT_LIMIT: Duration = Duration::from_secs(600);
const INIT: &str = include_str!("../guest/init.sh");

/// Describes a guest; [`Guest::run`] boots it, runs commands and powers it off. Each run is a fresh boot.
#[derive(Debug, Clone)]
pub struct Guest<'a> {
    machine: &'a EmulatedMachine,
    work: &'a WorkFolder,
    timing: bool,
    scale: Option<f64>,
    files: Vec<(PathBuf, Option<String>)>,
    contents: Vec<(String, Vec<u8>)>,
    tools: Vec<String>,
    mpis: Vec<Mpi>,
    environment: Vec<(String, String)>,
    collect: Vec<(String, PathBuf)>,
    limit: Duration,
    live: bool,
    root: Option<HostRoot>,
    stop: Option<Arc<AtomicBool>>,
}

impl<'a> Guest<'a> {
    /// A guest with busybox and nothing else; `work` keeps what is built and downloaded.
    #[must_use]
    pub fn new(machine: &'a EmulatedMachine, work: &'a WorkFolder) -> Self {
        Self {
            machine,
            work,
            timing: false,
            scale: None,
            files: Vec::new(),
            contents: Vec::new(),
            tools: Vec::new(),
            mpis: Vec::new(),
            environment: Vec::new(),
            collect: Vec::new(),
            limit: DEFAULT_LIMIT,
            live: false,
            root: None,
            stop: None,
        }
    }

    /// Whether memory accesses take the time that the machine file says, stretched by its scale.
    #[must_use]
    pub fn timing(mut self, on: bool) -> Self {
        self.timing = on;
        self
    }

    /// MachineTiming with another scale than the machine file's.
    #[must_use]
    pub fn scale(mut self, scale: f64) -> Self {
        self.timing = true;
        self.scale = Some(scale);
        self
    }

    /// Copies a file of the host into the guest, with the shared libraries it needs: programs to `/bin/NAME`, all
    /// else to `/root/NAME`, where commands start.
    #[must_use]
    pub fn file(mut self, host: impl Into<PathBuf>) -> Self {
        self.files.push((host.into(), None));
        self
    }

    /// As [`Guest::file`], to a path of your choice.
    #[must_use]
    pub fn file_at(mut self, host: impl Into<PathBuf>, guest: impl Into<String>) -> Self {
        self.files.push((host.into(), Some(guest.into())));
        self
    }

    /// Writes a file into the guest.
    #[must_use]
    pub fn content(mut self, guest: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.contents.push((guest.into(), bytes.into()));
        self
    }

    /// Copies a program from the host's PATH, such as `numactl`, to the same path in the guest.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.tools.push(name.into());
        self
    }

    /// Puts the launcher of an MPI into the guest: one host, no ssh, ranks that need no MPI library.
    #[must_use]
    pub fn mpi(mut self, mpi: Mpi) -> Self {
        self.mpis.push(mpi);
        self
    }

    /// Sets an environment variable for all commands.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Brings a file back after the last command. The line is slow, some 450 kB/s.
    #[must_use]
    pub fn collect(mut self, guest: impl Into<String>, host: impl Into<PathBuf>) -> Self {
        self.collect.push((guest.into(), host.into()));
        self
    }

    /// How long the guest may take, boot included; else 10 minutes. Waiting for other guests does not count.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Shows on standard error what the commands print, as they print it. Each command takes 2 s longer.
    #[must_use]
    pub fn live(mut self, on: bool) -> Self {
        self.live = on;
        self
    }

    /// Lets commands see the host's files: see [`HostRoot::commands`].
    #[must_use]
    pub fn root(mut self, root: HostRoot) -> Self {
        self.root = Some(root);
        self
    }

    /// A flag that ends the guest when it is raised.
    #[must_use]
    pub fn stopped_by(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Boots, runs each command in a shell of its own (in `/root`, one after the other, failed or not), powers off.
    ///
    /// # Errors
    /// When the guest cannot be built or started, or ends or is stopped before all is done. A command that fails is
    /// not an error: its status is in the result.
    pub fn run(&self, commands: &[impl AsRef<str>]) -> Result<GuestRun, Error> {
        let commands: Vec<String> = commands.iter().map(|command| command.as_ref().to_owned()).collect();
        let kernel =
            self.root.as_ref().map_or_else(|| self.work.kernel(), |root| Ok(root.kernel.image.clone()))?;
        let runs = self.work.path().join("runs");
        std::fs::create_dir_all(&runs).map_err(Error::write(&runs))?;
        let mut folder = tempfile::tempdir_in(&runs).map_err(Error::write(&runs))?;
        folder.disable_cleanup(std::env::var_os("TESTBED_KEEP").is_some());
        let _alive = leftovers::claim(folder.path())?;
        let at = |name: &str| folder.path().join(name);
        let (initramfs, description, counts) = (at("initramfs.cpio"), at("timing.txt"), at("truth.txt"));
        let (console, results, messages) = (at("console.log"), at("results.bin"), at("qemu.log"));

        let plugin = if self.timing {
            self.prepare_timing(&description, &counts)?;
            Some(timing::plugin(&at("numa_timing.so"))?)
        } else {
            None
        };
        std::fs::write(&initramfs, self.archive(&commands)?.bytes()).map_err(Error::write(&initramfs))?;
        let files = qemu::Files {
            kernel: &kernel,
            initramfs: &initramfs,
            console: &console,
            results: &results,
            plugin: plugin.as_deref().map(|plugin| (plugin, description.as_path())),
        };
        let outputs = Outputs { console: &console, results: &results, messages: &messages };
        let alone = self.work.lock("guests", self.timing)?;
        let mut arguments = qemu::arguments(self.machine, &files);
        arguments.extend(self.root.iter().flat_map(HostRoot::arguments));
        let watch = Watch {
            limit: self.limit,
            files: self.collect.len(),
            live: self.live,
            stop: self.stop.as_deref(),
        };
        let program = qemu::program();
        let once = || run::run(&program, &arguments, &outputs, &watch, &commands);
        let ((frames, wall), boots) = run::until_it_stays(once)?;
        drop(alone);

        for ((guest, host), contents) in self.collect.iter().zip(frames.files) {
            let contents = contents.ok_or_else(|| Error::NotInGuest { path: guest.clone() })?;
            std::fs::write(host, contents).map_err(Error::write(host))?;
        }
        let truths = if self.timing { truth::read(&run::text(&counts)?)? } else { Vec::new() };
        let lossy = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let results = commands.into_iter().zip(frames.commands).enumerate().map(|(k, (command, ended))| {
            let (stdout, stderr) = (lossy(ended.stdout), lossy(ended.stderr));
            // The guest marks the begin and the end of each command: what lies between is every other interval.
            let truth = truths.get(2 * k).cloned();
            CommandResult { command, status: ended.status, stdout, stderr, seconds: ended.seconds, truth }
        });
        let results = results.collect();
        let boot = Duration::from_secs_f64(frames.boot.unwrap_or_default().max(0.0));
        Ok(GuestRun { results, console: run::text(&console)?, boot, boots, wall })
    }

    /// Writes what the plugin reads.
    fn prepare_timing(&self, description: &Path, counts: &Path) -> Result<(), Error> {
        let found = qemu::version()?;
        if !found.starts_with("7.2") {
            return Err(Error::WrongQemu { found });
        }
        let text = timing::description(self.machine, self.scale, counts)?;
        std::fs::write(description, text).map_err(Error::write(description))
    }

    fn archive(&self, commands: &[String]) -> Result<Archive, Error> {
        let mut archive = Archive::default();
        let busybox = which("busybox").ok_or_else(|| Error::NoTool("busybox".to_owned()))?;
        copy(&mut archive, &busybox, "testbed/busybox")?;
        for link in ["bin/busybox", "bin/sh", "usr/bin/env"] {
            archive.link(link, "/testbed/busybox");
        }
        archive.file("init", INIT);
        if self.live {
            archive.file("testbed/live", "");
        }
        archive.directory("testbed/commands");
        for (k, command) in commands.iter().enumerate() {
            archive.file(format!("testbed/commands/{k}"), command.as_str());
        }
        let lines = |lines: Vec<String>| lines.into_iter().map(|line| line + "\n").collect::<String>();
        let of_mpis = self.mpis.iter().flat_map(|mpi| mpi::environment(*mpi)).map(|(n, v)| (*n, *v));
        let given = self.environment.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let exports = of_mpis.chain(given).map(|(name, value)| format!("export {name}={}", quoted(value)));
        archive.file("testbed/env", lines(exports.collect()));
        archive.file("testbed/collect", lines(self.collect.iter().map(|(guest, _)| guest.clone()).collect()));
        if self.timing {
            archive.file("testbed/mark", mark::program());
        }
        for library in OPENED_LIBRARIES.iter().filter_map(|name| libraries::find(name)) {
            copy(&mut archive, &library, &library)?;
        }
        for tool in &self.tools {
            let path = which(tool).ok_or_else(|| Error::NoTool(tool.clone()))?;
            copy(&mut archive, &path, &path)?;
        }
        for mpi in &self.mpis {
            for file in mpi::files(*mpi)? {
                copy(&mut archive, &file, &file)?;
            }
        }
        for (host, guest) in &self.files {
            let guest = match guest {
                Some(path) => PathBuf::from(path),
                None => default_place(host)?,
            };
            copy(&mut archive, host, guest)?;
        }
        if let Some(root) = &self.root {
            root.add_to(&mut archive)?;
        }
        for (guest, bytes) in &self.contents {
            archive.file(guest, bytes.as_slice());
        }
        Ok(archive)
    }
}

/// `/bin/NAME` for programs, `/root/NAME` for data.
fn default_place(host: &Path) -> Result<PathBuf, Error> {
    let mode = std::fs::metadata(host).map_err(Error::read(host))?.permissions().mode();
    let folder = if mode & 0o111 != 0 { "/bin" } else { "/root" };
    Ok(Path::new(folder).join(host.file_name().unwrap_or(OsStr::new("file"))))
}

/// Adds a file and the libraries it needs, these under their own paths.
fn copy(archive: &mut Archive, host: &Path, guest: impl AsRef<Path>) -> Result<(), Error> {
    let bytes = std::fs::read(host).map_err(Error::read(host))?;
    if bytes.starts_with(b"\x7fELF") {
        for library in libraries::of(host)? {
            archive.file(&library, std::fs::read(&library).map_err(Error::read(&library))?);
        }
    }
    archive.file(guest, bytes);
    Ok(())
}

/// As one word for a shell.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}

#[cfg(test)]
#[path = "guest_tests.rs"]
mod tests;
