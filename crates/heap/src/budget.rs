//! How many of the large allocations are written down: all, as long as that costs a thread a small part of its time; of places that allocate
//! more often than that, one in 2, 4, 8 and so on, which stands for the others.
//!
//! A place is known by where the call returns to and by the power of two below the bytes, so that what allocates seldom is written down
//! whole beside what allocates all the time. Each allocation of a place is drawn with the same chance, 1 / 2^k, by which k is known before: sums
//! of what was drawn times 2^k are those of all, whatever k was when. Time comes from the caller: nothing here reads a clock.

use core::cell::Cell;
use core::sync::atomic::{AtomicI64, Ordering::Relaxed};

#[cfg(test)]
#[path = "budget_tests.rs"]
mod tests;

/// From here on an allocation has a place of its own, whoever asks for it: glibc maps it (`DEFAULT_MMAP_THRESHOLD_MAX`), which takes microseconds.
pub const HUGE: usize = 32 << 20;
/// Of the calls.
const CALLS: usize = 1 << 5;
pub const SITE_SHIFT: u32 = 32 - CALLS.ilog2();
/// 2^32 by the golden ratio, whose products have all bits mixed in the upper ones.
pub const MIX: i32 = 0x9e37_79b1_u32.cast_signed();
const HUGE_SITE: usize = CALLS;
/// Small allocations that are drawn, which have no countdown here.
pub const SMALL_SITE: usize = CALLS + 1;
pub const SITES: usize = CALLS + 2;

/// Of a thread's CPU time one part in so many may go into what is written down. Elapsed time would be too much where threads share a CPU.
const PART: u64 = 50;
/// What a thread that wrote nothing for a while may spend at once, in nanoseconds.
const ROOM: i64 = 1_000_000;
/// What each thread begins with, as many live shortly.
const FIRST: i64 = 50_000;
/// What the threads of a process may spend together beyond their own, so that what a program allocates at its begin is known whole.
static RESERVE: AtomicI64 = AtomicI64::new(RESERVED);
const RESERVED: i64 = 2_000_000;
/// Places note the time in 2^this nanoseconds.
const UNIT: u32 = 10;
/// In a window of 2^this nanoseconds a place may have [`SELDOM`] written down, whatever the others do.
const WINDOW: u32 = 23;
const SELDOM: u8 = 8;
/// The exponent of the fewest: one in 65,536.
const FEWEST: u8 = 16;
/// The same of small allocations: their mean interval is 16 MiB then.
const FEWEST_SMALL: u8 = 5;
/// Allocations that go by before the clock is looked at: 60 ns for each of these.
const UNSEEN: u32 = 64;
/// What an allocation that goes by costs, with its free, in tenths of a nanosecond.
const PASSED_TENTHS: u32 = 20;
/// What was spent is told by so many nanoseconds.
const TOLD: u32 = 50_000;
/// One event in so many is timed.
const TIMED: u32 = 8;
/// Longer an event does not take: the thread was interrupted.
const LONGEST: u32 = 5_000;
/// What an event takes besides what is timed: the way in and out, and caches. Measured by `scripts/bench-heap`.
const BESIDES: u32 = 60;
/// Of an event, before one was timed.
const FIRST_TIMES: [u32; 2] = [250, 150];

/// What an event is, for what it costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    Begun = 0,
    Gone = 1,
}

/// Of a place; zeros: all are written down.
#[repr(C)]
#[derive(Default)]
struct Site {
    /// Beyond the countdown, until the one that is drawn.
    rest: Cell<u32>,
    /// When it was looked at, in units of [`UNIT`].
    at: Cell<u32>,
    /// What the countdown began with.
    began_with: Cell<u8>,
    /// One in 2^this is drawn.
    exponent: Cell<u8>,
    /// How many were written down in the window.
    written: Cell<u8>,
}

/// Of a thread; all zeros when it begins.
#[repr(C)]
pub struct Budget {
    /// What may be spent now, in nanoseconds.
    left: Cell<i64>,
    /// What was left when it was looked at last.
    before: Cell<i64>,
    /// When it was filled last, and in which window; 0: never, and what is left is [`FIRST`].
    at: Cell<u64>,
    window_at: Cell<u64>,
    /// The thread's CPU time when the window began, and which part of the last one it had, in 256ths.
    used: Cell<u64>,
    share: Cell<u32>,
    times: [Cell<u32>; 2],
    events: Cell<u32>,
    /// When the event that is timed began, or what it took before the real function was called; 0: none is timed.
    timing: Cell<u64>,
    spent: Cell<u32>,
    passed: Cell<u32>,
    sites: [Site; SITES],
}

/// Clocks of a thread, and its random numbers.
pub trait Surroundings {
    /// By the monotonic clock.
    fn now(&mut self) -> u64;
    /// CPU time of the thread.
    fn used(&mut self) -> u64;
    /// Bits that are all as good as one another.
    fn random(&mut self) -> u64;
}

/// What is done with a large allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// It is written down, and stands for 2^this.
    Written(u8),
    Passed,
}

/// What is to be told of a thread since the last time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Told {
    pub nanoseconds: u64,
    pub passed: u64,
}

/// The place of an allocation; the entries compute it too. `operator` is where the operator was called from that called the allocator.
pub fn site(ip: usize, operator: u32, bytes: usize) -> usize {
    if bytes >= HUGE {
        return HUGE_SITE;
    }
    let word = bytes.checked_ilog2().unwrap_or(0) << 24 ^ ip as u32 ^ operator;
    (word.wrapping_mul(MIX.cast_unsigned()) >> SITE_SHIFT) as usize
}

impl Budget {
    fn of(&self, site: usize) -> &Site {
        // The compiler leaves the comparison out where it sees the number.
        self.sites.get(site).unwrap_or(&self.sites[0])
    }

    /// An allocation of a place for which the countdown is over.
    pub fn take_turn(&self, site: usize, countdown: &Cell<i32>, around: &mut impl Surroundings) -> Turn {
        let of = self.of(site);
        let exponent = of.exponent.get();
        if exponent == 0 {
            countdown.set(0);
            return Turn::Written(0);
        }
        let went_by = u32::from(of.began_with.get());
        let rest = of.rest.get();
        self.pass(went_by + u32::from(rest > 0));
        if rest == 0 {
            of.begin(countdown, gap(exponent, around));
            return Turn::Written(exponent);
        }
        let now = around.now();
        self.refill(now, around);
        let took = of.look(now);
        // Chances are the same from each allocation to the next: what was drawn before may be forgotten.
        let enough = self.enough(took);
        if exponent > enough + 2 && self.left.get() > 0 {
            of.exponent.set(enough);
            of.begin(countdown, gap(enough, around));
        } else {
            of.begin(countdown, rest - 1);
        }
        Turn::Passed
    }

    /// The exponent with which a place would cost the part alone, where [`UNSEEN`] allocations took so long.
    fn enough(&self, took: u64) -> u8 {
        let all =
            u64::from(UNSEEN) * u64::from(self.usual(Cost::Begun) + self.usual(Cost::Gone) + 2 * BESIDES);
        let times = all.saturating_mul(PART) / took.max(1);
        (u64::BITS - times.leading_zeros()) as u8
    }

    /// Charges an event of a place that is written down. `late`: the reader of the log is behind.
    pub fn charge(
        &self,
        site: usize,
        countdown: Option<&Cell<i32>>,
        (now, late): (u64, bool),
        around: &mut impl Surroundings,
    ) {
        self.refill(now, around);
        self.spend(Cost::Begun);
        let of = self.of(site);
        of.look(now);
        of.written.set(of.written.get().saturating_add(1));
        if self.left.get() < 0 {
            self.borrow();
        }
        let exponent = of.exponent.get();
        let most = if site == SMALL_SITE { FEWEST_SMALL } else { FEWEST };
        // Only while it does not get better by itself: else the chance would go up and down by far more than it must.
        let (left, before) = (self.left.get(), self.before.replace(self.left.get()));
        let is_dear = (left < 0 && left <= before || late) && of.written.get() >= SELDOM;
        let next = match exponent {
            exponent if is_dear => (exponent + 1).min(most),
            exponent if left > ROOM / 2 && left >= before => exponent.saturating_sub(1),
            exponent => exponent,
        };
        of.exponent.set(next);
        if let Some(countdown) = countdown.filter(|_| next != exponent) {
            of.begin(countdown, gap(next, around));
        }
    }

    /// Charges an event that is written down whatever it costs.
    pub fn charge_other(&self) {
        self.spend(Cost::Begun);
    }

    /// Charges a free.
    pub fn charge_gone(&self) {
        self.spend(Cost::Gone);
    }

    /// Counts those that went by since the countdowns began: the thread ends.
    pub fn pass_all(&self, countdowns: &[Cell<i32>; SITES]) {
        for (site, countdown) in self.sites.iter().zip(countdowns) {
            let left = u32::try_from(countdown.get()).unwrap_or(0);
            let began_with = u32::from(site.began_with.replace(0));
            self.pass(began_with.saturating_sub(left));
        }
    }

    /// How many more bytes than usual lie between two small ones that are drawn, as an exponent.
    pub fn small_exponent(&self) -> u8 {
        self.of(SMALL_SITE).exponent.get()
    }

    /// A function of the allocator is called: times the event that comes of it, if it is its turn.
    pub fn begin_timing(&self, now: impl Fn() -> u64) {
        let is_timed = self.events.get().wrapping_add(1).is_multiple_of(TIMED);
        self.timing.set(if is_timed { now() } else { 0 });
    }

    /// The real function is called: its time is not ours.
    pub fn pause_timing(&self, now: impl Fn() -> u64) {
        if self.timing.get() != 0 {
            self.timing.set(now().saturating_sub(self.timing.get()).max(1));
        }
    }

    /// The real function returned.
    pub fn go_on_timing(&self, now: impl Fn() -> u64) {
        let before = self.timing.replace(0);
        // What is longer was interrupted, or is no length: the real function called another one, which began to be timed.
        if before != 0 && before <= LONGEST.into() {
            self.timing.set(now().saturating_sub(before));
        }
    }

    /// An event was written down: notes what it took, if it is timed.
    pub fn time(&self, cost: Cost, now: impl Fn() -> u64) {
        self.events.set(self.events.get().wrapping_add(1));
        let begun = self.timing.replace(0);
        if begun == 0 {
            return;
        }
        let time = &self.times[cost as usize];
        let known = self.usual(cost);
        let took = u32::try_from(now().saturating_sub(begun)).unwrap_or(LONGEST).min(LONGEST);
        time.set(known - known / 8 + took / 8);
    }

    /// What is to be told by now.
    pub fn told(&self, is_last: bool) -> Option<Told> {
        if self.spent.get() < TOLD && !is_last {
            return None;
        }
        let passed = self.passed.replace(0);
        Some(Told { nanoseconds: self.spent.replace(0).into(), passed: passed.into() })
    }

    fn usual(&self, cost: Cost) -> u32 {
        match self.times[cost as usize].get() {
            0 => FIRST_TIMES[cost as usize],
            time => time,
        }
    }

    /// By the clock, and by the part of the last window for which the thread had a CPU: its own clock is a call of the kernel.
    fn refill(&self, now: u64, around: &mut impl Surroundings) {
        const WHOLE: u64 = 256;
        let before = self.at.replace(now);
        if before == 0 {
            self.left.set(FIRST);
        }
        let window_at = self.window_at.get();
        if before == 0 || now.saturating_sub(window_at) >> WINDOW != 0 {
            self.window_at.set(now);
            let used = around.used();
            let used_before = self.used.replace(used);
            let share = match (now.saturating_sub(window_at), used.saturating_sub(used_before)) {
                // A child of fork begins a clock of its own.
                _ if before == 0 || used < used_before => WHOLE,
                (elapsed, used) => (used.saturating_mul(WHOLE) / elapsed.max(1)).min(WHOLE),
            };
            self.share.set(share as u32);
        }
        let elapsed = if before == 0 { 0 } else { now.saturating_sub(before) };
        let gained = elapsed.saturating_mul(self.share.get().into()) / (WHOLE * PART);
        self.left.set(self.left.get().saturating_add_unsigned(gained).min(ROOM));
    }

    fn borrow(&self) {
        let missing = self.left.get().saturating_neg();
        if missing > 0 && RESERVE.load(Relaxed) > 0 {
            let lent = missing.max(FIRST);
            RESERVE.fetch_sub(lent, Relaxed);
            self.left.set(self.left.get().saturating_add(lent));
        }
    }

    fn spend(&self, cost: Cost) {
        let time = self.usual(cost) + BESIDES;
        self.left.set(self.left.get().saturating_sub(time.into()).max(-ROOM));
        self.spent.set(self.spent.get().saturating_add(time));
    }

    fn pass(&self, count: u32) {
        self.passed.set(self.passed.get().saturating_add(count));
        // Nothing makes it less: it is told, and does not count for the part.
        let time = count * PASSED_TENTHS / 10;
        self.spent.set(self.spent.get().saturating_add(time));
    }
}

impl Site {
    /// Nanoseconds since it was looked at, about.
    fn look(&self, now: u64) -> u64 {
        const IN_WINDOW: u32 = WINDOW - UNIT;
        let at = (now >> UNIT) as u32;
        let before = self.at.replace(at);
        if before >> IN_WINDOW != at >> IN_WINDOW {
            self.written.set(0);
        }
        u64::from(at.wrapping_sub(before)) << UNIT
    }

    /// Has so many go by.
    fn begin(&self, countdown: &Cell<i32>, gap: u32) {
        let seen = gap.min(UNSEEN - 1);
        self.began_with.set(seen as u8);
        self.rest.set(gap - seen);
        countdown.set(seen.cast_signed());
    }
}

/// How many go by until one is drawn, each with the chance 1 / 2^exponent.
fn gap(exponent: u8, around: &mut impl Surroundings) -> u32 {
    /// Up to here chance by chance, which is exact; the logarithm is known to a hundredth.
    const BY_CHANCE: u8 = 5;
    if exponent == 0 {
        return 0;
    }
    let fewer = exponent.min(FEWEST);
    if fewer > BY_CHANCE {
        // -ln(u) / -ln(1 - 1/n), and that is n - 1/2 to within 1 / 12n.
        let twice = (2u64 << fewer) - 1;
        return u32::try_from(crate::chance::minus_logarithm(around.random()).saturating_mul(twice) >> 17)
            .unwrap_or(u32::MAX >> 1);
    }
    let mut passed = 0;
    loop {
        let mut bits = around.random();
        for _ in 0..64 / u32::from(BY_CHANCE) {
            if bits & ((1 << fewer) - 1) == 0 {
                return passed;
            }
            bits >>= BY_CHANCE;
            passed += 1;
            if passed > 1 << 16 {
                return passed;
            }
        }
    }
}
