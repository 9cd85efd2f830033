//! The identifiers of findings, each declared once: NW001 to NW099, since those of notices go on from there.

use std::fmt;

use serde::Serialize;

/// The enum with the public identifier of each.
macro_rules! identifiers {
    ($($(#[doc = $meaning:literal])+ $code:literal $name:ident,)+) => {
        /// Stable identifiers of findings.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub enum FindingId {
            $($(#[doc = $meaning])+ #[serde(rename = $code)] $name,)+
        }

        impl FindingId {
            /// Of all findings.
            pub const CODES: &[&str] = &[$($code),+];

            /// The public identifier. It never changes its meaning.
            pub fn code(self) -> &'static str {
                match self {
                    $(FindingId::$name => $code,)+
                }
            }
        }
    };
}

identifiers! {
    /// Memory first touched by one thread.
    "NW001" FirstTouchByOneThread,
    /// Threads migrate or are unpinned.
    "NW002" ThreadsMigrate,
    /// Half of the machine is idle memory bandwidth.
    "NW003" IdleBandwidth,
    /// One process per node beats one over all.
    "NW004" ProcessPerNode,
    /// HBM is there and unused.
    "NW005" HbmUnused,
    /// The run was too noisy or too short to tell.
    "NW006" TooNoisyOrShort,
    /// Runs differ because the operating system chose another node for each.
    "NW007" NodeChosenAnew,
    /// Something else than the plan decides where the program's memory lies.
    "NW008" MemoryOutOfReach,
    /// The program, or what starts it, binds its threads.
    "NW009" ThreadsBoundByProgram,
    /// Computation is uneven over ranks: those that are done wait in MPI for the others.
    "NW010" MpiImbalance,
    /// All ranks are in MPI, none of them for want of work.
    "NW011" MpiTransfer,
    /// Most time in MPI is in one call, or at one place.
    "NW012" MpiConcentrated,
    /// Many tiny messages.
    "NW013" TinyMessages,
    /// Ranks ended without MPI_Finalize.
    "NW016" EndedEarly,
    /// A loop has too few iterations for its threads.
    "NW020" TooFewIterations,
    /// Threads of a parallel region wait for each other.
    "NW021" RegionImbalance,
    /// What is outside of parallel regions limits the speedup.
    "NW022" SerialShare,
    /// Handing out work takes long: chunks or regions are too small.
    "NW023" SchedulingOverhead,
    /// Threads wait for critical sections or locks.
    "NW024" LockContention,
    /// Ranks or threads share CPUs while others are free.
    "NW030" SharedCpus,
    /// Nothing keeps threads on their CPUs.
    "NW031" Unpinned,
    /// Memory of a process lies on another node than its threads.
    "NW032" RemoteRankMemory,
    /// More threads work than there are CPUs for them.
    "NW033" Oversubscribed,
    /// A thread is in calls on files for long.
    "NW034" LongOnFiles,
    /// An object was first touched by one thread and is used from several nodes.
    "NW040" ObjectTouchedByOne,
    /// An object lies on another node than those that use it.
    "NW041" ObjectRemote,
    /// All threads use all of an object, which lies on one node.
    "NW042" ObjectUsedByAll,
    /// An object that one thread uses lies on another node than this thread.
    "NW043" ObjectOfThreadElsewhere,
    /// Several nodes use different bytes of the same pages of an object.
    "NW044" ObjectPagesShared,
    /// An object that much time is spent on is not in the fast memory of the machine.
    "NW045" ObjectNotInFastMemory,
    /// An object that is far larger than the pages of which a processor keeps the addresses has no huge pages.
    "NW046" ObjectWithoutHugePages,
    /// Threads do better together on one node than over several.
    "NW050" BetterTogether,
    /// Pinned threads are faster, though none was seen to migrate.
    "NW051" PinningHelps,
    /// A placement is better, and no other finding says why.
    "NW052" PlacementHelps,
    /// Pages of another size are better.
    "NW053" PageSize,
    /// The kernel moves pages, and that costs.
    "NW054" PagesMoved,
    /// Other work on the machine.
    "NW055" MachineShared,
    /// A node has no room for the memory that is meant for it.
    "NW056" NodeFull,
    /// A part of the program's memory is in swap.
    "NW057" MemoryInSwap,
    /// Pages of files lie on another node than the threads that read them.
    "NW058" FilesElsewhere,
    /// Runs, or placements, differ because the CPUs ran at different frequencies.
    "NW059" ClockDiffers,
    /// From some number of workers on, more of them bring nothing.
    "NW060" MoreWorkersBringNothing,
    /// From some number of workers on, more of them bring less.
    "NW061" MoreWorkersBringLess,
    /// The levels of a factor differ.
    "NW062" LevelMatters,
    /// Which level of a factor is better depends on the other factors.
    "NW063" LevelDepends,
    /// Trials scatter more at one level of a factor than at another.
    "NW064" LevelScatters,
    /// Points failed each time, or so often at the end that they are run no more.
    "NW065" PointsGivenUp,
    /// A hot loop works with one element at once.
    "NW071" LoopScalar,
    /// A hot loop uses narrower vectors than the CPU has.
    "NW072" LoopNarrow,
    /// A hot loop gathers its elements one by one.
    "NW073" LoopGathers,
    /// A hot loop waits for memory, which gives what it can.
    "NW074" LoopMemory,
    /// One rank computes longer than others before a call, and they wait for it.
    "NW081" OneRankComputesLonger,
    /// Ranks compute for unequal times, now one and now another.
    "NW082" ComputingUnequal,
    /// Sends wait until the receiver comes.
    "NW083" SendsWait,
    /// Receives wait for one message while another one is there.
    "NW084" ReceivesOutOfOrder,
    /// Threads of a parallel region wait for the last one of them.
    "NW085" ThreadsWaitForLast,
    /// Threads idle while one of their rank works outside of parallel regions.
    "NW086" ThreadsIdleOutside,
    /// Others had the CPU of a thread, at known times.
    "NW087" CpuTakenAway,
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}
