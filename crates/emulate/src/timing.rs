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
use std::path::Path;

const LINE_BYTES: u32 = 64;

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
mod tests {
    use super::description;
    use crate::Error;
    use std::path::Path;

    #[test]
    fn the_description_has_all_that_the_plugin_needs() {
        let machine = crate::test_machine("hbm");
        let text = description(&machine, Some(500.0), Path::new("/run/truth.txt")).unwrap();
        let expected = "numa-timing 1\nscale 500\ncore 12\ncache 512 8\ncpu 0 0\ncpu 1 0\ncpu 2 1\ncpu 3 1\n\
        node 0 14\nnode 1 14\nnode 2 60\nnode 3 60\n\
        range 0 0 30000000\nrange 1 60000000 90000000\nrange 2 c0000000 d0000000\nrange 3 e0000000 f0000000\n\
        path 0 0 80 0\npath 0 1 160 8\npath 0 2 120 0\npath 0 3 180 8\n\
        path 1 0 160 8\npath 1 1 80 0\npath 1 2 180 8\npath 1 3 120 0\n\
        truth /run/truth.txt\nend\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn without_another_scale_that_of_the_file_is_used() {
        let text = description(&crate::test_machine("two-socket"), None, Path::new("t")).unwrap();
        assert!(text.contains("\nscale 1000\n"), "{text}");
    }

    #[test]
    fn a_machine_without_timing_is_refused() {
        let machine = crate::test_machine("eight-nodes");
        let error = description(&machine, None, Path::new("t")).unwrap_err();
        assert!(matches!(&error, Error::NoTiming(name) if name == "eight-nodes"), "{error}");
    }
}
