use std::ffi::OsString;

use numawise_units::Pid;

use super::super::testing::{rank, request};
use super::*;

fn mpirun() -> LauncherMask {
    LauncherMask::Process { name: "mpirun".to_owned(), pid: Pid(7) }
}

fn cpus(text: &str) -> CpuSet {
    text.parse().unwrap()
}

fn entered(line: &str, own: &str, outside: &str, rank: &LocalRank) -> JobContext {
    entered_from(line, own, rank, &launcher(outside))
}

/// A launcher with these CPUs, which bound its ranks as it was asked to, or not at all.
fn launcher(cpus: &str) -> LauncherCpus {
    let cpus = cpus.parse().unwrap();
    LauncherCpus { cpus, mask: mpirun(), allocation: None, bound_by_default: false }
}

fn entered_from(line: &str, own: &str, rank: &LocalRank, outside: &LauncherCpus) -> JobContext {
    let allowed = AllowedSets { cpus: own.parse().unwrap(), nodes: "0".parse().unwrap() };
    let mut scope = JobContext::recorded(allowed, TaskCount::OfTheJob);
    scope.enter(&request(line), rank, outside);
    scope
}

#[test]
fn what_the_launcher_did_is_derived_from_the_masks() {
    let derived =
        |own: &str, outside: &str, size| LauncherBinding::from_masks(&cpus(own), &cpus(outside), size);
    for (own, outside, size, expected) in [
        ("0-7", "0-7", 4, LauncherBinding::None),
        ("0-7", "2-5", 4, LauncherBinding::None),
        ("0-1", "0-7", 4, LauncherBinding::Exclusive),
        ("0-3", "0-7", 2, LauncherBinding::Exclusive),
        ("0-3", "0-7", 3, LauncherBinding::Overlapping),
        ("0", "0-1", 8, LauncherBinding::Exclusive),
        ("0-6", "0-7", 1, LauncherBinding::Exclusive),
        ("0-3", "0-7", u32::MAX, LauncherBinding::Overlapping),
    ] {
        assert_eq!(derived(own, outside, size), expected, "{own} of {outside} for {size}");
    }
}

#[test]
fn ranks_that_nobody_bound_plan_for_all_and_take_their_part() {
    let scope = entered("place=semi", "0-7", "0-7", &rank(2, 4));
    assert_eq!(scope.tasks, JobTasks { number: 4, ours: 2, ..JobTasks::default() });
    assert_eq!(scope.warnings, []);
    let rank_of_job = LaunchNotice::RankOfJob {
        launcher: "Open MPI".to_owned(),
        rank: Some(2),
        ranks: Some(4),
        local_rank: 2,
        local_ranks: 4,
        even_spread_assumed: false,
    };
    let left = LaunchNotice::CpusLeftToAllRanks { cpus: cpus("0-7"), mask: mpirun() };
    assert_eq!(scope.notes, [rank_of_job.into(), left.into()]);
    assert!(!scope.reports, "rank 0 reports what there is to report");
    assert!(entered("place=semi", "0-7", "0-7", &rank(0, 4)).reports);
    assert!(entered("place=semi explain", "0-7", "0-7", &rank(2, 4)).reports);
    // numactl's lists hold for each.
    assert_eq!(entered("numactl-cpus=0-3 explain", "0-7", "0-7", &rank(2, 4)).tasks, JobTasks::of(1));
}

#[test]
fn a_bound_rank_plans_inside_and_without_a_warning() {
    let scope = entered("place=local", "2-3", "0-7", &rank(1, 4));
    assert_eq!((scope.tasks, scope.allowed.cpus.to_string()), (JobTasks::of(1), "2-3".to_owned()));
    assert_eq!(scope.warnings, []);
    let bound = LaunchNotice::RankIsBound { cpus: cpus("2-3"), of: cpus("0-7"), mask: mpirun() };
    assert_eq!(scope.notes[1], bound.into());
}

#[test]
fn rebind_widens_with_a_warning() {
    let scope = entered("place=local rebind", "2-3", "0-7", &rank(1, 4));
    assert_eq!(scope.allowed.cpus.to_string(), "0-7");
    assert_eq!(scope.tasks, JobTasks { number: 4, ours: 1, ..JobTasks::default() });
    let rebound =
        LaunchNotice::RankIsRebound { cpus: cpus("2-3"), launcher_cpus: cpus("0-7"), mask: mpirun() };
    assert_eq!(scope.warnings, [rebound.into()]);
    let nothing = entered("place=local rebind", "0-7", "0-7", &rank(1, 4));
    assert_eq!(nothing.warnings, [], "there was nothing to widen");
}

#[test]
fn a_default_binding_is_passed_over_where_a_placement_is_asked_for() {
    let by_default = LauncherCpus { bound_by_default: true, ..launcher("0-15") };
    // A core for each of two ranks, a package for each of four.
    for (own, size) in [("2-3", 2), ("0-7", 4)] {
        let scope = entered_from("place=semi threads=4", own, &rank(1, size), &by_default);
        assert_eq!(scope.allowed.cpus, cpus("0-15"));
        assert_eq!(scope.tasks, JobTasks { number: size, ours: 1, ..JobTasks::default() });
        assert_eq!(scope.warnings, [], "what was asked for is done");
        let told = LaunchNotice::DefaultBindingPassedOver {
            launcher: Launcher::OpenMpi,
            cpus: cpus(own),
            launcher_cpus: cpus("0-15"),
            mask: mpirun(),
        };
        assert_eq!(scope.notes[1], told.into());
    }
    let lists = entered_from("numactl-cpus=+0 explain", "2-3", &rank(1, 2), &by_default);
    assert_eq!(lists.allowed.cpus, cpus("2-3"), "as with numactl in place of numawise");
}

#[test]
fn too_few_cpus_are_the_launchers_doing_and_it_is_named() {
    let task = |threads: usize| TaskPlacement {
        task: numawise_units::TaskId(0),
        cpus: cpus("2-3"),
        threads: vec![cpus("2-3"); threads],
        memory: numawise_facts::MemoryPlan::default_policy(),
        gpus: Vec::new(),
    };
    let bound = entered("place=semi threads=4", "2-3", "0-15", &rank(1, 2));
    let told = LaunchNotice::BoundToFewerCpus { launcher: Launcher::OpenMpi, cpus: cpus("2-3"), threads: 4 };
    assert_eq!((bound.shortage(&task(4)), bound.shortage(&task(2))), (Some(told), None));
    assert_eq!(entered("place=semi", "0-1", "0-1", &rank(1, 2)).shortage(&task(4)), None, "nobody bound it");
}

#[test]
fn ranks_on_the_same_cpus_are_warned() {
    let scope = entered("place=local", "0-7", "0-15", &rank(3, 4));
    assert_eq!(scope.tasks, JobTasks { overlapping: true, threads: Some(4), ..JobTasks::of(1) });
    let overlapping = |pinned| LaunchNotice::OverlappingMasks {
        cpus: cpus("0-7"),
        local_ranks: 4,
        launcher_cpus: 16,
        pinned,
    };
    assert_eq!(scope.warnings, [overlapping(false).into()]);
    let pinned = entered("place=local pin", "0-7", "0-15", &rank(3, 4));
    assert_eq!(pinned.warnings, [overlapping(true).into()]);
    let lists = entered("numactl-cpus=0-1 explain", "0-7", "0-15", &rank(3, 4));
    assert_eq!((lists.warnings, lists.tasks), (vec![], JobTasks::of(1)));
}

fn scope_of(line: &str, variables: &[(&str, &str)]) -> Result<JobContext, Error> {
    let look = |name: &str| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
    };
    JobContext::of_this_process(&request(line), &look)
}

const RANK: [(&str, &str); 2] = [("MPI_LOCALRANKID", "1"), ("MPI_LOCALNRANKS", "2")];

#[test]
fn copies_inside_of_a_rank_are_refused() {
    let error = scope_of("copies=2", &RANK).unwrap_err();
    assert!(matches!(error, Error::CopiesInARank { launcher: Launcher::Hydra }), "{error}");
    assert_eq!(scope_of("copies=2", &[]).unwrap().tasks, JobTasks::of(2));
}

#[test]
fn a_broken_environment_ends_a_plan_for_ranks_and_nothing_else() {
    let broken = [("MPI_LOCALRANKID", "one"), ("MPI_LOCALNRANKS", "2")];
    assert!(scope_of("place=local", &broken).is_err());
    assert!(scope_of("numactl-cpus=0", &broken).unwrap().warnings.is_empty(), "nobody asked");
    let shown = scope_of("numactl-cpus=0 explain", &broken).unwrap();
    let [Notice::Launch(LaunchNotice::RankUnknown { problem })] = shown.warnings.as_slice() else {
        panic!("{:?}", shown.warnings)
    };
    assert!(problem.contains("MPI_LOCALRANKID"), "{problem}");
    let untold = scope_of("place=local", &[("PMI_RANK", "1")]).unwrap();
    assert_eq!(untold.warnings[0].code(), "NW608", "{:?}", untold.warnings);
}

#[test]
fn rebind_without_a_launcher_says_that_it_does_nothing() {
    let scope = scope_of("rebind place=local", &[]).unwrap();
    assert_eq!(scope.warnings, [LaunchNotice::NothingToRebind.into()]);
}

#[test]
fn what_a_batch_system_did_not_give_is_not_taken_in_silence() {
    let warnings = |line: &str, own: &str, cpus, threads_of_core| {
        let allocation = Some(SlurmAllocation { cpus, threads_of_core });
        entered_from(line, own, &rank(0, 2), &LauncherCpus { allocation, ..launcher(own) }).warnings
    };
    let more = LaunchNotice::MoreThanSlurmGave { given: 4, open: cpus("0-7") };
    assert_eq!(warnings("place=local", "0-7", 4, 1), [more.into()]);
    assert_eq!(warnings("place=local", "0-7", 8, 1), []);
    assert_eq!(warnings("place=local", "0-7", 4, 2), [], "four cores with two CPUs each");
    assert_eq!(warnings("place=local", "0-7", 3, 2).len(), 1);
    assert_eq!(warnings("numactl-cpus=0-3", "0-7", 4, 1), [], "who names CPUs knows which");
}

#[test]
fn only_slurm_is_believed_to_say_what_it_gave() {
    let environment =
        |value: &'static str| move |name: &str| (name == "SLURM_CPUS_ON_NODE").then(|| OsString::from(value));
    let own: CpuSet = "0".parse().unwrap();
    let slurm = LocalRank { launcher: Launcher::Slurm, ..rank(0, 1) };
    assert_eq!(
        SlurmAllocation::of(&slurm, &environment("3"), &own).map(|allocation| allocation.cpus),
        Some(3)
    );
    assert_eq!(SlurmAllocation::of(&slurm, &environment("many"), &own), None);
    assert_eq!(SlurmAllocation::of(&slurm, &|_| None, &own), None);
    assert_eq!(SlurmAllocation::of(&rank(0, 1), &environment("3"), &own), None);
}
