//! Samples, taken in a thread of their own, so that keys are answered at once however long a sample takes.

use std::io::{PipeReader, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use numawise_tables::Residency;
use numawise_units::Nanoseconds;

use crate::TuiError;

/// Source of samples. The view knows nothing of how one is taken.
pub trait Samples: Send + 'static {
    type Error: Send + 'static;

    /// Takes a sample now.
    fn next(&mut self) -> Result<Sample, Self::Error>;
}

/// Residency of what is watched at one moment, with what the view needs to know of its making.
#[derive(Debug, Clone)]
pub struct Sample {
    pub residency: Residency,
    /// How much older than the rest its memory is.
    pub memory_age: Nanoseconds,
    /// The least sampling interval that costs no more than sampling may.
    pub least_interval: Nanoseconds,
}

/// The thread that asks for samples. One is under way at a time.
pub struct BackgroundSampler<E> {
    ask: Option<Sender<()>>,
    answers: Receiver<Result<Sample, E>>,
    /// Gets a byte when there is an answer.
    pub done: PipeReader,
    thread: Option<JoinHandle<()>>,
    pub under_way: bool,
}

impl<E: Send + 'static> BackgroundSampler<E> {
    pub fn start(mut samples: impl Samples<Error = E>) -> Result<Self, TuiError> {
        let (ask, asked) = channel();
        let (answer, answers) = channel();
        let (done, mut wake) = std::io::pipe().map_err(TuiError::Channel)?;
        let thread = std::thread::spawn(move || {
            while asked.recv().is_ok() {
                if answer.send(samples.next()).is_err() || wake.write_all(b"!").is_err() {
                    return;
                }
            }
        });
        Ok(BackgroundSampler { ask: Some(ask), answers, done, thread: Some(thread), under_way: false })
    }

    pub fn begin(&mut self) {
        self.under_way = self.ask.as_ref().is_some_and(|ask| ask.send(()).is_ok());
    }

    /// The sample that was under way, once it is done.
    pub fn arrived(&mut self) -> Option<Result<Sample, E>> {
        let sample = self.answers.try_recv().ok()?;
        self.under_way = false;
        Some(sample)
    }

    /// Waits for the sample that is under way, so that a record is whole; but not for ever.
    pub fn finish(&mut self) -> Result<(), TuiError> {
        self.ask = None;
        if self.under_way && self.answers.recv_timeout(Duration::from_secs(2)).is_err() {
            return Ok(());
        }
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(_)) => Err(TuiError::SamplerPanicked),
            _ => Ok(()),
        }
    }
}
