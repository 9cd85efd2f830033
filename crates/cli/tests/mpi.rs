//! Peer: ranks that the launchers of Open MPI and MPICH really start, here. Every rank tells its mask, and the plan for as
//! many ranks says what it must be.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::Command;

use serde_json::Value;

const NUMAWISE: &str = env!("CARGO_BIN_EXE_numawise");
/// Local rank and mask.
const LOOK: &str = "echo rank ${OMPI_COMM_WORLD_LOCAL_RANK-$MPI_LOCALRANKID} \
                    $(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status)";

/// A launcher by its name on Debian, where both may be installed.
#[derive(Clone, Copy)]
enum Launcher {
    OpenMpi,
    Mpich,
}

impl Launcher {
    fn program(self) -> &'static str {
        match self {
            Launcher::OpenMpi => "mpirun.openmpi",
            Launcher::Mpich => "mpiexec.mpich",
        }
    }

    /// No binding, and a core for each rank.
    fn bindings(self) -> [&'static [&'static str]; 2] {
        match self {
            Launcher::OpenMpi => [&["--bind-to", "none"], &["--bind-to", "core"]],
            Launcher::Mpich => [&["-bind-to", "none"], &["-bind-to", "core"]],
        }
    }

    /// Masks by local rank, and the standard error; `None` when the launcher is not installed.
    fn start(
        self,
        ranks: usize,
        options: &[&str],
        words: &[&str],
    ) -> Option<(BTreeMap<u32, String>, String)> {
        let mut command = Command::new(self.program());
        for name in ["OMP_NUM_THREADS", "OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"] {
            command.env_remove(name);
        }
        // Containers run tests as root, on fewer CPUs than there are ranks.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
        let number = ranks.to_string();
        let output =
            command.args(["-n", &number]).args(options).args(words).args(["sh", "-c", LOOK]).output();
        let output = match output {
            Ok(output) => output,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not installed", self.program());
                return None;
            }
            Err(error) => panic!("{}: {error}", self.program()),
        };
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let line = |line: &str| {
            let (rank, mask) = line.strip_prefix("rank ")?.split_once(' ')?;
            Some((rank.parse().ok()?, mask.to_owned()))
        };
        let masks: BTreeMap<u32, String> = out.lines().filter_map(line).collect();
        assert_eq!(masks.len(), ranks, "{out}{err}");
        Some((masks, err.into_owned()))
    }
}

const BOTH: [Launcher; 2] = [Launcher::OpenMpi, Launcher::Mpich];

/// What the plan for so many ranks says of their masks.
fn planned(ranks: usize, options: &[&str]) -> BTreeMap<u32, String> {
    let number = ranks.to_string();
    let mut command = Command::new(NUMAWISE);
    command.env_remove("OMP_NUM_THREADS");
    command.args(["run", "--dry-run", "--json", "--ranks", &number]).args(options).arg("app");
    let plan: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let tasks = plan["tasks"].as_array().unwrap().iter();
    (0..).zip(tasks.map(|task| task["cpus"].as_str().unwrap().to_owned())).collect()
}

fn run<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [&[NUMAWISE, "run"], options, &["--"]].concat()
}

/// Each launcher, each number of ranks and each of the options.
#[test]
fn ranks_that_nobody_bound_agree_without_talking() {
    let cases: [(Launcher, usize, &[&str]); 6] = [
        (Launcher::OpenMpi, 1, &["--place", "local"]),
        (Launcher::OpenMpi, 2, &["--place", "semi"]),
        (Launcher::OpenMpi, 4, &["--place", "distributed"]),
        (Launcher::Mpich, 4, &["--place", "local"]),
        (Launcher::Mpich, 2, &["--place", "semi", "--threads", "1", "--no-pin"]),
        (Launcher::Mpich, 1, &["--nodes", "0"]),
    ];
    for (launcher, ranks, options) in cases {
        let Some((masks, err)) = launcher.start(ranks, launcher.bindings()[0], &run(options)) else {
            continue;
        };
        assert_eq!(masks, planned(ranks, options), "{} {ranks} {options:?}: {err}", launcher.program());
    }
}

#[test]
fn what_the_launcher_bound_is_respected() {
    let cases: [(Launcher, [&[&str]; 2]); 2] = [
        (Launcher::OpenMpi, [&["--place", "local"], &["-l"]]),
        (Launcher::Mpich, [&["--place", "semi"], &["--place", "none"]]),
    ];
    for (launcher, cases) in cases {
        let bound = launcher.bindings()[1];
        let Some((theirs, _)) = launcher.start(2, bound, &[]) else { continue };
        for options in cases {
            let (ours, err) = launcher.start(2, bound, &run(options)).unwrap();
            assert_eq!(ours, theirs, "{} {options:?}", launcher.program());
            assert!(!err.contains("numawise: warning"), "{options:?}: {err}");
        }
    }
}

/// Open MPI binds one or two ranks to a core each unless it is told otherwise, MPICH none.
#[test]
fn a_binding_that_nobody_asked_for_does_not_change_the_plan() {
    for (launcher, ranks) in [(Launcher::OpenMpi, 1), (Launcher::OpenMpi, 2), (Launcher::Mpich, 4)] {
        let options = ["--place", "semi", "--threads", "4"];
        let Some((masks, err)) = launcher.start(ranks, &[], &run(&options)) else { continue };
        assert_eq!(masks, planned(ranks, &options), "{} {ranks}: {err}", launcher.program());
        assert!(!err.contains("bound this rank"), "{err}");
    }
}

/// Open MPI binds by default outside of the mask that it was started with.
#[test]
fn ranks_under_a_mask_of_the_caller_plan_over_that_mask() {
    let all = planned(1, &["--place", "none"])[&0].parse::<numawise_units::CpuSet>().unwrap();
    let last = all.iter().last().unwrap().to_string();
    let mut command = Command::new("taskset");
    command.args(["-c", &last, Launcher::OpenMpi.program(), "-n", "2"]);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env_remove("OMP_NUM_THREADS");
    let options = run(&["--place", "local", "--threads", "1"]);
    let output = command.args(options).args(["sh", "-c", LOOK]).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if err.contains("No such file") {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not installed", Launcher::OpenMpi.program());
        return;
    }
    let masks: Vec<&str> = out.lines().filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(masks, [last.as_str(), last.as_str()], "{out}{err}");
}

#[test]
fn too_few_cpus_under_a_binding_that_was_asked_for_name_the_launcher_and_the_cure() {
    for (launcher, name, cure) in [
        (Launcher::OpenMpi, "Open MPI", "mpirun --bind-to none"),
        (Launcher::Mpich, "MPICH or Intel MPI", "mpiexec -bind-to none"),
    ] {
        let bound = launcher.bindings()[1];
        let Some((theirs, _)) = launcher.start(2, bound, &[]) else { continue };
        let (ours, err) = launcher.start(2, bound, &run(&["--place", "semi", "--threads", "1000"])).unwrap();
        assert_eq!(ours, theirs, "{err}");
        let warnings: Vec<&str> = err.lines().filter(|line| line.contains("warning:")).collect();
        let [warning] = warnings[..] else { panic!("one, by the reporting rank: {err}") };
        let said = format!("{name} bound this rank to ");
        assert!(warning.contains(&said) && warning.contains("which its 1000 threads share"), "{warning}");
        assert!(warning.contains(cure) && warning.contains("--rebind"), "{warning}");
    }
}

#[test]
fn rebind_widens_what_the_launcher_bound_and_says_so_once() {
    for launcher in BOTH {
        let bound = launcher.bindings()[1];
        let Some((theirs, _)) = launcher.start(2, bound, &[]) else { continue };
        let options = ["--rebind", "--place", "local", "--no-pin", "--threads", "1"];
        let (ours, err) = launcher.start(2, bound, &run(&options)).unwrap();
        assert_eq!(ours, planned(2, &options[1..]), "{err}");
        let all = planned(1, &["--place", "none"]);
        if theirs[&0] == all[&0] {
            let _ = writeln!(std::io::stderr(), "SKIPPED: one CPU only, so that nothing can be widened");
            continue;
        }
        let warnings: Vec<&str> = err.lines().filter(|line| line.contains("--rebind:")).collect();
        assert_eq!(warnings.len(), 1, "rank 0 is the reporting rank: {err}");
        assert!(warnings[0].contains(&format!("bound this rank to CPUs {}", theirs[&0])), "{err}");
    }
}

#[test]
fn numactls_lists_hold_for_every_rank_as_they_do_with_numactl() {
    for launcher in BOTH {
        let Some((theirs, _)) = launcher.start(2, launcher.bindings()[0], &["numactl", "-C", "+0", "-l"])
        else {
            continue;
        };
        let (ours, _) = launcher.start(2, launcher.bindings()[0], &run(&["-C", "+0", "-l"])).unwrap();
        assert_eq!(ours, theirs);
    }
}

#[test]
fn a_rank_is_told_its_number_whatever_is_placed() {
    let cases: [(Launcher, &[&str]); 2] =
        [(Launcher::OpenMpi, &["-C", "+0"]), (Launcher::Mpich, &["--place", "local"])];
    for (launcher, options) in cases {
        let look = "test {rank}.{task} = ${OMPI_COMM_WORLD_RANK-$PMI_RANK}.${OMPI_COMM_WORLD_LOCAL_RANK-$MPI_LOCALRANKID} || exit 9; \
                    echo rank {rank} $0";
        let mut words = run(options);
        words.extend(["sh", "-c", look]);
        let Some((told, err)) = launcher.start(2, launcher.bindings()[0], &words) else { continue };
        assert_eq!(told.into_values().collect::<Vec<_>>(), ["sh", "sh"], "{err}");
    }
}

/// Each rank is a numawise of its own: their files do not meet, and go with the ranks where no folder was named.
#[test]
fn each_rank_has_an_input_file_with_its_own_cpus() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("job.in"), "{rank} {cpus}\n").unwrap();
    let look = "test \"$(cat {template})\" = \"{rank} $(taskset -cp $$ | sed 's/.*: //')\" || exit 9; echo rank {rank} {template_dir}";
    let (file, runs) = (path("job.in"), path("runs"));
    let cases: [(Launcher, &[&str]); 2] =
        [(Launcher::OpenMpi, &["--template-dir", runs.as_str()]), (Launcher::Mpich, &[])];
    for (launcher, named) in cases {
        let mut words =
            run(&[&["--place", "semi", "--threads", "1", "--template", file.as_str()][..], named].concat());
        words.extend(["sh", "-c", look]);
        let Some((folders, err)) = launcher.start(2, launcher.bindings()[0], &words) else { continue };
        let there = || folders.values().filter(|folder| std::path::Path::new(folder).exists()).count();
        if named.is_empty() {
            assert_ne!(folders[&0], folders[&1], "{err}");
            let begun = std::time::Instant::now();
            while there() > 0 {
                assert!(begun.elapsed().as_secs() < 120, "{folders:?} {err}");
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
        } else {
            assert_eq!(folders.into_values().collect::<Vec<_>>(), [path("runs/0"), path("runs/1")]);
            assert!(std::fs::read_to_string(path("runs/1/job.in")).unwrap().starts_with("1 "), "{err}");
        }
    }
}

#[test]
fn warnings_of_the_plan_are_said_by_one_rank() {
    for launcher in BOTH {
        let options = ["--place", "local", "--threads", "1000"];
        let Some((_, err)) = launcher.start(2, launcher.bindings()[0], &run(&options)) else { continue };
        assert_eq!(err.matches("oversubscribed").count(), 1, "{err}");
    }
}

#[test]
fn verbose_tells_which_rank_this_is() {
    for (launcher, name) in [(Launcher::OpenMpi, "Open MPI"), (Launcher::Mpich, "MPICH or Intel MPI")] {
        let options = ["--verbose", "--place", "local"];
        let Some((_, err)) = launcher.start(2, launcher.bindings()[0], &run(&options)) else { continue };
        for rank in 0..2 {
            let told = format!("{name} started this: rank {rank} of 2, number {rank} of 2 on this computer");
            assert!(err.contains(&told), "{told}: {err}");
            assert!(err.contains(&format!("This process is task {rank}.")), "{err}");
        }
    }
}

/// The line is refused where ranks are more than the slots that a launcher counts.
#[test]
fn printed_lines_start_more_ranks_than_cores() {
    for (launcher, tool) in [(Launcher::OpenMpi, "mpirun-openmpi"), (Launcher::Mpich, "mpirun-mpich")] {
        if Command::new(launcher.program()).arg("--version").output().is_err() {
            let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not installed", launcher.program());
            continue;
        }
        let ranks = (std::thread::available_parallelism().unwrap().get() + 1).to_string();
        let words = ["run", "--emit", tool, "--ranks", &ranks, "--place", "local", "--threads", "1"];
        let line = Command::new(NUMAWISE).args(words).args(["--", "sh", "-c", LOOK]).output().unwrap();
        let line = String::from_utf8(line.stdout).unwrap();
        let line = line.lines().find(|line| !line.starts_with('#')).unwrap();
        let (first, rest) = line.split_once(' ').unwrap();
        assert!(["mpirun", "mpiexec"].contains(&first), "{line}");
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{} {rest}", launcher.program())]);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        let output = command.output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout);
        let begun = out.lines().filter(|line| line.starts_with("rank ")).count();
        assert_eq!(begun.to_string(), ranks, "{line}{output:?}");
    }
}
