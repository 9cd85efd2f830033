use numawise_facts::Mix;
use numawise_facts::notice::BufferLimit;
use numawise_units::{Bytes, CpuId, Latency, NodeId};

use super::*;

fn idle(from: u32, to: u32) -> MeasurementStep {
    MeasurementStep::IdleLatency { from: NodeId(from), to: NodeId(to) }
}

/// Every notice whose text has arguments, with a part of it.
#[test]
fn every_text_has_its_arguments() {
    let because = BufferLimit::Cgroup { left: Bytes(4 << 30), file: "memory.max".to_owned(), nodes: 2 };
    for (notice, part) in [
        (
            MembenchNotice::CpuQuotaMayHaveSlowed { cpus: 1.5, file: "cpu.max".to_owned() },
            "1.50 CPUs (cpu.max)",
        ),
        (MembenchNotice::CachesUnknown { taken: Bytes(32 << 20) }, "hold 32 MiB in each node"),
        (MembenchNotice::NodeNotInPeak { node: NodeId(3) }, "Node 3 has no local memory"),
        (MembenchNotice::TransfersBetweenSomeCores { measured: 64, cores: 128 }, "among 64 of 128 cores"),
        (
            MembenchNotice::BufferNearCaches {
                node: NodeId(1),
                buffer: Bytes(8 << 20),
                caches: Bytes(32 << 20),
                because,
            },
            "with 8 MiB (a quarter of the 4 GiB that memory.max leaves, shared by 2 nodes); the caches are said to hold 32 MiB",
        ),
        (MembenchNotice::NoHugePages { nodes: "0,2".parse().unwrap() }, "on nodes 0,2: TLB misses"),
        (
            MembenchNotice::RingWithinCaches { node: NodeId(1), ring: Bytes(1 << 20) },
            "in 1 MiB of node 1 only",
        ),
        (MembenchNotice::OtherProgramsRan { cpus: 0.35 }, "used 0.3 CPUs on average"),
        (
            MembenchNotice::ProcessorChangedSpeed { cpu: CpuId(0), longer: Ratio(0.25), during: idle(0, 1) },
            "25 % longer on CPU 0 than at its fastest (during: idle latency, node 0 to memory of node 1)",
        ),
        (MembenchNotice::RepetitionsThrownAway { thrown: 1, counted: 9 }, "1 repetition was thrown away"),
        (MembenchNotice::FiguresUnavailable { unavailable: 41, figures: 65 }, "41 of 65 figures"),
        (MembenchNotice::ReadFromMlc { version: "v3.11".to_owned() }, "Latency Checker v3.11"),
        (MembenchNotice::MlcUnchangedLine { latency: Latency(50.5) }, "50.5 ns"),
        (
            MembenchNotice::MlcLineLeftOut { line: "odd".to_owned(), because: MlcLineGap::NotKnown },
            "it is not known here: 'odd'",
        ),
    ] {
        let text = text(&notice);
        assert!(text.contains(part) && !text.ends_with('.'), "{text}");
    }
}

#[test]
fn wide_intervals_name_those_that_no_sentence_rests_on() {
    let wide = |vague| MembenchNotice::WideIntervals {
        wide: 1,
        intervals: 9,
        limit: Ratio(0.05),
        widest: Ratio(0.16),
        vague,
        vague_limit: Ratio(0.25),
    };
    let without = text(&wide(0));
    assert!(
        without.starts_with("1 interval of 9 is wider than ±5 % of the median, at most ±16 %"),
        "{without}"
    );
    let useless = match wide(0) {
        MembenchNotice::WideIntervals { wide, intervals, limit, vague, vague_limit, .. } => {
            let widest = Ratio(5.759);
            MembenchNotice::WideIntervals { wide, intervals, limit, widest, vague, vague_limit }
        }
        other => other,
    };
    assert!(
        text(&useless).contains("of the median, some wider than the figure itself:"),
        "{}",
        text(&useless)
    );
    assert!(!without.contains("no sentence"), "{without}");
    assert!(text(&wide(4)).contains("4 wider than ±25 % are in the tables"), "{}", text(&wide(4)));
}

#[test]
fn of_many_disturbed_steps_some_are_named() {
    let steps = |count: u32| MembenchNotice::DisturbedRepetitionsCount {
        steps: (0..count).map(|node| idle(node, 0)).collect(),
    };
    assert!(text(&steps(5)).ends_with("node 2 to memory of node 0; and 2 more"), "{}", text(&steps(5)));
    assert!(!text(&steps(3)).contains("more"), "{}", text(&steps(3)));
}

#[test]
fn what_there_was_no_time_for_is_named_with_the_time() {
    let left_out = |count: u32| MembenchNotice::StepsLeftOut {
        steps: (0..count).map(|node| idle(node, 0)).collect(),
        budget: numawise_units::Nanoseconds(9_000_000_000),
    };
    let one = text(&left_out(1));
    assert!(one.contains("1 step was left out to keep to 9.000 s"), "{one}");
    assert!(text(&left_out(5)).contains("node 2 to memory of node 0; and 2 more"), "{}", text(&left_out(5)));
}

#[test]
fn levels_of_buffers_are_told_with_the_greatest_difference() {
    let differ =
        |differ| MembenchNotice::BuffersDiffer { differ, figures: 9, limit: Ratio(0.05), most: Ratio(0.17) };
    let one = text(&differ(1));
    assert!(one.starts_with("1 figure of 9 has another level on another buffer, by more than 5 %"), "{one}");
    assert!(
        text(&differ(2)).starts_with("2 figures of 9 have another level") && one.contains("at most 17 %")
    );
}

#[test]
fn every_gap_of_mlcs_tables_has_its_reason() {
    for (because, part) in [
        (MlcTableGap::OtherTable(MlcTable::PeakBandwidths), "there are its peak bandwidths too"),
        (MlcTableGap::Twice, "twice"),
        (MlcTableGap::CutOff, "cut off"),
        (MlcTableGap::Unit("core clocks".to_owned()), "in core clocks"),
        (MlcTableGap::Traffic("8".to_owned()), "-W8"),
    ] {
        let text = text(&MembenchNotice::MlcTableLeftOut { table: MlcTable::MaximumBandwidths, because });
        assert!(text.contains(part) && text.contains("maximum bandwidths"), "{text}");
    }
}

#[test]
fn steps_name_their_nodes() {
    let node = |id| Workers::Node(NodeId(id));
    let bandwidth = |workers, target| step(&MeasurementStep::Bandwidth { workers, target, mix: Mix::Read });
    assert_eq!(bandwidth(node(0), Target::Node(NodeId(1))), "bandwidth, read, node 0 to memory of node 1");
    assert_eq!(
        bandwidth(Workers::Machine, Target::Local),
        "bandwidth, read, all nodes to their local memory"
    );
    let memory = |nodes: &str| step(&MeasurementStep::GetMemory { nodes: nodes.parse().unwrap() });
    assert_eq!(
        (memory("3"), memory("0-1")),
        ("getting memory of node 3".to_owned(), "getting memory of all nodes".to_owned())
    );
}
