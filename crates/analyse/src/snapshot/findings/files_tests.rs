use numawise_facts::finding::{Advice, EvidenceQuantity, EvidenceSubject, FilesQuantity, WatchedQuantity};
use numawise_facts::merged::ProcessName;
use numawise_facts::{Activity, Reading};

use super::*;
use crate::snapshot::findings::tests::{self, advised};
use crate::snapshot::sample::{call, file_calls as calls, process, seconds, simple_rank, thread, threads};

fn found(activities: &[Activity]) -> Option<SnapshotFinding> {
    tests::found(activities, FindingId::LongOnFiles)
}

fn on_files(one: FileAdvice) -> Advice {
    advice(WatchedAdvice::OnFiles(one))
}

fn value(found: &SnapshotFinding, quantity: WatchedQuantity) -> Option<Amount> {
    let is = |one: &&Evidence| one.quantity == EvidenceQuantity::Watched(quantity);
    found.finding.evidence.iter().find(is).and_then(|one| one.value.measured().copied())
}

/// One thread that lives for two seconds.
fn writer(written: FileCalls) -> Activity {
    let mut one = process(7, 2.0, vec![thread(7, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0])]);
    threads(&mut one)[0].files.written = written;
    one
}

#[test]
fn nw034_says_how_long_by_what_and_how_much_each_call_moves() {
    let one = found(&[writer(calls(100_000, 0.5, 800_000))]).unwrap();
    assert_eq!(one.potential.measured().unwrap().time, seconds(0.5));
    assert_eq!(value(&one, FilesQuantity::TimeOnFiles.into()), Some(Amount::Time(seconds(0.5))));
    assert_eq!(value(&one, FilesQuantity::CountOfFileCalls.into()), Some(Amount::Count(100_000)));
    assert_eq!(value(&one, FilesQuantity::BytesPerFileCall.into()), Some(Amount::Bytes(Bytes(8))));
    assert_eq!(value(&one, FilesQuantity::ProcessesOnFiles.into()), None);
    assert_eq!(advised(&one), [&on_files(FileAdvice::LargerPieces), &on_files(FileAdvice::Meanwhile)]);
    let kind = EvidenceSubject::Watched(WatchedSubject::FileCalls { kind: FileCallKind::Write });
    assert_eq!(one.finding.evidence[1].subject, kind);
    // As long, by few calls of many bytes.
    let large = found(&[writer(calls(50, 0.5, 50 << 20))]).unwrap();
    assert_eq!(advised(&large), [&on_files(FileAdvice::Meanwhile)]);
    assert_eq!(found(&[writer(calls(100_000, 0.19, 800_000))]), None, "less than a tenth");
}

#[test]
fn nw034_tells_waiting_for_storage_and_opening_from_moving_data() {
    let mut one = writer(calls(10, 0.1, 1000));
    threads(&mut one)[0].files.synced = calls(10, 0.6, 0);
    threads(&mut one)[0].files.disk_wait = Reading::Measured(seconds(0.4));
    let synced = found(&[one.clone()]).unwrap();
    assert_eq!(advised(&synced)[0], &on_files(FileAdvice::SyncLessOften));
    assert_eq!(value(&synced, FilesQuantity::TimeOfFileCalls.into()), Some(Amount::Time(seconds(0.6))));
    assert_eq!(value(&synced, FilesQuantity::BytesPerFileCall.into()), None, "these move nothing");
    assert_eq!(value(&synced, FilesQuantity::DiskWaitOf.into()), Some(Amount::Time(seconds(0.4))));
    threads(&mut one)[0].files.managed = calls(5000, 0.7, 0);
    assert_eq!(advised(&found(&[one]).unwrap())[0], &on_files(FileAdvice::KeepFilesOpen));
}

#[test]
fn nw034_one_rank_that_writes_for_all_is_told_of_files_that_ranks_share() {
    let mut ranks: Vec<Activity> = (0..4).map(|number| simple_rank(number, 4, 1.5, 0.5)).collect();
    threads(&mut ranks[2])[0].files.written = calls(10, 0.8, 80 << 20);
    let one = found(&ranks).unwrap();
    assert_eq!(advised(&one), [&on_files(FileAdvice::SharedFiles), &on_files(FileAdvice::Meanwhile)]);
    assert_eq!(value(&one, FilesQuantity::ProcessesOnFiles.into()), Some(Amount::Count(1)));
    let EvidenceSubject::Watched(WatchedSubject::Process(ProcessName { rank, .. })) =
        &one.finding.evidence[0].subject
    else {
        panic!("{:?}", one.finding.evidence[0]);
    };
    assert_eq!(*rank, Some(2));
    // They do so already.
    let mut ranks: Vec<Activity> = (0..4).map(|number| simple_rank(number, 4, 1.5, 0.5)).collect();
    for rank in &mut ranks {
        threads(rank)[0].calls.push(call("MPI_File_write_at_all", 0x20, 4, 0.4));
    }
    assert_eq!(advised(&found(&ranks).unwrap()), [&on_files(FileAdvice::Meanwhile)]);
}

#[test]
fn nw034_a_thread_that_writes_while_others_compute_costs_nothing() {
    let with_writer = |first: f64| {
        let mut one = process(
            7,
            2.0,
            vec![
                thread(7, [first, 0.0, 0.0, 0.0, 2.0 - first, 0.0]),
                thread(8, [1.9, 0.0, 0.0, 0.0, 0.0, 0.0]),
            ],
        );
        threads(&mut one)[0].processor = Reading::Measured(seconds(first));
        threads(&mut one)[1].files.written = calls(10, 1.85, 1 << 30);
        one
    };
    assert_eq!(found(&[with_writer(1.9)]), None);
    assert!(found(&[with_writer(0.01)]).is_some(), "the first thread waits for it");
}
