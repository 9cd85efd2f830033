//! Where threads ran, and which there were.

use super::*;

#[test]
fn pinned_threads_are_seen_on_their_cpus_and_the_toucher_has_the_faults() {
    let (first, second) = two_cpus();
    let mode = format!("known {first} {second} 64 600");
    let (seen, usage, _) = watch(actor(&mode), &generous());
    let (toucher, spinner) = (named(&seen, "toucher"), named(&seen, "spinner"));
    for (thread, cpu) in [(toucher, first), (spinner, second)] {
        assert_eq!(thread.mask.measured(), Some(&CpuSet::single(cpu)), "{thread:?}");
        let there =
            thread.cpu_time_on.iter().find(|(on, _)| *on == cpu).map_or(0.0, |(_, time)| time.seconds());
        // Up to the first sample it may have run where it was started.
        assert!(there > 0.9 * thread.cpu_time.seconds() - 0.01, "{thread:?}");
        let sum: u64 = thread.cpu_time_on.iter().map(|(_, time)| time.0).sum();
        assert_eq!(sum, thread.cpu_time.0);
    }
    // 64 MiB in small pages.
    let pages = (64 << 20) / 4096;
    assert!((pages..pages + pages / 20).contains(&toucher.minor_faults), "{}", toucher.minor_faults);
    assert!(spinner.minor_faults < pages / 20, "{}", spinner.minor_faults);
    let known: f64 = threads(&seen).iter().map(|thread| thread.cpu_time.seconds()).sum();
    let all = accounted(&usage);
    assert!(known <= all + 0.02, "{known} s of threads in {all} s of the process");
    assert!(known > 0.5 * all, "{known} s of threads in {all} s of the process");
    assert!(seen.run_delay.measured().is_some() && seen.migrations.measured().is_some());
}

/// More threads than CPUs are all ready at once; a main thread that works before them and then waits is not one of them.
#[test]
fn threads_that_work_at_once_are_told_from_one_that_works_before_them() {
    let seen = observe("after 400 6 900");
    let several = *seen.several_ready.measured().expect("samples");
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
    let mut command = actor("named");
    command.args(["a) b (c", "150"]);
    let (seen, _, _) = watch(command, &generous());
    assert!(named(&seen, "a) b (c").cpu_time.0 > 0);
}

#[test]
fn short_lived_threads_are_a_lower_bound() {
    let (seen, usage, _) = watch(actor("short 600"), &generous());
    let known: f64 = threads(&seen).iter().map(|thread| thread.cpu_time.seconds()).sum();
    assert!(known <= accounted(&usage) + 0.02);
    assert!(threads(&seen).len() > 3, "{}", threads(&seen).len());
    let mut ids: Vec<_> = threads(&seen).iter().map(|thread| thread.tid).collect();
    ids.dedup();
    assert_eq!(ids.len(), threads(&seen).len(), "no thread twice");
}

#[test]
fn children_and_grandchildren_are_seen() {
    // A second of CPU time each, so that none has ended before the others have begun, however busy the machine is.
    let seen = observe("forks 3 1000");
    let spinning: Vec<_> = threads(&seen).iter().filter(|thread| thread.cpu_time.seconds() > 0.2).collect();
    let pids: std::collections::HashSet<_> = threads(&seen).iter().map(|thread| thread.pid).collect();
    assert_eq!(spinning.len(), 3, "{:#?}", threads(&seen));
    // The program, three shells, three grandchildren.
    assert_eq!(pids.len(), 7, "{pids:?}");
}

#[test]
fn several_processes_of_one_trial() {
    let _alone = alone();
    let begun = Instant::now();
    let children = [(); 3].map(|()| actor("spin 200").spawn().expect("a program"));
    let pids = children.each_ref().map(|child| Pid(child.id() as i32));
    let watch = Watch::start(&pids, &generous());
    let usages = children.map(|child| wait(child, begun));
    let wall = usages[0].1;
    let usage = ResourceUsage::together(usages.iter().map(|(usage, _)| usage)).unwrap();
    let seen = watch.finish(usage, wall);
    let mut found: Vec<_> = threads(&seen).iter().map(|thread| thread.pid).collect();
    found.dedup();
    assert_eq!(found.len(), 3);
}
