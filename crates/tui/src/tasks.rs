//! The table of tasks.

use std::cmp::Ordering;

use numawise_facts::Reading;
use numawise_tables::{NodeColumn, TaskResidency};

use crate::columns::{Column, Field};
use crate::style::{Palette, Tone};
use crate::table::{Cell, RowId, Table, order};
use crate::text;
use crate::watched::WatchedTask;

pub struct Tasks<'a> {
    pub tasks: &'a [WatchedTask],
    pub nodes: &'a [NodeColumn],
    /// No sample has come yet.
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
                Column::number(Field::Node(k), format!("N{}", node.node), 5, 8)
            };
            return self.nodes.iter().enumerate().map(column).collect();
        }
        let width = self.nodes.len().clamp(7, 32) as u16;
        vec![Column::text(Field::Blocks, "BY NODE", width, 0, 6)]
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
        let mut columns = vec![Column::number(Field::Pid, "PID", 7, 0)];
        if self.tasks.iter().any(|kept| kept.task.rank.measured().is_some()) {
            columns.push(Column::number(Field::Rank, "RANK", 5, 2));
        }
        columns.push(Column::text(Field::Name, "NAME", 9, 24, 0));
        columns.push(Column::number(Field::Threads, "THR", 4, 5));
        columns.push(Column::number(Field::Busy, "BUSY", 5, 0));
        columns.push(Column::text(Field::History, "HISTORY", 10, 20, 9));
        columns.push(Column::text(Field::Mask, "ALLOWED", 7, 10, 7));
        columns.push(Column::number(Field::Moves, "MOVES", 5, 10));
        columns.push(Column::text(Field::Nodes, "NODES", 5, 0, 4));
        columns.push(Column::number(Field::Memory, "MEM", 5, 1));
        if self.nodes.len() > 1 {
            columns.push(Column::number(Field::Local, "LOCAL", 5, 3));
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

    fn compare(&self, a: usize, b: usize, by: Field) -> Ordering {
        let (a, b) = (self.task(a), self.task(b));
        let figure = |task: &TaskResidency| -> Option<f64> {
            match by {
                Field::Rank => task.rank.measured().map(|rank| f64::from(*rank)),
                Field::Threads => threads(task),
                Field::Busy => task.busy.measured().map(|busy| busy.0),
                Field::Moves => moves(task).map(|moves| moves as f64),
                Field::Memory => task.memory.measured().map(|memory| memory.total.0 as f64),
                Field::Local => task.local.measured().map(|local| local.at_most.0),
                Field::Node(k) => Some(task.memory.measured()?.by_node.get(k)?.0 as f64),
                Field::Mask => task.mask.measured()?.first().map(|cpu| f64::from(cpu.0)),
                Field::Nodes => task.runs_on.measured()?.first().map(|node| f64::from(node.0)),
                _ => Some(f64::from(task.pid.0)),
            }
        };
        match by {
            Field::Name => a.name.cmp(&b.name),
            _ => order(figure(a), figure(b)),
        }
    }

    fn cell(&self, row: usize, by: Field, width: u16, palette: Palette) -> Cell {
        let (kept, task) = (&self.tasks[row], self.task(row));
        match by {
            Field::Pid => Cell::plain(task.pid.to_string()),
            Field::Rank => or_missing(&task.rank, u32::to_string),
            Field::Name => Cell::plain(text::clean(&task.name)),
            Field::Threads => or_missing(&task.threads, |threads| text::count(threads.len() as u64)),
            Field::Busy if kept.ended.is_some() => Cell::plain("ended"),
            Field::Busy => or_missing(&task.busy, |busy| text::cpus(*busy)),
            Field::History => {
                let most = threads(task).unwrap_or(1.0).max(1.0) as f32;
                let full = kept.busy.highest(usize::from(width)).clamp(1.0, most.max(1.0));
                Cell { text: kept.busy.line(usize::from(width), full, palette.levels), tone: Tone::Accent }
            }
            Field::Mask => or_missing(&task.mask, ToString::to_string),
            Field::Moves => match moves(task) {
                Some(moves) => Cell::plain(text::count(moves)),
                None => Cell::missing(),
            },
            Field::Nodes => or_missing(&task.runs_on, ToString::to_string),
            Field::Memory => or_missing(&task.memory, |memory| text::amount(memory.total)),
            Field::Local => local_cell(task),
            Field::Node(k) => {
                let bytes = task.memory.measured().and_then(|memory| memory.by_node.get(k));
                bytes.map_or_else(Cell::missing, |bytes| Cell::plain(text::amount(*bytes)))
            }
            Field::Blocks => or_missing(&task.memory, |memory| {
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
        if self.first { "sampling ...".to_owned() } else { "no such process any more".to_owned() }
    }
}
