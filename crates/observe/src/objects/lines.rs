//! Who uses which lines of some pages of an object: whether threads share pages of which each uses other bytes.
//!
//! The pages are chosen by a hash of their address, those with the least hashes of all that were used (E. Cohen and H. Kaplan, Summarizing
//! data using bottom-k sketches, PODC 2007). A page that leaves the choice does not come back, so that each page in it was counted from its
//! first use on.

use std::collections::BTreeMap;

use numawise_facts::objects::{LINES, LineUse};

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;

/// Pages of an object.
const PAGES: usize = 32;
/// Lines of a page, each counted for each thread: every line by eight threads. What comes later to a full page is not counted: which
/// nodes share it is known by then.
const USES: usize = 8 * LINES as usize;

/// The choice of one object.
#[derive(Debug, Clone, Default)]
pub struct PageLines {
    /// By the hash of the page.
    pages: BTreeMap<u64, BTreeMap<(u8, u32), f64>>,
}

impl PageLines {
    /// A use of an address, where pages have so many bytes.
    pub fn add(&mut self, address: u64, page: u64, thread: u32, samples: f64) {
        let page = page.max(u64::from(LINES));
        let hash = scattered(address / page);
        let line = u8::try_from(address % page * u64::from(LINES) / page).unwrap_or(LINES - 1);
        if self.pages.len() >= PAGES && !self.pages.contains_key(&hash) {
            let last = self.pages.last_key_value().map_or(0, |(last, _)| *last);
            if hash > last {
                return;
            }
            self.pages.pop_last();
        }
        let uses = self.pages.entry(hash).or_default();
        if uses.len() < USES || uses.contains_key(&(line, thread)) {
            *uses.entry((line, thread)).or_default() += samples;
        }
    }

    pub fn finish(self) -> Vec<LineUse> {
        let pages = (0..).zip(self.pages.into_values());
        let of_page = |(page, uses): (u32, BTreeMap<(u8, u32), f64>)| {
            uses.into_iter().map(move |((line, thread), samples)| LineUse { page, line, thread, samples })
        };
        pages.flat_map(of_page).collect()
    }
}

/// Numbers that lie close together become numbers anywhere: the finaliser of `SplitMix64` (S. Vigna, public domain), which is a bijection.
fn scattered(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
