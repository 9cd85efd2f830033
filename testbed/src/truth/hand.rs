//! The truth: the program placed by hand, with numactl and with workers that pin themselves, and what that takes.

use serde::{Deserialize, Serialize};

use super::cases::Case;

/// CPUs of a node of the machines that the cases run on.
const CPUS_OF_NODE: u32 = 2;
/// What the program is without any placement.
pub(super) const AS_IS: &str = "as-is";
/// Lines that the check printed to be used, as printed: `line0` and so on, that of numawise first.
const LINE: &str = "line";

/// One run that was timed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct HandRun {
    pub round: usize,
    pub placement: String,
    pub seconds: f64,
    pub status: i32,
}

/// How many times as good as another placement, with a 95 % interval over the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Gain {
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
}

/// A label and the words of the shell that place what follows.
struct Placement {
    label: &'static str,
    /// Variables for the program.
    environment: String,
    /// A program that starts it.
    starter: String,
    threads: u32,
}

fn placements(case: &Case) -> Vec<Placement> {
    let pins = case.pin.as_ref().map_or_else(String::new, |cpus| {
        let places: Vec<String> = cpus.split(',').map(|cpu| format!("{{{cpu}}}")).collect();
        format!("CASES_PIN={cpus} OMP_PLACES='{}' OMP_PROC_BIND=true", places.join(","))
    });
    let inside = case.threads.min(CPUS_OF_NODE);
    let free = |label, starter: &str, threads| Placement {
        label,
        environment: String::new(),
        starter: starter.to_owned(),
        threads,
    };
    let spread =
        |label, starter: &str| Placement { environment: pins.clone(), ..free(label, starter, case.threads) };
    let mut all = vec![
        free(AS_IS, "", case.threads),
        spread("interleave", "numactl -i 0,1"),
        free("node0", "numactl -N 0 -m 0", inside),
        free("remote", "numactl -N 0 -m 1", inside),
    ];
    // The nodes are alike: the other one is tried where it may be the only right one.
    if case.cures.iter().any(|cure| cure == "one-node") {
        all.push(free("node1", "numactl -N 1 -m 1", inside));
    }
    if case.pin.is_some() {
        all.push(spread("spread", ""));
    }
    if let Some(nodes) = case.high_bandwidth() {
        all.push(spread("hbm", &format!("numactl -m {nodes}")));
    }
    all
}

/// The script of some rounds: each placement once in each, beginning with another one each time. `lines`: with those that
/// the check has printed, if it has.
pub(super) fn script(case: &Case, rounds: std::ops::Range<usize>, lines: bool) -> String {
    let placements = placements(case);
    let mut script = String::new();
    for round in rounds {
        script += &format!("echo round {round} >&2\n");
        for k in 0..placements.len() {
            // Every other round the other way round, so that no placement always follows the same one.
            let at = if round % 2 == 0 { k + round } else { placements.len() * 2 + round - k };
            let Placement { label, environment, starter, threads } = &placements[at % placements.len()];
            let command = case.with_threads(*threads);
            let variables = format!("OMP_NUM_THREADS={threads} {environment}");
            script += &format!("{variables} {starter} stopwatch {label} {command} > /dev/null\n");
            if lines && *label == AS_IS {
                script += &format!(
                    "for k in 0 1 2 3; do [ -s /root/{LINE}$k ] && stopwatch {LINE}$k sh /root/{LINE}$k > /dev/null; done\n"
                );
            }
        }
    }
    script + "true\n"
}

/// What the script's stopwatches said on standard error.
pub(super) fn parse(stderr: &str) -> Vec<HandRun> {
    let mut round = 0;
    let mut runs = Vec::new();
    for line in stderr.lines() {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["round", number] => round = number.parse().unwrap_or(round),
            ["stopwatch", placement, seconds, status] => {
                if let (Ok(seconds), Ok(status)) = (seconds.parse(), status.parse()) {
                    runs.push(HandRun { round, placement: placement.to_owned(), seconds, status });
                }
            }
            _ => {}
        }
    }
    runs
}

/// The time of a placement in a round, where the program ended well.
fn seconds(runs: &[HandRun], placement: &str, round: usize) -> Option<f64> {
    let run = runs.iter().find(|run| run.round == round && run.placement == placement && run.status == 0)?;
    Some(run.seconds)
}

/// How many times as fast `to` is as `from`: the geometric mean over the rounds that have both, as a check computes it too. None
/// with fewer than two.
pub(super) fn gain(runs: &[HandRun], from: &str, to: &str) -> Option<Gain> {
    let rounds = 0..=runs.iter().map(|run| run.round).max()?;
    let logs: Vec<f64> = rounds
        .filter_map(|round| Some((seconds(runs, from, round)? / seconds(runs, to, round)?).ln()))
        .collect();
    if logs.len() < 2 {
        return None;
    }
    let n = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / n;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = student(logs.len() - 1) * (variance / n).sqrt();
    Some(Gain { ratio: mean.exp(), low: (mean - half).exp(), high: (mean + half).exp() })
}

/// The median time of a placement.
pub(super) fn median(runs: &[HandRun], placement: &str) -> Option<f64> {
    let good = runs.iter().filter(|run| run.placement == placement && run.status == 0);
    let mut values: Vec<f64> = good.map(|run| run.seconds).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The label of a printed line.
pub(super) fn of_line(k: usize) -> String {
    format!("{LINE}{k}")
}

/// The placements that were tried, but for printed lines.
pub(super) fn labels(runs: &[HandRun]) -> Vec<&str> {
    let mut labels: Vec<&str> = runs.iter().map(|run| run.placement.as_str()).collect();
    labels.sort_unstable();
    labels.dedup();
    labels.retain(|label| !label.starts_with(LINE));
    labels
}

/// Student's t for a two-sided 95 % interval.
fn student(freedom: usize) -> f64 {
    const T: [f64; 10] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23];
    T.get(freedom - 1).copied().unwrap_or(2.0)
}

#[cfg(test)]
#[path = "hand_tests.rs"]
mod tests;
