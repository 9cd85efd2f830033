//! Errors of reading a machine. Each text is defined here and nowhere else; options that help are added by the faces.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use numawise_units::{IndexTooLarge, NodeId};

/// Why a machine could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error(
        "cannot load libhwloc.so.15 ({problem}); expected hwloc 2 to be installed; install it (Debian and Ubuntu: \
         libhwloc15, Fedora: hwloc-libs, SUSE: libhwloc15)"
    )]
    HwlocMissing { problem: String },
    #[error("libhwloc.so.15 has no function {function}; expected hwloc 2.0 or newer; install a newer hwloc")]
    HwlocTooOld { function: &'static str },
    #[error("cannot start the helper process in which hwloc runs: {0}; try again")]
    Helper(#[source] io::Error),
    #[error(
        "hwloc did not survive {input} (killed by signal {signal}): it is damaged in a way that hwloc does not check; \
         expected a description of a machine; write it again with lstopo"
    )]
    HwlocDied { input: String, signal: i32 },
    #[error(
        "hwloc takes too long over {input}: more than {} ms of CPU time, where machines with thousands of CPUs take fewer; it is \
         damaged, or no machine that could be built; expected a description of a machine; write it again with lstopo",
        .limit.as_millis()
    )]
    HwlocTooSlow { input: String, limit: Duration },
    #[error("hwloc cannot {step} {input}: {problem}; expected {expected}")]
    Hwloc { step: &'static str, input: String, problem: String, expected: &'static str },
    #[error(
        "cannot read the machine file '{path}': {problem}; expected an hwloc XML file; write one with lstopo machine.xml"
    )]
    CannotRead { path: String, problem: String },
    #[error(
        "the machine file '{path}' is {found}; expected an hwloc XML file; write one with lstopo machine.xml on the \
         machine you mean"
    )]
    NotAFile { path: String, found: String },
    #[error(
        "the machine file '{path}' is broken: {problem}; expected a whole hwloc XML file; copy it again, or write it \
         again with lstopo"
    )]
    Broken { path: String, problem: String },
    #[error(
        "'{path}' is not a machine: found {found}, expected hwloc XML (a <topology> with a Machine in it); write one \
         with lstopo machine.xml"
    )]
    NotAMachine { path: String, found: String },
    #[error(
        "the machine file '{path}' is hwloc XML version {version}, from a newer hwloc than this program reads; expected \
         version 1 or 2"
    )]
    Newer { path: String, version: String },
    #[error(
        "'{text}' describes no machine: {problem}; expected a file, or a synthetic description such as 'pack:2 \
         core:4 pu:2'"
    )]
    Synthetic { text: String, problem: String },
    #[error(
        "the description of {input} makes no sense: {problem}; expected XML as hwloc 2 writes it; write it again with lstopo"
    )]
    Nonsense { input: String, problem: XmlError },
    #[error(
        "the profile has no latency and no bandwidth of a node of {input}; expected a profile that was measured there"
    )]
    NothingMeasured { input: String },
    #[error("cannot read {}: {source}; expected a Linux system with /sys and /proc mounted", .path.display())]
    System { path: PathBuf, source: io::Error },
    #[error("{} holds '{found}'; expected {expected}", .path.display())]
    SystemContent { path: PathBuf, found: String, expected: String },
}

/// What makes no sense in a text that should be hwloc's XML.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum XmlError {
    #[error(transparent)]
    Syntax(#[from] roxmltree::Error),
    #[error("it has no {0}")]
    Lacks(&'static str),
    #[error("its machine is empty")]
    EmptyMachine,
    #[error("an object has no type")]
    NoType,
    #[error("a {noun} has no os_index")]
    NoIndex { noun: &'static str },
    #[error(transparent)]
    IndexTooLarge(#[from] IndexTooLarge),
    #[error("it has two {noun}s {index}")]
    Twice { noun: &'static str, index: u32 },
    #[error("{what} is {found}; expected {expected}")]
    Impossible { what: String, found: u64, expected: &'static str },
    #[error("it has no node {0}")]
    NoNode(NodeId),
    #[error("{attribute} is '{found}', not a number")]
    NotANumber { attribute: String, found: String },
    #[error("'{0}' is not a bitmap")]
    NotABitmap(String),
    #[error("the bitmap '{0}' has no end")]
    EndlessBitmap(String),
    #[error("the bitmap '{0}' goes beyond the highest {1} of Linux")]
    BitmapTooLarge(String, &'static str),
    #[error("the matrix of distances has {values} values for {nodes} nodes")]
    MatrixSize { values: usize, nodes: usize },
    #[error("a distance between nodes is {0}; expected a number from 1 to 65,535 (10 is local)")]
    Distance(u64),
    #[error("'{0}' among the distances is not a number")]
    NotADistance(String),
}
