//! The machine's timing as the plain text that the plugin reads: no TOML in C.
//!
//! ```text
//! numa-timing 1
//! scale S | core GBPS | cache SETS WAYS     once each; `scale` first, `cache` before the first `cpu`
//! cpu CPU NODE                              in order
//! node NODE GBPS
//! range NODE FIRST END                      hexadecimal, as the plugin interface reports addresses; after its node
//! path FROM TO LATENCY_NS LINK_GBPS         link 0: none in the way
//! truth FILE
//! end
//! ```

use crate::layout::as_plugin_sees;
use crate::{EmulatedMachine, Error};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const LINE_BYTES: u32 = 64;

/// QEMU's plugin that lets memory accesses take their time, as `build.rs` compiled it.
const PLUGIN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/numa_timing.so"));
/// Names another one, to compare them.
const OTHER_PLUGIN: &str = "TESTBED_PLUGIN";

/// The plugin as a file, there.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn plugin(file: &Path) -> Result<PathBuf, Error> {
    if let Some(other) = std::env::var_os(OTHER_PLUGIN) {
        return Ok(other.into());
    }
    std::fs::write(file, PLUGIN).map_err(Error::write(file))?;
    Ok(file.to_owned())
}

/// The text for the plugin.
///
/// # Errors
/// When the machine's file describes no timing.
pub(crate) fn description(
    machine: &EmulatedMachine,
    scale: Option<f64>,
    truth: &Path,
) -> Result<String, Error> {
    let timing =
        machine.description().timing.as_ref().ok_or_else(|| Error::NoTiming(machine.name().to_owned()))?;
    let mut text = String::from("numa-timing 1\n");
    let mut line = |arguments: std::fmt::Arguments<'_>| {
        text.write_fmt(arguments).and_then(|()| text.write_char('\n')).expect("a String takes any text");
    };
    line(format_args!("scale {}", scale.unwrap_or(timing.scale)));
    line(format_args!("core {}", timing.core_gbps));
    let sets = timing.cache_kib * 1024 / (LINE_BYTES * timing.cache_ways);
    line(format_args!("cache {sets} {}", timing.cache_ways));
    for cpu in 0..machine.cpu_count() {
        let node = machine.node_of_cpu(cpu).expect("a checked machine has a node for each CPU");
        line(format_args!("cpu {cpu} {node}"));
    }
    for (id, entry) in timing.node.iter().enumerate() {
        line(format_args!("node {id} {}", entry.gbps));
    }
    for piece in as_plugin_sees(machine) {
        line(format_args!("range {} {:x} {:x}", piece.node, piece.addresses.start, piece.addresses.end));
    }
    for (from, entry) in timing.node.iter().enumerate() {
        for (to, (latency, link)) in entry.latency_ns.iter().zip(&entry.link_gbps).enumerate() {
            line(format_args!("path {from} {to} {latency} {link}"));
        }
    }
    line(format_args!("truth {}", truth.display()));
    line(format_args!("end"));
    Ok(text)
}

#[cfg(test)]
#[path = "timing_tests.rs"]
mod tests;
