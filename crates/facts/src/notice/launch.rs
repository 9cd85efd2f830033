//! Notices of a launch: the job in which a program is started, its environment, and the library that pins its threads.

use numawise_units::{Bytes, CpuSet, NodeSet, Pid};
use serde::{Deserialize, Serialize};

use crate::activity::CodePlace;
use crate::{Launcher, Reading};

/// What the CPUs of a launcher were read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LauncherMask {
    /// A process of the launcher above us.
    Process { name: String, pid: Pid },
    /// The cgroup, for want of such a process; `reason` says why there is none.
    Cgroup { reason: String },
}

/// What keeps the library that pins threads from being preloaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreloadObstacle {
    /// The path of the library has characters that `LD_PRELOAD` cannot hold.
    LibraryPath { library: String },
    /// The library cannot be opened; `error` is the system's text.
    LibraryUnreadable { library: String, error: String },
    /// The program does not take it.
    Program { program: String, reason: NotPreloadableReason },
}

/// Why the dynamic loader preloads nothing into a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotPreloadableReason {
    /// It is built for another processor.
    OtherProcessor,
    /// It has no dynamic loader.
    StaticallyLinked,
    /// Its loader is that of neither glibc nor musl.
    OtherLoader { loader: String },
    /// It is setuid or setgid, to others than who runs it.
    OtherRights,
    /// Its file has capabilities.
    Capabilities,
}

super::notices! {
    /// NW6xx: of a launch.
    Launch: LaunchNotice {
        /// This process is a rank of a job; `launcher` is the launcher's name.
        "NW601" RankOfJob {
            launcher: String, rank: Option<u32>, ranks: Option<u32>, local_rank: u32, local_ranks: u32,
            /// The number of ranks here is derived from an even spread.
            even_spread_assumed: bool,
        },
        /// The launcher bound nothing: all ranks have its CPUs.
        "NW602" CpusLeftToAllRanks { cpus: CpuSet, mask: LauncherMask },
        /// The launcher bound this rank, and the plan stays inside its CPUs.
        "NW603" RankIsBound { cpus: CpuSet, of: CpuSet, mask: LauncherMask },
        /// The launcher gave these CPUs to this rank and to others.
        "NW604" OverlappingMask { cpus: CpuSet },
        /// Overlapping masks keep the plan from choosing CPUs; `pinned` where threads are pinned all the same, as asked.
        "NW605" OverlappingMasks { cpus: CpuSet, local_ranks: u32, launcher_cpus: usize, pinned: bool },
        /// The plan takes the CPUs of the launcher instead of those that this rank was bound to.
        "NW606" RankIsRebound { cpus: CpuSet, launcher_cpus: CpuSet, mask: LauncherMask },
        /// Binding again was asked for outside of a job.
        "NW607" NothingToRebind,
        /// The environment does not say which rank this is; `problem` is what its reader says.
        "NW608" RankUnknown { problem: String },
        /// Slurm gave the job fewer CPUs than are open to it.
        "NW609" MoreThanSlurmGave { given: usize, open: CpuSet },
        /// The launcher bound this rank to fewer CPUs than it has threads.
        "NW610" BoundToFewerCpus { launcher: Launcher, cpus: CpuSet, threads: usize },

        /// Threads of every kind are pinned by a library that is preloaded.
        "NW611" ThreadsPinnedBy { library: String },
        /// Only OpenMP's threads are pinned, as asked.
        "NW612" OnlyOpenMpPinned,
        /// Only OpenMP's threads are pinned, since the library that pins others is missing.
        "NW613" PinningLibraryMissing,
        /// The program does not have the library preloaded.
        "NW614" NotPreloadable { obstacle: PreloadObstacle },
        /// A variable of the environment is replaced, or (`becomes` is missing) taken out.
        "NW615" EnvironmentChanged { name: String, was: String, becomes: Option<String> },
        /// Transparent huge pages were asked for, and are switched off for the system in `file`.
        "NW616" TransparentHugePagesOff { file: String },
        /// Transparent huge pages were asked for, and the kernel seems to have none; `problem` says what could not be read.
        "NW617" TransparentHugePagesMissing { problem: String },
        /// Huge pages were asked for, and none is free, as the files in `folder` say.
        "NW618" NoHugePages { folder: String },
        /// Huge pages were asked for, and the kernel seems to have none; `problem` says what could not be read.
        "NW619" HugePagesMissing { problem: String },
        /// The launcher bound this rank by a default of its own, and the plan takes the CPUs of the launcher instead.
        "NW620" DefaultBindingPassedOver { launcher: Launcher, cpus: CpuSet, launcher_cpus: CpuSet, mask: LauncherMask },
        /// A memory object is put on these nodes wherever it is allocated: `interleaved`, its pages in turn.
        "NW621" ObjectPut {
            name: Option<String>,
            bytes: Bytes,
            allocated: Reading<CodePlace>,
            nodes: NodeSet,
            #[serde(default)]
            interleaved: bool,
        },
        /// A memory object that was asked for cannot be told from others.
        "NW622" ObjectNotPut { name: Option<String>, reason: String },
    }
}
