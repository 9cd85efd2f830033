//! What was seen of traced threads from outside.

use numawise_facts::activity::{SeenChange, SeenKind, SeenThread};
use numawise_tables::snapshot::{PlacedChange, PlacedMark};
use numawise_units::{CpuId, NodeId};

use super::super::super::sample::snapshot_with;
use super::*;

/// Two ranks, of which the second one is late for a barrier at 900 ms, and was looked at ten times.
fn ranks(changes: Vec<SeenChange>) -> [Activity; 2] {
    let rank =
        |number, begin| Made::rank(number, 2).collective("MPI_Barrier", (begin, 901), 9, None).end(1000);
    let mut ranks = [rank(0, 400), rank(1, 900)];
    let trace = threads(&mut ranks[1])[0].trace.as_mut().map(Arc::make_mut).unwrap();
    trace.seen = Some(SeenThread { looks: 10, changes });
    ranks
}

fn change(before: u64, at: u64, what: SeenKind) -> SeenChange {
    SeenChange { before: ms(before), at: ms(at), what }
}

#[test]
fn marks_say_when_and_from_which_node_to_which() {
    let moved = |from, to| SeenKind::Moved { from: CpuId(from), to: CpuId(to) };
    let machine = crate::sample::two_sockets();
    let (first, last) = (machine.cpus.first().unwrap().id, machine.cpus.last().unwrap().id);
    let nodes = machine.node_of(first).zip(machine.node_of(last));
    assert!(nodes.is_some_and(|(one, other)| one != other));
    let ranks = ranks(vec![
        change(100, 110, moved(first.0, last.0)),
        change(200, 300, SeenKind::Faults(5000)),
        // After the end of the trace.
        change(1010, 1020, SeenKind::Faults(6000)),
    ]);
    let machines = [("node1".to_owned(), machine)].into();
    let placed = snapshot_with(&ranks, &machines).trace.unwrap().placed;
    let placed = placed.measured().unwrap();
    assert_eq!(placed.interval, ms(100));
    let mark = |begin, end, what| PlacedMark {
        world: None,
        rank: 1,
        thread: 0,
        begin: ms(begin),
        end: ms(end),
        what,
    };
    assert_eq!(
        placed.marks,
        [
            mark(100, 110, PlacedChange::Cpu { from: first, to: last, nodes }),
            mark(200, 300, PlacedChange::Faults(5000))
        ]
    );
}

#[test]
fn a_trace_that_nobody_looked_at_says_so() {
    let mut ranks = ranks(Vec::new());
    assert_eq!(trace(&ranks).placed.measured().map(|placed| placed.marks.len()), Some(0));
    threads(&mut ranks[1])[0].trace.as_mut().map(Arc::make_mut).unwrap().seen = None;
    assert!(trace(&ranks).placed.reason().is_some());
}

#[test]
fn a_thread_whose_cpu_others_had_is_a_finding_with_what_others_waited_meanwhile() {
    let ranks = ranks(vec![
        change(300, 500, SeenKind::NoCpu(ms(150))),
        change(800, 950, SeenKind::NoCpu(ms(50))),
        change(950, 990, SeenKind::MemoryMoved { from: NodeId(0), to: NodeId(1), bytes: Bytes(9) }),
    ]);
    let found = trace(&ranks).placed;
    let [of] = found.measured().unwrap().without_cpu.as_slice() else { panic!("{found:?}") };
    // Rank 0 waits from 400 to 900.
    assert_eq!((of.rank, of.time, of.waited_meanwhile), (1, ms(200), ms(100 + 100)));
    assert_eq!(of.longest.begin, ms(300));
    let findings = snapshot(&ranks).findings;
    assert!(findings.iter().any(|of| of.finding.id.code() == "NW087"), "{findings:?}");
}
