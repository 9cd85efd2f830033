//! Counting all pages of a process by its `numa_maps`.

use numawise_linux::calls::pages;
use std::path::PathBuf;

use numawise_units::{Bytes, NodeId, Pid};

use super::{ScanProgress, add};
use numawise_linux::Roots;
use numawise_linux::file::Lines;
use numawise_linux::proc::numa_maps::OwnPages;
use numawise_linux::{Error, Malformed};

#[derive(Debug)]
pub(super) struct Walk {
    path: PathBuf,
    lines: Lines,
    usual: Bytes,
    by_node: Vec<(NodeId, Bytes)>,
    pages_seen: u64,
}

impl Walk {
    pub fn open(roots: &Roots, pid: Pid) -> Result<Self, Error> {
        let path = roots.process(pid).join("numa_maps");
        Ok(Walk {
            lines: Lines::open(&path)?,
            path,
            usual: pages::page_size(),
            by_node: Vec::new(),
            pages_seen: 0,
        })
    }

    /// Reads on by one piece of the file.
    pub fn piece(&mut self) -> Result<ScanProgress, Error> {
        let mut problem: Option<Malformed> = None;
        let (usual, by_node, seen) = (self.usual, &mut self.by_node, &mut self.pages_seen);
        let more = self
            .lines
            .piece(|line| match OwnPages::parse(line, usual) {
                Ok(mapping) => {
                    for (node, pages) in mapping.nodes {
                        add(by_node, node, Bytes(pages.saturating_mul(mapping.page.0)));
                        *seen = seen.saturating_add(pages);
                    }
                }
                Err(malformed) => problem = Some(malformed),
            })
            .map_err(|error| Error::from_io(&self.path, error))?;
        match (problem, more) {
            (Some(problem), _) => Err(problem.at(&self.path)),
            (None, true) => Ok(ScanProgress::More),
            // Every process has a stack: nothing at all means that it ended meanwhile.
            (None, false) if self.by_node.is_empty() => Err(Error::Gone { path: self.path.clone() }),
            (None, false) => Ok(ScanProgress::Done {
                by_node: std::mem::take(&mut self.by_node),
                pages_seen: self.pages_seen,
            }),
        }
    }
}
