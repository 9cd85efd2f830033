//! What could not be seen, gathered: a reason that holds for many tasks is said once.

use numawise_facts::{Reading, Reason, Snapshot};
use numawise_tables::{ResidencyNote, ShareSpan, TaskResidency};
use numawise_units::Pid;

use super::threads::Clock;

pub fn notes(tasks: &[TaskResidency], clock: &Clock, before: Option<&Snapshot>) -> Vec<ResidencyNote> {
    let mut notes = Notes(Vec::new());
    for task in tasks {
        notes.missing("threads", task.pid, &task.threads);
        notes.missing("memory", task.pid, &task.memory);
        if task.threads.measured().is_some() && task.memory.measured().is_some() {
            notes.missing("local share", task.pid, &task.local);
        }
        for thread in task.threads.measured().into_iter().flatten() {
            notes.missing("masks of threads", task.pid, &thread.mask);
            notes.missing("migrations of threads", task.pid, &thread.migrations);
            if clock.span() != ShareSpan::BetweenLooks(numawise_units::Nanoseconds(0)) {
                notes.missing("shares of threads", task.pid, &thread.share);
            }
        }
        for far in task.far.measured().into_iter().flatten() {
            notes.missing("distance of far memory", task.pid, &far.distance);
        }
    }
    if before.is_some() && clock.span() == ShareSpan::BetweenLooks(numawise_units::Nanoseconds(0)) {
        let reason = Reason("the second look is not later than the first".into());
        notes.0.push(ResidencyNote { what: "shares of CPUs".to_owned(), tasks: Vec::new(), reason });
    }
    for note in &mut notes.0 {
        if note.tasks.len() == tasks.len() {
            note.tasks.clear();
        }
    }
    notes.0
}

struct Notes(Vec<ResidencyNote>);

impl Notes {
    fn missing<T>(&mut self, what: &str, pid: Pid, reading: &Reading<T>) {
        let Some(reason) = reading.reason() else {
            return;
        };
        match self.0.iter_mut().find(|note| note.what == what && note.reason == *reason) {
            Some(note) if note.tasks.last() == Some(&pid) => {}
            Some(note) => note.tasks.push(pid),
            None => {
                self.0.push(ResidencyNote {
                    what: what.to_owned(),
                    tasks: vec![pid],
                    reason: reason.clone(),
                });
            }
        }
    }
}
