//! Where pages lie: those that were just used, and from time to time a part of those of each object.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use numawise_facts::objects::{HugePages, ObjectPages};
use numawise_linux::calls::pages::{page_nodes, page_size};
use numawise_units::{Bytes, Nanoseconds, NodeId, Pid};

use super::huge::{HugePageReader, Part};
use super::live::Span;
use super::tally::{Tally, Used, User};

#[cfg(test)]
#[path = "residence_tests.rs"]
mod tests;

/// A use of which it is asked where the page lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageQuestion {
    pub process: Pid,
    pub address: u64,
    pub object: u32,
    pub user: User,
    pub used: Used,
}

/// Where the allocations of an object begin and end.
type Spans = Vec<(u64, u64)>;

/// What the kernel said of pages of one object.
#[derive(Debug)]
struct Answer {
    process: Pid,
    object: u32,
    bytes: u64,
    /// Addresses, and the node of each that is there.
    pages: io::Result<Vec<(u64, Option<NodeId>)>>,
}

/// One look at the objects of all processes.
#[derive(Debug)]
struct Look {
    at: Nanoseconds,
    answers: Vec<Answer>,
    huge: Vec<(Pid, BTreeMap<u32, HugePages>)>,
}

/// Asks the kernel.
#[derive(Debug, Default)]
pub struct Residence {
    questions: Vec<PageQuestion>,
    /// Those that are not believed yet.
    pending: VecDeque<Look>,
    /// When objects are looked at next, by the monotonic clock.
    next: Nanoseconds,
    looks: u32,
    huge: HugePageReader,
}

/// Pages of one object that are looked at: a share is then known within 6 points. A page takes 0.2 to 0.3 us.
const PAGES: u64 = 256;
/// Objects that are looked at, the largest.
const OBJECTS: usize = 100;
/// An object with less is one of many.
const LEAST: u64 = 64 * 1024;
/// Time to the first look; the next ones are further and further apart, up to the last.
const FIRST: Nanoseconds = Nanoseconds(20_000_000);
const LAST: Nanoseconds = Nanoseconds(2_000_000_000);

impl Residence {
    pub fn ask(&mut self, question: PageQuestion) {
        self.questions.push(question);
    }

    /// Asks for all that was used since the last time.
    pub fn answer(&mut self, objects: &mut [Tally]) {
        let mut questions = std::mem::take(&mut self.questions);
        questions.sort_by_key(|question| question.process);
        for of_process in questions.chunk_by(|one, other| one.process == other.process) {
            let addresses: Vec<u64> = of_process.iter().map(|question| question.address).collect();
            let nodes =
                nodes_of(of_process[0].process, &addresses).unwrap_or_else(|_| vec![None; addresses.len()]);
            for (question, node) in of_process.iter().zip(nodes) {
                let user = User { node, ..question.user };
                objects[question.object as usize].use_by(user, question.used);
            }
        }
    }

    /// Whether objects are to be looked at.
    pub fn is_due(&self, now: Nanoseconds, begin: Nanoseconds) -> bool {
        now >= self.next.max(Nanoseconds(begin.0 + FIRST.0))
    }

    /// Asks for pages of the largest objects, of those that are known: what the program did shortly before is not. What is found is kept
    /// until [`Residence::confirm`].
    pub fn look_at<S: Iterator<Item = (u64, Span)>>(
        &mut self,
        processes: impl Iterator<Item = (Pid, S)>,
        at: Nanoseconds,
    ) {
        let is_huge_due = self.huge.is_due(at);
        let mut look = Look { at, answers: Vec::new(), huge: Vec::new() };
        for (process, spans) in processes {
            let mut by_object: BTreeMap<u32, Spans> = BTreeMap::new();
            for (begin, span) in spans {
                by_object.entry(span.object).or_default().push((begin, span.end));
            }
            let bytes = |spans: &[(u64, u64)]| spans.iter().map(|(begin, end)| end - begin).sum::<u64>();
            let mut largest: Vec<(u64, u32, Spans)> =
                by_object.into_iter().map(|(object, spans)| (bytes(&spans), object, spans)).collect();
            largest.retain(|(bytes, ..)| *bytes >= LEAST);
            largest.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
            largest.truncate(OBJECTS);
            for (bytes, object, spans) in &largest {
                let addresses = strewn(*bytes, spans, self.looks);
                let pages =
                    nodes_of(process, &addresses).map(|nodes| addresses.into_iter().zip(nodes).collect());
                look.answers.push(Answer { process, object: *object, bytes: *bytes, pages });
            }
            if is_huge_due {
                look.huge.push((process, self.huge.read(process, at, parts(&largest))));
            }
        }
        // Longer by a half each time that there was something to see: the begin of a program, when its memory is filled, is seen best.
        self.looks += u32::from(!look.answers.is_empty());
        let wait = (FIRST.0 as f64 * 1.5f64.powi(self.looks.min(40) as i32)).min(LAST.0 as f64);
        self.next = Nanoseconds(at.0.saturating_add(wait as u64));
        if !look.answers.is_empty() {
            self.pending.push_back(look);
        }
    }

    /// When the first look was that waits for [`Residence::confirm`].
    pub fn waits_for(&self) -> Option<Nanoseconds> {
        self.pending.front().map(|look| look.at)
    }

    /// Takes over the first look that waits, once all is known that happened until then: what had gone from an address, unknown to us, is not
    /// said to have been there. `object_at`: what lay at an address then.
    pub fn confirm(
        &mut self,
        object_at: impl Fn(Pid, u64) -> Option<u32>,
        objects: &mut [Tally],
        begin: Nanoseconds,
    ) {
        let Some(Look { at, answers, huge }) = self.pending.pop_front() else { return };
        for Answer { process, object, bytes, pages } in answers {
            let tally = &mut objects[object as usize];
            match pages {
                Ok(mut pages) => {
                    let all = pages.len();
                    pages.retain(|(address, _)| object_at(process, *address) == Some(object));
                    if !pages.is_empty() {
                        let bytes = part_of(bytes, (pages.len(), all));
                        tally.looked_at(of_nodes(at.saturating_sub(begin), &pages, bytes), at);
                    }
                }
                Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {
                    tally.not_looked_at("the program had ended when one of ours came to look at its pages");
                }
                Err(error) => {
                    tally.not_looked_at(&format!("the kernel does not say where its pages lie: {error}"));
                }
            }
        }
        for (process, seen) in huge {
            for (object, seen) in seen {
                let tally = &mut objects[object as usize];
                if tally.process() == process && tally.is_there() {
                    tally.in_huge_pages(seen);
                }
            }
        }
    }
}

fn part_of(bytes: u64, (part, all): (usize, usize)) -> u64 {
    let of = u128::from(bytes) * part as u128 / all.max(1) as u128;
    u64::try_from(of).unwrap_or(bytes)
}

fn of_nodes(at: Nanoseconds, pages: &[(u64, Option<NodeId>)], bytes: u64) -> ObjectPages {
    let mut on_nodes: BTreeMap<NodeId, u64> = BTreeMap::new();
    for node in pages.iter().filter_map(|(_, node)| *node) {
        *on_nodes.entry(node).or_default() += 1;
    }
    let on_nodes = on_nodes.into_iter().collect();
    ObjectPages { at, looked_at: pages.len() as u64, on_nodes, bytes: Bytes(bytes) }
}

/// Where the large ones of these lie.
fn parts(objects: &[(u64, u32, Spans)]) -> Vec<Part> {
    let large = objects.iter().filter(|(bytes, ..)| HugePageReader::is_large(*bytes));
    large
        .flat_map(|(_, object, spans)| {
            spans.iter().map(|(begin, end)| Part { begin: *begin, end: *end, object: *object })
        })
        .collect()
}

/// An address at random in each of so many equal parts of all spans, other ones at each look. Steps of one length would meet pages of one
/// node only where pages are interleaved.
fn strewn(bytes: u64, spans: &[(u64, u64)], look: u32) -> Vec<u64> {
    let page = page_size().0.max(1);
    let count = (bytes / page).clamp(1, PAGES);
    let step = (bytes / count).max(1);
    // As many as there are pages: each once.
    let is_each = step < page + page / PAGES;
    let mut addresses = Vec::with_capacity(count as usize + 1);
    let (mut behind, mut part) = (0, 0);
    let wanted_in = |part: u64| {
        let within = if is_each { 0 } else { mixed(u64::from(look) << 32 | part) % step };
        part * step + within
    };
    for (begin, end) in spans {
        let length = end - begin;
        while part < count && wanted_in(part) < behind + length {
            addresses.push(begin + (wanted_in(part) - behind));
            part += 1;
        }
        behind += length;
    }
    addresses
}

/// A number in which all bits depend on all of the given one: SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom
/// number generators, OOPSLA 2014).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// The node of each page; none for those that are not there.
fn nodes_of(process: Pid, addresses: &[u64]) -> io::Result<Vec<Option<NodeId>>> {
    let page = page_size().0.max(1);
    let pages: Vec<usize> = addresses.iter().map(|address| (address / page * page) as usize).collect();
    let mut nodes = vec![0; pages.len()];
    page_nodes(process, &pages, &mut nodes)?;
    Ok(nodes.into_iter().map(|node| u32::try_from(node).ok().map(NodeId)).collect())
}
