//! The identifiers of findings.

use std::fmt;

use serde::Serialize;

/// Stable identifiers of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum FindingId {
    /// Memory first touched by one thread.
    #[serde(rename = "NW001")]
    FirstTouchByOneThread,
    /// Threads migrate or are unpinned.
    #[serde(rename = "NW002")]
    ThreadsMigrate,
    /// Half of the machine is idle memory bandwidth.
    #[serde(rename = "NW003")]
    IdleBandwidth,
    /// One process per node beats one over all.
    #[serde(rename = "NW004")]
    ProcessPerNode,
    /// HBM is there and unused.
    #[serde(rename = "NW005")]
    HbmUnused,
    /// The run was too noisy or too short to tell.
    #[serde(rename = "NW006")]
    TooNoisyOrShort,
    /// Runs differ because the operating system chose another node for each.
    #[serde(rename = "NW007")]
    NodeChosenAnew,
    /// Something else than the plan decides where the program's memory lies.
    #[serde(rename = "NW008")]
    MemoryOutOfReach,
    /// The program, or what starts it, binds its threads.
    #[serde(rename = "NW009")]
    ThreadsBoundByProgram,
    /// Threads do better together on one node than over several.
    #[serde(rename = "NW050")]
    BetterTogether,
    /// Pinned threads are faster, though none was seen to migrate.
    #[serde(rename = "NW051")]
    PinningHelps,
    /// A placement is better, and no other finding says why.
    #[serde(rename = "NW052")]
    PlacementHelps,
    /// More threads work than there are CPUs for them.
    #[serde(rename = "NW033")]
    Oversubscribed,
    /// Pages of another size are better.
    #[serde(rename = "NW053")]
    PageSize,
    /// The kernel moves pages, and that costs.
    #[serde(rename = "NW054")]
    PagesMoved,
    /// Other work on the machine.
    #[serde(rename = "NW055")]
    MachineShared,
    /// A node has no room for the memory that is meant for it.
    #[serde(rename = "NW056")]
    NodeFull,
    /// A part of the program's memory is in swap.
    #[serde(rename = "NW057")]
    MemoryInSwap,
    /// Pages of files lie on another node than the threads that read them.
    #[serde(rename = "NW058")]
    FilesElsewhere,
    /// Runs, or placements, differ because the CPUs ran at different frequencies.
    #[serde(rename = "NW059")]
    ClockDiffers,
    /// From some number of workers on, more of them bring nothing.
    #[serde(rename = "NW060")]
    MoreWorkersBringNothing,
    /// From some number of workers on, more of them bring less.
    #[serde(rename = "NW061")]
    MoreWorkersBringLess,
    /// The levels of a factor differ.
    #[serde(rename = "NW062")]
    LevelMatters,
    /// Which level of a factor is better depends on the other factors.
    #[serde(rename = "NW063")]
    LevelDepends,
    /// Trials scatter more at one level of a factor than at another.
    #[serde(rename = "NW064")]
    LevelScatters,
    /// Points failed each time, or so often at the end that they are run no more.
    #[serde(rename = "NW065")]
    PointsGivenUp,
    /// Computation is uneven over ranks: those that are done wait in MPI for the others.
    #[serde(rename = "NW010")]
    MpiImbalance,
    /// All ranks are in MPI, none of them for want of work.
    #[serde(rename = "NW011")]
    MpiTransfer,
    /// Most time in MPI is in one call, or at one place.
    #[serde(rename = "NW012")]
    MpiConcentrated,
    /// Many tiny messages.
    #[serde(rename = "NW013")]
    TinyMessages,
    /// Ranks ended without MPI_Finalize.
    #[serde(rename = "NW016")]
    EndedEarly,
    /// A loop has too few iterations for its threads.
    #[serde(rename = "NW020")]
    TooFewIterations,
    /// Threads of a parallel region wait for each other.
    #[serde(rename = "NW021")]
    RegionImbalance,
    /// What is outside of parallel regions limits the speedup.
    #[serde(rename = "NW022")]
    SerialShare,
    /// Handing out work takes long: chunks or regions are too small.
    #[serde(rename = "NW023")]
    SchedulingOverhead,
    /// Threads wait for critical sections or locks.
    #[serde(rename = "NW024")]
    LockContention,
    /// Ranks or threads share CPUs while others are free.
    #[serde(rename = "NW030")]
    SharedCpus,
    /// Nothing keeps threads on their CPUs.
    #[serde(rename = "NW031")]
    Unpinned,
    /// Memory of a process lies on another node than its threads.
    #[serde(rename = "NW032")]
    RemoteRankMemory,
    /// A thread is in calls on files for long.
    #[serde(rename = "NW034")]
    LongOnFiles,
    /// An object was first touched by one thread and is used from several nodes.
    #[serde(rename = "NW040")]
    ObjectTouchedByOne,
    /// An object lies on another node than those that use it.
    #[serde(rename = "NW041")]
    ObjectRemote,
    /// All threads use all of an object, which lies on one node.
    #[serde(rename = "NW042")]
    ObjectUsedByAll,
    /// An object that one thread uses lies on another node than this thread.
    #[serde(rename = "NW043")]
    ObjectOfThreadElsewhere,
    /// Several nodes use different bytes of the same pages of an object.
    #[serde(rename = "NW044")]
    ObjectPagesShared,
    /// An object that much time is spent on is not in the fast memory of the machine.
    #[serde(rename = "NW045")]
    ObjectNotInFastMemory,
    /// An object that is far larger than the pages of which a processor keeps the addresses has no huge pages.
    #[serde(rename = "NW046")]
    ObjectWithoutHugePages,
    /// One rank computes longer than others before a call, and they wait for it.
    #[serde(rename = "NW101")]
    OneRankComputesLonger,
    /// Ranks compute for unequal times, now one and now another.
    #[serde(rename = "NW102")]
    ComputingUnequal,
    /// Sends wait until the receiver comes.
    #[serde(rename = "NW103")]
    SendsWait,
    /// Receives wait for one message while another one is there.
    #[serde(rename = "NW104")]
    ReceivesOutOfOrder,
}

impl FindingId {
    /// The public identifier. It never changes its meaning.
    pub fn code(self) -> &'static str {
        match self {
            FindingId::FirstTouchByOneThread => "NW001",
            FindingId::ThreadsMigrate => "NW002",
            FindingId::IdleBandwidth => "NW003",
            FindingId::ProcessPerNode => "NW004",
            FindingId::HbmUnused => "NW005",
            FindingId::TooNoisyOrShort => "NW006",
            FindingId::NodeChosenAnew => "NW007",
            FindingId::MemoryOutOfReach => "NW008",
            FindingId::ThreadsBoundByProgram => "NW009",
            FindingId::BetterTogether => "NW050",
            FindingId::PinningHelps => "NW051",
            FindingId::PlacementHelps => "NW052",
            FindingId::Oversubscribed => "NW033",
            FindingId::PageSize => "NW053",
            FindingId::PagesMoved => "NW054",
            FindingId::MachineShared => "NW055",
            FindingId::NodeFull => "NW056",
            FindingId::MemoryInSwap => "NW057",
            FindingId::FilesElsewhere => "NW058",
            FindingId::ClockDiffers => "NW059",
            FindingId::MoreWorkersBringNothing => "NW060",
            FindingId::MoreWorkersBringLess => "NW061",
            FindingId::LevelMatters => "NW062",
            FindingId::LevelDepends => "NW063",
            FindingId::LevelScatters => "NW064",
            FindingId::PointsGivenUp => "NW065",
            FindingId::MpiImbalance => "NW010",
            FindingId::MpiTransfer => "NW011",
            FindingId::MpiConcentrated => "NW012",
            FindingId::TinyMessages => "NW013",
            FindingId::EndedEarly => "NW016",
            FindingId::TooFewIterations => "NW020",
            FindingId::RegionImbalance => "NW021",
            FindingId::SerialShare => "NW022",
            FindingId::SchedulingOverhead => "NW023",
            FindingId::LockContention => "NW024",
            FindingId::SharedCpus => "NW030",
            FindingId::Unpinned => "NW031",
            FindingId::RemoteRankMemory => "NW032",
            FindingId::LongOnFiles => "NW034",
            FindingId::ObjectTouchedByOne => "NW040",
            FindingId::ObjectRemote => "NW041",
            FindingId::ObjectUsedByAll => "NW042",
            FindingId::ObjectOfThreadElsewhere => "NW043",
            FindingId::ObjectPagesShared => "NW044",
            FindingId::ObjectNotInFastMemory => "NW045",
            FindingId::ObjectWithoutHugePages => "NW046",
            FindingId::OneRankComputesLonger => "NW101",
            FindingId::ComputingUnequal => "NW102",
            FindingId::SendsWait => "NW103",
            FindingId::ReceivesOutOfOrder => "NW104",
        }
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}
