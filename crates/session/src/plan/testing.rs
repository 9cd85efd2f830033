//! Requests for tests, in short: `place=semi pin copies=2 numactl-cpus=0-3`.

use std::path::PathBuf;

use numawise_facts::{Argument, MemoryMode, RunSpec, ThreadBinding};

use numawise_launch::{Launcher, LocalRank};

use super::request::{CpuSelection, Explanation, MemorySelection, NodeSelection, RunRequest, TaskCount};

/// A rank of Open MPI, whose job is on one computer.
pub fn rank(local_rank: u32, local_size: u32) -> LocalRank {
    LocalRank {
        launcher: Launcher::OpenMpi,
        local_rank,
        local_size,
        rank: Some(local_rank),
        size: Some(local_size),
        size_is_assumed: false,
    }
}

/// The request of these words; any other word is one of the program's.
pub fn request(words: &str) -> RunRequest {
    let spec = RunSpec { command: vec![Argument::from("app")], directory: PathBuf::new() };
    let mut request = RunRequest::new(spec);
    for word in words.split_whitespace() {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let numactl = |policy| MemorySelection::Numactl { policy, nodes: value.to_owned() };
        match name {
            "place" => request.strategy = Some(value.parse().unwrap()),
            "pin" => request.binding = Some(ThreadBinding::Pinned),
            "free" => request.binding = Some(ThreadBinding::Free),
            "threads" => request.threads = Some(value.parse().unwrap()),
            "copies" => request.tasks = TaskCount::Copies(value.parse().unwrap()),
            "cpus" => request.cpus = CpuSelection::Listed(value.parse().unwrap()),
            "location" => request.cpus = CpuSelection::Located(value.to_owned()),
            "numactl-cpus" => request.cpus = CpuSelection::Numactl(value.to_owned()),
            "nodes" => request.nodes = NodeSelection::Listed(value.parse().unwrap()),
            "numactl-nodes" => request.nodes = NodeSelection::Numactl(value.to_owned()),
            "memory" => request.memory = MemorySelection::Policy(value.parse().unwrap()),
            "membind" => request.memory = numactl(MemoryMode::Bind),
            "interleave" => request.memory = numactl(MemoryMode::Interleave),
            "weighted" => request.memory = numactl(MemoryMode::WeightedInterleave),
            "preferred" => request.memory = numactl(MemoryMode::Preferred),
            "preferred-many" => request.memory = numactl(MemoryMode::PreferredMany),
            "localalloc" => request.memory = numactl(MemoryMode::Local),
            "balancing" => request.balancing = value.parse().unwrap(),
            "near" => request.near = Some(value.parse().unwrap()),
            "gpus" => request.share_gpus = true,
            "order" => request.choice.order = value.parse().unwrap(),
            "rebind" => request.rebind = true,
            "explain" => request.explain = Explanation::EachRank,
            _ => request.command.command.push(Argument::from(word)),
        }
    }
    request
}
