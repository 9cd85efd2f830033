//! `numactl --show` and `numactl --hardware`, as numactl writes them: scripts read them.

use std::fmt::Write as _;

use numawise_facts::{Machine, MemoryMode, OwnPlacement, Reading, SharedFinding};
use numawise_units::{Bytes, CpuSet, Id, IdSet, NodeSet};

#[cfg(test)]
#[path = "numactl_tests.rs"]
mod tests;

/// CPUs and memory policy of this process.
pub fn show(own: &OwnPlacement) -> String {
    let mut text = String::new();
    let balancing = if own.balancing { " (balancing)" } else { "" };
    let _ = writeln!(text, "policy: {}{balancing}", own.policy.map_or("unknown", name));
    let preferred = match (own.policy, own.policy_nodes.first(), own.next) {
        (Some(MemoryMode::Preferred | MemoryMode::Bind), Some(node), _) => node.to_string(),
        (Some(MemoryMode::PreferredMany), Some(node), _) => format!("{node} (preferred-many)"),
        (Some(MemoryMode::Interleave), _, Some(node)) => format!("{node} (interleave next)"),
        (Some(MemoryMode::WeightedInterleave), _, Some(node)) => {
            format!("{node} (weighted interleave next)")
        }
        _ => "current".to_owned(),
    };
    let _ = writeln!(text, "preferred node: {preferred}");
    let interleaving = match own.policy {
        Some(MemoryMode::Interleave) => Some("interleave"),
        Some(MemoryMode::WeightedInterleave) => Some("weightedinterleave"),
        _ => None,
    };
    if let Some(word) = interleaving {
        text += &mask(&format!("{word}mask"), &own.policy_nodes);
        let _ = writeln!(text, "{word}node: {}", own.next.map_or(0, |node| node.0));
    }
    let bound = own.policy == Some(MemoryMode::Bind);
    text += &mask("physcpubind", &own.cpus);
    text += &mask("cpubind", &own.nodes_of_cpus);
    text += &mask("nodebind", &own.nodes_of_cpus);
    text += &mask("membind", if bound { &own.policy_nodes } else { &own.nodes });
    text += &mask("preferred", &own.policy_nodes);
    text
}

/// The kernel's name of a mode, which numactl uses.
fn name(mode: MemoryMode) -> &'static str {
    match mode {
        MemoryMode::Default => "default",
        MemoryMode::Local => "local",
        MemoryMode::Bind => "bind",
        MemoryMode::Preferred => "preferred",
        MemoryMode::PreferredMany => "preferred-many",
        MemoryMode::Interleave => "interleave",
        MemoryMode::WeightedInterleave => "weighted interleave",
    }
}

/// Parts of shared memory with their policies (`--dump`; the default is not shown) or their nodes (`--dump-nodes`).
pub fn shared(findings: &[SharedFinding]) -> String {
    let mut text = String::new();
    let range = |begin: Bytes, end: Bytes| format!("{:016x}-{:016x}:", begin.0, end.0);
    for finding in findings {
        match finding {
            SharedFinding::Policies(parts) => {
                for part in parts.iter().filter(|part| part.has.mode != Some(MemoryMode::Default)) {
                    let mode = part.has.mode.map_or("unknown", name);
                    text += &format!("{} {mode} {}", range(part.begin, part.end), mask("", &part.has.nodes));
                }
            }
            SharedFinding::Nodes(parts) => {
                for part in parts {
                    let _ = writeln!(text, "{} {}", range(part.begin, part.end), part.has);
                }
            }
        }
    }
    text
}

/// A name and numbers, as numactl writes them: with a space behind each.
fn mask<T: Id>(name: &str, set: &IdSet<T>) -> String {
    let numbers = set.iter().fold(String::new(), |all, id| format!("{all}{} ", id.index()));
    format!("{name}: {numbers}\n")
}

/// How the CPUs of a node are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuNumbers {
    /// One by one.
    Each,
    /// `--cpu-compress`: as ranges, and how many they are.
    Ranges,
}

fn cpu_numbers(cpus: &CpuSet, numbers: CpuNumbers) -> String {
    match numbers {
        CpuNumbers::Each => cpus.iter().fold(String::new(), |all, cpu| format!("{all} {cpu}")),
        CpuNumbers::Ranges if cpus.is_empty() => " (0)".to_owned(),
        CpuNumbers::Ranges => format!(" {} ({})", cpus.to_string().replace(',', ", "), cpus.len()),
    }
}

/// Nodes, their CPUs and memory, and the distances.
pub fn hardware(machine: &Machine, numbers: CpuNumbers) -> String {
    let ids: NodeSet = machine.nodes.iter().map(|node| node.id).collect();
    let mut text = format!("available: {} nodes ({ids})\n", ids.len());
    let amount = |reading: &Reading<Bytes>| match reading.measured() {
        Some(bytes) => format!("{} MB", bytes.0 >> 20),
        None => "unavailable".to_owned(),
    };
    for node in &machine.nodes {
        let _ = writeln!(text, "node {} cpus:{}", node.id, cpu_numbers(&node.cpus, numbers));
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
