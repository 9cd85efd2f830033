//! How many threads have each place of the plan, and so which one the next thread gets: the first of those that the fewest have.
//!
//! A place is free again when its thread has ended and somebody has joined threads since: the threads of each round of a program
//! get the places that those of the first round had, where the memory lies that they touched. The end alone does not free it:
//! a thread that is over before the next one is created would give up its place to that by chance.

use core::sync::atomic::{AtomicU32, Ordering};

/// With more places than this, threads get them in turn.
const MOST: usize = 4096;

/// Threads that have the place, with those that have ended since the last look.
static TAKEN: [AtomicU32; MOST] = [const { AtomicU32::new(0) }; MOST];
/// Of these, the ones that have ended.
static ENDED: [AtomicU32; MOST] = [const { AtomicU32::new(0) }; MOST];

/// Gives a place to the thread that is created as the `number`-th of the process, counted from 1. The main thread is at the first
/// place, so that this one comes last among those that as many have.
pub fn take(places: usize, number: usize) -> usize {
    let in_turn = number.checked_rem(places).unwrap_or(0);
    let Some(all) = TAKEN.get(..places) else { return in_turn };
    loop {
        let mut least = (u32::MAX, in_turn);
        let order = (1..places).chain(core::iter::once(0));
        for (k, threads) in order.filter_map(|k| Some((k, all.get(k)?.load(Ordering::Relaxed)))) {
            if threads < least.0 {
                least = (threads, k);
            }
        }
        let (threads, k) = least;
        let Some(place) = all.get(k) else { return in_turn };
        if place
            .compare_exchange(threads, threads.saturating_add(1), Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
        {
            return k;
        }
    }
}

/// Takes back the place of a thread that did not come to be.
pub fn give_back(place: usize) {
    if let Some(taken) = TAKEN.get(place) {
        subtract(taken, 1);
    }
}

/// The thread at this place has ended.
pub fn end(place: usize) {
    if let Some(ended) = ENDED.get(place) {
        ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// Frees the places of threads that have ended; to be called by a thread that has joined some.
pub fn free_ended(places: usize) {
    for (taken, ended) in TAKEN.iter().zip(&ENDED).take(places) {
        if ended.load(Ordering::Relaxed) > 0 {
            subtract(taken, ended.swap(0, Ordering::Relaxed));
        }
    }
}

/// After a fork: the threads are in the parent.
pub fn free_all(places: usize) {
    for (taken, ended) in TAKEN.iter().zip(&ENDED).take(places) {
        taken.store(0, Ordering::Relaxed);
        ended.store(0, Ordering::Relaxed);
    }
}

fn subtract(taken: &AtomicU32, threads: u32) {
    let _ = taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |all| Some(all.saturating_sub(threads)));
}
