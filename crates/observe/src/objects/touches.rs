//! First touches where the kernel does not sample page faults: how many each thread took from one sample of time to the next, and which
//! object it was at then.

use std::collections::HashMap;

use numawise_operands::{Access, Blame, Direction, Listing, Registers};
use numawise_units::{CpuId, Pid};

#[cfg(test)]
#[path = "touches_tests.rs"]
mod tests;

/// Where page faults are believed to have been taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    pub object: u32,
    pub thread: u32,
    pub cpu: CpuId,
    pub place: Option<u32>,
}

/// What is known of each thread.
#[derive(Debug, Default)]
pub struct ThreadFaults {
    by_thread: HashMap<(Pid, Pid), Known>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Known {
    faults: u32,
    last: Option<Touched>,
}

/// Fewer from one sample to the next say nothing: a library was loaded, a stack grew.
const LEAST: u64 = 8;

impl ThreadFaults {
    /// The page faults that a thread took since its last sample, where they are enough to say something.
    pub fn since(&mut self, process: Pid, thread: Pid, faults: u32) -> Option<u64> {
        let known = self.by_thread.entry((process, thread)).or_default();
        let more = u64::from(faults.wrapping_sub(known.faults));
        known.faults = faults;
        (more >= LEAST).then_some(more)
    }

    /// What has this number of faults of a thread that is at `now`, or at nothing that is known. A thread that went on from one object to
    /// another between two samples took half of them at each, on average. No object takes more than it has `room` for: a thread that is done
    /// with the first touches of an object goes on to use another one, of which all pages are there.
    pub fn divide(
        &mut self,
        of: (Pid, Pid),
        faults: u64,
        now: Option<Touched>,
        room: impl Fn(u32) -> u64,
    ) -> Vec<(Touched, u64)> {
        let known = self.by_thread.entry(of).or_default();
        let before = std::mem::replace(&mut known.last, now.filter(|now| room(now.object) > 0));
        let (before, now) = match (before, now) {
            (Some(before), Some(now)) if before.object == now.object => (None, Some(now)),
            both => both,
        };
        let room_before = before.map_or(0, |touched| room(touched.object));
        // What is not known has room for all: it is nobody's.
        let room_now = now.map_or(u64::MAX, |touched| room(touched.object));
        let of_before = (faults / 2).max(faults.saturating_sub(room_now)).min(room_before);
        let of_now = faults.saturating_sub(of_before).min(room_now);
        let parts = [(before, of_before), (now, of_now)];
        parts
            .into_iter()
            .filter_map(|(touched, part)| Some((touched?, part)))
            .filter(|(_, part)| *part > 0)
            .collect()
    }
}

/// The access whose page fault a thread came from, if it did: the kernel interrupts it before it does the instruction again, whose registers are
/// then those of the sample. Else what it accessed last, writes before reads, as pages are written first nearly always.
pub fn touching(listing: &Listing, registers: &Registers, blamed: &Blame) -> Option<Access> {
    let step = listing.find(registers.ip).and_then(|at| listing.steps().get(at));
    let here = step.and_then(|step| step.accesses(registers)).unwrap_or_default();
    let before = match blamed {
        Blame::Accesses(accesses) => accesses.as_slice(),
        Blame::Unknown { .. } | Blame::Nothing => &[],
    };
    let all = || here.iter().chain(before);
    all().find(|access| access.direction != Direction::Read).or_else(|| all().next()).copied()
}
