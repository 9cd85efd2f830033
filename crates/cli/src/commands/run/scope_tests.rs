use clap::Parser;
use numawise_launch::Launcher;

use super::*;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    run: Arguments,
}

fn typed(line: &str) -> Arguments {
    Typed::try_parse_from(["run"].into_iter().chain(line.split_whitespace())).unwrap().run
}

fn rank(local_rank: u32, local_size: u32) -> LocalRank {
    LocalRank {
        launcher: Launcher::OpenMpi,
        local_rank,
        local_size,
        rank: Some(local_rank),
        size: Some(local_size),
        size_is_assumed: false,
    }
}

fn entered(line: &str, own: &str, outside: &str, rank: &LocalRank) -> Scope {
    entered_with(line, own, outside, rank, None)
}

fn entered_with(line: &str, own: &str, outside: &str, rank: &LocalRank, given: Option<Given>) -> Scope {
    let allowed = Allowed { cpus: own.parse().unwrap(), nodes: "0".parse().unwrap() };
    let mut scope = Scope { allowed, tasks: Tasks::of(1), notes: vec![], warnings: vec![], speaks: true };
    let outside = Outside { cpus: outside.parse().unwrap(), who: "mpirun (process 7)".to_owned(), given };
    scope.enter(&typed(line), rank, &outside);
    scope
}

#[test]
fn what_the_launcher_did_is_told_from_the_masks() {
    let told =
        |own: &str, outside: &str, size| Bound::told(&own.parse().unwrap(), &outside.parse().unwrap(), size);
    for (own, outside, size, expected) in [
        ("0-7", "0-7", 4, Bound::No),
        ("0-7", "2-5", 4, Bound::No),
        ("0-1", "0-7", 4, Bound::Alone),
        ("0-3", "0-7", 2, Bound::Alone),
        ("0-3", "0-7", 3, Bound::Crowded),
        ("0", "0-1", 8, Bound::Alone),
        ("0-6", "0-7", 1, Bound::Alone),
        ("0-3", "0-7", u32::MAX, Bound::Crowded),
    ] {
        assert_eq!(told(own, outside, size), expected, "{own} of {outside} for {size}");
    }
}

#[test]
fn ranks_that_nobody_bound_plan_for_all_and_take_their_part() {
    let scope = entered("--place semi app", "0-7", "0-7", &rank(2, 4));
    assert_eq!(scope.tasks, Tasks { number: 4, ours: 2, ..Tasks::default() });
    assert_eq!(scope.warnings, [""; 0]);
    assert!(scope.notes[0].contains("rank 2 of 4, number 2 of 4 on this computer"), "{:?}", scope.notes);
    assert!(scope.notes[1].contains("mpirun (process 7) left its CPUs (0-7)"), "{:?}", scope.notes);
    assert!(!scope.speaks, "rank 0 says what there is to say");
    assert!(entered("--place semi app", "0-7", "0-7", &rank(0, 4)).speaks);
    assert!(entered("--place semi -v app", "0-7", "0-7", &rank(2, 4)).speaks);
    // numactl's lists hold for each.
    assert_eq!(entered("-C 0-3 -v app", "0-7", "0-7", &rank(2, 4)).tasks, Tasks::of(1));
}

#[test]
fn a_bound_rank_plans_inside_and_without_a_word() {
    let scope = entered("--place local app", "2-3", "0-7", &rank(1, 4));
    assert_eq!((scope.tasks, scope.allowed.cpus.to_string()), (Tasks::of(1), "2-3".to_owned()));
    assert_eq!(scope.warnings, [""; 0]);
    assert!(scope.notes[1].contains("bound this rank to CPUs 2-3 (of 0-7"), "{:?}", scope.notes);
}

#[test]
fn rebind_widens_with_a_warning() {
    let scope = entered("--place local --rebind app", "2-3", "0-7", &rank(1, 4));
    assert_eq!(scope.allowed.cpus.to_string(), "0-7");
    assert_eq!(scope.tasks, Tasks { number: 4, ours: 1, ..Tasks::default() });
    assert!(
        scope.warnings[0].contains("bound this rank to CPUs 2-3; the plan takes"),
        "{:?}",
        scope.warnings
    );
    let nothing = entered("--place local --rebind app", "0-7", "0-7", &rank(1, 4));
    assert_eq!(nothing.warnings, [""; 0], "there was nothing to widen");
}

#[test]
fn ranks_on_the_same_cpus_are_warned() {
    let scope = entered("--place local app", "0-7", "0-15", &rank(3, 4));
    assert_eq!(scope.tasks, Tasks { crowded: true, threads: Some(4), ..Tasks::of(1) });
    assert!(scope.warnings[0].contains("4 ranks have 16 CPUs"), "{:?}", scope.warnings);
    assert!(scope.warnings[0].contains("threads are not pinned"), "{:?}", scope.warnings);
    let pinned = entered("--place local --pin app", "0-7", "0-15", &rank(3, 4));
    assert!(pinned.warnings[0].contains("may meet on the same CPUs"), "{:?}", pinned.warnings);
    let lists = entered("-C 0-1 -v app", "0-7", "0-15", &rank(3, 4));
    assert_eq!((lists.warnings, lists.tasks), (vec![], Tasks::of(1)));
}

fn scope_of(line: &str, variables: &[(&str, &str)]) -> Result<Scope, Failure> {
    let look = |name: &str| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
    };
    Scope::of_this_process(&typed(line), &look)
}

const RANK: [(&str, &str); 2] = [("MPI_LOCALRANKID", "1"), ("MPI_LOCALNRANKS", "2")];

#[test]
fn copies_inside_of_a_rank_are_refused() {
    let error = format!("{:?}", scope_of("--copies 2 app", &RANK).unwrap_err());
    assert!(error.contains("--copies") && error.contains("MPICH"), "{error}");
    assert_eq!(scope_of("--copies 2 app", &[]).unwrap().tasks, Tasks::of(2));
}

#[test]
fn a_broken_environment_ends_a_plan_for_ranks_and_nothing_else() {
    let broken = [("MPI_LOCALRANKID", "one"), ("MPI_LOCALNRANKS", "2")];
    assert!(scope_of("--place local app", &broken).is_err());
    assert!(scope_of("-C 0 app", &broken).unwrap().warnings.is_empty(), "nobody asked");
    let shown = scope_of("-C 0 -v app", &broken).unwrap();
    assert!(shown.warnings[0].contains("MPI_LOCALRANKID"), "{:?}", shown.warnings);
    let untold = scope_of("--place local app", &[("PMI_RANK", "1")]).unwrap();
    assert!(untold.warnings[0].contains("the only rank here"), "{:?}", untold.warnings);
}

#[test]
fn rebind_without_a_launcher_says_that_it_does_nothing() {
    let scope = scope_of("--rebind --place local app", &[]).unwrap();
    assert!(scope.warnings[0].contains("--rebind changes nothing"), "{:?}", scope.warnings);
}

#[test]
fn what_a_batch_system_did_not_give_is_not_taken_without_a_word() {
    let warnings = |line: &str, own: &str, cpus, threads_of_core| {
        let given = Some(Given { cpus, threads_of_core });
        entered_with(line, own, own, &rank(0, 2), given).warnings
    };
    let told = warnings("--place local app", "0-7", 4, 1);
    assert!(told[0].contains("gave 4 CPUs") && told[0].contains("CPUs 0-7 are open"), "{told:?}");
    assert_eq!(warnings("--place local app", "0-7", 8, 1), [""; 0]);
    assert_eq!(warnings("--place local app", "0-7", 4, 2), [""; 0], "four cores with two CPUs each");
    assert_eq!(warnings("--place local app", "0-7", 3, 2).len(), 1);
    assert_eq!(warnings("-C 0-3 app", "0-7", 4, 1), [""; 0], "who names CPUs knows which");
}

#[test]
fn only_slurm_is_believed_to_say_what_it_gave() {
    let environment =
        |value: &'static str| move |name: &str| (name == "SLURM_CPUS_ON_NODE").then(|| OsString::from(value));
    let own: CpuSet = "0".parse().unwrap();
    let slurm = LocalRank { launcher: Launcher::Slurm, ..rank(0, 1) };
    assert_eq!(Given::of(&slurm, &environment("3"), &own).map(|given| given.cpus), Some(3));
    assert_eq!(Given::of(&slurm, &environment("many"), &own), None);
    assert_eq!(Given::of(&slurm, &|_| None, &own), None);
    assert_eq!(Given::of(&rank(0, 1), &environment("3"), &own), None);
}
