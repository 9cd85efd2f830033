//! What the user is told on standard error, each text once.

use numawise_wire::pin::PinPlanError;

use crate::line::Line;
use crate::system;

/// A plan that cannot be used.
pub fn plan_refused(error: PinPlanError) {
    let reason: &[u8] = match error {
        PinPlanError::Version => b"it is not in version 1 of the format, so another numawise wrote it",
        PinPlanError::Task => b"the CPUs of the task are not a list such as 0-3,8",
        PinPlanError::Thread => b"the CPUs of a thread are not a list of CPUs of the task",
        PinPlanError::TooLarge => b"it has more threads than this library has room for",
    };
    of_process(b"threads of process ")
        .text(b" are not pinned: NUMAWISE_PIN cannot be used: ")
        .text(reason)
        .write();
}

/// A process that was given other CPUs than the task's on the way.
pub fn process_left_alone() {
    of_process(b"threads of process ")
        .text(b" are left alone: the process was given other CPUs than the task's")
        .write();
}

/// What became of thread `k`, whose work lies in the file `name` (empty: the program).
pub fn thread_pinned(k: usize, name: &[u8], cpus: &[u64], pinned: bool) {
    let line =
        Line::new().text(b"thread ").number(k).text(b" of process ").number(system::process() as usize);
    let line = line.text(b" (").text(shown(name)).text(b"): CPUs ").cpus(cpus);
    if pinned {
        line.write()
    } else {
        line.text(b" were refused by the kernel; it stays on those of its creator").write()
    }
}

/// A thread that is not pinned.
pub fn thread_left_alone(name: &[u8], reason: &[u8]) {
    of_process(b"a thread of process ")
        .text(b" (")
        .text(shown(name))
        .text(b") is left alone: ")
        .text(reason)
        .write();
}

fn of_process(begin: &[u8]) -> Line {
    Line::new().text(begin).number(system::process() as usize)
}

fn shown(name: &[u8]) -> &[u8] {
    if name.is_empty() { b"the program" } else { name }
}
