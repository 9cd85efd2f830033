//! The text of Intel's Memory Latency Checker (MLC) as a profile: versions 3.1 to 3.11 print alike.
//!
//! What MLC reports is one figure a cell, without repetitions: estimates of one sample. What its text does not say (CPUs, numbers
//! of threads, delays as times, when it ran and where) stays unavailable with that reason. A table that is not in the text is
//! there all the same where the cells of another one are known, unavailable cell by cell.

use numawise_facts::notice::{MembenchNotice, MlcTable};
use numawise_facts::{
    Depth, Estimate, Fingerprint, MemoryKind, Notice, Profile, ProfileHeader, ProfileNode, ProfileOrigin,
    Reading,
};
use numawise_units::{Bytes, NodeId, harmless};

mod matrix;
mod sections;
mod tables;
#[cfg(test)]
#[path = "mlc_tests.rs"]
mod tests;

use sections::Section;
use tables::Tables;

/// Why there is no profile in a text of MLC.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MlcError {
    /// The text has none of MLC's tables down to this line, its last.
    NoTable {
        line: usize,
    },
    Table(Broken),
}

impl From<Broken> for MlcError {
    fn from(broken: Broken) -> Self {
        MlcError::Table(broken)
    }
}

/// Where the text makes no sense.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    /// Counted from 1.
    pub line: usize,
    pub problem: String,
}

/// So many lines and tables may be left out, each with a notice: the longest output of MLC has a dozen of them.
const MOST_LEFT_OUT: usize = 1000;

const TITLE: &str = "Memory Latency Checker";

/// Whether a text is of MLC: its title, or one of its headings.
pub(crate) fn recognised(text: &str) -> bool {
    text.contains(TITLE) || text.lines().any(|line| sections::heading(line).is_some())
}

/// The text as a profile.
///
/// # Errors
/// When a table is broken, or there is none.
pub(crate) fn profile(text: &str) -> Result<Profile, MlcError> {
    let (sections, mut notices) = sections::sections(text);
    if sections.is_empty() {
        return Err(MlcError::NoTable { line: text.lines().count().max(1) });
    }
    let tables = Tables::read(&sections, &mut notices)?;
    if notices.len() > MOST_LEFT_OUT {
        let problem = format!("more than {MOST_LEFT_OUT} lines down to here are none that MLC prints");
        return Err(Broken { line: text.lines().count(), problem }.into());
    }
    notices.extend(of_the_method(text, &sections));
    let nodes = tables.nodes();
    Ok(Profile {
        arithmetic: Vec::new(),
        caches: Vec::new(),
        latency: tables.latency(buffer(&sections)),
        working_sets: Vec::new(),
        bandwidth: tables.bandwidth(),
        loaded: tables.loaded(nodes.first().copied()),
        transfers: tables.transfers(),
        header: header(text, &nodes, notices, sections.iter().all(|section| section.whole)),
    })
}

fn header(text: &str, nodes: &[NodeId], notices: Vec<MembenchNotice>, complete: bool) -> ProfileHeader {
    ProfileHeader {
        origin: ProfileOrigin::Mlc(version(text)),
        fingerprint: Fingerprint {
            topology: absent("machine"),
            processor: absent("processor"),
            kernel: absent("kernel"),
            firmware: absent("firmware"),
        },
        taken: absent("date"),
        took: absent("duration"),
        depth: Depth::Standard,
        complete,
        nodes: nodes
            .iter()
            .map(|id| ProfileNode {
                id: *id,
                cpus: absent("CPUs"),
                memory: absent("size of a node's memory"),
                kind: MemoryKind::Unknown,
            })
            .collect(),
        vectors: absent("vector instructions"),
        notices: notices.into_iter().map(Notice::from).collect(),
    }
}

/// The version as the title names it.
fn version(text: &str) -> String {
    let title = text.lines().find_map(|line| line.split_once(TITLE).map(|(_, rest)| rest));
    let version = title.and_then(|rest| rest.split_whitespace().find(|word| word.starts_with('v')));
    version.map_or("of an unknown version".to_owned(), |version| {
        harmless::line(&version.chars().take(20).collect::<String>())
    })
}

/// What MLC says of how it measured.
fn of_the_method(text: &str, sections: &[Section<'_>]) -> Vec<MembenchNotice> {
    let mut notices = Vec::new();
    if text.contains("Unable to modify prefetchers") {
        notices.push(MembenchNotice::MlcWithPrefetchers);
    }
    if sections.iter().any(|s| s.table == MlcTable::IdleLatencies && s.heading.contains("sequential")) {
        notices.push(MembenchNotice::MlcInSequence);
    }
    if sections.iter().any(|s| s.lines().any(|(_, line)| line.split_whitespace().next() == Some("Socket"))) {
        notices.push(MembenchNotice::MlcSocketsTakenForNodes);
    }
    if sections.iter().any(|s| s.table == MlcTable::MaximumBandwidths) {
        notices.push(MembenchNotice::MlcMaximumBandwidths);
    }
    notices
}

/// The buffer of the matrix of latencies: `Using buffer size of 2000.000MiB`.
fn buffer(sections: &[Section<'_>]) -> Reading<Bytes> {
    let size =
        sections.iter().filter(|section| section.table == MlcTable::IdleLatencies).find_map(|section| {
            let (_, rest) = section.before?.split_once("Using buffer size of ")?;
            let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let size: f64 = rest[..digits].parse().ok()?;
            let unit = if rest[digits..].starts_with("MB") { 1e6 } else { 1024.0 * 1024.0 };
            rest[digits..].starts_with('M').then_some(Bytes((size * unit) as u64))
        });
    size.map_or_else(|| absent("size of the buffer"), Reading::Measured)
}

/// MLC's text has no such thing.
fn absent<T>(what: &str) -> Reading<T> {
    Reading::unavailable(format!("MLC's text has no {what}"))
}

/// One figure, measured once.
fn once<T: Copy>(value: T) -> Estimate<T> {
    Estimate { median: value, low: value, high: value, samples: 1, disturbed: 0 }
}
