//! What a person sees while a machine is measured: a bar with the step and the time left, on stderr, where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use numawise_facts::{Event, Sink};
use numawise_report::notice;
use numawise_units::Nanoseconds;

use crate::commands::bar::Bar;

/// Shows events.
pub struct Progress {
    bar: Bar,
    /// Whether nothing is to be said but warnings: a script reads the result, and nobody the steps.
    quiet: bool,
    begun: bool,
}

impl Progress {
    /// A terminal gets a bar; a pipe or a file gets one line, or none when the result is JSON.
    pub fn new(json: bool) -> Self {
        let bar = Bar::on_terminal(|| {
            let bar = ProgressBar::new(1);
            let style = ProgressStyle::with_template("{spinner} [{bar:30}] {pos}/{len} {wide_msg}");
            bar.set_style(style.expect("the template is fixed").progress_chars("=> "));
            bar.set_message("getting ready");
            bar
        });
        let quiet = json && bar.shown().is_none();
        Progress { bar, quiet, begun: false }
    }

    fn step(&mut self, done: u32, of: u32, what: &str, left: Nanoseconds) {
        let steps = if of == 1 { "measurement" } else { "measurements" };
        if !self.begun && !self.quiet {
            self.bar
                .say(&format!("{of} {steps}, about {}; Ctrl-C ends it and keeps what is done", whole(left)));
        }
        self.begun = true;
        if let Some(bar) = self.bar.shown() {
            bar.set_length(u64::from(of));
            bar.set_position(u64::from(done));
            bar.set_message(format!("about {} left: {what}", whole(left)));
        }
    }
}

/// Whole seconds, since more would be a promise.
fn whole(left: Nanoseconds) -> String {
    match left.0.div_ceil(1_000_000_000) {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

impl Sink for Progress {
    fn event(&mut self, event: Event) {
        match event {
            Event::Step { done, of, what, left } => self.step(done, of, &notice::membench::step(&what), left),
            Event::Warning(warning) => self.bar.say(&notice::text(&warning)),
            _ => {}
        }
    }
}
