//! What the view remembers: the newest sample, what was before, and where the user is.

use std::collections::HashMap;

use numawise_tables::Residency;
use numawise_units::{Arrange, Nanoseconds};
use ratatui::layout::Rect;

use crate::columns::Field;
use crate::history::History;
use crate::mappings::Mappings;
use crate::table::{RowId, Table, arrange};
use crate::tasks::Tasks;
use crate::threads::Threads;
use crate::watched::{ReadableParts, WatchedTask, between, row_id};

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;

/// So many samples long a task that has ended is shown.
const ENDED_SAMPLES: u32 = 5;

/// Which table is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Tasks,
    Threads(RowId),
    Mappings(RowId),
}

/// What the user has done to a table.
#[derive(Debug, Clone)]
pub struct Position {
    pub by: Field,
    pub reverse: bool,
    pub filter: String,
    /// The row under the cursor; the first one until it was moved.
    pub row: Option<RowId>,
    /// Where that was last, should it go.
    pub at: usize,
    /// The first row on the screen.
    pub top: usize,
}

impl Position {
    fn new(by: Field) -> Self {
        Position { by, reverse: false, filter: String::new(), row: None, at: 0, top: 0 }
    }
}

/// The state of the view. [`View::take`] gives it a sample, [`View::key`] a key, [`View::draw`] shows it.
#[derive(Debug, Clone)]
pub struct View {
    /// What was asked for, as the first line has it.
    pub(crate) title: String,
    pub(crate) sample: Option<Residency>,
    pub(crate) tasks: Vec<WatchedTask>,
    pub(crate) samples: u64,
    pub(crate) first: Nanoseconds,
    pub(crate) memory_age: Nanoseconds,
    pub(crate) busy: History,
    pub(crate) local: History,
    pub(crate) nodes: Vec<History>,
    pub(crate) level: Level,
    pub(crate) positions: [Position; 3],
    /// The letters of a filter are being typed.
    pub(crate) typing: bool,
    pub(crate) help: bool,
    pub(crate) paused: bool,
    pub(crate) interval: Nanoseconds,
    /// Longer than the interval where a sample takes too long.
    pub(crate) actual_interval: Nanoseconds,
    /// How many lines were above the table, in which table and on which screen.
    pub(crate) above: Option<(Level, Rect, u16)>,
    /// How many rows the table had when it was drawn last.
    pub(crate) page: usize,
    /// What could not be done, until the next key.
    pub(crate) message: Option<String>,
}

impl View {
    pub fn new(title: impl Into<String>, interval: Nanoseconds) -> Self {
        View {
            title: title.into(),
            sample: None,
            tasks: Vec::new(),
            samples: 0,
            first: Nanoseconds(0),
            memory_age: Nanoseconds(0),
            busy: History::default(),
            local: History::default(),
            nodes: Vec::new(),
            level: Level::Tasks,
            positions: [Position::new(Field::Pid), Position::new(Field::Busy), Position::new(Field::Memory)],
            typing: false,
            help: false,
            paused: false,
            interval,
            actual_interval: interval,
            above: None,
            page: 10,
            message: None,
        }
    }

    /// The time between samples that the user wants.
    pub fn interval(&self) -> Nanoseconds {
        self.interval
    }

    /// No samples are wanted now.
    pub fn paused(&self) -> bool {
        self.paused
    }

    /// All that was watched has ended.
    pub fn over(&self) -> bool {
        self.samples > 0 && self.tasks.iter().all(|kept| kept.ended.is_some())
    }

    /// How far apart samples really are.
    pub fn set_actual_interval(&mut self, interval: Nanoseconds) {
        self.actual_interval = interval;
    }

    /// A new sample. `memory_age` says how much older than the rest its memory is.
    pub fn take(&mut self, sample: Residency, memory_age: Nanoseconds) {
        if self.samples == 0 {
            self.first = sample.at;
            if sample.tasks.iter().any(|task| task.rank.measured().is_some()) {
                self.positions[0].by = Field::Rank;
            }
        }
        self.samples += 1;
        self.memory_age = memory_age;
        let alone = self.samples == 1 && sample.tasks.len() == 1;
        let known = std::mem::take(&mut self.tasks);
        let mut known: HashMap<RowId, WatchedTask> =
            known.into_iter().map(|kept| (kept.id(), kept)).collect();
        if !sample.tasks.is_empty() {
            self.remember(&sample, &known);
        }
        for task in &sample.tasks {
            let mut kept = known.remove(&row_id(task)).unwrap_or_else(|| WatchedTask::new(task.clone()));
            kept.take(task.clone(), between(&sample));
            self.tasks.push(kept);
        }
        self.keep_ended(known, sample.tasks.is_empty());
        if sample.tasks.is_empty() && self.sample.is_some() {
            return;
        }
        self.sample = Some(sample);
        if alone {
            self.level = Level::Threads(self.tasks[0].id());
        }
    }

    /// Tasks that are gone stay for a few samples; once all are gone, for good, so that the last state can be read.
    fn keep_ended(&mut self, gone: HashMap<RowId, WatchedTask>, all: bool) {
        let mut gone: Vec<WatchedTask> = gone.into_values().collect();
        gone.arrange_by_key(|kept| (kept.task.pid, kept.task.started));
        let opened = match self.level {
            Level::Threads(id) | Level::Mappings(id) => Some(id),
            Level::Tasks => None,
        };
        for mut kept in gone {
            let samples = kept.ended.map_or(1, |samples| samples + 1);
            kept.ended = Some(samples);
            kept.busy.push(None);
            if all || samples <= ENDED_SAMPLES || opened == Some(kept.id()) {
                self.tasks.push(kept);
            }
        }
    }

    /// A sum without a task that was in it before would be a dip that never was: it leaves a gap. A task that could never be
    /// read is left out of all sums alike.
    fn remember(&mut self, sample: &Residency, known: &HashMap<RowId, WatchedTask>) {
        let mut hidden = ReadableParts::default();
        for (task, before) in
            sample.tasks.iter().filter_map(|task| Some((task, known.get(&row_id(task))?.counted)))
        {
            hidden.threads |= before.threads && task.threads.measured().is_none();
            hidden.memory |= before.memory && task.memory.measured().is_none();
        }
        let busy = sample.job.busy.measured().filter(|_| between(sample) && !hidden.threads);
        self.busy.push(busy.map(|busy| busy.0));
        let local = sample.job.local.measured().filter(|_| !hidden.threads && !hidden.memory);
        self.local.push(local.map(|local| local.at_most.0));
        self.nodes.resize_with(sample.job.by_node.len(), History::default);
        for (history, node) in self.nodes.iter_mut().zip(&sample.job.by_node) {
            let memory = node.memory.measured().filter(|_| !hidden.memory);
            history.push(memory.map(|bytes| bytes.0 as f64));
        }
    }

    /// The task that is opened.
    pub(crate) fn opened(&self) -> Option<&WatchedTask> {
        match self.level {
            Level::Tasks => None,
            Level::Threads(id) | Level::Mappings(id) => self.tasks.iter().find(|kept| kept.id() == id),
        }
    }

    pub(crate) fn table(&self) -> Box<dyn Table + '_> {
        let nodes = self.sample.as_ref().map_or(&[][..], |sample| sample.nodes.as_slice());
        match (self.level, self.opened()) {
            (Level::Threads(_), Some(kept)) => Box::new(Threads { kept, nodes }),
            (Level::Mappings(_), Some(kept)) => Box::new(Mappings { kept, nodes }),
            _ => Box::new(Tasks { tasks: &self.tasks, nodes, first: self.samples == 0 }),
        }
    }

    pub(crate) fn position(&self) -> &Position {
        &self.positions[self.index()]
    }

    pub(crate) fn position_mut(&mut self) -> &mut Position {
        let index = self.index();
        &mut self.positions[index]
    }

    fn index(&self) -> usize {
        match self.level {
            Level::Tasks => 0,
            Level::Threads(_) => 1,
            Level::Mappings(_) => 2,
        }
    }

    /// The rows in order, and where the cursor is among them.
    pub(crate) fn arranged(&self) -> (Vec<usize>, usize) {
        let position = self.position();
        let table = self.table();
        let rows = arrange(&*table, &position.filter, position.by, position.reverse);
        let found = position.row.and_then(|id| rows.iter().position(|&row| table.id(row) == id));
        let at = match position.row {
            Some(_) => found.unwrap_or(position.at),
            None => 0,
        };
        let at = at.min(rows.len().saturating_sub(1));
        (rows, at)
    }
}
