use numawise_facts::activity::SourcePlace;
use numawise_facts::finding::{
    Advice, Amount, EvidenceQuantity, EvidenceSource, FilesQuantity, PlacedQuantity, RankInCall,
};
use numawise_facts::merged::ProcessName;
use numawise_facts::{Finding, FindingId};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid, Ratio};

use super::super::{advice, evidence_of_run, title};
use super::*;

fn at(function: Option<&str>, file: Option<&str>, line: Option<u32>) -> Reading<CodePlace> {
    let unknown = || "no symbols of the file were read";
    let text = |found: Option<&str>| {
        found.map_or_else(|| Reading::unavailable(unknown()), |found| Reading::Measured(found.to_owned()))
    };
    Reading::Measured(CodePlace {
        file: "/home/user/app".to_owned(),
        address: 0x1234,
        source: SourcePlace {
            function: text(function),
            file: text(file),
            line: line.map_or_else(|| Reading::unavailable(unknown()), Reading::Measured),
        },
    })
}

fn finding(quantity: WatchedQuantity, value: Amount, of: Option<Amount>, subject: WatchedSubject) -> Finding {
    Finding {
        id: FindingId::MpiImbalance,
        evidence: vec![Evidence {
            quantity: EvidenceQuantity::Watched(quantity),
            value: Reading::Measured(value),
            of,
            interval: None,
            subject: EvidenceSubject::Watched(subject),
            source: EvidenceSource::Collector,
        }],
        cost: Reading::unavailable("the run was watched once, and no cure was tried"),
        cure: None,
        advice: vec![Advice::Watched(WatchedAdvice::BalanceRanks { ranks: vec![3, 7] }).into()],
    }
}

#[test]
fn places_are_said_as_far_as_they_are_known() {
    let said = |function, file, line| place(&at(function, file, line));
    assert_eq!(said(Some("solve"), Some("/src/cg.f90"), Some(120)), "in solve (cg.f90:120)");
    assert_eq!(said(Some("solve"), Some("/src/cg.f90"), None), "in solve");
    assert_eq!(said(None, Some("/src/cg.f90"), Some(7)), "at cg.f90:7");
    assert_eq!(said(None, None, None), "at app+0x1234");
    let unknown = place(&Reading::unavailable("it lies in no file that was noted"));
    assert_eq!(unknown, "at a place that is not known (it lies in no file that was noted)");
}

#[test]
fn who_came_late_for_whom_is_said_with_both_places() {
    let half = Amount::Time(Nanoseconds(500_000_000));
    let in_call = |rank, call: &str, line| RankInCall {
        rank,
        call: call.to_owned(),
        place: at(Some("swap"), Some("/src/a.c"), Some(line)),
    };
    let said = |quantity, late: RankInCall, waiting_ranks, late_ranks| {
        let waits = in_call(0, "MPI_Recv", 12);
        let subject = WatchedSubject::LateCall { waits, late, waiting_ranks, late_ranks };
        evidence_of_run(&finding(quantity, half, Some(half), subject)).concat()
    };
    let send = || in_call(1, "MPI_Send", 30);
    assert_eq!(
        said(WatchedQuantity::LateSender, send(), 1, 1),
        "500.0 ms of 500.0 ms that are waiting: rank 0 waits in MPI_Recv in swap (a.c:12) for rank 1, which comes late to MPI_Send in \
         swap (a.c:30)"
    );
    let several = said(WatchedQuantity::LateSender, send(), 3, 3);
    assert!(
        several.ends_with("come late to MPI_Send in swap (a.c:30); rank 0 waits for rank 1 the longest"),
        "{several}"
    );
    let same = said(WatchedQuantity::LateToCollective, in_call(1, "MPI_Recv", 12), 3, 1);
    assert!(
        same.ends_with(
            "ranks wait in MPI_Recv in swap (a.c:12) for the last one; rank 0 waits for rank 1 the longest"
        ),
        "{same}"
    );
}

#[test]
fn sentences_name_whom_they_speak_of() {
    let second = Amount::Time(Nanoseconds(1_000_000_000));
    let rank = WatchedSubject::Rank { rank: 3, host: "node1".to_owned() };
    let one = finding(WatchedQuantity::OutsideMpiOfRank, second, Some(second), rank);
    assert_eq!(
        evidence_of_run(&one),
        ["rank 3 on node1 computes outside of MPI for 1.000 s, ranks on average for 1.000 s"]
    );
    assert_eq!(
        advice(&one),
        [
            "divide the domain so that all ranks have as much to compute as one another: now ranks 3, 7 have the most"
        ]
    );
    let place = at(Some("solve"), None, None);
    let a_loop = WatchedSubject::ConstructAt { construct: ConstructName::Loop, place };
    let one = finding(WatchedQuantity::LoopIterations, Amount::Count(41), Some(Amount::Count(12)), a_loop);
    assert_eq!(evidence_of_run(&one), ["the loop in solve has 41 iterations for 12 threads"]);
    let within = at(Some("fit"), Some("/home/user/app.py"), Some(12)).measured().cloned();
    let region = WatchedSubject::Region { place: at(Some("lloyd_iter"), None, None), within };
    let one = finding(WatchedQuantity::TimeOfRegion, Amount::Time(Nanoseconds(1_000_000_000)), None, region);
    let opened = "the region in lloyd_iter, opened in fit (app.py:12) takes 1.000 s";
    assert!(evidence_of_run(&one).concat().starts_with(opened), "{:?}", evidence_of_run(&one));
    let cpu = WatchedSubject::CpuOf {
        host: "node1".to_owned(),
        cpu: CpuId(4),
        ranks: vec![0, 1],
        further_ranks: 0,
    };
    let one = finding(PlacedQuantity::ThreadsOnCpu.into(), Amount::Count(2), None, cpu);
    assert_eq!(evidence_of_run(&one), ["2 threads work on CPU 4 of node1 (ranks 0, 1) at the same time"]);
    let named = |rank, world| ProcessName { host: "node1".to_owned(), pid: Pid(9), rank, world };
    let process = |rank| WatchedSubject::Process(named(rank, rank.filter(|rank| *rank > 3)));
    let had_none = |rank| {
        evidence_of_run(&finding(PlacedQuantity::RunDelayOf.into(), second, Some(second), process(rank)))
    };
    assert_eq!(had_none(Some(3)), ["CPU wait of rank 3 on node1: 1.000 s of 1.000 s, per CPU"]);
    assert_eq!(had_none(Some(5)), ["CPU wait of rank 5 of world 5 on node1: 1.000 s of 1.000 s, per CPU"]);
    assert_eq!(had_none(None), ["CPU wait of process 9 on node1: 1.000 s of 1.000 s, per CPU"]);
    let memory = WatchedSubject::MemoryOf {
        process: named(None, None),
        node: NodeId(1),
        threads_on: "0".parse().unwrap(),
    };
    let share = Amount::Share(Ratio(0.5));
    let one =
        finding(PlacedQuantity::MemoryElsewhere.into(), share, Some(Amount::Bytes(Bytes::mib(64))), memory);
    assert_eq!(
        evidence_of_run(&one),
        [
            "50.0 % of the 64 MiB of process 9 on node1 lies elsewhere, most on node 1; its threads ran on node 0"
        ]
    );
}

#[test]
fn words_of_json_are_those_of_the_values() {
    let call = WatchedSubject::Call { call: "MPI_Allreduce".to_owned() };
    let one = finding(WatchedQuantity::CallsOf, Amount::Count(10), None, call);
    let json = serde_json::to_value(&one).unwrap();
    assert_eq!(json["id"], "NW010");
    let evidence = &json["evidence"][0];
    assert_eq!(evidence["quantity"], "calls_of");
    assert_eq!(evidence["subject"], serde_json::json!({"call": {"call": "MPI_Allreduce"}}));
    assert_eq!(evidence["source"], "collector");
    assert_eq!(json["advice"][0]["advice"], serde_json::json!({"balance_ranks": {"ranks": [3, 7]}}));
}

#[test]
fn findings_have_their_rows_in_the_manual() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/user/snapshot-findings.md");
    let manual = std::fs::read_to_string(path).unwrap();
    for id in [
        FindingId::MpiImbalance,
        FindingId::MpiTransfer,
        FindingId::MpiConcentrated,
        FindingId::TinyMessages,
        FindingId::TooFewIterations,
        FindingId::RegionImbalance,
        FindingId::SerialShare,
        FindingId::SchedulingOverhead,
        FindingId::LockContention,
        FindingId::SharedCpus,
        FindingId::Unpinned,
        FindingId::RemoteRankMemory,
        FindingId::LongOnFiles,
        FindingId::OneRankComputesLonger,
        FindingId::ComputingUnequal,
        FindingId::SendsWait,
        FindingId::ReceivesOutOfOrder,
        FindingId::ThreadsWaitForLast,
        FindingId::ThreadsIdleOutside,
        FindingId::CpuTakenAway,
        FindingId::Oversubscribed,
    ] {
        let row = format!("| {id} | {} |", title(id));
        assert!(manual.contains(&row), "no row: {row}");
    }
}

#[test]
fn one_is_not_several() {
    fn said(quantity: impl Into<WatchedQuantity>, value: u64, of: u64) -> String {
        let of = Some(Amount::Count(of));
        let one = finding(quantity.into(), Amount::Count(value), of, WatchedSubject::WatchedRun);
        evidence_of_run(&one).join("")
    }
    assert_eq!(said(PlacedQuantity::CpusForThreads, 2, 1), "there are 2 CPUs for 1 thread");
    assert_eq!(said(PlacedQuantity::CpusForThreads, 1, 2), "there is 1 CPU for 2 threads");
    assert_eq!(said(PlacedQuantity::ThreadsAtOnce, 2, 1), "2 threads work at once on 1 CPU");
    assert_eq!(said(PlacedQuantity::ForcedSwitches, 1, 1), "CPUs were taken from threads once");
    assert_eq!(said(WatchedQuantity::CallsOf, 1, 1), "it is called once");
    assert_eq!(said(WatchedQuantity::CallsOf, 2, 1), "it is called 2 times");
    assert_eq!(said(FilesQuantity::CountOfFileCalls, 1, 1), "this is 1 call");
}
