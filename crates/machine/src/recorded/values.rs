//! Values that hwloc would take for something else without a word: it reads `0xzz` as the empty set and `12x` as 12, and
//! a CPU is gone. So sets and numbers are looked at before hwloc gets them.

use roxmltree::{Document, Node};

use crate::files::shortened;

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

/// No set takes an index of this or more.
const FIRST_INDEX_OUT: u64 = 65_536;

/// The first value that is not what it should be, with its place.
pub(super) fn problem(document: &Document<'_>) -> Option<String> {
    let elements = document.descendants().filter(Node::is_element);
    elements.into_iter().find_map(|element| {
        let found = in_attributes(element).or_else(|| in_text(element))?;
        let place = document.text_pos_at(element.range().start);
        Some(format!("{found} at {place}"))
    })
}

fn in_attributes(element: Node<'_, '_>) -> Option<String> {
    // hwloc makes sets as long as the highest index, and takes minutes and gigabytes over a very high one.
    let index: Option<u64> = element.attribute("os_index").and_then(|text| text.parse().ok());
    if let (Some("PU" | "NUMANode"), Some(index @ FIRST_INDEX_OUT..)) = (element.attribute("type"), index) {
        return Some(format!("os_index is {index}, above {},", FIRST_INDEX_OUT - 1));
    }
    element.attributes().find_map(|attribute| {
        let (name, value) = (attribute.name(), attribute.value());
        let expected = if SETS.contains(&name) && !is_bitmap(value) {
            "a set in hexadecimal"
        } else if NUMBERS.contains(&name) && !is_number(value) {
            "a number"
        } else {
            return None;
        };
        Some(format!("{name} is '{}', not {expected},", shortened(value)))
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

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Words of at most 32 bits with commas between; `0xf...f` in front stands for a set without end.
fn is_bitmap(text: &str) -> bool {
    let text = text.strip_prefix("0xf...f").map_or(text, |rest| rest.trim_start_matches(','));
    text.split(',').count() <= FIRST_INDEX_OUT as usize / 32
        && text.split(',').all(|word| {
            let digits = word.strip_prefix("0x").unwrap_or(word);
            digits.len() <= 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}
