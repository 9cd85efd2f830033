//! The progress bar of whatever takes longer: on stderr, where that is a terminal, gone when it is done.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::ProgressBar;

use crate::streams;

/// A bar, or none where nobody would see it.
pub struct Bar(Option<ProgressBar>);

impl Bar {
    /// `make` is called on a terminal only.
    pub fn on_terminal(make: impl FnOnce() -> ProgressBar) -> Self {
        Bar(std::io::stderr().is_terminal().then(|| {
            let bar = make();
            // Each tick takes a CPU from the program that is timed.
            bar.enable_steady_tick(Duration::from_secs(1));
            bar
        }))
    }

    pub fn shown(&self) -> Option<&ProgressBar> {
        self.0.as_ref()
    }

    /// A line on stderr that the bar does not run over.
    pub fn say(&self, text: &str) {
        match &self.0 {
            Some(bar) => bar.suspend(|| streams::say(text)),
            None => streams::say(text),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
