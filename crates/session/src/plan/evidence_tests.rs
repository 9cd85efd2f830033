use std::path::PathBuf;

use numawise_facts::{
    Attribute, AttributeKind, AttributeOrigin, Bandwidth, Depth, Estimate, Fingerprint, IdleLatency,
    MemoryKind, Mix, Profile, ProfileHeader, ProfileOrigin, Reading, Target, Workers,
};
use numawise_units::{BytesPerSecond, Latency, NodeId};

use super::super::request::{JobRequest, JobTasks};
use super::super::testing;
use super::*;

fn request(words: &str) -> JobRequest {
    let allowed =
        numawise_machine::AllowedSets { cpus: "0-3".parse().unwrap(), nodes: "0-1".parse().unwrap() };
    JobRequest::new(&testing::request(words), &allowed, &JobTasks::of(1), &|_| None).unwrap()
}

fn machine() -> Machine {
    numawise_machine::from_synthetic("pack:2 [numa] core:2 pu:1").unwrap()
}

fn none<T>() -> Reading<T> {
    Reading::unavailable("a test")
}

fn estimate<T: Copy>(median: T) -> Reading<Estimate<T>> {
    Reading::Measured(Estimate { median, low: median, high: median, samples: 3, disturbed: 0 })
}

/// Node 1 gives three times the bandwidth of node 0.
fn found(taken: Reading<u64>) -> SavedProfile {
    let rate = |node, rate| Bandwidth {
        workers: Workers::Node(NodeId(node)),
        target: Target::Node(NodeId(node)),
        mix: Mix::Read,
        threads: none(),
        rate: estimate(BytesPerSecond(rate)),
        declared: none(),
        with: none(),
        buffers: none(),
    };
    let latency = |node| IdleLatency {
        from: NodeId(node),
        to: NodeId(node),
        cpu: none(),
        pages: none(),
        bytes: none(),
        latency: estimate(Latency(80.0)),
        with_tlb_misses: none(),
        buffers: none(),
    };
    let header = ProfileHeader {
        origin: ProfileOrigin::Numawise("0.0.0".to_owned()),
        fingerprint: Fingerprint { topology: none(), processor: none(), kernel: none(), firmware: none() },
        taken,
        took: none(),
        depth: Depth::Quick,
        complete: true,
        nodes: vec![],
        vectors: none(),
        notices: vec![],
    };
    let profile = Profile {
        arithmetic: Vec::new(),
        caches: Vec::new(),
        header,
        latency: vec![latency(0), latency(1)],
        working_sets: vec![],
        bandwidth: vec![rate(0, 50e9), rate(1, 150e9)],
        loaded: vec![],
        transfers: vec![],
    };
    let notice =
        numawise_facts::notice::SessionNotice::UnreadableProfile { problem: "y.json: cut off".to_owned() };
    SavedProfile { path: PathBuf::from("/data/x.json"), profile, notices: vec![notice.into()] }
}

fn noted(line: &str, machine: Machine, found: Option<&SavedProfile>) -> Vec<Notice> {
    let request = request(line);
    let machine = match found {
        Some(found) => numawise_machine::with_measured(machine, &found.profile),
        None => machine,
    };
    let placement = request.place(&machine).unwrap();
    notes(&request.placement, &machine, &placement, found)
}

#[test]
fn weights_say_when_and_where_they_were_measured() {
    let found = found(Reading::Measured(1_700_000_000));
    let bandwidth = |node, rate| NodeBandwidth { node: NodeId(node), bandwidth: BytesPerSecond(rate) };
    let derived = |origin, taken: Option<u64>| PlanNotice::WeightsDerivedFrom {
        origin,
        profile: Some(ProfileReference { taken, path: "/data/x.json".to_owned() }),
        bandwidths: vec![bandwidth(0, 50e9), bandwidth(1, 150e9)],
    };
    let passed_over =
        numawise_facts::notice::SessionNotice::UnreadableProfile { problem: "y.json: cut off".to_owned() };
    assert_eq!(
        noted("memory=weighted", machine(), Some(&found)),
        [derived(AttributeOrigin::Measured, Some(1_700_000_000)).into(), passed_over.into()]
    );
    let undated = self::found(Reading::unavailable("MLC does not give it"));
    assert_eq!(
        noted("memory=weighted:0-1", machine(), Some(&undated))[0],
        derived(AttributeOrigin::Measured, None).into()
    );
}

#[test]
fn weights_by_the_firmware_say_so() {
    let mut declared = machine();
    for node in 0..2 {
        let cpus = "0-3".parse().unwrap();
        declared.attributes.push(Attribute::declared(AttributeKind::Bandwidth, cpus, NodeId(node), 100_000));
    }
    let notes = noted("memory=weighted", declared, None);
    let bandwidth = |node| NodeBandwidth { node: NodeId(node), bandwidth: BytesPerSecond(100e9) };
    let by_firmware = PlanNotice::WeightsDerivedFrom {
        origin: AttributeOrigin::Firmware,
        profile: None,
        bandwidths: vec![bandwidth(0), bandwidth(1)],
    };
    assert_eq!(notes, [by_firmware.into()]);
    assert_eq!(noted("memory=weighted", machine(), None), Vec::<Notice>::new(), "no weights, nothing to say");
}

#[test]
fn only_weights_and_kinds_look_for_a_profile() {
    for line in ["memory=weighted", "memory=weighted:0", "memory=hbm"] {
        assert!(asks(&request(line).placement), "{line}");
    }
    for line in [
        "",
        "numactl-cpus=0 membind=0",
        "weighted=0-1",
        "memory=interleave",
        "memory=local",
        "memory=remote",
        "place=semi",
    ] {
        assert!(!asks(&request(line).placement), "{line}");
        let found = found(Reading::Measured(0));
        if line != "memory=remote" {
            assert_eq!(noted(line, machine(), Some(&found)), Vec::<Notice>::new(), "{line}");
        }
    }
}

#[test]
fn kinds_of_memory_say_when_they_were_measured() {
    let mut with_hbm = machine();
    with_hbm.nodes[1].kind = MemoryKind::Hbm;
    let notes = noted("memory=hbm place=local", with_hbm, Some(&found(Reading::Measured(0))));
    let profile = ProfileReference { taken: Some(0), path: "/data/x.json".to_owned() };
    assert_eq!(notes[0], PlanNotice::KindsDerivedFrom { profile }.into());
}
