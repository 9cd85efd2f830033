//! A profile for hwloc: the XML of the machine with the figures as memory attributes, which `lstopo --memattrs` shows and
//! programs that use hwloc find (`HWLOC_XMLFILE=FILE HWLOC_THISSYSTEM=1`).

use std::path::Path;

use numawise_facts::{Attribute, AttributeKind, Machine, MemoryAccess, Profile, Source};

use super::figures;
use crate::hwloc::{self, Input};
use crate::{Error, live, recorded, xml};

/// hwloc's XML of this machine with the figures of a profile of it.
///
/// An ordinary store waits for its line to be read first, so `Latency`, which is of both in hwloc, is that of reads.
///
/// # Errors
/// When hwloc is not installed or fails, or when the profile has no figure of any node of this machine.
pub fn hwloc_xml(profile: &Profile) -> Result<String, Error> {
    let text = hwloc::export(Input::Live, "this machine")?;
    written(&text, &live()?, profile, "this machine")
}

/// The same for a machine that was recorded as hwloc XML.
///
/// # Errors
/// As [`hwloc_xml`], and when the file cannot be read.
pub fn hwloc_xml_from(path: impl AsRef<Path>, profile: &Profile) -> Result<String, Error> {
    let path = path.as_ref();
    let name = format!("the machine file '{}'", path.display());
    let text = recorded::text_of_file(path)?;
    let machine = xml::machine(&text, Source::Xml(path.display().to_string()), None)?;
    written(&text, &machine, profile, &name)
}

fn written(text: &str, machine: &Machine, profile: &Profile, name: &str) -> Result<String, Error> {
    let mut wanted = figures(machine, profile);
    if wanted.is_empty() {
        return Err(Error::NothingMeasured { input: name.to_owned() });
    }
    let latencies = wanted.iter().filter(|figure| figure.kind() == AttributeKind::ReadLatency);
    let latencies: Vec<Attribute> =
        latencies.map(|figure| Attribute { access: MemoryAccess::Both, ..figure.clone() }).collect();
    wanted.extend(latencies);
    let nonsense = |problem| Error::Nonsense { input: name.to_owned(), problem };
    let mut edited = xml::with_figures(text, &wanted).map_err(nonsense)?;
    // hwloc reads and writes it again: what it does not understand must not reach the user's file.
    edited.push('\0');
    hwloc::export(Input::Xml(edited.as_bytes()), &format!("{name} with measured figures"))
}
