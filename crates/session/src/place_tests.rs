use std::process::{Child, Command};

use numawise_facts::{RunSpec, Strategy};

use super::*;
use crate::plan::CpuSelection;

/// Programs of one thread that wait, ended with the test.
struct Programs(Vec<Child>);

impl Programs {
    fn waiting(number: usize) -> Programs {
        Programs((0..number).map(|_| Command::new("sleep").arg("600").spawn().unwrap()).collect())
    }

    fn named(&self) -> TargetRequest {
        let processes = self.0.iter().map(|child| child.id().to_string()).collect();
        TargetRequest { processes, ..TargetRequest::default() }
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn request(targets: TargetRequest) -> PlaceRequest {
    let on = RunRequest {
        binding: Some(ThreadBinding::Free),
        ..RunRequest::new(RunSpec { command: Vec::new(), directory: "".into() })
    };
    PlaceRequest { targets, threads: Vec::new(), on }
}

/// The CPUs that the kernel would let us have, whatever our mask is.
fn cpus() -> CpuSet {
    plan::for_running(
        &RunRequest { cpus: CpuSelection::Numactl("all".to_owned()), ..request(TargetRequest::default()).on },
        1,
    )
    .unwrap()
    .1
    .cpus()
}

#[test]
fn each_process_is_a_task_of_the_plan() {
    let programs = Programs::waiting(2);
    let mut request = request(programs.named());
    request.on.strategy = Some(Strategy::Local);
    let placed = place(&request).unwrap();
    let expected = plan::for_running(&RunRequest { threads: Some(1), ..request.on }, 2).unwrap().1;
    assert!(placed.missing.is_empty() && placed.processes.len() == 2, "{placed:?}");
    for (one, task) in placed.processes.iter().zip(&expected.tasks) {
        assert_eq!(one.threads.len(), 1, "{one:?}");
        assert!(one.threads[0].is_where_planned() && one.cpus == task.cpus, "{one:?}: {task:?}");
        assert_eq!(affinity::of(one.pid).unwrap(), task.cpus);
    }
}

#[test]
fn pinned_threads_have_one_cpu_each_and_those_beyond_the_plan_all() {
    let programs = Programs::waiting(1);
    let all = cpus();
    let mut request = request(programs.named());
    request.on.cpus = CpuSelection::Listed(all.clone());
    request.on.binding = Some(ThreadBinding::Pinned);
    let placed = place(&request).unwrap();
    let first = CpuSet::single(all.iter().next().unwrap());
    assert_eq!(placed.processes[0].threads[0].after, Reading::Measured(first.clone()));

    let (_, placement) = plan::for_running(&RunRequest { threads: Some(1), ..request.on }, 1).unwrap();
    let planned = Planned { task: &placement.tasks[0], pinned: true };
    assert_eq!((planned.of(0), planned.of(1)), (first, placement.tasks[0].cpus.clone()));
    assert_eq!(Planned { pinned: false, ..planned }.of(0), placement.tasks[0].cpus);
}

/// Its own threads are placed one by one, while they wait.
#[test]
fn only_the_threads_that_were_named_are_placed() {
    let (tell, told) = std::sync::mpsc::channel();
    let (end, wait) = std::sync::mpsc::channel::<()>();
    let other = std::thread::spawn(move || {
        tell.send(numawise_linux::calls::process::own_thread()).unwrap();
        wait.recv().unwrap_err();
    });
    let thread = told.recv().unwrap();
    let own = TargetRequest { processes: vec![std::process::id().to_string()], ..TargetRequest::default() };
    let before = affinity::own().unwrap();
    let last = CpuSet::single(cpus().iter().last().unwrap());
    let mut request = request(own);
    request.threads = vec![thread];
    request.on.cpus = CpuSelection::Listed(last.clone());
    let placed = place(&request).unwrap();
    let threads = &placed.processes[0].threads;
    assert_eq!((threads.len(), threads[0].tid), (1, thread), "{threads:?}");
    assert_eq!((affinity::of(thread).unwrap(), affinity::own().unwrap()), (last, before));
    request.threads = vec![Pid(i32::MAX)];
    assert!(matches!(place(&request), Err(Error::NoSuchThread { tid: Pid(i32::MAX) })));
    drop(end);
    other.join().unwrap();
}

/// A plan is for the most threads; what it says of too many holds where all processes have as many.
#[test]
fn processes_with_different_numbers_of_threads_are_told_apart() {
    let programs = Programs::waiting(2);
    let pid = |child: &Child| Pid(child.id().cast_signed());
    let mut pids: Vec<Pid> = programs.0.iter().map(pid).collect();
    let same = threads_to_place(&snapshot(&pids, false), &[]).unwrap();
    assert!(same.most == 1 && same.as_many_of_each);
    pids.push(Pid(std::process::id().cast_signed())); // a test runs in a thread of its own
    let different = threads_to_place(&snapshot(&pids, false), &[]).unwrap();
    assert!(different.most > 1 && !different.as_many_of_each);

    let first = CpuSet::single(cpus().iter().next().unwrap());
    let mut request = request(programs.named());
    request.on.cpus = CpuSelection::Listed(first);
    request.on.threads = Some(3);
    let warnings = place(&request).unwrap().warnings;
    assert!(warnings.iter().any(is_about_too_many), "{warnings:?}");
}

#[test]
fn nothing_asked_for_changes_nothing() {
    let programs = Programs::waiting(1);
    assert!(matches!(place(&request(programs.named())), Err(Error::NoCpusAskedFor)));
    let mut nobody =
        request(TargetRequest { processes: vec!["no-such-program".to_owned()], ..TargetRequest::default() });
    nobody.on.strategy = Some(Strategy::Local);
    assert!(matches!(place(&nobody), Err(Error::NothingFound(_))));
}

#[test]
fn refusals_of_all_are_one_error() {
    let thread = |after| PlacedThread {
        tid: Pid(5),
        name: "app".to_owned(),
        planned: "0".parse().unwrap(),
        before: Reading::unavailable("x"),
        after,
    };
    let process = |after| PlacedProcess {
        pid: Pid(5),
        name: "app".to_owned(),
        cpus: "0".parse().unwrap(),
        nodes: "0".parse().unwrap(),
        threads: vec![thread(after)],
        memory: Reading::unavailable("x"),
    };
    let refused = || process(Reading::unavailable("theirs"));
    let placed = process(Reading::Measured("0".parse().unwrap()));
    let (pid, reason) = refused_of_all(&[refused(), refused()]).unwrap();
    assert_eq!((pid, reason.to_string().as_str()), (Pid(5), "theirs"));
    assert!(refused_of_all(&[refused(), placed]).is_none() && refused_of_all(&[]).is_none());
}
