//! The lines above the table: the job, or the task that is opened, in figures and their history.

use numawise_facts::{MemoryKind, Reading};
use numawise_report::notice;
use numawise_tables::{LocalShare, Residency};
use numawise_units::{Bytes, Nanoseconds, Ratio};
use ratatui::text::{Line, Span};

use crate::history::History;
use crate::state::{Level, View};
use crate::style::Palette;
use crate::style::Tone;
use crate::text::{amount, clean, clock, cpus, interval, share};
use crate::watched::WatchedTask;

/// A line, and how soon it goes when there is little room: those with the highest number first.
type Weighed = (u8, Line<'static>);

/// The words before the figures are so wide.
const LABEL: usize = 7;
/// What a node takes: label, line, memory, CPUs.
const NODE: usize = 39;

impl View {
    /// At most `room` lines.
    pub(crate) fn top(&self, width: u16, room: u16, palette: Palette) -> Vec<Line<'static>> {
        let mut lines = vec![(0, self.title_line(usize::from(width), palette))];
        if let Some(sample) = &self.sample {
            match self.opened() {
                Some(kept) => self.task_lines(kept, sample, width.into(), palette, &mut lines),
                None => self.job_lines(sample, width.into(), room, palette, &mut lines),
            }
        }
        while lines.len() > usize::from(room.max(1)) {
            let Some(worst) = (0..lines.len()).max_by_key(|&k| (lines[k].0, k)) else { break };
            lines.remove(worst);
        }
        lines.into_iter().map(|(_, line)| line).collect()
    }

    fn title_line(&self, width: usize, palette: Palette) -> Line<'static> {
        let left = match self.opened() {
            Some(kept) => {
                let rank = kept.task.rank.measured().map(|rank| format!("  rank {rank}")).unwrap_or_default();
                let what =
                    if matches!(self.level, Level::Mappings(_)) { "mappings of" } else { "threads of" };
                format!("{what} {} {}{rank}", kept.task.pid, clean(&kept.task.name))
            }
            None => format!("where  {}", clean(&self.title)),
        };
        let watched =
            self.sample.as_ref().map_or(Nanoseconds(0), |sample| sample.at.saturating_sub(self.first));
        let interval_text = if self.actual_interval > self.interval {
            format!("every {} (samples take long)", interval(self.actual_interval))
        } else {
            format!("every {}", interval(self.interval))
        };
        let right =
            if self.paused { "PAUSED".to_owned() } else { format!("{} {interval_text}", clock(watched)) };
        let tone = if self.paused { Tone::Warn } else { Tone::Dim };
        let room = width.saturating_sub(right.len() + 2);
        let shown = cut(&left, room);
        let gap = width.saturating_sub(Line::raw(&shown).width() + right.len());
        Line::from(vec![
            Span::styled(shown, palette.style(Tone::Accent)),
            Span::raw(" ".repeat(gap)),
            Span::styled(right, palette.style(tone)),
        ])
    }

    fn job_lines(
        &self,
        sample: &Residency,
        width: usize,
        room: u16,
        palette: Palette,
        lines: &mut Vec<Weighed>,
    ) {
        let job = &sample.job;
        let threads = match job.threads {
            1 => "1 thread".to_owned(),
            count => format!("{count} threads"),
        };
        let threads = threads + &left_out(sample, job.left_out.threads);
        lines.push((1, busy_line(&job.busy, &self.busy, &threads, width, palette)));
        let memory = self.memory_words(&job.total) + &left_out(sample, job.left_out.memory);
        lines.push((3, local_line(several(sample, &job.local), &self.local, &memory, width, palette)));
        let nodes: Vec<NodeCell> = (job.by_node.iter().zip(&sample.nodes).enumerate())
            .map(|(k, (total, column))| NodeCell {
                label: node_label(total.node.0, column.kind),
                history: self.nodes.get(k),
                memory: total.memory.measured().copied(),
                busy: if column.cpus { total.busy.measured().copied() } else { None },
                cpus: column.cpus,
            })
            .collect();
        // One node holds everything: its line would only say so.
        if nodes.len() > 1 {
            node_lines(&nodes, width, usize::from(room / 3).max(1), palette, lines);
        }
        for (k, remark) in job.remarks.iter().take(3).enumerate() {
            lines.push((2 + 2 * k as u8, warning(&notice::text(&remark.clone().into()), width, palette)));
        }
        for note in sample.notes.iter().take(1) {
            let text = format!("unavailable: {}", notice::text(&note.clone().into()));
            lines.push((4, Line::styled(cut(&clean(&text), width), palette.style(Tone::Dim))));
        }
    }

    fn task_lines(
        &self,
        kept: &WatchedTask,
        sample: &Residency,
        width: usize,
        palette: Palette,
        lines: &mut Vec<Weighed>,
    ) {
        let task = &kept.task;
        let command = match &task.command {
            Reading::Measured(command) => clean(command),
            Reading::Unavailable { .. } => String::new(),
        };
        if !command.is_empty() {
            lines.push((5, Line::styled(cut(&command, width), palette.style(Tone::Dim))));
        }
        let working = task.working.measured().map(|count| match count {
            1 => "1 thread at work".to_owned(),
            count => format!("{count} threads at work"),
        });
        lines.push((1, busy_line(&task.busy, &kept.busy, &working.unwrap_or_default(), width, palette)));
        let total = task.memory.as_ref().map(|memory| memory.total);
        let memory = self.memory_words(&total);
        lines.push((3, local_line(several(sample, &task.local), &kept.local, &memory, width, palette)));
        if let Reading::Measured(memory) = &task.memory {
            if sample.nodes.len() > 1 {
                let cells: Vec<NodeCell> = (memory.by_node.iter().zip(&sample.nodes))
                    .map(|(bytes, column)| NodeCell {
                        label: node_label(column.node.0, column.kind),
                        history: None,
                        memory: Some(*bytes),
                        busy: None,
                        cpus: true,
                    })
                    .collect();
                share_lines(&cells, memory.total, width, palette, lines);
            }
            if matches!(self.level, Level::Mappings(_)) {
                let used = memory.rows.iter().map(|row| format!("{} {}", row.used_for, amount(row.total)));
                let used: Vec<String> = used.collect();
                lines.push((2, labelled("use", &used.join("  "), width, palette)));
                let held = memory.policies.iter().map(|policy| {
                    let bytes = policy.by_node.iter().map(|(_, bytes)| *bytes).sum();
                    format!("{} {} in {}", clean(&policy.policy), amount(bytes), policy.mappings)
                });
                let held: Vec<String> = held.collect();
                lines.push((2, labelled("policy", &held.join("  "), width, palette)));
            }
        }
        for remark in sample.job.remarks.iter().filter(|remark| remark.tasks().contains(&task.pid)).take(2) {
            lines.push((4, warning(&notice::text(&remark.clone().into()), width, palette)));
        }
    }

    fn memory_words(&self, total: &Reading<Bytes>) -> String {
        let old = match self.memory_age {
            age if age.0 < 1_000_000_000 => String::new(),
            age => format!(" {} old", interval(Nanoseconds(age.0 / 1_000_000_000 * 1_000_000_000))),
        };
        match total {
            Reading::Measured(total) => format!("{total}{old}"),
            Reading::Unavailable { unavailable } => format!("unavailable: {}", clean(&unavailable.0)),
        }
    }
}

/// How many tasks are in no sum; where all are missing there is none.
fn left_out(sample: &Residency, number: u64) -> String {
    match (number, sample.tasks.len()) {
        (0, _) => String::new(),
        (number, tasks) if number == tasks as u64 => String::new(),
        (number, tasks) => format!(", without {number} of {tasks} tasks"),
    }
}

/// A node as the summary shows it.
struct NodeCell<'a> {
    label: String,
    history: Option<&'a History>,
    memory: Option<Bytes>,
    busy: Option<Ratio>,
    cpus: bool,
}

fn node_label(node: u32, kind: MemoryKind) -> String {
    match kind {
        MemoryKind::Dram | MemoryKind::Unknown => format!("node {node}"),
        kind => format!("node {node} {kind}"),
    }
}

/// A line of history takes what the words leave, but not all of a wide screen.
fn spark_width(width: usize) -> usize {
    (width / 4).clamp(8, 60)
}

fn busy_line(
    busy: &Reading<Ratio>,
    history: &History,
    more: &str,
    width: usize,
    palette: Palette,
) -> Line<'static> {
    let spark = spark_width(width);
    // A full character is what was most lately, but one CPU at least: an idle job samples idle.
    let full = history.highest(spark).max(1.0);
    let figure = match busy {
        Reading::Measured(busy) => format!("{} CPUs busy", cpus(*busy)),
        Reading::Unavailable { unavailable } => format!("unavailable: {}", clean(&unavailable.0)),
    };
    let more = if more.is_empty() { String::new() } else { format!(", {more}") };
    spark_line(
        "CPU",
        history.line(spark, full, palette.levels),
        &format!("{figure}{more}"),
        Tone::Plain,
        width,
        palette,
    )
}

/// With one node everything is local, and to say so would be to claim that something was looked at.
fn several<'a>(sample: &Residency, local: &'a Reading<LocalShare>) -> Option<&'a LocalShare> {
    local.measured().filter(|_| sample.nodes.len() > 1)
}

fn local_line(
    local: Option<&LocalShare>,
    history: &History,
    memory: &str,
    width: usize,
    palette: Palette,
) -> Line<'static> {
    let spark = spark_width(width);
    let (figure, tone) = match local {
        Some(local) => {
            let alike = if (local.at_most.0 - local.if_alike.0).abs() < 0.0005 {
                String::new()
            } else {
                format!(" ({} if even)", share(local.if_alike))
            };
            let tone = if local.at_most.0 >= 0.9 { Tone::Good } else { Tone::Warn };
            (format!(", at most {} local{alike}", share(local.at_most)), tone)
        }
        None => (String::new(), Tone::Plain),
    };
    spark_line(
        "memory",
        history.line(spark, 1.0, palette.levels),
        &format!("{memory}{figure}"),
        tone,
        width,
        palette,
    )
}

fn spark_line(
    label: &str,
    spark: String,
    text: &str,
    tone: Tone,
    width: usize,
    palette: Palette,
) -> Line<'static> {
    let room = width.saturating_sub(LABEL + spark.chars().count() + 2);
    Line::from(vec![
        Span::raw(format!("{label:<LABEL$}")),
        Span::styled(spark, palette.style(Tone::Accent)),
        Span::styled(format!("  {}", cut(text, room)), palette.style(tone)),
    ])
}

/// Nodes side by side, as many as fit in a line; what does not fit into the lines is counted.
fn node_lines(cells: &[NodeCell], width: usize, most: usize, palette: Palette, lines: &mut Vec<Weighed>) {
    let per_line = (width / (NODE + 1)).max(1);
    let fits = cells.len().min(per_line * most);
    let spark = NODE - 10 - 1 - 6 - 11;
    let full = cells
        .iter()
        .filter_map(|cell| cell.history)
        .map(|history| history.highest(spark))
        .fold(0.0, f32::max);
    for row in cells[..fits].chunks(per_line) {
        let mut spans = Vec::new();
        for cell in row {
            let history =
                cell.history.map(|history| history.line(spark, full, palette.levels)).unwrap_or_default();
            let memory = cell.memory.map_or("?".to_owned(), amount);
            let busy = match (cell.cpus, cell.busy) {
                (false, _) => "no CPUs".to_owned(),
                (true, Some(busy)) => format!("{} busy", cpus(busy)),
                (true, None) => "? busy".to_owned(),
            };
            spans.push(Span::raw(format!("{:<10}", cell.label)));
            spans.push(Span::styled(format!("{history:<spark$}"), palette.style(Tone::Accent)));
            spans.push(Span::raw(format!(" {memory:>5} {busy:>10} ")));
            spans.push(Span::raw(" "));
        }
        lines.push((3, Line::from(spans)));
    }
    if fits < cells.len() {
        let text = format!("and {} more nodes, in the table", cells.len() - fits);
        lines.push((4, Line::styled(text, palette.style(Tone::Dim))));
    }
}

/// How the memory of a task is spread.
fn share_lines(cells: &[NodeCell], total: Bytes, width: usize, palette: Palette, lines: &mut Vec<Weighed>) {
    const BAR: usize = 8;
    const CELL: usize = 26;
    let per_line = ((width + 1) / (CELL + 1)).max(1);
    for row in cells.chunks(per_line).take(3) {
        let mut spans = Vec::new();
        for cell in row {
            let part = cell.memory.map_or(0.0, |bytes| bytes.0 as f32 / (total.0 as f32).max(1.0));
            spans.push(Span::raw(format!("{:<10}", cell.label)));
            spans.push(Span::styled(bar(part, BAR, palette), palette.style(Tone::Accent)));
            spans.push(Span::raw(format!(" {:>5}   ", cell.memory.map_or("?".to_owned(), amount))));
        }
        lines.push((3, Line::from(spans)));
    }
}

/// A bar; whatever is more than nothing shows.
fn bar(part: f32, width: usize, palette: Palette) -> String {
    let full = palette.levels.of(1.0, 1.0);
    let empty = palette.levels.of(0.0, 1.0);
    let filled = ((part * width as f32).round() as usize).clamp(usize::from(part > 0.0), width);
    (0..width).map(|k| if k < filled { full } else { empty }).collect()
}

fn labelled(label: &str, text: &str, width: usize, palette: Palette) -> Line<'static> {
    Line::from(vec![
        Span::styled(format!("{label:<LABEL$}"), palette.style(Tone::Plain)),
        Span::styled(cut(text, width.saturating_sub(LABEL)), palette.style(Tone::Dim)),
    ])
}

fn warning(text: &str, width: usize, palette: Palette) -> Line<'static> {
    Line::styled(cut(&format!("! {}", clean(text)), width), palette.style(Tone::Warn))
}

/// Cut to so many columns; what is cut is marked.
fn cut(text: &str, width: usize) -> String {
    if Line::raw(text).width() <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    for c in text.chars() {
        shown.push(c);
        if Line::raw(&shown).width() + 1 > width {
            shown.pop();
            break;
        }
    }
    shown.push('~');
    shown
}
