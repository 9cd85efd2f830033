use numawise_facts::activity::{CountedEvents, CounterCount, CounterEvent};
use numawise_facts::objects::{ObjectUse, Skid};
use numawise_units::{CpuId, Nanoseconds, Pid};
use proptest::prelude::*;

use super::sample::{self, Done as _, Pattern, object, run};
use super::*;
use crate::sample::two_sockets;

const EQUALLY: [(u32, f64); 4] = [(0, 100.0), (1, 100.0), (2, 100.0), (3, 100.0)];

fn on_node_0(_: u32) -> Option<u32> {
    Some(0)
}

fn reason<T: std::fmt::Debug>(reading: &Reading<T>) -> String {
    reading.reason().unwrap_or_else(|| panic!("{reading:?} is there")).to_string()
}

fn grid() -> MemoryObject {
    object("u", Bytes::mib(64)).lying(&[(0, 256)]).touched(&[(0, 990), (2, 10)]).used(
        &EQUALLY,
        Pattern::Divided,
        on_node_0,
    )
}

#[test]
fn a_row_says_who_allocated_touched_and_used_it() {
    let tables = objects(&run(two_sockets(), vec![grid()]));
    let row = &tables.rows[0];
    let line = |place: &CodePlace| place.source.line.measured().copied().unwrap();
    assert_eq!(row.allocated.measured().map(line), Some(41), "not the allocator's header");
    let touch = row.first_touch.measured().unwrap();
    assert_eq!((touch.faults, touch.place.measured().map(line)), (1000, Some(17)));
    let touchers: Vec<_> =
        touch.touchers.iter().map(|one| (one.of.number, one.of.node, one.of.share.0)).collect();
    assert_eq!(touchers, [(0, Some(NodeId(0)), 0.99), (2, Some(NodeId(1)), 0.01)]);
    assert!(touch.touchers.iter().all(|one| one.place.measured().map(line) == Some(17)));
    let used = row.used.measured().unwrap();
    assert_eq!(
        (used.samples, used.reads, used.remote.clone()),
        (400.0, Ratio(0.5), Reading::Measured(Ratio(0.5)))
    );
    let nodes: Vec<_> = used.nodes.iter().map(|of| (of.node, of.share.0)).collect();
    assert_eq!(nodes, [(Some(NodeId(0)), 0.5), (Some(NodeId(1)), 0.5)]);
    let users: Vec<_> = used.users.iter().map(|one| (one.of.number, one.of.share.0, one.reads.0)).collect();
    assert_eq!(users, [(0, 0.25, 0.5), (1, 0.25, 0.5), (2, 0.25, 0.5), (3, 0.25, 0.5)]);
    assert_eq!(line(&used.places[0].0), 88, "the place with most of it, not the first of the list");
    assert_eq!(used.places[0].1, Ratio(0.75));
    assert_eq!(tables.cost, Reading::Measured(Ratio(0.015)));
    assert_eq!(tables.time_samples, Reading::Measured(400));
    assert_eq!(tables.left_out, (0, Bytes(0)));
}

#[test]
fn a_thread_that_moved_is_there_on_both_nodes() {
    let mut moved = grid();
    moved.uses[0].samples = 60.0;
    moved.uses[0].reads = 60.0;
    moved.uses.push(ObjectUse { cpu: CpuId(6), samples: 40.0, reads: 0.0, ..moved.uses[0] });
    let tables = objects(&run(two_sockets(), vec![moved]));
    let used = tables.rows[0].used.measured().unwrap();
    let of_first: Vec<_> = used.users.iter().filter(|one| one.of.number == 0).collect();
    let seen: Vec<_> = of_first.iter().map(|one| (one.of.node, one.of.share.0, one.reads.0)).collect();
    assert_eq!(seen, [(Some(NodeId(0)), 0.15, 1.0), (Some(NodeId(1)), 0.1, 0.0)]);
    let thread = used.threads.iter().find(|thread| thread.number == 0).unwrap();
    assert_eq!((thread.node, thread.share), (Some(NodeId(0)), Ratio(0.25)), "together, where it was most");
}

#[test]
fn shares_have_their_intervals() {
    let half = object("v", Bytes::mib(1)).used(&[(0, 400.0)], Pattern::Divided, on_node_0);
    let tables = objects(&run(two_sockets(), vec![grid(), half]));
    let share = *tables.rows[0].memory_time.measured().unwrap();
    // Wilson, 400 of 800: 0.5 +- 0.0345.
    assert!((share.value.0 - 0.5).abs() < 1e-9, "{share:?}");
    assert!((share.low.0 - 0.4654).abs() < 1e-3 && (share.high.0 - 0.5346).abs() < 1e-3, "{share:?}");
}

#[test]
fn too_few_samples_withhold_times_with_the_number_that_is_needed() {
    let few = object("u", Bytes::mib(1)).used(&[(0, 399.0)], Pattern::Divided, on_node_0).touched(&[(0, 7)]);
    let tables = objects(&run(two_sockets(), vec![few]));
    let row = &tables.rows[0];
    for reading in [reason(&tables.time_samples), reason(&row.used), reason(&row.memory_time)] {
        assert!(reading.contains("only 399 samples") && reading.contains("400 are needed"), "{reading}");
    }
    assert_eq!(reason(&row.first_touch), "too few page faults of it were seen");
    assert!(tables.findings.is_empty());
}

#[test]
fn samples_of_memory_that_is_not_known_widen_shares_and_withhold_them_where_they_are_many() {
    let with_unknown = |unknown_address| {
        let mut seen = run(two_sockets(), vec![grid(), grid()]);
        if let Reading::Measured(time) = &mut seen.watching.time {
            time.unknown_address = unknown_address;
        }
        objects(&seen)
    };
    let interval = |tables: &ObjectTables| *tables.rows[0].memory_time.measured().unwrap();
    let (all_known, some) = (interval(&with_unknown(0)), interval(&with_unknown(40)));
    assert_eq!(all_known.value, some.value);
    // 400 of 840 at least, and 440 of 840 at most, before chance is thought of.
    assert!((all_known.low.0 - some.low.0 - 0.0238).abs() < 2e-3, "{all_known:?} {some:?}");
    assert!((some.high.0 - all_known.high.0 - 0.0238).abs() < 2e-3, "{all_known:?} {some:?}");
    let many = with_unknown(100);
    for reading in [reason(&many.time_samples), reason(&many.rows[0].used)] {
        assert!(reading.starts_with("of 100 of 900 samples it is not known"), "{reading}");
    }
    assert!(many.findings.is_empty());
}

fn none<'a>() -> Reading<&'a ProcessCounters> {
    Reading::unavailable("no PMU")
}

#[test]
fn waiting_for_memory_is_bounded_by_the_samples_behind_accesses_other_than_to_the_stack() {
    let mut stack = object("s", Bytes::kib(8)).used(&[(0, 200.0)], Pattern::Divided, on_node_0);
    stack.kind = ObjectKind::Stack;
    let mut seen = run(two_sockets(), vec![grid(), stack]);
    let bound = |run: &ObjectRun| memory_bound(run, none()).measured().map(|of| of.share.0);
    // 400 of the grid; twice as many samples as those with memory.
    assert_eq!(bound(&seen), Some(400.0 / 1200.0));
    let time = |seen: &mut ObjectRun, change: fn(&mut TimeSamples)| match &mut seen.watching.time {
        Reading::Measured(time) => change(time),
        Reading::Unavailable { .. } => unreachable!(),
    };
    time(&mut seen, |time| time.unknown_address = 200);
    assert_eq!(bound(&seen), Some(0.5), "all of those may have been waits");
    time(&mut seen, |time| time.samples = 399);
    assert!(reason(&memory_bound(&seen, none())).contains("only 399 of the 400 samples"));
    time(&mut seen, |time| time.method = AccessMethod::Passes);
    let why = reason(&memory_bound(&seen, none()));
    assert!(why.contains("counters of the processor would tell (no PMU)"), "{why}");
    // They know better than samples, whatever these are.
    let of = |event, count| CounterCount {
        event,
        name: String::new(),
        cores: String::new(),
        counted: Reading::Measured(CountedEvents { count, wanted: Nanoseconds(10), on: Nanoseconds(10) }),
    };
    let counts = vec![of(CounterEvent::Cycles, 200), of(CounterEvent::MemoryStallCycles, 50)];
    let counters = ProcessCounters { with_children: true, counts };
    let by_counters = MemoryBound { share: Ratio(0.25), source: MemoryBoundSource::StallCycles };
    assert_eq!(memory_bound(&seen, Reading::Measured(&counters)), Reading::Measured(by_counters));
}

#[test]
fn of_a_little_used_object_the_share_is_known_and_its_users_are_not() {
    let little = object("v", Bytes::mib(1)).used(&[(1, 49.0)], Pattern::Divided, on_node_0);
    let tables = objects(&run(two_sockets(), vec![grid(), little]));
    let row = &tables.rows[1];
    assert!(row.memory_time.measured().is_some());
    assert_eq!(reason(&row.used), "too few samples of it");
}

#[test]
fn where_interrupts_are_not_one_instruction_late_times_are_withheld_and_the_rest_is_said() {
    let mut seen = run(
        two_sockets(),
        vec![object("small", Bytes::mib(1)).used(&[(0, 500.0)], Pattern::Divided, on_node_0), grid()],
    );
    if let Reading::Measured(time) = &mut seen.watching.time {
        time.skid = Skid { samples: 100, one_after: 30 };
    }
    let tables = objects(&seen);
    assert!(reason(&tables.time_samples).contains("not taken one instruction after"));
    let row = &tables.rows[0];
    assert_eq!(row.bytes, Bytes::mib(64), "the largest is first, since times do not count");
    assert!(row.used.measured().is_none() && row.memory_time.measured().is_none());
    assert!(row.first_touch.measured().is_some() && row.pages.measured().is_some());
    assert!(tables.findings.is_empty());
}

#[test]
fn where_passes_of_loops_are_counted_the_skid_does_not_matter() {
    let mut seen = run(two_sockets(), vec![grid()]);
    if let Reading::Measured(time) = &mut seen.watching.time {
        time.skid = Skid { samples: 100, one_after: 0 };
        time.method = AccessMethod::Passes;
    }
    let tables = objects(&seen);
    assert_eq!(tables.time_samples, Reading::Measured(400));
    let quantity = tables.findings[0].finding.evidence[0].quantity;
    let expected = numawise_facts::finding::ObjectQuantity::AccessesOfObject;
    assert_eq!(quantity, numawise_facts::finding::EvidenceQuantity::Object(expected));
}

#[test]
fn what_could_not_be_watched_has_its_reason_and_no_zero() {
    let mut seen = run(two_sockets(), vec![object("u", Bytes::mib(64))]);
    seen.watching.time = Reading::unavailable("perf_event_open: not permitted");
    seen.watching.faults = Reading::unavailable("kernel.perf_event_paranoid is 3");
    seen.watching.cost = Reading::unavailable("nothing was sampled");
    let tables = objects(&seen);
    let row = &tables.rows[0];
    assert_eq!(reason(&row.used), "perf_event_open: not permitted");
    assert_eq!(reason(&row.memory_time), "perf_event_open: not permitted");
    assert_eq!(reason(&row.first_touch), "kernel.perf_event_paranoid is 3");
    assert_eq!(reason(&row.pages), "not allocated when pages were sampled");
    assert_eq!(reason(&row.huge), "the size of its pages was not asked for");
    assert_eq!(reason(&tables.cost), "nothing was sampled");
    assert!(reason(&tables.fast_memory).contains("no memory that is known to be fast"));
}

#[test]
fn objects_of_several_processes_are_rows_of_their_own() {
    let other = Pid(5000);
    let mut child = grid();
    child.process = other;
    child.uses.iter_mut().for_each(|of| of.thread += 4);
    let mut seen = run(two_sockets(), vec![grid(), child]);
    let more: Vec<_> = seen
        .threads
        .iter()
        .map(|of| numawise_facts::objects::ObjectThread { process: other, ..of.clone() })
        .collect();
    seen.threads.extend(more);
    let tables = objects(&seen);
    let processes: Vec<_> = tables.rows.iter().map(|row| row.process).collect();
    assert_eq!(processes, [sample::PROCESS, other]);
    let used = tables.rows[1].used.measured().unwrap();
    let threads: Vec<_> = used.threads.iter().map(|of| (of.thread, of.number)).collect();
    assert_eq!(threads, [(4, 0), (5, 1), (6, 2), (7, 3)], "numbers begin anew in each process");
    for row in &tables.rows {
        assert_eq!(row.memory_time.measured().map(|share| share.value), Some(Ratio(0.5)));
    }
}

#[test]
fn where_pages_lie_is_said_of_the_moment_with_most_bytes_and_shown_over_time() {
    let mut grown = grid().lying(&[(0, 100), (1, 300)]).lying(&[]);
    if let Reading::Measured(moments) = &mut grown.pages {
        moments[1].bytes = Bytes::mib(128);
    }
    let tables = objects(&run(two_sockets(), vec![grown]));
    let row = &tables.rows[0];
    let at_peak: Vec<_> = row.pages.measured().unwrap().iter().map(|of| (of.node, of.share.0)).collect();
    assert_eq!(at_peak, [(Some(NodeId(1)), 0.75), (Some(NodeId(0)), 0.25)]);
    let residence = row.residence.measured().unwrap();
    let moments: Vec<_> = residence.iter().map(|of| (of.at, of.nodes.len())).collect();
    assert_eq!(
        moments,
        [(Nanoseconds(20_000_000), 1), (Nanoseconds(40_000_000), 2), (Nanoseconds(60_000_000), 0)]
    );
}

#[test]
fn lines_to_be_read_are_those_that_are_shown() {
    let lines = object_source_lines(&objects(&run(two_sockets(), vec![grid()])));
    let expected =
        [("/home/me/wave/grid.cpp", 17), ("/home/me/wave/kernel.cpp", 88), ("/home/me/wave/wave.cpp", 41)];
    assert_eq!(lines.iter().map(|(file, line)| (file.as_str(), *line)).collect::<Vec<_>>(), expected);
    assert!(object_source_lines(&objects(&run(two_sockets(), vec![]))).is_empty());
}

#[test]
fn an_object_without_lines_has_the_innermost_place_and_one_without_a_stack_its_reason() {
    let no_lines = MemoryObject { allocated: Reading::Measured(vec![4]), ..grid() };
    let no_stack = MemoryObject { allocated: Reading::Measured(vec![]), ..grid() };
    let broken = MemoryObject { allocated: Reading::Measured(vec![99]), ..grid() };
    let only_header = MemoryObject { allocated: Reading::Measured(vec![0, 4]), ..grid() };
    let tables = objects(&run(two_sockets(), vec![no_lines, no_stack, broken, only_header]));
    let function = |k: usize| {
        let row = tables.rows.iter().find(|row| row.object == k).unwrap();
        row.allocated.measured().and_then(|place| place.source.function.measured().cloned())
    };
    assert_eq!(function(0).as_deref(), Some("inner"));
    assert_eq!((function(1), function(2)), (None, None));
    assert_eq!(function(3).as_deref(), Some("allocate"), "better than none");
}

#[test]
fn of_very_many_objects_the_rest_is_summed() {
    let many = (0..1200).map(|k| object("x", Bytes(1000 + k))).chain([grid()]).collect();
    let tables = objects(&run(two_sockets(), many));
    assert_eq!(tables.rows.len(), MOST_ROWS);
    assert_eq!(tables.rows[0].object, 1200, "what is used comes first");
    assert_eq!(tables.rows[1].bytes, Bytes(2199), "then the largest");
    let sum: u64 = (0..201).map(|k| 1000 + k).sum();
    assert_eq!(tables.left_out, (201, Bytes(sum)));
}

#[test]
fn a_node_without_cpus_is_local_to_those_that_it_is_near_to() {
    let on_fast = |near: &str| {
        let mut machine = crate::sample::with_hbm();
        machine.nodes[2].near = near.parse().unwrap();
        let fast = object("u", Bytes::mib(64)).used(&EQUALLY, Pattern::Divided, |_| Some(2));
        objects(&run(machine, vec![fast])).rows[0].used.measured().unwrap().remote.clone()
    };
    assert_eq!(on_fast("0-3"), Reading::Measured(Ratio(0.5)), "threads 2 and 3 run on CPUs 4 and 5");
    assert!(reason(&on_fast("")).contains("too few samples"), "nobody knows what it is near to");
}

#[test]
fn a_program_without_cpu_time_has_no_share_of_it() {
    let mut seen = run(two_sockets(), vec![]);
    seen.header.usage.user = Reading::Measured(Nanoseconds(0));
    seen.header.usage.system = Reading::Measured(Nanoseconds(0));
    assert!(reason(&objects(&seen).cost).contains("no CPU time"));
}

proptest! {
    /// Whatever was counted, shares are of 1 and add up to it, and nothing is said that was not seen.
    #[test]
    fn shares_add_up(
        used in prop::collection::vec((0u32..6, 0u32..12, 0.0f64..300.0, 0.0f64..1.0), 0..30),
        touched in prop::collection::vec((0u32..6, 0u64..100), 0..10),
    ) {
        let mut one = object("u", Bytes::mib(64)).touched(&touched.iter().map(|(t, n)| (*t % 4, *n)).collect::<Vec<_>>());
        one.uses = used.iter().map(|(thread, cpu, samples, reads)| ObjectUse {
            thread: *thread, cpu: CpuId(*cpu), node: Some(NodeId(*cpu % 3)), samples: *samples, reads: samples * reads,
        }).collect();
        let tables = objects(&run(two_sockets(), vec![one, grid()]));
        for row in &tables.rows {
            if let Some(share) = row.memory_time.measured() {
                prop_assert!(0.0 <= share.low.0 && share.low <= share.value && share.value <= share.high && share.high.0 <= 1.0);
            }
            if let Some(used) = row.used.measured() {
                for sum in [
                    used.nodes.iter().map(|of| of.share.0).sum::<f64>(),
                    used.threads.iter().map(|of| of.share.0).sum(),
                    used.users.iter().map(|of| of.of.share.0).sum(),
                ] {
                    prop_assert!((sum - 1.0).abs() < 1e-6, "{sum}");
                }
                let reads: f64 = used.users.iter().map(|of| of.of.share.0 * of.reads.0).sum();
                prop_assert!((reads - used.reads.0).abs() < 1e-6);
            }
            if let Some(touch) = row.first_touch.measured() {
                prop_assert!(touch.faults >= LEAST_FAULTS);
                prop_assert!((touch.touchers.iter().map(|of| of.of.share.0).sum::<f64>() - 1.0).abs() < 1e-6);
            }
        }
    }
}
