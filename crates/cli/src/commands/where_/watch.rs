//! `--watch`: looks in a thread of their own, so that keys are answered at once however long a look takes.

use std::io::{PipeReader, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use numawise_report::live::{Action, View};
use numawise_units::Nanoseconds;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGWINCH};

use super::clock::boot_time;
use super::input::Input;
use super::looker::{Look, Looker};
use super::pace::Schedule;
use super::terminal::{self, Screen};
use crate::commands::{Failure, SUCCESS, Status};

/// Keys, looks and signals end the waiting at once, but for a signal that comes just before it.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// The second look is this soon after the first, so that what happens now is seen at once.
const SECOND_LOOK: Nanoseconds = Nanoseconds(300_000_000);

const TENTH: u64 = 100_000_000;

/// What the view is opened with.
pub struct Watch {
    pub title: String,
    pub interval: Nanoseconds,
    /// The interval was typed: it is kept to, whatever it costs.
    pub fixed: bool,
}

/// Shows looks until the user has seen enough.
pub fn run(looker: Looker, watch: Watch) -> Result<Status, Failure> {
    terminal::check()?;
    let mut looker = looker;
    let first = looker.light()?;
    super::something_seen(&first.residency)?;
    let ended_by = end_signals()?;
    let mut view = View::new(watch.title.clone(), watch.interval);
    let mut looks = Looks::start(looker, first, &mut view)?;
    let mut screen = Screen::open()?;
    let result = show(&mut screen, &mut view, &mut looks, &watch, &ended_by);
    drop(screen);
    looks.finish()?;
    result
}

fn show(
    screen: &mut Screen,
    view: &mut View,
    looks: &mut Looks,
    watch: &Watch,
    ended_by: &AtomicUsize,
) -> Result<Status, Failure> {
    let palette = terminal::palette();
    let gone = |error: std::io::Error| Failure::new(format!("the terminal is gone: {error}"));
    let mut schedule = Schedule::new(boot_time(), watch.interval.min(SECOND_LOOK));
    screen.draw(view, palette).map_err(gone)?;
    loop {
        match ended_by.load(Ordering::Relaxed) {
            0 => {}
            signal => return Ok(128 + signal as Status),
        }
        let mut draw = looks.arrived(view)?;
        let now = boot_time();
        if !looks.under_way && !view.paused() && schedule.left(now).0 == 0 {
            looks.begin();
            schedule.begin(now);
            schedule.change(now, pace(view, watch, looks.least));
        }
        let wait = if looks.under_way || view.paused() {
            LONGEST_WAIT
        } else {
            Duration::from(schedule.left(now)).min(LONGEST_WAIT)
        };
        // A millisecond more than what is left, which is cut to whole ones.
        let mut within = if draw { Duration::ZERO } else { wait + Duration::from_millis(1) };
        while let Some(input) = screen.input(within, &mut looks.done).map_err(gone)? {
            within = Duration::ZERO;
            draw = true;
            match input {
                Input::Redraw => screen.forget().map_err(gone)?,
                Input::Suspend => screen.suspend().map_err(gone)?,
                Input::Key(key) => {
                    let interval = view.interval();
                    match view.key(key) {
                        Action::Quit => return Ok(SUCCESS),
                        Action::Look => schedule = Schedule::new(boot_time(), Nanoseconds(0)),
                        Action::Nothing | Action::Draw => {}
                    }
                    if view.interval() != interval {
                        schedule.change(boot_time(), pace(view, watch, looks.least));
                    }
                }
            }
        }
        if draw {
            screen.draw(view, palette).map_err(gone)?;
        }
    }
}

/// The time between looks: what was asked for, or more where nobody asked and looking costs much.
fn pace(view: &mut View, watch: &Watch, least: Nanoseconds) -> Nanoseconds {
    let chosen = watch.fixed || view.interval() != watch.interval;
    // In tenths of a second, so that it does not change with every look.
    let least = Nanoseconds(least.0.div_ceil(TENTH) * TENTH);
    let pace = if chosen { view.interval() } else { view.interval().max(least) };
    view.set_pace(pace);
    pace
}

/// The signals that end us: the number of the one that came, or 0.
fn end_signals() -> Result<Arc<AtomicUsize>, Failure> {
    let flag = Arc::new(AtomicUsize::new(0));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_usize(signal, Arc::clone(&flag), signal as usize)?;
    }
    // That the terminal has another size is asked of the terminal; the signal ends the waiting.
    signal_hook::flag::register(SIGWINCH, Arc::default())?;
    Ok(flag)
}

/// The thread that looks.
struct Looks {
    ask: Option<Sender<()>>,
    answers: Receiver<Result<Look, Failure>>,
    /// Gets a byte when there is an answer.
    done: PipeReader,
    thread: Option<JoinHandle<()>>,
    under_way: bool,
    least: Nanoseconds,
}

impl Looks {
    fn start(mut looker: Looker, first: Look, view: &mut View) -> Result<Self, Failure> {
        let least = first.least;
        view.take(first.residency, first.memory_age);
        let (ask, asked) = channel();
        let (answer, answers) = channel();
        let (done, mut tell) = std::io::pipe()?;
        let thread = std::thread::spawn(move || {
            while asked.recv().is_ok() {
                if answer.send(looker.light()).is_err() || tell.write_all(b"!").is_err() {
                    return;
                }
            }
        });
        Ok(Looks { ask: Some(ask), answers, done, thread: Some(thread), under_way: false, least })
    }

    fn begin(&mut self) {
        self.under_way = self.ask.as_ref().is_some_and(|ask| ask.send(()).is_ok());
    }

    /// Gives the view the looks that are done. True when there was one.
    fn arrived(&mut self, view: &mut View) -> Result<bool, Failure> {
        let Ok(look) = self.answers.try_recv() else { return Ok(false) };
        let look = look?;
        self.under_way = false;
        self.least = look.least;
        view.take(look.residency, look.memory_age);
        Ok(true)
    }

    /// Waits for the look that is under way, so that a record is whole; but not for ever.
    fn finish(&mut self) -> Result<(), Failure> {
        self.ask = None;
        if self.under_way && self.answers.recv_timeout(Duration::from_secs(2)).is_err() {
            return Ok(());
        }
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(_)) => Err(Failure::new("looking ended by a fault of numawise itself")),
            _ => Ok(()),
        }
    }
}
