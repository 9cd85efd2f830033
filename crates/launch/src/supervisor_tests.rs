use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use numawise_facts::{
    Argument, Exit, MemoryPlan, Placement, RunSpec, Strategy, TaskPlacement, ThreadBinding,
};
use numawise_linux::calls::affinity;
use numawise_linux::raw;
use numawise_units::TaskId;

use super::*;
use crate::{Finished, Io, Job, Start, Variables};

/// Nothing that is waited for takes so long.
const PATIENCE: Duration = Duration::from_secs(300);
/// Waits until the process that is left has become what it is to be.
const UNTIL: &str = "until pgrep -xf 'sleep MARK' > /dev/null; do :; done";

/// A program all of whose processes can be found: `MARK` in a script is an argument that nobody else has.
struct Marked(String);

impl Marked {
    fn new() -> Marked {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        Marked(format!("600{}.{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)))
    }

    fn start(&self, tasks: u32, leftovers: Leftovers, script: &str) -> Job {
        let script = script.replace("UNTIL", UNTIL).replace("MARK", &self.0);
        let words = ["/bin/bash", "-c", &script, "bash", &self.0];
        let command = words.iter().map(|word| Argument::from(*word)).collect();
        let spec = RunSpec { command, directory: PathBuf::new() };
        let cpus = affinity::own().unwrap();
        let task = |number| TaskPlacement {
            task: TaskId(number),
            cpus: cpus.clone(),
            threads: vec![cpus.clone()],
            memory: MemoryPlan::default_policy(),
            gpus: Vec::new(),
        };
        let placement = Placement {
            strategy: Strategy::None,
            binding: ThreadBinding::Free,
            tasks: (0..tasks).map(task).collect(),
            warnings: vec![],
        };
        Job::spawn(
            &spec,
            &placement,
            Start {
                io: Io::Capture,
                pinner: None,
                leftovers,
                variables: Variables::OfPlan,
                first_cpus: &[],
                commands: &[],
            },
        )
        .unwrap()
    }

    fn run(&self, script: &str) -> Finished {
        let mut job = self.start(1, Leftovers::End, script);
        job.wait_timeout(PATIENCE).unwrap().expect("the job ends in time")
    }

    /// Processes with the mark that have not ended.
    fn running(&self) -> Vec<i32> {
        let numbers = std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
        let marked = |pid: &i32| {
            let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            words.split(|byte| *byte == 0).any(|word| word == self.0.as_bytes())
        };
        numbers.filter(marked).collect()
    }

    fn wait_for(&self, processes: usize) {
        let begin = Instant::now();
        while self.running().len() < processes {
            assert!(begin.elapsed() < PATIENCE, "{:?}", self.running());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn gone_soon(&self) -> bool {
        let begin = Instant::now();
        while !self.running().is_empty() && begin.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(2));
        }
        self.running().is_empty()
    }
}

#[test]
fn whatever_a_program_leaves_ends_with_it() {
    let cases = [
        ("in the background", "sleep MARK &", 1),
        ("in a session of its own", "setsid sleep MARK & UNTIL", 1),
        ("a double fork", "(setsid bash -c 'sleep MARK & exit' &); UNTIL", 1),
        ("stopped", "sleep MARK & kill -STOP $!", 1),
        ("several", "for k in 1 2 3 4 5; do sleep MARK & done", 5),
        ("deaf to SIGTERM", "(trap '' TERM; sleep MARK; sleep MARK) & UNTIL", 2),
        (
            "five deep",
            "bash -c 'bash -c \"bash -c \\\"bash -c \\\\\\\"sleep MARK; :\\\\\\\"; :\\\"; :\"; :' MARK & UNTIL",
            1,
        ),
    ];
    for (case, script, least) in cases {
        let marked = Marked::new();
        let finished = marked.run(script);
        assert_eq!(marked.running(), [0; 0], "{case}");
        assert_eq!(finished.tasks[0].exit, Exit::Code(0), "{case}");
        let left = finished.left_behind;
        assert!(left.processes >= least && left.held == 0, "{case}: {left:?}");
        assert!(left.names.iter().any(|name| name == "sleep" || name == "bash"), "{case}: {left:?}");
    }
}

#[test]
fn the_time_of_a_trial_ends_with_its_task() {
    let marked = Marked::new();
    let began = Instant::now();
    let finished = marked.run("(trap '' TERM; sleep MARK) & UNTIL");
    let wall = Duration::from(finished.tasks[0].wall);
    assert!(began.elapsed() >= wall + Duration::from_nanos(GRACE.0), "SIGTERM is waited for: {wall:?}");
}

#[test]
#[ignore = "timing: what ends some milliseconds after the task is waited for"]
fn what_ends_by_itself_is_not_left_behind_and_is_heard() {
    let finished = Marked::new().run("(sleep 0.01; echo last) & echo first");
    eprintln!("{finished:?}");
    assert_eq!(finished.tasks[0].output.text, "first\nlast\n");
    assert_eq!(finished.left_behind, crate::LeftBehind::default());
}

#[test]
fn a_storm_of_forks_ends() {
    // Each of them starts the next and ends.
    let script = "f() { [ -e /proc/self ] && { f MARK & }; exit; }; for k in 1 2 3 4; do f & done; sleep 0.2";
    let marked = Marked::new();
    let finished = marked.run(script);
    assert!(marked.gone_soon(), "{finished:?}");
    assert_eq!(finished.left_behind.held, 0);
}

#[test]
fn what_is_left_is_left_where_that_is_asked_for() {
    let marked = Marked::new();
    let mut job = marked.start(1, Leftovers::Leave, "sleep MARK &");
    let finished = job.wait_timeout(PATIENCE).unwrap().expect("the job ends in time");
    // While it becomes sleep, it has no command line.
    let begun = std::time::Instant::now();
    while marked.running().is_empty() && begun.elapsed() < PATIENCE {
        std::thread::yield_now();
    }
    assert_eq!((finished.left_behind.processes, marked.running().len()), (0, 1));
    // SAFETY: the process is a grandchild that this test started.
    unsafe { libc::kill(marked.running()[0], libc::SIGKILL) };
}

#[test]
fn only_when_all_tasks_have_ended_is_anything_ended() {
    let marked = Marked::new();
    let mut job = marked.start(
        2,
        Leftovers::End,
        "sleep MARK & [ {task} = 0 ] || { sleep 0.4; kill -0 $! && echo on; }",
    );
    let finished = job.wait_timeout(PATIENCE).unwrap().expect("the job ends in time");
    assert_eq!(finished.tasks[1].output.text, "on\n");
    assert_eq!((finished.left_behind.processes, marked.running()), (2, vec![]));
}

#[test]
fn a_job_that_is_dropped_takes_all_of_it_along() {
    for leftovers in [Leftovers::End, Leftovers::Leave] {
        let marked = Marked::new();
        let job =
            marked.start(2, leftovers, "setsid sleep MARK & (trap '' TERM; setsid sleep MARK) & sleep MARK");
        marked.wait_for(8);
        drop(job);
        assert!(marked.gone_soon(), "{:?}", marked.running());
    }
}

#[test]
fn a_supervisor_that_is_killed_is_an_error_and_takes_the_tasks_along() {
    let marked = Marked::new();
    let mut job = marked.start(2, Leftovers::End, "sleep MARK; :");
    marked.wait_for(4);
    let stat = std::fs::read(format!("/proc/{}/status", job.pids()[0])).unwrap();
    let stat = String::from_utf8(stat).unwrap();
    let parent = stat.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap().trim().parse().unwrap();
    assert_ne!(parent, std::process::id() as i32);
    // SAFETY: the process is a child of this test.
    unsafe { libc::kill(parent, libc::SIGKILL) };
    let error = job.wait().unwrap_err();
    assert!(matches!(error, crate::LaunchError::SupervisorLost), "{error}");
    for pid in marked.running() {
        // SAFETY: the grandchildren that nobody is left to end.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
}

#[test]
fn a_stop_is_seen_and_its_length() {
    let marked = Marked::new();
    let mut job = marked.start(1, Leftovers::End, "kill -STOP $$; echo on");
    let begin = Instant::now();
    let stopped = loop {
        match job.stopped() {
            Some(stopped) if stopped.stopped_for >= Nanoseconds(100_000_000) => break stopped,
            _ => assert!(begin.elapsed() < PATIENCE),
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!((stopped.pid, stopped.signal), (job.pids()[0], libc::SIGSTOP));
    job.signal(libc::SIGCONT);
    let task = job.wait_timeout(PATIENCE).unwrap().expect("the job ends in time").tasks.remove(0);
    assert_eq!(task.output.text, "on\n");
    assert!(task.stopped >= Nanoseconds(100_000_000) && task.stopped <= task.wall, "{task:?}");
    assert_eq!(job.stopped(), None);
}

/// Ends of ours that nothing can be done about: a process of the test's own has the job, and is killed.
#[test]
fn our_own_end_is_that_of_the_job() {
    let marked = Marked::new();
    let script = "setsid sleep MARK & (setsid bash -c '(trap \"\" TERM HUP; sleep MARK) & sleep MARK' MARK &); sleep MARK";
    // SAFETY: the child starts a job and sleeps; no other thread of this process holds a lock that starting takes for long: the C
    // library lets a child of a process with threads allocate.
    let owner = match unsafe { libc::fork() } {
        0 => {
            let _job = marked.start(2, Leftovers::End, script);
            std::thread::sleep(PATIENCE);
            leave()
        }
        pid => pid,
    };
    assert!(owner > 0, "{}", raw::errno());
    marked.wait_for(10);
    // SAFETY: a child of this test.
    unsafe {
        libc::kill(owner, libc::SIGKILL);
        libc::waitpid(owner, std::ptr::null_mut(), 0);
    }
    assert!(marked.gone_soon(), "{:?}", marked.running());
}
