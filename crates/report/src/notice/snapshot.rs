//! Texts of the notices of a snapshot.

use numawise_facts::activity::ProcessEnd;
use numawise_facts::notice::{PreloadObstacle, RankThatTold, SnapshotNotice, WatchedJob};

use super::launch::not_preloadable;
use crate::amount::many;

#[cfg(test)]
#[path = "snapshot_tests.rs"]
mod tests;

pub fn text(notice: &SnapshotNotice) -> String {
    match notice {
        SnapshotNotice::NotWatched { obstacle } => not_watched(obstacle),
        SnapshotNotice::CollectedOnDisk { folder, problem } => format!(
            "what is measured is kept in {folder} until the program ends, not in memory ({problem}): on a disk the start of each \
             process takes some milliseconds longer, and the first use of a table may wait for the disk"
        ),
        SnapshotNotice::NothingWatched => {
            "nothing was measured: no process of the program had the collector loaded; expected a program that is linked \
             dynamically, is not setuid, keeps LD_PRELOAD and NUMAWISE_SNAPSHOT in the environment of what it starts, and \
             runs on this computer"
                .to_owned()
        }
        SnapshotNotice::UnreadablePart { problem } => {
            format!("what one process measured is not in the result: {problem}")
        }
        SnapshotNotice::RanksNotSeen { missing, ranks, launcher, through } => {
            not_seen(missing, *ranks, launcher.as_deref().unwrap_or("mpirun"), through.as_deref())
        }
        SnapshotNotice::RanksNotMet { missing, ranks } => format!(
            "nothing came of rank {missing} of {ranks}: each rank needs numawise snapshot and the same --output FILE before its \
             program; those of one computer meet in /dev/shm, which containers have to share (docker and podman: --ipc=host), those of \
             several computers in the folder of FILE, which all have to share"
        ),
        SnapshotNotice::NotFinalised { ranks, first } => not_finalised(ranks, first.as_ref()),
        SnapshotNotice::MpiNotCalled { program, library } => format!(
            "MPI ({library}) is loaded into {program}, and no call of it was seen: either there is none, or the program looks its \
             functions up in that file alone (dlopen and dlsym, as Julia does), so that calls do not pass by the collector; then time in \
             MPI counts as the program's own. Expected a program that is linked with MPI, or an extension module that is (as mpi4py)"
        ),
        SnapshotNotice::RanksElsewhere { launcher } => format!(
            "ranks may run on other computers, where they are not watched: which of the words of {launcher} is the program that it \
             starts cannot be told; put numawise snapshot --output FILE -- before the program yourself, FILE in a folder that all \
             computers share"
        ),
        SnapshotNotice::FolderNotShared { host, folder, problem } => format!(
            "these are the ranks on {host} alone: {folder}, through which they hand over what they measure, is not to be had there \
             ({problem}); expected --output FILE in a folder that all computers of the job share (without it, the current folder)"
        ),
        SnapshotNotice::KilledWithRanks { aborted } => {
            let why = match aborted {
                Some(ranks) => format!("rank {ranks} called MPI_Abort"),
                None => "a rank ended within MPI".to_owned(),
            };
            format!(
                "{why}, and the launcher killed all ranks, numawise with them: this is what was measured until then; counters of the \
                 processor, and what is seen of processes from outside (memory by node, time by CPU), are missing"
            )
        }
        SnapshotNotice::OtherJobs { count, shown, others } => other_jobs(*count, shown, others),
        SnapshotNotice::MachinesLeftOut { count, kept } => format!(
            "nodes and CPUs of {} are not kept, of which no two are alike beside the {kept} that are: where their memory lies from \
             their threads is not known",
            many(*count, "computer")
        ),
        SnapshotNotice::RanksBeyondJob { asked, ranks } => format!(
            "--ranks: there is no rank {asked} among the {ranks} of this job, which are 0 to {}",
            ranks.saturating_sub(1)
        ),
        SnapshotNotice::SeveralMpis => "Open MPI and MPICH are both loaded into a process: calls of both are counted as those of the one \
             that the loader finds first; one of them is meant for another mpirun, perhaps by a library that was built with it"
            .to_owned(),
        SnapshotNotice::UnknownMpi => "the program's MPI is neither Open MPI nor one with the binary interface of MPICH: its calls are \
             counted and timed, and bytes, ranks and communicators are not known; expected Open MPI 4 or 5, MPICH, Intel MPI, MVAPICH \
             or Cray MPI"
            .to_owned(),
        SnapshotNotice::MpiInsideProgram { program } => format!(
            "MPI is linked statically into {program}: its calls do not pass by the collector, and nothing is known of its ranks; \
             link MPI dynamically (without -static and lib*.a)"
        ),
        SnapshotNotice::CollectorFolderFull { folder, free } => format!(
            "{folder} is full ({free} are free): processes and threads that found no place there are missing; make place, or name \
             another folder by TMPDIR"
        ),
        SnapshotNotice::FilesTooSmall { limit, needed } => format!(
            "nothing can be measured: files are limited to {limit} (ulimit -f), and what is measured of a process needs {needed}, \
             most of which is never written; raise the limit"
        ),
        SnapshotNotice::NoRankSeen { launcher, asked } => no_rank_seen(launcher.as_deref(), asked.as_deref()),
        SnapshotNotice::ProcessesLeftOut { count, kept, computed } => format!(
            "{count} more processes without MPI and OpenMP, which computed for {computed}, were watched and are left out; kept are the \
             {kept} that ran for longest"
        ),
        SnapshotNotice::RanksApart { folder } => format!(
            "these are the ranks of one computer alone: that of rank 0 did not take what lies in {folder}; expected --output FILE in a \
             folder that all computers of the job share (without it, the current folder), and a rank 0 that is watched and ends \
             before the launcher ends the others"
        ),
        SnapshotNotice::ProcessesStillRun { count } => format!(
            "{count} process{} still ran when the program had ended, and {} watched until then",
            if *count == 1 { "" } else { "es" },
            if *count == 1 { "was" } else { "were" }
        ),
        SnapshotNotice::ProcessesNotWatched { count, computed, names } => {
            let are = if *count == 1 { "process is" } else { "processes are" };
            format!(
                "{count} {are} not in the figures, and computed for {computed} ({}): linked statically, with other rights, run as \
                 another user, without LD_PRELOAD and NUMAWISE_SNAPSHOT in the environment, or with a limit on the size of files \
                 (ulimit -f); for their figures, link them dynamically and keep both variables in their environment",
                names.join(", ")
            )
        }
        SnapshotNotice::TraceDiskFull { folder, taken, problem } => format!(
            "{folder} is full ({problem}): {taken} of the trace found room there, later calls only in memory; make place, or name a file \
             elsewhere by --output"
        ),
        SnapshotNotice::RanksNotTraced { count } => format!(
            "the calls of {} were not written down one by one: numawise trace follows 1,024 ranks at most; \
             they may also have had no place for a file (df /dev/shm, ulimit -f, ulimit -v)",
            many(*count, "rank")
        ),
        SnapshotNotice::NothingInTime { count } => format!(
            "{} made no call that began after --from and ended before --to, and has no trace; both count from the start of numawise",
            many(*count, "rank")
        ),
        SnapshotNotice::Sandboxed { count, program } => format!(
            "{count} process{} asked for a sandbox (seccomp, or to gain no new privileges; the first is {program}): from then on a call of ours \
             could have ended the program, so that processor time, calls on files, threads that began and what {} forked were not noted, and of \
             memory and waiting for CPUs only what was seen from outside",
            if *count == 1 { "" } else { "es" },
            if *count == 1 { "it" } else { "they" },
        ),
        SnapshotNotice::PlacesNotNamed { file, problem } => {
            format!("functions and lines in {file} are not named: {problem}")
        }
    }
}

fn not_finalised(ranks: &str, first: Option<&RankThatTold>) -> String {
    let how = match first {
        Some(RankThatTold { rank, end: ProcessEnd::MpiAbort, after }) => {
            format!("rank {rank} by MPI_Abort after {after}")
        }
        Some(RankThatTold { rank, after, .. }) => format!("rank {rank} by exit after {after}"),
        None => "killed, or by a crash".to_owned(),
    };
    format!(
        "rank {ranks} ended without MPI_Finalize ({how}): what was measured until then is in the figures, but for those that take all \
         ranks for the whole time"
    )
}

fn other_jobs(count: u64, shown: &WatchedJob, others: &[WatchedJob]) -> String {
    let job = |job: &WatchedJob| {
        let ranks = if job.ranks == 1 { "rank" } else { "ranks" };
        let time = job.elapsed.measured().map_or_else(String::new, |time| format!(", {time}"));
        format!("{} ({} {ranks}{time})", job.programs.join(", "), job.ranks)
    };
    let named: Vec<String> = others.iter().map(job).collect();
    let more = count.saturating_sub(others.len() as u64 + 1);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "{count} jobs of MPI ran one after the other, and these are the figures of one alone, whose ranks took the most time: {}. Not in them \
         are {}{more}; for the figures of another, put numawise snapshot before the launcher of that one",
        job(shown),
        named.join(", ")
    )
}

/// What launchers are told, so that ranks have the collector loaded.
const HANDED_ON: &str = "the launcher has to hand LD_PRELOAD and NUMAWISE_SNAPSHOT on (Open MPI: -x LD_PRELOAD -x NUMAWISE_SNAPSHOT; \
     MPICH and Intel MPI: -genvall, or -genvlist LD_PRELOAD,NUMAWISE_SNAPSHOT; Slurm: --export=ALL)";

fn not_seen(missing: &str, ranks: u32, launcher: &str, through: Option<&str>) -> String {
    match through {
        Some(folder) => format!(
            "nothing came of rank {missing} of {ranks} through {folder}, where the numawise of each rank hands over what it measures: \
             expected --output FILE in a folder that all computers of the job share (without it, the current folder), and numawise \
             under the same path on all of them; what a computer lacks, its ranks have said above"
        ),
        None => format!(
            "nothing came of rank {missing} of {ranks}: where they run on other computers, name these among the words of {launcher} \
             (Open MPI: -H a,b or --hostfile FILE; MPICH and Intel MPI: -hosts a,b or -f FILE), so that numawise is started there \
             too, or put numawise snapshot --output FILE -- before the program yourself, FILE in a folder that all computers share; \
             where they run here, {HANDED_ON}"
        ),
    }
}

fn no_rank_seen(launcher: Option<&str>, asked: Option<&str>) -> String {
    let launcher = launcher.unwrap_or("the launcher");
    let seen = match asked {
        Some(asked) => {
            format!(
                "none of the ranks that were asked for ({asked}) was seen: the job has fewer, or they were not watched"
            )
        }
        None => format!("no call of MPI was seen in what {launcher} started"),
    };
    format!(
        "{seen}. Where the program uses MPI, it must be linked dynamically, MPI too, and not be setuid; {HANDED_ON}, and a script \
         between them must not take them out; on other computers, start numawise inside the launcher ({launcher} -n 4 numawise \
         snapshot --output FILE -- ./app)"
    )
}

fn not_watched(obstacle: &PreloadObstacle) -> String {
    match obstacle {
        PreloadObstacle::Program { program, reason } => format!(
            "the collector cannot be loaded into {program}: {}; only what it starts is watched, where that can have it loaded",
            not_preloadable(reason)
        ),
        PreloadObstacle::LibraryPath { library } => {
            format!("the collector is at {library}, a path that LD_PRELOAD cannot hold; nothing is watched")
        }
        PreloadObstacle::LibraryUnreadable { library, error } => {
            format!("the collector cannot be read at {library}: {error}; nothing is watched")
        }
    }
}
