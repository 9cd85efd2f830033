//! Moving the memory of running processes from nodes to others, as migratepages(8) does, and what came of it.

use std::io;
use std::time::Instant;

use numawise_facts::{MovedMemory, Reading, ResidentMemory};
use numawise_linux::Roots;
use numawise_linux::calls::{mempolicy, pages};
use numawise_linux::file::read_path;
use numawise_linux::proc::status::Status;
use numawise_observe::{FindError, SnapshotOptions};
use numawise_units::{Nanoseconds, NodeSet, Pid};

use crate::numactl_list::{RequestedList, parse_nodes};
use crate::watch::{TargetRequest, Targets};
use crate::{Error, here};

#[cfg(test)]
#[path = "migrate_tests.rs"]
mod tests;

/// Which memory is to go where. Lists are as numactl writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MoveRequest {
    pub targets: TargetRequest,
    pub from: String,
    pub to: String,
}

/// Moves the memory of all processes that are asked for. What was asked for and is not there is given beside, as long as anything is.
///
/// # Errors
/// When a list makes no sense, or names a node that is not there or not ours to use; when no process is found; where the kernel moves
/// nothing of any of them, why it does not.
pub fn move_memory(request: &MoveRequest) -> Result<(Vec<MovedMemory>, Vec<FindError>), Error> {
    let machine = here::for_sampling()?;
    let exist: NodeSet = machine.nodes.iter().map(|node| node.id).collect();
    let allowed = mempolicy::allowed_nodes().map_err(Error::PolicyUnknown)?;
    let from = nodes(&request.from, RequestedList::MoveFrom, &exist)?;
    let to = nodes(&request.to, RequestedList::MoveTo, &exist.intersection(&allowed))?;
    let mut targets = Targets::new(&request.targets)?;
    let missing = targets.search()?;
    let may_take_shared = may_take_shared();
    let pids = targets.now()?.to_vec();
    let all: Vec<MovedMemory> =
        pids.iter().filter_map(|pid| of_process(*pid, &from, &to, &may_take_shared)).collect();
    match all.first() {
        None => Err(Error::Ended),
        Some(first) => {
            match (all.iter().all(|one| one.unmoved_pages.reason().is_some()), &first.unmoved_pages) {
                (true, Reading::Unavailable { unavailable }) => Err(Error::NothingMoved {
                    pid: first.pid,
                    processes: all.len(),
                    reason: unavailable.clone(),
                }),
                _ => Ok((all, missing)),
            }
        }
    }
}

fn nodes(text: &str, list: RequestedList, known: &NodeSet) -> Result<NodeSet, Error> {
    let nodes = parse_nodes(text, known).map_err(|source| Error::List { list, source })?;
    let unknown = nodes.difference(known);
    if unknown.is_empty() {
        Ok(nodes)
    } else {
        Err(Error::CannotMoveNodes { list, unknown, known: known.clone() })
    }
}

/// None where the process has ended.
fn of_process(pid: Pid, from: &NodeSet, to: &NodeSet, takes_shared: &Reading<bool>) -> Option<MovedMemory> {
    let (name, before) = resident(pid)?;
    let began = Instant::now();
    let called = pages::migrate(pid, from, to);
    let took = Nanoseconds::from(began.elapsed());
    let called: Reading<u64> = match called {
        Ok(pages) => Reading::Measured(pages),
        Err(error) => Reading::unavailable(refused(pid, to, &error)),
    };
    let (unmoved_pages, took) = (called.clone(), called.map(|_| took));
    let after =
        resident(pid).map_or_else(|| Reading::unavailable("the process has ended"), |(_, after)| after);
    let (from, to, takes_shared) = (from.clone(), to.clone(), takes_shared.clone());
    Some(MovedMemory { pid, name, from, to, before, after, unmoved_pages, took, takes_shared })
}

/// The name of a process, and its memory. None where it has ended.
fn resident(pid: Pid) -> Option<(String, Reading<ResidentMemory>)> {
    let options = SnapshotOptions { largest: 0, threads: false, ..SnapshotOptions::default() };
    let task = numawise_observe::snapshot(&[pid], &options).tasks.into_iter().next()?;
    Some((task.name, task.memory.map(|memory| memory.by_use)))
}

/// Why the kernel moves nothing.
fn refused(pid: Pid, to: &NodeSet, error: &io::Error) -> String {
    let status = status(pid);
    let cpuset = status.as_ref().and_then(|status| status.nodes.as_ref());
    let forbidden = cpuset.map(|nodes| to.difference(nodes)).filter(|nodes| !nodes.is_empty());
    match (error.kind(), forbidden) {
        (io::ErrorKind::PermissionDenied, Some(nodes)) => {
            format!(
                "it may not use node {nodes} itself (its cpuset), and only root moves memory there all the same"
            )
        }
        (io::ErrorKind::PermissionDenied, None) => {
            "it is another user's, or has more privileges than we have: its user or root may do it".to_owned()
        }
        (io::ErrorKind::InvalidInput, _) => {
            "it has no memory of its own (a thread of the kernel, or a process that has ended)".to_owned()
        }
        (io::ErrorKind::Unsupported, _) => "this kernel does not move pages (CONFIG_MIGRATION)".to_owned(),
        _ => error.to_string(),
    }
}

fn status(pid: Pid) -> Option<Status> {
    let mut buffer = Vec::new();
    read_path(&Roots::live().process(pid).join("status"), &mut buffer).ok()?;
    Status::parse(&buffer).ok()
}

/// Whether pages that several processes map are moved too.
fn may_take_shared() -> Reading<bool> {
    const CAP_SYS_NICE: u32 = 23;
    let own = status(Pid(std::process::id().cast_signed()));
    match own.and_then(|status| status.capabilities) {
        Some(bits) => Reading::Measured(bits >> CAP_SYS_NICE & 1 == 1),
        None => Reading::unavailable("/proc/self/status does not tell our privileges"),
    }
}
