//! Figures of counters: cycles, instructions, floating-point operations and memory.
//!
//! A counter that was on for a part of the time is taken to have counted at the same rate in the rest, as perf has it. Of a processor
//! with several kinds of cores, an event has a counter for each kind, which can only be on while a thread is on such a core: their counts
//! and their times are added up before that.

use std::collections::BTreeMap;

use numawise_facts::activity::{CountedEvents, CounterEvent, ProcessCounters};
use numawise_facts::objects::{MemoryBound, MemoryBoundSource};
use numawise_facts::{Reading, Reason};
use numawise_tables::snapshot::CounterFigures;
use numawise_units::{FlopsPerSecond, Nanoseconds, Ratio};

use super::process::Process;
use super::{Run, rating};

#[cfg(test)]
#[path = "counters_tests.rs"]
mod tests;

/// A counter that was on for less of the time says nothing of the rest.
const LEAST_SHARE: f64 = 0.05;
/// Nor does one that was on for less: the kernel gives the counters to other events every few milliseconds.
const LEAST_TIME: Nanoseconds = Nanoseconds(10_000_000);
/// Registers of one number.
const SCALAR: u16 = 64;

/// Of all processes that count.
pub fn summary(run: &Run<'_>) -> Reading<CounterFigures> {
    if run.parts.merged.is_some() {
        return Reading::unavailable("ranks are merged without their counters");
    }
    if run.processes.is_empty() {
        return Reading::unavailable("no process was watched");
    }
    let each = run.processes.iter().map(|process| {
        let counters = process.activity.surroundings.counters.as_ref();
        match counters {
            Reading::Measured(counters) => Reading::Measured(Counted::of(counters)),
            Reading::Unavailable { unavailable } => {
                Reading::unavailable(format!("{}: {unavailable}", process.name()))
            }
        }
    });
    Reading::all(each).map(|each| figures(&Counted::together(each), &run.elapsed))
}

pub fn of_process(process: &Process<'_>) -> Reading<CounterFigures> {
    let activity = process.activity;
    let counters = activity.surroundings.counters.as_ref();
    counters.map(|counters| figures(&Counted::of(counters), &activity.elapsed))
}

/// Events with what they came to, or why that is not known.
struct Counted {
    events: BTreeMap<CounterEvent, Reading<f64>>,
    /// The least part of the time that any of them was on.
    on: f64,
}

impl Counted {
    fn of(counters: &ProcessCounters) -> Counted {
        let mut events: BTreeMap<CounterEvent, Reading<CountedEvents>> = BTreeMap::new();
        for one in &counters.counts {
            match events.get_mut(&one.event) {
                None => drop(events.insert(one.event, one.counted.clone())),
                Some(all) => {
                    *all = all.clone().zip(one.counted.clone()).map(|(all, one)| CountedEvents {
                        count: all.count.saturating_add(one.count),
                        wanted: all.wanted.max(one.wanted),
                        on: all.on + one.on,
                    });
                }
            }
        }
        let on = events.values().filter_map(Reading::measured).map(share_on).fold(1.0, f64::min);
        let events = events.into_iter().map(|(event, counted)| (event, counted.and_then(estimated)));
        Counted { events: events.collect(), on }
    }

    /// An event that one of them lacks is missing in all.
    fn together(each: Vec<Counted>) -> Counted {
        let on = each.iter().map(|one| one.on).fold(1.0, f64::min);
        let all: std::collections::BTreeSet<CounterEvent> =
            each.iter().flat_map(|one| one.events.keys().copied()).collect();
        let sum = |event: CounterEvent| {
            let values = Reading::all(each.iter().map(|one| one.get(event)));
            (event, values.map(|values| values.iter().sum()))
        };
        Counted { events: all.into_iter().map(sum).collect(), on }
    }

    fn get(&self, event: CounterEvent) -> Reading<f64> {
        let found = self.events.get(&event).cloned();
        found.unwrap_or_else(|| Reading::unavailable("it is no event that numawise knows of this processor"))
    }

    /// The sum over all events of a kind, times what one of them is worth; `None` where there is no such event.
    fn sum(&self, worth: impl Fn(CounterEvent) -> Option<f64>) -> Option<Reading<f64>> {
        let parts = self.events.iter().filter_map(|(event, value)| {
            let worth = worth(*event)?;
            Some(value.clone().map(|value| value * worth))
        });
        let parts: Vec<_> = parts.collect();
        (!parts.is_empty()).then(|| Reading::all(parts).map(|parts| parts.iter().sum()))
    }
}

fn share_on(of: &CountedEvents) -> f64 {
    if of.wanted.0 == 0 { 1.0 } else { (of.on.0 as f64 / of.wanted.0 as f64).min(1.0) }
}

/// What it would have come to, had the counter been on all the time.
fn estimated(of: CountedEvents) -> Reading<f64> {
    let share = share_on(&of);
    if of.wanted.0 == 0 {
        return Reading::unavailable("no thread was on a CPU while it was counted");
    }
    if of.on.0 == 0 {
        return Reading::unavailable("the processor had no counter left for it");
    }
    if share < LEAST_SHARE || share < 1.0 && of.on < LEAST_TIME {
        let percent = 100.0 * share;
        return Reading::unavailable(format!("its counter was on for {}, {percent:.1} % of the time", of.on));
    }
    Reading::Measured(of.count as f64 / share)
}

fn quotient(of: Reading<f64>, all: Reading<f64>, nothing: &'static str) -> Reading<Ratio> {
    of.zip(all).and_then(|(of, all)| {
        if all > 0.0 { Reading::Measured(Ratio(of / all)) } else { Reading::unavailable(nothing) }
    })
}

/// Whether the share of time in which memory holds the program up needs this event.
pub fn is_for_memory_bound(event: CounterEvent) -> bool {
    use CounterEvent::{BackendBoundSlots, Cycles, LoadWaitingCycles, MemoryBoundSlots, MemoryStallCycles};
    use CounterEvent::{Slots, WaitingCycles};
    matches!(
        event,
        Cycles
            | MemoryStallCycles
            | Slots
            | MemoryBoundSlots
            | BackendBoundSlots { .. }
            | WaitingCycles
            | LoadWaitingCycles
    )
}

/// The share of its time in which memory held a program up.
pub fn memory_bound_of(counters: &ProcessCounters) -> Reading<MemoryBound> {
    memory_bound(&Counted::of(counters))
}

/// By what the processor tells best: places of the pipeline; of AMD (`backend_bound_memory` of perf's metrics) those that the back end left
/// empty, as far as what it waited for was a load; else cycles.
fn memory_bound(of: &Counted) -> Reading<MemoryBound> {
    use CounterEvent::{BackendBoundSlots, Cycles, LoadWaitingCycles, MemoryBoundSlots, MemoryStallCycles};
    use CounterEvent::{Slots, WaitingCycles};
    let empty = of.events.keys().find_map(|event| match event {
        BackendBoundSlots { of_cycle } => Some((*event, f64::from(*of_cycle))),
        _ => None,
    });
    let (share, source) = if of.events.contains_key(&MemoryBoundSlots) {
        let share = quotient(of.get(MemoryBoundSlots), of.get(Slots), "no place of the pipeline was counted");
        (share, MemoryBoundSource::Slots)
    } else if let Some((empty, of_cycle)) = empty {
        let all = of.get(Cycles).map(|cycles| cycles * of_cycle);
        let empty = quotient(of.get(empty), all, "no cycle was counted");
        // Where nothing waited, no load did.
        let waits = of.get(WaitingCycles).map(|waits| waits.max(1.0));
        let loads = quotient(of.get(LoadWaitingCycles), waits, "no cycle was counted");
        // It cannot be more of the waits than all.
        let share = empty.zip(loads).map(|(empty, loads)| Ratio(empty.0 * loads.0.min(1.0)));
        (share, MemoryBoundSource::Slots)
    } else {
        let share = quotient(of.get(MemoryStallCycles), of.get(Cycles), "no cycle was counted");
        (share, MemoryBoundSource::StallCycles)
    };
    // Two events that were on at different times may say more than there is.
    share.map(|share| MemoryBound { share: Ratio(share.0.min(1.0)), source })
}

fn figures(of: &Counted, elapsed: &Reading<Nanoseconds>) -> CounterFigures {
    use CounterEvent::{Cycles, Instructions, LocalMemory, RemoteMemory};
    let (local, remote) = (of.get(LocalMemory), of.get(RemoteMemory));
    let lines = local.zip(remote.clone()).map(|(local, remote)| local + remote);
    let cpi = quotient(of.get(Cycles), of.get(Instructions), "no instruction was counted");
    CounterFigures {
        flops: flops(of, elapsed),
        cycles_per_instruction: rating::cycles_per_instruction(cpi),
        memory_bound: rating::memory_bound(memory_bound(of).map(|bound| bound.share)),
        vector: rating::unrated(vector(of)),
        remote_memory: rating::loss(quotient(remote, lines, "nothing came from memory")),
        widths: widths(of),
        on: Ratio(of.on),
    }
}

/// Why there is none of what the maker of the processor tells in events of its own.
fn no_event<T>() -> Reading<T> {
    Reading::Unavailable { unavailable: Reason("numawise knows no event for it of this processor".into()) }
}

fn flops(of: &Counted, elapsed: &Reading<Nanoseconds>) -> Reading<FlopsPerSecond> {
    let worth = |event| match event {
        CounterEvent::FpOperations => Some(1.0),
        CounterEvent::FpInstructions { operations, .. } => Some(f64::from(operations)),
        CounterEvent::FpOperationsPer128Bits { bits } => Some(f64::from(bits) / 128.0),
        _ => None,
    };
    let sum = of.sum(worth).unwrap_or_else(no_event);
    sum.zip(elapsed.clone()).and_then(|(sum, elapsed)| match elapsed.seconds() {
        seconds if seconds > 0.0 => Reading::Measured(FlopsPerSecond(sum / seconds)),
        _ => Reading::unavailable("the run took no time that could be measured"),
    })
}

/// The bits of the registers of an event that counts instructions, or their steps.
fn bits_of(event: CounterEvent) -> Option<u16> {
    match event {
        CounterEvent::FpInstructions { bits, .. } | CounterEvent::FpSteps { bits } => Some(bits),
        _ => None,
    }
}

fn vector(of: &Counted) -> Reading<Ratio> {
    let all = of.sum(|event| bits_of(event).map(|_| 1.0)).unwrap_or_else(no_event);
    let vectors = of.sum(|event| bits_of(event).map(|bits| f64::from(bits > SCALAR)));
    quotient(vectors.unwrap_or_else(no_event), all, NO_FLOATS)
}

const NO_FLOATS: &str = "no floating-point instruction was counted";

fn widths(of: &Counted) -> Reading<Vec<(u16, Ratio)>> {
    let all = of.sum(|event| bits_of(event).map(|_| 1.0)).unwrap_or_else(no_event);
    let each: std::collections::BTreeSet<u16> =
        of.events.keys().filter_map(|event| bits_of(*event)).collect();
    Reading::all(each.into_iter().map(|width| {
        let some = of.sum(|event| bits_of(event).filter(|bits| *bits == width).map(|_| 1.0));
        let share = quotient(some.unwrap_or_else(no_event), all.clone(), NO_FLOATS);
        share.map(|share| (width, share))
    }))
    .and_then(|widths| if widths.is_empty() { no_event() } else { Reading::Measured(widths) })
}
