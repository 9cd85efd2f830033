//! A job over time on the terminal.

use numawise_tables::{Moment, NodeTimeline, TaskTimeline};

use super::{Series, spark, words};
use crate::check::Style;
use crate::check::words::harmless;
use crate::paint::{Paint, Tone};
use crate::table::{Side, fitted};
use crate::wrap::wrap;

/// Names of lines stand in a column of this width.
const LABEL: usize = 11;
/// As many tasks have a row; the page and the JSON have all.
const TASKS: usize = 40;

/// The series as text, ending with a newline.
pub fn terminal(series: &Series, style: Style) -> String {
    let style = Style { width: style.width.clamp(60, 120), ..style };
    let mut page = Page { series, style, paint: Paint(style.colour), text: String::new() };
    page.text += &wrap(&words::heading(series), "", "", style.width);
    if series.timeline.looks > 0 {
        page.text.push('\n');
        for (name, text) in words::summary(series) {
            page.line(name, &text);
        }
        page.nodes();
        page.tasks();
        page.faint(words::LEGEND);
    }
    page.list("Could not be seen", &series.timeline.unavailable);
    page.text.push('\n');
    page.line("Record", &format!("{} (SQLite: looks, threads, memory)", series.record));
    page.text
}

struct Page<'a> {
    series: &'a Series<'a>,
    style: Style,
    paint: Paint,
    text: String,
}

impl Page<'_> {
    fn heading(&mut self, text: &str) {
        self.text += &format!("\n{}\n", self.paint.bold(Tone::Plain, text));
    }

    fn line(&mut self, name: &str, text: &str) {
        let first = format!("  {name:<LABEL$}");
        let wrapped = wrap(text, &first, &" ".repeat(LABEL + 2), self.style.width);
        let painted = self.paint.tone(Tone::Faint, &first);
        self.text += &wrapped.replacen(&first, &painted, 1);
    }

    fn faint(&mut self, text: &str) {
        for line in wrap(text, "  ", "  ", self.style.width).lines() {
            self.text += &format!("{}\n", self.paint.tone(Tone::Faint, line));
        }
    }

    fn list(&mut self, heading: &str, entries: &[String]) {
        if entries.is_empty() {
            return;
        }
        self.heading(heading);
        for entry in entries {
            self.text += &wrap(entry, "  - ", "    ", self.style.width);
        }
    }

    fn table(&mut self, rows: Vec<Vec<String>>, sides: &[Side], less: &[&str]) {
        for line in fitted(rows, sides, self.style.width - 2, less).lines() {
            self.text += &format!("  {line}\n");
        }
    }

    /// Memory and CPUs of each node, with lines that all have the same scale.
    fn nodes(&mut self) {
        let timeline = self.series.timeline;
        self.heading("By node");
        let titles =
            ["node", "kind", "first", "last", "peak", "at", "CPUs", "memory over time", "CPUs over time"];
        let mut rows = vec![titles.map(str::to_owned).to_vec()];
        let cells = self.spark_width();
        let memory = |moment: &Moment, k: usize| Some(moment.memory.measured()?[k].0 as f64);
        let busy = |moment: &Moment, k: usize| Some(moment.busy.measured()?[k].0);
        let most = |of: &dyn Fn(&Moment, usize) -> Option<f64>| {
            let all =
                timeline.moments.iter().flat_map(|m| (0..timeline.nodes.len()).filter_map(|k| of(m, k)));
            all.fold(0.0, f64::max)
        };
        let (most_memory, most_busy) = (most(&memory), most(&busy));
        for (k, node) in timeline.by_node.iter().enumerate() {
            let draw = |of: &dyn Fn(&Moment, usize) -> Option<f64>, most: f64| {
                let values: Vec<_> = timeline.moments.iter().map(|moment| of(moment, k)).collect();
                spark::line(&values, most, cells)
            };
            let mut row = self.node(node, &timeline.nodes[k].kind.to_string());
            row.extend([draw(&memory, most_memory), draw(&busy, most_busy)]);
            rows.push(row);
        }
        if !self.style.unicode {
            rows.iter_mut().for_each(|row| row.truncate(titles.len() - 2));
        }
        let mut sides = [Side::Right; 9];
        (sides[1], sides[7], sides[8]) = (Side::Left, Side::Left, Side::Left);
        self.table(rows, &sides, &["CPUs over time", "memory over time", "kind", "at"]);
    }

    fn node(&self, node: &NodeTimeline, kind: &str) -> Vec<String> {
        vec![
            node.node.to_string(),
            kind.to_owned(),
            words::size(&node.memory.first),
            words::size(&node.memory.last),
            words::size(&node.memory.peak),
            words::peak_at(self.series, &node.memory),
            words::cpus(&node.busy),
        ]
    }

    /// What the other columns leave, for two of these.
    fn spark_width(&self) -> usize {
        self.style.width.saturating_sub(66).div_euclid(2).clamp(16, 30)
    }

    fn tasks(&mut self) {
        let tasks = &self.series.timeline.tasks;
        self.heading(if tasks.len() == 1 { "The process" } else { "Processes" });
        let titles =
            ["PID", "rank", "name", "threads", "last", "peak", "at", "CPUs", "local", "moved", "seen"];
        let mut rows = vec![titles.map(str::to_owned).to_vec()];
        rows.extend(tasks.iter().take(TASKS).map(|task| self.task(task)));
        let mut sides = vec![Side::Right; titles.len()];
        sides[2] = Side::Left;
        if !words::has_ranks(self.series) {
            rows.iter_mut().for_each(|row| drop(row.remove(1)));
            sides.remove(1);
        }
        self.table(rows, &sides, &["at", "moved", "threads", "seen", "local"]);
        if let Some(left) = tasks.len().checked_sub(TASKS).filter(|left| *left > 0) {
            self.faint(&format!("... and {left} more, with --json and in the page that --html writes"));
        }
    }

    fn task(&self, task: &TaskTimeline) -> Vec<String> {
        vec![
            task.pid.to_string(),
            words::rank(task),
            harmless(&task.name),
            words::count(&task.threads),
            words::size(&task.memory.last),
            words::size(&task.memory.peak),
            words::peak_at(self.series, &task.memory),
            words::cpus(&task.busy),
            words::local_last(&task.local),
            words::count(&task.migrations),
            format!(
                "{}-{}",
                words::after(self.series, task.first_seen),
                words::after(self.series, task.last_seen).trim_start_matches('+')
            ),
        ]
    }
}
