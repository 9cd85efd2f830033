//! A run with traces as an archive. [`ranks`]: what becomes of processes and threads. [`communicators`]: which ranks are in which. [`clocks`]:
//! hosts on one clock. [`frames`]: regions of OpenMP and phases. [`requests`]: numbers of what is sent and received in the background. [`events`]: a thread, event by event.
//! [`definitions`]: what events refer to. [`archive`]: libotf2.

use std::path::{Path, PathBuf};

use numawise_facts::WatchedRun;

use crate::{Otf2Error, ffi};

mod archive;
mod clocks;
mod communicators;
mod definitions;
mod events;
mod frames;
mod ranks;
mod requests;

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;

use archive::Archive;
use clocks::Clocks;
use communicators::Communicators;
use definitions::Definitions;
use events::Thread;
use ranks::Ranks;
use requests::Requests;

/// What was written, and what the archive says otherwise than the run, or not at all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// The file that other tools are given.
    pub anchor: PathBuf,
    pub ranks: u64,
    /// Threads whose calls were traced.
    pub threads: u64,
    /// Calls of MPI, each with an event where it begins and one where it ends; several that found nothing are one.
    pub calls: u64,
    pub sent: u64,
    pub received: u64,
    pub collectives: u64,
    /// Ranks of which nothing was traced: they are in the archive, without events.
    pub ranks_without_trace: u64,
    /// Communicators that are used and of which not all ranks are known: those of the world stand for them.
    pub unknown_communicators: u64,
    /// Messages of which the communicator is not known: they are on that of the world.
    pub messages_on_world: u64,
    /// Messages from or to what is no rank of the world.
    pub messages_left_out: u64,
    /// Collective calls for which the format has no operation, or of which the communicator is not known: they are plain calls.
    pub collectives_left_out: u64,
    /// Requests that were waited for and of which the begin is not in the trace.
    pub requests_without_begin: u64,
    /// Moments that lay before the one before them, and were set to that.
    pub moments_moved: u64,
    /// Records that found no place in the trace.
    pub lost: u64,
    pub clocks: HostClocks,
}

/// How moments of several hosts were brought together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HostClocks {
    /// There is one host: nothing was changed.
    #[default]
    One,
    /// By the hosts' clocks of the day, as they were when MPI began: as good as these agree.
    ByTimeOfDay { hosts: u64 },
    /// Of so many hosts it is not known when their clocks began: their moments are as they were.
    NotKnown { hosts: u64 },
}

/// Writes the traces of a run as an OTF2 archive into a folder, which must be empty or not there yet; the anchor file in it is `traces.otf2`.
///
/// # Errors
/// Where libotf2 is not installed, the folder cannot be written, or the run has no traces.
pub fn write(folder: &Path, run: &WatchedRun) -> Result<Written, Otf2Error> {
    let ranks = Ranks::of(run)?;
    let otf2 = ffi::Otf2::open()?;
    check_folder(folder)?;
    let communicators = Communicators::of(run, &ranks);
    let clocks = Clocks::of(run, &ranks);
    let mut definitions = Definitions::new(run, &ranks);
    let mut written = Written {
        ranks: ranks.ranks() as u64,
        ranks_without_trace: ranks.without_trace(),
        unknown_communicators: communicators.unknown(),
        lost: lost(run),
        clocks: clocks.how(),
        ..Written::default()
    };
    for known in &communicators.all {
        definitions.string(&known.name);
    }
    let mut archive = Archive::create(&otf2, folder)?;
    for group in 0..ranks.groups.len() {
        let mut requests = Requests::of(run, &ranks, group);
        let process = ranks.groups.get(group).and_then(|of| run.processes.get(of.process?));
        let ends = process.map(frames::region_ends).unwrap_or_default();
        for location in ranks.locations_of(group) {
            let mut writer = archive.events(location)?;
            // Readers expect a file of each location, also without events.
            let Some(trace) = ranks.trace(run, location) else {
                writer.close()?;
                continue;
            };
            let mut thread = Thread {
                ranks: &ranks,
                communicators: &communicators,
                clocks: &clocks,
                definitions: &mut definitions,
                requests: &mut requests,
                written: &mut written,
                location,
                last: 0,
            };
            thread.write(run, (trace, &ends), &mut |event| writer.write(event))?;
            let (first, last, events) = (clocks.first(), thread.last, writer.close()?);
            definitions.location_has(location, events, [first, last]);
            written.threads += 1;
        }
    }
    archive.define(&ranks, &communicators, &clocks, &definitions)?;
    archive.close()?;
    written.anchor = folder.join("traces.otf2");
    Ok(written)
}

fn lost(run: &WatchedRun) -> u64 {
    let losses = run.processes.iter().filter_map(|process| process.lost.trace);
    losses.fold(0, |sum, loss| sum.saturating_add(loss.records))
}

/// libotf2 would write beside what is there.
fn check_folder(folder: &Path) -> Result<(), Otf2Error> {
    let problem = match std::fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => return Ok(()),
            Some(_) => return Err(Otf2Error::Exists { folder: folder.to_owned() }),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => error,
    };
    Err(Otf2Error::Folder { folder: folder.to_owned(), problem })
}
