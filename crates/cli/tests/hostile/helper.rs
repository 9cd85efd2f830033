//! The process in which hwloc runs ends with the command.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use numawise_linux::proc::stat::TaskStat;
use numawise_linux::proc::tasks;
use numawise_units::Pid;

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

/// The description takes hwloc some seconds, of which the helper gets 0.7 of CPU time.
#[test]
fn the_helper_of_hwloc_ends_with_the_command() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    command.args(["machine", "--input", "pu:8192"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut started = command.spawn().unwrap();
    let helper = within(Duration::from_secs(10), || child_of(Pid(started.id() as i32)));
    let helper = helper.expect("a helper process");
    // It is bounded before it begins with the description.
    std::thread::sleep(Duration::from_millis(100));
    started.kill().unwrap();
    started.wait().unwrap();
    within(Duration::from_millis(300), || ended(helper)).expect("the helper ends when the command is killed");
}

#[test]
fn a_description_that_takes_hwloc_long_is_refused_in_time() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
    let output = command.args(["machine", "--input", "pu:8192"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("hwloc takes too long over it"), "{said}");
}
