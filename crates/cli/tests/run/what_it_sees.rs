//! What the program finds when it starts: mask, policy, environment, arguments, signals.

use std::io::Write as _;
use std::os::unix::process::{CommandExt, ExitStatusExt};

use crate::support::{Answer, allowed, first, last, numawise, run};

fn sees(arguments: &[&str], script: &str) -> String {
    let words: Vec<&str> = arguments.iter().copied().chain(["sh", "-c", script]).collect();
    let answer = run(&words);
    assert_eq!(answer.status, Some(0), "{arguments:?}: {answer:?}");
    answer.out.trim_end().to_owned()
}

const MASK: &str = "sed -n 's/^Cpus_allowed_list:\\t//p' /proc/self/status";
/// The heap of a program is placed by the policy of its process.
const POLICY: &str = "cat /proc/self/numa_maps | sed -n 's/^[0-9a-f]* \\([^ ]*\\) heap.*/\\1/p' | head -n 1";

#[test]
fn the_mask_is_the_one_asked_for() {
    let all = allowed("Cpus_allowed_list");
    let (low, high) = (first(&all), last(&all));
    assert_eq!(sees(&["-C", &low], MASK), low);
    assert_eq!(sees(&["--physcpubind", &high], MASK), high);
    assert_eq!(sees(&["--cpus", &high], MASK), high);
    assert_eq!(sees(&["-C", "all"], MASK), all);
    assert_eq!(sees(&["-C", "+0"], MASK), low);
    assert_eq!(sees(&["--place", "local", "--threads", "1"], MASK), low);
    assert_eq!(sees(&["--place", "local"], MASK), all);
    assert_eq!(sees(&["--place", "distributed"], MASK), all);
    assert_eq!(sees(&["--place", "none"], MASK), all);
    assert_eq!(sees(&[], MASK), all);
}

#[test]
fn the_policy_is_the_one_asked_for() {
    let node = first(&allowed("Mems_allowed_list"));
    for (arguments, expected) in [
        (vec!["-m", &node], format!("bind:{node}")),
        (vec!["-i", &node], format!("interleave:{node}")),
        (vec!["-p", &node], format!("prefer:{node}")),
        (vec!["-l"], "local".to_owned()),
        (vec!["--memory", "local"], "local".to_owned()),
        (vec!["--memory", "default"], "default".to_owned()),
        (vec![], "default".to_owned()),
    ] {
        assert_eq!(sees(&arguments, POLICY), expected, "{arguments:?}");
    }
    assert!(sees(&["--memory", "interleave"], POLICY).starts_with("interleave:"));
    assert!(sees(&["--place", "local", "--threads", "1", "--memory", "bind"], POLICY).starts_with("bind:"));
}

#[test]
fn weighted_interleave_works_or_says_which_kernel_has_it() {
    let node = first(&allowed("Mems_allowed_list"));
    let answer = run(&["-w", &node, "grep", "heap", "/proc/self/numa_maps"]);
    match answer.status {
        Some(0) => assert!(answer.out.contains(&format!(" weighted interleave:{node} heap")), "{answer:?}"),
        status => {
            assert_eq!(status, Some(125), "{answer:?}");
            assert!(answer.err.contains("Linux 6.9"), "{answer:?}");
        }
    }
}

#[test]
fn threads_reach_arguments_and_openmp() {
    let cpu = first(&allowed("Cpus_allowed_list"));
    let variables = "echo {threads} ${OMP_NUM_THREADS-unset} ${OMP_PLACES-unset} ${OMP_PROC_BIND-unset}";
    assert_eq!(sees(&["--threads", "3"], variables), "3 3 unset unset");
    assert_eq!(
        sees(&["--cpus", &cpu, "--pin", "--threads", "2"], variables),
        format!("2 2 {{{cpu}}},{{{cpu}}} close")
    );
    assert_eq!(sees(&["-C", &cpu], variables), "1 unset unset unset", "a list alone leaves OpenMP alone");
}

#[test]
fn what_the_user_set_is_kept_or_its_loss_is_said() {
    let with = |arguments: &[&str]| -> Answer {
        let words = ["sh", "-c", "echo $OMP_NUM_THREADS ${KMP_AFFINITY-unset}"];
        let mut command = numawise();
        command
            .env("OMP_NUM_THREADS", "1")
            .env("KMP_AFFINITY", "compact")
            .arg("run")
            .args(arguments)
            .args(words);
        command.output().unwrap().into()
    };
    let kept = with(&["--place", "local", "--no-pin"]);
    assert_eq!((kept.out.trim_end(), kept.err.as_str()), ("1 compact", ""));
    let replaced = with(&["--threads", "2", "--place", "local"]);
    assert_eq!(replaced.out.trim_end(), "2 unset");
    assert!(replaced.err.contains("OMP_NUM_THREADS=1 of the environment is replaced by 2"), "{replaced:?}");
    assert!(replaced.err.contains("KMP_AFFINITY=compact of the environment is taken out"), "{replaced:?}");
}

#[test]
fn the_program_has_our_process_its_status_and_its_signals() {
    assert_eq!(run(&["sh", "-c", "exit 37"]).status, Some(37));
    let output = numawise().args(["run", "sh", "-c", "kill -TERM $$"]).output().unwrap();
    assert_eq!(output.status.signal(), Some(libc::SIGTERM));
    let mut command = numawise();
    command.args(["run", "-C", "all", "sh", "-c", "echo $$"]).stdout(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let pid = child.id();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), pid.to_string(), "no process in between");
    // A pipe that nobody reads ends the program, as it does without us.
    let answer = run(&["sh", "-c", "sh -c 'kill -PIPE $$; echo survived'; echo $?"]);
    assert_eq!(answer.out.trim(), (128 + libc::SIGPIPE).to_string());
    // And one that was told before to live on does, with the parser of options and past it.
    for options in ["-C all", "--threads 1", ""] {
        let numawise = env!("CARGO_BIN_EXE_numawise");
        let script =
            format!("trap '' PIPE; exec {numawise} run {options} sh -c 'kill -PIPE $$; echo survived'");
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "survived", "{options}");
    }
}

#[test]
fn words_that_are_not_utf8_pass_through() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let output =
        numawise().args(["run", "printf", "%s"]).arg(OsStr::from_bytes(b"a\xff b")).output().unwrap();
    assert_eq!(output.stdout, b"a\xff b");
}

#[test]
fn a_narrow_mask_is_the_machine_we_may_use() {
    let all = allowed("Cpus_allowed_list");
    let (low, high) = (first(&all), last(&all));
    if low == high {
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: a_narrow_mask_is_the_machine_we_may_use: there is one CPU only"
        );
        return;
    }
    let narrowed = |arguments: &[&str]| -> Answer {
        let cpu: usize = high.parse().unwrap();
        let mut command = numawise();
        command.arg("run").args(arguments).args(["sh", "-c", MASK]);
        // SAFETY: between fork and exec only a system call is made, on a set that lives there.
        unsafe {
            command.pre_exec(move || {
                let mut set: libc::cpu_set_t = std::mem::zeroed();
                libc::CPU_SET(cpu, &mut set);
                match libc::sched_setaffinity(0, size_of_val(&set), &set) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        command.output().unwrap().into()
    };
    for arguments in [&["--place", "local"][..], &["-C", "all"], &["-C", "+0"], &["-N", "all"], &[]] {
        assert_eq!(narrowed(arguments).out.trim(), high, "{arguments:?}");
    }
    let refused = narrowed(&["-C", &low]);
    assert_eq!(refused.status, Some(125));
    let expected = format!("CPU {low} may not be used; allowed are {high}");
    assert!(refused.err.contains(&expected) && refused.err.contains("affinity"), "{refused:?}");
}

#[test]
fn verbose_shows_the_plan_and_runs() {
    let answer = run(&["--verbose", "--place", "local", "--threads", "1", "echo", "ran"]);
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), "ran\n"));
    assert!(answer.err.contains("Strategy local"), "{answer:?}");
}
