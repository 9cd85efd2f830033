//! The table of the threads of one task.

use std::cmp::Ordering;

use numawise_facts::Reading;
use numawise_tables::{NodeColumn, ThreadResidency};
use numawise_units::Ratio;

use crate::columns::{Column, Field};
use crate::style::{Palette, Tone};
use crate::table::{Cell, RowId, Table, order};
use crate::text;
use crate::watched::WatchedTask;

pub struct Threads<'a> {
    pub kept: &'a WatchedTask,
    pub nodes: &'a [NodeColumn],
}

impl Threads<'_> {
    fn all(&self) -> &[ThreadResidency] {
        self.kept.task.threads.measured().map_or(&[], Vec::as_slice)
    }
}

fn counted(reading: &Reading<u64>) -> Cell {
    reading.measured().map_or_else(Cell::missing, |count| Cell::plain(text::count(*count)))
}

impl Table for Threads<'_> {
    fn noun(&self) -> (&'static str, &'static str) {
        ("thread", "threads")
    }

    fn columns(&self, _: u16) -> Vec<Column> {
        let mut columns = vec![
            Column::number(Field::Pid, "TID", 7, 0),
            Column::text(Field::Name, "NAME", 9, 7, 1),
            Column::text(Field::State, "S", 1, 0, 5),
            Column::number(Field::Busy, "CPU%", 5, 0),
            Column::text(Field::History, "HISTORY", 10, 30, 6),
            Column::number(Field::Cpu, "ON CPU", 6, 0),
        ];
        if self.nodes.len() > 1 {
            columns.push(Column::number(Field::Nodes, "NODE", 4, 2));
        }
        columns.push(Column::text(Field::Mask, "ALLOWED", 8, 24, 3));
        columns.push(Column::number(Field::Moves, "MOVES", 5, 4));
        columns.push(Column::number(Field::Faults, "FAULTS", 6, 8));
        columns.push(Column::number(Field::Time, "TIME", 8, 7));
        columns
    }

    fn rows(&self) -> usize {
        self.all().len()
    }

    fn id(&self, row: usize) -> RowId {
        RowId(self.all()[row].tid.0 as u64, 0)
    }

    fn matches(&self, row: usize, needle: &str) -> bool {
        let thread = &self.all()[row];
        thread.name.to_lowercase().contains(needle) || thread.tid.to_string().contains(needle)
    }

    fn compare(&self, a: usize, b: usize, by: Field) -> Ordering {
        let (a, b) = (&self.all()[a], &self.all()[b]);
        let figure = |thread: &ThreadResidency| -> Option<f64> {
            match by {
                Field::Busy => thread.share.measured().map(|share| share.0),
                Field::Cpu => Some(f64::from(thread.cpu.0)),
                Field::Nodes => thread.node.map(|node| f64::from(node.0)),
                Field::Mask => thread.mask.measured()?.first().map(|cpu| f64::from(cpu.0)),
                Field::Moves => moves(thread).map(|count| count as f64),
                Field::Faults => thread.recent_faults.measured().map(|count| *count as f64),
                Field::Time => Some(thread.cpu_time.0 as f64),
                Field::State => Some(f64::from(u32::from(thread.state))),
                _ => Some(f64::from(thread.tid.0)),
            }
        };
        match by {
            Field::Name => a.name.cmp(&b.name),
            _ => order(figure(a), figure(b)),
        }
    }

    fn cell(&self, row: usize, by: Field, width: u16, palette: Palette) -> Cell {
        let thread = &self.all()[row];
        match by {
            Field::Pid => Cell::plain(thread.tid.to_string()),
            Field::Name => Cell::plain(text::clean(&thread.name)),
            Field::State => {
                let tone = if thread.state == 'R' { Tone::Good } else { Tone::Plain };
                Cell { text: text::clean(&thread.state.to_string()), tone }
            }
            Field::Busy => match thread.share.measured() {
                Some(Ratio(share)) => {
                    let tone = if thread.busy || *share >= 0.1 { Tone::Plain } else { Tone::Dim };
                    Cell { text: text::share(Ratio(*share)), tone }
                }
                None => Cell::missing(),
            },
            Field::History => {
                let line = self.kept.threads.get(&thread.tid);
                let line = line.map(|history| history.line(usize::from(width), 1.0, palette.levels));
                Cell { text: line.unwrap_or_default(), tone: Tone::Accent }
            }
            Field::Cpu => Cell::plain(thread.cpu.to_string()),
            Field::Nodes => thread.node.map_or_else(Cell::missing, |node| Cell::plain(node.to_string())),
            Field::Mask => match thread.mask.measured() {
                Some(mask) => Cell::plain(mask.to_string()),
                None => Cell::missing(),
            },
            Field::Moves => match moves(thread) {
                Some(0) => Cell { text: "0".to_owned(), tone: Tone::Dim },
                Some(count) => Cell::plain(text::count(count)),
                None => Cell::missing(),
            },
            Field::Faults => counted(&thread.recent_faults),
            Field::Time => Cell::plain(text::clock(thread.cpu_time)),
            _ => Cell::missing(),
        }
    }

    fn ended(&self, _: usize) -> bool {
        self.kept.ended.is_some()
    }

    fn nothing(&self) -> String {
        match self.kept.task.threads.reason() {
            Some(reason) => format!("threads unavailable: {}", text::clean(&reason.0)),
            None => "no threads".to_owned(),
        }
    }
}

/// Migrations between the samples, or since the thread began where there was only one sample.
fn moves(thread: &ThreadResidency) -> Option<u64> {
    thread.recent_migrations.measured().or(thread.migrations.measured()).copied()
}
