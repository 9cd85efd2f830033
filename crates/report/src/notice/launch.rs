//! Texts of the notices of a launch.

use numawise_facts::{LaunchNotice, LauncherMask};

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
            "Slurm gave {given} CPUs of this computer to the job (SLURM_CPUS_ON_NODE), and nothing keeps its ranks to them: \
             CPUs {open} are open, and the plan takes them all, perhaps those of other jobs too; ask for whole computers \
             (--exclusive), name CPUs with --cpus, or have Slurm bind (TaskPlugin=task/affinity)"
        ),
        LaunchNotice::ThreadsPinnedBy { library } => format!("threads of every kind are pinned by {library}"),
        LaunchNotice::OnlyOpenMpPinned => {
            "threads of OpenMP are pinned by its variables; no others (--no-preload)".to_owned()
        }
        LaunchNotice::PinningLibraryMissing => {
            "threads of OpenMP are pinned by its variables; no others, since \
                                                libnumawise_agent.so is not installed with numawise"
                .to_owned()
        }
        LaunchNotice::NotPreloadable { problem } => problem.clone(),
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

fn who(mask: &LauncherMask) -> String {
    match mask {
        LauncherMask::Process { name, pid } => format!("{name} (process {pid})"),
        LauncherMask::Cgroup { reason } => format!("the cgroup, since {reason}"),
    }
}
