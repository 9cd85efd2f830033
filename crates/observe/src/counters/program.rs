//! Counters of a program and of all that it starts, opened by who starts it.
//!
//! Snapshots count by process, which only the processes themselves can open around a launcher ([`super::server`]); here one sum is enough.

use numawise_facts::activity::{CounterCount, CounterEvent, ProcessCounters};
use numawise_linux::calls::counter::Counter;
use numawise_linux::raw::{COUNTER_DISABLED, COUNTER_ENABLE_ON_EXEC};

use super::choice::{ALWAYS, ChosenEvent, CounterChoice};
use super::server::{counted, refused};

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;

/// Open counters.
#[derive(Debug)]
pub struct ProgramCounters(Vec<(ChosenEvent, Result<Counter, i32>)>);

impl ProgramCounters {
    /// Opens those of `choice` whose event is `wanted`, for what the calling thread starts next: each counts from that program's exec on, in
    /// all its processes and threads.
    pub fn open(choice: &CounterChoice, wanted: impl Fn(CounterEvent) -> bool) -> ProgramCounters {
        let flags = ALWAYS | COUNTER_DISABLED | COUNTER_ENABLE_ON_EXEC;
        let chosen = choice.events.iter().filter(|of| wanted(of.event));
        let open = |of: &ChosenEvent| match of.refused {
            Some(error) => Err(error),
            None => Counter::own(of.code.kind, of.code.config, flags),
        };
        ProgramCounters(chosen.map(|of| (of.clone(), open(of))).collect())
    }

    /// What they have come to, of processes that ended and of those that run.
    pub fn read(&self) -> ProcessCounters {
        let count = |(of, counter): &(ChosenEvent, Result<Counter, i32>)| CounterCount {
            event: of.event,
            name: of.name.clone(),
            cores: of.cores.clone(),
            counted: match counter {
                Ok(counter) => counted(counter.read()),
                Err(error) => refused(*error),
            },
        };
        ProcessCounters { with_children: true, counts: self.0.iter().map(count).collect() }
    }
}
