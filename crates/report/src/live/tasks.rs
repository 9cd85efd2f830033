//! The table of tasks.

use std::cmp::Ordering;

use numawise_facts::Reading;
use numawise_tables::{NodeColumn, TaskResidency};

use super::Palette;
use super::grid::Column;
use super::state::Kept;
use super::table::{By, Cell, RowId, Table, Tone, order};
use super::text;

pub struct Tasks<'a> {
    pub tasks: &'a [Kept],
    pub nodes: &'a [NodeColumn],
    /// Nothing has been seen yet.
    pub first: bool,
}

impl Tasks<'_> {
    fn task(&self, row: usize) -> &TaskResidency {
        &self.tasks[row].task
    }

    /// Numbers for each node where they leave room for the rest, or else one character for each.
    fn node_columns(&self, width: u16) -> Vec<Column> {
        if self.nodes.len() < 2 {
            return Vec::new();
        }
        if self.nodes.len() as u16 * 6 + 54 <= width {
            let column = |(k, node): (usize, &NodeColumn)| {
                Column::number(By::Node(k), format!("N{}", node.node), 5, 8)
            };
            return self.nodes.iter().enumerate().map(column).collect();
        }
        let width = self.nodes.len().clamp(7, 32) as u16;
        vec![Column::text(By::Blocks, "BY NODE", width, 0, 6)]
    }
}

/// How much of the memory is local, at most.
pub fn local_cell(task: &TaskResidency) -> Cell {
    let Some(local) = task.local.measured() else { return Cell::missing() };
    // Below nine tenths one access of ten goes far even if everything else is at its best.
    let tone = match local.at_most.0 {
        v if v >= 0.9 => Tone::Good,
        v if v >= 0.5 => Tone::Warn,
        _ => Tone::Bad,
    };
    Cell { text: text::share(local.at_most), tone }
}

fn or_missing<T>(reading: &Reading<T>, show: impl FnOnce(&T) -> String) -> Cell {
    reading.measured().map_or_else(Cell::missing, |value| Cell::plain(show(value)))
}

fn threads(task: &TaskResidency) -> Option<f64> {
    task.threads.measured().map(|threads| threads.len() as f64)
}

fn moves(task: &TaskResidency) -> Option<u64> {
    let threads = task.threads.measured()?;
    let recent = threads.iter().filter_map(|thread| thread.recent_migrations.measured());
    recent.copied().reduce(|a, b| a + b)
}

impl Table for Tasks<'_> {
    fn noun(&self) -> (&'static str, &'static str) {
        ("task", "tasks")
    }

    fn columns(&self, width: u16) -> Vec<Column> {
        let mut columns = vec![Column::number(By::Pid, "PID", 7, 0)];
        if self.tasks.iter().any(|kept| kept.task.rank.measured().is_some()) {
            columns.push(Column::number(By::Rank, "RANK", 5, 2));
        }
        columns.push(Column::text(By::Name, "NAME", 9, 24, 0));
        columns.push(Column::number(By::Threads, "THR", 4, 5));
        columns.push(Column::number(By::Busy, "BUSY", 5, 0));
        columns.push(Column::text(By::History, "HISTORY", 10, 20, 9));
        columns.push(Column::text(By::Mask, "ALLOWED", 7, 10, 7));
        columns.push(Column::number(By::Moves, "MOVES", 5, 10));
        columns.push(Column::text(By::Nodes, "NODES", 5, 0, 4));
        columns.push(Column::number(By::Memory, "MEM", 5, 1));
        if self.nodes.len() > 1 {
            columns.push(Column::number(By::Local, "LOCAL", 5, 3));
        }
        columns.extend(self.node_columns(width));
        columns
    }

    fn rows(&self) -> usize {
        self.tasks.len()
    }

    fn id(&self, row: usize) -> RowId {
        self.tasks[row].id()
    }

    fn matches(&self, row: usize, needle: &str) -> bool {
        let task = self.task(row);
        let command = task.command.measured();
        task.name.to_lowercase().contains(needle)
            || task.pid.to_string().contains(needle)
            || command.is_some_and(|command| command.to_lowercase().contains(needle))
    }

    fn compare(&self, a: usize, b: usize, by: By) -> Ordering {
        let (a, b) = (self.task(a), self.task(b));
        let figure = |task: &TaskResidency| -> Option<f64> {
            match by {
                By::Rank => task.rank.measured().map(|rank| f64::from(*rank)),
                By::Threads => threads(task),
                By::Busy => task.busy.measured().map(|busy| busy.0),
                By::Moves => moves(task).map(|moves| moves as f64),
                By::Memory => task.memory.measured().map(|memory| memory.total.0 as f64),
                By::Local => task.local.measured().map(|local| local.at_most.0),
                By::Node(k) => Some(task.memory.measured()?.by_node.get(k)?.0 as f64),
                By::Mask => task.mask.measured()?.first().map(|cpu| f64::from(cpu.0)),
                By::Nodes => task.runs_on.measured()?.first().map(|node| f64::from(node.0)),
                _ => Some(f64::from(task.pid.0)),
            }
        };
        match by {
            By::Name => a.name.cmp(&b.name),
            _ => order(figure(a), figure(b)),
        }
    }

    fn cell(&self, row: usize, by: By, width: u16, palette: Palette) -> Cell {
        let (kept, task) = (&self.tasks[row], self.task(row));
        match by {
            By::Pid => Cell::plain(task.pid.to_string()),
            By::Rank => or_missing(&task.rank, u32::to_string),
            By::Name => Cell::plain(text::clean(&task.name)),
            By::Threads => or_missing(&task.threads, |threads| text::count(threads.len() as u64)),
            By::Busy if kept.ended.is_some() => Cell::plain("ended"),
            By::Busy => or_missing(&task.busy, |busy| text::cpus(*busy)),
            By::History => {
                let most = threads(task).unwrap_or(1.0).max(1.0) as f32;
                let full = kept.busy.highest(usize::from(width)).clamp(1.0, most.max(1.0));
                Cell { text: kept.busy.line(usize::from(width), full, palette.levels), tone: Tone::Accent }
            }
            By::Mask => or_missing(&task.mask, ToString::to_string),
            By::Moves => match moves(task) {
                Some(moves) => Cell::plain(text::count(moves)),
                None => Cell::missing(),
            },
            By::Nodes => or_missing(&task.runs_on, ToString::to_string),
            By::Memory => or_missing(&task.memory, |memory| text::amount(memory.total)),
            By::Local => local_cell(task),
            By::Node(k) => {
                let bytes = task.memory.measured().and_then(|memory| memory.by_node.get(k));
                bytes.map_or_else(Cell::missing, |bytes| Cell::plain(text::amount(*bytes)))
            }
            By::Blocks => or_missing(&task.memory, |memory| {
                let share = |bytes: &numawise_units::Bytes| bytes.0 as f32;
                let full = memory.by_node.iter().map(share).fold(0.0, f32::max);
                memory.by_node.iter().map(|bytes| palette.levels.of(share(bytes), full)).collect()
            }),
            _ => Cell::missing(),
        }
    }

    fn ended(&self, row: usize) -> bool {
        self.tasks[row].ended.is_some()
    }

    fn nothing(&self) -> String {
        if self.first { "looking ...".to_owned() } else { "no such process any more".to_owned() }
    }
}
