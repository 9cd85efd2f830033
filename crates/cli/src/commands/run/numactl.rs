//! `numactl --show` and `numactl --hardware`, in numactl's words: scripts read them.

use std::fmt::Write as _;

use numawise_facts::{Machine, Reading};
use numawise_linux::calls::mempolicy::{PolicyMode, ThreadPolicy, next_interleaved_node};
use numawise_machine::Roots;
use numawise_units::{Bytes, Id, IdSet, NodeSet};

use super::super::Failure;
use super::machine::Allowed;

#[cfg(test)]
#[path = "numactl_tests.rs"]
mod tests;

/// CPUs and memory policy of this process.
///
/// # Errors
/// When the kernel does not tell its policy.
pub fn show() -> Result<String, Failure> {
    let allowed = Allowed::read()?;
    let machine = numawise_machine::quick(&Roots::live())?;
    let policy = ThreadPolicy::own().map_err(|error| {
        Failure::new(format!(
            "--show: get_mempolicy failed: {error}; a container's seccomp profile may forbid it, or the kernel has no NUMA \
             memory policies; numawise machine shows the rest"
        ))
    })?;
    Ok(shown(&policy, next_interleaved_node().map(|node| node.0), &allowed, &machine))
}

/// `next` is, for the interleaving policies, the node of the next page.
fn shown(policy: &ThreadPolicy, next: Option<u32>, allowed: &Allowed, machine: &Machine) -> String {
    let mut text = String::new();
    let name = policy.mode.name().unwrap_or("unknown");
    let balancing = if policy.balancing { " (balancing)" } else { "" };
    let _ = writeln!(text, "policy: {name}{balancing}");
    let first = policy.nodes.first();
    let preferred = match (policy.mode, first, next) {
        (PolicyMode::Preferred | PolicyMode::Bind, Some(node), _) => node.to_string(),
        (PolicyMode::PreferredMany, Some(node), _) => format!("{node} (preferred-many)"),
        (PolicyMode::Interleave, _, Some(node)) => format!("{node} (interleave next)"),
        (PolicyMode::WeightedInterleave, _, Some(node)) => format!("{node} (weighted interleave next)"),
        _ => "current".to_owned(),
    };
    let _ = writeln!(text, "preferred node: {preferred}");
    let interleaving = match policy.mode {
        PolicyMode::Interleave => Some("interleave"),
        PolicyMode::WeightedInterleave => Some("weightedinterleave"),
        _ => None,
    };
    if let Some(word) = interleaving {
        text += &mask(&format!("{word}mask"), &policy.nodes);
        let _ = writeln!(text, "{word}node: {}", next.unwrap_or_default());
    }
    let of_cpus: NodeSet = allowed.cpus.iter().filter_map(|cpu| machine.node_of(cpu)).collect();
    text += &mask("physcpubind", &allowed.cpus);
    text += &mask("cpubind", &of_cpus);
    text += &mask("nodebind", &of_cpus);
    text += &mask("membind", if policy.mode == PolicyMode::Bind { &policy.nodes } else { &allowed.nodes });
    text += &mask("preferred", &policy.nodes);
    text
}

/// A name and numbers, as numactl writes them: with a space behind each.
fn mask<T: Id>(name: &str, set: &IdSet<T>) -> String {
    let numbers = set.iter().fold(String::new(), |all, id| format!("{all}{} ", id.index()));
    format!("{name}: {numbers}\n")
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
