//! What was counted of one object.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_facts::objects::{
    FileAddress, FirstTouch, HugePages, MemoryObject, ObjectKind, ObjectPages, ObjectUse, PARTS, PartUse,
    PlaceCount, PlaceUse,
};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid};

use super::estimate::LiveEstimate;
use super::lines::PageLines;
use super::live::{Gone, Span};
use super::loads::{Load, Loads};

/// Samples, and those among them that read.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Used {
    pub samples: f64,
    pub reads: f64,
}

impl Used {
    pub fn add(&mut self, more: Used) {
        self.samples += more.samples;
        self.reads += more.reads;
    }
}

/// Who accessed an object from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct User {
    pub thread: u32,
    pub cpu: CpuId,
    /// Where the page lay.
    pub node: Option<NodeId>,
}

/// An object while the program runs.
#[derive(Debug, Clone)]
pub struct Tally {
    kind: ObjectKind,
    process: Pid,
    name: Reading<String>,
    allocated: Reading<Vec<u32>>,
    count: u64,
    now: u64,
    most: u64,
    /// Of those that stand for others.
    estimate: Option<LiveEstimate>,
    total: u64,
    begun: Nanoseconds,
    ended: Nanoseconds,
    pages: Reading<Vec<ObjectPages>>,
    touched: BTreeMap<(u32, CpuId, Option<u32>), (u64, u64)>,
    touched_at: BTreeMap<u32, u64>,
    /// All faults of `touched`.
    faults: u64,
    /// Since when all its pages are there, by the monotonic clock.
    complete: Option<Nanoseconds>,
    used: BTreeMap<User, Used>,
    used_at: BTreeMap<u32, Used>,
    parts: BTreeMap<(u32, u8), f64>,
    lines: PageLines,
    huge: Reading<HugePages>,
    site: Reading<Vec<FileAddress>>,
    loads: Loads,
    is_hidden: bool,
    is_in_python: bool,
}

impl Tally {
    pub fn new(kind: ObjectKind, process: Pid, name: Reading<String>, allocated: Reading<Vec<u32>>) -> Tally {
        Tally {
            kind,
            process,
            name,
            allocated,
            count: 0,
            now: 0,
            most: 0,
            estimate: None,
            total: 0,
            begun: Nanoseconds(u64::MAX),
            ended: Nanoseconds(0),
            pages: Reading::unavailable("not allocated when pages were sampled"),
            touched: BTreeMap::new(),
            touched_at: BTreeMap::new(),
            faults: 0,
            complete: None,
            used: BTreeMap::new(),
            used_at: BTreeMap::new(),
            parts: BTreeMap::new(),
            lines: PageLines::default(),
            huge: Reading::unavailable(
                "the size of its pages was not asked for: it is small, or was there too shortly",
            ),
            site: Reading::unavailable("it is not known in which file its allocation is"),
            loads: Loads::default(),
            is_hidden: false,
            is_in_python: false,
        }
    }

    /// It is none of the program's, and nothing is said of it.
    pub fn hidden(self) -> Tally {
        Tally { is_hidden: true, ..self }
    }

    /// A line of Python allocates it.
    pub fn in_python(self) -> Tally {
        Tally { is_in_python: true, ..self }
    }

    pub fn is_in_python(&self) -> bool {
        self.is_in_python
    }

    /// Other objects are allocated by the same calls.
    pub fn share_site(&mut self) {
        self.site = Reading::unavailable(
            "lines of Python tell it apart, and its calls are those of other objects too",
        );
    }

    /// At these addresses of files.
    pub fn at_site(self, site: Vec<FileAddress>) -> Tally {
        if site.is_empty() { self } else { Tally { site: Reading::Measured(site), ..self } }
    }

    pub fn kind(&self) -> ObjectKind {
        self.kind
    }

    /// Of its allocation, from the innermost function on; nothing where it is not known.
    pub fn call_stack(&self) -> &[u32] {
        self.allocated.measured().map_or(&[], Vec::as_slice)
    }

    pub fn process(&self) -> Pid {
        self.process
    }

    /// Where the calls of its allocation return to, from the innermost on.
    pub fn site(&self) -> &Reading<Vec<FileAddress>> {
        &self.site
    }

    pub fn rename(&mut self, name: String) {
        self.name = Reading::Measured(name);
    }

    /// An allocation that stands for `weight` of them.
    pub fn begin(&mut self, bytes: u64, weight: u32, at: Nanoseconds) {
        let stands_for = bytes.saturating_mul(weight.into());
        if weight > 1 && self.estimate.is_none() {
            self.estimate = Some(LiveEstimate::new(self.now, at));
        }
        if let Some(estimate) = &mut self.estimate {
            estimate.change(at, |now| now.saturating_add(stands_for));
        }
        self.count = self.count.saturating_add(weight.into());
        self.now = self.now.saturating_add(bytes);
        self.most = self.most.max(self.now);
        self.total = self.total.saturating_add(stands_for);
        self.begun = self.begun.min(at);
        self.complete = None;
    }

    pub fn end(&mut self, gone: Gone, at: Nanoseconds) {
        if let Some(estimate) = &mut self.estimate {
            let stood_for = gone.bytes.saturating_mul(gone.weight.into());
            estimate.change(at, |now| now.saturating_sub(stood_for));
        }
        self.now = self.now.saturating_sub(gone.bytes);
        self.ended = self.ended.max(at);
    }

    /// Whether so many page faults at that time, of which one was sampled, can be first accesses to pages: not where all pages were there
    /// before, or as many first accesses were seen as there are pages. The kernel takes pages away for a moment to see who uses them
    /// (NUMA balancing), and copies those of a process that forks.
    pub fn can_be_touched(&self, faults: u64, at: Nanoseconds, page: u64) -> bool {
        /// One page in so many: threads that touch an object together have a sample more or less each.
        const PART: u64 = 64;
        // Small allocations were drawn: nobody knows their pages.
        let pages = if self.kind == ObjectKind::Small { u64::MAX } else { self.all_pages(page) };
        let most = pages.saturating_add(pages / PART);
        // Most of what the sample stands for has room; the first one of a small object always has.
        let has_room = self.faults == 0 || self.faults.saturating_add(faults / 2) <= most;
        has_room && self.complete.is_none_or(|complete| at < complete)
    }

    pub fn touch(&mut self, thread: u32, cpu: CpuId, place: Option<u32>, faults: u64) {
        let (samples, all) = self.touched.entry((thread, cpu, place)).or_default();
        *samples += 1;
        *all += faults;
        self.faults += faults;
        if let Some(place) = place {
            *self.touched_at.entry(place).or_default() += faults;
        }
    }

    /// Pages of which no first access was seen; of memory that is no allocation nobody knows.
    pub fn untouched(&self, page: u64) -> u64 {
        if self.count == 0 { u64::MAX } else { self.all_pages(page).saturating_sub(self.faults) }
    }

    /// Of all its allocations; more than there are of memory that is no allocation.
    fn all_pages(&self, page: u64) -> u64 {
        if self.count == 0 {
            return u64::MAX;
        }
        // An allocation that begins within a page has one more than its bytes.
        (self.total / page.max(1)).saturating_add(self.count)
    }

    /// True while it has an allocation.
    pub fn is_there(&self) -> bool {
        self.now > 0
    }

    pub fn use_by(&mut self, user: User, used: Used) {
        self.used.entry(user).or_default().add(used);
    }

    pub fn use_at(&mut self, place: Option<u32>, used: Used) {
        if let Some(place) = place {
            self.used_at.entry(place).or_default().add(used);
        }
    }

    /// A use of a known address in it, where pages have so many bytes.
    pub fn use_part(&mut self, thread: u32, span: &Span, (address, page): (u64, u64), samples: f64) {
        self.lines.add(address, page, thread, samples);
        *self.parts.entry((thread, part(span, address))).or_default() += samples;
    }

    pub fn loaded(&mut self, load: &Load) {
        self.loads.add(load);
    }

    /// `at`: when it was, by the monotonic clock.
    pub fn looked_at(&mut self, pages: ObjectPages, at: Nanoseconds) {
        let there: u64 = pages.on_nodes.iter().map(|(_, count)| count).sum();
        let is_complete = there == pages.looked_at;
        self.complete = is_complete.then(|| self.complete.unwrap_or(at));
        match &mut self.pages {
            Reading::Measured(all) => all.push(pages),
            Reading::Unavailable { .. } => self.pages = Reading::Measured(vec![pages]),
        }
    }

    /// What of it is in huge pages: kept is what was seen when most of it had memory.
    pub fn in_huge_pages(&mut self, seen: HugePages) {
        if self.huge.measured().is_none_or(|known| known.resident <= seen.resident) {
            self.huge = Reading::Measured(seen);
        }
    }

    /// The kernel did not say where its pages lie.
    pub fn not_looked_at(&mut self, reason: &str) {
        if self.pages.measured().is_none() {
            self.pages = Reading::unavailable(reason.to_owned());
        }
    }

    /// True where there is something to say of it. Variables are there also where nobody uses them: those of a large library by the hundred.
    pub fn is_seen(&self) -> bool {
        let is_allocated = self.count > 0 && self.kind != ObjectKind::Global;
        !self.is_hidden && (is_allocated || self.is_accessed())
    }

    fn is_accessed(&self) -> bool {
        !(self.touched.is_empty() && self.used.is_empty() && self.loads.is_empty())
    }

    pub fn finish(self, begin_of_run: Nanoseconds) -> MemoryObject {
        let since = |at: Nanoseconds| Nanoseconds(at.0.saturating_sub(begin_of_run.0));
        let touch =
            |((thread, cpu, place), (samples, faults))| FirstTouch { thread, cpu, place, samples, faults };
        let used = |(User { thread, cpu, node }, Used { samples, reads })| ObjectUse {
            thread,
            cpu,
            node,
            samples,
            reads,
        };
        MemoryObject {
            kind: self.kind,
            process: self.process,
            name: self.name,
            allocated: self.allocated,
            count: self.count,
            is_estimate: self.estimate.is_some(),
            bytes: Bytes(self.estimate.map_or(0, |estimate| estimate.most()).max(self.most)),
            total: Bytes(self.total),
            begun: if self.count > 0 { since(self.begun) } else { Nanoseconds(0) },
            ended: if self.count > 0 && self.now == 0 {
                Reading::Measured(since(self.ended))
            } else {
                Reading::unavailable("it was there to the end")
            },
            pages: self.pages,
            first_touch: self.touched.into_iter().map(touch).collect(),
            touch_places: self
                .touched_at
                .into_iter()
                .map(|(place, faults)| PlaceCount { place, faults })
                .collect(),
            uses: self.used.into_iter().map(used).collect(),
            parts: self
                .parts
                .into_iter()
                .map(|((thread, part), samples)| PartUse { thread, part, samples })
                .collect(),
            use_places: self
                .used_at
                .into_iter()
                .map(|(place, Used { samples, reads })| PlaceUse { place, samples, reads })
                .collect(),
            lines: self.lines.finish(),
            huge_pages: self.huge,
            loads: self.loads.finish(),
            site: self.site,
        }
    }
}

/// The part of its allocation in which an address lies.
fn part(span: &Span, address: u64) -> u8 {
    let (begin, end) = span.whole;
    let (offset, bytes) =
        (u128::from(address.saturating_sub(begin)), u128::from(end.saturating_sub(begin)).max(1));
    u8::try_from(offset * u128::from(PARTS) / bytes).unwrap_or(PARTS - 1).min(PARTS - 1)
}
