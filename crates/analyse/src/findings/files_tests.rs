use numawise_facts::finding::{Advice, Amount, EvidenceQuantity, EvidenceSubject};
use numawise_facts::{
    Finding, FindingId, MappingSnapshot, MemorySnapshot, Observation, PageUse, Reading, Study,
};
use numawise_units::{Bytes, NodeId, NodeSet};

use crate::analyse;
use crate::sample::{observation, see, two_node_check};

fn found(study: &Study, id: FindingId) -> Option<Finding> {
    analyse(study).findings.into_iter().find(|finding| finding.id == id)
}

/// Threads on these CPUs, so many MiB of files on a node and 40 MiB of the program's own beside them.
fn reader(cpus: &[u32], node: u32, files: u64) -> Observation {
    let threads: Vec<(u32, u64)> = cpus.iter().map(|cpu| (*cpu, 10)).collect();
    let mut seen = observation(&[(0, 40)], &threads);
    let Reading::Measured(sample) = &mut seen.pages else { panic!() };
    sample.memory = Reading::Measured(MemorySnapshot {
        by_use: vec![
            (PageUse::Private, NodeId(0), Bytes::mib(40)),
            (PageUse::File, NodeId(node), Bytes::mib(files)),
        ],
        largest: vec![MappingSnapshot {
            address: 0x7f00_0000_0000,
            used_for: PageUse::File,
            policy: "default".to_owned(),
            page: Bytes::kib(4),
            by_node: vec![(NodeId(node), Bytes::mib(files))],
            file: Some("/data/mesh".to_owned()),
        }],
        ..MemorySnapshot::default()
    });
    seen
}

/// One node is node 0 there.
fn check(one_node: f64) -> Study {
    two_node_check(2.0, 1.95, 1.9, one_node, 3.0, 2.0)
}

#[test]
fn files_on_one_node_and_threads_elsewhere_cost_what_that_node_brings() {
    let mut study = check(1.4);
    see(&mut study, "os", &reader(&[0, 4, 5, 6], 0, 60));
    let finding = found(&study, FindingId::FilesElsewhere).unwrap();
    let files = &finding.evidence[0];
    assert_eq!(
        (&files.value, files.of),
        (&Reading::Measured(Amount::Bytes(Bytes::mib(60))), Some(Amount::Bytes(Bytes::mib(100))))
    );
    let nodes = NodeSet::single(NodeId(0));
    assert_eq!(files.subject, EvidenceSubject::Nodes { point: "os".into(), nodes });
    assert_eq!(finding.evidence[1].quantity, EvidenceQuantity::CpuTimeElsewhere);
    assert!((finding.cost.measured().unwrap().ratio.0 - 1.43).abs() < 0.02);
    let placement = "one-node".into();
    assert_eq!(finding.advice[0].advice, Advice::KeepTogether { placement });
    assert_eq!(found(&study, FindingId::BetterTogether), None, "the same is not said twice");
}

#[test]
fn files_beside_their_threads_few_files_and_no_gain_are_no_finding() {
    for (one_node, seen) in [
        (1.4, reader(&[0, 1, 2, 4], 0, 7)),
        (1.4, reader(&[0, 1, 2, 3], 0, 60)),
        (2.0, reader(&[0, 4, 5, 6], 0, 60)),
        // The node that was tried is not that of the files.
        (1.4, reader(&[0, 1, 2, 4], 1, 60)),
    ] {
        let mut study = check(one_node);
        see(&mut study, "os", &seen);
        assert_eq!(found(&study, FindingId::FilesElsewhere), None, "{one_node}");
    }
    let mut unseen = check(1.4);
    see(&mut unseen, "os", &observation(&[(0, 40)], &[(0, 1), (4, 1)]));
    assert_eq!(found(&unseen, FindingId::FilesElsewhere), None);
}

#[test]
fn a_thread_that_is_now_here_now_there_has_its_file_elsewhere_in_some_runs() {
    let mut study = check(1.4);
    for (away, expected) in [(0, false), (1, false), (2, true), (3, true)] {
        see(&mut study, "os", &reader(&[0], 0, 60));
        let runs = study.trials.iter_mut().filter(|trial| trial.point.0 == "os").take(away);
        runs.for_each(|trial| trial.observation = Reading::Measured(reader(&[4], 0, 60)));
        assert_eq!(found(&study, FindingId::FilesElsewhere).is_some(), expected, "{away} of 6");
    }
}

#[test]
fn code_is_no_file_that_is_read() {
    let mut study = check(1.4);
    let mut seen = reader(&[0, 4, 5, 6], 0, 60);
    let Reading::Measured(sample) = &mut seen.pages else { panic!() };
    let Reading::Measured(memory) = &mut sample.memory else { panic!() };
    memory.largest[0].file = Some("/usr/lib/libmkl.so.2".to_owned());
    see(&mut study, "os", &seen);
    assert_eq!(found(&study, FindingId::FilesElsewhere), None);
}
