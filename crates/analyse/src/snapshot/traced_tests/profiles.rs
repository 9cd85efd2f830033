use numawise_units::Bytes;

use super::{Made, message, ms, received, sent, trace};
use numawise_facts::activity::MessageSide;

#[test]
fn a_message_takes_from_when_both_ranks_had_come() {
    // The first is sent at 20 ms, while its receiver waits; the second at 50, before it is asked for.
    let sender = Made::rank(0, 2)
        .with("MPI_Send", (20, 24), sent(20, 1))
        .with("MPI_Send", (50, 51), sent(50, 1))
        .end(100);
    let receiver = Made::rank(1, 2)
        .with("MPI_Recv", (10, 30), received(10, 0))
        .with("MPI_Recv", (60, 62), received(60, 0))
        .end(100);
    let of = trace(&[sender, receiver]).messages_by_pair;
    let [row] = of.as_slice() else { panic!("{of:?}") };
    assert_eq!((row.from, row.to, row.messages, row.bytes, row.timed), (0, 1, 2, Bytes(16), 2));
    assert_eq!((row.time, row.timed_bytes), (ms(10) + ms(2), Bytes(16)));
    let longest = row.longest.expect("both are known");
    assert_eq!((longest.time, longest.begin, longest.bytes), (ms(10), ms(20), Bytes(8)));
}

#[test]
fn how_long_a_message_took_that_came_while_its_receiver_computed_is_not_known() {
    let sender = Made::rank(0, 2).with("MPI_Send", (20, 24), sent(20, 1)).end(100);
    // Asked for at 10 ms, waited for from 70 on.
    let receiver = Made::rank(1, 2)
        .call("MPI_Irecv", 10, 11)
        .with("MPI_Wait", (70, 71), vec![message(MessageSide::Received, 10, 0, 3)])
        .end(100);
    let of = trace(&[sender, receiver]).messages_by_pair;
    let [row] = of.as_slice() else { panic!("{of:?}") };
    assert_eq!((row.messages, row.timed, row.time, row.longest), (1, 0, ms(0), None));
}

#[test]
fn collective_calls_have_their_time_and_their_waiting_by_communicator() {
    let rank = |rank, begin| {
        let made = Made::rank(rank, 2).collective("MPI_Allreduce", (begin, 40), 11, None);
        made.collective("MPI_Bcast", (50, 52), 12, Some(0)).call("MPI_Test", 60, 61).end(100)
    };
    let of = trace(&[rank(0, 10), rank(1, 38)]).collective_calls;
    let rows: Vec<_> = of
        .iter()
        .map(|row| {
            (row.call.as_str(), row.ranks, row.calls, row.time.0 / 1_000_000, row.waiting.0 / 1_000_000)
        })
        .collect();
    assert_eq!(rows, [("MPI_Allreduce", 2, 2, 32, 28), ("MPI_Bcast", 2, 2, 4, 0)]);
}
