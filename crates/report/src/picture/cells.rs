//! The CPUs as cells: what is written in them, and in which colour.

use numawise_tables::{CorePicture, CpuPicture, MachinePicture};

use super::{all_cpus, sentence};
use crate::document::{CellMark, DrawnCell};

/// Above that cells have one line and are small.
const ROOMY: u32 = 128;
/// Above that nothing is said where the pointer rests: the table says it, and the page stays small.
const SAID: u32 = 1100;

/// How all cells of a drawing are written.
pub struct Cells {
    pub is_dense: bool,
    is_said: bool,
    /// A placement is drawn, of so many tasks.
    tasks: Option<usize>,
    any_held: bool,
    any_moving: bool,
    any_many: bool,
}

impl Cells {
    pub fn of(picture: &MachinePicture) -> Self {
        Cells {
            is_dense: picture.cpus > ROOMY,
            is_said: picture.cpus <= SAID,
            tasks: picture.placed.as_ref().map(|placed| placed.tasks.len()),
            any_held: all_cpus(picture).any(|cpu| !cpu.held.is_empty()),
            any_moving: all_cpus(picture).any(|cpu| cpu.moving.is_some()),
            any_many: all_cpus(picture).any(|cpu| number(cpu) > 1),
        }
    }

    /// What the texts in the cells mean.
    pub fn caption(&self) -> String {
        let Some(tasks) = self.tasks else {
            return "A cell is a CPU with its number; those of one core stand in one frame.".to_owned();
        };
        if !self.any_held && !self.any_moving {
            return "Nothing is placed: threads run and memory lies where the operating system puts them."
                .to_owned();
        }
        let mut parts = Vec::new();
        if self.any_held {
            parts.push(match (tasks, self.is_dense) {
                (0 | 1, _) => "the number of the thread that is held there",
                (_, false) => "task.thread that is held there",
                (_, true) => "the task of which a thread is held there",
            });
        }
        if self.any_moving {
            parts.push("the task whose threads may move there");
        }
        if self.any_many {
            parts.push("2\u{d7} for two of them");
        }
        let below = if self.is_dense { "" } else { "; below it, the CPU" };
        sentence(&format!(
            "in the cell of a CPU: {}{below}; those of one core stand in one frame",
            parts.join(", or ")
        ))
    }

    pub fn of_cores(&self, cores: &[CorePicture]) -> Vec<Vec<DrawnCell>> {
        cores.iter().map(|core| core.cpus.iter().map(|cpu| self.cell(core, cpu)).collect()).collect()
    }

    fn cell(&self, core: &CorePicture, cpu: &CpuPicture) -> DrawnCell {
        let (text, below) = match self.tasks {
            None => (cpu.cpu.to_string(), String::new()),
            Some(_) if self.is_dense => (self.text(cpu), String::new()),
            Some(_) => (self.text(cpu), cpu.cpu.to_string()),
        };
        let hover = if self.is_said { hover(core, cpu) } else { String::new() };
        DrawnCell { text, below, hover, mark: mark(cpu) }
    }

    fn text(&self, cpu: &CpuPicture) -> String {
        match (cpu.held.as_slice(), cpu.moving) {
            ([], None) => String::new(),
            ([(task, thread)], None) => match (self.tasks, self.is_dense) {
                (Some(0 | 1) | None, _) => thread.to_string(),
                (Some(_), true) => task.to_string(),
                (Some(_), false) => format!("{task}.{thread}"),
            },
            ([], Some((task, 1))) => task.to_string(),
            _ => format!("{}\u{d7}", number(cpu)),
        }
    }
}

/// Threads that are held there, and tasks whose threads may come.
fn number(cpu: &CpuPicture) -> u64 {
    cpu.held.len() as u64 + cpu.moving.map_or(0, |(_, count)| u64::from(count))
}

/// The colour of the task, or that there are several.
pub fn mark(cpu: &CpuPicture) -> CellMark {
    let first = cpu.held.first().map(|(task, _)| *task).or(cpu.moving.map(|(task, _)| task));
    let Some(task) = first else {
        return if cpu.is_allowed { CellMark::Nobody } else { CellMark::Forbidden };
    };
    let alone = cpu.held.iter().all(|(other, _)| *other == task);
    let moving = cpu.moving.is_none_or(|(other, count)| other == task && count == 1);
    if alone && moving { CellMark::Of(task.0) } else { CellMark::Several }
}

/// `CPU 17, core 3: thread 5 of task 0`
fn hover(core: &CorePicture, cpu: &CpuPicture) -> String {
    let mut parts: Vec<String> =
        cpu.held.iter().take(4).map(|(task, thread)| format!("thread {thread} of task {task}")).collect();
    if cpu.held.len() > 4 {
        parts.push(format!("{} more threads", cpu.held.len() - 4));
    }
    match cpu.moving {
        Some((task, 1)) => parts.push(format!("threads of task {task} may move there")),
        Some((task, count)) => {
            parts.push(format!("threads of task {task} and {} others may move there", count - 1));
        }
        None => {}
    }
    if !cpu.is_allowed {
        parts.push("may not be used".to_owned());
    }
    let kind = core.efficiency.map_or_else(String::new, |kind| format!(" of kind {kind}"));
    let said = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    format!("CPU {}, core {}{kind}{said}", cpu.cpu, core.core)
}
