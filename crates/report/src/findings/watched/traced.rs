//! What a trace says, in words.

use numawise_facts::finding::{Evidence, TracedQuantity};

use super::{how_often, number_of, subject};

pub const POST_EARLY: &str = "begin receives (MPI_Irecv) before computing what does not need them, so that the sender can hand over its message at once, or send \
     with MPI_Isend, compute, and wait late";

pub const COMES_FIRST: &str = "begin all receives (MPI_Irecv), and take what is there first (MPI_Waitany, MPI_Waitsome), or wait for all of them at once \
     (MPI_Waitall)";

pub fn sentence(quantity: TracedQuantity, one: &Evidence, value: &str, of: &str) -> String {
    let if_so = |what: &str| format!("without it, the trace replayed: {value} instead of {of} ({what})");
    match quantity {
        TracedQuantity::WaitingForComputing => {
            format!("{value} of the {of} of waiting, because {}", subject(one))
        }
        TracedQuantity::ComputingEachTime if of.is_empty() => {
            format!("it computes for {value} each time, and no other rank makes this call")
        }
        TracedQuantity::ComputingEachTime => {
            format!("it computes for {value} each time on average, the other ranks for {of}")
        }
        TracedQuantity::ThroughOthers => {
            format!("{value} of this came through ranks that waited themselves")
        }
        TracedQuantity::RanksThatWaited => {
            format!("{} waited because of it", number_of(one.value.measured(), "rank"))
        }
        TracedQuantity::TimeIfAsOthers => if_so("computing there as long as the other ranks do on average"),
        TracedQuantity::TimeIfNotAtAll => if_so("no computing there"),
        TracedQuantity::TimeIfEqual => if_so("all ranks computing equally long before the same calls"),
        TracedQuantity::TimeIfPosted => if_so("no send waiting for its receive"),
        TracedQuantity::WaitingOfSends => {
            format!("{value} of the {of} of waiting are sends that wait for a receive")
        }
        TracedQuantity::WaitingOutOfOrder => {
            format!("{value} of the {of} of waiting are in {}", subject(one))
        }
        TracedQuantity::TimesOutOfOrder => format!("it waited so {}", how_often(one)),
    }
}
