//! The machine of a record.

use numawise_facts::memory::MemoryKindEvidence;
use numawise_facts::{Figure, Machine, Node, Notice};
use numawise_units::{Bytes, CpuId, NodeId};

use super::{Sound, bytes, ensure, notices};

/// `of` is where the machine stands, for the place of a flaw.
pub fn machine(machine: &Machine, of: &str) -> Sound {
    let place = |part: &str| format!("{of}.{part}");
    let mut before: Option<CpuId> = None;
    for (k, cpu) in machine.cpus.iter().enumerate() {
        let expected = "CPUs in ascending order, each once";
        ensure(
            before.is_none_or(|before| before < cpu.id),
            || place(&format!("cpus[{k}].id")),
            cpu.id,
            expected,
        )?;
        before = Some(cpu.id);
    }
    let mut before: Option<NodeId> = None;
    let mut memory = Bytes(0);
    for (k, node) in machine.nodes.iter().enumerate() {
        let expected = "nodes in ascending order, each once";
        ensure(
            before.is_none_or(|before| before < node.id),
            || place(&format!("nodes[{k}].id")),
            node.id,
            expected,
        )?;
        before = Some(node.id);
        memory = memory + node.memory.measured().copied().unwrap_or_default();
        self::node(node, || place(&format!("nodes[{k}]")))?;
    }
    bytes(memory, || place("nodes: their memory together"))?;
    for (k, cache) in machine.caches.iter().enumerate() {
        bytes(cache.size, || place(&format!("caches[{k}].size")))?;
    }
    for (k, attribute) in machine.attributes.iter().enumerate() {
        figure(&attribute.figure, || place(&format!("attributes[{k}]")))?;
    }
    let limits: Vec<Notice> = machine.limits.iter().cloned().map(Notice::from).collect();
    notices(&limits, || place("limits"))
}

fn node(node: &Node, place: impl Fn() -> String) -> Sound {
    for (what, amount) in [("memory", &node.memory), ("free", &node.free)] {
        bytes(amount.measured().copied().unwrap_or_default(), || format!("{}.{what}", place()))?;
    }
    if let Some(distances) = node.distances.measured() {
        let place = || format!("{}.distances", place());
        let far = distances.iter().find(|distance| **distance > 65_535);
        ensure(far.is_none(), place, far.copied().unwrap_or_default(), "distances of at most 65535")?;
    }
    let MemoryKindEvidence::Compared { bandwidth, latency, .. } = &node.kind_evidence else { return Ok(()) };
    let place = || format!("{}.kind_evidence", place());
    let bandwidths = bandwidth.iter().flat_map(|pair| [pair.node, pair.ordinary]).map(Figure::Bandwidth);
    let latencies = latency.iter().flat_map(|pair| [pair.node, pair.ordinary]).map(Figure::Latency);
    bandwidths.chain(latencies).try_for_each(|one| figure(&one, place))
}

/// What the firmware declares may be 0, where it says nothing.
fn figure(figure: &Figure, place: impl FnOnce() -> String) -> Sound {
    let [low, median, high] = match figure {
        Figure::Latency(latency) => [latency.low.0, latency.median.0, latency.high.0],
        Figure::Bandwidth(rate) => [rate.low.0, rate.median.0, rate.high.0],
    };
    let sane = 0.0 <= low && low <= median && median <= high && high <= 1e15;
    ensure(
        sane,
        place,
        format_args!("{median} from {low} to {high}"),
        "a figure within its interval, from 0 to 10^15",
    )
}
