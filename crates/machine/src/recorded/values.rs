//! Values that hwloc would take for something else without a word: it reads `0xzz` as the empty set and `12x` as 12, and
//! a CPU is gone. So sets and numbers are looked at before hwloc gets them.

use numawise_units::{CpuId, CpuSet, Id, IdSet, NodeId, NodeSet};
use roxmltree::{Document, Node};

use crate::files::{MOST_CACHE, MOST_MEMORY, shortened};

/// Attributes that hold numbers, in XML of hwloc 1 and 2. The value of a PCI device's `value` and the like are left alone.
const NUMBERS: [&str; 9] = [
    "os_index",
    "gp_index",
    "local_memory",
    "cache_size",
    "nbobjs",
    "target_obj_gp_index",
    "initiator_obj_gp_index",
    "forced_efficiency",
    "subkind",
];
const SETS: [&str; 8] = [
    "cpuset",
    "complete_cpuset",
    "online_cpuset",
    "allowed_cpuset",
    "nodeset",
    "complete_nodeset",
    "allowed_nodeset",
    "initiator_cpuset",
];

/// The first value that is not what it should be, with its place.
pub(super) fn problem(document: &Document<'_>) -> Option<String> {
    let mut taken = Taken::default();
    let elements = document.descendants().filter(Node::is_element);
    elements.into_iter().find_map(|element| {
        let found = taken.index(element).or_else(|| in_attributes(element)).or_else(|| in_text(element))?;
        let place = document.text_pos_at(element.range().start);
        Some(format!("{found} at {place}"))
    })
}

/// The numbers of CPUs and nodes so far.
#[derive(Default)]
struct Taken {
    cpus: CpuSet,
    nodes: NodeSet,
}

impl Taken {
    /// What is wrong with the number of a CPU or a node. hwloc makes sets as long as the highest number, and takes minutes and
    /// gigabytes over a very high one, or over none, which it takes for the highest that there is.
    fn index(&mut self, element: Node<'_, '_>) -> Option<String> {
        match element.attribute("type").filter(|_| element.has_tag_name("object"))? {
            kind @ "PU" => one(&mut self.cpus, kind, element),
            kind @ "NUMANode" => one(&mut self.nodes, kind, element),
            _ => None,
        }
    }
}

fn one<T: Id>(taken: &mut IdSet<T>, kind: &str, element: Node<'_, '_>) -> Option<String> {
    let Some(text) = element.attribute("os_index") else {
        return Some(format!("a {kind} has no os_index, which is the number of the {},", T::NOUN));
    };
    match text.parse::<u32>() {
        Ok(index) if index >= T::LIMIT => {
            Some(format!("os_index is {index}, above {}, the highest {} of Linux,", T::LIMIT - 1, T::NOUN))
        }
        Ok(index) if !taken.insert(T::from_index(index)) => {
            Some(format!("it has two {}s {index}, the second one", T::NOUN))
        }
        Ok(_) => None,
        Err(_) => Some(format!("os_index is '{}', not a number below {},", shortened(text), T::LIMIT)),
    }
}

fn in_attributes(element: Node<'_, '_>) -> Option<String> {
    element.attributes().find_map(|attribute| {
        let (name, value) = (attribute.name(), attribute.value());
        let too_large = |most: u64| value.parse::<u64>().is_ok_and(|value| value >= most);
        let expected = if SETS.contains(&name) && !is_bitmap(value) {
            "a set in hexadecimal"
        } else if SETS.contains(&name) && highest(value).is_some_and(|bit| bit >= limit_of_set(name)) {
            return Some(format!("{name} goes up to {}, beyond Linux,", highest(value).unwrap_or_default()));
        } else if NUMBERS.contains(&name) && !is_number(value) {
            "a number"
        } else if name == "local_memory" && too_large(MOST_MEMORY) {
            "an amount of memory below 2^57 bytes"
        } else if name == "cache_size" && too_large(MOST_CACHE) {
            "the size of a cache, below 2^40 bytes"
        } else {
            return None;
        };
        Some(format!("{name} is '{}', not {expected},", shortened(value)))
    })
}

fn limit_of_set(name: &str) -> u64 {
    u64::from(if name.ends_with("nodeset") { NodeId::LIMIT } else { CpuId::LIMIT })
}

/// The highest index in a bitmap that has an end.
fn highest(text: &str) -> Option<u64> {
    let text = text.strip_prefix("0xf...f").map_or(text, |rest| rest.trim_start_matches(','));
    let words: Vec<&str> = text.split(',').collect();
    words.iter().enumerate().find_map(|(k, word)| {
        let value = u32::from_str_radix(word.strip_prefix("0x").unwrap_or(word), 16).ok()?;
        let bit = 31u32.checked_sub(value.leading_zeros())?;
        Some((words.len() - 1 - k) as u64 * 32 + u64::from(bit))
    })
}

/// The values of a matrix.
fn in_text(element: Node<'_, '_>) -> Option<String> {
    if element.tag_name().name() != "u64values" {
        return None;
    }
    let words = element.text().unwrap_or_default().split_whitespace();
    let wrong = words.into_iter().find(|word| !is_number(word))?;
    Some(format!("a distance is '{}', not a number,", shortened(wrong)))
}

/// A few times as many words as the highest CPU takes; zeros may lead.
const MOST_WORDS: usize = 2048;

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Words of at most 32 bits with commas between; `0xf...f` in front stands for a set without end.
fn is_bitmap(text: &str) -> bool {
    let text = text.strip_prefix("0xf...f").map_or(text, |rest| rest.trim_start_matches(','));
    text.split(',').count() <= MOST_WORDS
        && text.split(',').all(|word| {
            let digits = word.strip_prefix("0x").unwrap_or(word);
            digits.len() <= 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}
