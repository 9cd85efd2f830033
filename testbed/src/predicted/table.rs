//! The table of all programs, in Markdown.

use std::fmt::Write as _;

use super::score::Score;

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;

/// Where runs of one point differ by less, the truth is known better than predictions are promised to be.
const QUIET: f64 = 0.04;

pub(super) fn quantile(of: &[f64], share: f64) -> f64 {
    let mut sorted = of.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len().saturating_sub(1) as f64 * share).round() as usize;
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.1}", 100.0 * share) } else { "-".to_owned() }
}

/// The table, and all points together.
pub(super) fn document(scores: &[Score], host_cpus: usize) -> String {
    let mut text =
        String::from("# Predictions and the truth\n\nMade by `cargo run -p testbed -- predict-truth`.");
    let _ = writeln!(
        text,
        " Every program of `testbed/predicted.toml` runs at all points of a grid of threads, placements and memory in an emulated machine, \
         on a host with {host_cpus} CPUs. The best run of a point is its truth, for what disturbs the host only makes a run slower. Then a prediction gets the runs of those points \
         only that it asks for, and is compared with the truth of the others.\n\n\
         Figures are percent: the error of the predictions (median and 95th percentile over points that were not run), the share of \
         points whose truth lies in its interval, how much worse the recommended point is than the best, and by how much runs of one \
         point differ (standard deviation).\n\n```"
    );
    let mut line = |cells: [String; 8]| {
        let [name, rest @ ..] = cells;
        let _ = write!(text, "{name:<31}");
        for cell in rest {
            let _ = write!(text, "{cell:>9}");
        }
        text.push('\n');
    };
    line(["program", "median", "95th", "inside", "worse", "noise", "repeats", "run"].map(str::to_owned));
    for score in scores {
        line([
            format!("{}/{}", score.machine, score.program),
            percent(quantile(&score.errors, 0.5)),
            percent(quantile(&score.errors, 0.95)),
            percent(score.inside as f64 / score.errors.len() as f64),
            percent(score.regret),
            percent(score.noise),
            score.repeats.to_string(),
            format!("{}/{}", score.run, score.points),
        ]);
    }
    let errors: Vec<f64> = scores.iter().flat_map(|score| score.errors.iter().copied()).collect();
    let inside: usize = scores.iter().map(|score| score.inside).sum();
    let unavailable: usize = scores.iter().map(|score| score.unavailable).sum();
    let regrets: Vec<f64> = scores.iter().map(|score| score.regret).collect();
    let run: usize = scores.iter().map(|score| score.run).sum();
    let points: usize = scores.iter().map(|score| score.points).sum();
    line([
        "all".to_owned(),
        percent(quantile(&errors, 0.5)),
        percent(quantile(&errors, 0.95)),
        percent(inside as f64 / errors.len() as f64),
        percent(quantile(&regrets, 0.5)),
        String::new(),
        String::new(),
        format!("{run}/{points}"),
    ]);
    let quiet = |score: &&Score| score.noise < QUIET;
    let errors: Vec<f64> =
        scores.iter().filter(quiet).flat_map(|score| score.errors.iter().copied()).collect();
    let inside: usize = scores.iter().filter(quiet).map(|score| score.inside).sum();
    line([
        format!("those with noise below {:.0}", 100.0 * QUIET),
        percent(quantile(&errors, 0.5)),
        percent(quantile(&errors, 0.95)),
        percent(inside as f64 / errors.len() as f64),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
    ]);
    line(["promised", "4", "12", "90-97", "1", "", "", ""].map(str::to_owned));
    let _ = writeln!(
        text,
        "```\n\nThe recommended point is worse than the best by {} % at the 95th percentile of programs (promised: 5). {unavailable} points have \
         a reason instead of a figure.",
        percent(quantile(&regrets, 0.95))
    );
    text
}
