//! What a trace says, in words.

use numawise_facts::finding::{Evidence, RegionOrCall, TracedQuantity};

use super::{how_often, number_of, place, subject};

pub const POST_EARLY: &str = "post receives (MPI_Irecv) before computing that does not need their data; or send with MPI_Isend, compute, and call MPI_Wait \
     afterwards";

pub const COMES_FIRST: &str = "post all receives (MPI_Irecv), then take messages in the order in which they come (MPI_Waitany, MPI_Waitsome), or wait for all \
     of them (MPI_Waitall)";

/// "between the region in f (a.c:3) and MPI_Barrier in main (a.c:9)"
pub fn between(ends: [Option<&RegionOrCall>; 2]) -> String {
    let point =
        |of: &RegionOrCall| format!("{} {}", of.call.as_deref().unwrap_or("the region"), place(&of.place));
    let [after, before] = ends.map(|of| of.map(point));
    let [begin, end] = ["the begin", "the end"].map(str::to_owned);
    format!("between {} and {}", after.unwrap_or(begin), before.unwrap_or(end))
}

pub fn sentence(quantity: TracedQuantity, one: &Evidence, value: &str, of: &str) -> String {
    let if_so = |what: &str| format!("{what}, the traced time would be {value} instead of {of} (by replay)");
    match quantity {
        TracedQuantity::WaitingForComputing => {
            format!("{}: this causes {value} of the {of} of waiting", subject(one))
        }
        TracedQuantity::WaitingForThread => {
            format!("{value} of this because {} came last in its team", subject(one))
        }
        TracedQuantity::WaitingForSerial => {
            format!("{value} of this because it works serially {}", subject(one))
        }
        TracedQuantity::WaitingForFiles => format!("{value} of this because of {}", subject(one)),
        TracedQuantity::ComputingThere if of.is_empty() => {
            format!("it computes there for {value} in all, and no other rank makes this call")
        }
        TracedQuantity::ComputingThere => {
            format!("it computes there for {value} in all, the other ranks for {of} on average")
        }
        TracedQuantity::ThroughOthers => {
            format!("{value} of this came through ranks that waited themselves")
        }
        TracedQuantity::RanksThatWaited => {
            format!("{} waited because of it", number_of(one.value.measured(), "rank"))
        }
        TracedQuantity::TimeIfAsOthers => if_so("if it computed there as long as the other ranks on average"),
        TracedQuantity::TimeIfNotAtAll => if_so("if it did not compute there"),
        TracedQuantity::TimeIfEqual => if_so("if all ranks computed equally long before the same calls"),
        TracedQuantity::TimeIfPosted => if_so("if no send waited for its receive"),
        TracedQuantity::WaitingOfSends => {
            format!("{value} of the {of} of waiting are sends that wait for a receive")
        }
        TracedQuantity::WaitingOutOfOrder => {
            format!("{value} of the {of} of waiting: {}", subject(one))
        }
        TracedQuantity::WaitingInRegion => {
            format!(
                "{value} of the {of} of waiting in OpenMP: threads wait for one another in {}",
                subject(one)
            )
        }
        TracedQuantity::RegionsUneven => {
            format!("they did so in {value} of the {of} times that it was opened")
        }
        TracedQuantity::ThreadLate => {
            format!("{} came last, {} by {value} in all", subject(one), number_of(one.of.as_ref(), "time"))
        }
        TracedQuantity::LongestLate => format!("the longest of this began at {value} and took {of}"),
        TracedQuantity::TimeIfThreadsEqual => if_so("if threads had equal work there"),
        TracedQuantity::SerialOfRanks => {
            format!("ranks work serially, outside of parallel regions and calls, for {value} of {of}")
        }
        TracedQuantity::IdleMeanwhile => format!("their other threads idle meanwhile for {value}"),
        TracedQuantity::SerialBetween => format!("{value} of the {of} {}", subject(one)),
        TracedQuantity::ThreadWithoutCpu => {
            format!("{} was ready without a CPU for {value} of {of} (by samples)", subject(one))
        }
        TracedQuantity::LongestWithoutCpu => {
            format!("the longest of this, {of}, lies behind {value} of the timeline")
        }
        TracedQuantity::WaitedMeanwhile => {
            format!("others waited in MPI for this rank for {value} of the time in which that happened")
        }
        TracedQuantity::TimeIfDivided => if_so("if all threads shared that"),
        TracedQuantity::TimesOutOfOrder => format!("it waited so {}", how_often(one)),
    }
}
