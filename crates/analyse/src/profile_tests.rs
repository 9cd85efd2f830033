use numawise_facts::notice::MembenchNotice;
use numawise_facts::{
    BufferPages, Estimate, MemoryKind, Mix, Notice, ProfileOrigin, Reading, Target, Workers,
};
use numawise_tables::{
    CellCall, CellKey, ComparisonStatement, KneeReason, LineHome, MatrixMeasure, NodeCores, ProfileProperty,
    ProfileStatement, RemoteNodes, ValueSpan, VsLocal,
};
use numawise_units::{Bytes, BytesPerSecond, CpuId, Latency, NodeId, NodeSet, Ratio};

use super::*;

/// What is said of other memory than local memory.
fn remote(tables: &ProfileTables) -> Vec<(RemoteNodes, VsLocal<Latency>, VsLocal<BytesPerSecond>)> {
    let one = |statement: &ProfileStatement| match statement {
        ProfileStatement::RemoteMemory { memory, latency, read_bandwidth } => {
            Some((*memory, latency.unwrap(), read_bandwidth.unwrap()))
        }
        _ => None,
    };
    tables.meaning.iter().filter_map(one).collect()
}

/// Bounds of a span in hundredths; twice the same for values that are alike.
fn hundredths<T: Copy>(span: ValueSpan<T>, value: impl Fn(T) -> f64) -> (i64, i64) {
    let (least, most) = match span {
        ValueSpan::Alike(one) => (one, one),
        ValueSpan::Between(least, most) => (least, most),
    };
    let hundredths = |one| (value(one) * 100.0).round() as i64;
    (hundredths(least), hundredths(most))
}

fn hidden_cache(tables: &ProfileTables) -> Option<(u32, Bytes)> {
    tables.meaning.iter().find_map(|statement| match statement {
        ProfileStatement::HiddenCache { level, size, .. } => Some((*level, *size)),
        _ => None,
    })
}

fn median(cell: &numawise_tables::Cell) -> f64 {
    cell.as_ref().unwrap().measured().unwrap().median
}

#[test]
fn two_sockets_are_told_in_tables_and_statements() {
    let shape = sample::two_sockets();
    let tables = profile(&shape.profile(), Some(&shape.machine()));
    let latency = tables.matrix(MatrixMeasure::IdleLatency).unwrap();
    assert_eq!((latency.rows.len(), latency.columns.len(), latency.range), (2, 2, Some((80.1, 140.2))));
    let beside = tables.matrix(MatrixMeasure::LatencyVsLocal).unwrap();
    assert_eq!(median(&beside.cells[0][0]), 1.0);
    assert!((median(&beside.cells[0][1]) - 140.2 / 80.1).abs() < 1e-12);
    for mix in Mix::ALL {
        assert!(tables.matrix(MatrixMeasure::Bandwidth { cores: NodeCores::All, mix }).is_some(), "{mix}");
    }
    let (memory, latency, read_bandwidth) = remote(&tables)[0];
    assert_eq!(memory, RemoteNodes::WithCpus { nodes: 2 });
    assert_eq!(hundredths(latency.ratio, |ratio| ratio.0), (175, 175));
    assert_eq!((latency.remote.median, latency.local.median), (Latency(140.2), Latency(80.1)));
    assert_eq!(hundredths(read_bandwidth.ratio, |ratio| ratio.0), (40, 40));
    let said = |is: fn(&ProfileStatement) -> bool| tables.meaning.iter().any(is);
    assert!(
        said(
            |statement| matches!(statement, ProfileStatement::SingleCoreBandwidth { rate, share, no_less_than_all: false, .. }
            if hundredths(*rate, |rate| rate.0 / 1e8) == (13100, 13100) && hundredths(*share, |share| share.0) == (14, 14))
        ),
        "{:#?}",
        tables.meaning
    );
    assert!(said(
        |statement| matches!(statement, ProfileStatement::ShareOfDeclared { share, exceeded: false }
        if hundredths(*share, |share| share.0) == (87, 87))
    ));
    let transfers = |statement: &ProfileStatement| match statement {
        ProfileStatement::Transfers { same_node: Some(same), other_node: Some(other) } => {
            Some(other.median.0 / same.median.0)
        }
        _ => None,
    };
    let ratio = tables.meaning.iter().find_map(transfers).expect("transfers are known");
    assert_eq!((ratio * 100.0).round(), 247.0);
    assert!(tables.notices.is_empty(), "{:?}", tables.notices);
}

#[test]
fn nodes_without_cpus_are_compared_with_their_nearest() {
    let shape = sample::hbm();
    let tables = profile(&shape.profile(), None);
    let latency = tables.matrix(MatrixMeasure::IdleLatency).unwrap();
    assert_eq!((latency.rows.len(), latency.columns.len()), (2, 4));
    let without = remote(&tables)[1];
    assert_eq!(without.0, RemoteNodes::WithoutCpus { nodes: 2, memory: MemoryKind::Hbm });
    assert_eq!(hundredths(without.1.ratio, |ratio| ratio.0), (118, 118));
    assert_eq!(hundredths(without.2.ratio, |ratio| ratio.0), (289, 289));
    assert_eq!((without.2.remote.median.0, without.2.local.median.0), (341e9, 118e9));
}

/// A node of which nothing could be measured is not counted among those that are told.
#[test]
fn what_is_unknown_is_not_told() {
    let mut profile_of_three = sample::hbm().profile();
    let why = "the node has no free memory";
    for cell in profile_of_three.latency.iter_mut().filter(|cell| cell.to == NodeId(3)) {
        cell.latency = Reading::unavailable(why);
    }
    let there = |cell: &&mut numawise_facts::Bandwidth| cell.target == Target::Node(NodeId(3));
    for cell in profile_of_three.bandwidth.iter_mut().filter(there) {
        cell.rate = Reading::unavailable(why);
    }
    let tables = profile(&profile_of_three, None);
    let (memory, latency, _) = remote(&tables)[1];
    let (from, to) = (NodeId(0), NodeId(2));
    assert_eq!(memory, RemoteNodes::Pair { from, to, memory: MemoryKind::Hbm });
    assert_eq!(hundredths(latency.ratio, |ratio| ratio.0), (118, 118));
}

#[test]
fn many_nodes_are_told_as_a_span_with_the_worst() {
    let tables = profile(&sample::eight().profile(), None);
    let (_, latency, _) = remote(&tables)[0];
    assert_eq!(hundredths(latency.ratio, |ratio| ratio.0), (122, 233));
    assert_eq!((latency.remote.median, latency.local.median), (Latency(215.0), Latency(92.4)));
    assert_eq!((latency.from, latency.to), (NodeId(0), NodeId(7)));
    assert_eq!(tables.cores[0].cpus.len(), 64);
    assert_eq!(tables.matrix(MatrixMeasure::Transfers(LineHome::Owner)).unwrap().rows.len(), 8);
}

#[test]
fn what_is_missing_stays_missing_with_its_reason() {
    let tables = profile(&sample::poor(), None);
    let triad = tables.matrix(MatrixMeasure::Bandwidth { cores: NodeCores::All, mix: Mix::Triad }).unwrap();
    let reason = triad.cells[0][0].as_ref().unwrap().reason().unwrap();
    assert!(reason.0.contains("free memory") && triad.range.is_none());
    assert_eq!(tables.declared.reason().unwrap().0, "the firmware declares nothing (no HMAT)");
    assert!(tables.loaded.iter().all(|curve| curve.knee.reason().unwrap().0.contains("one core")));
    assert!(tables.transfers[0].spread.reason().is_some() && tables.transfers[0].unavailable == 2);
    assert!(tables.working_sets[0].caches.reason().is_some());
    for notice in [
        MembenchNotice::StoppedBeforeItsEnd,
        MembenchNotice::NoHugePages { nodes: NodeSet::single(NodeId(0)) },
        MembenchNotice::FiguresUnavailable { unavailable: 41, figures: 65 },
    ] {
        assert!(tables.notices.contains(&notice.clone().into()), "{notice:?}: {:?}", tables.notices);
    }
    // With one node there is nothing but local memory.
    assert!(tables.matrix(MatrixMeasure::LatencyVsLocal).is_none());
}

/// Firmware that declares next to nothing says nothing of this memory: no share of 33569335.9 %.
#[test]
fn a_share_of_what_cannot_be_meant_is_unavailable() {
    let share = |declared: f64| {
        let mut measured = sample::two_sockets().profile();
        let rate = measured.bandwidth[0].rate.measured().unwrap().median.0;
        measured.bandwidth.truncate(1);
        measured.bandwidth[0].declared = Reading::Measured(BytesPerSecond(rate * declared));
        profile(&measured, None).declared.measured().unwrap()[0].share.clone()
    };
    assert_eq!(share(0.5), Reading::Measured(Ratio(2.0)));
    assert!(share(0.009).reason().unwrap().0.starts_with("more than 100 times what the firmware declares"));
    assert!(share(1e-300).measured().is_none());
}

#[test]
fn nothing_at_all_makes_empty_tables() {
    let mut empty = sample::quick().profile();
    (empty.latency, empty.bandwidth, empty.header.nodes) = (Vec::new(), Vec::new(), Vec::new());
    let tables = profile(&empty, None);
    assert!(tables.matrices.is_empty() && tables.peaks.is_empty() && tables.meaning.is_empty());
    assert!(tables.declared.reason().is_some());
    let comparison = compare_profiles(&empty, &empty);
    let nothing = ComparisonStatement::NothingInCommon;
    assert!(comparison.meaning.contains(&nothing), "{:?}", comparison.meaning);
}

/// A file may hold anything: what cannot have been measured is no figure, and says so.
#[test]
fn figures_that_cannot_be_are_unavailable() {
    for median in [0.0, -3.0, f64::NAN, f64::INFINITY] {
        let mut broken = sample::two_sockets().profile();
        let same = Latency(median);
        let bad = Estimate { median: same, low: same, high: same, samples: 7, disturbed: 0 };
        broken.latency[0].latency = Reading::Measured(bad);
        let tables = profile(&broken, None);
        let latency = tables.matrix(MatrixMeasure::IdleLatency).unwrap();
        let reason = latency.cells[0][0].as_ref().unwrap().reason().unwrap();
        assert!(reason.0.contains("cannot have been measured"), "{reason}");
        // Nor is anything beside it.
        let beside = tables.matrix(MatrixMeasure::LatencyVsLocal).unwrap();
        assert!(beside.cells[0].iter().all(|cell| cell.as_ref().unwrap().measured().is_none()));
        assert!(beside.cells[1].iter().all(|cell| cell.as_ref().unwrap().measured().is_some()));
    }
    // An interval that does not hold its median.
    let mut broken = sample::quick().profile();
    let Reading::Measured(estimate) = &mut broken.latency[0].latency else { panic!() };
    estimate.low = Latency(estimate.median.0 + 1.0);
    let tables = profile(&broken, None);
    assert!(tables.matrices[0].cells[0][0].as_ref().unwrap().reason().is_some());
}

#[test]
fn caches_are_named_where_the_machine_is_known() {
    let shape = sample::two_sockets();
    let tables = profile(&shape.profile(), Some(&shape.machine()));
    let curve = &tables.working_sets[0];
    let steps = curve.caches.measured().unwrap();
    assert_eq!(steps.iter().map(|step| step.level).collect::<Vec<_>>(), [1, 2, 3]);
    assert!((steps[0].latency.measured().unwrap().0 - 1.2).abs() < 0.2, "{steps:?}");
    assert_eq!(steps[2].shared_by, 8);
    assert!(curve.memory.measured().unwrap().0 > 70.0);
    let mut short = shape.profile();
    short.working_sets[0].points.truncate(12);
    let tables = profile(&short, Some(&shape.machine()));
    let steps = tables.working_sets[0].caches.measured().unwrap();
    assert!(steps[2].latency.reason().unwrap().0.contains("fits into this cache"));
    assert!(tables.working_sets[0].memory.reason().unwrap().0.contains("60 MiB"));
}

/// A guest may be told of a cache that others fill.
#[test]
fn a_cache_that_does_not_show_is_said() {
    let shape = sample::two_sockets();
    let mut guest = shape.profile();
    assert_eq!(hidden_cache(&profile(&guest, Some(&shape.machine()))), None);
    for point in guest.working_sets[0].points.iter_mut().filter(|point| point.bytes > Bytes::mib(3)) {
        point.latency = Reading::Measured(sample::estimate(79.0, Latency));
    }
    let tables = profile(&guest, Some(&shape.machine()));
    assert_eq!(hidden_cache(&tables), Some((3, Bytes::mib(60))));
    assert_eq!(hidden_cache(&profile(&guest, None)), None);
}

#[test]
fn a_knee_is_where_latency_doubles_or_bandwidth_ends() {
    let point = |gbs: f64, ns: f64| numawise_facts::LoadPoint {
        delay: Reading::unavailable("made up"),
        bandwidth: sample::estimate(gbs * 1e9, BytesPerSecond),
        latency: sample::estimate(ns, Latency),
    };
    let curve = |points: Vec<numawise_facts::LoadPoint>| {
        let mut made = sample::two_sockets().profile();
        made.loaded.truncate(1);
        made.loaded[0].points = Reading::Measured(points);
        profile(&made, None).loaded.remove(0)
    };
    let bends = curve(vec![point(1.0, 100.0), point(50.0, 150.0), point(60.0, 250.0), point(100.0, 900.0)]);
    let knee = bends.knee.measured().unwrap();
    assert_eq!(knee.why, KneeReason::LatencyDoubled);
    assert!((knee.bandwidth.0 - 55e9).abs() < 1.0 && (knee.share.0 - 0.55).abs() < 1e-9);
    let flat = curve(vec![point(1.0, 100.0), point(96.0, 150.0), point(100.0, 180.0)]);
    assert_eq!(flat.knee.measured().unwrap().why, KneeReason::NearPeak);
    assert!(flat.doubled.reason().unwrap().0.contains("1.80x"), "{:?}", flat.doubled);
    assert_eq!(flat.peak.measured().unwrap().0.0, 100e9);
    // One disturbed point on the way is no knee.
    let bump = curve(vec![point(1.0, 100.0), point(20.0, 400.0), point(50.0, 120.0), point(60.0, 300.0)]);
    assert!(bump.knee.measured().unwrap().bandwidth.0 > 50e9, "{:?}", bump.knee);
    // What is twice of a latency that is not known is not known.
    let mut vague = point(1.0, 100.0);
    (vague.latency.low, vague.latency.high) = (Latency(60.0), Latency(160.0));
    let vague = curve(vec![vague, point(50.0, 300.0)]);
    assert_eq!(vague.knee.reason().unwrap().0, "the latency at the least load is known only to ±50 %");
    let mut useless = point(1.0, 100.0);
    (useless.latency.low, useless.latency.high) = (Latency(10.0), Latency(910.0));
    let useless = curve(vec![useless, point(50.0, 300.0)]);
    assert!(useless.knee.reason().unwrap().0.ends_with("wider than the figure itself"));
    assert!(vague.doubled.reason().is_some() && vague.peak.measured().is_some());
    let none = curve(Vec::new());
    assert!(none.knee.reason().unwrap().0.contains("no point"));
    // One point is its own peak.
    assert_eq!(curve(vec![point(1.0, 100.0)]).knee.measured().unwrap().share.0, 1.0);
}

/// How many intervals are wide, and half of the widest in percent of its median; how many are too vague for sentences.
#[test]
fn levels_that_differ_between_buffers_are_told() {
    let of = |notices: &[Notice]| {
        notices.iter().find_map(|notice| match notice {
            Notice::Membench(MembenchNotice::BuffersDiffer { differ, most, .. }) => {
                Some((*differ, (most.0 * 100.0).round() as i64))
            }
            _ => None,
        })
    };
    let mut taken = sample::two_sockets().profile();
    assert_eq!(of(&profile(&taken, None).notices), None, "the sample's are a percent apart");
    let cell = &mut taken.bandwidth[0];
    let median = cell.rate.measured().unwrap().median.0;
    let at = |share: f64| BytesPerSecond(median * share);
    let spread =
        |apart| numawise_facts::BufferSpread { lowest: at(0.84), highest: at(1.0), buffers: 3, apart };
    cell.buffers = Reading::Measured(spread(true));
    assert_eq!(of(&profile(&taken, None).notices), Some((1, 16)));
    taken.bandwidth[0].buffers = Reading::Measured(spread(false));
    assert_eq!(of(&profile(&taken, None).notices), None, "repetitions differ as much");
}

fn wide(notices: &[Notice]) -> Option<((u32, i64), u32)> {
    notices.iter().find_map(|notice| match notice {
        Notice::Membench(MembenchNotice::WideIntervals { wide, widest, vague, .. }) => {
            Some(((*wide, (widest.0 * 100.0).round() as i64), *vague))
        }
        _ => None,
    })
}

/// Statements rest on figures that are known well enough; the tables have all.
#[test]
fn no_statement_rests_on_a_vague_figure() {
    let mut vague = sample::two_sockets().profile();
    for cell in &mut vague.latency {
        let Reading::Measured(estimate) = &mut cell.with_tlb_misses else { panic!() };
        (estimate.low, estimate.high) = (Latency(estimate.median.0 * 0.4), Latency(estimate.median.0 * 2.0));
    }
    let tables = profile(&vague, None);
    let rests = |statement: &ProfileStatement| matches!(statement, ProfileStatement::TlbMisses { .. });
    assert!(!tables.meaning.iter().any(rests), "{:#?}", tables.meaning);
    let (_, vague) = wide(&tables.notices).expect("wide intervals are noticed");
    assert_eq!(vague, 4, "{:?}", tables.notices);
    let misses = tables.matrix(MatrixMeasure::LatencyWithTlbMisses).unwrap();
    assert!(misses.range.is_some() && misses.widest.unwrap().0 > 0.7);
}

#[test]
fn a_core_that_reads_as_much_as_all_is_told_so() {
    let mut fast = sample::two_sockets().profile();
    for cell in fast.bandwidth.iter_mut().filter(|cell| matches!(cell.workers, Workers::Core(_))) {
        cell.rate = Reading::Measured(sample::estimate(99e9, BytesPerSecond));
    }
    let tables = profile(&fast, None);
    let as_much = |statement: &ProfileStatement| {
        matches!(
            statement,
            ProfileStatement::SingleCoreBandwidth { cores: Some(8), no_less_than_all: true, .. }
        )
    };
    assert!(tables.meaning.iter().any(as_much), "{:#?}", tables.meaning);
}

#[test]
fn a_noisy_measurement_is_said() {
    let mut noisy = sample::two_sockets().profile();
    let Reading::Measured(estimate) = &mut noisy.latency[0].latency else { panic!() };
    (estimate.low, estimate.high, estimate.disturbed) = (Latency(70.0), Latency(95.0), 3);
    let notices = profile(&noisy, None).notices;
    let thrown = |notice: &Notice| {
        matches!(notice, Notice::Membench(MembenchNotice::RepetitionsThrownAway { thrown: 3, .. }))
    };
    assert!(notices.iter().any(thrown), "{notices:?}");
    let (wide, _) = wide(&notices).expect("a wide interval is noticed");
    assert_eq!(wide, (1, 16), "{notices:?}");
    noisy.header.origin = ProfileOrigin::Mlc("3.11".to_owned());
    noisy.latency[1].pages = Reading::Measured(BufferPages::Small);
    let notices = profile(&noisy, None).notices;
    let from_mlc = MembenchNotice::ReadFromMlc { version: "3.11".to_owned() };
    let small = MembenchNotice::NoHugePages { nodes: NodeSet::single(NodeId(1)) };
    assert!(notices.contains(&from_mlc.into()) && notices.contains(&small.into()), "{notices:?}");
}

/// The text of MLC names no CPUs, for nodes or for transfers.
#[test]
fn cpus_may_be_unknown() {
    let mut foreign = sample::two_sockets().profile();
    let why = || Reading::unavailable("the text names no CPUs");
    for node in &mut foreign.header.nodes {
        node.cpus = why();
    }
    for transfer in &mut foreign.transfers {
        (transfer.owner, transfer.reader) = (Reading::unavailable("-"), Reading::unavailable("-"));
    }
    let tables = profile(&foreign, None);
    let (memory, latency, _) = remote(&tables)[0];
    assert_eq!(memory, RemoteNodes::WithCpus { nodes: 2 });
    assert_eq!(hundredths(latency.ratio, |ratio| ratio.0), (175, 175));
    assert!(tables.cores.is_empty());
    assert!(tables.matrix(MatrixMeasure::Transfers(LineHome::Owner)).is_some());
    let comparison = compare_profiles(&foreign, &foreign);
    assert!(comparison.cells.iter().any(|cell| matches!(cell.cell, CellKey::TransferOfNodes { .. })));
}

mod comparing {
    use super::*;

    #[test]
    fn a_profile_beside_itself_has_no_difference() {
        for shape in [sample::two_sockets(), sample::hbm(), sample::quick()] {
            let one = shape.profile();
            let comparison = compare_profiles(&one, &one);
            assert!(comparison.cells.iter().all(|cell| cell.call == CellCall::Same));
            assert!(comparison.differences.is_empty() && comparison.only_a.is_empty());
            let none = |statement: &ComparisonStatement| {
                matches!(statement, ComparisonStatement::NoClearDifference { .. })
            };
            assert!(comparison.meaning.iter().any(none), "{:?}", comparison.meaning);
        }
    }

    fn changed(factor: f64, key: CellKey) -> CellCall {
        let one = sample::two_sockets().profile();
        let mut other = one.clone();
        other.latency[1].latency = Reading::Measured(sample::estimate(140.2 * factor, Latency));
        let rate = sample::estimate(95.2e9 * factor, BytesPerSecond);
        let cell = other.bandwidth.iter_mut().find(|cell| {
            (cell.workers, cell.target, cell.mix)
                == (Workers::Node(NodeId(0)), Target::Node(NodeId(0)), Mix::Read)
        });
        cell.unwrap().rate = Reading::Measured(rate);
        let comparison = compare_profiles(&one, &other);
        comparison.cells.iter().find(|cell| cell.cell == key).unwrap().call
    }

    #[test]
    fn more_bandwidth_is_better_and_more_latency_worse() {
        let latency = CellKey::IdleLatency { from: NodeId(0), to: NodeId(1) };
        let (workers, target) = (Workers::Node(NodeId(0)), Target::Node(NodeId(0)));
        let rate = CellKey::Bandwidth { workers, target, mix: Mix::Read };
        for (factor, of_latency, of_rate) in [
            (1.2, CellCall::Worse, CellCall::Better),
            (0.8, CellCall::Better, CellCall::Worse),
            (1.02, CellCall::Same, CellCall::Same),
        ] {
            assert_eq!(changed(factor, latency), of_latency, "{factor}");
            assert_eq!(changed(factor, rate), of_rate, "{factor}");
        }
    }

    #[test]
    fn wide_intervals_and_single_measurements_decide_nothing() {
        let one = sample::two_sockets().profile();
        let mut other = one.clone();
        let wide = |samples| Estimate {
            median: Latency(100.0),
            low: Latency(70.0),
            high: Latency(130.0),
            samples,
            disturbed: 0,
        };
        other.latency[0].latency = Reading::Measured(wide(7));
        other.latency[1].latency = Reading::Measured(wide(1));
        let comparison = compare_profiles(&one, &other);
        let of = |to| {
            let key = CellKey::IdleLatency { from: NodeId(0), to: NodeId(to) };
            comparison.cells.iter().find(|cell| cell.cell == key).unwrap()
        };
        assert_eq!((of(0).call, of(1).call), (CellCall::Open, CellCall::Open));
        assert!(of(0).ratio.measured().unwrap().interval.measured().is_some());
        assert!(of(1).ratio.measured().unwrap().interval.reason().is_some());
        let undecided = ComparisonStatement::Undecided { figures: 2, margin: Ratio(comparison.margin) };
        assert!(comparison.meaning.contains(&undecided), "{:?}", comparison.meaning);
    }

    #[test]
    fn other_machines_and_cells_of_one_profile_are_named() {
        let (one, mut other) = (sample::two_sockets().profile(), sample::hbm().profile());
        other.header.fingerprint.topology = Reading::Measured("fedcba9876543210".to_owned());
        other.header.fingerprint.kernel = Reading::Measured("6.8.0".to_owned());
        other.header.fingerprint.firmware = Reading::unavailable("permission denied");
        let comparison = compare_profiles(&one, &other);
        let whats: Vec<String> = comparison.differences.iter().map(|d| d.property.to_string()).collect();
        assert_eq!(whats, ["topology", "kernel", "firmware", "depth"]);
        let property = ProfileProperty::Topology;
        assert!(comparison.meaning.contains(&ComparisonStatement::DifferentMachines { property }));
        let of_first = CellKey::Transfer { owner: CpuId(0), reader: CpuId(1), home: NodeId(0) };
        assert!(comparison.only_a.contains(&of_first) && !comparison.only_b.is_empty());
        let total = comparison.cells.len() + comparison.only_a.len();
        let unique: std::collections::HashSet<_> =
            comparison.cells.iter().map(|cell| cell.cell).chain(comparison.only_a.clone()).collect();
        assert_eq!(unique.len(), total);
    }

    #[test]
    fn what_one_could_not_measure_is_unknown() {
        let comparison = compare_profiles(&sample::poor(), &sample::quick().profile());
        let key = CellKey::LatencyWithTlbMisses { from: NodeId(0), to: NodeId(0) };
        let cell = comparison.cells.iter().find(|cell| cell.cell == key).unwrap();
        assert_eq!(cell.call, CellCall::Unknown);
        assert_eq!(cell.ratio.reason().unwrap().0, "stopped before it was measured");
        let only_first = |statement: &ComparisonStatement| {
            matches!(statement, ComparisonStatement::OnlyInOne { first: 1.., .. })
        };
        assert!(comparison.meaning.iter().any(only_first), "{:?}", comparison.meaning);
    }

    proptest::proptest! {
        /// The ratio lies in its interval, and turned around it is the inverse.
        #[test]
        fn ratios_turn_around(a in 1.0..1e12f64, b in 1.0..1e12f64) {
            let mut one = sample::quick().profile();
            let mut other = one.clone();
            one.latency[0].latency = Reading::Measured(sample::estimate(a, Latency));
            other.latency[0].latency = Reading::Measured(sample::estimate(b, Latency));
            let there = compare_profiles(&one, &other);
            let back = compare_profiles(&other, &one);
            let (there, back) = (there.cells[0].ratio.measured().unwrap(), back.cells[0].ratio.measured().unwrap());
            let (low, high) = there.interval.measured().unwrap();
            proptest::prop_assert!(low.0 <= there.ratio.0 && there.ratio.0 <= high.0);
            proptest::prop_assert!((there.ratio.0 * back.ratio.0 - 1.0).abs() < 1e-9);
            let (_, back_high) = back.interval.measured().unwrap();
            proptest::prop_assert!((low.0 * back_high.0 - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn the_size_of_a_set_is_in_its_key() {
    let key = CellKey::WorkingSet { from: NodeId(0), to: NodeId(1), bytes: Bytes::mib(4) };
    assert_eq!(key.to_string(), "latency in 4 MiB from node 0 to node 1");
}
