use std::path::PathBuf;

use numawise_units::Bytes;

use super::*;

fn spec(line: &str) -> RunSpec {
    RunSpec { command: line.split(' ').map(Argument::from).collect(), directory: PathBuf::new() }
}

#[test]
fn each_program_of_the_launcher_gets_the_words_and_the_folder() {
    let words = HandingOverWords { before: vec!["X".into(), "to".into()], after: vec!["--".into()] };
    let around = |line: &str| {
        AroundLauncher::of(&spec(line), &words).map(|one| one.command(Path::new("/f")).shell_line())
    };
    assert_eq!(
        around("mpirun -H a,b -n 2 ./app x").as_deref(),
        Some("mpirun -H a,b -n 2 X to /f -- ./app x")
    );
    assert_eq!(
        around("srun -n 2 ./a : -n 1 ./b").as_deref(),
        Some("srun -n 2 X to /f -- ./a : -n 1 X to /f -- ./b")
    );
    assert_eq!(around("jsrun -n 2 ./app"), None);
    assert_eq!(around("mpirun --app file"), None);
}

#[test]
fn computers_that_are_alike_have_one_machine_and_there_is_an_end_to_those_that_differ() {
    let machine = numawise_machine::quick(&Roots::live()).unwrap();
    let with = |free: u64, memory: u64| {
        let mut machine = machine.clone();
        machine.nodes[0].free = Reading::Measured(Bytes(free));
        machine.nodes[0].memory = Reading::Measured(Bytes(memory));
        Some(machine)
    };
    let one = |host: &str, machine| Computer { host: host.to_owned(), machine };
    let computers = vec![one("a", with(1, 9)), one("own", with(1, 9)), one("b", with(2, 9)), one("c", None)];
    let (machines_, notice) = machines(computers, "own");
    assert_eq!(machines_.iter().map(|one| one.hosts.join(" ")).collect::<Vec<_>>(), ["a b"]);
    assert_eq!(notice, None);
    let many = (0..20).map(|number| one(&format!("n{number}"), with(1, number))).collect();
    let (kept, notice) = machines(many, "own");
    assert_eq!(kept.len(), MOST_MACHINES);
    assert_eq!(notice, Some(SnapshotNotice::MachinesLeftOut { count: 4, kept: 16 }.into()));
}
