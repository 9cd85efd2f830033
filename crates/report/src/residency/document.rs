//! Residency as people read it: a summary of one screen, then the tables, then what stands out.

mod memory;
mod summary;
mod threads;

use numawise_facts::notice::ResidencyNotice;
use numawise_tables::{Residency, ShareSpan, TaskResidency};
use numawise_units::{Arrange, Bytes, NodeId, harmless};

use crate::document::{Block, Document, Section, Text, list};
use crate::names::clipped;
use crate::notice;

/// With more processes than these, the tables are of the whole job.
const DETAILED: usize = 4;
/// Narrower is not tried: words are longer.
const NARROWEST: usize = 60;

/// How much of residency is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResidencyDetail {
    /// Columns of the reader's terminal, which decide how tables by node are laid out.
    pub width: usize,
    /// A line for each thread; without it, many threads that are alike share one.
    pub every_thread: bool,
}

/// Residency as a document.
pub fn document(residency: &Residency, detail: ResidencyDetail) -> Document {
    // Tables are indented by two.
    let width = detail.width.max(NARROWEST) - 2;
    let mut blocks = summary::blocks(residency);
    if residency.tasks.len() <= DETAILED {
        blocks.extend(residency.tasks.iter().map(|task| one(residency, task, width, detail.every_thread)));
    } else {
        blocks.extend(job(residency, width, detail.every_thread));
    }
    let remarks: Vec<String> =
        residency.job.remarks.iter().map(|remark| format!("{}.", said(remark))).collect();
    blocks.extend(list("remarks", "What stands out", &remarks));
    let notes: Vec<String> = residency.notes.iter().map(said).collect();
    blocks.extend(list("notes", "What could not be seen", &notes));
    let rehearsal: Vec<String> = residency.rehearsal.iter().map(notice::text).collect();
    blocks.extend(list("rehearsal", "Where this was seen", &rehearsal));
    Document {
        tool: "numawise where",
        title: "Residency".to_owned(),
        opening: summary::opening(residency),
        blocks,
        charts: None,
        width: usize::MAX,
    }
}

/// Blocks under a heading, or under none.
fn titled(title: impl Into<String>, blocks: Vec<Block>) -> Block {
    Block::Section(Section { id: None, title: title.into(), blocks })
}

fn one(residency: &Residency, task: &TaskResidency, width: usize, every_thread: bool) -> Block {
    let command =
        task.command.measured().map_or_else(String::new, |line| format!(": {}", harmless::line(line)));
    let title = clipped(&format!("{}{command}", called(task)), width + 2);
    let mut blocks = threads::blocks(residency, std::slice::from_ref(task), every_thread);
    blocks.extend(memory::of_task(residency, task, width));
    titled(title, blocks)
}

fn job(residency: &Residency, width: usize, every_thread: bool) -> Vec<Block> {
    let mut blocks = vec![titled("All threads", threads::blocks(residency, &residency.tasks, every_thread))];
    let mut memory = memory::of_job(residency, width);
    let hint = "For policies and mappings, sample one process: numawise where PID.";
    memory.push(Block::Legend(Text::from(hint)));
    blocks.push(titled("Memory of all processes; what several map counts for each", memory));
    blocks
}

/// With the names in it spelled out.
fn said(notice: &ResidencyNotice) -> String {
    harmless::line(&notice::text(&notice.clone().into()))
}

/// `rank 3, app (1234)` or `app (1234)`.
fn called(task: &TaskResidency) -> String {
    let name = harmless::line(&task.name);
    match task.rank.measured() {
        Some(rank) => format!("rank {rank}, {name} ({})", task.pid),
        None => format!("{name} ({})", task.pid),
    }
}

/// `1 thread`, `2 threads`.
fn count(n: u64, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        _ => format!("{n} {noun}s"),
    }
}

fn over(span: ShareSpan) -> String {
    match span {
        ShareSpan::SinceBegin => "since they began".to_owned(),
        ShareSpan::BetweenSamples(span) => format!("over the last {span}"),
    }
}

/// `0: 1.5 GiB, 1: 12 MiB`: the nodes with the most, as many as there is room for.
fn places(by_node: &[(NodeId, Bytes)], width: usize) -> String {
    let shown = if width >= 110 { 4 } else { 2 };
    let mut by_node = by_node.to_vec();
    by_node.arrange_by_key(|(node, bytes)| (std::cmp::Reverse(*bytes), *node));
    let more = by_node.len().saturating_sub(shown);
    by_node.truncate(shown);
    by_node.arrange_by_key(|(node, _)| *node);
    let mut names: Vec<String> = by_node.iter().map(|(node, bytes)| format!("{node}: {bytes}")).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}
