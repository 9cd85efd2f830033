//! Which counters are opened: those that every processor has, those of its family, as far as the kernel lets us.

use numawise_facts::activity::{CounterEvent, CounterObstacle};
use numawise_linux::Roots;
use numawise_linux::calls::counter::{
    Counter, HARDWARE_CYCLES, HARDWARE_INSTRUCTIONS, KIND_HARDWARE, KIND_RAW,
};
use numawise_linux::counters::{self, CoreCounters, ProcessorName};
use numawise_linux::raw::{
    COUNTER_EXCLUDE_HYPERVISOR, COUNTER_EXCLUDE_KERNEL, COUNTER_INHERIT, COUNTER_INHERIT_THREAD,
    COUNTER_REMOVE_ON_EXEC,
};
use numawise_wire::snapshot::counters::{CounterCode, MOST_COUNTERS};

use super::events::family;

#[cfg(test)]
#[path = "choice_tests.rs"]
mod tests;

/// The program's own code and threads. What the kernel does is left out even where it may be counted, so that figures mean the same
/// whoever counts.
pub(super) const ALWAYS: u64 = COUNTER_INHERIT | COUNTER_EXCLUDE_KERNEL | COUNTER_EXCLUDE_HYPERVISOR;
/// What is left out too since Linux 5.13: children that are forked, and what a process becomes.
const SINCE_5_13: u64 = COUNTER_INHERIT_THREAD | COUNTER_REMOVE_ON_EXEC;

/// What is asked of a kernel about its counters.
pub trait CounterKernel {
    fn processor(&self) -> ProcessorName;
    fn of_cores(&self) -> Vec<CoreCounters>;
    fn paranoid(&self) -> Option<i32>;
    /// Opens and closes a counter of the caller.
    ///
    /// # Errors
    /// The kernel's error number.
    fn try_open(&self, code: CounterCode, flags: u64) -> Result<(), i32>;
}

/// The kernel that we run on.
#[derive(Debug)]
pub struct HereKernel(pub Roots);

impl CounterKernel for HereKernel {
    fn processor(&self) -> ProcessorName {
        counters::processor(&self.0)
    }

    fn of_cores(&self) -> Vec<CoreCounters> {
        counters::of_cores(&self.0)
    }

    fn paranoid(&self) -> Option<i32> {
        counters::paranoid(&self.0)
    }

    fn try_open(&self, code: CounterCode, flags: u64) -> Result<(), i32> {
        Counter::own(code.kind, code.config, flags).map(drop)
    }
}

/// An event that is to be opened, or why it cannot be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenEvent {
    pub event: CounterEvent,
    pub name: String,
    /// Which cores it counts on; empty where all are of one kind.
    pub cores: String,
    pub code: CounterCode,
    /// The kernel's error number where it is not to be had.
    pub refused: Option<i32>,
}

/// What is to be opened in each process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterChoice {
    pub events: Vec<ChosenEvent>,
    pub flags: u64,
    /// The family whose own events are known.
    pub processor: Option<String>,
    pub with_children: bool,
}

impl CounterChoice {
    /// Events made up by the caller, for a kernel that may know them.
    pub fn of_events(events: Vec<ChosenEvent>, kernel: &dyn CounterKernel) -> CounterChoice {
        let flags = flags(kernel, &events);
        let with_children = flags & COUNTER_INHERIT_THREAD == 0;
        CounterChoice { events, flags, processor: None, with_children }.tried(kernel)
    }

    /// Those that can be opened, in their order.
    pub fn opened(&self) -> impl Iterator<Item = &ChosenEvent> {
        self.events.iter().filter(|event| event.refused.is_none())
    }

    fn tried(mut self, kernel: &dyn CounterKernel) -> CounterChoice {
        for event in &mut self.events {
            event.refused = kernel.try_open(event.code, self.flags).err();
        }
        self
    }
}

/// The flags that this kernel knows.
fn flags(kernel: &dyn CounterKernel, events: &[ChosenEvent]) -> u64 {
    let is_known = |flags| {
        let mut tried = events.iter().map(|event| kernel.try_open(event.code, flags));
        tried.any(|opened| opened.is_ok())
    };
    // A kernel that knows neither flag nor event says the same of both.
    if is_known(ALWAYS | SINCE_5_13) || !is_known(ALWAYS) { ALWAYS | SINCE_5_13 } else { ALWAYS }
}

/// What can be counted here.
///
/// # Errors
/// Why nothing can.
pub fn choose(kernel: &dyn CounterKernel) -> Result<CounterChoice, CounterObstacle> {
    let (processor, cores) = (kernel.processor(), kernel.of_cores());
    let family = family(&processor);
    let mut events = Vec::new();
    let generic = [
        (CounterEvent::Cycles, "cycles", HARDWARE_CYCLES),
        (CounterEvent::Instructions, "instructions", HARDWARE_INSTRUCTIONS),
    ];
    for (event, name, config) in generic {
        let of = |kind_of_cores: u64, cores: String| ChosenEvent {
            event,
            name: name.to_owned(),
            cores,
            code: CounterCode { kind: KIND_HARDWARE, config: config | kind_of_cores << 32 },
            refused: None,
        };
        match cores.as_slice() {
            [] | [_] => events.push(of(0, String::new())),
            several => {
                events.extend(several.iter().map(|one| of(u64::from(one.kind), one.name.clone())));
            }
        }
    }
    // What the events of a family are on each kind of several cores is not known.
    let own = family.filter(|_| cores.len() < 2);
    for of in own.iter().flat_map(|family| family.events) {
        let kind = cores.first().map_or(KIND_RAW, |cores| cores.kind);
        events.push(ChosenEvent {
            event: of.event,
            name: of.name.to_owned(),
            cores: String::new(),
            code: CounterCode { kind, config: of.config },
            refused: None,
        });
    }
    events.truncate(MOST_COUNTERS);
    let choice = CounterChoice::of_events(events, kernel);
    if choice.opened().next().is_none() {
        let errno = choice.events.iter().find_map(|event| event.refused).unwrap_or_default();
        return Err(obstacle(errno, processor.is_guest, kernel.paranoid()));
    }
    Ok(CounterChoice { processor: own.map(|family| family.name.to_owned()), ..choice })
}

/// What an error number of perf_event_open(2) means.
fn obstacle(errno: i32, is_guest: bool, paranoid: Option<i32>) -> CounterObstacle {
    let error = || std::io::Error::from_raw_os_error(errno).to_string();
    match (errno, paranoid) {
        (libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV, _) => CounterObstacle::NoHardware { is_guest },
        (libc::ENOSYS, _) => CounterObstacle::NotInKernel,
        (libc::EACCES | libc::EPERM, Some(level)) if level > 2 => CounterObstacle::Paranoid { level },
        (libc::EACCES | libc::EPERM, _) => CounterObstacle::Filtered { error: error() },
        _ => CounterObstacle::Failed { error: error() },
    }
}
