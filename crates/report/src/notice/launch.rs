//! Texts of the notices of a launch.

use numawise_facts::Launcher;
use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_facts::notice::{LaunchNotice, LauncherMask, NotPreloadableReason, PreloadObstacle};

use crate::amount::many;

pub fn text(notice: &LaunchNotice) -> String {
    match notice {
        LaunchNotice::RankOfJob { launcher, rank, ranks, local_rank, local_ranks, even_spread_assumed } => {
            let of_all = match (rank, ranks) {
                (Some(rank), Some(ranks)) => format!("rank {rank} of {ranks}, "),
                _ => String::new(),
            };
            let assumed = if *even_spread_assumed { ", assuming an even spread" } else { "" };
            format!(
                "{launcher} started this: {of_all}number {local_rank} of {local_ranks} on this computer{assumed}"
            )
        }
        LaunchNotice::CpusLeftToAllRanks { cpus, mask } => {
            format!("{} left its CPUs ({cpus}) to all ranks", who(mask))
        }
        LaunchNotice::RankIsBound { cpus, of, mask } => format!(
            "the launcher bound this rank to CPUs {cpus} (of {of}, reported by {}): the plan is made inside of them; --rebind \
             would not stay there",
            who(mask)
        ),
        LaunchNotice::OverlappingMask { cpus } => {
            format!("the launcher gave CPUs {cpus} to this rank and to others")
        }
        LaunchNotice::OverlappingMasks { cpus, local_ranks, launcher_cpus, pinned } => {
            let pinned = if *pinned {
                "they are pinned as asked and may meet on the same CPUs"
            } else {
                "the strategy is passed over and threads are not pinned"
            };
            format!(
                "the launcher gave CPUs {cpus} to this rank and to others: {local_ranks} ranks have {launcher_cpus} CPUs, and \
                 which of these CPUs are whose is not known, so that {pinned}; bind each rank to CPUs of its own, none at all \
                 (mpirun --bind-to none), or use --rebind"
            )
        }
        LaunchNotice::RankIsRebound { cpus, launcher_cpus, mask } => format!(
            "--rebind: the launcher bound this rank to CPUs {cpus}; the plan takes the CPUs that the launcher itself may use \
             ({launcher_cpus}, reported by {}) for all ranks",
            who(mask)
        ),
        LaunchNotice::NothingToRebind => {
            "--rebind changes nothing: no launcher's variables are in the environment, so that \
                                          this is not a rank of a job"
                .to_owned()
        }
        LaunchNotice::RankUnknown { problem } => {
            format!("{problem}; the plan is made as if this were the only rank here")
        }
        LaunchNotice::MoreThanSlurmGave { given, open } => format!(
            "Slurm gave {} of this computer to the job (SLURM_CPUS_ON_NODE), and nothing keeps its ranks to them: \
             CPUs {open} are open, and the plan takes them all, perhaps those of other jobs too; ask for whole computers \
             (--exclusive), name CPUs with --cpus, or have Slurm bind (TaskPlugin=task/affinity)",
            many(*given as u64, "CPU")
        ),
        LaunchNotice::BoundToFewerCpus { launcher, cpus, threads } => format!(
            "{launcher} bound this rank to {} ({cpus}), which its {threads} threads share; {} leaves CPUs to all ranks, \
             which then share them out by the plan, and so does --rebind here",
            many(cpus.len() as u64, "CPU"),
            unbound(*launcher)
        ),
        LaunchNotice::DefaultBindingPassedOver { launcher, cpus, launcher_cpus, mask } => format!(
            "{launcher} bound this rank to CPUs {cpus} by its default, which nobody asked for: all ranks share out the CPUs \
             that the launcher itself may use ({launcher_cpus}, reported by {}); a binding that is asked for is respected",
            who(mask)
        ),
        LaunchNotice::ObjectPut { name, bytes, allocated, nodes, interleaved } => {
            let name = name.as_deref().unwrap_or("an object without a name");
            let of = format!("{name} ({bytes}, {})", defined(allocated));
            if *interleaved {
                format!("pages of {of} go to nodes {nodes} in turn wherever it is allocated")
            } else {
                format!("{of} goes to node {nodes} wherever it is allocated, as long as there is room")
            }
        }
        LaunchNotice::ObjectNotPut { name, reason } => format!(
            "{} stays where the system puts it: {reason}",
            name.as_deref().unwrap_or("an object without a name")
        ),
        LaunchNotice::ThreadsPinnedBy { library } => format!("threads of every kind are pinned by {library}"),
        LaunchNotice::OnlyOpenMpPinned => {
            "threads of OpenMP are pinned by its variables; no others (--no-preload)".to_owned()
        }
        LaunchNotice::PinningLibraryMissing => {
            "only threads of OpenMP are pinned: libnumawise_agent.so, which pins all others, is not installed with numawise; \
             expected beside its binary or in ../lib/numawise/ (make install puts it there)"
                .to_owned()
        }
        LaunchNotice::NotPreloadable { obstacle } => preload_obstacle(obstacle),
        LaunchNotice::EnvironmentChanged { name, was, becomes: Some(becomes) } => {
            format!("{name}={was} of the environment is replaced by {becomes}, as the plan asks")
        }
        LaunchNotice::EnvironmentChanged { name, was, becomes: None } => {
            format!("{name}={was} of the environment is taken out: it would pin the threads again")
        }
        LaunchNotice::TransparentHugePagesOff { file } => format!(
            "transparent huge pages were asked for, and the system gives none: {file} is [never]; root can write madvise to it"
        ),
        LaunchNotice::TransparentHugePagesMissing { problem } => {
            format!("transparent huge pages were asked for, and this kernel seems to have none: {problem}")
        }
        LaunchNotice::NoHugePages { folder } => format!(
            "huge pages were asked for, and none is free ({folder}/*/free_hugepages are 0); memory comes in ordinary pages \
             until root reserves some (nr_hugepages), or try --page-size thp"
        ),
        LaunchNotice::HugePagesMissing { problem } => {
            format!("huge pages were asked for, and this kernel seems to have none: {problem}")
        }
    }
}

/// The words that have a launcher leave its CPUs to all of its ranks.
fn unbound(launcher: Launcher) -> &'static str {
    match launcher {
        Launcher::OpenMpi => "mpirun --bind-to none",
        // MVAPICH's library binds in MPI_Init, unless this variable says not to.
        Launcher::Mvapich => "mpiexec -bind-to none -genv MV2_ENABLE_AFFINITY 0",
        Launcher::Hydra => "mpiexec -bind-to none",
        Launcher::Jsm => "jsrun --bind none",
        Launcher::Pals => "mpiexec --cpu-bind none",
        Launcher::Flux => "flux run -o cpu-affinity=off",
        Launcher::Slurm => "srun --cpu-bind=none",
    }
}

fn preload_obstacle(obstacle: &PreloadObstacle) -> String {
    match obstacle {
        PreloadObstacle::LibraryPath { library } => format!(
            "the library that pins threads is at {library}, a path that LD_PRELOAD cannot hold (a space, ':', '$' or bytes \
             that are not text); move it to another folder"
        ),
        PreloadObstacle::LibraryUnreadable { library, error } => format!(
            "the library that pins threads cannot be read at {library}: {error}; `make build` puts it beside the program"
        ),
        PreloadObstacle::Program { program, reason } => format!(
            "the library that pins threads cannot be loaded into {program}: {}; threads of OpenMP follow OMP_PLACES, others stay on \
             the CPUs of the task",
            not_preloadable(reason)
        ),
    }
}

/// The line of an object, or its file.
fn defined(at: &Reading<CodePlace>) -> String {
    let end = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let Some(place) = at.measured() else { return "from an unknown place".to_owned() };
    match (place.source.file.measured(), place.source.line.measured()) {
        (Some(file), Some(line)) => format!("{}:{line}", end(file)),
        _ => end(&place.file),
    }
}

/// Why a library is not loaded into a program.
pub fn not_loaded(obstacle: &PreloadObstacle) -> String {
    match obstacle {
        PreloadObstacle::Program { program, reason } => format!("{program}: {}", not_preloadable(reason)),
        PreloadObstacle::LibraryPath { library } => {
            format!("LD_PRELOAD cannot hold its path {library}; move numawise to another folder")
        }
        PreloadObstacle::LibraryUnreadable { library, error } => format!("{library} cannot be read: {error}"),
    }
}

pub fn not_preloadable(reason: &NotPreloadableReason) -> String {
    match reason {
        NotPreloadableReason::OtherProcessor => {
            "it is built for another kind of processor than numawise".to_owned()
        }
        NotPreloadableReason::StaticallyLinked => {
            "it is linked statically and has no dynamic loader".to_owned()
        }
        NotPreloadableReason::OtherLoader { loader } => {
            format!("its loader is {loader}, not that of glibc or musl")
        }
        NotPreloadableReason::OtherRights => {
            "it runs with the rights of its owner or group (setuid, setgid), and the loader \
                                              then preloads nothing"
                .to_owned()
        }
        NotPreloadableReason::Capabilities => {
            "its file has capabilities, and the loader then preloads nothing".to_owned()
        }
    }
}

fn who(mask: &LauncherMask) -> String {
    match mask {
        LauncherMask::Process { name, pid } => format!("{name} (process {pid})"),
        LauncherMask::Cgroup { reason } => format!("the cgroup, since {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_preloaded_is_named_with_the_cause() {
        let said = |obstacle| text(&LaunchNotice::NotPreloadable { obstacle });
        let library = || "/opt/a b.so".to_owned();
        assert!(
            said(PreloadObstacle::LibraryPath { library: library() })
                .contains("b.so, a path that LD_PRELOAD")
        );
        let unreadable =
            PreloadObstacle::LibraryUnreadable { library: library(), error: "no such file".to_owned() };
        assert!(said(unreadable).contains("cannot be read at /opt/a b.so: no such file;"));
        for (reason, part) in [
            (NotPreloadableReason::OtherProcessor, "another kind of processor"),
            (NotPreloadableReason::StaticallyLinked, "linked statically"),
            (NotPreloadableReason::OtherLoader { loader: "/ld".to_owned() }, "/ld, not that of glibc"),
            (NotPreloadableReason::OtherRights, "setuid"),
            (NotPreloadableReason::Capabilities, "capabilities"),
        ] {
            let text = said(PreloadObstacle::Program { program: "app".to_owned(), reason });
            assert!(text.starts_with("the library that pins threads cannot be loaded into app: "), "{text}");
            assert!(text.contains(part), "{text}");
        }
    }
}
