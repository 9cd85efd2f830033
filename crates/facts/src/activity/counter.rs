//! What counters of the processor say of a process, as they were read: the kernel may have had them on for a part of the time only.

use std::fmt;

use numawise_units::{Bytes, BytesPerSecond, Nanoseconds, Pid};
use serde::{Deserialize, Serialize};

use crate::Reading;

/// The counters of one process, from when its collector began to its end, in the program's own code: what the kernel does for it is not
/// counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessCounters {
    /// Children that it forked, and that did not become another program, are counted too: kernels before 5.13 cannot leave them out.
    pub with_children: bool,
    /// An event of a processor with several kinds of cores is there once for each kind.
    pub counts: Vec<CounterCount>,
}

/// What was counted in one process, as numawise that report for several leave it to one another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedProcess {
    pub pid: Pid,
    /// As [`crate::Activity::began`]: a process that became another program was counted as each.
    pub began: Nanoseconds,
    pub counters: Reading<ProcessCounters>,
}

/// One counter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterCount {
    pub event: CounterEvent,
    /// As the kernel or the maker of the processor calls it.
    pub name: String,
    /// Which cores it counts on, as the kernel calls their counters; empty where all are of one kind.
    pub cores: String,
    pub counted: Reading<CountedEvents>,
}

/// What a counter showed, over all threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedEvents {
    pub count: u64,
    /// How long threads were on a CPU, and the counter was wanted.
    #[doc(alias = "time_enabled")]
    pub wanted: Nanoseconds,
    /// How long of that it was on: there may be more events than counters.
    #[doc(alias = "time_running")]
    pub on: Nanoseconds,
}

/// What is counted, whoever made the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CounterEvent {
    /// Nanoseconds on a CPU, by the kernel's own clock: no counter of the processor.
    TaskClock,
    /// Page faults, which the kernel counts itself.
    PageFaults,
    Cycles,
    Instructions,
    /// Cycles in which nothing was executed, and a load had not come back.
    MemoryStallCycles,
    /// Places for an operation that the pipeline had.
    Slots,
    /// Of these, those that stayed empty because of memory.
    MemoryBoundSlots,
    /// Places for an operation that stayed empty because the execution units and the memory could take none; a cycle has so many places.
    BackendBoundSlots {
        of_cycle: u8,
    },
    /// Cycles in which no instruction was finished, since the oldest one was not done.
    WaitingCycles,
    /// Of these, those in which it was a load that had not come back.
    LoadWaitingCycles,
    /// Floating-point instructions with so many operations each; a fused multiply and add counts twice.
    FpInstructions {
        bits: u16,
        operations: u16,
    },
    /// Floating-point operations.
    FpOperations,
    /// Floating-point operations of vectors whose length the processor chooses, counted for each 128 bits of it.
    FpOperationsPer128Bits {
        bits: u16,
    },
    /// Steps of floating-point instructions with registers of so many bits; 64 for one number alone.
    FpSteps {
        bits: u16,
    },
    /// Lines that came from memory of the node, and from that of other nodes.
    LocalMemory,
    RemoteMemory,
}

/// What became of the counters of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CounterAccess {
    /// `processor` is the family whose own events are known; missing where only those were opened that every processor has.
    Opened {
        processor: Option<String>,
    },
    NotOpened(CounterObstacle),
}

/// Why no counter could be had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CounterObstacle {
    /// The kernel shows none; a virtual machine has those that its host lets it have.
    NoHardware { is_guest: bool },
    /// `kernel.perf_event_paranoid` forbids them; 2 would do.
    Paranoid { level: i32 },
    /// The call is refused though that setting permits it: by a filter, as containers have.
    Filtered { error: String },
    /// The kernel was built without perf events, or a filter says so.
    NotInKernel,
    /// The processes could not hand them over.
    NotHandedOver { problem: String },
    /// The numawise that was to read them was killed before.
    NumawiseKilled,
    /// The kernel said something else.
    Failed { error: String },
}

impl fmt::Display for CounterObstacle {
    /// With what helps.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CounterObstacle::NoHardware { is_guest: true } => {
                write!(f, "no PMU in this virtual machine (needs a vPMU)")
            }
            CounterObstacle::NoHardware { is_guest: false } => write!(
                f,
                "the kernel shows no counters of this processor; a virtual machine has those that its host shows to it"
            ),
            CounterObstacle::Paranoid { level } => write!(
                f,
                "kernel.perf_event_paranoid is {level}; root may allow them with `sysctl kernel.perf_event_paranoid=2`"
            ),
            CounterObstacle::Filtered { error } => write!(
                f,
                "perf_event_open is forbidden here ({error}), as containers have it; a container that is started with the capability PERFMON may count"
            ),
            CounterObstacle::NotInKernel => {
                write!(f, "this kernel has no perf_event_open, or a filter hides it")
            }
            CounterObstacle::NotHandedOver { problem } => {
                write!(f, "processes have no way to hand them over ({problem}); a shorter TMPDIR may help")
            }
            CounterObstacle::NumawiseKilled => write!(f, "numawise was killed before it read them"),
            CounterObstacle::Failed { error } => write!(f, "perf_event_open says: {error}"),
        }
    }
}

/// Traffic of the memory behind one group of cores, of all programs, while a run went on: what the kernel's monitor of bandwidth shows.
#[doc(alias = "resctrl")]
#[doc(alias = "MBM")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheTraffic {
    /// The number of the last-level cache.
    pub cache: u32,
    pub total: Bytes,
    /// Of it, to memory of its own node.
    pub local: Bytes,
    /// How long it was looked at.
    pub time: Nanoseconds,
}

impl CacheTraffic {
    /// On average over that time; nothing where there was none.
    pub fn bandwidth(&self) -> Option<BytesPerSecond> {
        (self.time.0 > 0).then(|| BytesPerSecond(self.total.0 as f64 / self.time.seconds()))
    }
}
