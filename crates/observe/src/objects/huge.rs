//! How much of large objects lies in huge pages, by the `smaps` of their processes.

use std::collections::BTreeMap;
use std::time::Instant;

use numawise_facts::objects::HugePages;
use numawise_linux::calls::pages::page_size;
use numawise_linux::proc::smaps::{ResidentMapping, SmapsReader};
use numawise_linux::{Malformed, Roots};
use numawise_units::{Bytes, Nanoseconds, Pid};

#[cfg(test)]
#[path = "huge_tests.rs"]
mod tests;

/// Objects with less are not asked for: what huge pages bring begins far above.
const LEAST: u64 = 32 << 20;
/// The kernel walks all pages of a process for its `smaps`, 50 to 120 ns each. It is not read again before so many times as long as it took.
const WAIT: u64 = 200;

/// Bytes of an object, from and to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    pub begin: u64,
    pub end: u64,
    pub object: u32,
}

/// Reads it from time to time.
#[derive(Debug, Default)]
pub struct HugePageReader {
    next: Nanoseconds,
}

impl HugePageReader {
    pub fn is_due(&self, now: Nanoseconds) -> bool {
        now >= self.next
    }

    /// Whether an object is asked for.
    pub fn is_large(bytes: u64) -> bool {
        bytes >= LEAST
    }

    /// What lies in huge pages of the parts of one process; nothing where it has ended.
    pub fn read(&mut self, process: Pid, now: Nanoseconds, parts: Vec<Part>) -> BTreeMap<u32, HugePages> {
        if parts.is_empty() {
            return BTreeMap::new();
        }
        let begun = Instant::now();
        let path = Roots::live().process(process).join("smaps");
        let text = std::fs::read(path).unwrap_or_default();
        // A line that cannot be read: what follows it belongs to a mapping that is not known.
        let found = huge_pages(&text, parts, page_size()).unwrap_or_default();
        let took = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.next = self.next.max(Nanoseconds(now.0.saturating_add(took.saturating_mul(WAIT))));
        found
    }
}

/// What each object has by the text of `smaps`: of each mapping the part that its bytes are.
fn huge_pages(text: &[u8], mut parts: Vec<Part>, page: Bytes) -> Result<BTreeMap<u32, HugePages>, Malformed> {
    parts.sort_unstable();
    let mut found = BTreeMap::new();
    let mut reader = SmapsReader::default();
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        if let Some(mapping) = reader.line(line)? {
            add(&mut found, &mapping, &parts, page);
        }
    }
    if let Some(mapping) = reader.end() {
        add(&mut found, &mapping, &parts, page);
    }
    Ok(found)
}

fn add(found: &mut BTreeMap<u32, HugePages>, mapping: &ResidentMapping, parts: &[Part], page: Bytes) {
    let (begin, end) = (mapping.addresses.start, mapping.addresses.end);
    let first = parts.partition_point(|part| part.end <= begin);
    for part in parts[first..].iter().take_while(|part| part.begin < end) {
        let both = part.end.min(end).saturating_sub(part.begin.max(begin));
        let share = |bytes: u64| {
            let of = u128::from(bytes) * u128::from(both) / u128::from((end - begin).max(1));
            Bytes(u64::try_from(of).unwrap_or(u64::MAX))
        };
        let of = found.entry(part.object).or_insert(HugePages { page, resident: Bytes(0), huge: Bytes(0) });
        let resident = share(mapping.all.0.saturating_add(mapping.huge.0));
        let huge = share(mapping.transparent.0.saturating_add(mapping.huge.0));
        of.resident = Bytes(of.resident.0.saturating_add(resident.0));
        of.huge = Bytes(of.huge.0.saturating_add(huge.0));
    }
}
