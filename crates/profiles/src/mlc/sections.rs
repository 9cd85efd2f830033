//! The parts of MLC's text: each begins with a line `Measuring ...`.

use numawise_facts::notice::{MembenchNotice, MlcLineGap, MlcTable, MlcTableGap};
use numawise_units::harmless::quoted;

/// Of two parts with the same table the first is taken.
fn same_table(one: MlcTable, other: MlcTable) -> bool {
    let plain = |table| if table == MlcTable::MaximumBandwidths { MlcTable::PeakBandwidths } else { table };
    plain(one) == plain(other)
}

/// One part of the text.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub table: MlcTable,
    pub heading: &'a str,
    /// The lines after the heading, numbered from 1 in the text.
    lines: Vec<(usize, &'a str)>,
    /// What MLC said of its buffer before it began.
    pub before: Option<&'a str>,
    /// What MLC was called with, where it says so.
    pub options: &'a str,
    /// Whether there is anything behind the heading.
    pub whole: bool,
}

impl<'a> Section<'a> {
    pub fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> + Clone {
        self.lines.iter().copied()
    }

    /// In which unit the heading says that latencies are; `ns` where it says nothing.
    pub fn unit(&self) -> &'a str {
        let inside = self.heading.rsplit_once("(in ").and_then(|(_, rest)| rest.split(')').next());
        inside.unwrap_or("ns").trim()
    }
}

/// What begins with this line.
pub(super) fn heading(line: &str) -> Option<MlcTable> {
    let rest = line.trim_start().strip_prefix("Measuring ")?.to_ascii_lowercase();
    let tables = [
        // Of all cores one by one: another table, which nothing here holds.
        ("idle latencies", MlcTable::IdleLatencies),
        ("peak injection memory bandwidths", MlcTable::PeakBandwidths),
        ("peak memory bandwidths", MlcTable::PeakBandwidths),
        ("maximum memory bandwidths", MlcTable::MaximumBandwidths),
        ("memory bandwidths between nodes", MlcTable::Bandwidths),
        ("loaded latencies", MlcTable::LoadedLatencies),
        ("cache-to-cache transfer latency", MlcTable::Transfers),
    ];
    let (_, table) = tables.into_iter().find(|(words, _)| rest.starts_with(words))?;
    (!rest.contains("for all cores")).then_some(table)
}

/// All parts that are understood, each table once; and what is left out.
pub(super) fn sections(text: &str) -> (Vec<Section<'_>>, Vec<MembenchNotice>) {
    let (parts, mut notices) = parts(text);
    let mut sections = Vec::new();
    for part in parts {
        notices.extend(take(&mut sections, part));
    }
    (sections, notices)
}

/// The parts as they come.
fn parts(text: &str) -> (Vec<Section<'_>>, Vec<MembenchNotice>) {
    let (mut parts, mut notices): (Vec<Section<'_>>, Vec<MembenchNotice>) = (Vec::new(), Vec::new());
    let (mut before, mut options, mut open) = (None, "", false);
    let left_out = |line: &str, because| MembenchNotice::MlcLineLeftOut { line: quoted(line), because };
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim();
        if trimmed.contains(super::TITLE) {
            (before, options, open) = (None, "", false);
        } else if let Some(rest) = trimmed.strip_prefix("Command line parameters:") {
            options = rest.trim();
        } else if trimmed.starts_with("Using buffer size of ") {
            (before, open) = (Some(trimmed), false);
        } else if trimmed.starts_with("Each iteration took ") {
            notices.push(left_out(trimmed, MlcLineGap::NodesNotNamed));
        } else if trimmed.starts_with("Measuring ") {
            let table = heading(line);
            open = table.is_some();
            match table {
                Some(table) => {
                    let lines = Vec::new();
                    parts.push(Section { table, heading: trimmed, lines, before, options, whole: false });
                }
                None => notices.push(left_out(trimmed, MlcLineGap::NotKnown)),
            }
        } else if let Some(part) = parts.last_mut().filter(|_| open) {
            part.lines.push((number, line));
            part.whole |= trimmed.starts_with(|c: char| c.is_ascii_digit())
                || trimmed.contains("latency")
                || (trimmed.contains("Reads") && trimmed.contains(':'));
        }
    }
    (parts, notices)
}

/// Takes a part unless there is one of its table already, which the answer says.
fn take<'a>(sections: &mut Vec<Section<'a>>, section: Section<'a>) -> Option<MembenchNotice> {
    let left_out = |table, because| Some(MembenchNotice::MlcTableLeftOut { table, because });
    let table = section.table;
    match sections.iter_mut().find(|other| same_table(other.table, table)) {
        // The peak without searching is what we measure too.
        Some(other) if (other.table, table) == (MlcTable::MaximumBandwidths, MlcTable::PeakBandwidths) => {
            *other = section;
            left_out(MlcTable::MaximumBandwidths, MlcTableGap::OtherTable(table))
        }
        Some(other) if other.table != table => left_out(table, MlcTableGap::OtherTable(other.table)),
        Some(_) => left_out(table, MlcTableGap::Twice),
        None => {
            let whole = section.whole;
            sections.push(section);
            if whole { None } else { left_out(table, MlcTableGap::CutOff) }
        }
    }
}
