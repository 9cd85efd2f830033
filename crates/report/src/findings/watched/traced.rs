//! What a trace says, in words.

use numawise_facts::finding::{Evidence, TracedQuantity};

use super::{how_often, number_of, subject};

pub const POST_EARLY: &str = "post receives (MPI_Irecv) before computing that does not need their data; or send with MPI_Isend, compute, and call MPI_Wait \
     afterwards";

pub const COMES_FIRST: &str = "post all receives (MPI_Irecv), then take messages in the order in which they come (MPI_Waitany, MPI_Waitsome), or wait for all \
     of them (MPI_Waitall)";

pub fn sentence(quantity: TracedQuantity, one: &Evidence, value: &str, of: &str) -> String {
    let if_so = |what: &str| format!("{what}, the traced time would be {value} instead of {of} (by replay)");
    match quantity {
        TracedQuantity::WaitingForComputing => {
            format!("{}: this causes {value} of the {of} of waiting", subject(one))
        }
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
        TracedQuantity::TimesOutOfOrder => format!("it waited so {}", how_often(one)),
    }
}
