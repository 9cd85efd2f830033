//! What the view remembers: the last look, what was before, and where the user is.

use std::collections::HashMap;

use numawise_tables::{Residency, ShareSpan, TaskResidency};
use numawise_units::{Nanoseconds, Pid};
use ratatui::layout::Rect;

use super::history::History;
use super::mappings::Mappings;
use super::table::{By, RowId, Table, arrange};
use super::tasks::Tasks;
use super::threads::Threads;

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;

/// So many looks long a task that has ended is shown.
const ENDED_LOOKS: u32 = 5;

/// A task, as it is or was.
#[derive(Debug, Clone)]
pub struct Kept {
    pub task: TaskResidency,
    /// Since how many looks it is gone.
    pub ended: Option<u32>,
    pub busy: History,
    pub local: History,
    /// The share of a CPU of each thread.
    pub threads: HashMap<Pid, History>,
    /// What of it was in the sums of the job before.
    counted: Counted,
}

/// Whether the threads and the memory of a task could ever be read.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    threads: bool,
    memory: bool,
}

impl Kept {
    fn new(task: TaskResidency) -> Self {
        Kept {
            task,
            ended: None,
            busy: History::default(),
            local: History::default(),
            threads: HashMap::new(),
            counted: Counted::default(),
        }
    }

    /// A number may be used again; with the time when it began it names the task for good.
    pub fn id(&self) -> RowId {
        id(&self.task)
    }

    /// `now` when shares are meant between two looks: those since the beginning are no part of the history.
    fn take(&mut self, task: TaskResidency, now: bool) {
        self.busy.push(task.busy.measured().filter(|_| now).map(|busy| busy.0));
        self.local.push(task.local.measured().map(|local| local.at_most.0));
        self.counted.threads |= task.threads.measured().is_some();
        self.counted.memory |= task.memory.measured().is_some();
        if let Some(threads) = task.threads.measured() {
            for thread in threads {
                let history = self.threads.entry(thread.tid).or_default();
                history.push(thread.share.measured().filter(|_| now).map(|share| share.0));
            }
            self.threads.retain(|tid, _| threads.binary_search_by_key(tid, |thread| thread.tid).is_ok());
        }
        self.task = task;
        self.ended = None;
    }
}

/// Shares of CPUs are those between two looks.
fn between(look: &Residency) -> bool {
    matches!(look.span, ShareSpan::BetweenLooks(_))
}

fn id(task: &TaskResidency) -> RowId {
    RowId(task.pid.0 as u64, task.started.0)
}

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
    pub by: By,
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
    fn new(by: By) -> Self {
        Position { by, reverse: false, filter: String::new(), row: None, at: 0, top: 0 }
    }
}

/// The state of the view. [`View::take`] gives it a look, [`View::key`] a key, [`View::draw`] shows it.
#[derive(Debug, Clone)]
pub struct View {
    /// What was asked for, as the first line has it.
    pub(super) title: String,
    pub(super) look: Option<Residency>,
    pub(super) tasks: Vec<Kept>,
    pub(super) looks: u64,
    pub(super) first: Nanoseconds,
    pub(super) memory_age: Nanoseconds,
    pub(super) busy: History,
    pub(super) local: History,
    pub(super) nodes: Vec<History>,
    pub(super) level: Level,
    pub(super) positions: [Position; 3],
    /// The letters of a filter are being typed.
    pub(super) typing: bool,
    pub(super) help: bool,
    pub(super) paused: bool,
    pub(super) interval: Nanoseconds,
    /// Longer than the interval where a look takes too long.
    pub(super) pace: Nanoseconds,
    /// How many lines were above the table, in which table and on which screen.
    pub(super) above: Option<(Level, Rect, u16)>,
    /// How many rows the table had when it was drawn last.
    pub(super) page: usize,
    /// What could not be done, until the next key.
    pub(super) message: Option<String>,
}

impl View {
    pub fn new(title: impl Into<String>, interval: Nanoseconds) -> Self {
        View {
            title: title.into(),
            look: None,
            tasks: Vec::new(),
            looks: 0,
            first: Nanoseconds(0),
            memory_age: Nanoseconds(0),
            busy: History::default(),
            local: History::default(),
            nodes: Vec::new(),
            level: Level::Tasks,
            positions: [Position::new(By::Pid), Position::new(By::Busy), Position::new(By::Memory)],
            typing: false,
            help: false,
            paused: false,
            interval,
            pace: interval,
            above: None,
            page: 10,
            message: None,
        }
    }

    /// The time between looks that the user wants.
    pub fn interval(&self) -> Nanoseconds {
        self.interval
    }

    /// No looks are wanted now.
    pub fn paused(&self) -> bool {
        self.paused
    }

    /// The task whose largest mappings are shown.
    pub fn mappings_of(&self) -> Option<Pid> {
        match self.level {
            Level::Mappings(RowId(pid, _)) => Some(Pid(pid as i32)),
            _ => None,
        }
    }

    /// All that was watched has ended.
    pub fn over(&self) -> bool {
        self.looks > 0 && self.tasks.iter().all(|kept| kept.ended.is_some())
    }

    /// How far apart looks really are.
    pub fn set_pace(&mut self, pace: Nanoseconds) {
        self.pace = pace;
    }

    /// A new look. `memory_age` says how much older than the rest its memory is.
    pub fn take(&mut self, look: Residency, memory_age: Nanoseconds) {
        if self.looks == 0 {
            self.first = look.at;
            if look.tasks.iter().any(|task| task.rank.measured().is_some()) {
                self.positions[0].by = By::Rank;
            }
        }
        self.looks += 1;
        self.memory_age = memory_age;
        let alone = self.looks == 1 && look.tasks.len() == 1;
        let known = std::mem::take(&mut self.tasks);
        let mut known: HashMap<RowId, Kept> = known.into_iter().map(|kept| (kept.id(), kept)).collect();
        if !look.tasks.is_empty() {
            self.remember(&look, &known);
        }
        for task in &look.tasks {
            let mut kept = known.remove(&id(task)).unwrap_or_else(|| Kept::new(task.clone()));
            kept.take(task.clone(), between(&look));
            self.tasks.push(kept);
        }
        self.keep_ended(known, look.tasks.is_empty());
        if look.tasks.is_empty() && self.look.is_some() {
            return;
        }
        self.look = Some(look);
        if alone {
            self.level = Level::Threads(self.tasks[0].id());
        }
    }

    /// Tasks that are gone stay for a few looks; once all are gone, for good, so that the last state can be read.
    fn keep_ended(&mut self, gone: HashMap<RowId, Kept>, all: bool) {
        let mut gone: Vec<Kept> = gone.into_values().collect();
        gone.sort_by_key(|kept| (kept.task.pid, kept.task.started));
        let opened = match self.level {
            Level::Threads(id) | Level::Mappings(id) => Some(id),
            Level::Tasks => None,
        };
        for mut kept in gone {
            let looks = kept.ended.map_or(1, |looks| looks + 1);
            kept.ended = Some(looks);
            kept.busy.push(None);
            if all || looks <= ENDED_LOOKS || opened == Some(kept.id()) {
                self.tasks.push(kept);
            }
        }
    }

    /// A sum without a task that was in it before would be a dip that never was: it leaves a gap. A task that could never be
    /// read is left out of all sums alike.
    fn remember(&mut self, look: &Residency, known: &HashMap<RowId, Kept>) {
        let mut hidden = Counted::default();
        for (task, before) in look.tasks.iter().filter_map(|task| Some((task, known.get(&id(task))?.counted)))
        {
            hidden.threads |= before.threads && task.threads.measured().is_none();
            hidden.memory |= before.memory && task.memory.measured().is_none();
        }
        let busy = look.job.busy.measured().filter(|_| between(look) && !hidden.threads);
        self.busy.push(busy.map(|busy| busy.0));
        let local = look.job.local.measured().filter(|_| !hidden.threads && !hidden.memory);
        self.local.push(local.map(|local| local.at_most.0));
        self.nodes.resize_with(look.job.by_node.len(), History::default);
        for (history, node) in self.nodes.iter_mut().zip(&look.job.by_node) {
            let memory = node.memory.measured().filter(|_| !hidden.memory);
            history.push(memory.map(|bytes| bytes.0 as f64));
        }
    }

    /// The task that is opened.
    pub(super) fn opened(&self) -> Option<&Kept> {
        match self.level {
            Level::Tasks => None,
            Level::Threads(id) | Level::Mappings(id) => self.tasks.iter().find(|kept| kept.id() == id),
        }
    }

    pub(super) fn table(&self) -> Box<dyn Table + '_> {
        let nodes = self.look.as_ref().map_or(&[][..], |look| look.nodes.as_slice());
        match (self.level, self.opened()) {
            (Level::Threads(_), Some(kept)) => Box::new(Threads { kept, nodes }),
            (Level::Mappings(_), Some(kept)) => Box::new(Mappings { kept, nodes }),
            _ => Box::new(Tasks { tasks: &self.tasks, nodes, first: self.looks == 0 }),
        }
    }

    pub(super) fn position(&self) -> &Position {
        &self.positions[self.index()]
    }

    pub(super) fn position_mut(&mut self) -> &mut Position {
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
    pub(super) fn arranged(&self) -> (Vec<usize>, usize) {
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
