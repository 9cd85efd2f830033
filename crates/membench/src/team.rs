//! Threads that load memory together, each pinned to its CPU, and windows of time in which what they do is counted.
//!
//! **All of them run, all the time.** Every thread does its work block by block from the moment it is pinned until the very
//! last window is closed. A window is opened and closed by the first thread through a shared number; every thread notices at
//! its next block's end, and takes its own time, CPU time and count there. So each rate is a whole number of blocks over
//! exactly the time they took, while all others were running: nobody is counted who had not begun or had ended, and nothing
//! waits at a barrier within a window. The rates are added. The error of this is that windows of different threads are shifted
//! against each other by up to a block (100 us beside 10 ms), in which all of them run as in the rest of it.
//!
//! **What is disturbed.** A window in which one of the threads got less CPU time than there was time, by more than half a
//! percent (another program, a hypervisor, a quota), or in which the kernel counted steal time on one of the CPUs, or in
//! which a thread did not come by to notice it.

#[cfg(test)]
#[path = "team_tests.rs"]
mod tests;

use std::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Mutex, OnceLock};

use numawise_linux::calls::affinity;
use numawise_units::CpuId;

use crate::error::CellError;
use crate::repeats::{Repeats, Rule};
use crate::system::{JIFFIES_PER_SECOND, System};
use crate::{clock, speed};

/// The share of a window that a thread may be without its CPU.
const LOST: f64 = 0.005;
/// And the time that it may be without in a very short window: a timer tick.
const LOST_SECONDS: f64 = 10e-6;
/// How long a block takes at least: short beside a window.
const BLOCK_SECONDS: f64 = 100e-6;
/// And long beside taking the time, which is a system call on some machines and slow on emulated ones.
const CLOCKS_IN_BLOCK: f64 = 100.0;
/// After a disturbed window the next is shorter by this: on a busy machine, short ones pass between two turns of others, which
/// take some 3 ms each.
const SHORTER: f64 = 0.8;
const LEAST_WINDOW: f64 = 0.001;
/// Where work is slow, windows are as long as it takes, but so many there are.
const LEAST_WINDOWS: f64 = 9.0;
/// The phase in which threads end.
const DONE: u64 = u64::MAX;

/// How long a block should take.
pub fn block_seconds() -> f64 {
    static SECONDS: OnceLock<f64> = OnceLock::new();
    *SECONDS.get_or_init(|| {
        const READS: u32 = 16;
        let began = clock::now();
        let last = (0..READS).fold(began, |_, _| clock::now());
        BLOCK_SECONDS.max(CLOCKS_IN_BLOCK * (last - began) / f64::from(READS))
    })
}

/// What a thread does again and again.
pub trait Work: Send {
    /// Does a little and says how much.
    fn block(&mut self) -> u64;

    /// What follows is for the window of this number, in every thread: called between the window before and this one.
    fn turn(&mut self, _window: usize) {}

    /// Before the first window: the last block took so long.
    fn tune(&mut self, _seconds: f64) {}

    /// Before each window, for the first thread only: so much will probably be done in it.
    fn between(&mut self, _expected: u64) {}

    /// Why nothing of it may count, if so.
    fn wrong(&self) -> Option<CellError> {
        None
    }
}

pub struct Worker<'a> {
    pub cpu: CpuId,
    pub work: Box<dyn Work + 'a>,
}

/// How long, how often, how much.
#[derive(Debug, Clone, Copy)]
pub struct WindowRule {
    /// A window's length, at least.
    pub window: f64,
    /// All windows together.
    pub allowance: f64,
    /// Work of the first thread before the first window, unless that takes a third of the allowance.
    pub warm: u64,
    /// Work of the first thread in a window, at least, as long as the allowance suffices.
    pub least: u64,
    pub rule: Rule,
}

/// One window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Seconds for each piece of work of the first thread.
    pub seconds_each: f64,
    /// Work per second of all others.
    pub others: f64,
    /// Work per second of all.
    pub all: f64,
    /// Where it was disturbed, the share of its time that the worst thread was without its CPU.
    pub lost: Option<f64>,
}

/// All windows, and what others used of the machine meanwhile, in CPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct TeamResult {
    pub windows: Vec<Window>,
    pub others: Option<f64>,
    /// The speed of the first thread's CPU (see `speed`) after the last window, when it is as warm as it gets.
    pub speed: Option<(CpuId, f64)>,
}

impl TeamResult {
    /// The repetitions of one of a window's figures.
    pub fn repeats(&self, rule: Rule, figure: impl Fn(&Window) -> f64) -> Repeats {
        let mut one = self.repeats_by(1, |_| 0, rule, figure);
        one.remove(0)
    }

    /// The same apart for so many groups; `group` tells that of a window by its number.
    pub fn repeats_by(
        &self,
        groups: usize,
        group: impl Fn(usize) -> usize,
        rule: Rule,
        figure: impl Fn(&Window) -> f64,
    ) -> Vec<Repeats> {
        let mut repeats = vec![Repeats::new(rule); groups];
        for (number, window) in self.windows.iter().enumerate() {
            repeats[group(number)].push(figure(window), window.lost);
        }
        repeats
    }
}

/// What one thread counted in one window.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    amount: u64,
    wall: f64,
    own: f64,
    /// The window was not noticed when it opened.
    missed: bool,
}

/// Where a thread stood when a window opened.
#[derive(Clone, Copy)]
struct Mark {
    wall: f64,
    own: f64,
}

impl Mark {
    fn here() -> Mark {
        Mark { wall: clock::now(), own: clock::thread_seconds() }
    }

    fn share(self, amount: u64) -> Share {
        let end = Mark::here();
        Share { amount, wall: end.wall - self.wall, own: end.own - self.own, missed: false }
    }
}

impl Share {
    /// The time that counts. Where some was lost, that in which the thread ran is nearer to the truth than all of it: such a
    /// window counts only where there are too few others.
    fn seconds(&self) -> f64 {
        match self.lost() {
            Some(_) if !self.missed && self.own > 0.0 => self.own.min(self.wall),
            _ => self.wall,
        }
    }

    fn rate(&self) -> f64 {
        if self.wall > 0.0 { self.amount as f64 / self.seconds() } else { 0.0 }
    }

    /// The share of the time that was lost, where it is too much.
    fn lost(&self) -> Option<f64> {
        let lost = self.wall - self.own;
        let share = if self.missed { 1.0 } else { lost / self.wall };
        (self.missed || lost > (self.wall * LOST).max(LOST_SECONDS)).then_some(share)
    }
}

/// What all threads share.
struct Board<'a> {
    /// Even: between windows; odd: a window is open; [`DONE`].
    phase: AtomicU64,
    ready: AtomicUsize,
    closed: AtomicUsize,
    shares: Vec<Mutex<Share>>,
    trouble: Mutex<Option<CellError>>,
    cpus: Vec<CpuId>,
    stop: &'a AtomicBool,
}

/// Runs all workers and takes windows until the figure that `primary` picks is sure, or time is up.
///
/// # Errors
/// The cell's reason: a CPU went offline, or a stop before the first window's end.
pub fn run(
    workers: Vec<Worker<'_>>,
    window_rule: WindowRule,
    primary: fn(&Window) -> f64,
    system: &System,
    stop: &AtomicBool,
) -> Result<TeamResult, CellError> {
    let count = workers.len();
    let board = Board {
        phase: AtomicU64::new(0),
        ready: AtomicUsize::new(0),
        closed: AtomicUsize::new(0),
        shares: (0..count).map(|_| Mutex::default()).collect(),
        trouble: Mutex::new(None),
        cpus: workers.iter().map(|worker| worker.cpu).collect(),
        stop,
    };
    let (board, before) = (&board, (clock::now(), clock::process_seconds(), system.jiffies(&[])));
    let (windows, speed) = std::thread::scope(|scope| {
        let mut workers = workers.into_iter().enumerate();
        let first = workers.next().map(|(_, worker)| {
            scope.spawn(move || {
                let windows =
                    board.pinned(worker.cpu).then(|| lead(worker.work, board, window_rule, primary, system));
                let speed = windows.is_some().then(|| (worker.cpu, speed::here()));
                board.phase.store(DONE, Release);
                (windows.unwrap_or_default(), speed)
            })
        });
        for (at, worker) in workers {
            scope.spawn(move || {
                if board.pinned(worker.cpu) {
                    follow(worker.work, board, at);
                }
            });
        }
        first.map(|thread| thread.join().unwrap_or_default()).unwrap_or_default()
    });
    if let Some(trouble) = board.trouble.lock().ok().and_then(|mut trouble| trouble.take()) {
        return Err(trouble);
    }
    if windows.is_empty() {
        return Err(CellError::Stopped);
    }
    Ok(TeamResult { windows, others: others(before, system), speed })
}

/// CPUs that others than this process used since then.
fn others(before: (f64, f64, Option<crate::system::Jiffies>), system: &System) -> Option<f64> {
    let (wall, own) = (clock::now() - before.0, clock::process_seconds() - before.1);
    let busy = system.jiffies(&[])?.busy.checked_sub(before.2?.busy)?;
    (wall > 0.0).then(|| ((busy as f64 / JIFFIES_PER_SECOND - own) / wall).max(0.0))
}

impl Board<'_> {
    /// Pins the calling thread and sees that it is where it should be.
    fn pinned(&self, cpu: CpuId) -> bool {
        let result =
            affinity::pin(cpu).map_err(|error| CellError::of_pinning(cpu, &error)).and_then(|()| here(cpu));
        let pinned = result.is_ok();
        if let Err(trouble) = result {
            self.fail(trouble);
        }
        self.ready.fetch_add(1, Release);
        pinned
    }

    fn fail(&self, trouble: CellError) {
        if let Ok(mut first) = self.trouble.lock() {
            first.get_or_insert(trouble);
        }
        self.phase.store(DONE, Release);
    }

    fn done(&self) -> bool {
        self.phase.load(Acquire) == DONE
    }

    fn put(&self, at: usize, share: Share) {
        if let Ok(mut mine) = self.shares[at].lock() {
            *mine = share;
        }
        self.closed.fetch_add(1, Release);
    }

    /// The window that all have closed.
    fn window(&self) -> Window {
        let shares: Vec<Share> =
            self.shares.iter().filter_map(|share| share.lock().ok().map(|share| *share)).collect();
        let first = shares.first().copied().unwrap_or_default();
        let all: f64 = shares.iter().map(Share::rate).sum();
        Window {
            seconds_each: first.seconds() / first.amount as f64,
            others: all - first.rate(),
            all,
            lost: shares.iter().filter_map(Share::lost).max_by(f64::total_cmp),
        }
    }
}

/// A pinned thread elsewhere means that its CPU is gone: the kernel then breaks the mask.
fn here(cpu: CpuId) -> Result<(), CellError> {
    match affinity::current_cpu() {
        Ok(found) if found != cpu => Err(CellError::ThreadMoved { cpu, found }),
        _ => Ok(()),
    }
}

/// Every thread but the first.
fn follow(mut work: Box<dyn Work + '_>, board: &Board<'_>, at: usize) {
    let (mut seen, mut amount, mut mark) = (0, 0, Mark::here());
    loop {
        let phase = board.phase.load(Acquire);
        if phase == DONE {
            break;
        }
        if phase != seen {
            if phase % 2 == 1 {
                (mark, amount) = (Mark::here(), 0);
            } else {
                let mut share = mark.share(amount);
                // The window before was never seen open.
                share.missed = seen + 1 != phase;
                board.put(at, share);
                if let Err(trouble) = here(board.cpus[at]) {
                    board.fail(trouble);
                }
                work.turn((phase / 2) as usize);
            }
            seen = phase;
        }
        if phase == 0 {
            let began = clock::now();
            amount += work.block();
            work.tune(clock::now() - began);
        } else {
            amount += work.block();
        }
    }
    if let Some(wrong) = work.wrong() {
        board.fail(wrong);
    }
}

/// The first thread: warms up, opens and closes windows, decides when it is enough.
fn lead(
    mut work: Box<dyn Work + '_>,
    board: &Board<'_>,
    window_rule: WindowRule,
    primary: fn(&Window) -> f64,
    system: &System,
) -> Vec<Window> {
    while board.ready.load(Acquire) < board.cpus.len() && !board.done() {
        std::thread::yield_now();
    }
    let rate = warm(work.as_mut(), board, window_rule);
    let longest = (window_rule.allowance / LEAST_WINDOWS).max(window_rule.window);
    let mut length = (window_rule.least as f64 / rate).clamp(window_rule.window, longest);
    let shortest = (window_rule.least as f64 / 4.0 / rate).max(LEAST_WINDOW).min(length);
    let stolen = || system.jiffies(&board.cpus).map_or(0, |jiffies| jiffies.steal);
    // Where no time was ever stolen there is no hypervisor that tells: then the file, long on large machines, is left alone.
    let steals = stolen() > 0;
    let (began, mut repeats, mut windows) = (clock::now(), Repeats::new(window_rule.rule), Vec::new());
    for number in 0.. {
        work.between((rate * length * 1.5) as u64);
        let steal = if steals { stolen() } else { 0 };
        board.closed.store(0, Relaxed);
        if !set(board, 2 * number + 1) {
            break;
        }
        let (mark, mut amount) = (Mark::here(), 0);
        while clock::now() - mark.wall < length {
            amount += work.block();
        }
        set(board, 2 * number + 2);
        board.put(0, mark.share(amount));
        work.turn(number as usize + 1);
        while board.closed.load(Acquire) < board.cpus.len() && !board.done() {
            work.block();
        }
        if let Err(trouble) = here(board.cpus[0]) {
            board.fail(trouble);
        }
        if board.done() {
            break;
        }
        let mut window = board.window();
        if steals && stolen() > steal {
            // What was stolen is counted in hundredths of a second, too coarse for a share.
            window.lost = Some(window.lost.unwrap_or_default().max(LOST));
        }
        repeats.push(primary(&window), window.lost);
        if window.lost.is_some() {
            length = (length * SHORTER).max(shortest);
        }
        windows.push(window);
        let late = clock::now() - began + length > window_rule.allowance && windows.len() >= 3;
        if repeats.enough() || late || board.stop.load(Relaxed) {
            break;
        }
    }
    if let Some(wrong) = work.wrong() {
        board.fail(wrong);
    }
    windows
}

/// Moves on to a phase, unless somebody gave up meanwhile.
fn set(board: &Board<'_>, phase: u64) -> bool {
    board.phase.compare_exchange(phase - 1, phase, Release, Relaxed).is_ok()
}

/// Works until caches hold what they will hold and blocks have their size; gives work per second.
fn warm(work: &mut dyn Work, board: &Board<'_>, window_rule: WindowRule) -> f64 {
    let began = clock::now();
    let (mut amount, mut blocks) = (0, 0);
    loop {
        let block = clock::now();
        amount += work.block();
        let now = clock::now();
        work.tune(now - block);
        blocks += 1;
        let enough = amount >= window_rule.warm && now - began > window_rule.window;
        if blocks >= 3 && (enough || now - began > window_rule.allowance / 3.0) || board.done() {
            break;
        }
    }
    // The rate of full blocks: those at the beginning were too small.
    let (began, mut amount) = (clock::now(), 0);
    for _ in 0..3 {
        amount += work.block();
    }
    amount as f64 / (clock::now() - began).max(1e-9)
}
