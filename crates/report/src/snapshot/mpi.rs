//! MPI in a snapshot: calls, places in the program, messages, who sends to whom.

use numawise_facts::Reading::{self, Measured};
use numawise_facts::activity::CallTime;
use numawise_tables::snapshot::{
    CommunicatorRow, MessageSizeRow, MpiCallRow, MpiSiteRow, MpiSummary, RankSpread, WaitingInCalls,
};
use numawise_units::{Bytes, Nanoseconds, Ratio};
use serde_json::json;

use super::figure::{self, Figure, When, declare};
use super::{volume, words};
use crate::amount::many;
use crate::document::{self, Block, Face, Fact, Text};

pub fn section(of: &MpiSummary) -> Block {
    let spread = |spread: &RankSpread| {
        let (least, most) = (spread.least, spread.most);
        if least.0 == most.0 {
            return format!("{} (rank {})", words::percent(spread.mean), least.0);
        }
        format!(
            "{} on average, from {} (rank {}) to {} (rank {})",
            words::percent(spread.mean),
            words::percent(least.1),
            least.0,
            words::percent(most.1),
            most.0
        )
    };
    let second = if of.has_several { "; a second MPI was loaded beside it" } else { "" };
    let library = format!("{}{second}", words::library(of.library));
    let imbalance = match (&of.imbalance, &of.imbalance_share) {
        (Reading::Measured(time), Reading::Measured(part)) => {
            format!("{time} of the run ({}) beyond the rank that is in MPI least", words::percent(*part))
                .into()
        }
        (imbalance, _) => words::time(imbalance),
    };
    let fact = |name, text: Text| Fact { name, text, code: false };
    let facts = vec![
        fact("Library", library.into()),
        fact("Share by rank", Text::of(&of.share_by_rank, spread)),
        fact("Imbalance", imbalance),
        fact("Waiting in calls", Text::of(&of.waiting_in_calls, waiting_in_calls)),
    ];
    let mut blocks = vec![Block::Facts(facts), table(CALLS, &of.calls, 4), table(SITES, &of.sites, 5)];
    if of.further_sites != CallTime::default() {
        let further = of.further_sites;
        blocks.push(Block::Legend(
            format!("and {} at further places, {}", many(further.count, "call"), further.time).into(),
        ));
    }
    let sizes = Block::Table(figure::table(&[SIZES], &of.messages, None, |_| true));
    let communicators = table(COMMUNICATORS, &of.communicators, 5);
    blocks.extend([sizes, communicators].map(|table| Block::Only(Face::Html, Box::new(table))));
    blocks.extend(volume::blocks(&of.volume));
    document::section("mpi", "MPI", blocks)
}

fn table<R>(figures: &[Figure<R>], rows: &[R], most: usize) -> Block {
    Block::Table(figure::table(&[figures], rows, words::limits(most), |_| true))
}

/// What ranks waited for others, of the calls of which it is known.
fn waiting_in_calls(of: &WaitingInCalls) -> String {
    let share = |part: Nanoseconds, all: Nanoseconds| match all.0 {
        0 => Ratio(0.0),
        all => Ratio(part.0 as f64 / all as f64),
    };
    let requests = match of.in_requests.0 {
        0 => String::new(),
        _ => format!(
            "; of MPI_Waitall, MPI_Test and their kin ({}) it is not known",
            words::percent(share(of.in_requests, of.all))
        ),
    };
    format!(
        "{} ({} of collective calls, receives, sends and waits for one of them), the rest of these moves data; known of {} of the time in calls{requests}",
        of.waiting,
        words::percent(share(of.waiting, of.known)),
        words::percent(share(of.known, of.all)),
    )
}

declare! {
    /// A call of one name, over all ranks.
    pub CALLS: MpiCallRow {
        both "name" Name |of| Measured(of.call.clone()) => code: "call";
        both "count" Count |of| Measured(of.calls.count) => number: "calls", last_in_json: true;
        both "seconds" Time |of| Measured(of.calls.time) => number: "time", last_in_json: true;
        both "share" Share |of| of.share.clone() => number: "of MPI";
        both "longest_seconds" Time |of| Measured(of.longest) => number: "longest";
        json "bytes" Bytes |of| both_ways(&of.sent, &of.received);
        both "sent_bytes" Bytes |of| of.sent.clone() => number: "sent", expendable: 2;
        both "received_bytes" Bytes |of| of.received.clone() => number: "received", expendable: 1;
        both "ranks" Count |of| Measured(of.ranks);
    }

    /// A call by place and communicator.
    pub SITES: MpiSiteRow {
        both "name" Name |of| Measured(of.call.clone()) => code: "call", at: 1;
        both "place" Place |of| Measured(of.place.clone()) => code: "where", at: 0;
        both "communicator" Name |of| of.communicator.clone() => text: "communicator", when: When::InPage, at: 101;
        both "count" Count |of| Measured(of.calls.count) => number: "calls", expendable: 1, last_in_json: true;
        both "seconds" Time |of| Measured(of.calls.time) => number: "time", last_in_json: true;
        both "share" Share |of| of.share.clone() => number: "of MPI";
        both "longest_seconds" Time |of| Measured(of.longest);
        both "sent_bytes" Bytes |of| of.sent.clone();
        both "received_bytes" Bytes |of| of.received.clone();
        both "ranks" Count |of| Measured(of.ranks);
        json "least" OfRank |of| of.least.clone() => number: "least", when: When::InPage, at: 102;
        csv "least_rank" Number |of| of.least.as_ref().map(|(rank, _)| i64::from(*rank));
        csv "least_seconds" Time |of| of.least.as_ref().map(|(_, time)| *time);
        json "most" OfRank |of| of.most.clone() => number: "most", when: When::InPage, at: 103;
        csv "most_rank" Number |of| of.most.as_ref().map(|(rank, _)| i64::from(*rank));
        csv "most_seconds" Time |of| of.most.as_ref().map(|(_, time)| *time);
        json "waiting_seconds" Time |of| of.waiting.clone() => number: "waiting", expendable: 2;
    }

    /// Messages of one size.
    pub SIZES: MessageSizeRow {
        json "family" Shaped |of| Measured((json!(of.family), words::family(of.family).into())) => text: "messages";
        json "bits" Shaped |of| Measured((json!(of.bits), words::size(of.bits).into())) => number: "size";
        json "messages" Count |of| Measured(of.messages) => number: "number";
    }

    /// Communicators of one name.
    pub COMMUNICATORS: CommunicatorRow {
        json "name" Name |of| Measured(of.name.clone()) => code: "communicator";
        json "least_size" Number |of| Measured(of.sizes.0.into());
        json "most_size" Number |of| Measured(of.sizes.1.into());
        shown "ranks" Name |of| Measured(from_to(of.sizes));
        json "groups" Count |of| of.groups.clone() => number: "groups";
        json "ranks" Count |of| Measured(of.ranks);
        json "count" Count |of| Measured(of.calls.count) => number: "calls", last_in_json: true;
        json "seconds" Time |of| Measured(of.calls.time) => number: "time", last_in_json: true;
    }
}

fn both_ways(sent: &Reading<Bytes>, received: &Reading<Bytes>) -> Reading<Bytes> {
    sent.as_ref().zip(received.as_ref()).map(|(sent, received)| Bytes(sent.0.saturating_add(received.0)))
}

/// `2 to 4`, or one of them where they are equal.
pub fn from_to((least, most): (u32, u32)) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}
