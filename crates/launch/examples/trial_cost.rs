//! What the supervisor costs: starts programs as trials and with posix_spawn(3), in turns, and prints what a trial takes longer,
//! and whether the time that is measured for it is that of the program.
//!
//! `cargo run --release -p numawise-launch --example trial_cost [ROUNDS]`

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use numawise_facts::{
    Argument, Exit, MemoryPlan, Placement, RunSpec, Strategy, TaskPlacement, ThreadBinding,
};
use numawise_launch::{Io, Job, Leftovers, Start, Variables};
use numawise_linux::calls::affinity;
use numawise_units::TaskId;

/// One that does nothing, and one that takes its time, but no CPU that others could keep from it.
const PROGRAMS: [&[&str]; 2] = [&["/bin/true"], &["/bin/sleep", "0.02"]];
/// Promised for each trial, in milliseconds.
const PROMISE: f64 = 1.0;
/// As much as numawise holds during a check: a fork copies what describes it.
const MEMORY: usize = 2 << 20;

fn main() {
    let rounds = std::env::args().nth(1).map_or(300, |text| text.parse().expect("a number of rounds"));
    let memory = std::hint::black_box(vec![1_u8; MEMORY]);
    for program in PROGRAMS {
        let (mut whole, mut measured, mut plain) = (vec![], vec![], vec![]);
        for round in 0..rounds + 10 {
            let (trial, wall, spawned) = if round % 2 == 0 {
                let (trial, wall) = as_trial(program);
                (trial, wall, spawned(program))
            } else {
                let spawned = spawned(program);
                let (trial, wall) = as_trial(program);
                (trial, wall, spawned)
            };
            if round >= 10 {
                whole.push(trial - spawned);
                measured.push(wall - spawned);
                plain.push(spawned);
            }
        }
        let (of_plain, ..) = median(plain);
        let (more, low, high) = median(whole);
        let kept = if high < PROMISE {
            "kept"
        } else if low > PROMISE {
            "broken"
        } else {
            "undecided"
        };
        println!("{}: {of_plain:.3} ms with posix_spawn and a wait, {rounds} rounds", program[0]);
        println!("  a trial takes {more:+.3} ms ({low:+.3} to {high:+.3}); promised {PROMISE} ms: {kept}");
        let (more, low, high) = median(measured);
        println!("  the time measured for it, from exec to the end: {more:+.3} ms ({low:+.3} to {high:+.3})");
    }
    drop(memory);
}

/// Milliseconds from before the start to the end of all, and those that are measured for the program.
fn as_trial(program: &[&str]) -> (f64, f64) {
    let command = program.iter().map(|word| Argument::from(*word)).collect();
    let cpus = affinity::own().expect("a mask");
    let task = TaskPlacement {
        task: TaskId(0),
        cpus: cpus.clone(),
        threads: vec![cpus],
        memory: MemoryPlan::default_policy(),
        gpus: Vec::new(),
    };
    let placement = Placement {
        strategy: Strategy::None,
        binding: ThreadBinding::Free,
        tasks: vec![task],
        warnings: vec![],
    };
    let spec = RunSpec { command, directory: PathBuf::new() };
    let begun = Instant::now();
    let start = Start {
        io: Io::Inherit,
        pinner: None,
        leftovers: Leftovers::End,
        variables: Variables::OfPlan,
        first_cpus: &[],
        commands: &[],
    };
    let finished = Job::spawn(&spec, &placement, start).expect("a start").wait().expect("an end");
    let whole = begun.elapsed().as_secs_f64() * 1e3;
    assert_eq!((finished.tasks[0].exit, finished.left_behind.processes), (Exit::Code(0), 0));
    (whole, finished.longest().seconds() * 1e3)
}

/// Milliseconds from before the start to the end, with what the standard library makes of it: posix_spawn(3) and a wait.
fn spawned(program: &[&str]) -> f64 {
    let mut command = Command::new(program[0]);
    command.args(&program[1..]);
    let begun = Instant::now();
    let status = command.status().expect("a program that can be started");
    let whole = begun.elapsed().as_secs_f64() * 1e3;
    assert!(status.success());
    whole
}

/// The median, and the 95 % interval of it that the order of the values gives.
fn median(mut values: Vec<f64>) -> (f64, f64, f64) {
    values.sort_unstable_by(f64::total_cmp);
    let (middle, reach) = (values.len() / 2, 0.98 * (values.len() as f64).sqrt());
    let at = |place: f64| values[(place.max(0.0) as usize).min(values.len() - 1)];
    (values[middle], at(middle as f64 - reach), at(middle as f64 + reach))
}
