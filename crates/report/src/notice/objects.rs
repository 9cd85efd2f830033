//! Texts of the notices of memory objects.

use numawise_facts::notice::{ObjectsNotice, PreloadObstacle};

use super::launch::not_preloadable;
use crate::amount::many;

pub fn text(notice: &ObjectsNotice) -> String {
    match notice {
        ObjectsNotice::NotLogged { obstacle } => not_logged(obstacle),
        ObjectsNotice::NothingLogged => {
            "no process of the program had the library loaded that logs allocations: only variables, stacks and other memory are told \
             apart; expected a program that is linked dynamically, is not setuid, and keeps LD_PRELOAD and NUMAWISE_HEAP in the \
             environment of what it starts"
                .to_owned()
        }
        ObjectsNotice::SampledInside { problem } => format!(
            "the kernel does not let numawise sample the program ({problem}): its threads are interrupted by timers of their CPU time \
             instead, and who touched pages first is an estimate from these; with sysctl kernel.perf_event_paranoid=2, and in a \
             container a seccomp profile that allows perf_event_open, page faults are sampled themselves"
        ),
        ObjectsNotice::WatchFailed { problem } => {
            format!("what watched the program failed before that had ended, and nothing of its memory is known: {problem}")
        }
        ObjectsNotice::RecordsLost { count } => format!(
            "{} of the kernel found no place, since the program had many page faults at once or numawise had too little CPU time: shares rest on the \
             others, and parts of the run have less weight; with a lower --rate, or a CPU that the program leaves free, fewer are lost",
            many(*count, "record")
        ),
        ObjectsNotice::NoTimeForObjects { needs, left } => format!(
            "the memory objects were not followed: a run takes about {needs}, and {left} of the time given was left; the same command \
             with a larger --budget goes on with it"
        ),
        ObjectsNotice::FailedWithObjects { failure } => format!(
            "the memory objects are not known: the program failed in the run in which they were followed ({failure}); the trials are not \
             affected, and numawise objects -- PROGRAM shows what it prints"
        ),
        ObjectsNotice::NoLinesOfObjects { files, bytes } => format!(
            "{bytes} of the objects have no lines and no names, since {} no debugging information: compile with -g and do not strip, or \
             install it (on Debian the package with -dbgsym, on Fedora and RHEL debuginfo-install)",
            match files.as_slice() {
                [file] => format!("{file} has"),
                files => format!("{} have", files.join(", ")),
            }
        ),
        ObjectsNotice::ObjectsLeftOut { runs, kept } => format!(
            "the memory objects of the first {kept} of {runs} ranks are kept; those of all are with numawise around the launcher (numawise snapshot \
             --objects -- mpirun ...)"
        ),
        ObjectsNotice::ObjectsSandboxed { count } => format!(
            "{count} process{} asked for a sandbox (seccomp, or to gain no new privileges): from then on allocations and samples were not noted \
             there, nor in what {} forked, since a call of ours could have ended the program",
            if *count == 1 { "" } else { "es" },
            if *count == 1 { "it" } else { "they" },
        ),
        ObjectsNotice::SurveyOfRanks { asked, missing } => {
            let missing = match missing.len() {
                0 => String::new(),
                _ => format!("; no process of rank {missing} was seen: expected a launcher of MPI or srun in the command, and ranks of its job"),
            };
            format!("the survey is of rank {asked}, and of no other process{missing}")
        }
        ObjectsNotice::SourceChanged { programs, files, count } => {
            let more = match count.saturating_sub(files.len() as u64) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!(
                "lines of {}{more} may be wrong: changed after {} was built; build it again, or survey with --rebuild",
                files.join(", "),
                programs.join(", ")
            )
        }
        ObjectsNotice::NoObjectsOfRun { problem } => {
            format!("the memory objects are not known: nothing was handed over from the run that followed them: {problem}")
        }
    }
}

fn not_logged(obstacle: &PreloadObstacle) -> String {
    match obstacle {
        PreloadObstacle::Program { program, reason } => format!(
            "the library that logs allocations cannot be loaded into {program}: {}; of its memory only variables, stacks and the rest \
             are told apart, and what it starts is watched where that can have the library loaded",
            not_preloadable(reason)
        ),
        PreloadObstacle::LibraryPath { library } => format!(
            "the library that logs allocations is at {library}, a path that LD_PRELOAD cannot hold; no allocation is logged"
        ),
        PreloadObstacle::LibraryUnreadable { library, error } => {
            format!(
                "the library that logs allocations cannot be read at {library}: {error}; no allocation is logged"
            )
        }
    }
}
