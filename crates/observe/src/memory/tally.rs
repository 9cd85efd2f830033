//! Adding up mappings by use, node and policy, and what of them is private and writable.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use numawise_facts::{MappingSnapshot, MemorySnapshot, PageUse, PolicyShare};
use numawise_units::{Bytes, NodeId};

use numawise_linux::proc::numa_maps::{MappingName, NumaMapping, spread};

use super::shared::SharedPages;

#[cfg(test)]
#[path = "tally_tests.rs"]
mod tests;

/// Bytes, or pages, by node.
type ByNode = Vec<(NodeId, u64)>;

/// The memory of one process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ProcessMemory {
    /// Its private writable memory, in the order of nodes: the anonymous pages, its copies of the pages of files among them.
    pub private: Vec<(NodeId, Bytes)>,
    /// The pages of the same, each of its own size.
    pub private_pages: u64,
    /// What of `all` other processes may have mapped too, by use and policy.
    pub shared: Vec<SharedPages>,
    /// All that is resident.
    pub all: MemorySnapshot,
}

#[derive(Debug)]
pub(super) struct Tally {
    usual: Bytes,
    by_use: [ByNode; PageUse::ALL.len()],
    policies: Vec<PolicyTotal>,
    /// Where a policy is in `policies`.
    names: HashMap<Vec<u8>, usize>,
    /// The policy of the last mapping: most often that of the next.
    last: usize,
    largest: usize,
    /// The smallest on top, so that it can be put out.
    kept: BinaryHeap<Reverse<LargeMapping>>,
    mappings: u64,
    private: ByNode,
    private_pages: u64,
    /// The anonymous pages of one line.
    anonymous: ByNode,
}

#[derive(Debug)]
struct PolicyTotal {
    name: Vec<u8>,
    mappings: u64,
    bytes: ByNode,
    /// What of it other processes may have mapped too.
    shared: Vec<SharedTotal>,
}

#[derive(Debug)]
struct SharedTotal {
    used_for: PageUse,
    bytes: ByNode,
    /// The process's part of it at least.
    part: u64,
}

/// A mapping among the largest: ordered by size, the lower address first among equals.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LargeMapping {
    bytes: u64,
    address: Reverse<u64>,
    used_for: PageUse,
    policy: usize,
    page: u64,
    by_node: ByNode,
    file: Option<String>,
}

impl Tally {
    pub fn new(usual: Bytes, largest: usize) -> Self {
        Tally {
            usual,
            by_use: Default::default(),
            policies: Vec::new(),
            names: HashMap::new(),
            last: 0,
            largest,
            kept: BinaryHeap::new(),
            mappings: 0,
            private: Vec::new(),
            private_pages: 0,
            anonymous: Vec::new(),
        }
    }

    /// What was added so far, in exchange for a new tally.
    pub fn take(&mut self) -> Tally {
        std::mem::replace(self, Tally::new(self.usual, self.largest))
    }

    /// Takes a mapping with its pages by node. None when they make more bytes than can be.
    pub fn add(&mut self, line: &NumaMapping<'_>, nodes: &[(NodeId, u64)]) -> Option<()> {
        // Only hugetlbfs counts pages of its own size. A mapping of persistent memory names the size that it is mapped
        // with, but its pages are counted as small ones.
        let page = if line.huge { line.page.unwrap_or(self.usual).0 } else { self.usual.0 };
        let bytes = line.pages.checked_mul(page)?;
        self.mappings += 1;
        let policy = self.policy(line.policy);
        self.policies[policy].mappings += 1;
        if bytes == 0 {
            return Some(());
        }
        for &(node, pages) in nodes {
            add(&mut self.policies[policy].bytes, node, pages * page);
        }
        self.add_private(line, nodes, page);
        let used_for = self.by_use(line, nodes, page);
        self.add_shared(line, nodes, page, policy);
        self.keep(bytes, line, nodes, page, used_for, policy);
        Some(())
    }

    fn policy(&mut self, name: &[u8]) -> usize {
        if self.policies.get(self.last).is_some_and(|last| last.name == name) {
            return self.last;
        }
        self.last = match self.names.get(name) {
            Some(&at) => at,
            None => {
                self.names.insert(name.to_vec(), self.policies.len());
                self.policies.push(PolicyTotal {
                    name: name.to_vec(),
                    mappings: 0,
                    bytes: Vec::new(),
                    shared: Vec::new(),
                });
                self.policies.len() - 1
            }
        };
        self.last
    }

    /// Finds the anonymous pages of the line by node. It has the nodes of all pages and the number of anonymous ones, so
    /// these are spread over the nodes as all are.
    fn add_private(&mut self, line: &NumaMapping<'_>, nodes: &[(NodeId, u64)], page: u64) {
        self.anonymous.clear();
        self.anonymous.extend_from_slice(nodes);
        spread(&mut self.anonymous, line.pages, line.anonymous);
        for &(node, pages) in &self.anonymous {
            add(&mut self.private, node, pages * page);
        }
        self.private_pages = self.private_pages.saturating_add(line.anonymous.min(line.pages));
    }

    /// Adds the pages to the uses; gives the use of most of them.
    fn by_use(&mut self, line: &NumaMapping<'_>, nodes: &[(NodeId, u64)], page: u64) -> PageUse {
        let whole = match (line.huge, line.name) {
            (true, _) => Some(PageUse::Huge),
            (_, MappingName::Heap) => Some(PageUse::Heap),
            (_, MappingName::Stack) => Some(PageUse::Stack),
            _ if line.anonymous >= line.pages => Some(PageUse::Private),
            _ => None,
        };
        if let Some(whole) = whole {
            for &(node, pages) in nodes {
                add(&mut self.by_use[whole as usize], node, pages * page);
            }
            return whole;
        }
        let other = if line.file.is_some_and(is_shared_memory) { PageUse::Shared } else { PageUse::File };
        for (&(node, all), &(_, anonymous)) in nodes.iter().zip(&self.anonymous) {
            add(&mut self.by_use[PageUse::Private as usize], node, anonymous * page);
            add(&mut self.by_use[other as usize], node, (all - anonymous) * page);
        }
        if line.anonymous > line.pages / 2 { PageUse::Private } else { other }
    }

    /// Adds the pages that are not the process's own to those that others may have mapped too.
    fn add_shared(&mut self, line: &NumaMapping<'_>, nodes: &[(NodeId, u64)], page: u64, policy: usize) {
        if line.anonymous >= line.pages || matches!(line.name, MappingName::Heap | MappingName::Stack) {
            return;
        }
        let used_for = match (line.huge, line.file.is_some_and(is_shared_memory)) {
            (true, _) => PageUse::Huge,
            (false, true) => PageUse::Shared,
            (false, false) => PageUse::File,
        };
        let totals = &mut self.policies[policy].shared;
        let at = totals.iter().position(|total| total.used_for == used_for).unwrap_or_else(|| {
            totals.push(SharedTotal { used_for, bytes: Vec::new(), part: 0 });
            totals.len() - 1
        });
        let total = &mut totals[at];
        for (&(node, all), &(_, anonymous)) in nodes.iter().zip(&self.anonymous) {
            add(&mut total.bytes, node, (all - anonymous) * page);
        }
        // No page is in more mappings than the one that is in the most.
        total.part = total.part.saturating_add((line.pages - line.anonymous) * page / line.mapped_by);
    }

    fn keep(
        &mut self,
        bytes: u64,
        line: &NumaMapping<'_>,
        nodes: &[(NodeId, u64)],
        page: u64,
        used_for: PageUse,
        policy: usize,
    ) {
        let address = Reverse(line.address);
        if self.kept.len() >= self.largest {
            // Compared before anything is allocated: nearly all mappings are smaller.
            match self.kept.peek() {
                Some(Reverse(least)) if (least.bytes, least.address) < (bytes, address) => self.kept.pop(),
                _ => return,
            };
        }
        let by_node = nodes.iter().map(|&(node, pages)| (node, pages * page)).collect();
        let file = line.file.map(|file| String::from_utf8_lossy(&unescape(file)).into_owned());
        self.kept.push(Reverse(LargeMapping { bytes, address, used_for, policy, page, by_node, file }));
    }

    pub fn finish(self) -> ProcessMemory {
        let name = |policy: usize| String::from_utf8_lossy(&self.policies[policy].name).into_owned();
        let mut by_use = Vec::new();
        for (used_for, bytes) in PageUse::ALL.into_iter().zip(self.by_use) {
            by_use.extend(in_order(bytes).into_iter().map(|(node, bytes)| (used_for, node, bytes)));
        }
        let largest = self.kept.into_sorted_vec().into_iter().map(|Reverse(kept)| MappingSnapshot {
            address: kept.address.0,
            used_for: kept.used_for,
            policy: name(kept.policy),
            page: Bytes(kept.page),
            by_node: in_order(kept.by_node),
            file: kept.file,
        });
        let largest = largest.collect();
        let total = |policy: &PolicyTotal| {
            policy.bytes.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(*bytes))
        };
        let mut policies = self.policies;
        policies.sort_by(|a, b| {
            (total(b), b.mappings).cmp(&(total(a), a.mappings)).then_with(|| a.name.cmp(&b.name))
        });
        let mut shared = Vec::new();
        let by_policy = policies.into_iter().map(|policy| {
            let name = String::from_utf8_lossy(&policy.name).into_owned();
            shared.extend(policy.shared.into_iter().map(|of| SharedPages {
                used_for: of.used_for,
                policy: name.clone(),
                by_node: in_order(of.bytes),
                part: Bytes(of.part),
            }));
            PolicyShare { policy: name, mappings: policy.mappings, by_node: in_order(policy.bytes) }
        });
        let by_policy: Vec<PolicyShare> = by_policy.collect();
        ProcessMemory {
            private: in_order(self.private),
            private_pages: self.private_pages,
            shared,
            all: MemorySnapshot { by_use, by_policy, largest, mappings: self.mappings },
        }
    }
}

fn add(list: &mut ByNode, node: NodeId, bytes: u64) {
    if bytes == 0 {
        return;
    }
    match list.iter_mut().find(|(of, _)| *of == node) {
        Some((_, sum)) => *sum = sum.saturating_add(bytes),
        None => list.push((node, bytes)),
    }
}

fn in_order(list: ByNode) -> Vec<(NodeId, Bytes)> {
    let mut list: Vec<_> =
        list.into_iter().filter(|(_, bytes)| *bytes > 0).map(|(node, bytes)| (node, Bytes(bytes))).collect();
    list.sort_by_key(|(node, _)| *node);
    list
}

/// True for files that are memory and are there to be shared.
pub(crate) fn is_shared_memory(file: &[u8]) -> bool {
    const SHARED: [&[u8]; 5] = [b"/dev/shm/", b"/run/shm/", b"/memfd:", b"/SYSV", b"/dev/zero"];
    SHARED.iter().any(|prefix| file.starts_with(prefix))
}

/// A file name as it is, from one with some bytes written as three octal digits: `/a\040b`.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut found = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        let digits = behind.get(..3).filter(|of| byte == b'\\' && of.iter().all(u8::is_ascii_digit));
        let octal = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match octal {
            Some(octal) => {
                found.push(octal);
                rest = &behind[3..];
            }
            None => {
                found.push(byte);
                rest = behind;
            }
        }
    }
    found
}
