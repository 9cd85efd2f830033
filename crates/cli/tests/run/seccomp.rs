//! Calls forbidden by a seccomp filter, as in a container with the default profile: those of memory policies, and the one that
//! places threads.

use crate::refuse::{Refused, refuse};
use crate::support::{Answer, allowed, first, numawise};

fn filtered(errno: libc::c_int, arguments: &[&str]) -> Answer {
    let mut command = numawise();
    command.arg("run").args(arguments);
    refuse(&mut command, Refused::Both([libc::SYS_set_mempolicy, libc::SYS_get_mempolicy]), errno);
    command.output().unwrap().into()
}

fn without_affinity(errno: libc::c_int, arguments: &[&str]) -> Answer {
    let mut command = numawise();
    command.args(arguments);
    refuse(&mut command, Refused::Both([libc::SYS_sched_setaffinity; 2]), errno);
    command.output().unwrap().into()
}

#[test]
fn a_forbidden_policy_is_explained_and_nothing_is_started() {
    let node = first(&allowed("Mems_allowed_list"));
    for arguments in [&["-m", node.as_str()][..], &["--place", "local", "--memory", "local"], &["-i", "all"]]
    {
        let answer = filtered(libc::EPERM, &[arguments, &["echo", "started"]].concat());
        assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{answer:?}");
        for part in ["set_mempolicy", "seccomp", "--security-opt", "CAP_SYS_NICE", "--memory default"] {
            assert!(answer.err.contains(part), "{part}: {answer:?}");
        }
    }
}

#[test]
fn a_kernel_without_policies_is_explained() {
    let answer = filtered(libc::ENOSYS, &["-l", "echo", "started"]);
    assert_eq!(answer.status, Some(125));
    assert!(answer.err.contains("CONFIG_NUMA"), "{answer:?}");
}

#[test]
fn cpus_are_placed_all_the_same() {
    let cpu = first(&allowed("Cpus_allowed_list"));
    for arguments in [&["-C", cpu.as_str()][..], &["--place", "local", "--threads", "1"], &["-C", "+0"]] {
        let answer =
            filtered(libc::EPERM, &[arguments, &["grep", "Cpus_allowed_list", "/proc/self/status"]].concat());
        assert_eq!(answer.out, format!("Cpus_allowed_list:\t{cpu}\n"), "{answer:?}");
    }
}

#[test]
fn a_placement_that_would_have_no_effect_is_refused() {
    let cpu = first(&allowed("Cpus_allowed_list"));
    let cases: [&[&str]; 5] = [
        &["run", "--pin"],
        &["run", "--place", "local", "--pin"],
        &["run", "--cpus", &cpu],
        &["run", "-C", &cpu],
        &["run", "--pin", "--copies", "2"],
    ];
    for arguments in cases {
        for (errno, said) in [
            (libc::EPERM, "forbidden"),
            (libc::ENOSYS, "forbidden"),
            (0, "reports success whatever is asked"),
        ] {
            let answer = without_affinity(errno, &[arguments, &["echo", "started"]].concat());
            assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{arguments:?} {answer:?}");
            for part in ["sched_setaffinity", said, "--place none", "--security-opt"] {
                assert!(answer.err.contains(part), "{part}: {arguments:?} {answer:?}");
            }
        }
    }
}

#[test]
fn the_plan_says_that_it_would_have_no_effect() {
    let answer = without_affinity(libc::EPERM, &["run", "--pin", "--dry-run", "true"]);
    assert!(
        answer.status == Some(0) && answer.out.contains("threads may not be placed on CPUs"),
        "{answer:?}"
    );
    let answer = without_affinity(libc::EPERM, &["run", "--place", "none", "--dry-run", "true"]);
    assert!(answer.status == Some(0) && !answer.out.contains("may not be placed"), "{answer:?}");
}

#[test]
fn what_places_nothing_runs_where_threads_cannot_be_placed() {
    for arguments in [&["run", "--place", "none"][..], &["run"]] {
        let answer = without_affinity(libc::EPERM, &[arguments, &["echo", "started"]].concat());
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "started\n"), "{answer:?}");
    }
}

/// The library asks for the calling thread where it can.
#[test]
fn only_other_threads_may_not_be_placed() {
    let mut command = numawise();
    command.args(["run", "--pin", "echo", "started"]);
    refuse(&mut command, Refused::ForNamedThreads(libc::SYS_sched_setaffinity), libc::EPERM);
    let answer = Answer::from(command.output().unwrap());
    assert_eq!((answer.status, answer.out.as_str()), (Some(0), "started\n"), "{answer:?}");
}

#[test]
fn the_machine_names_the_limit() {
    for (errno, said) in [
        (libc::EPERM, "Threads may not be placed on CPUs"),
        (libc::ENOSYS, "Threads cannot be placed on CPUs here"),
        (0, "Placing threads on CPUs is reported as done and has no effect"),
    ] {
        let answer = without_affinity(errno, &["machine"]);
        let told = answer.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(answer.status == Some(0) && told.contains(said), "{answer:?}");
    }
}
