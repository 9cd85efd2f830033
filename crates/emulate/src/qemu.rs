//! QEMU's command line for a machine. TCG only: with hardware help the plugin could not see accesses, and nested
//! virtualisation hangs on some hosts.

use crate::{EmulatedMachine, Error, WorkFolder, clock};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

const ADVICE: &str = "Install qemu-system-x86 (7.2), or name the program in TESTBED_QEMU";

/// Files that QEMU reads and writes for one guest.
pub(crate) struct Files<'a> {
    pub kernel: &'a Path,
    pub initramfs: &'a Path,
    pub console: &'a Path,
    pub results: &'a Path,
    /// The plugin and its description of the machine, for a guest with timing.
    pub plugin: Option<(&'a Path, &'a Path)>,
}

/// The QEMU to use.
pub fn program() -> OsString {
    std::env::var_os("TESTBED_QEMU").unwrap_or_else(|| "qemu-system-x86_64".into())
}

/// What a failure to start QEMU is reported as.
pub(crate) fn not_started(source: std::io::Error) -> Error {
    Error::Start { program: program().to_string_lossy().into_owned(), source, advice: ADVICE }
}

/// QEMU's version, such as `7.2.22`.
///
/// # Errors
/// When it cannot be started.
pub fn version() -> Result<String, Error> {
    let output = Command::new(program()).arg("--version").output().map_err(not_started)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.split_whitespace().nth(3).unwrap_or("of unknown version").to_owned())
}

/// QEMU and the kernel are here (it is downloaded on the first call). That busybox is missing is for
/// [`crate::Guest::run`] to say: a host that has QEMU is meant to run guests.
///
/// # Errors
/// What is missing.
pub fn readiness(work: &WorkFolder) -> Result<(), Error> {
    version()?;
    work.kernel().map(drop)
}

/// All arguments.
pub(crate) fn arguments(machine: &EmulatedMachine, files: &Files<'_>) -> Vec<String> {
    let hmat = if machine.description().hmat.is_empty() { "off" } else { "on" };
    let mut all: Vec<String> = Vec::new();
    let mut add = |words: &[&str]| all.extend(words.iter().map(|&word| word.to_owned()));
    add(&["-accel", "tcg,thread=multi", "-cpu", "max", "-nodefaults", "-display", "none", "-no-reboot"]);
    add(&["-machine", &format!("q35,hmat={hmat},sata=off,smbus=off,hpet=off,vmport=off")]);
    add(&["-serial", &format!("file:{}", files.console.display())]);
    add(&["-serial", &format!("file:{}", files.results.display())]);
    add(&["-kernel", &files.kernel.display().to_string(), "-initrd", &files.initramfs.display().to_string()]);
    add(&["-append", &kernel_command_line(machine, files.plugin.is_some())]);
    if let Some((plugin, description)) = files.plugin {
        add(&["-plugin", &format!("{},machine={}", comma_safe(plugin), comma_safe(description))]);
    }
    all.extend(topology(machine));
    all
}

/// In QEMU's comma-separated options a comma that is meant is written twice.
pub(crate) fn comma_safe(path: &Path) -> String {
    path.display().to_string().replace(',', ",,")
}

fn kernel_command_line(machine: &EmulatedMachine, timed: bool) -> String {
    // The time-stamp counter is the host's real time: calibrating it and switching to slower clocks is waste, and goes wrong where the
    // host is busy (`clock`). The guest trusts its programs: no mitigations.
    let mut words = vec!["console=ttyS0", "quiet", "panic=-1", "tsc=reliable", "clocksource=tsc"];
    let rate = clock::tsc_khz().map(|khz| format!("tsc_early_khz={khz}"));
    words.extend(rate.as_deref());
    words.extend([
        "mitigations=off",
        "nokaslr",
        "nmi_watchdog=0",
        "no_timer_check",
        "lpj=4000000",
        "random.trust_cpu=on",
    ]);
    // One boot in 13 with the plugin and all CPUs from the start died of a breakpoint that the kernel sets for a moment
    // while it changes its own code. It fits a race in QEMU 7.2, inferred, not proven: code is translated without a lock
    // on its page, so a translation can outlive the change. The kernel changes its code mostly while it starts: so it
    // starts on one CPU, and init brings up the others when that is over.
    words.extend(["maxcpus=1", "rdinit=/init"]);
    if timed {
        // In stretched time a run is too short for it, as some milliseconds would be on the real machine.
        words.push("numa_balancing=disable");
    }
    words.extend(machine.description().kernel_command_line.iter().map(String::as_str));
    words.join(" ")
}

/// CPUs, memory, nodes, distances, HMAT.
fn topology(machine: &EmulatedMachine) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut add = |option: &str, value: String| all.extend([option.to_owned(), value]);
    let cpus = machine.cpu_count();
    add("-smp", format!("{cpus},{}", sockets(machine)));
    add("-m", format!("{}M", machine.memory_mib()));
    for (id, node) in machine.nodes() {
        let mut value = format!("node,nodeid={id}");
        for cpu in &node.cpus {
            value += &format!(",cpus={cpu}");
        }
        if node.memory_mib > 0 {
            add("-object", format!("memory-backend-ram,id=m{id},size={}M", node.memory_mib));
            value += &format!(",memdev=m{id}");
        }
        let own = (!machine.description().hmat.is_empty()).then_some(id);
        if let Some(initiator) = node.initiator.or(own) {
            value += &format!(",initiator={initiator}");
        }
        add("-numa", value);
    }
    for (from, row) in machine.description().distances.iter().enumerate() {
        for (to, distance) in row.iter().enumerate() {
            add("-numa", format!("dist,src={from},dst={to},val={distance}"));
        }
    }
    for row in &machine.description().hmat {
        for (target, (latency, bandwidth)) in row.latency_ns.iter().zip(&row.bandwidth_mib_s).enumerate() {
            if *latency == 0 {
                continue; // a node without memory
            }
            let entry = |kind: &str, value: String| {
                let from = row.initiator;
                format!(
                    "hmat-lb,initiator={from},target={target},hierarchy=memory,data-type=access-{kind},{value}"
                )
            };
            add("-numa", entry("latency", format!("latency={latency}")));
            add("-numa", entry("bandwidth", format!("bandwidth={bandwidth}M")));
        }
    }
    all
}

/// One socket for each node with CPUs if they are equally large, as on real machines; else one for each CPU.
fn sockets(machine: &EmulatedMachine) -> String {
    let sizes: Vec<usize> =
        machine.nodes().map(|(_, node)| node.cpus.len()).filter(|&count| count > 0).collect();
    if sizes.iter().all(|&size| size == sizes[0]) {
        format!("sockets={},cores={}", sizes.len(), sizes[0])
    } else {
        format!("sockets={},cores=1", machine.cpu_count())
    }
}

#[cfg(test)]
#[path = "qemu_tests.rs"]
mod tests;
