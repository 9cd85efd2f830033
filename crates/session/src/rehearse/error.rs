//! Why there is no rehearsal, or nothing came of it. No option is named: the face that asked adds what to type.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use numawise_emulate::KernelGap;
use numawise_units::{Bytes, NodeId, NodeSet};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RehearsalError {
    #[error(transparent)]
    Emulate(#[from] numawise_emulate::Error),
    #[error("found a slowdown of {found}, expected a number above 0")]
    Slowdown { found: f64 },
    #[error("figures are given for node {node}, and the machine has nodes {nodes}")]
    NoSuchNode { node: NodeId, nodes: NodeSet },
    #[error("0 cores for each node; expected at least 1")]
    NoCores,
    /// `cores`: the most for each node with which it can be emulated.
    #[error("the machine has {found} CPUs, and at most {most} can be emulated")]
    TooManyCpus { found: u32, most: u32, cores: Option<u32> },
    #[error("{found} of memory is too little for the nodes of this machine; expected at least {least}")]
    MemoryLimitTooSmall { found: Bytes, least: Bytes },
    #[error(
        "the guest needs {needed} of memory with what QEMU takes, and {available} are available on this computer"
    )]
    TooLittleMemory { needed: Bytes, available: Bytes },
    /// `missing`: a pair that it lacks, or a node that the machine lacks.
    #[error("the profile {file} is of nodes {of}, the machine has nodes {nodes}{}", gap(missing))]
    ProfileDoesNotFit { file: String, of: NodeSet, nodes: NodeSet, missing: (Option<NodeId>, Option<NodeId>) },
    #[error("no kernel for guests was found{}", looked_at(.0))]
    NoKernel(KernelGap),
    #[error("neither XDG_CACHE_HOME nor HOME is an absolute path: there is no folder for what guests need")]
    NoCacheFolder,
    #[error("cannot use {} for a rehearsal: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("the guest could not be given the files of this computer (exit status {status}):\n{said}")]
    NoRoot { status: i32, said: String },
    #[error("the guest ended before its command did: {} holds no exit status; its memory or the disk may be full", folder.display())]
    NoStatus { folder: PathBuf },
    #[error("{} was made in the guest and could not be written here: {source}; it is kept as {}", path.display(), kept.display())]
    NotBroughtBack { path: PathBuf, kept: PathBuf, source: io::Error },
    #[error("the command was not done within {} s, and did not end when it was told to", limit.as_secs())]
    TimeLimit { limit: Duration },
    #[error("interrupted; nothing came back")]
    Interrupted,
}

fn gap((from, to): &(Option<NodeId>, Option<NodeId>)) -> String {
    match (from, to) {
        (Some(from), Some(to)) => format!("; it lacks latency or bandwidth from node {from} to node {to}"),
        (_, Some(node)) => format!(", without node {node}"),
        _ => String::new(),
    }
}

fn looked_at(gap: &KernelGap) -> String {
    match gap {
        KernelGap::NotFound => String::new(),
        KernelGap::NotUsable { images } => {
            let images: Vec<String> = images.iter().map(|path| path.display().to_string()).collect();
            format!(": {} cannot be read, or has no modules for 9p and overlay", images.join(", "))
        }
    }
}
