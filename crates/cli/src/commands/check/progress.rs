//! What a person sees while a check runs: a bar with the time left, on stderr, where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use numawise_facts::notice::StudyNotice;
use numawise_facts::{Event, Notice, Outcome, Sink, Study};
use numawise_units::Nanoseconds;

use crate::commands::bar::Bar;

/// Shows events.
pub struct Progress {
    bar: Bar,
    quiet: bool,
    failures: u32,
    /// The least number of repeats takes longer than the time given: whether they are run all the same.
    longer: Option<bool>,
}

impl Progress {
    /// A terminal gets a bar; a pipe or a file gets two or three lines, or none when the result is JSON.
    pub fn new(json: bool) -> Self {
        let bar = Bar::on_terminal(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is fixed");
            bar.set_style(style);
            bar.set_message("the first run, as the operating system does it");
            bar
        });
        let quiet = json && bar.shown().is_none();
        Progress { bar, quiet, failures: 0, longer: None }
    }

    /// Says what is to come, once it is known.
    pub fn begin(&self, study: &Study) {
        let header = &study.header;
        let one = study.trials.last().map_or(Nanoseconds(0), |trial| trial.wall);
        self.say(&to_come(header.points.len() as u64, header.min_repeats, one, header.budget, self.longer));
        if let Some(bar) = self.bar.shown() {
            let template = "{spinner} [{wide_bar}] {msg}";
            bar.set_style(
                ProgressStyle::with_template(template).expect("the template is fixed").progress_chars("=> "),
            );
            bar.set_length(header.budget.0 / 1_000_000);
        }
    }

    /// Says it whatever is printed in the end.
    pub fn warn(&self, text: &str) {
        self.bar.say(&format!("warning: {text}"));
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            self.bar.say(text);
        }
    }
}

impl Sink for Progress {
    fn event(&mut self, event: Event) {
        match event {
            Event::Resumed { trials } => self.say(&format!("going on from {trials} trials kept earlier")),
            Event::TrialBegins { block, point, left, .. } => {
                if let Some(bar) = self.bar.shown().filter(|_| block > 0) {
                    bar.set_message(format!("repeat {block}, {point}; at most {left} left"));
                    bar.set_position(bar.length().unwrap_or(0).saturating_sub(left.0 / 1_000_000));
                }
            }
            Event::TrialEnded { point, outcome: Outcome::Failed { failure, .. }, .. } => {
                self.failures += 1;
                if self.failures == 1 {
                    self.say(&format!(
                        "the program failed at {point} ({failure}); it is noted as a failure, not as a time"
                    ));
                }
            }
            Event::Warning(notice) => {
                if let Notice::Study(StudyNotice::RepeatsTakeLonger { kept, .. }) = &notice {
                    self.longer = Some(*kept);
                }
                let text = numawise_report::notice::text(&notice);
                match &notice {
                    // It was asked for, and who reads JSON finds nothing there.
                    Notice::Objects(_) => self.warn(&text),
                    _ => self.say(&text),
                }
            }
            _ => {}
        }
    }
}

/// What is to come, in a line that does not contradict what was said of the time given.
fn to_come(
    placements: u64,
    repeats: u32,
    one: Nanoseconds,
    budget: Nanoseconds,
    longer: Option<bool>,
) -> String {
    let s = if placements == 1 { "" } else { "s" };
    let each = Nanoseconds(one.0.saturating_mul(u64::from(repeats) * placements));
    match longer {
        None => format!(
            "{placements} placement{s}, {repeats} repeats of each: about {each}; then until it is decided, about {budget} in all at most"
        ),
        Some(true) => {
            format!("{placements} placement{s}, {repeats} repeats of each, whatever time they take")
        }
        Some(false) => format!("{placements} placement{s}, each as often as {budget} in all allow"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_come_does_not_contradict_what_was_said_of_the_time() {
        let (one, budget) = (Nanoseconds(2_000_000_000), Nanoseconds(8_000_000_000));
        let said = |longer| to_come(2, 5, one, budget, longer);
        assert!(said(None).contains("about 20.00 s; then until it is decided, about 8.000 s in all at most"));
        assert_eq!(said(Some(true)), "2 placements, 5 repeats of each, whatever time they take");
        assert_eq!(said(Some(false)), "2 placements, each as often as 8.000 s in all allow");
        assert!(to_come(1, 5, one, budget, None).starts_with("1 placement, 5 repeats"));
    }
}
