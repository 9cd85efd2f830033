//! `numactl --show` and `numactl --hardware`, in numactl's words: scripts read them.

use std::fmt::Write as _;
use std::io;

use numawise_facts::{Machine, Reading};
use numawise_machine::Roots;
use numawise_units::{Bytes, Id, IdSet, NodeSet};

use super::super::Failure;
use super::machine::Allowed;

#[cfg(test)]
mod tests;

/// The memory policy of this process as the kernel keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Policy {
    mode: i32,
    nodes: NodeSet,
    /// For the interleaving ones, the node of the next page.
    next: Option<u32>,
}

/// From linux/mempolicy.h.
const NAMES: [&str; 7] =
    ["default", "preferred", "bind", "interleave", "local", "preferred-many", "weighted interleave"];
const PREFERRED: i32 = 1;
const BIND: i32 = 2;
const INTERLEAVE: i32 = 3;
const PREFERRED_MANY: i32 = 5;
const WEIGHTED_INTERLEAVE: i32 = 6;
/// `MPOL_F_STATIC_NODES`, `MPOL_F_RELATIVE_NODES` and `MPOL_F_NUMA_BALANCING`.
const MODE_FLAGS: i32 = 0b111 << 13;
const BALANCING: i32 = 1 << 13;
const MPOL_F_NODE: libc::c_ulong = 1;
/// Room for more nodes than any kernel is built for; fewer and the call fails.
const MOST_NODES: usize = 4096;

/// CPUs and memory policy of this process.
///
/// # Errors
/// When the kernel does not tell its policy.
pub fn show() -> Result<String, Failure> {
    let allowed = Allowed::read()?;
    let machine = numawise_machine::quick(&Roots::live())?;
    let policy = Policy::of_this_process().map_err(|error| {
        Failure::new(format!(
            "--show: get_mempolicy failed: {error}; a container's seccomp profile may forbid it, or the kernel has no NUMA \
             memory policies; numawise machine shows the rest"
        ))
    })?;
    Ok(shown(&policy, &allowed, &machine))
}

fn shown(policy: &Policy, allowed: &Allowed, machine: &Machine) -> String {
    let mut text = String::new();
    let mode = policy.mode & !MODE_FLAGS;
    let name = NAMES.get(mode as usize).copied().unwrap_or("unknown");
    let balancing = if policy.mode & BALANCING != 0 { " (balancing)" } else { "" };
    let _ = writeln!(text, "policy: {name}{balancing}");
    let first = policy.nodes.first();
    let preferred = match (mode, first, policy.next) {
        (PREFERRED | BIND, Some(node), _) => node.to_string(),
        (PREFERRED_MANY, Some(node), _) => format!("{node} (preferred-many)"),
        (INTERLEAVE, _, Some(node)) => format!("{node} (interleave next)"),
        (WEIGHTED_INTERLEAVE, _, Some(node)) => format!("{node} (weighted interleave next)"),
        _ => "current".to_owned(),
    };
    let _ = writeln!(text, "preferred node: {preferred}");
    let interleaving = match mode {
        INTERLEAVE => Some("interleave"),
        WEIGHTED_INTERLEAVE => Some("weightedinterleave"),
        _ => None,
    };
    if let Some(word) = interleaving {
        text += &mask(&format!("{word}mask"), &policy.nodes);
        let _ = writeln!(text, "{word}node: {}", policy.next.unwrap_or_default());
    }
    let of_cpus: NodeSet = allowed.cpus.iter().filter_map(|cpu| machine.node_of(cpu)).collect();
    text += &mask("physcpubind", &allowed.cpus);
    text += &mask("cpubind", &of_cpus);
    text += &mask("nodebind", &of_cpus);
    text += &mask("membind", if mode == BIND { &policy.nodes } else { &allowed.nodes });
    text += &mask("preferred", &policy.nodes);
    text
}

/// A name and numbers, as numactl writes them: with a space behind each.
fn mask<T: Id>(name: &str, set: &IdSet<T>) -> String {
    let numbers = set.iter().fold(String::new(), |all, id| format!("{all}{} ", id.index()));
    format!("{name}: {numbers}\n")
}

impl Policy {
    fn of_this_process() -> io::Result<Policy> {
        let mut mode = 0i32;
        let mut nodes = [0u64; MOST_NODES / 64];
        // SAFETY: the kernel writes one int and at most MOST_NODES bits, for which there is room.
        let result = unsafe {
            libc::syscall(libc::SYS_get_mempolicy, &mut mode, nodes.as_mut_ptr(), MOST_NODES, 0usize, 0usize)
        };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        let (mut next, no_nodes) = (0i32, std::ptr::null_mut::<u64>());
        // SAFETY: the kernel writes one int; a null mask of 0 bits is not written.
        let told = unsafe {
            libc::syscall(libc::SYS_get_mempolicy, &mut next, no_nodes, 0usize, 0usize, MPOL_F_NODE)
        };
        let next = (told == 0).then(|| u32::try_from(next).ok()).flatten();
        Ok(Policy { mode, nodes: NodeSet::from_words(nodes), next })
    }
}

/// Nodes, their CPUs and memory, and the distances.
///
/// # Errors
/// When the kernel's files cannot be read.
pub fn hardware() -> Result<String, Failure> {
    Ok(inventory(&numawise_machine::quick(&Roots::live())?))
}

fn inventory(machine: &Machine) -> String {
    let ids: NodeSet = machine.nodes.iter().map(|node| node.id).collect();
    let mut text = format!("available: {} nodes ({ids})\n", ids.len());
    let amount = |reading: &Reading<Bytes>| match reading.measured() {
        Some(bytes) => format!("{} MB", bytes.0 >> 20),
        None => "unavailable".to_owned(),
    };
    for node in &machine.nodes {
        let cpus = node.cpus.iter().fold(String::new(), |all, cpu| format!("{all} {cpu}"));
        let _ = writeln!(text, "node {} cpus:{cpus}", node.id);
        let _ = writeln!(text, "node {} size: {}", node.id, amount(&node.memory));
        let _ = writeln!(text, "node {} free: {}", node.id, amount(&node.free));
    }
    if machine.nodes.iter().any(|node| node.distances.measured().is_none()) {
        text += "No distance information available.\n";
        return text;
    }
    text += "node distances:\nnode ";
    for id in ids.iter() {
        let _ = write!(text, "{:>3} ", id.0);
    }
    text.push('\n');
    for node in &machine.nodes {
        let _ = write!(text, "{:>3}: ", node.id.0);
        for distance in node.distances.measured().into_iter().flatten() {
            let _ = write!(text, "{distance:>3} ");
        }
        text.push('\n');
    }
    text
}
