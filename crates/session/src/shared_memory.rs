//! Policies and pages of shared memory: files in tmpfs or hugetlbfs, and System V segments, as numactl's `--file` and `--shm`.

use std::path::PathBuf;

use numawise_facts::{MemoryMode, SharedFinding, SharedPart, SharedPolicy};
use numawise_launch::kernel_mode;
use numawise_linux::calls::mempolicy::{self, ThreadPolicy};
use numawise_linux::calls::shared::{Region, SharedMemory};
use numawise_units::{Bytes, NodeSet};

use crate::Error;
use crate::numactl_list::{RequestedList, parse_nodes};
use crate::plan::mode;

#[cfg(test)]
#[path = "shared_memory_tests.rs"]
mod tests;

/// Which memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedPlace {
    File(PathBuf),
    /// A System V segment, by its key file and number.
    Key(PathBuf, i32),
}

/// One thing that is done with it, in the order in which they were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SharedStep {
    /// A list as numactl writes it.
    Policy(MemoryMode, String),
    Touch,
    /// The policy that was set last holds for every page, and every page is where it says.
    Verify,
    ShowPolicies,
    ShowNodes,
}

/// What is asked for of shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedRequest {
    pub place: SharedPlace,
    pub region: Region,
    /// Pages that are there must follow a policy that is set.
    pub strict: bool,
    pub steps: Vec<SharedStep>,
}

/// Does all of it; what is to be shown comes back.
///
/// # Errors
/// When the memory cannot be had, a list makes no sense, or the kernel refuses a policy; when a page is not what was verified.
pub fn carry_out(request: &SharedRequest) -> Result<Vec<SharedFinding>, Error> {
    let failed = |doing: &'static str| {
        move |source| Error::SharedMemory { path: path(&request.place).to_owned(), doing, source }
    };
    let memory = match &request.place {
        SharedPlace::File(path) => SharedMemory::of_file(path, &request.region),
        SharedPlace::Key(path, id) => SharedMemory::of_key(path, *id, &request.region),
    }
    .map_err(failed("cannot be had"))?;
    let mut wanted: Option<(MemoryMode, NodeSet)> = None;
    let mut findings = Vec::new();
    for step in &request.steps {
        match step {
            SharedStep::Policy(policy, list) => {
                let nodes = nodes(*policy, list)?;
                memory
                    .set_policy(kernel_mode(*policy), &nodes, request.strict)
                    .map_err(failed("does not take this policy"))?;
                wanted = Some((*policy, nodes));
            }
            SharedStep::Touch => memory.touch(),
            SharedStep::Verify => {
                let wanted = wanted.as_ref().ok_or(Error::NothingToVerify)?;
                memory.touch();
                verify(&memory, request.region.offset, wanted).map_err(failed("cannot be read"))??;
            }
            SharedStep::ShowPolicies => {
                let parts = parts(&memory, request.region.offset, |at| memory.policy_at(at).map(policy_of));
                findings.push(SharedFinding::Policies(parts.map_err(failed("does not tell its policy"))?));
            }
            SharedStep::ShowNodes => {
                let parts = parts(&memory, request.region.offset, |at| memory.node_at(at));
                findings.push(SharedFinding::Nodes(parts.map_err(failed("does not tell its nodes"))?));
            }
        }
    }
    Ok(findings)
}

fn path(place: &SharedPlace) -> &std::path::Path {
    match place {
        SharedPlace::File(path) | SharedPlace::Key(path, _) => path,
    }
}

fn nodes(policy: MemoryMode, list: &str) -> Result<NodeSet, Error> {
    if policy == MemoryMode::Local {
        return Ok(NodeSet::new());
    }
    let allowed = mempolicy::allowed_nodes().map_err(Error::PolicyUnknown)?;
    let list_of = RequestedList::Memory(policy);
    let nodes = parse_nodes(list, &allowed).map_err(|source| Error::List { list: list_of, source })?;
    if policy == MemoryMode::Preferred && nodes.len() != 1 {
        return Err(Error::SeveralPreferred { nodes });
    }
    Ok(nodes)
}

fn policy_of(policy: ThreadPolicy) -> SharedPolicy {
    SharedPolicy { mode: mode(policy.mode), nodes: policy.nodes }
}

/// Pages that have the same together.
fn parts<T: PartialEq>(
    memory: &SharedMemory,
    offset: Bytes,
    has: impl Fn(usize) -> std::io::Result<T>,
) -> std::io::Result<Vec<SharedPart<T>>> {
    let mut parts: Vec<SharedPart<T>> = Vec::new();
    for at in memory.pages() {
        let (begin, has) = (offset + Bytes(at as u64), has(at)?);
        match parts.last_mut() {
            Some(last) if last.has == has => {}
            last => {
                if let Some(last) = last {
                    last.end = begin;
                }
                parts.push(SharedPart { begin, end: offset + memory.bytes(), has });
            }
        }
    }
    Ok(parts)
}

fn verify(
    memory: &SharedMemory,
    offset: Bytes,
    (policy, nodes): &(MemoryMode, NodeSet),
) -> std::io::Result<Result<(), Error>> {
    for at in memory.pages() {
        let (found, node) = (policy_of(memory.policy_at(at)?), memory.node_at(at)?);
        let is_there = nodes.is_empty() || nodes.contains(node);
        if found.mode != Some(*policy) || found.nodes != *nodes || !is_there {
            return Ok(Err(Error::NotVerified {
                offset: offset + Bytes(at as u64),
                found: found.nodes,
                node,
                wanted: nodes.clone(),
            }));
        }
    }
    Ok(Ok(()))
}
