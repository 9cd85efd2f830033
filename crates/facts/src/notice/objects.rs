//! Notices of a run whose memory objects are watched.

use numawise_units::{Bytes, IdSet, Nanoseconds, Rank};

use super::PreloadObstacle;
use crate::TrialFailure;

super::notices! {
    /// NW94x: of memory objects.
    Objects: ObjectsNotice {
        /// The program does not have the library loaded that logs its allocations; what it starts may.
        "NW940" NotLogged { obstacle: PreloadObstacle },
        /// No process of the program had the library loaded.
        "NW941" NothingLogged,
        /// The kernel does not sample for us, `problem` says why; threads of the program are sampled by timers of their own.
        "NW942" SampledInside { problem: String },
        /// What watched the program failed before it had ended.
        "NW943" WatchFailed { problem: String },
        /// Records of the kernel that found no place: what was seen of the program is a part of it.
        "NW944" RecordsLost { count: u64 },
        /// The objects of a check were to be followed in a run of their own, and too little of the budget was left.
        "NW945" NoTimeForObjects { needs: Nanoseconds, left: Nanoseconds },
        /// The program failed in that run.
        "NW946" FailedWithObjects { failure: TrialFailure },
        /// Nothing was handed over from that run.
        "NW947" NoObjectsOfRun { problem: String },
        /// Files of the program without lines, in which most of these bytes of objects are allocated.
        "NW948" NoLinesOfObjects { files: Vec<String>, bytes: Bytes },
        /// Of so many ranks with a numawise each, the objects of those with the lowest numbers are kept.
        "NW949" ObjectsLeftOut { runs: u64, kept: u64 },
        /// So many processes forbade system calls to themselves: from then on nothing was written down there.
        "NW950" ObjectsSandboxed { count: u64 },
        /// Only these ranks were surveyed; of `missing` no process was seen.
        "NW951" SurveyOfRanks { asked: IdSet<Rank>, missing: IdSet<Rank> },
        /// Source files, `count` in all, that were written after the files of the program whose loops they hold.
        "NW952" SourceChanged { programs: Vec<String>, files: Vec<String>, count: u64 },
    }
}
