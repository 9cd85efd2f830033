//! What a guest promises to whoever runs commands in it.

use std::time::{Duration, Instant};
use testbed::{EmulatedMachine, Error};

fn two_socket() -> EmulatedMachine {
    testbed::load("two-socket").unwrap()
}

#[test]
fn emulated_results_are_those_of_each_command() {
    if !testbed::ready() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let brought = folder.path().join("brought");
    let machine = two_socket();
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let commands = [
        "echo out; echo err >&2; exit 3",
        "kill -9 $$",
        "no-such-program",
        "printf 'done\\nstart 9\\nno newline'; echo '<1>Kernel panic' > /dev/kmsg",
        "cp /data/in /root/out; wc -c < /root/out; cat; pwd; id -u",
        "echo \"$GREETING\"; echo $OMP_WAIT_POLICY; cat /sys/kernel/mm/transparent_hugepage/enabled",
        "mkdir /sys/fs/cgroup/box && echo 2-3 > /sys/fs/cgroup/box/cpuset.cpus && echo 1 > /sys/fs/cgroup/box/cpuset.mems \
         && echo $$ > /sys/fs/cgroup/box/cgroup.procs && nproc && grep _allowed_list /proc/self/status",
    ];
    let run = testbed::guest(&machine)
        .content("/data/in", bytes.clone())
        .env("GREETING", "it's  me")
        .collect("/root/out", &brought)
        .run(&commands)
        .unwrap();
    assert_eq!(run.len(), commands.len());
    assert_eq!((run[0].status, run[0].stdout.as_str(), run[0].stderr.as_str()), (3, "out\n", "err\n"));
    assert_eq!(run[1].status, 137);
    assert_eq!(run[2].status, 127);
    assert!(run[2].stderr.contains("not found"), "{}", run[2].stderr);
    assert_eq!(run[3].stdout, "done\nstart 9\nno newline");
    assert_eq!(run[4].stdout, "100000\n/root\n0\n");
    assert_eq!(run[5].stdout, "it's  me\npassive\nalways madvise [never]\n");
    let limits = "2\nCpus_allowed_list:\t2-3\nMems_allowed_list:\t1\n";
    assert_eq!((run[6].status, run[6].stdout.as_str()), (0, limits), "{}", run[6].stderr);
    assert_eq!(std::fs::read(&brought).unwrap(), bytes);
    assert!(run.console.contains("Kernel panic"), "the console is kept apart: {}", run.console);
}

/// The same with another program in QEMU's place is in crates/emulate/src/run_tests.rs.
#[test]
#[ignore = "timing: a guest that must come to its second command within a limit"]
fn emulated_time_limit_names_the_command() {
    if !testbed::ready() {
        return;
    }
    let start = Instant::now();
    let error = testbed::guest(&two_socket())
        .limit(Duration::from_secs(60))
        .run(&["true", "echo on the console > /dev/console; sleep 1000"])
        .unwrap_err();
    let message = error.to_string();
    eprintln!("stopped after {:.1} s", start.elapsed().as_secs_f64());
    assert!(matches!(error, Error::TimeLimit { .. }), "{message}");
    assert!(
        message.contains("not done within 60 s: stopped during command 2 of 2, `echo on the"),
        "{message}"
    );
    assert!(message.contains("\non the console"), "{message}");
}

#[test]
fn emulated_guest_that_ends_itself_is_an_error_not_a_result() {
    if !testbed::ready() {
        return;
    }
    let error = testbed::guest(&two_socket()).run(&["true", "poweroff -f; sleep 10", "true"]).unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, Error::Ended { own_breakpoint: false, .. }), "{message}");
    assert!(message.contains("during command 2 of 3, `poweroff -f; sleep 10`"), "{message}");
}

/// That it is started again is tested in crates/emulate/src/run_tests.rs: three starts take their time.
#[test]
#[ignore = "timing: how long three starts of a guest take beside one"]
fn emulated_kernel_that_meets_its_own_breakpoint_is_started_again_and_never_a_result() {
    if !testbed::ready() {
        return;
    }
    let commands = ["echo '<1>Oops: int3: 0000 [#1]' > /dev/kmsg; poweroff -f; sleep 10"];
    let begun = Instant::now();
    let error = testbed::guest(&two_socket()).run(&["poweroff -f; sleep 10"]).unwrap_err();
    let once = begun.elapsed();
    assert!(matches!(error, Error::Ended { own_breakpoint: false, .. }), "{error}");
    let begun = Instant::now();
    let error = testbed::guest(&two_socket()).run(&commands).unwrap_err();
    eprintln!("one start took {once:.1?}, three {:.1?}", begun.elapsed());
    assert!(matches!(error, Error::Ended { own_breakpoint: true, .. }), "{error}");
    assert!(begun.elapsed() > once + once / 2, "{:?} after {once:?}", begun.elapsed());
}

#[test]
fn emulated_absent_file_is_named() {
    if !testbed::ready() {
        return;
    }
    let error = testbed::guest(&two_socket()).collect("/root/none", "unused").run(&["true"]).unwrap_err();
    assert!(matches!(&error, Error::NotInGuest { path } if path == "/root/none"), "{error}");
}
