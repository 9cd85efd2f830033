//! `/proc/PID/status`: memory of a process, and the fallback for masks and switches.

use numawise_units::{Bytes, CpuSet, NodeSet};

use crate::error::Malformed;
use crate::file::number;

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;

/// What we use of `status`. A line that is not there gives `None`: kernel threads and zombies have no memory lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// The most that was resident (`VmHWM`).
    pub peak: Option<Bytes>,
    /// Resident now, files and all (`VmRSS`).
    pub resident: Option<Bytes>,
    /// Resident anonymous memory (`RssAnon`, Linux 4.5).
    pub anonymous: Option<Bytes>,
    /// Resident shared memory (`RssShmem`, Linux 4.5).
    pub shared: Option<Bytes>,
    /// Memory in pages of hugetlbfs, which `VmRSS` leaves out (`HugetlbPages`, Linux 4.4).
    pub huge: Option<Bytes>,
    /// Anonymous memory that is in swap (`VmSwap`).
    pub swapped: Option<Bytes>,
    pub cpus: Option<CpuSet>,
    pub nodes: Option<NodeSet>,
    pub voluntary_switches: Option<u64>,
    pub involuntary_switches: Option<u64>,
    /// The user as which the process acts (the effective one of `Uid`).
    pub user: Option<u32>,
    /// The privileges that it has now, one bit each (`CapEff`).
    pub capabilities: Option<u64>,
    /// The process to which a thread belongs (`Tgid`).
    pub process: Option<i32>,
    /// Who started it (`PPid`).
    pub parent: Option<i32>,
}

impl Status {
    pub fn parse(text: &[u8]) -> Result<Self, Malformed> {
        let mut status = Status::default();
        for line in text.split(|&byte| byte == b'\n') {
            let Some(colon) = line.iter().position(|&byte| byte == b':') else {
                continue;
            };
            let (key, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            let broken = |expected| move || Malformed::new(line, expected);
            let memory = || kilobytes(value).map(Some).ok_or_else(broken("a number of kB"));
            let count = || number(value).map(Some).ok_or_else(broken("a number"));
            match key {
                b"VmHWM" => status.peak = memory()?,
                b"VmRSS" => status.resident = memory()?,
                b"RssAnon" => status.anonymous = memory()?,
                b"RssShmem" => status.shared = memory()?,
                b"HugetlbPages" => status.huge = memory()?,
                b"VmSwap" => status.swapped = memory()?,
                b"Cpus_allowed_list" => {
                    status.cpus = Some(set(value).ok_or_else(broken("a list of CPUs such as 0-3,8"))?);
                }
                b"Mems_allowed_list" => {
                    status.nodes = Some(set(value).ok_or_else(broken("a list of nodes such as 0-1"))?);
                }
                b"CapEff" => {
                    let bits =
                        std::str::from_utf8(value).ok().and_then(|text| u64::from_str_radix(text, 16).ok());
                    status.capabilities = Some(bits.ok_or_else(broken("a hexadecimal number"))?);
                }
                b"Tgid" => status.process = Some(number(value).ok_or_else(broken("a number"))?),
                b"PPid" => status.parent = Some(number(value).ok_or_else(broken("a number"))?),
                b"Uid" => {
                    let effective =
                        value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).nth(1);
                    status.user =
                        Some(effective.and_then(number).ok_or_else(broken("four numbers of users"))?);
                }
                b"voluntary_ctxt_switches" => status.voluntary_switches = count()?,
                b"nonvoluntary_ctxt_switches" => status.involuntary_switches = count()?,
                _ => {}
            }
        }
        Ok(status)
    }

    /// The name of the thread as `status` has it: newlines and backslashes stand as `\n` and `\\`.
    pub fn name(text: &[u8]) -> Option<&[u8]> {
        Some(text.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"Name:"))?.trim_ascii())
    }

    /// Private memory of the process: anonymous and huge pages.
    pub fn own(&self) -> Option<Bytes> {
        Some(self.anonymous? + self.huge.unwrap_or(Bytes(0)))
    }
}

fn kilobytes(text: &[u8]) -> Option<Bytes> {
    let digits = text.strip_suffix(b"kB")?.trim_ascii_end();
    number::<u64>(digits)?.checked_mul(1024).map(Bytes)
}

fn set<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}
