//! What a person sees while a check runs: a bar with the time left, on stderr, where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use numawise_facts::{Event, Outcome, Sink, Study};
use numawise_units::Nanoseconds;

use crate::commands::bar::Bar;

/// Shows events.
pub struct Progress {
    bar: Bar,
    quiet: bool,
    failures: u32,
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
        Progress { bar, quiet, failures: 0 }
    }

    /// Says what is to come, once it is known.
    pub fn begin(&self, study: &Study) {
        let header = &study.header;
        let one = study.trials.last().map_or(Nanoseconds(0), |trial| trial.wall);
        let least = Nanoseconds(one.0 * u64::from(header.min_repeats) * header.points.len() as u64);
        self.say(&format!(
            "{} placements, {} repeats of each: about {least}; then until it is decided, about {} in all at most",
            header.points.len(),
            header.min_repeats,
            header.budget
        ));
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
            Event::TrialEnded { point, outcome: Outcome::Failed { exit, .. }, .. } => {
                self.failures += 1;
                if self.failures == 1 {
                    self.say(&format!(
                        "the program failed at {point} ({exit}); it is noted as a failure, not as a time"
                    ));
                }
            }
            Event::Warning(notice) => self.say(&numawise_report::notice::text(&notice)),
            _ => {}
        }
    }
}
