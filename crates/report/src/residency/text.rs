//! Residency on a terminal: a summary of one screen, then the tables, then what stands out.

mod memory;
mod summary;
mod threads;

use numawise_facts::ResidencyNotice;
use numawise_tables::{Residency, ShareSpan, TaskResidency};
use numawise_units::{Bytes, NodeId};

use super::Style;
use crate::document::wrap;
use crate::document::{Paint, Tone};
use crate::names::{clipped, escaped};
use crate::notice;

/// With more processes than these, the tables are of the whole job.
const DETAILED: usize = 4;
/// Narrower is not tried: words are longer.
const NARROWEST: usize = 60;

/// The whole page, ending with a newline.
pub fn text(residency: &Residency, style: &Style) -> String {
    let style = Style { width: style.width.max(NARROWEST), ..*style };
    let mut page = Page { residency, style, paint: Paint(style.colour), text: String::new() };
    page.summary();
    if residency.tasks.len() <= DETAILED {
        for task in &residency.tasks {
            page.one(task);
        }
    } else {
        page.job();
    }
    page.remarks();
    page.notes();
    page.text
}

struct Page<'a> {
    residency: &'a Residency,
    style: Style,
    paint: Paint,
    text: String,
}

impl Page<'_> {
    fn one(&mut self, task: &TaskResidency) {
        let command = task.command.measured().map_or_else(String::new, |line| format!(": {}", escaped(line)));
        let title = clipped(&format!("{}{command}", called(task)), self.style.width);
        self.heading(&title);
        self.threads(std::slice::from_ref(task));
        self.memory_of(task);
    }

    fn job(&mut self) {
        self.heading("All threads");
        self.threads(&self.residency.tasks);
        self.memory_of_job();
        self.faint("For policies and mappings, sample one process: numawise where PID.");
    }

    fn remarks(&mut self) {
        let remarks = &self.residency.job.remarks;
        if remarks.is_empty() {
            return;
        }
        self.heading("What stands out");
        for remark in remarks {
            self.text += &wrap(&format!("{}.", said(remark)), "- ", "  ", self.style.width);
        }
    }

    fn notes(&mut self) {
        if self.residency.notes.is_empty() {
            return;
        }
        self.heading("What could not be seen");
        for note in &self.residency.notes {
            self.text += &wrap(&said(note), "- ", "  ", self.style.width);
        }
    }

    /// A blank line, and a line in bold.
    fn heading(&mut self, title: &str) {
        self.text += &format!("\n{}\n", self.paint.bold(Tone::Plain, title));
    }

    fn faint(&mut self, words: &str) {
        for line in wrap(words, "", "", self.style.width).lines() {
            self.text += &format!("{}\n", self.paint.tone(Tone::Faint, line));
        }
    }
}

/// With the names in it spelled out.
fn said(notice: &ResidencyNotice) -> String {
    escaped(&notice::text(&notice.clone().into()))
}

/// `rank 3, app (1234)` or `app (1234)`.
fn called(task: &TaskResidency) -> String {
    let name = escaped(&task.name);
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
    by_node.sort_by_key(|(node, bytes)| (std::cmp::Reverse(*bytes), *node));
    let more = by_node.len().saturating_sub(shown);
    by_node.truncate(shown);
    by_node.sort_by_key(|(node, _)| *node);
    let mut names: Vec<String> = by_node.iter().map(|(node, bytes)| format!("{node}: {bytes}")).collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}
