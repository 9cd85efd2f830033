//! Programs that are hard to watch.

use super::*;

#[test]
fn a_program_that_ends_at_once_is_unavailable_and_not_zero() {
    for _ in 0..20 {
        let begun = Instant::now();
        let (seen, usage, _) = watch(actor("quick"), &generous());
        let usage = (usage.user, usage.system, usage.minor_faults);
        assert_eq!((seen.usage.user, seen.usage.system, seen.usage.minor_faults), usage);
        // Below five ticks of the kernel nothing is said of the host.
        assert!(seen.noise.steal.measured().is_none() || begun.elapsed() > Duration::from_millis(50));
        if let Some(reason) = seen.threads.reason() {
            assert!(reason.to_string().contains("the trial ended before"), "{reason}");
            assert!(seen.migrations.measured().is_none() && seen.run_delay.measured().is_none());
        }
    }
}

#[test]
fn a_program_that_is_gone_before_watching_begins() {
    let _alone = alone();
    let begun = Instant::now();
    let child = actor("quick").spawn().expect("a program");
    let pid = Pid(child.id() as i32);
    let (usage, wall) = wait(child, begun);
    let watch = Watch::start(&[pid], &generous());
    std::thread::sleep(Duration::from_millis(60));
    let seen = watch.finish(usage, wall);
    assert!(seen.threads.measured().is_none() && seen.pages.measured().is_none());
    assert!(seen.sampler.cpu_time.0 > 0, "watching costs also when there is nothing");
}

#[test]
fn a_program_killed_while_looked_at() {
    let _alone = alone();
    let begun = Instant::now();
    for delay in [1, 3, 6, 11, 30] {
        let mut child = actor("threads 40 5000").spawn().expect("a program");
        let watch = Watch::start(&[Pid(child.id() as i32)], &generous());
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().expect("ours to kill");
        child.wait().expect("ended");
        let seen = watch.finish(not_accounted(), begun.elapsed().into());
        assert!(seen.usage.peak_memory.measured() != Some(&Bytes(0)), "missing is not zero");
    }
}

#[test]
fn a_program_that_hides_its_memory_still_shows_its_threads() {
    // Root may look all the same; others are told why they may not.
    let options = Options { method: Method::NumaMaps, ..generous() };
    let program = start("private 600000");
    let seen =
        watch_until(&[program.pid()], &options, "its thread", |seen| seen.threads.measured().is_some());
    // SAFETY: takes no arguments and cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        let reason = seen.pages.reason().expect("no residency sample of what may not be seen");
        assert!(reason.to_string().contains("may not be read"), "{reason}");
    }
}

/// Names the process to look at, for the copy of this test that runs as another user.
const OTHER: &str = "OBSERVE_TRUTH_OTHER";

#[test]
fn another_users_process() {
    if let Ok(pid) = std::env::var(OTHER) {
        let pid = Pid(pid.parse().expect("a process"));
        let watch = Watch::start(&[pid], &Options { method: Method::NumaMaps, ..generous() });
        std::thread::sleep(Duration::from_millis(60));
        let seen = watch.finish(not_accounted(), Nanoseconds(60_000_000));
        assert!(seen.pages.measured().is_none(), "{:?}", seen.pages);
        return;
    }
    // SAFETY: takes no arguments and cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        eprintln!("SKIPPED another_users_process: only root has another user's process to offer");
        return;
    }
    let mut other = actor("spin 60000").spawn().expect("a program");
    // Run this very test as nobody. The copy must lie where nobody may read it.
    let copy = std::env::temp_dir().join(format!("observe-truth-{}", std::process::id()));
    copied(std::env::current_exe().expect("a path"), &copy);
    let mut command = Command::new(&copy);
    command.args(["--exact", "hostile::another_users_process"]).uid(65534).gid(65534).current_dir("/");
    let status = command.env(OTHER, other.id().to_string()).stdout(Stdio::null()).status();
    std::fs::remove_file(&copy).expect("our own file");
    other.kill().expect("ours to kill");
    other.wait().expect("ended");
    assert!(status.expect("a test that can be started").success());
}

#[test]
#[ignore = "timing: what ending takes"]
fn finishing_is_prompt() {
    let mut times: Vec<Duration> =
        (0..15).map(|_| watch(actor("threads 20 60"), &Options::default()).2).collect();
    times.sort();
    eprintln!("ending took {:?} at best, {:?} in the middle", times[0], times[times.len() / 2]);
    // The best of them: other work on the machine delays some. A sample in progress would take longer than this.
    assert!(times[0] < Duration::from_millis(2), "{times:?}");
}
