//! One case in a guest: runs by hand, the check, more runs by hand with the line that the check printed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use testbed::{CommandResult, Host};

use super::cases::Case;
use super::hand::{self, HandRun};
use super::problem::Problem;

/// Rounds by hand before the check; the others come after it, so that a drift of the host is seen by both.
const BEFORE: usize = 2;
/// Sampling costs far more here than on a real machine: every instruction is emulated, but waiting takes no longer.
const CHECK: &str = "numawise check --json --fresh --sampling 10%";
/// The time of a program without its start, as it prints it: starting a process takes longer in an emulated machine than anywhere else,
/// and more of it with numawise in front. `stopwatch` reads the same.
const OWN_TIME: &str = "--metric 'seconds: ([0-9.]+)'";
/// Besides the check: the boot, and runs by hand.
const BESIDES: Duration = Duration::from_secs(240);

/// What a guest takes to boot and to end, as measured over the 36 cases of a table.
const BOOT: f64 = 6.0;
/// Lines that are printed and run where there is a gain.
const PRINTED: usize = 2;

/// Seconds that a case takes at most on a host that is idle, from its description.
pub(super) fn seconds(case: &Case) -> f64 {
    let checks = (case.budget * case.seeds.len() as u64) as f64;
    let gains = case.cases.iter().any(|one| one == "gains");
    let lines = if gains { PRINTED * (case.rounds - BEFORE) } else { 0 };
    BOOT + checks + case.run * (hand::runs_of(case) + lines) as f64
}

/// All that came of a case, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    pub name: String,
    pub hand: Vec<HandRun>,
    pub checks: Vec<Check>,
    /// Why the host spoiled it.
    pub spoiled: Option<String>,
    pub host: String,
    pub seconds: f64,
    pub setup: String,
}

/// One check and what it printed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Check {
    pub seed: u64,
    pub seconds: f64,
    pub status: i32,
    /// Null where it printed no JSON.
    pub told: Value,
    pub stderr: String,
}

/// Puts the lines to use from now on of the check with a seed into files `lineSEED-0`, `lineSEED-1`, ..., ours first, for a shell to run
/// as they were printed.
const EXTRACT: &str = r#"k=0
tr -d '\n' < /root/checkSEED.json | sed -n 's/.*"use": *{//p' | sed 's/"comments":.*//; s/"line":/\n&/g' |
sed -n 's/^"line": *"\(\([^"\]\|\\.\)*\)".*/\1/p' | sed 's/\\"/"/g; s/\\\\/\\/g' |
while read -r line || [ -n "$line" ]; do printf '%s\n' "$line" > "/root/lineSEED-$k"; k=$((k + 1)); done
tail -n 9 /root/lineSEED-* 2> /dev/null"#;

fn extract(seed: u64) -> String {
    EXTRACT.replace("SEED", &seed.to_string())
}

/// Boots a guest and runs the case in it.
pub(super) fn attempt(root: &Path, case: &Case) -> Result<Kept, Problem> {
    let machine = testbed::load(case.machine_file(root))?;
    let guest = testbed::guest(&machine);
    let mut guest = if case.timing { guest.scale(case.scale) } else { guest };
    guest = guest
        .limit(Duration::from_secs(case.budget * 2 * case.seeds.len() as u64) + BESIDES)
        .tool("numactl")
        .tool("taskset")
        .tool("dash");
    for (host, at) in programs(root)? {
        guest = guest.file_at(host, at);
    }
    let check = |seed: &u64| {
        let Case { margin, budget, threads, command, .. } = case;
        let metric = if case.wall { "" } else { OWN_TIME };
        format!(
            "{CHECK} {metric} --margin {margin}% --budget {budget}s --seed {seed} --threads {threads} -o /root/case.nw -- {command} > \
             check{seed}.json; status=$?; cat check{seed}.json; exit $status"
        )
    };
    let mut commands =
        vec![case.setup.clone().unwrap_or_else(|| "true".to_owned()), hand::script(case, 0..BEFORE, false)];
    commands.extend(case.seeds.iter().map(check));
    commands.extend(case.seeds.iter().map(|seed| extract(*seed)));
    commands.push(hand::script(case, BEFORE..case.rounds, true));
    let before = Host::now();
    let run = guest.run(&commands)?;
    let spoiled = before.zip(Host::now()).and_then(|(before, after)| after.since(&before).spoiled());
    let checks = &run[2..2 + case.seeds.len()];
    let mut hand = hand::parse(&run[1].stderr);
    hand.extend(hand::parse(&run[commands.len() - 1].stderr));
    Ok(Kept {
        name: case.name.clone(),
        hand,
        checks: case.seeds.iter().zip(checks).map(|(seed, result)| Check::of(*seed, result)).collect(),
        spoiled,
        host: description(),
        seconds: run.wall.as_secs_f64(),
        setup: run[0].stderr.clone(),
    })
}

impl Check {
    fn of(seed: u64, result: &CommandResult) -> Check {
        Check {
            seed,
            seconds: result.seconds,
            status: result.status,
            told: serde_json::from_str(&result.stdout).unwrap_or_default(),
            stderr: result.stderr.clone(),
        }
    }
}

/// The processor and the kernel of the host, for the head of the table.
fn description() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let processor = model.map_or("unknown processor", |(_, name)| name.trim());
    let cpus = cpuinfo.lines().filter(|line| line.starts_with("processor")).count();
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{cpus} CPUs of {processor}, Linux {}", kernel.trim())
}

/// What goes into each guest, and where to. One that is not there is an error.
fn programs(root: &Path) -> Result<Vec<(PathBuf, String)>, Problem> {
    let numawise = ["target/release/numawise", "target/release/libnumawise_agent.so"];
    let cases = ["cases", "cases_static", "cases_openmp", "cases_tbb", "stopwatch"];
    let built =
        numawise.map(str::to_owned).into_iter().chain(cases.map(|name| format!("build/cases/{name}")));
    built
        .map(|path| {
            let file = root.join(&path);
            let name = path.rsplit('/').next().unwrap_or_default();
            let at = format!("/bin/{name}");
            if file.exists() { Ok((file, at)) } else { Err(Problem::NotBuilt { path }) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The script as busybox runs it in a guest, on a report with a quoted path, and on one without lines.
    #[test]
    fn all_printed_lines_are_taken_out_of_a_report() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().display().to_string();
        let lines_of = |report: Value| {
            std::fs::write(folder.path().join("check7.json"), format!("{report:#}\n")).unwrap();
            let script = extract(7).replace("/root", &there);
            assert!(std::process::Command::new("sh").args(["-c", &script]).output().is_ok());
            let line = |k: usize| std::fs::read_to_string(folder.path().join(hand::of_line(7, k))).ok();
            (0..4).filter_map(line).collect::<Vec<_>>()
        };
        assert_eq!(
            lines_of(serde_json::json!({"use": null, "lines": [{"line": "x"}]})),
            Vec::<String>::new()
        );
        let report = serde_json::json!({
            "findings": [{"line": "x"}],
            "use": {"effect": {"ratio": 1}, "line": "numawise run -- a", "text": "t", "equivalents": [
                {"effect": null, "line": "A='{0}' numactl \"a b\\c\"", "tool": "numactl"},
                {"line": "OMP_NUM_THREADS=4 a", "tool": "openmp"},
            ], "comments": []},
            "lines": [{"line": "x"}],
        });
        let expected = ["numawise run -- a\n", "A='{0}' numactl \"a b\\c\"\n", "OMP_NUM_THREADS=4 a\n"];
        assert_eq!(lines_of(report), expected);
    }
}
