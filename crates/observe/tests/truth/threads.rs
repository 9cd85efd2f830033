//! Where threads ran, and which there were.

use super::*;

#[test]
fn pinned_threads_are_seen_on_their_cpus_and_the_toucher_has_the_faults() {
    let (first, second) = two_cpus();
    let program = start(&format!("known {first} {second} 64 600000"));
    let seen = watch_until(&[program.pid()], &generous(), "both threads, twice", |seen| {
        let both = ["toucher", "spinner"].map(|name| named(seen, name));
        let worked = |of: &Option<&ThreadObservation>| of.is_some_and(|of| of.cpu_time.0 > 0);
        both.iter().all(worked) && seen.migrations.measured().is_some()
    });
    let [toucher, spinner] = ["toucher", "spinner"].map(|name| named(&seen, name).unwrap());
    for (thread, cpu) in [(toucher, first), (spinner, second)] {
        assert_eq!(thread.mask.measured(), Some(&CpuSet::single(cpu)), "{thread:?}");
        // What it used before the first sample counts to where it was then: where it is pinned.
        assert_eq!(thread.cpu_time_on, [(cpu, thread.cpu_time)], "{thread:?}");
    }
    // 64 MiB in small pages.
    let pages = (64 << 20) / 4096;
    assert!((pages..pages + pages / 20).contains(&toucher.minor_faults), "{}", toucher.minor_faults);
    assert!(spinner.minor_faults < pages / 20, "{}", spinner.minor_faults);
    assert!(seen.run_delay.measured().is_some());
}

/// More threads than CPUs are all ready at once; a main thread that works before them and then waits is not one of them.
#[test]
#[ignore = "timing: which threads are ready at the moments of samples"]
fn threads_that_work_at_once_are_told_from_one_that_works_before_them() {
    let (seen, ..) = watch(actor("after 400 6 900"), &generous());
    let several = *seen.several_ready.measured().expect("samples");
    eprintln!("several were ready at {several} of {} samples", seen.sampler.samples);
    assert!(several >= 5, "{several} samples of {}", seen.sampler.samples);
    let ready = |main: bool| {
        let all = threads(&seen).iter().filter(move |thread| (thread.tid == thread.pid) == main);
        all.map(|thread| thread.ready_with_others).collect::<Vec<_>>()
    };
    assert!(ready(true)[0] <= several / 3, "{seen:#?}");
    assert_eq!(ready(false).iter().filter(|samples| **samples >= several / 2).count(), 6, "{seen:#?}");
}

#[test]
fn names_with_spaces_and_parentheses() {
    let program = Ready::start(actor("named").args(["a) b (c", "600000"])).expect("ready");
    let worked = |seen: &Observation| named(seen, "a) b (c").is_some_and(|thread| thread.cpu_time.0 > 0);
    watch_until(&[program.pid()], &generous(), "its work", worked);
}

#[test]
fn short_lived_threads_are_a_lower_bound() {
    let program = start("short 1000000");
    let several = |seen: &Observation| seen.threads.measured().is_some_and(|threads| threads.len() > 3);
    let seen = watch_until(&[program.pid()], &generous(), "more than three threads", several);
    // SAFETY: kill touches no memory of ours.
    assert_eq!(unsafe { libc::kill(program.pid().0, libc::SIGKILL) }, 0);
    let (_, accounted) = numawise_linux::calls::wait::reap(program.pid()).expect("our own child");
    let known: u64 = threads(&seen).iter().map(|thread| thread.cpu_time.0).sum();
    assert!(known <= accounted.user.0 + accounted.system.0 + 20_000_000, "{known} {accounted:?}");
    let mut ids: Vec<_> = threads(&seen).iter().map(|thread| thread.tid).collect();
    ids.dedup();
    assert_eq!(ids.len(), threads(&seen).len(), "no thread twice");
}

#[test]
fn children_and_grandchildren_are_seen() {
    let program = start("forks 3 600000");
    let spinning = |seen: &Observation| {
        let all = seen.threads.measured().map_or(&[][..], Vec::as_slice);
        all.iter().filter(|thread| thread.cpu_time.seconds() > 0.2).count()
    };
    let seen = watch_until(&[program.pid()], &generous(), "three that compute", |seen| spinning(seen) >= 3);
    assert_eq!(spinning(&seen), 3, "{:#?}", threads(&seen));
    // The program, three shells, three grandchildren.
    let pids: std::collections::HashSet<_> = threads(&seen).iter().map(|thread| thread.pid).collect();
    assert_eq!(pids.len(), 7, "{pids:?}");
}

#[test]
fn several_processes_of_one_trial() {
    let programs = [(); 3].map(|()| start("spin 600000"));
    let pids = programs.each_ref().map(Ready::pid);
    let found = |seen: &Observation| -> std::collections::BTreeSet<Pid> {
        let all = seen.threads.measured().map_or(&[][..], Vec::as_slice);
        all.iter().map(|thread| thread.pid).collect()
    };
    let seen = watch_until(&pids, &generous(), "all three", |seen| found(seen).len() >= 3);
    assert_eq!(found(&seen), pids.into_iter().collect());
}
