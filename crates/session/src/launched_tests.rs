use std::ffi::OsString;
use std::path::PathBuf;

use super::*;

fn spec(words: &[&str]) -> RunSpec {
    RunSpec { command: words.iter().copied().map(Argument::from).collect(), directory: PathBuf::from("/") }
}

fn machine() -> Machine {
    numawise_machine::from_synthetic("pack:2 numa:1 core:4 pu:1").unwrap()
}

fn of(words: &[&str], request: &PlacementRequest, set: &[(&str, &str)]) -> Result<Ranks, Error> {
    let environment =
        |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value));
    let command = spec(words);
    let asked = AskedOfRanks { command: &command, ranks: 2, request, is_in_line: false };
    ranks(&asked, &machine(), &environment)
}

fn threads(threads: u32) -> PlacementRequest {
    PlacementRequest { threads: Some(threads), ..PlacementRequest::as_the_os_does() }
}

#[test]
fn ranks_with_threads_that_nobody_placed_share_the_cpus() {
    let ranks = of(&["mpirun", "-n", "2", "./app"], &threads(4), &[]).unwrap();
    let Ranks::Placed { request, is_default: true } = ranks else { panic!("{ranks:?}") };
    let plan = numawise_placement::place(&machine(), &request).unwrap();
    let cpus: Vec<String> = plan.tasks.iter().map(|task| task.cpus.to_string()).collect();
    assert_eq!((cpus, plan.binding), (vec!["0-3".to_owned(), "4-7".to_owned()], ThreadBinding::Free));
    let unknown = PlacementRequest::as_the_os_does();
    assert_eq!(of(&["mpirun", "-n", "2", "./app"], &unknown, &[]).unwrap(), Ranks::AsTheyAre);
}

#[test]
fn what_was_asked_of_the_launcher_stays_unless_something_is_asked_of_us() {
    let words = ["mpirun", "--bind-to", "socket", "-n", "2", "./app"];
    let asked =
        |by: &str| Ranks::Bound(RankBinding::AskedFor { launcher: "mpirun".to_owned(), by: by.to_owned() });
    assert_eq!(of(&words, &threads(4), &[]).unwrap(), asked("--bind-to socket"));
    let set = [("OMPI_MCA_hwloc_base_binding_policy", "core")];
    let by = "OMPI_MCA_hwloc_base_binding_policy=core";
    assert_eq!(of(&["mpirun", "-n", "2", "./app"], &threads(4), &set).unwrap(), asked(by));
    let semi = PlacementRequest { strategy: Strategy::Semi, binding: ThreadBinding::Pinned, ..threads(4) };
    let ranks = of(&words, &semi, &[]).unwrap();
    assert_eq!(ranks, Ranks::Placed { request: PlacementRequest { tasks: 2, ..semi }, is_default: false });
}

#[test]
fn a_script_is_left_as_it_is_and_not_placed_as_one_rank() {
    let script = ["sh", "-c", "mpirun -n 2 ./app"];
    let left = RankBinding::LeftToLauncher { launcher: "sh".to_owned(), why: RanksLeft::ProgramsUnknown };
    assert_eq!(of(&script, &threads(4), &[]).unwrap(), Ranks::Bound(left));
    let semi = PlacementRequest { strategy: Strategy::Semi, ..threads(4) };
    let error = of(&script, &semi, &[]).unwrap_err();
    assert!(matches!(error, Error::RanksOfUnknownPrograms { .. }), "{error}");
    let command = spec(&script);
    let in_line = AskedOfRanks { command: &command, ranks: 2, request: &semi, is_in_line: true };
    assert_eq!(ranks(&in_line, &machine(), &|_| None).unwrap(), Ranks::AsTheyAre);
    let own = ["mpirun", "-n", "2", "/opt/bin/numawise", "run", "--place", "semi", "--", "./app"];
    assert_eq!(of(&own, &threads(4), &[]).unwrap(), Ranks::AsTheyAre);
}

#[test]
fn ranks_on_other_computers_are_placed_only_where_that_is_asked_for() {
    let words = ["mpirun", "-H", "elsewhere:2", "-n", "2", "./app"];
    let left = RankBinding::LeftToLauncher { launcher: "mpirun".to_owned(), why: RanksLeft::OtherComputers };
    assert_eq!(of(&words, &threads(4), &[]).unwrap(), Ranks::Bound(left));
    let semi = PlacementRequest { strategy: Strategy::Semi, ..threads(4) };
    assert!(matches!(of(&words, &semi, &[]).unwrap(), Ranks::Placed { is_default: false, .. }));
}

#[test]
fn a_launcher_hands_on_the_number_of_threads_that_somebody_gave() {
    let machine = machine();
    let point = |request: PlacementRequest| Point {
        id: "one".into(),
        levels: numawise_facts::Levels::of(&request, 1),
        role: numawise_facts::PointRole::Baseline,
        placement: numawise_placement::place(&machine, &request).unwrap(),
        request,
        ranks: None,
    };
    let semi = PlacementRequest { strategy: Strategy::Semi, tasks: 2, ..threads(2) };
    let placed = Ranks::Placed { request: semi.clone(), is_default: false };
    let started = launched(point(semi), &machine, placed);
    assert_eq!((started.threads(), started.copies(), started.plan().tasks.len()), (2, 1, 2));
    assert_eq!(started.placement.cpus(), machine.allowed_cpus);
    let unknown = launched(point(PlacementRequest::as_the_os_does()), &machine, Ranks::AsTheyAre);
    assert_eq!(unknown.threads(), 0, "its programs have their own");
}

#[test]
fn the_number_of_ranks_is_what_the_launcher_is_told() {
    let number = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        number_of_ranks(&spec(&words)).map(NonZeroU32::get)
    };
    assert_eq!(number("mpirun -n 4 ./app -n 7"), Some(4));
    assert_eq!(number("mpiexec -np 2 ./a : -np 3 ./b"), Some(5));
    assert_eq!(number("srun -n8 /bin/true"), Some(8));
    for line in ["mpirun ./app", "mpirun -n 2 ./a : ./b", "sh -c ./app", "mpirun -n 0 ./app"] {
        assert_eq!(number(line), None, "{line}");
    }
    assert_eq!(number("mpirun -n 4 numawise run --place semi -- ./app"), None, "it is placed");
}
