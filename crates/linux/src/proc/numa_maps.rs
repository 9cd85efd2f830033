//! `/proc/PID/numa_maps`: the pages of every mapping by node, counted by walking the page tables.

use std::ops::Range;

use numawise_units::{Bytes, NodeId, stored};

use super::maps::hex;
use crate::error::Malformed;
use crate::file::count;
use crate::roots::Roots;

#[cfg(test)]
#[path = "numa_maps_tests.rs"]
mod tests;

/// One mapping, as its line has it; the nodes are handed out beside it, so that nothing is allocated for a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumaMapping<'a> {
    pub address: u64,
    /// `default`, `bind:0-1`, `prefer (many)=static:0-1`, `weighted interleave:0,2`, ...
    pub policy: &'a [u8],
    /// With spaces, tabs, newlines and equals signs as the kernel escapes them: `\040`.
    pub file: Option<&'a [u8]>,
    pub name: MappingName,
    /// A mapping of hugetlbfs, whose pages are counted whole.
    pub huge: bool,
    /// Pages that are the process's own: anonymous, and its copies of the pages of a file.
    pub anonymous: u64,
    /// All pages: what the nodes have together.
    pub pages: u64,
    /// `mapmax`: in how many mappings, of all processes, the page of it is that is in the most; 1 where the line has none.
    pub mapped_by: u64,
    /// `kernelpagesize_kB`, where the line has it.
    pub page: Option<Bytes>,
}

/// What the kernel calls a mapping without a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappingName {
    Heap,
    Stack,
    Other,
}

impl<'a> NumaMapping<'a> {
    /// Takes `7f00 default file=/lib/a.so anon=5 dirty=5 active=0 N0=3 N1=2 kernelpagesize_kB=4`; the pages by node go to
    /// `nodes`, in place of what was there.
    pub fn parse(line: &'a [u8], nodes: &mut Vec<(NodeId, u64)>) -> Result<Self, Malformed> {
        Self::fields(line, nodes).ok_or_else(|| {
            Malformed::new(line, "'address policy [anon=N] [N0=pages ...] [kernelpagesize_kB=N]'")
        })
    }

    fn fields(text: &'a [u8], nodes: &mut Vec<(NodeId, u64)>) -> Option<Self> {
        nodes.clear();
        let mut words = Words { text, at: 0 };
        let address = hex(&text[words.next()?.all()])?;
        let mut policy = words.next()?.all();
        // Two policies have a name of two words.
        let after = words.at;
        match words.next() {
            Some(second) if second_word(&text[policy.clone()], &text[second.all()]) => {
                policy.end = second.end
            }
            _ => words.at = after,
        }
        let mut line = NumaMapping {
            address,
            policy: &text[policy],
            file: None,
            name: MappingName::Other,
            huge: false,
            anonymous: 0,
            pages: 0,
            mapped_by: 1,
            page: None,
        };
        while let Some(word) = words.next() {
            match word.equals {
                Some(equals) => line.value(&text[word.start..equals], &text[equals + 1..word.end], nodes)?,
                None => line.flag(&text[word.all()]),
            }
        }
        Some(line)
    }

    fn flag(&mut self, word: &[u8]) {
        match word {
            b"heap" => self.name = MappingName::Heap,
            b"huge" => self.huge = true,
            b"stack" => self.name = MappingName::Stack,
            // Linux 3.4 to 4.4 names the stacks of threads: `stack:TID`.
            _ if word.starts_with(b"stack:") => self.name = MappingName::Stack,
            _ => {}
        }
    }

    fn value(&mut self, key: &[u8], value: &'a [u8], nodes: &mut Vec<(NodeId, u64)>) -> Option<()> {
        match key {
            b"anon" => self.anonymous = count(value)?,
            b"kernelpagesize_kB" => self.page = Some(Bytes(count(value)?.checked_mul(1024)?)),
            b"mapmax" => self.mapped_by = count(value)?.max(1),
            b"file" => self.file = Some(value),
            // No file name can come here: it stands behind `file=`.
            [b'N', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                let pages = count(value)?;
                nodes.push((stored(count(digits)?).ok()?, pages));
                self.pages = self.pages.checked_add(pages)?;
            }
            _ => {}
        }
        Some(())
    }
}

/// True when `second` still belongs to the policy: `prefer (many)`, `weighted interleave`.
fn second_word(first: &[u8], second: &[u8]) -> bool {
    second.starts_with(b"(many)") || first == b"weighted" && second.starts_with(b"interleave")
}

/// The words of a line, found in one pass: numa_maps can have hundreds of thousands of lines.
struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

#[derive(Clone, Copy)]
struct Word {
    start: usize,
    /// Where its first equals sign is.
    equals: Option<usize>,
    end: usize,
}

impl Word {
    fn all(self) -> Range<usize> {
        self.start..self.end
    }
}

impl Words<'_> {
    fn next(&mut self) -> Option<Word> {
        let text = self.text;
        let mut at = self.at;
        while *text.get(at)? == b' ' {
            at += 1;
        }
        let start = at;
        let mut equals = None;
        while let Some(&byte) = text.get(at) {
            match byte {
                b' ' => break,
                b'=' if equals.is_none() => equals = Some(at),
                _ => {}
            }
            at += 1;
        }
        self.at = at;
        Some(Word { start, equals, end: at })
    }
}

/// The pages by node of the mapping of this process that begins at an address, or at the nearest one before.
pub fn own_mapping(roots: &Roots, address: u64) -> Option<Vec<(NodeId, u64)>> {
    let text = roots.try_bytes("/proc/self/numa_maps")?;
    let (mut nodes, mut found) = (Vec::new(), None);
    for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        if NumaMapping::parse(line, &mut nodes).ok()?.address > address {
            break;
        }
        found = Some(nodes.clone());
    }
    found
}

/// Cuts the pages of `nodes`, which are `all` together, down to `part` of them: to every node in proportion, and exactly
/// `part` in sum.
pub fn spread(nodes: &mut [(NodeId, u64)], all: u64, part: u64) {
    if part >= all {
        return;
    }
    // Each node gets what the rounded running sum grows by, so that roundings do not add up.
    let share = |pages: u128| (pages * u128::from(part) / u128::from(all)) as u64;
    let mut before = 0u128;
    for (_, pages) in nodes {
        let after = before + u128::from(*pages);
        *pages = share(after) - share(before);
        before = after;
    }
}
