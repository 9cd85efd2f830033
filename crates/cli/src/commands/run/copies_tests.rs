use numawise_facts::{MemoryPlan, Reading, ResourceUsage};
use numawise_launch::{LeftBehind, Output};
use numawise_units::{Bytes, Nanoseconds, Pid, TaskId};

use super::*;

fn task(number: u32, exit: Exit) -> FinishedTask {
    FinishedTask {
        task: TaskId(number),
        pid: Pid(1),
        exit,
        wall: Nanoseconds(2_500_000_000),
        stopped: Nanoseconds(0),
        usage: ResourceUsage {
            user: Reading::Measured(Nanoseconds(1_000_000_000)),
            system: Reading::Measured(Nanoseconds(500_000_000)),
            peak_memory: Reading::Measured(Bytes::mib(3)),
            minor_faults: Reading::Measured(0),
            major_faults: Reading::Measured(0),
            voluntary_switches: Reading::Measured(0),
            involuntary_switches: Reading::Measured(0),
        },
        output: Output::default(),
    }
}

fn status_of(exits: &[Exit], signal: Option<i32>) -> Status {
    let tasks = (0..).zip(exits).map(|(number, exit)| task(number, *exit)).collect();
    status(&Finished { tasks, left_behind: LeftBehind::default() }, signal)
}

#[test]
fn the_first_that_failed_gives_the_status() {
    let code = Exit::Code;
    assert_eq!(status_of(&[code(0), code(0)], None), 0);
    assert_eq!(status_of(&[code(0), code(3), code(4)], None), 3);
    assert_eq!(status_of(&[Exit::Signal(9), code(3)], None), 137);
    assert_eq!(status_of(&[code(0), code(7)], Some(SIGTERM)), 7);
    assert_eq!(status_of(&[code(0), code(0)], Some(SIGINT)), 130, "they ended well since we told them to");
    assert_eq!(status_of(&[code(999)], None), u8::MAX);
}

#[test]
fn a_line_tells_the_end_the_cost_and_the_place() {
    let plan = TaskPlacement {
        task: TaskId(1),
        cpus: "0-3".parse().unwrap(),
        threads: vec![],
        memory: MemoryPlan::default_policy(),
        gpus: Vec::new(),
    };
    let told = line(&task(1, Exit::Code(0)), &plan);
    let expected = "copy 1: status 0, 2.500 s (1.500 s of CPU time), memory at its peak 3 MiB; CPUs 0-3, memory policy \
                    default";
    assert_eq!(told, expected);
    let mut killed = task(1, Exit::Signal(9));
    killed.usage.peak_memory = Reading::unavailable("not told");
    let told = line(&killed, &plan);
    assert!(told.contains("ended by signal 9") && told.contains("peak unavailable: not told"), "{told}");
}
