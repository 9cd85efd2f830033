use std::path::PathBuf;

use super::*;

fn several_in(line: &str, folder: &Path, set: &[(&str, &str)]) -> bool {
    let command = line.split(' ').map(Argument::from).collect();
    let spec = RunSpec { command, directory: folder.to_owned() };
    let environment =
        |name: &str| set.iter().find(|(set, _)| *set == name).map(|(_, value)| OsString::from(value));
    may_be_several(&spec, "here.cluster", &environment, &|word| word.to_string().starts_with('.'))
}

fn several(line: &str, set: &[(&str, &str)]) -> bool {
    several_in(line, &PathBuf::new(), set)
}

#[test]
fn hosts_among_the_words_count() {
    for line in [
        "mpirun -H a:2,b:2 -n 4 ./app",
        "mpirun -n 4 --host here,b ./app",
        "mpirun --host=b ./app",
        "mpiexec -hosts a,b ./app",
        "mpirun -n 1 ./one : -n 1 -host far ./two",
        "mpirun --rankfile ranks ./app",
        "mpirun --hostfile no-such-file ./app",
        "mpirun -H 10.0.0.2 ./app",
        "srun -n 4 ./app",
    ] {
        assert!(several(line, &[]), "{line}");
    }
    for line in [
        "mpirun -n 4 ./app",
        "mpirun -H here:4 ./app",
        "mpirun -H HERE.cluster,localhost,127.0.0.1 ./app",
        "mpiexec -hosts ::1 ./app",
        "mpirun -n 4 ./app -H far",
        "mpirun -n 4 ./app --hostfile far : -n 1 ./other -f x",
    ] {
        assert!(!several(line, &[]), "{line}");
    }
}

#[test]
fn files_of_hosts_are_read_as_launchers_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    file("own", "# comment\nhere slots=4\n\nlocalhost:2 # far\n");
    file("far", "here slots=2\nfar slots=2\n");
    for (line, expected) in [
        ("mpirun --hostfile own ./app", false),
        ("mpirun --hostfile far ./app", true),
        ("mpiexec -f own ./app", false),
        ("mpiexec -f far ./app", true),
        ("mpirun -machinefile=far ./app", true),
    ] {
        assert_eq!(several_in(line, folder.path(), &[]), expected, "{line}");
    }
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for (name, expected) in [("own", false), ("far", true)] {
        assert_eq!(several("mpirun ./app", &[("PBS_NODEFILE", &path(name))]), expected, "{name}");
    }
}

#[test]
fn what_a_batch_system_gives_counts_where_the_words_name_no_hosts() {
    let of_two = [("SLURM_JOB_NUM_NODES", "2")];
    assert!(several("mpirun ./app", &of_two));
    assert!(!several("mpirun -H here ./app", &of_two));
    for value in ["1", "", "x"] {
        assert!(!several("mpirun ./app", &[("SLURM_NNODES", value)]), "{value}");
    }
}
