//! Measured figures written into hwloc's XML as memory attributes.
//!
//! hwloc's documentation has nanoseconds and MiB/s. Its own figures come from the firmware through the kernel, which counts
//! in 10^6 bytes per second, and hwloc passes these on as they are; so a note among the machine's infos says which attributes
//! are measured ones, by which our reader knows their unit and their origin.

use std::fmt::Write;
use std::ops::Range;

use numawise_facts::{Attribute, Figure};
use numawise_units::Arrange;
use roxmltree::{Document, Node as Element, ParsingOptions};

use super::attributes::{MIB, NAMES, NOTE};
use super::bitmap;
use super::objects::Objects;
use crate::error::XmlError;

/// `text`, as hwloc wrote it, with `figures` in the place of all that it had of the same attributes. The ends of other
/// attributes stay.
pub(crate) fn with_figures(text: &str, figures: &[Attribute]) -> Result<String, XmlError> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)?;
    let topology = document.root_element();
    let objects = Objects::read(topology)?;
    let written: Vec<&str> = NAMES
        .iter()
        .filter(|(_, kind)| figures.iter().any(|figure| figure.kind() == *kind))
        .map(|(name, _)| *name)
        .collect();
    let machine =
        topology.children().find(|child| child.has_tag_name("object")).ok_or(XmlError::Lacks("objects"))?;
    let first = machine.first_element_child().ok_or(XmlError::EmptyMachine)?;
    let mut edits: Vec<(Range<usize>, String)> = vec![
        (at(first.range().start), format!("<info name=\"{NOTE}\" value=\"{}\"/>\n    ", written.join(","))),
        (at(machine.range().end), format!("\n{}", elements(figures, &objects)?)),
    ];
    let replaced = |child: &Element<'_, '_>| match child.tag_name().name() {
        "memattr" => child.attribute("name").is_some_and(|name| written.contains(&name)),
        "info" => child.attribute("name") == Some(NOTE),
        _ => false,
    };
    let old = topology.children().chain(machine.children()).filter(replaced);
    edits.extend(old.map(|element| (element.range(), String::new())));
    // From the end, so that the places before stay where they are.
    edits.arrange_by_key(|(range, _)| std::cmp::Reverse((range.start, range.end)));
    let mut edited = text.to_owned();
    for (range, new) in edits {
        edited.replace_range(range, &new);
    }
    Ok(edited)
}

fn at(place: usize) -> Range<usize> {
    place..place
}

fn elements(figures: &[Attribute], objects: &Objects<'_, '_>) -> Result<String, XmlError> {
    let mut text = String::new();
    for (name, kind) in NAMES {
        let mut of_kind = figures.iter().filter(|figure| figure.kind() == kind).peekable();
        if of_kind.peek().is_none() {
            continue;
        }
        // HWLOC_MEMATTR_FLAG_NEED_INITIATOR with HIGHER_FIRST or LOWER_FIRST, as hwloc defines these attributes.
        let flags = if kind.is_bandwidth() { 5 } else { 6 };
        let _ = writeln!(text, "  <memattr name=\"{name}\" flags=\"{flags}\">");
        for figure in of_kind {
            let number = objects.node_numbers.iter().find(|(_, node)| **node == figure.target);
            let (number, _) = number.ok_or(XmlError::NoNode(figure.target))?;
            let _ = writeln!(
                text,
                "    <memattr_value target_obj_type=\"NUMANode\" target_obj_gp_index=\"{number}\" value=\"{}\" \
                 initiator_cpuset=\"{}\"/>",
                in_units_of_hwloc(&figure.figure),
                bitmap::written(&figure.initiator)
            );
        }
        text.push_str("  </memattr>\n");
    }
    Ok(text)
}

/// The figure as a whole number in hwloc's unit.
fn in_units_of_hwloc(figure: &Figure) -> u64 {
    match figure {
        Figure::Bandwidth(bandwidth) => ((bandwidth.median.0 / MIB).round() as u64).max(1),
        Figure::Latency(latency) => (latency.median.0.round() as u64).max(1),
    }
}
