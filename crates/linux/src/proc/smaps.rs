//! `/proc/PID/smaps`: what is resident of every mapping, for kernels without `numa_maps`.

use std::ops::Range;

use numawise_units::Bytes;

use super::maps::Mapping;
use crate::error::Malformed;
use crate::file::count;
use crate::roots::Roots;

#[cfg(test)]
#[path = "smaps_tests.rs"]
mod tests;

/// One mapping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResidentMapping {
    pub addresses: Range<u64>,
    /// The file, or what the kernel calls the mapping in brackets; empty without.
    pub name: Vec<u8>,
    /// All that is resident, but for pages of hugetlbfs.
    pub all: Bytes,
    /// What of it is the process's own.
    pub anonymous: Bytes,
    /// What of it lies in transparent huge pages.
    pub transparent: Bytes,
    /// In pages of hugetlbfs.
    pub huge: Bytes,
    pub page: Option<Bytes>,
}

/// Puts mappings together from lines.
#[derive(Debug, Default)]
pub struct SmapsReader {
    current: Option<ResidentMapping>,
}

impl SmapsReader {
    /// Takes a line; gives the mapping before it when the line begins a new one.
    pub fn line(&mut self, line: &[u8]) -> Result<Option<ResidentMapping>, Malformed> {
        // `Rss:   12 kB` and the like; the first line of a mapping has a colon only in the middle of its fourth word.
        let word = line.split(|&byte| byte == b' ').next().unwrap_or_default();
        if let Some(key) = word.strip_suffix(b":") {
            return self.value(key, line).map(|()| None);
        }
        let mapping = Mapping::parse(line)?;
        let next = ResidentMapping {
            addresses: mapping.addresses,
            name: name(line).to_vec(),
            ..ResidentMapping::default()
        };
        Ok(self.current.replace(next))
    }

    /// The last mapping.
    pub fn end(self) -> Option<ResidentMapping> {
        self.current
    }

    fn value(&mut self, key: &[u8], line: &[u8]) -> Result<(), Malformed> {
        let broken = || Malformed::new(line, "'Name: N kB' below the first line of a mapping");
        let current = self.current.as_mut().ok_or_else(broken)?;
        let target = match key {
            b"Rss" => &mut current.all,
            b"Anonymous" => &mut current.anonymous,
            b"AnonHugePages" => &mut current.transparent,
            b"Shared_Hugetlb" | b"Private_Hugetlb" => &mut current.huge,
            b"KernelPageSize" => current.page.insert(Bytes(0)),
            _ => return Ok(()),
        };
        let text = line[key.len() + 1..].trim_ascii().strip_suffix(b"kB").ok_or_else(broken)?;
        let bytes =
            count(text.trim_ascii_end()).and_then(|number| number.checked_mul(1024)).ok_or_else(broken)?;
        target.0 = target.0.checked_add(bytes).ok_or_else(broken)?;
        Ok(())
    }
}

/// What a process has of the shared memory that it maps, from its `smaps_rollup`: each page divided by the number of mappings that
/// it is in (`Pss_Shmem`, Linux 5.4). None where the kernel does not tell it.
pub fn own_part_of_shared(rollup: &[u8]) -> Option<Bytes> {
    let line = rollup.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"Pss_Shmem:"))?;
    let digits = line.trim_ascii().strip_suffix(b"kB")?.trim_ascii_end();
    count(digits)?.checked_mul(1024).map(Bytes)
}

/// The mapping of this process that holds an address.
pub fn own_mapping(roots: &Roots, address: u64) -> Option<ResidentMapping> {
    let text = roots.try_bytes("/proc/self/smaps")?;
    let holds = |mapping: &ResidentMapping| mapping.addresses.contains(&address);
    let mut reader = SmapsReader::default();
    for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        if let Some(mapping) = reader.line(line).ok()?.filter(holds) {
            return Some(mapping);
        }
    }
    reader.end().filter(holds)
}

/// What stands behind the five words `first-last rights offset device inode`, which may hold spaces.
fn name(line: &[u8]) -> &[u8] {
    let mut rest = line;
    for _ in 0..5 {
        rest = rest.trim_ascii_start();
        let end = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
        rest = &rest[end..];
    }
    rest.trim_ascii()
}
