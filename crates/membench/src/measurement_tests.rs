use std::sync::atomic::AtomicU32;

use numawise_facts::{Depth, Ignore, Mix, Target, Workers};

use super::*;
use crate::{fixture, kernels};

/// A measurement so small that a test may make it.
fn small(depth: Depth) -> MeasurementRequest {
    MeasurementRequest {
        most_memory: Some(Bytes::mib(8)),
        mixes: vec![Mix::Read, Mix::Triad],
        ..fixture::request(depth)
    }
}

/// Short steps, and all of them.
const SHORT: TimeLimits = TimeLimits { share: 0.1, patience: f64::INFINITY };

fn measured(request: &MeasurementRequest) -> Profile {
    run_within(SHORT, &fixture::live(), request, &mut Ignore, &AtomicBool::new(false)).unwrap()
}

#[test]
fn a_quick_measurement_fills_every_cell() {
    let profile = measured(&small(Depth::Quick));
    assert!(profile.header.complete);
    assert!(!profile.latency.is_empty() && !profile.bandwidth.is_empty());
    for cell in &profile.latency {
        let latency = cell.latency.measured().unwrap_or_else(|| panic!("{cell:?}"));
        assert!(
            latency.low.0 <= latency.median.0 && latency.median.0 <= latency.high.0 && latency.low.0 > 0.0
        );
        assert!(cell.bytes.measured().is_some_and(|bytes| *bytes <= Bytes::mib(8)));
        assert!(cell.with_tlb_misses.reason().unwrap().to_string().contains("quick"));
    }
    for cell in &profile.bandwidth {
        assert!(cell.rate.measured().is_some_and(|rate| rate.median.0 > 1e6), "{cell:?}");
        // There is memory for one buffer, and nobody knows of others.
        assert!(cell.buffers.reason().unwrap().to_string().contains("one buffer only"), "{cell:?}");
        // Which loop it was, and what all that were tried came to.
        let with = cell.with.measured().unwrap_or_else(|| panic!("{cell:?}"));
        let tried: Vec<_> = with.trials.iter().map(|trial| trial.candidate).collect();
        let candidates: Vec<_> =
            kernels::Kernel::candidates(cell.mix).into_iter().map(|kernel| kernel.which).collect();
        assert_eq!(tried, candidates);
        assert!(tried.contains(&with.chosen));
        let won = with.trials.iter().find(|trial| trial.candidate == with.chosen);
        let rate = |trial: &numawise_facts::LoopTrial| trial.rate.measured().map(|rate| rate.median.0);
        assert!(with.trials.iter().all(|trial| rate(trial) <= rate(won.unwrap())), "{with:?}");
    }
    let nodes = profile.header.nodes.len();
    assert!(
        profile.bandwidth.iter().any(|cell| cell.workers == Workers::Machine && cell.target == Target::Local)
    );
    assert!(
        nodes > 0 && profile.header.took.measured().is_some() && profile.header.taken.measured().is_some()
    );
    let small = |notice: &Notice| {
        let Notice::Membench(MembenchNotice::BufferNearCaches { because, .. }) = notice else { return false };
        matches!(because, BufferLimit::Request { .. })
    };
    assert!(profile.header.notices.iter().any(small), "{:?}", profile.header.notices);
}

#[test]
fn figures_tell_how_far_buffers_differ() {
    let mut machine = fixture::live();
    // So small that the little memory of a test is three buffers beyond it.
    machine.caches.iter_mut().for_each(|cache| cache.size = Bytes::kib(64));
    let profile =
        run_within(SHORT, &machine, &small(Depth::Quick), &mut Ignore, &AtomicBool::new(false)).unwrap();
    // On a machine that is busy with other things too few buffers may have had a quiet moment.
    let told = |reason: Option<&numawise_facts::Reason>| {
        let reason = reason.unwrap().to_string();
        assert!(reason.contains("undisturbed"), "{reason}");
    };
    for cell in &profile.bandwidth {
        let Some(spread) = cell.buffers.measured() else { return told(cell.buffers.reason()) };
        let rate = cell.rate.measured().unwrap();
        assert!(spread.buffers >= 2 && spread.lowest.0 <= spread.highest.0, "{cell:?}");
        assert!(rate.low.0 <= spread.lowest.0 && spread.highest.0 <= rate.high.0, "{cell:?}");
    }
    for cell in &profile.latency {
        let Some(spread) = cell.buffers.measured() else { return told(cell.buffers.reason()) };
        let latency = cell.latency.measured().unwrap();
        assert!(spread.buffers >= 2, "{cell:?}");
        assert!(latency.low.0 <= spread.lowest.0 && spread.highest.0 <= latency.high.0, "{cell:?}");
    }
}

fn standard() -> Profile {
    let request = MeasurementRequest {
        mixes: vec![Mix::Read],
        most_memory: Some(Bytes::mib(64)),
        ..small(Depth::Standard)
    };
    measured(&request)
}

/// Each has a figure, or says why it has none.
#[test]
fn a_standard_measurement_has_working_sets_transfers_and_loaded_latencies() {
    let profile = standard();
    for curve in &profile.working_sets {
        let sizes: Vec<Bytes> = curve.points.iter().map(|point| point.bytes).collect();
        assert!(sizes.is_sorted() && sizes.contains(&Bytes::kib(16)), "{sizes:?}");
        assert!(*sizes.last().unwrap() >= Bytes::mib(2), "{sizes:?}");
        for point in &curve.points {
            assert!(point.latency.measured().is_none_or(|latency| latency.median.0 > 0.0), "{point:?}");
        }
    }
    for cell in &profile.transfers {
        assert!(cell.latency.measured().is_none_or(|latency| latency.median.0 > 0.0), "{cell:?}");
    }
    for cell in profile.loaded.iter().filter(|cell| cell.threads.measured() != Some(&0)) {
        let Some(points) = cell.points.measured() else { continue };
        assert_eq!(points.len(), crate::plan::DELAYS);
        let delays: Vec<_> = points.iter().filter_map(|point| point.delay.measured()).collect();
        assert!(delays.windows(2).all(|pair| pair[0] > pair[1]), "{delays:?}");
    }
    assert!(profile.latency.iter().all(|cell| cell.with_tlb_misses.measured().is_some()));
    assert!(!profile.working_sets.is_empty() && !profile.loaded.is_empty());
}

#[test]
#[ignore = "timing: latencies of caches and memory"]
fn a_working_set_in_the_first_cache_is_nearer_than_memory() {
    let profile = standard();
    let curve = &profile.working_sets[0];
    let latency =
        |point: &numawise_facts::WorkingSet| Some((point.bytes, point.latency.measured()?.median.0));
    let points: Vec<(Bytes, f64)> = curve.points.iter().filter_map(latency).collect();
    let small = points.iter().find(|(bytes, _)| *bytes == Bytes::kib(16)).unwrap();
    // On a busy machine the largest rings may not be made in the little time of a test.
    let large = points.last().unwrap();
    eprintln!("{:.2} ns in {}, {:.2} ns in {}", small.1, small.0, large.1, large.0);
    assert!(large.0 >= Bytes::mib(2) && small.1 < large.1, "{small:?} {large:?}");
    assert!(
        profile.transfers.iter().all(|cell| cell.latency.measured().is_some()),
        "{:?}",
        profile.transfers
    );
    let loaded = profile.loaded.iter().filter(|cell| cell.threads.measured() != Some(&0));
    assert!(loaded.clone().all(|cell| cell.points.measured().is_some()), "{:?}", profile.loaded);
}

#[test]
fn a_stop_keeps_what_is_done() {
    struct StopAt<'a>(u32, &'a AtomicBool, AtomicU32);
    impl Sink for StopAt<'_> {
        fn event(&mut self, event: Event) {
            if let Event::Step { done, of, .. } = event {
                self.2.store(of, Relaxed);
                self.1.store(done >= self.0, Relaxed);
            }
        }
    }
    let stop = AtomicBool::new(false);
    let mut sink = StopAt(2, &stop, AtomicU32::new(0));
    let profile = run_within(SHORT, &fixture::live(), &small(Depth::Quick), &mut sink, &stop).unwrap();
    assert!(!profile.header.complete && sink.2.load(Relaxed) > 3);
    let empty = profile.latency.iter().filter_map(|cell| cell.latency.reason());
    let stopped = CellError::Stopped.to_string();
    assert!(empty.clone().count() > 0 && empty.map(ToString::to_string).all(|reason| reason == stopped));
    // Stopped before the first step: all cells are there, and empty.
    let profile =
        run_within(SHORT, &fixture::live(), &small(Depth::Quick), &mut Ignore, &AtomicBool::new(true))
            .unwrap();
    assert!(
        !profile.latency.is_empty() && profile.latency.iter().all(|cell| cell.latency.measured().is_none())
    );
}

#[test]
fn too_little_memory_is_a_reason_with_numbers() {
    let request = MeasurementRequest { most_memory: Some(Bytes::kib(512)), ..small(Depth::Quick) };
    let profile = measured(&request);
    for reason in profile.latency.iter().map(|cell| cell.latency.reason().unwrap().to_string()) {
        assert!(reason.contains("512 KiB") && reason.contains("1 MiB"), "{reason}");
    }
    assert!(profile.bandwidth.iter().all(|cell| cell.rate.reason().is_some()));
    assert!(profile.header.complete, "all that was planned was tried");
}

#[test]
fn cpus_that_are_gone_leave_their_cells_with_the_reason() {
    let mut machine = fixture::live();
    // The machine as it was read had a CPU that is no longer there.
    let node = machine.nodes.iter().position(|node| !node.cpus.is_empty()).unwrap();
    let gone = CpuId(8000);
    let mut cpu = machine.cpus[0].clone();
    (cpu.id, cpu.core, cpu.smt) = (gone, 100_000, 0);
    machine.cpus.push(cpu);
    machine.nodes[node].cpus.insert(gone);
    machine.allowed_cpus.insert(gone);
    let id = machine.nodes[node].id;
    let profile =
        run_within(SHORT, &machine, &small(Depth::Quick), &mut Ignore, &AtomicBool::new(false)).unwrap();
    let cell = profile.bandwidth.iter().find(|cell| cell.workers == Workers::Node(id)).unwrap();
    assert!(
        cell.rate.reason().is_some_and(|reason| reason.to_string().contains("CPU 8000 went offline")),
        "{cell:?}"
    );
    assert!(
        profile.latency.iter().any(|cell| cell.latency.measured().is_some()),
        "the first core is still there"
    );
}

#[test]
fn nothing_to_measure_is_an_error() {
    let mut machine = fixture::live();
    machine.allowed_cpus = numawise_units::CpuSet::new();
    let error =
        run_within(SHORT, &machine, &small(Depth::Quick), &mut Ignore, &AtomicBool::new(false)).unwrap_err();
    assert!(error.to_string().contains("CPU"), "{error}");
    let mut machine = fixture::live();
    machine.allowed_nodes = numawise_units::NodeSet::new();
    let error =
        run_within(SHORT, &machine, &small(Depth::Quick), &mut Ignore, &AtomicBool::new(false)).unwrap_err();
    assert!(error.to_string().contains("memory"), "{error}");
}
