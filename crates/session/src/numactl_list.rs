//! Lists of nodes and CPUs as numactl(8) writes them: `0,2-3`, `all`, `!0`, `+0-1`, `!+0`; nodes also as `netdev:eth0`,
//! `block:sda`, `pci:3b:00.0`, `file:/scratch`, `ip:host`.

use numawise_facts::MemoryMode;
use numawise_machine::{DeviceError, Roots, nodes_of_device};
use numawise_units::harmless::quoted;
use numawise_units::{CpuSet, Id, IdSet, NodeSet, ParseSetError, SetFlaw};

#[cfg(test)]
#[path = "numactl_list_tests.rs"]
mod tests;

/// Which list of a request an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestedList {
    Cpus,
    Nodes,
    /// The nodes of a memory policy.
    Memory(MemoryMode),
    /// The nodes that memory is to leave.
    MoveFrom,
    /// The nodes to which it is to go.
    MoveTo,
}

/// Why a text is not a list in numactl's syntax, or not one for us.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    #[error("'{text}': {problem}; expected e.g. 0,2-3, all, !0 (all but 0) or +0-1 (the first two allowed)")]
    Syntax { text: String, problem: String },
    /// A step, which our own lists have and numactl's have not.
    #[error("'{text}': numactl knows no steps")]
    Step { text: String },
    #[error(
        "'{text}': '{word}:' names no device; expected netdev:, block:, pci:, file: or ip:, or a list of numbers"
    )]
    NoDevice { text: String, word: String },
    #[error("'{text}' leaves no {noun}; allowed are {allowed}")]
    Nothing { text: String, noun: &'static str, allowed: String },
    #[error("'{text}': there is no {noun} +{position}, only {count} are allowed ({allowed})")]
    Relative { text: String, noun: &'static str, position: u32, count: usize, allowed: String },
    #[error("'{text}': a device is near a node, not a CPU")]
    NotOfCpus { text: String },
    #[error("'{text}': {source}")]
    Device { text: String, source: Box<DeviceError> },
}

/// What is looked up when a text names a device; `None` when it names none.
type Devices<'a, T> = &'a dyn Fn(&str) -> Option<Result<IdSet<T>, Unnamed>>;

/// Why a device gives no set.
enum Unnamed {
    Device(Box<DeviceError>),
    NotOfCpus,
}

/// The nodes that `text` means when `allowed` are those that we may use.
///
/// # Errors
/// When the text makes no sense, or means nothing of what is allowed.
pub fn parse_nodes(text: &str, allowed: &NodeSet) -> Result<NodeSet, ListError> {
    parse_nodes_at(&Roots::live(), text, allowed)
}

fn parse_nodes_at(roots: &Roots, text: &str, allowed: &NodeSet) -> Result<NodeSet, ListError> {
    parse(text, allowed, &|word| {
        Some(nodes_of_device(roots, word)?.map_err(|error| Unnamed::Device(Box::new(error))))
    })
}

/// The same for CPUs, which no device names.
///
/// # Errors
/// When the text makes no sense, or means nothing of what is allowed.
pub fn parse_cpus(text: &str, allowed: &CpuSet) -> Result<CpuSet, ListError> {
    const DEVICES: [&str; 5] = ["netdev:", "file:", "ip:", "block:", "pci:"];
    let is_device = |word: &str| DEVICES.iter().any(|prefix| word.starts_with(prefix));
    parse(text, allowed, &|word| is_device(word).then_some(Err(Unnamed::NotOfCpus)))
}

/// As in numactl, a range stands for what is allowed in it, while a single number stands for itself and may turn out to be
/// forbidden later; both ends of a range have to be allowed, which is left to the placement to explain. A device is the
/// last of its list: whatever follows is a part of its name.
fn parse<T: Id>(text: &str, allowed: &IdSet<T>, devices: Devices<'_, T>) -> Result<IdSet<T>, ListError> {
    let (inverted, rest) = strip(text, '!');
    let (relative, rest) = strip(rest, '+');
    let mut set = IdSet::new();
    let mut rest = Some(rest);
    while let Some(list) = rest {
        // Each element may have a + of its own.
        let (relative_here, list) = strip(list, '+');
        // The last element at most, whatever stands before it.
        if list == "all" {
            set = allowed.clone();
            break;
        }
        if let Some(found) = devices(list) {
            let whole = quoted(text);
            let found = found.map_err(|unnamed| match unnamed {
                Unnamed::Device(source) => ListError::Device { text: whole, source },
                Unnamed::NotOfCpus => ListError::NotOfCpus { text: whole },
            })?;
            set.extend(found.iter());
            break;
        }
        let (element, others) = match list.split_once(',') {
            Some((element, others)) => (element, Some(others)),
            None => (list, None),
        };
        rest = others;
        let listed = listed(text, element)?;
        if !(relative || relative_here) {
            set.extend(in_range(&listed, allowed).iter())
        } else {
            set.extend(at_positions(text, &listed, allowed)?.iter())
        }
    }
    let set = if inverted { allowed.difference(&set) } else { set };
    non_empty(text, set, allowed)
}

/// A number or a range as it is written.
fn listed<T: Id>(text: &str, element: &str) -> Result<IdSet<T>, ListError> {
    let wrong = |problem: String| ListError::Syntax { text: quoted(text), problem };
    if let Some((before, _)) = element.split_once(':') {
        return Err(if before.starts_with(|first: char| first.is_ascii_digit()) {
            ListError::Step { text: quoted(text) }
        } else {
            ListError::NoDevice { text: quoted(text), word: quoted(before) }
        });
    }
    let listed: IdSet<T> =
        element.parse().map_err(|error: ParseSetError| wrong(problem::<T>(element, error.flaw)))?;
    if listed.is_empty() { Err(wrong("a number is missing".to_owned())) } else { Ok(listed) }
}

/// The first of the allowed ones for 0, and so on.
fn at_positions<T: Id>(text: &str, positions: &IdSet<T>, allowed: &IdSet<T>) -> Result<IdSet<T>, ListError> {
    let ids: Vec<T> = allowed.iter().collect();
    let at = |position: u32| {
        ids.get(position as usize).copied().ok_or_else(|| ListError::Relative {
            text: quoted(text),
            noun: T::NOUN,
            position,
            count: ids.len(),
            allowed: allowed.to_string(),
        })
    };
    positions.iter().map(|position| at(position.index())).collect()
}

fn strip(text: &str, sign: char) -> (bool, &str) {
    text.strip_prefix(sign).map_or((false, text), |rest| (true, rest))
}

fn problem<T: Id>(element: &str, flaw: SetFlaw) -> String {
    match flaw {
        SetFlaw::TooLarge { .. } => format!("{} {flaw}", T::NOUN),
        SetFlaw::Backwards { .. } => flaw.to_string(),
        _ => format!("'{}' is neither a number nor a range", quoted(element)),
    }
}

/// Of a range only what is allowed between its ends; all of it where that is nothing, to be refused as it was written.
fn in_range<T: Id>(listed: &IdSet<T>, allowed: &IdSet<T>) -> IdSet<T> {
    if !listed.intersects(allowed) {
        return listed.clone();
    }
    let ends: IdSet<T> = listed.first().into_iter().chain(listed.last()).collect();
    listed.intersection(allowed).union(&ends)
}

fn non_empty<T: Id>(text: &str, set: IdSet<T>, allowed: &IdSet<T>) -> Result<IdSet<T>, ListError> {
    if !set.is_empty() {
        Ok(set)
    } else {
        Err(ListError::Nothing { text: quoted(text), noun: T::NOUN, allowed: allowed.to_string() })
    }
}
