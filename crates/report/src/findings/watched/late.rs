//! Who came late for whom, in words.

use numawise_facts::finding::{
    Evidence, EvidenceQuantity, EvidenceSubject, RankInCall, WatchedQuantity, WatchedSubject,
};

use super::place;

/// `MPI_Recv in exchange (a.c:12)`
fn call(of: &RankInCall) -> String {
    format!("{} {}", of.call, place(&of.place))
}

/// `rank 0 in MPI_Recv in exchange (a.c:12)`
pub fn in_call(of: &RankInCall) -> String {
    format!("rank {} in {}", of.rank, call(of))
}

/// `0.31 s of 0.5 s: rank 0 waits in MPI_Recv in exchange (a.c:12) for rank 1, which comes late to MPI_Send in main (a.c:30)`
pub fn sentence(one: &Evidence, value: &str, of: &str) -> String {
    let EvidenceSubject::Watched(WatchedSubject::LateCall { waits, late, waiting_ranks, late_ranks }) =
        &one.subject
    else {
        return value.to_owned();
    };
    let same = (&waits.call, &waits.place) == (&late.call, &late.place);
    let to = if same { "it".to_owned() } else { call(late) };
    let one_of_each = (*waiting_ranks, *late_ranks) == (1, 1);
    let text = if one_of_each {
        format!(
            "rank {} waits in {} for rank {}, which comes late to {to}",
            waits.rank,
            call(waits),
            late.rank
        )
    } else if one.quantity == EvidenceQuantity::Watched(WatchedQuantity::LateToCollective) {
        format!(
            "ranks wait in {} for the last one; rank {} waits for rank {} the longest",
            call(waits),
            waits.rank,
            late.rank
        )
    } else {
        format!(
            "ranks wait in {} for ranks that come late to {to}; rank {} waits for rank {} the longest",
            call(waits),
            waits.rank,
            late.rank
        )
    };
    format!("{value} of {of} that are waiting: {text}")
}
