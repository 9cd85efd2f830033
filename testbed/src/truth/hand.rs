//! The truth: the program placed by hand, with numactl and with workers that pin themselves, and what that takes.

use serde::{Deserialize, Serialize};

use super::cases::Case;

/// CPUs of a node of the machines that the cases run on.
const CPUS_OF_NODE: u32 = 2;
/// What the program is without any placement.
pub(super) const AS_IS: &str = "as-is";
/// Lines that the check with a seed printed to be used, as printed: `line1-0` and so on, that of numawise first.
const LINE: &str = "line";
/// As many as a check prints at most.
pub(super) const LINES: usize = 4;

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

/// What runs in each round, as commands of a shell. `lines`: with those that the checks have printed, if they have.
fn commands(case: &Case, lines: bool) -> Vec<String> {
    let stopwatch = if case.wall { "stopwatch --wall" } else { "stopwatch" };
    let mut commands = Vec::new();
    for Placement { label, environment, starter, threads } in placements(case) {
        let command = case.with_threads(threads);
        let times = if label == AS_IS { case.as_is } else { 1 };
        let variables = format!("OMP_NUM_THREADS={threads} {environment}");
        let run = format!("{variables} {starter} {stopwatch} {label} {command} > /dev/null");
        commands.extend(std::iter::repeat_n(run, times));
    }
    for seed in case.seeds.iter().filter(|_| lines) {
        commands.extend((0..LINES).map(|k| {
            let label = of_line(*seed, k);
            format!("[ ! -s /root/{label} ] || {stopwatch} {label} sh /root/{label} > /dev/null")
        }));
    }
    commands
}

/// How many runs by hand a case has without those of lines.
pub(super) fn runs_of(case: &Case) -> usize {
    case.rounds * commands(case, false).len()
}

/// The order of a round: each once. Every other round is the one before it the other way round, so that over such a pair all have the
/// same place in the middle, whatever drifts; and each next pair begins elsewhere, in an order in which others follow one another.
fn order(count: usize, round: usize) -> Vec<usize> {
    // 0, 1, -1, 2, -2 and so on: neighbours differ by 1, 2, 3 ..., so that turning it makes new neighbours each time.
    let zigzag = |k: usize| if k % 2 == 1 { k.div_ceil(2) } else { count - k / 2 };
    let mut order: Vec<usize> = (0..count).map(|k| (zigzag(k) + round / 2) % count).collect();
    if round % 2 == 1 {
        order.reverse();
    }
    order
}

/// The script of some rounds.
pub(super) fn script(case: &Case, rounds: std::ops::Range<usize>, lines: bool) -> String {
    let commands = commands(case, lines);
    let mut script = String::new();
    for round in rounds {
        script += &format!("echo round {round} >&2\n");
        for k in order(commands.len(), round) {
            script += &format!("{}\n", commands[k]);
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

/// The time of a placement in a round, where the program ended well: the geometric mean where it ran more than once.
fn seconds(runs: &[HandRun], placement: &str, round: usize) -> Option<f64> {
    let good = runs.iter().filter(|run| run.round == round && run.placement == placement && run.status == 0);
    let logs: Vec<f64> = good.map(|run| run.seconds.ln()).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
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

/// The label of a line that the check with this seed printed.
pub(super) fn of_line(seed: u64, k: usize) -> String {
    format!("{LINE}{seed}-{k}")
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
    const T: [f64; 15] =
        [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13];
    // From 16 on it is between the last one and 1.96.
    T.get(freedom - 1).copied().unwrap_or(2.12)
}

#[cfg(test)]
#[path = "hand_tests.rs"]
mod tests;
