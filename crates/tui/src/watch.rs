//! The loop of the full-screen view: keys, samples and signals.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use numawise_linux::calls::signal::is_ignored;
use numawise_units::{Nanoseconds, Schedule};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGWINCH};

use crate::TuiError;
use crate::input::Input;
use crate::keys::Action;
use crate::sampling::{BackgroundSampler, Sample, Samples};
use crate::screen::{self, Screen};
use crate::state::View;

/// Keys, samples and signals end the waiting at once, but for a signal that comes just before it.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// The second sample is this soon after the first, so that what happens now is seen at once.
const SECOND_SAMPLE: Nanoseconds = Nanoseconds(300_000_000);

const TENTH: u64 = 100_000_000;

/// What the view is opened with.
#[derive(Debug, Clone)]
pub struct WatchRequest {
    /// What was asked for, in one line.
    pub title: String,
    pub interval: Nanoseconds,
    /// The interval is kept to, whatever it costs.
    pub fixed: bool,
}

/// How the view ended.
#[derive(Debug)]
pub enum WatchEnd<E> {
    /// By a key.
    Quit,
    /// By the signal of this number.
    Signal(i32),
    /// No further sample could be taken.
    SamplingFailed(E),
}

/// Shows samples until the user quits.
///
/// # Errors
/// What keeps the terminal from being used. It is given back in any case.
pub fn watch<S: Samples>(
    request: &WatchRequest,
    first: Sample,
    samples: S,
) -> Result<WatchEnd<S::Error>, TuiError> {
    screen::check_terminal()?;
    let ended_by = end_signals().map_err(TuiError::Signals)?;
    let mut view = View::new(request.title.clone(), request.interval);
    let least_interval = first.least_interval;
    view.take(first.residency, first.memory_age);
    let mut sampler = BackgroundSampler::start(samples)?;
    let mut screen = Screen::open().map_err(TuiError::CannotOpen)?;
    let mut watching =
        Watching { view: &mut view, sampler: &mut sampler, request, least_interval, began: Instant::now() };
    let end = watching.show(&mut screen, &ended_by);
    drop(screen);
    sampler.finish()?;
    end
}

/// What the loop works with.
struct Watching<'a, E> {
    view: &'a mut View,
    sampler: &'a mut BackgroundSampler<E>,
    request: &'a WatchRequest,
    least_interval: Nanoseconds,
    began: Instant,
}

impl<E: Send + 'static> Watching<'_, E> {
    fn show(&mut self, screen: &mut Screen, ended_by: &AtomicUsize) -> Result<WatchEnd<E>, TuiError> {
        let palette = screen::palette();
        let mut schedule = Schedule::new(self.now(), self.request.interval.min(SECOND_SAMPLE));
        screen.draw(self.view, palette).map_err(TuiError::Gone)?;
        loop {
            match ended_by.load(Ordering::Relaxed) {
                0 => {}
                signal => return Ok(WatchEnd::Signal(signal as i32)),
            }
            let arrived = self.sampler.arrived();
            let mut draw = arrived.is_some();
            match arrived {
                Some(Ok(sample)) => {
                    self.least_interval = sample.least_interval;
                    self.view.take(sample.residency, sample.memory_age);
                }
                Some(Err(error)) => return Ok(WatchEnd::SamplingFailed(error)),
                None => {}
            }
            let mut within = self.sample_when_due(&mut schedule);
            if draw {
                within = Duration::ZERO;
            }
            while let Some(input) = screen.input(within, &mut self.sampler.done).map_err(TuiError::Gone)? {
                within = Duration::ZERO;
                draw = true;
                match input {
                    Input::Redraw => screen.forget().map_err(TuiError::Gone)?,
                    Input::Suspend => screen.suspend().map_err(TuiError::Gone)?,
                    Input::Key(key) => {
                        let interval = self.view.interval();
                        match self.view.key(key) {
                            Action::Quit => return Ok(WatchEnd::Quit),
                            Action::Sample => schedule = Schedule::new(self.now(), Nanoseconds(0)),
                            Action::Nothing | Action::Draw => {}
                        }
                        if self.view.interval() != interval {
                            schedule.change(self.now(), self.actual_interval());
                        }
                    }
                }
            }
            if draw {
                screen.draw(self.view, palette).map_err(TuiError::Gone)?;
            }
        }
    }

    /// Begins a sample when one is due, and says how long to wait for something to happen.
    fn sample_when_due(&mut self, schedule: &mut Schedule) -> Duration {
        let now = self.now();
        if !self.sampler.under_way && !self.view.paused() && schedule.left(now).0 == 0 {
            self.sampler.begin();
            schedule.begin(now);
            schedule.change(now, self.actual_interval());
        }
        let wait = if self.sampler.under_way || self.view.paused() {
            LONGEST_WAIT
        } else {
            Duration::from(schedule.left(now)).min(LONGEST_WAIT)
        };
        // A millisecond more than what is left, which is cut to whole ones.
        wait + Duration::from_millis(1)
    }

    /// The sampling interval: what was asked for, or more where nobody asked and sampling costs much.
    fn actual_interval(&mut self) -> Nanoseconds {
        let chosen = self.request.fixed || self.view.interval() != self.request.interval;
        // In tenths of a second, so that it does not change with every sample.
        let least = Nanoseconds(self.least_interval.0.div_ceil(TENTH) * TENTH);
        let actual = if chosen { self.view.interval() } else { self.view.interval().max(least) };
        self.view.set_actual_interval(actual);
        actual
    }

    fn now(&self) -> Nanoseconds {
        self.began.elapsed().into()
    }
}

/// The signals that end the view: the number of the one that came, or 0. Those that are ignored stay so.
fn end_signals() -> std::io::Result<Arc<AtomicUsize>> {
    let flag = Arc::new(AtomicUsize::new(0));
    for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal)) {
        signal_hook::flag::register_usize(signal, Arc::clone(&flag), signal as usize)?;
    }
    // That the terminal has another size is asked of the terminal; the signal ends the waiting.
    signal_hook::flag::register(SIGWINCH, Arc::default())?;
    Ok(flag)
}
