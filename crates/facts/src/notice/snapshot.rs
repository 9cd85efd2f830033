//! Notices of a snapshot: a run that is watched from inside.

use numawise_units::{Bytes, Nanoseconds};
use serde::{Deserialize, Serialize};

use super::PreloadObstacle;
use crate::Reading;
use crate::activity::ProcessEnd;

/// A job of MPI within a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedJob {
    /// The file names of its programs.
    pub programs: Vec<String>,
    /// How many of its ranks were watched.
    pub ranks: u64,
    /// Of the rank that ran for longest.
    pub elapsed: Reading<Nanoseconds>,
}

/// A rank that could tell how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankThatTold {
    pub rank: u32,
    pub end: ProcessEnd,
    pub after: Nanoseconds,
}

super::notices! {
    /// NW90x to NW93x: of a snapshot.
    Snapshot: SnapshotNotice {
        /// The program does not have the collector loaded; what it starts may.
        "NW901" NotWatched { obstacle: PreloadObstacle },
        /// What is measured lies in `folder`, which is on a disk: `problem` says why not in memory.
        "NW902" CollectedOnDisk { folder: String, problem: String },
        /// No process of the program had the collector loaded.
        "NW903" NothingWatched,
        /// What one process left cannot be read; `problem` says what is wrong with it.
        "NW904" UnreadablePart { problem: String },
        /// Nothing came of these of the `ranks` ranks of the job: they run on other computers, or did not have the collector loaded; or
        /// their computers do not share the folder `through` which what each measured goes to whoever is around the launcher.
        "NW905" RanksNotSeen { missing: String, ranks: u32, launcher: Option<String>, through: Option<String> },
        /// Processes without MPI and OpenMP of which nothing is kept, beside the `kept` that ran for longest; they computed for so long.
        "NW906" ProcessesLeftOut { count: u64, kept: u64, computed: Nanoseconds },
        /// These are the ranks of one computer: that of rank 0 did not take them out of this folder.
        "NW907" RanksApart { folder: String },
        /// Processes that still ran when the program had ended: they were watched until then.
        "NW908" ProcessesStillRun { count: u64 },
        /// A file whose addresses could not be named; `problem` says why.
        "NW909" PlacesNotNamed { file: String, problem: String },
        /// These ranks were asked for and are not among the `ranks` of the job.
        "NW910" RanksBeyondJob { asked: String, ranks: u32 },
        /// No call of MPI was seen in what `launcher` started, or none of these ranks that were asked for.
        "NW911" NoRankSeen { launcher: Option<String>, asked: Option<String> },
        /// The program defines MPI's functions itself, so that its calls do not pass by the collector.
        "NW912" MpiInsideProgram { program: String },
        /// There is hardly any place left where processes put what is measured: what found none is missing.
        "NW913" CollectorFolderFull { folder: String, free: Bytes },
        /// No file of a process may be as large as what is measured of one.
        "NW914" FilesTooSmall { limit: Bytes, needed: Bytes },
        /// Open MPI and MPICH were both loaded into one process.
        "NW915" SeveralMpis,
        /// The program's MPI is neither Open MPI nor one with the binary interface of MPICH.
        "NW916" UnknownMpi,
        /// Processes that did not have the collector loaded computed for so long; `names` are those that did for longest.
        "NW917" ProcessesNotWatched { count: u64, computed: Nanoseconds, names: Vec<String> },
        /// Ranks may run on other computers, and where the programs stand among the launcher's words cannot be told.
        "NW918" RanksElsewhere { launcher: String },
        /// The machines of so many computers are not kept, beside the `kept` that differ.
        "NW919" MachinesLeftOut { count: u64, kept: u64 },
        /// These are the ranks of `host` alone: what they measured could not be put into the folder of whoever is around the launcher.
        "NW920" FolderNotShared { host: String, folder: String, problem: String },
        /// The launcher killed numawise with the ranks; these are those that had called `MPI_Abort`.
        "NW921" KilledWithRanks { aborted: Option<String> },
        /// So many jobs of MPI ran one after the other: the figures are of the one that is `shown`, whose ranks took the most time; `others`
        /// are those beside it that did for longest.
        "NW922" OtherJobs { count: u64, shown: WatchedJob, others: Vec<WatchedJob> },
        /// Nothing came of these of the `ranks` ranks of the job, of which each has a numawise.
        "NW923" RanksNotMet { missing: String, ranks: u32 },
        /// These ranks ended without `MPI_Finalize`; `first` is the first of those that could tell how.
        "NW924" NotFinalised { ranks: String, first: Option<RankThatTold> },
        /// The file `library` of an MPI was loaded into the program, and no call of it was seen.
        "NW925" MpiNotCalled { program: String, library: String },
        /// So many processes forbade system calls to themselves; `program` is that of the first.
        "NW926" Sandboxed { count: u64, program: String },
        /// A trace was asked for, and so many ranks that were watched have none.
        "NW927" RanksNotTraced { count: u64 },
        /// So much of a trace was written beside the record; then there was no more room.
        "NW928" TraceDiskFull { folder: String, taken: Bytes, problem: String },
        /// So many ranks called nothing in the time that was asked for.
        "NW929" NothingInTime { count: u64 },
    }
}
