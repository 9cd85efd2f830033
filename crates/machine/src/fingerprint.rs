//! What tells this machine from another, and one state of it from another: under it measurements are kept and found again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::File;
use std::io::Read;

use numawise_facts::{Fingerprint, Machine, Reading, Source};
use numawise_units::{Arrange, Bytes, CpuId, CpuSet};

use crate::Roots;
use crate::files::CPUS;

#[cfg(test)]
#[path = "fingerprint_tests.rs"]
mod tests;

const CPUINFO: &str = "/proc/cpuinfo";
const RELEASE: &str = "/proc/sys/kernel/osrelease";
const DMI: &str = "/sys/class/dmi/id";

/// What tells `machine`, which is the one below `roots`, from others.
///
/// The topology is a number over the nodes (their CPUs online, and whether they have memory), the packages, the cores, the
/// caches of the first CPU of every package, and the processor's name. Both readers give the same. It does not change with what
/// this process may use, with how much memory there is or is free (virtual machines get and give memory while they run), or
/// with what is known of kinds and distances of memory; it does change when a CPU goes offline or a node comes or goes,
/// since then other figures would be measured.
pub fn fingerprint(roots: &Roots, machine: &Machine) -> Fingerprint {
    if machine.source != Source::Live {
        let reason = "the machine was not read where it runs, but from a description";
        return Fingerprint {
            topology: Reading::unavailable(reason),
            processor: Reading::unavailable(reason),
            kernel: Reading::unavailable(reason),
            firmware: Reading::unavailable(reason),
        };
    }
    let processor = processor(roots);
    let text = topology(roots, machine, processor.measured().map_or("", String::as_str));
    Fingerprint {
        topology: Reading::Measured(format!("{:016x}", fnv(text.as_bytes()))),
        processor,
        kernel: line(roots, RELEASE)
            .map_or_else(|| Reading::unavailable(format!("{RELEASE} cannot be read")), Reading::Measured),
        firmware: firmware(roots),
    }
}

/// The topology as a text in which nothing depends on the order in which the machine was read.
fn topology(roots: &Roots, machine: &Machine, processor: &str) -> String {
    let mut text = format!("processor {processor}\n");
    let nodes: BTreeMap<_, _> = machine.nodes.iter().map(|node| (node.id, node)).collect();
    for (id, node) in nodes {
        let memory = match node.memory.measured() {
            Some(Bytes(0)) => "without memory",
            _ => "with memory",
        };
        // A text in memory takes everything.
        let _ = writeln!(text, "node {id} cpus {} {memory}", node.cpus);
    }
    let mut packages: Vec<&CpuSet> = machine.packages.iter().map(|package| &package.cpus).collect();
    packages.arrange_by_key(|cpus| cpus.first());
    for cpus in &packages {
        let _ = writeln!(text, "package {cpus}");
    }
    let mut cores: BTreeMap<u32, CpuSet> = BTreeMap::new();
    for cpu in &machine.cpus {
        cores.entry(cpu.core).or_default().insert(cpu.id);
    }
    let mut cores: Vec<CpuSet> = cores.into_values().collect();
    cores.arrange_by_key(CpuSet::first);
    for cpus in cores {
        let _ = writeln!(text, "core {cpus}");
    }
    let firsts: Vec<CpuId> = if packages.is_empty() {
        machine.online().first().into_iter().collect()
    } else {
        packages.iter().filter_map(|cpus| cpus.first()).collect()
    };
    for cpu in firsts {
        for cache in caches(roots, cpu) {
            let _ = writeln!(text, "cache of {cpu}: {cache}");
        }
    }
    text
}

/// The caches of one CPU from the kernel's files, since the quick reader leaves them out of the machine.
fn caches(roots: &Roots, cpu: CpuId) -> BTreeSet<String> {
    let of = |index: u32| {
        let field = |name: &str| line(roots, &format!("{CPUS}/cpu{cpu}/cache/index{index}/{name}"));
        let level = field("level")?;
        let told = |name| field(name).unwrap_or_default();
        Some(format!("L{level} {} {} shared by {}", told("type"), told("size"), told("shared_cpu_list")))
    };
    (0..).map_while(of).collect()
}

/// The names of the processors: x86, LoongArch and POWER have one in words, Arm has numbers.
fn processor(roots: &Roots) -> Reading<String> {
    // On x86 the file says the same again for every CPU, and is slow to read whole on large machines.
    let beginning = File::open(roots.path(CPUINFO)).and_then(|file| {
        let mut text = Vec::new();
        file.take(8 << 10).read_to_end(&mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    });
    let beginning = match beginning {
        Ok(text) => text,
        Err(error) => return Reading::unavailable(format!("{CPUINFO} cannot be read: {error}")),
    };
    if let Some(name) = fields(&beginning, "model name").next() {
        return Reading::Measured(name.to_owned());
    }
    let whole = roots.try_text(CPUINFO).unwrap_or_default();
    for name in ["Model Name", "cpu", "uarch"] {
        let names: BTreeSet<&str> = fields(&whole, name).collect();
        if !names.is_empty() {
            return Reading::Measured(names.into_iter().collect::<Vec<_>>().join(" + "));
        }
    }
    let implementers = fields(&whole, "CPU implementer");
    let parts = fields(&whole, "CPU part");
    let kinds: BTreeSet<String> = implementers
        .zip(parts)
        .map(|(implementer, part)| format!("Arm implementer {implementer} part {part}"))
        .collect();
    if kinds.is_empty() {
        Reading::unavailable(format!("{CPUINFO} names no processor"))
    } else {
        Reading::Measured(kinds.into_iter().collect::<Vec<_>>().join(" + "))
    }
}

/// The values of the lines `name : value`.
fn fields<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name && !value.trim().is_empty()).then_some(value.trim())
    })
}

/// Vendor, version and date, as many of them as the kernel has.
fn firmware(roots: &Roots) -> Reading<String> {
    let parts = ["bios_vendor", "bios_version", "bios_date"];
    let parts: Vec<String> = parts.iter().filter_map(|name| line(roots, &format!("{DMI}/{name}"))).collect();
    if !parts.is_empty() {
        return Reading::Measured(parts.join(" "));
    }
    Reading::unavailable(if roots.path(DMI).exists() {
        format!("the firmware leaves bios_vendor, bios_version and bios_date empty below {DMI}")
    } else {
        format!("the kernel has no {DMI} (a machine without DMI tables, or a container that hides them)")
    })
}

/// The one line of a file that need not be there; none where it is empty.
fn line(roots: &Roots, path: &str) -> Option<String> {
    let text = roots.try_text(path)?;
    let line = text.trim();
    (!line.is_empty()).then(|| crate::files::shortened(line))
}

/// FNV-1a with 64 bits, as its authors give it: a name, not a secret, and the same for ever on every machine.
fn fnv(bytes: &[u8]) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(BASIS, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}
