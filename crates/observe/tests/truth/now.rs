//! Snapshots of programs whose truth is known.

use numawise_facts::{MemorySnapshot, PageUse, TaskSnapshot};
use numawise_observe::{FindError, ProcessRequest, Roots, SnapshotOptions, find, snapshot};

use super::*;

const MIB: u64 = 1 << 20;

fn sample(program: &Ready) -> TaskSnapshot {
    let mut seen = snapshot(&[program.pid()], &SnapshotOptions::default());
    assert_eq!(seen.tasks.len(), 1, "{seen:#?}");
    seen.tasks.remove(0)
}

fn memory(task: &TaskSnapshot) -> &MemorySnapshot {
    match task.memory.measured() {
        Some(memory) => memory,
        None => panic!("no memory: {:?}", task.memory.reason()),
    }
}

fn bytes(memory: &MemorySnapshot, used_for: PageUse) -> u64 {
    memory.by_use.iter().filter(|(of, ..)| *of == used_for).map(|(.., bytes)| bytes.0).sum()
}

/// At least so much, and less than one MiB more: what the program needs for itself.
fn about(memory: &MemorySnapshot, used_for: PageUse, mib: u64) {
    let found = bytes(memory, used_for);
    assert!(
        (mib * MIB..(mib + 1) * MIB).contains(&found),
        "{used_for}: {found} for {mib} MiB of {memory:#?}"
    );
}

#[test]
fn memory_of_every_kind_is_known() {
    let program = start("kinds 600000");
    let task = sample(&program);
    let seen = memory(&task);
    about(seen, PageUse::Heap, 3);
    about(seen, PageUse::Stack, 5);
    about(seen, PageUse::Private, 7 + 2);
    about(seen, PageUse::Shared, 5 + 4 + 4);
    // 9 MiB of the file; and code of libraries, of which a system may have mapped more or less.
    let files = bytes(seen, PageUse::File);
    assert!((9 * MIB..9 * MIB + 16 * MIB).contains(&files), "{files} of {seen:#?}");
    assert_eq!(bytes(seen, PageUse::Huge), 0);
    let largest = &seen.largest[0];
    assert_eq!((largest.used_for, largest.resident()), (PageUse::File, Bytes::mib(11)));
    let name = format!("/observe kinds=1 {} (deleted)", program.pid());
    assert!(largest.file.as_deref().is_some_and(|file| file.ends_with(&name)), "{largest:?}");
    let by_policy: u64 = seen.by_policy.iter().flat_map(|of| &of.by_node).map(|(_, bytes)| bytes.0).sum();
    assert_eq!(by_policy, PageUse::ALL.into_iter().map(|of| bytes(seen, of)).sum::<u64>());
}

#[test]
fn pages_of_hugetlbfs_are_known() {
    let Some(program) = Ready::start(actor("kinds-huge 600000").stderr(Stdio::null())) else {
        eprintln!("SKIPPED pages_of_hugetlbfs_are_known: no huge pages are reserved (vm.nr_hugepages)");
        return;
    };
    let task = sample(&program);
    assert_eq!(bytes(memory(&task), PageUse::Huge), 4 * MIB);
}

/// The rows of `numastat -p` in bytes, in all nodes: huge, heap, stack, private.
fn numastat(pid: Pid) -> Option<[u64; 4]> {
    let output = Command::new("numastat").args(["-p", &pid.to_string()]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = |name: &str| {
        let line =
            text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name} in {text}"));
        let total: f64 = line.split_whitespace().last().expect("a total").parse().expect("a number");
        (total * MIB as f64) as u64
    };
    Some(["Huge", "Heap", "Stack", "Private"].map(row))
}

#[test]
fn numastat_says_the_same() {
    for mode in ["kinds 600000", "crowd 20 500 600000"] {
        let program = start(mode);
        let task = sample(&program);
        let Some(theirs) = numastat(program.pid()) else {
            eprintln!("SKIPPED numastat_says_the_same: numastat is not installed");
            return;
        };
        let of = |used_for| bytes(memory(&task), used_for);
        let rest = of(PageUse::Private) + of(PageUse::File) + of(PageUse::Shared);
        let ours = [of(PageUse::Huge), of(PageUse::Heap), of(PageUse::Stack), rest];
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            // It prints hundredths of a MiB, and pages of files come and go.
            assert!(ours.abs_diff(theirs) < MIB / 4, "{mode}: {ours} and {theirs}");
        }
    }
}

#[test]
fn every_thread_is_there_with_its_name_and_place() {
    let program = start("crowd 200 10 600000");
    let task = sample(&program);
    let threads = task.threads.measured().expect("threads");
    assert_eq!(threads.len(), 201);
    assert!(threads.iter().any(|thread| thread.tid == program.pid()));
    let mask = threads[0].mask.measured().expect("a mask").clone();
    let (first, last) = two_cpus();
    assert!(mask.contains(first) && mask.contains(last), "{mask}");
    for thread in threads {
        assert_eq!(thread.mask.measured(), Some(&mask));
        assert!(mask.contains(thread.cpu), "{thread:?}");
        assert!("RSD".contains(thread.state), "{thread:?}");
        assert!(thread.started >= task.started, "{thread:?}");
    }
    assert_eq!(task.name, "observe-actor");
    assert!(task.command.measured().is_some_and(|line| line.ends_with("crowd 200 10 600000")), "{task:?}");
    assert_eq!(task.parent, Pid(std::process::id() as i32));
    assert_eq!(task.rank.measured(), None);
}

#[test]
fn time_and_migrations_grow() {
    let mut child = actor("spin 600000").spawn().expect("a program");
    let options = SnapshotOptions { memory: false, ..SnapshotOptions::default() };
    let sample = || {
        snapshot(&[Pid(child.id() as i32)], &options).tasks.remove(0).threads.measured().unwrap()[0].clone()
    };
    let first = sample();
    let begun = Instant::now();
    let mut last = sample();
    // It spins all the time; but how much of it the machine lets it have is open.
    while last.cpu_time <= first.cpu_time && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
        last = sample();
    }
    child.kill().expect("ours to kill");
    child.wait().expect("ended");
    assert!(last.cpu_time > first.cpu_time, "{first:?} {last:?}");
    if let (Some(before), Some(after)) = (first.migrations.measured(), last.migrations.measured()) {
        assert!(after >= before, "{first:?} {last:?}");
    }
}

#[test]
fn a_rank_knows_its_number() {
    let mut command = actor("kinds 600000");
    let program =
        Ready::start(command.env("OMPI_COMM_WORLD_RANK", "5").env("PMIX_RANK", "5")).expect("ready");
    assert_eq!(sample(&program).rank.measured(), Some(&5));
}

#[test]
fn a_main_thread_that_has_ended_hides_nothing() {
    let program = start("headless 600000");
    let task = sample(&program);
    assert!(bytes(memory(&task), PageUse::Private) > 0, "{task:#?}");
    assert!(task.command.measured().is_some(), "{task:#?}");
    assert!(task.threads.measured().is_some_and(|threads| threads.iter().any(|thread| thread.state == 'Z')));
}

#[test]
fn what_has_ended_is_not_there_and_a_zombie_has_no_memory() {
    let mut child = actor("quick").spawn().expect("a program");
    let pid = Pid(child.id() as i32);
    let begun = Instant::now();
    let zombie = loop {
        let seen = snapshot(&[pid], &SnapshotOptions::default());
        let task = seen.tasks.first().expect("not waited for yet");
        let state = task.threads.measured().and_then(|threads| Some(threads.first()?.state));
        if state == Some('Z') || begun.elapsed() > Duration::from_secs(60) {
            break snapshot(&[pid], &SnapshotOptions::default()).tasks.remove(0);
        }
    };
    assert!(zombie.memory.reason().expect("no memory").to_string().contains("zombie"), "{zombie:?}");
    child.wait().expect("ended");
    assert_eq!(snapshot(&[pid], &SnapshotOptions::default()).tasks, []);
    assert!(matches!(find(&Roots::default(), &ProcessRequest::Pid(pid)), Err(FindError::Process { .. })));
}

#[test]
fn programs_that_end_while_looked_at_are_left_out_or_say_so() {
    for _ in 0..30 {
        let mut child = actor("crowd 50 200 600000").spawn().expect("a program");
        let pid = Pid(child.id() as i32);
        let ending = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(3));
            child.kill().expect("ours to kill");
            child.wait().expect("ended");
        });
        while let [task] = &snapshot(&[pid], &SnapshotOptions::default()).tasks[..] {
            if let Some(reason) = task.memory.reason() {
                let text = reason.to_string();
                assert!(text.contains("ended"), "{text}");
            }
            for thread in task.threads.measured().expect("threads") {
                assert!(thread.mask.measured().is_some() || thread.state == 'Z', "{thread:?}");
            }
        }
        ending.join().expect("no panic");
    }
}

#[test]
fn programs_are_found_by_number_name_user_and_descent() {
    // A name of its own, so that other tests' programs are not found too.
    let copy = std::env::temp_dir().join(format!("obs-find-{}", std::process::id()));
    copied(env!("CARGO_BIN_EXE_observe-actor"), &copy);
    let program = Ready::start(Command::new(&copy).args(["kinds", "600000"])).expect("ready");
    std::fs::remove_file(&copy).expect("our own file");
    let roots = Roots::default();
    let name = copy.file_name().expect("a name").to_str().expect("text").to_owned();
    let found = |wanted| find(&roots, &wanted).unwrap_or_else(|error| panic!("{wanted:?}: {error}"));
    assert_eq!(found(ProcessRequest::Name(name.clone())), [program.pid()]);
    assert_eq!(found(ProcessRequest::Name(copy.display().to_string())), [program.pid()]);
    assert_eq!(found(ProcessRequest::Pid(program.pid())), [program.pid()]);
    assert!(found(ProcessRequest::Descendants(Pid(std::process::id() as i32))).contains(&program.pid()));
    // SAFETY: takes no arguments and cannot fail.
    let user = unsafe { libc::geteuid() };
    assert!(found(ProcessRequest::User(user)).contains(&program.pid()));
    let error =
        find(&roots, &ProcessRequest::Name(name[1..].to_owned())).expect_err("not exactly").to_string();
    assert!(error.contains("did you mean") && error.contains(&name), "{error}");
    let thread = start("crowd 1 1 600000");
    let threads = sample(&thread);
    let tid = threads.threads.measured().expect("threads").last().expect("two").tid;
    let error = find(&roots, &ProcessRequest::Pid(tid)).expect_err("a thread").to_string();
    assert!(error.contains(&format!("is a thread of process {}", thread.pid())), "{error}");
}
