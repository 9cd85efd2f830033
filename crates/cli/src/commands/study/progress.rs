//! What a person sees while a study runs.

use indicatif::{ProgressBar, ProgressStyle};
use numawise_facts::{Event, Outcome, Sink, StudyHeader};
use numawise_session::study::GridExperiment;

use crate::commands::bar::Bar;

/// What a person sees while a study runs.
pub struct Progress {
    bar: Bar,
    says: bool,
    failures: u32,
    done: u64,
}

impl Progress {
    /// Of all points of a study.
    pub fn new(experiment: &GridExperiment, says: bool) -> Progress {
        Progress::of(experiment, says, |header| {
            let points = header.points.len();
            let s = if points == 1 { "" } else { "s" };
            format!("{points} point{s}, {} of each", numawise_report::study::repeats(header))
        })
    }

    /// Says first what is going to be run.
    pub fn of(
        experiment: &GridExperiment,
        says: bool,
        plan: impl FnOnce(&StudyHeader) -> String,
    ) -> Progress {
        let header = &experiment.study().header;
        let points = header.points.len() as u64;
        let all = points * u64::from(header.min_repeats);
        let bar = Bar::on_terminal(|| {
            let bar = ProgressBar::new(all);
            let style = ProgressStyle::with_template("{spinner} [{wide_bar}] {pos}/{len} {msg}");
            bar.set_style(style.expect("the template is fixed").progress_chars("=> "));
            bar
        });
        let done = experiment.study().trials_beyond_warm_up() as u64;
        let progress = Progress { bar, says, failures: 0, done };
        progress.say(&plan(header));
        progress
    }

    /// A line, where somebody reads them.
    pub fn say(&self, text: &str) {
        if self.says || self.bar.shown().is_some() {
            self.bar.say(text);
        }
    }
}

/// How a trial failed; nothing where it did not.
fn failure(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Measured { .. } => None,
        Outcome::Failed { failure, .. } => Some(failure.to_string()),
        Outcome::NoMetric { problem, .. } => Some(numawise_report::notice::metric_problem(None, problem)),
    }
}

impl Sink for Progress {
    fn event(&mut self, event: Event) {
        match event {
            Event::Resumed { trials } => self.say(&format!("going on from {trials} trials kept earlier")),
            Event::TrialBegins { block, point, .. } => {
                if let Some(bar) = self.bar.shown() {
                    bar.set_length(bar.length().unwrap_or_default().max(self.done + 1));
                    bar.set_position(self.done);
                    bar.set_message(if block == 0 { "warm-up".to_owned() } else { point.to_string() });
                }
                self.done += u64::from(block > 0);
            }
            Event::TrialsKept { trials } => {
                if let Some(bar) = self.bar.shown() {
                    bar.set_length(bar.length().unwrap_or_default().max(u64::from(trials)));
                    bar.set_position(u64::from(trials));
                }
            }
            Event::Jobs { waiting, running } => {
                if let Some(bar) = self.bar.shown() {
                    bar.set_message(format!("{running} running, {waiting} queued"));
                }
            }
            Event::TrialEnded { point, outcome, .. } => {
                let Some(how) = failure(&outcome) else { return };
                self.failures += 1;
                if self.failures == 1 {
                    let said = outcome.last_line().map(|line| format!(", saying last: {line}"));
                    self.say(&format!(
                        "the program failed at {point} ({how}){}; it is noted as a failure, not as a time",
                        said.unwrap_or_default()
                    ));
                }
            }
            Event::Warning(notice) => self.say(&numawise_report::notice::text(&notice)),
            _ => {}
        }
    }
}
