//! The process in which hwloc runs ends with the command.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use numawise_linux::proc::stat::TaskStat;
use numawise_linux::proc::tasks;
use numawise_units::Pid;

/// Nothing that is waited for takes so long.
const PATIENCE: Duration = Duration::from_secs(120);

/// What `find` gives, asked again for some time.
fn within<T>(time: Duration, find: impl Fn() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + time;
    loop {
        match find() {
            None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            found => return found,
        }
    }
}

fn child_of(parent: Pid) -> Option<Pid> {
    let pairs = tasks::parents(Path::new("/proc"), &mut Vec::new()).ok()?;
    pairs.into_iter().find(|(of, _)| *of == parent).map(|(_, child)| child)
}

/// Gone, or a zombie that nobody waits for.
fn ended(process: Pid) -> Option<()> {
    let path = PathBuf::from(format!("/proc/{process}/stat"));
    match std::fs::read(path) {
        Ok(text) => TaskStat::parse(&text).ok().filter(|stat| matches!(stat.state, 'Z' | 'X')).map(|_| ()),
        Err(_) => Some(()),
    }
}

/// Whether the helper works on the description, for which it is bounded before it begins; or has ended.
fn works(helper: Pid) -> Option<()> {
    const SOME: u64 = 2;
    let Ok(text) = std::fs::read(format!("/proc/{helper}/stat")) else { return Some(()) };
    let stat = TaskStat::parse(&text).ok()?;
    (stat.ticks >= SOME || matches!(stat.state, 'Z' | 'X')).then_some(())
}

/// The description takes hwloc some seconds, of which the helper gets 0.7 of CPU time. Stopped it takes none, and does not end by itself.
#[test]
fn the_helper_of_hwloc_ends_with_the_command() {
    for _ in 0..20 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
        command.args(["machine", "--input", "pu:8192"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut started = command.spawn().unwrap();
        let Some(helper) = within(PATIENCE, || child_of(Pid(started.id() as i32))) else {
            panic!("no helper process");
        };
        within(PATIENCE, || works(helper)).expect("the helper works");
        // SAFETY: a system call on numbers.
        let stopped = unsafe { libc::kill(helper.0, libc::SIGSTOP) } == 0 && ended(helper).is_none();
        started.kill().unwrap();
        started.wait().unwrap();
        if stopped {
            within(PATIENCE, || ended(helper)).expect("the helper ends when the command is killed");
            return;
        }
        // It had its time before we could stop it.
    }
    panic!("the helper could not be stopped in time");
}

#[test]
fn a_description_that_takes_hwloc_long_is_refused_in_time() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    let output = command.args(["machine", "--input", "pu:8192"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("hwloc takes too long over it"), "{said}");
}
