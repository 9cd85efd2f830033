use std::path::PathBuf;

use clap::Parser;
use numawise_facts::{
    Attribute, AttributeKind, Bandwidth, Depth, Estimate, Fingerprint, IdleLatency, MemoryKind, Mix, Profile,
    ProfileHeader, ProfileOrigin, Reading, Target, Workers,
};
use numawise_units::{Latency, NodeId};

use super::*;
use crate::commands::run::arguments::Arguments;
use crate::commands::run::machine::Allowed;
use crate::commands::run::scope::Tasks;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    arguments: Arguments,
}

fn request(line: &str) -> Request {
    let words = ["run"].into_iter().chain(line.split_whitespace()).chain(["app"]);
    let arguments = Line::parse_from(words).arguments;
    let allowed = Allowed { cpus: "0-3".parse().unwrap(), nodes: "0-1".parse().unwrap() };
    Request::new(&arguments, &allowed, &Tasks::of(1), &|_| None).unwrap()
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
    };
    let latency = |node| IdleLatency {
        from: NodeId(node),
        to: NodeId(node),
        cpu: none(),
        pages: none(),
        bytes: none(),
        latency: estimate(Latency(80.0)),
        with_tlb_misses: none(),
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
        remarks: vec![],
    };
    let profile = Profile {
        header,
        latency: vec![latency(0), latency(1)],
        working_sets: vec![],
        bandwidth: vec![rate(0, 50e9), rate(1, 150e9)],
        loaded: vec![],
        transfers: vec![],
    };
    let notice = numawise_facts::SessionNotice::UnreadableProfile { problem: "y.json: cut off".to_owned() };
    SavedProfile { path: PathBuf::from("/data/x.json"), profile, notices: vec![notice.into()] }
}

fn told(line: &str, machine: Machine, found: Option<&SavedProfile>) -> Vec<String> {
    let request = request(line);
    let machine = match found {
        Some(found) => numawise_machine::with_measured(machine, &found.profile),
        None => machine,
    };
    let placement = request.place(&machine).unwrap();
    notes(&request, &machine, &placement, found)
}

#[test]
fn weights_say_when_and_where_they_were_measured() {
    let found = found(Reading::Measured(1_700_000_000));
    assert_eq!(
        told("--memory weighted", machine(), Some(&found)),
        [
            "the weights go by bandwidths measured on 2023-11-14 22:13:20 UTC (/data/x.json): node 0 50.0 GB/s, node 1 \
             150.0 GB/s",
            "passed over y.json: cut off"
        ]
    );
    let undated = self::found(Reading::unavailable("MLC does not tell"));
    assert!(
        told("--memory weighted:0-1", machine(), Some(&undated))[0].contains("measured on an unknown date")
    );
}

#[test]
fn weights_by_the_firmware_say_so() {
    let mut declared = machine();
    for node in 0..2 {
        declared.attributes.push(Attribute {
            kind: AttributeKind::Bandwidth,
            origin: AttributeOrigin::Firmware,
            initiator: "0-3".parse().unwrap(),
            target: NodeId(node),
            value: 100_000,
        });
    }
    let notes = told("--memory weighted", declared, None);
    let by_firmware =
        "the weights go by bandwidths that the firmware declares: node 0 100.0 GB/s, node 1 100.0 GB/s";
    assert_eq!(notes, [by_firmware]);
    assert_eq!(
        told("--memory weighted", machine(), None),
        Vec::<String>::new(),
        "no weights, nothing to say"
    );
}

#[test]
fn only_weights_and_kinds_look_for_a_profile() {
    for line in ["--memory weighted", "--memory weighted:0", "--memory hbm"] {
        assert!(asks(&request(line)), "{line}");
    }
    for line in [
        "",
        "-C 0 -m 0",
        "-w 0-1",
        "--memory interleave",
        "--memory local",
        "--memory remote",
        "--place semi",
    ] {
        assert!(!asks(&request(line)), "{line}");
        let found = found(Reading::Measured(0));
        if line != "--memory remote" {
            assert_eq!(told(line, machine(), Some(&found)), Vec::<String>::new(), "{line}");
        }
    }
}

#[test]
fn kinds_of_memory_say_when_they_were_measured() {
    let mut with_hbm = machine();
    with_hbm.nodes[1].kind = MemoryKind::Hbm;
    let notes = told("--memory hbm --place local", with_hbm, Some(&found(Reading::Measured(0))));
    assert_eq!(
        notes[0],
        "kinds of memory are told by what was measured on 1970-01-01 00:00:00 UTC (/data/x.json)"
    );
}
