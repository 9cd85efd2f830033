//! Counts are made by hand from what the makers of processors say that each event means; nothing here was measured.

use numawise_facts::Activity;
use numawise_facts::activity::{CounterCount, CounterEvent::*};
use numawise_tables::snapshot::{Grade, ThresholdSource};

use super::super::sample::{process, seconds, simple_rank, snapshot, thread};
use super::*;

/// A counter that was on for so much of two seconds.
fn on(event: CounterEvent, count: u64, share: f64) -> CounterCount {
    let counted = CountedEvents { count, wanted: seconds(2.0), on: seconds(2.0 * share) };
    of(event, "", Reading::Measured(counted))
}

fn of(event: CounterEvent, cores: &str, counted: Reading<CountedEvents>) -> CounterCount {
    CounterCount { event, name: format!("{event:?}"), cores: cores.to_owned(), counted }
}

fn with(mut activity: Activity, counts: Vec<CounterCount>) -> Activity {
    let counters = ProcessCounters { with_children: false, counts };
    activity.surroundings.counters = Reading::Measured(counters);
    activity
}

/// A program of one thread that runs for two seconds.
fn program(counts: Vec<CounterCount>) -> CounterFigures {
    let alone = process(1, 2.0, vec![thread(1, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0])]);
    snapshot(&[with(alone, counts)]).counters.measured().unwrap().clone()
}

fn value(of: &Reading<Ratio>) -> f64 {
    of.measured().unwrap_or_else(|| panic!("{of:?}")).0
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found} {expected}");
}

fn fp(bits: u16, operations: u16) -> CounterEvent {
    FpInstructions { bits, operations }
}

#[test]
fn intels_events_give_all_figures() {
    let figures = program(vec![
        on(Cycles, 6_000_000_000, 1.0),
        on(Instructions, 3_000_000_000, 1.0),
        on(MemoryStallCycles, 1_500_000_000, 1.0),
        on(fp(64, 1), 200, 1.0),
        on(fp(128, 2), 100, 1.0),
        on(fp(256, 4), 300, 1.0),
        on(fp(512, 8), 400, 1.0),
        on(LocalMemory, 75, 1.0),
        on(RemoteMemory, 25, 1.0),
    ]);
    near(value(&figures.cycles_per_instruction.value), 2.0);
    let rating = figures.cycles_per_instruction.rating.unwrap();
    assert_eq!((rating.grade, rating.source), (Grade::LookHere, ThresholdSource::IntelSnapshot));
    near(value(&figures.memory_bound.value), 0.25);
    assert_eq!(figures.memory_bound.rating.unwrap().source, ThresholdSource::Perf);
    // 200 + 2 * 100 + 4 * 300 + 8 * 400 operations in two seconds.
    near(figures.flops.measured().unwrap().0, 2400.0);
    near(value(&figures.vector.value), 0.8);
    assert!(figures.vector.rating.is_none());
    near(value(&figures.remote_memory.value), 0.25);
    let widths: Vec<(u16, f64)> =
        figures.widths.measured().unwrap().iter().map(|(bits, share)| (*bits, share.0)).collect();
    assert_eq!(widths, [(64, 0.2), (128, 0.1), (256, 0.3), (512, 0.4)]);
    near(figures.on.0, 1.0);
}

#[test]
fn amds_operations_are_counted_as_such_and_steps_by_width() {
    let figures = program(vec![
        on(FpOperations, 8000, 1.0),
        on(FpSteps { bits: 64 }, 1, 1.0),
        on(FpSteps { bits: 256 }, 3, 1.0),
    ]);
    near(figures.flops.measured().unwrap().0, 4000.0);
    near(value(&figures.vector.value), 0.75);
}

#[test]
fn operations_of_long_vectors_count_by_their_length() {
    let figures = program(vec![on(FpOperations, 10, 1.0), on(FpOperationsPer128Bits { bits: 256 }, 10, 1.0)]);
    near(figures.flops.measured().unwrap().0, 15.0);
    assert!(figures.vector.value.reason().unwrap().0.contains("no event"));
}

#[test]
fn places_of_the_pipeline_tell_what_memory_holds_up_better_than_cycles() {
    let figures = program(vec![
        on(Cycles, 10, 1.0),
        on(MemoryStallCycles, 9, 1.0),
        on(Slots, 60, 1.0),
        on(MemoryBoundSlots, 6, 1.0),
    ]);
    near(value(&figures.memory_bound.value), 0.1);
}

#[test]
fn amd_tells_what_the_back_end_left_empty_and_whether_it_was_a_load_that_it_waited_for() {
    let counts = |load_waits| {
        vec![
            on(Cycles, 100, 1.0),
            on(BackendBoundSlots { of_cycle: 6 }, 300, 1.0),
            on(WaitingCycles, 60, 1.0),
            on(LoadWaitingCycles, load_waits, 1.0),
        ]
    };
    // Half of 600 places; 45 of the 60 cycles that waited did for a load.
    near(value(&program(counts(45)).memory_bound.value), 0.375);
    near(value(&program(counts(61)).memory_bound.value), 0.5);
    let quiet = vec![
        on(Cycles, 100, 1.0),
        on(BackendBoundSlots { of_cycle: 8 }, 0, 1.0),
        on(WaitingCycles, 0, 1.0),
        on(LoadWaitingCycles, 0, 1.0),
    ];
    near(value(&program(quiet).memory_bound.value), 0.0);
    let without = program(counts(45).split_off(1));
    assert!(without.memory_bound.value.reason().is_some(), "cycles are missing");
}

#[test]
fn a_counter_that_was_on_for_a_part_of_the_time_is_scaled() {
    let figures = program(vec![on(Cycles, 300, 0.5), on(Instructions, 600, 1.0)]);
    near(value(&figures.cycles_per_instruction.value), 1.0);
    near(figures.on.0, 0.5);
}

#[test]
fn a_counter_that_was_hardly_on_says_nothing() {
    let short = |counted| {
        let cycles = of(Cycles, "", Reading::Measured(counted));
        let figures = program(vec![cycles, on(Instructions, 600, 1.0)]);
        figures.cycles_per_instruction.value.reason().unwrap().0.to_string()
    };
    let counted = |wanted, on| CountedEvents { count: 7, wanted: seconds(wanted), on: seconds(on) };
    assert!(short(counted(2.0, 0.04)).contains("2.0 % of the time"));
    assert!(short(counted(0.02, 0.005)).contains("25.0 % of the time"));
    assert!(short(counted(2.0, 0.0)).contains("no counter left"));
    assert!(short(counted(0.0, 0.0)).contains("no thread was on a CPU"));
}

#[test]
fn an_event_that_is_missing_leaves_out_what_needs_it() {
    let missing = of(fp(256, 4), "", Reading::unavailable("the kernel does not count it"));
    let figures =
        program(vec![on(Cycles, 100, 1.0), on(Instructions, 100, 1.0), on(fp(64, 1), 5, 1.0), missing]);
    near(value(&figures.cycles_per_instruction.value), 1.0);
    for reason in [figures.flops.reason(), figures.vector.value.reason(), figures.widths.reason()] {
        assert_eq!(reason.unwrap().0, "the kernel does not count it");
    }
    assert!(figures.memory_bound.value.reason().is_some() && figures.remote_memory.value.reason().is_some());
}

#[test]
fn cores_of_two_kinds_are_added_up_before_anything_is_scaled() {
    let counted =
        |count, on| Reading::Measured(CountedEvents { count, wanted: seconds(2.0), on: seconds(on) });
    let both = |event, fast, slow| {
        [of(event, "cpu_core", counted(fast, 1.5)), of(event, "cpu_atom", counted(slow, 0.5))]
    };
    let counts = [both(Cycles, 900, 100), both(Instructions, 1800, 200)].concat();
    let figures = program(counts);
    near(value(&figures.cycles_per_instruction.value), 0.5);
    near(figures.on.0, 1.0);
    let half =
        [of(Cycles, "cpu_core", counted(900, 1.5)), of(Cycles, "cpu_atom", Reading::unavailable("none"))];
    let figures = program([half.to_vec(), vec![on(Instructions, 1, 1.0)]].concat());
    assert_eq!(figures.cycles_per_instruction.value.reason().unwrap().0, "none");
}

#[test]
fn ranks_are_added_up_and_each_has_its_own() {
    let counts = |cycles| vec![on(Cycles, cycles, 1.0), on(Instructions, 100, 1.0), on(fp(64, 1), 10, 1.0)];
    let ranks =
        [with(simple_rank(0, 2, 1.0, 1.0), counts(100)), with(simple_rank(1, 2, 2.0, 0.0), counts(300))];
    let tables = snapshot(&ranks);
    let all = tables.counters.measured().unwrap();
    near(value(&all.cycles_per_instruction.value), 2.0);
    near(all.flops.measured().unwrap().0, 10.0);
    let second = tables.rows[1].counters.measured().unwrap();
    near(value(&second.cycles_per_instruction.value), 3.0);
    near(second.flops.measured().unwrap().0, 5.0);
}

#[test]
fn one_rank_without_counters_leaves_none_of_the_run() {
    let ranks = [with(simple_rank(0, 2, 1.0, 1.0), vec![on(Cycles, 1, 1.0)]), simple_rank(1, 2, 2.0, 0.0)];
    let tables = snapshot(&ranks);
    assert!(tables.counters.reason().unwrap().0.starts_with("rank 1: "), "{:?}", tables.counters);
    assert!(tables.rows[0].counters.measured().is_some());
}
