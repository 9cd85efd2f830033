//! The full-screen view of running processes, as `numawise where --watch` shows it.
//!
//! [`watch`] takes the terminal, shows samples that a thread of its own asks of the caller's [`Samples`], answers keys, and
//! gives the terminal back. This crate does not know how a sample is taken, opens nothing in `/proc` or `/sys`, and writes to
//! nothing but the terminal. The view itself ([`View`]) is pure: it reads no clock and no terminal.

mod backend;
mod columns;
mod draw;
#[cfg(test)]
mod fixture;
mod help;
mod history;
mod input;
mod keys;
mod mappings;
mod sampling;
mod screen;
mod state;
mod style;
mod table;
mod tasks;
mod text;
mod threads;
mod top;
mod watch;
mod watched;

pub use sampling::{Sample, Samples};
pub use screen::check_terminal;
pub use watch::{WatchEnd, WatchRequest, watch};

/// Failures of the full-screen view.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    #[error("the full-screen view needs a terminal, and the standard output is none")]
    NoTerminal,
    #[error(
        "the full-screen view needs a terminal that can move its cursor, and TERM is {}",
        name.as_deref().map_or("not set".to_owned(), |name| format!("'{name}'"))
    )]
    DumbTerminal { name: Option<String> },
    #[error("the terminal cannot be used for the full-screen view: {0}")]
    CannotOpen(std::io::Error),
    #[error("the terminal is gone: {0}")]
    Gone(std::io::Error),
    #[error("signals cannot be caught: {0}")]
    Signals(std::io::Error),
    #[error("no channel for samples can be opened: {0}")]
    Channel(std::io::Error),
    #[error("the sampler ended by a fault of numawise itself")]
    SamplerPanicked,
}
