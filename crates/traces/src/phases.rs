//! The phases that a program named: which part of a thread's time each is.

use numawise_facts::activity::{PhaseName, SpanKind, SpanName, ThreadTrace};
use numawise_units::{Arrange, Nanoseconds};

/// From when to when.
pub type Window = (Nanoseconds, Nanoseconds);

/// A phase that a thread began.
pub struct Phase {
    pub process: usize,
    pub tid: i32,
    /// Which of the names.
    pub name: usize,
    pub window: Window,
}

#[derive(Default)]
pub struct Phases {
    /// In the order in which they were met.
    pub names: Vec<PhaseName>,
    /// In the order of their processes.
    pub all: Vec<Phase>,
}

impl Phases {
    pub fn add(&mut self, process: usize, traced: &[(i32, &ThreadTrace)]) {
        for (tid, trace) in traced {
            for span in trace.spans.iter().filter(|span| span.kind == SpanKind::Phase) {
                let Some(SpanName::Phase(of)) = trace.names.get(span.of as usize) else { continue };
                let name = self.names.iter().position(|name| name == of).unwrap_or(self.names.len());
                if name == self.names.len() {
                    self.names.push(of.clone());
                }
                self.all.push(Phase { process, tid: *tid, name, window: (span.begin, span.end) });
            }
        }
    }

    /// When a thread was in one of the phases for which `is_it` holds, in their order.
    pub fn of_thread(&self, process: usize, tid: i32, is_it: impl Fn(usize) -> bool) -> Vec<Window> {
        let of_thread = |name: usize| matches!(self.names.get(name), Some(PhaseName::ThreadRegion(_)));
        let of_process = self.all.partition_point(|phase| phase.process < process);
        let of_process = self.all.iter().skip(of_process).take_while(|phase| phase.process == process);
        let own = |phase: &&Phase| is_it(phase.name) && (phase.tid == tid || !of_thread(phase.name));
        let mut windows: Vec<Window> = of_process.filter(own).map(|phase| phase.window).collect();
        windows.arrange();
        windows.dedup_by(|next, last| {
            let overlaps = next.0 <= last.1;
            if overlaps {
                last.1 = last.1.max(next.1);
            }
            overlaps
        });
        windows
    }

    /// When a thread was in a phase of this name, or all of the time where none is asked for.
    pub fn windows(&self, process: usize, tid: i32, asked: Option<&str>) -> Vec<Window> {
        let Some(asked) = asked else { return vec![(Nanoseconds(0), Nanoseconds(u64::MAX))] };
        let is_it = |name: usize| self.names.get(name).is_some_and(|name| name.is_called(asked));
        self.of_thread(process, tid, is_it)
    }
}
