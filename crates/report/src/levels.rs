//! The levels of a point as a phrase.

use numawise_facts::{Balancing, Levels, MemoryRequest, PageSize, Strategy, ThreadBinding};

use numawise_units::NodeSet;

use crate::amount::many;

/// What a point is, as a phrase: `threads pinned over all nodes, memory interleaved`.
pub fn title(levels: &Levels) -> String {
    let Levels { placement, memory, balancing, pages, pin, threads, tasks, parameters } = levels;
    let mut parts = Vec::new();
    let left_alone = placement.strategy == Strategy::None && *pin == ThreadBinding::Free;
    match &placement.nodes {
        _ if *tasks > 1 => {
            let each = if placement.strategy == Strategy::Semi { ", one on each node" } else { "" };
            parts.push(format!("{tasks} copies at once{each}, {} each", many((*threads).into(), "thread")));
        }
        _ if left_alone && *memory == MemoryRequest::Default => {
            parts.push("the operating system's placement".to_owned())
        }
        Some(nodes) => {
            let nodes = counted(nodes);
            parts.push(match memory {
                MemoryRequest::Default | MemoryRequest::Local | MemoryRequest::Bind(None) => {
                    format!("CPUs and memory of {nodes}")
                }
                MemoryRequest::Remote => format!("CPUs of {nodes}, memory of the farthest"),
                other => format!("CPUs of {nodes}, {}", memory_phrase(other)),
            });
            parts.push(many((*threads).into(), "thread"));
        }
        None => {
            parts.push(threads_phrase(levels));
            if *memory != MemoryRequest::Default {
                parts.push(memory_phrase(memory));
            }
        }
    }
    parts.extend(placement.near.as_ref().map(|device| format!("near {device}")));
    parts.extend(pages_phrase(*pages).map(str::to_owned));
    parts.extend(balancing_phrase(*balancing).map(str::to_owned));
    parts.extend(parameters.iter().map(|parameter| format!("{} = {}", parameter.name, parameter.value)));
    parts.join(", ")
}

fn threads_phrase(levels: &Levels) -> String {
    let how = match levels.pin {
        ThreadBinding::Pinned => "threads pinned",
        ThreadBinding::Free => "threads",
    };
    match (levels.placement.strategy, &levels.placement.cpus) {
        (_, Some(cpus)) => format!("{how} on CPUs {cpus}"),
        (Strategy::Distributed, None) => format!("{how} over all nodes"),
        (Strategy::Local, None) if levels.pin == ThreadBinding::Pinned => format!("{how}, one to a CPU"),
        (Strategy::Local | Strategy::Semi, None) => format!("{how} close together"),
        (Strategy::None | Strategy::Explicit, None) => format!("{how} where the operating system puts them"),
    }
}

fn pages_phrase(pages: PageSize) -> Option<&'static str> {
    match pages {
        PageSize::Default => None,
        PageSize::Small => Some("small pages"),
        PageSize::Thp => Some("transparent huge pages"),
        PageSize::Huge => Some("reserved huge pages"),
    }
}

fn balancing_phrase(balancing: Balancing) -> Option<&'static str> {
    match balancing {
        Balancing::Default => None,
        Balancing::On => Some("pages moved to their threads"),
        Balancing::Off => Some("no page moved by the kernel"),
    }
}

fn memory_phrase(memory: &MemoryRequest) -> String {
    match memory {
        MemoryRequest::Default => "memory policy unchanged".to_owned(),
        MemoryRequest::Local => "local memory".to_owned(),
        MemoryRequest::Bind(None) => "memory of the same nodes only".to_owned(),
        MemoryRequest::Bind(Some(nodes)) => format!("memory of {} only", counted(nodes)),
        MemoryRequest::Preferred(None) => "local memory preferred".to_owned(),
        MemoryRequest::Preferred(Some(node)) => format!("memory of node {node} preferred"),
        MemoryRequest::PreferredMany(nodes) => format!("memory of {} preferred", counted(nodes)),
        MemoryRequest::Interleave(None) => "memory interleaved".to_owned(),
        MemoryRequest::Interleave(Some(nodes)) => format!("memory interleaved over {}", counted(nodes)),
        MemoryRequest::Weighted(None) => "memory interleaved by bandwidth".to_owned(),
        MemoryRequest::Weighted(Some(nodes)) => {
            format!("memory interleaved by bandwidth over {}", counted(nodes))
        }
        MemoryRequest::KernelWeighted(nodes) => {
            format!("memory interleaved by the kernel's weights over {}", counted(nodes))
        }
        MemoryRequest::Hbm => "memory in HBM".to_owned(),
        MemoryRequest::Remote => "memory of the farthest node".to_owned(),
    }
}

/// `node 0`, `nodes 2-3`
pub fn counted(nodes: &NodeSet) -> String {
    format!("node{} {nodes}", if nodes.len() == 1 { "" } else { "s" })
}
