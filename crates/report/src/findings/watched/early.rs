//! Ranks that ended without MPI_Finalize, in words.

use numawise_facts::finding::{Amount, EarlyQuantity, Evidence, EvidenceSubject, WatchedSubject};

use super::subject;

pub const FIND_HANG: &str = "ranks that wait for one another never end: compare these calls; a receive has no send, or not all ranks come to a collective \
             call";

pub const FIND_CRASH: &str = "see what the program and its launcher wrote before the report; after ulimit -c unlimited, gdb PROGRAM CORE shows the line of \
             a crash, and a build with -g -fsanitize=address the first wrong access to memory";

pub fn sentence(quantity: EarlyQuantity, one: &Evidence, value: &str, of: &str) -> String {
    match quantity {
        EarlyQuantity::AbortedAfter => {
            format!("{} called MPI_Abort {value} after its begin", subject(one))
        }
        EarlyQuantity::ExitedAfter => {
            format!("{} ended by exit {value} after its begin, without MPI_Finalize", subject(one))
        }
        EarlyQuantity::DiedAfter => {
            format!("{} died first, {value} after its begin", subject(one))
        }
        EarlyQuantity::MayHaveDiedAfter => {
            format!(
                "{} may have died first: it was not waiting in MPI, {value} after its begin",
                subject(one)
            )
        }
        EarlyQuantity::EndedBySignal => {
            let name = named(one.value.measured());
            match of {
                "" => format!("the program ended by signal {value}{name}"),
                status => {
                    format!(
                        "the launcher's status, {status}, says that a process ended by signal {value}{name}"
                    )
                }
            }
        }
        EarlyQuantity::DiedInCall => {
            format!("it was in {} then, for {value}", subject(one))
        }
        EarlyQuantity::DiedAfterCall => {
            format!("it was outside of MPI then; its last call of MPI was {}", subject(one))
        }
        EarlyQuantity::KeptInCall => kept_in(one, value),
    }
}

/// `ranks 0, 2 waited in MPI_Barrier in main (a.c:9) until they were ended too, the longest for 1.2 s`
fn kept_in(one: &Evidence, value: &str) -> String {
    let EvidenceSubject::Watched(WatchedSubject::CallOfRanks { ranks, further_ranks, .. }) = &one.subject
    else {
        return value.to_owned();
    };
    let names = ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match (ranks.len(), further_ranks) {
        (1, 0) => format!("rank {names} waited in {} until it was ended too, for {value}", subject(one)),
        (_, 0) => format!(
            "ranks {names} waited in {} until they were ended too, the longest for {value}",
            subject(one)
        ),
        (_, further) => {
            format!(
                "ranks {names} and {further} more waited in {} then, the longest for {value}",
                subject(one)
            )
        }
    }
}

/// The names of signal(7) that a program dies of, of x86-64 and ARM.
fn named(signal: Option<&Amount>) -> &'static str {
    let Some(Amount::Count(signal)) = signal else { return "" };
    match signal {
        2 => " (SIGINT)",
        3 => " (SIGQUIT)",
        4 => " (SIGILL, no instruction of this processor)",
        6 => " (SIGABRT, by abort: a failed assertion, or a heap that was overwritten)",
        7 => " (SIGBUS, memory that could not be had, or a file that became shorter)",
        8 => " (SIGFPE, a division by zero)",
        9 => " (SIGKILL: by the batch system, or for want of memory)",
        11 => " (SIGSEGV, an access to memory that is not there)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        24 => " (SIGXCPU, a limit of CPU time)",
        _ => "",
    }
}
