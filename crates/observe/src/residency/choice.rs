//! Which of the two ways of counting pages to take, by their cost.

use numawise_linux::calls::pages;
use numawise_units::{Bytes, Nanoseconds};

use super::PageSource;

/// How pages are attributed to nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Method {
    /// By cost; with a single node neither is needed.
    #[default]
    Auto,
    /// Always by `numa_maps`, if that can be had.
    NumaMaps,
    /// Always by `move_pages`, if that can be had.
    MovePages,
}

/// What both ways cost.
#[derive(Debug)]
pub(super) struct Costs {
    method: Method,
    /// Walking page tables, for each page; learned from every walk.
    walk_page: f64,
}

/// Before the first walk, nanoseconds for each 4 KiB page (measured: `examples/cost.rs`).
const WALK_PAGE: f64 = 35.0;
/// Asking for one page by `move_pages`, nanoseconds (measured: `examples/cost.rs`).
const QUERY_PAGE: f64 = 300.0;
/// How many times as expensive as a sample a walk may be for shared memory.
const SHARED: f64 = 8.0;
/// Walks smaller than this say nothing of the cost of a page.
const TELLING: u64 = 1024;

impl Costs {
    pub fn new(method: Method) -> Self {
        Costs { method, walk_page: WALK_PAGE }
    }

    /// The better way for a process with `own` bytes of private memory and so many bytes in `all`: `numa_maps` is exact, but must not be
    /// more expensive than a sample; where shared memory is what makes it so, that it shows policies and uses is worth a little more.
    pub fn choose(&self, own: Bytes, all: Bytes, sample: usize) -> PageSource {
        let sampled = QUERY_PAGE * sample as f64;
        match self.method {
            Method::NumaMaps => PageSource::NumaMaps,
            Method::MovePages => PageSource::MovePages,
            Method::Auto
                if self.walk(own).0 as f64 <= sampled && self.walk(all).0 as f64 <= SHARED * sampled =>
            {
                PageSource::NumaMaps
            }
            Method::Auto => PageSource::MovePages,
        }
    }

    /// What walking the pages of a process with `own` bytes of memory costs.
    pub fn walk(&self, own: Bytes) -> Nanoseconds {
        Nanoseconds((self.walk_page * pages(own)) as u64)
    }

    /// Takes the cost of a walk into account.
    pub fn learn_walk(&mut self, own: Bytes, cost: Nanoseconds) {
        let pages = pages(own);
        if pages >= TELLING as f64 {
            // One walk that was disturbed must not keep the next away for long.
            let seen = (cost.0 as f64 / pages).min(4.0 * self.walk_page);
            self.walk_page += (seen - self.walk_page) / 4.0;
        }
    }
}

fn pages(own: Bytes) -> f64 {
    own.0 as f64 / pages::page_size().0 as f64
}
