use numawise_facts::Depth;

use super::*;
use crate::{fixture, layout::Layout};

fn effort(wanted: Bytes, stop: &AtomicBool) -> Effort<'_> {
    Effort { wanted, least: wanted, seconds: 1e9, patience: 1e9, stop }
}

/// A node that we may use, and the CPUs near it.
fn here() -> (NodeId, Vec<CpuId>) {
    let machine = fixture::live();
    let layout = Layout::of(&machine, &fixture::request(Depth::Quick));
    let node = layout.usable_columns().next().unwrap().node;
    (node, layout.fillers(node, &machine).to_vec())
}

#[test]
fn memory_lies_where_it_should_and_holds_what_it_should() {
    let (node, cpus) = here();
    let stop = AtomicBool::new(false);
    // By first touch too: the threads are near the node.
    for (request, placing) in [
        (PagesRequest::Huge, placing(node)),
        (PagesRequest::Base, placing(node)),
        (PagesRequest::Huge, Placing::FirstTouch),
    ] {
        let mut buffer =
            Buffer::on(node, placing, request, effort(Bytes::mib(8), &stop), &cpus, &System::live()).unwrap();
        assert_eq!(buffer.bytes(), Bytes::mib(8));
        assert!(request == PagesRequest::Huge || buffer.pages == BufferPages::Small);
        let mut chunk = vec![Line([0; 8]); CHUNK];
        kernels::fill(&mut chunk);
        assert!(buffer.lines().chunks(CHUNK).all(|found| found == chunk));
    }
}

#[test]
fn pages_elsewhere_are_told() {
    let (node, cpus) = here();
    let stop = AtomicBool::new(false);
    let mut buffer = Buffer::on(
        node,
        placing(node),
        PagesRequest::Base,
        effort(Bytes::mib(2), &stop),
        &cpus,
        &System::live(),
    )
    .unwrap();
    buffer.node = NodeId(node.0 + 1);
    let reason = buffer.verify_residency(&System::live(), Placing::Bound).unwrap_err().to_string();
    assert!(reason.ends_with(&format!("pages lie on node {node}")), "{reason}");
}

#[test]
fn nodes_and_cpus_that_are_not_there_are_reasons() {
    let (node, cpus) = here();
    let stop = AtomicBool::new(false);
    let on = |node, cpus: &[CpuId], effort| {
        Buffer::on(node, Placing::Bound, PagesRequest::Huge, effort, cpus, &System::live())
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    if placing(node) == Placing::Bound {
        let reason = on(NodeId(1000), &cpus, effort(Bytes::mib(2), &stop));
        assert!(reason.contains("node 1000"), "{reason}");
    }
    let reason = on(node, &[CpuId(8191)], effort(Bytes::mib(2), &stop));
    assert!(reason.contains("CPU 8191 went offline"), "{reason}");
    assert!(on(node, &[], effort(Bytes::mib(2), &stop)).contains("no CPU"));
    let reason = on(node, &cpus, effort(Bytes(1 << 60), &stop));
    assert!(reason.contains("addresses"), "{reason}");
    stop.store(true, Relaxed);
    assert_eq!(on(node, &cpus, effort(Bytes::mib(2), &stop)), CellError::Stopped.to_string());
}

#[test]
fn when_time_is_up_the_least_is_enough() {
    let (node, cpus) = here();
    let stop = AtomicBool::new(false);
    let short =
        Effort { wanted: Bytes::mib(512), least: Bytes::mib(4), seconds: 0.0, patience: 1e9, stop: &stop };
    let buffer = Buffer::on(node, placing(node), PagesRequest::Huge, short, &cpus, &System::live()).unwrap();
    let most = Bytes::mib(4 + 2 * cpus.len() as u64);
    assert!(buffer.bytes() >= Bytes::mib(4) && buffer.bytes() <= most, "{}", buffer.bytes());
    drop(buffer);
    let slow = Effort { least: Bytes::mib(512), patience: 0.0, ..short };
    let buffer = Buffer::on(node, placing(node), PagesRequest::Huge, slow, &cpus, &System::live()).unwrap();
    assert!(buffer.bytes() >= Bytes::mib(8) && buffer.bytes() < Bytes::mib(512), "{}", buffer.bytes());
}
