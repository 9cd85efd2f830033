use std::cell::Cell;
use std::vec::Vec;

use super::*;

/// A clock that is set, and numbers of a seed, as good as those of the library.
struct Made {
    now: u64,
    /// Of the time one part in so many is the thread's.
    runs: u64,
    state: u64,
}

impl Surroundings for Made {
    fn now(&mut self) -> u64 {
        self.now
    }

    fn used(&mut self) -> u64 {
        self.now / self.runs
    }

    fn random(&mut self) -> u64 {
        let random = crate::draw::mixed(self.state);
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        random
    }
}

fn made(seed: u64) -> Made {
    Made { now: 1_000_000_000, runs: 1, state: seed }
}

fn empty() -> std::boxed::Box<Budget> {
    // Not lent anything: other tests run beside this one.
    RESERVE.store(0, Relaxed);
    // SAFETY: cells of numbers, for which zeros are values.
    unsafe { std::boxed::Box::new(core::mem::zeroed()) }
}

/// A thread that allocates at one place after the other, each time after so many nanoseconds.
struct Thread {
    budget: std::boxed::Box<Budget>,
    countdowns: Vec<Cell<i32>>,
    around: Made,
}

impl Thread {
    fn new(seed: u64) -> Thread {
        let countdowns = (0..SITES).map(|_| Cell::new(0)).collect();
        Thread { budget: empty(), countdowns, around: made(seed) }
    }

    /// For how many it stands; 0: it was not written down.
    fn allocate(&mut self, site: usize, after: u64, late: bool) -> u64 {
        self.around.now += after;
        let countdown = &self.countdowns[site];
        countdown.set(countdown.get() - 1);
        if countdown.get() >= 0 {
            return 0;
        }
        match self.budget.take_turn(site, countdown, &mut self.around) {
            Turn::Passed => 0,
            Turn::Written(exponent) => {
                let now = self.around.now;
                self.budget.charge(site, Some(countdown), (now, late), &mut self.around);
                self.budget.charge_gone();
                1 << exponent
            }
        }
    }
}

#[test]
fn what_a_thread_writes_down_takes_a_50th_of_its_time_whatever_it_allocates() {
    for (places, after, runs) in
        [(1, 25, 1), (1, 400, 1), (6, 100, 1), (30, 25, 1), (30, 3_000, 1), (1, 100, 16)]
    {
        let mut thread = Thread::new(3);
        thread.around.runs = runs;
        let (mut written, mut all) = (0u64, 0u64);
        while thread.around.now < 3_000_000_000 {
            written += u64::from(thread.allocate((all % places) as usize, after, false) > 0);
            all += 1;
        }
        let passed = f64::from(thread.budget.passed.get() * PASSED_TENTHS / 10);
        let spent = (f64::from(thread.budget.spent.get()) - passed) / 2e9 * runs as f64;
        // Besides the part, each place has eight in 8.4 ms for itself.
        let of_places = (places * runs) as f64 * 8.0 * 520.0 / 8.4e6;
        let most = 1.0 / PART as f64 + of_places + 0.002;
        assert!(spent < most, "{places} places after {after} ns, 1 / {runs}: {spent}, {written} of {all}");
        assert!(written > 1500, "{places} places after {after} ns: {written} of {all}");
    }
}

#[test]
fn sums_of_what_was_drawn_are_those_of_all_while_the_chance_changes() {
    let (mut sum, mut all) = (0.0, 0u64);
    for seed in 0..60 {
        let mut thread = Thread::new(seed * 1000 + 1);
        for k in 0..100_000u64 {
            // Busy, idle and busy again.
            let after = if k % 25_000 < 20_000 { 400 } else { 4_000 };
            sum += thread.allocate((k % 3) as usize, after, false) as f64;
            all += 1;
        }
    }
    let found = sum / all as f64;
    assert!((found - 1.0).abs() < 0.01, "{found} of what there was");
}

#[test]
fn the_bytes_of_each_place_are_found() {
    let (mut found, mut all) = ([0.0; 4], [0.0; 4]);
    for seed in 0..20 {
        let mut thread = Thread::new(seed);
        let mut written = 0;
        let mut sizes = made(seed + 77);
        for _ in 0..400_000 {
            let number = sizes.random();
            // One in 64 of the first is of the last place.
            let place = if number.is_multiple_of(64) { 3 } else { (number >> 32) as usize % 3 };
            let bytes = (16_384 + number % 1_000_000) as f64;
            all[place] += bytes;
            let stands_for = thread.allocate(place, 150, false);
            written += u32::from(stands_for > 0);
            found[place] += stands_for as f64 * bytes;
        }
        let countdowns = thread.countdowns.clone().try_into().unwrap();
        thread.budget.pass_all(&countdowns);
        assert_eq!(thread.budget.passed.get() + written, 400_000);
    }
    for (place, (found, all)) in found.into_iter().zip(all).enumerate() {
        assert!((found / all - 1.0).abs() < 0.05, "place {place}: {found} of {all}");
    }
}

#[test]
fn what_is_allocated_seldom_is_known_beside_what_is_allocated_all_the_time() {
    let mut thread = Thread::new(5);
    for k in 0..4_000_000u64 {
        thread.allocate(0, 50, false);
        if k.is_multiple_of(40_000) {
            assert_eq!(thread.allocate(1, 50, false), 1, "the {k}th");
        }
    }
}

#[test]
fn all_are_written_down_again_once_a_place_has_rested() {
    let mut thread = Thread::new(6);
    for _ in 0..5_000_000 {
        thread.allocate(0, 30, false);
    }
    assert!(thread.budget.of(0).exponent.get() > 5);
    let missed = (0..1000).filter(|_| thread.allocate(0, 1_000_000, false) == 0).count();
    assert!(missed <= UNSEEN as usize + 1, "{missed}");
}

#[test]
fn less_is_written_down_where_the_reader_is_late() {
    let (mut late, mut soon) = (Thread::new(7), Thread::new(7));
    let count = |thread: &mut Thread, is_late| {
        (0..20_000).filter(|_| thread.allocate(0, 100_000, is_late) > 0).count()
    };
    let (late, soon) = (count(&mut late, true), count(&mut soon, false));
    assert!(soon == 20_000 && late < soon / 2, "{late} of {soon}");
}

#[test]
fn gaps_have_the_mean_of_their_chance() {
    for exponent in 1..=FEWEST {
        let mut around = made(exponent.into());
        let count = 200_000;
        let sum: f64 = (0..count).map(|_| f64::from(gap(exponent, &mut around)) + 1.0).sum();
        let found = sum / f64::from(count) / f64::from(1 << exponent);
        assert!((found - 1.0).abs() < 0.012, "{exponent}: {found}");
    }
}

#[test]
fn huge_blocks_have_a_place_of_their_own_and_calls_are_told_apart() {
    assert_eq!(site(0x1234, 0, HUGE), HUGE_SITE);
    assert_eq!(site(0x9999, 7, usize::MAX), HUGE_SITE);
    let sites: std::collections::HashSet<usize> =
        (0..100).map(|k| site(0x40_1000 + 37 * k, 0, 20_000)).collect();
    assert!(sites.len() > CALLS * 3 / 4 && sites.iter().all(|site| *site < CALLS), "{}", sites.len());
    assert_ne!(site(0x40_1000, 0, 20_000), site(0x40_1000, 0, 200_000));
}

#[test]
fn what_was_spent_is_told_once() {
    let budget = empty();
    assert_eq!(budget.told(false), None);
    (0..100).for_each(|_| budget.charge_gone());
    assert_eq!(budget.told(false), None);
    budget.pass(70);
    let told = budget.told(true).unwrap();
    assert_eq!((told.nanoseconds, told.passed), (100 * 210 + 140, 70));
    assert_eq!(budget.told(true), Some(Told::default()));
}

#[test]
fn an_event_is_timed_without_the_real_function_and_without_what_that_calls() {
    let budget = empty();
    let next_timed = || {
        while !budget.events.get().wrapping_add(1).is_multiple_of(TIMED) {
            budget.time(Cost::Begun, || unreachable!("it is not its turn"));
        }
    };
    let known = budget.usual(Cost::Begun);
    next_timed();
    budget.begin_timing(|| 1_000_000);
    budget.pause_timing(|| 1_000_100);
    // The real function takes a millisecond.
    budget.go_on_timing(|| 2_000_100);
    budget.time(Cost::Begun, || 2_000_400);
    assert_eq!(budget.usual(Cost::Begun), known - known / 8 + 400 / 8);
    let known = budget.usual(Cost::Begun);
    next_timed();
    budget.begin_timing(|| 3_000_000);
    budget.pause_timing(|| 3_000_100);
    // It frees something of its own, of which nothing is written down.
    budget.begin_timing(|| 3_000_200);
    budget.go_on_timing(|| 3_000_300);
    budget.time(Cost::Begun, || 3_000_900);
    assert_eq!(budget.usual(Cost::Begun), known);
}
