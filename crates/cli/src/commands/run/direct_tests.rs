use clap::Parser;

use super::super::arguments::Arguments;
use super::super::machine;
use super::super::scope::Tasks;
use super::*;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    run: Arguments,
}

/// CPUs and nodes that this computer does not have make no difference: only node files are read, for -N.
fn allowed() -> Allowed {
    Allowed { cpus: "0-5".parse().unwrap(), nodes: "0-1".parse().unwrap() }
}

fn request(line: &str, tasks: &Tasks) -> Option<Request> {
    let arguments = Typed::try_parse_from(["run"].into_iter().chain(line.split_whitespace())).ok()?.run;
    Request::new(&arguments, &allowed(), tasks, &|_| None).ok()
}

/// What the planner says of the same request.
fn planned(request: &Request) -> Option<(CpuSet, MemoryPlan, usize)> {
    let mut placement = request.place(&machine::narrow(request, &allowed())?).ok()?;
    let warnings = placement.warnings.len();
    let task = placement.tasks.remove(0);
    Some((task.cpus, task.memory, warnings))
}

#[test]
fn what_is_plain_is_what_the_planner_says() {
    let cpus = [
        "",
        "-C 0",
        "-C 1-3",
        "-C all",
        "-C !0",
        "-C +1",
        "--cpus 0-4:2",
        "-C 6",
        "-C 60000",
        "-N 0",
        "-N 60000",
    ];
    let memory = [
        "",
        "-m 0",
        "-m 0-1",
        "-m all",
        "-b -m 0-1",
        "-b",
        "--balancing=off -m 0",
        "-i all",
        "-w 0-1",
        "-w 1",
        "-p 1",
        "-P 0,1",
        "-l",
        "-m 2",
        "-i 60000",
        "--memory local",
        "--memory bind:1",
        "--memory default",
        "--memory bind",
        "--memory weighted:0-1",
    ];
    let mut direct = 0;
    for cpus in cpus {
        for memory in memory {
            let line = format!("{cpus} {memory} app");
            let Some(request) = request(&line, &Tasks::of(1)) else { continue };
            let Some(task) = task(&request, &allowed()) else { continue };
            direct += 1;
            let (cpus, memory, warnings) = planned(&request).unwrap();
            // What is left alone is what we have.
            let ours = if task.cpus.is_empty() { allowed().cpus } else { task.cpus };
            assert_eq!((ours, task.memory, 0), (cpus, memory, warnings), "{line}");
        }
    }
    assert!(direct > 90, "{direct} lines went the direct way");
}

#[test]
fn whatever_needs_a_plan_or_a_word_is_left_to_the_planner() {
    for line in [
        "-C 6 app",
        "-m 2 app",
        "-N 60000 app",
        "--place local app",
        "--threads 2 app",
        "--pin -C 0 app",
        "--cpus core:0 app",
        "--smt 1 app",
        "--skip-cpus 0 app",
        "--page-size thp app",
        "-b app",
        "-b -m 2 app",
        "-b -i 0 app",
        "-b -l app",
        "--balancing=off -m 0 app",
        "--memory bind app",
        "--memory hbm app",
        "--memory interleave app",
        "--copies 1 app",
        "-C 0 app {threads}",
    ] {
        assert_eq!(task(&request(line, &Tasks::of(1)).unwrap(), &allowed()), None, "{line}");
    }
    assert_eq!(task(&request("-C 0 app", &Tasks::of(2)).unwrap(), &allowed()), None, "several tasks");
}
