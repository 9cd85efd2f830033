//! `numawise report DIR/traces.otf2`: the trace of another tool, analysed as ours are.

use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use numawise_facts::TracePart;
use numawise_otf2::{Assumption, ReadTrace};
use numawise_report::snapshot::{ForeignTrace, foreign_document, foreign_json};

use crate::exit::Failure;
use crate::faces::Faces;
use crate::show::{self, Snapshot};

/// The library that reads archives may not come back from a broken one: so long is it waited for, and longer for large ones.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes that are read in a second at least.
const SLOWEST: u64 = 1 << 20;

/// An OTF2 archive, by its anchor file.
pub fn is_archive(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "otf2")
}

/// Prints what the trace says.
pub fn report(path: &Path, part: &TracePart, faces: &Faces) -> Result<(), Failure> {
    let read = read(path)?;
    let assumed: Vec<String> = read.assumed.iter().map(said).collect();
    let tables = Snapshot::trace(&read.run, part).ok_or_else(|| no_rank(path))?;
    let archive = path.display().to_string();
    show::holds_part(&tables, part, (&read.run, &archive))?;
    let shown = ForeignTrace {
        archive: &archive,
        creator: &read.creator,
        events: read.events,
        assumed: &assumed,
        trace: &tables,
        drawn: None,
    };
    faces.put(
        || show::terminal(&foreign_document(&shown)),
        || foreign_json(&shown),
        || {
            // Of a part there is no drawing of the calls.
            let events = part.is_whole().then(|| Snapshot::events(&read.run)).flatten();
            show::page(&foreign_document(&ForeignTrace { drawn: events.as_ref(), ..shown }))
        },
    )
}

/// It is read, and holds nothing of use.
pub fn no_rank(path: &Path) -> Failure {
    Failure::new(format!(
        "{}: it has no call of a rank between MPI_Init and MPI_Finalize; expected the trace of a program with MPI",
        path.display()
    ))
}

pub fn read(path: &Path) -> Result<ReadTrace, Failure> {
    let (sender, receiver) = mpsc::channel();
    let anchor = path.to_owned();
    let reader = move || {
        let _ = sender.send(numawise_otf2::read(&anchor));
    };
    thread::Builder::new()
        .name("otf2".to_owned())
        .spawn(reader)
        .map_err(|error| Failure::new(format!("{}: no thread to read it: {error}", path.display())))?;
    let patience = PATIENCE + Duration::from_secs(bytes_of_archive(path) / SLOWEST);
    match receiver.recv_timeout(patience) {
        Ok(read) => Ok(read?),
        Err(_) => Err(Failure::new(format!(
            "{}: libotf2 did not come back within {} s: the archive may be damaged; expected one that otf2-print reads",
            path.display(),
            patience.as_secs()
        ))),
    }
}

/// Of the folder that has the same name, where the events are.
fn bytes_of_archive(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path.with_extension("")).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
}

/// What had to be assumed, as a sentence.
fn said(of: &Assumption) -> String {
    match of {
        Assumption::RanksByNames => {
            "no group says which locations are ranks: taken from the numbers in the names of location groups"
                .to_owned()
        }
        Assumption::RanksByOrder => {
            "neither groups nor names say which locations are ranks: taken in the order of location groups"
                .to_owned()
        }
        Assumption::TickIsNanosecond => "it has no clock: a tick is taken for a nanosecond".to_owned(),
        Assumption::OtherLength { told, found } => {
            format!("its definitions give a length of {told}, its events {found}, which is used")
        }
        Assumption::OtherEvents { told, read } => {
            format!("its definitions announce {told} events; {read} were read, and are used")
        }
        Assumption::LocationsUnread { locations } => {
            format!("{locations} locations could not be read, or not to their end")
        }
        Assumption::GroupsOfOneNumber { groups } => {
            format!("{groups} groups have a number that is used already: the first one is used")
        }
        Assumption::CommunicatorsJoined { communicators } => {
            format!("{communicators} communicators of the same ranks with several numbers were taken as one")
        }
        Assumption::CommunicatorsUnknown { events } => {
            format!(
                "{events} messages and collective calls on communicators that are not defined were left out"
            )
        }
        Assumption::PeersUnknown { messages } => {
            format!("{messages} messages from or to no rank of MPI_COMM_WORLD were left out")
        }
        Assumption::ReceivesNotCompleted { requests } => {
            format!("{requests} non-blocking receives have no completion record: their messages are missing")
        }
        Assumption::SendsNotCompleted { requests } => {
            format!("{requests} non-blocking sends have no completion record")
        }
        Assumption::RequestsNotBegun { requests } => {
            format!(
                "{requests} requests completed that were not begun: taken to begin with the call that completed them"
            )
        }
        Assumption::RequestNumbersAgain { requests } => {
            format!("{requests} requests had the number of one that was not completed")
        }
        Assumption::OutsideOfCalls { events } => {
            format!("{events} messages and collective calls outside of MPI calls were left out")
        }
        Assumption::Unbalanced { regions } => format!(
            "{regions} regions were entered and not left, or left and not entered: the first end with what is around them, the others were \
             left out"
        ),
        Assumption::MomentsMoved { events } => {
            format!("{events} timestamps went backwards: set to that of the event before")
        }
        Assumption::ClockMoved { rank, by } => {
            format!(
                "the clock of rank {rank} was moved by {by}, the least with which no message comes before it was sent"
            )
        }
        Assumption::ClocksContradict { by } => {
            format!("clocks cannot be fully corrected: some messages arrive up to {by} before they are sent")
        }
    }
}
