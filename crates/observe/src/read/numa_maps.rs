//! `/proc/PID/numa_maps`: the pages of every mapping by node, counted by walking the page tables.

use numawise_units::{Bytes, NodeId};

use super::file::number;
use super::maps::hex;
use crate::error::Malformed;

#[cfg(test)]
mod tests;

/// The program's own pages of one mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MappingPages {
    /// Pages of `page` bytes, by node.
    pub nodes: Vec<(NodeId, u64)>,
    /// Size of one page: 4 KiB or the like, or that of hugetlbfs.
    pub page: Bytes,
}

impl MappingPages {
    /// Takes the anonymous pages of a line: `7f00 default anon=5 dirty=5 active=0 N0=3 N1=2 kernelpagesize_kB=4`.
    ///
    /// A private mapping of a file has pages of both kinds; the line gives the nodes of all its pages and the number of
    /// anonymous ones, so these are spread over the nodes as all are. Old kernels do not print the size of a page:
    /// then it is `usual`.
    pub fn parse(line: &[u8], usual: Bytes) -> Result<Self, Malformed> {
        Self::fields(line, usual).ok_or_else(|| {
            Malformed::new(line, "'address policy [anon=N] [N0=pages ...] [kernelpagesize_kB=N]'")
        })
    }

    fn fields(line: &[u8], usual: Bytes) -> Option<Self> {
        let mut fields = line.split(|&byte| byte == b' ').filter(|field| !field.is_empty());
        hex(fields.next()?)?;
        let _policy = fields.next()?;
        let mut nodes: Vec<(NodeId, u64)> = Vec::new();
        let (mut anonymous, mut page) = (0u64, usual);
        for field in fields {
            let Some(equals) = field.iter().position(|&byte| byte == b'=') else {
                continue; // flags: heap, stack, huge
            };
            let (key, value) = (&field[..equals], &field[equals + 1..]);
            match key {
                b"anon" => anonymous = number(value)?,
                b"kernelpagesize_kB" => page = Bytes(number::<u64>(value)?.checked_mul(1024)?),
                // No file name can come here: it stands behind `file=`.
                [b'N', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                    nodes.push((NodeId(number(digits)?), number(value)?));
                }
                _ => {}
            }
        }
        let total = nodes.iter().try_fold(0u64, |sum, (_, pages)| sum.checked_add(*pages))?;
        if anonymous < total {
            for (_, pages) in &mut nodes {
                *pages = (*pages as f64 * anonymous as f64 / total as f64).round() as u64;
            }
        }
        nodes.retain(|(_, pages)| *pages > 0);
        Some(MappingPages { nodes, page })
    }
}
