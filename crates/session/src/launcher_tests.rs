use std::path::PathBuf;

use super::*;

fn spec(line: &str) -> RunSpec {
    RunSpec { command: line.split(' ').map(Argument::from).collect(), directory: PathBuf::new() }
}

/// Words that begin with a dot can be executed.
fn with_x(line: &str) -> Option<String> {
    let is_executable = |word: &Argument| word.to_string().starts_with('.');
    with_words_before_programs(&spec(line), &[Argument::from("X")], &is_executable)
        .map(|spec| spec.shell_line())
}

#[test]
fn launchers_are_known_by_their_names() {
    assert_eq!(of(&spec("mpirun -n 4 ./app")), Some("mpirun"));
    assert_eq!(of(&spec("/usr/bin/mpiexec.hydra -n 4 ./app")), Some("mpiexec.hydra"));
    assert_eq!(of(&spec("./app mpirun")), None);
}

#[test]
fn words_of_ours_are_taken_out_again() {
    let words = spec("numawise run --place semi --").command;
    let without = |line: &str| without_words(&spec(line), &words).shell_line();
    let typed = "mpirun -n 1 ./a run : -n 2 ./b";
    let placed = "mpirun -n 1 numawise run --place semi -- ./a run : -n 2 numawise run --place semi -- ./b";
    assert_eq!((without(placed), without(typed)), (typed.to_owned(), typed.to_owned()));
    assert_eq!(without_words(&spec(typed), &[]).shell_line(), typed);
}

#[test]
fn the_program_of_a_launcher_is_found_behind_its_options() {
    for (line, expected) in [
        ("mpirun ./app", "mpirun X ./app"),
        ("mpirun -n 4 app -n 5", "mpirun -n 4 X app -n 5"),
        (
            "mpirun --mca btl self,vader --map-by slot:PE=2 ./app",
            "mpirun --mca btl self,vader --map-by slot:PE=2 X ./app",
        ),
        ("mpirun --oversubscribe -np 2 ./app", "mpirun --oversubscribe -np 2 X ./app"),
        ("mpirun --allow-run-as-root ./app", "mpirun --allow-run-as-root X ./app"),
        ("mpiexec -genv A 1 -bind-to core -n 2 ./app x", "mpiexec -genv A 1 -bind-to core -n 2 X ./app x"),
        ("mpirun --new-option value -n 2 ./app", "mpirun --new-option value -n 2 X ./app"),
        ("mpirun --new=value -n 2 ./app", "mpirun --new=value -n 2 X ./app"),
        ("srun -n4 --cpu-bind=cores -p fast ./app", "srun -n4 --cpu-bind=cores -p fast X ./app"),
        ("srun --ntasks 4 -- app", "srun --ntasks 4 -- X app"),
        ("mpirun -n 1 ./a x : -n 2 ./b", "mpirun -n 1 X ./a x : -n 2 X ./b"),
    ] {
        assert_eq!(with_x(line).as_deref(), Some(expected), "{line}");
    }
}

#[test]
fn what_is_not_understood_is_left_alone() {
    for line in
        ["mpirun", "mpirun -n 4", "mpirun --app file", "mpirun ./a : -n 2", "jsrun -n 2 ./app", "./app x"]
    {
        assert_eq!(with_x(line), None, "{line}");
    }
}
