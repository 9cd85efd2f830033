//! Names of the places in a program's code: function, file and line, from the symbols and the debug information of the files that it
//! had loaded, as they are when it has ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use numawise_facts::activity::{CodeAddress, ThreadActivity};
use numawise_facts::notice::SnapshotNotice;
use numawise_facts::{Activity, MergedRanks, Notice, SourcePlaces};
use numawise_symbols::{DebugInfo, SourceFiles, python_place};

#[cfg(test)]
#[path = "places_tests.rs"]
mod tests;

/// Most places that are named: a program of a hundred thousand call sites has most of its time in a few.
const MOST_PLACES: usize = 16_384;
/// A source has fewer lines.
const MOST_LINES: u64 = 1_000_000;
/// The longest path that the collector keeps whole.
const WHOLE_PATH: usize = 231;

/// Names all places that the processes speak of. A file that cannot be read is reported once.
pub fn of(processes: &[Activity], merged: Option<&MergedRanks>, notices: &mut Vec<Notice>) -> SourcePlaces {
    let mut wanted: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    let mut count = 0;
    let mut want = |path, address| {
        if count < MOST_PLACES && wanted.entry(path).or_default().insert(address) {
            count += 1;
        }
    };
    for (path, address) in merged.into_iter().flat_map(MergedRanks::loaded_places) {
        want(path.as_str(), *address);
    }
    for activity in processes {
        for at in addresses(activity) {
            let Some(path) = activity.path(at.file) else { continue };
            want(path, at.address);
        }
    }
    let (mut places, mut sources) = (SourcePlaces::new(), SourceFiles::default());
    for (path, addresses) in wanted {
        if is_source(path) && addresses.iter().all(|at| *at < MOST_LINES) {
            let line = |at: u64| u32::try_from(at).ok().filter(|line| *line > 0);
            let mut named = |at| ((path.to_owned(), at), python_place(path, line(at), &mut sources));
            places.extend(addresses.into_iter().map(&mut named));
            continue;
        }
        let Some(file) = readable(path) else { continue };
        match DebugInfo::open(file) {
            Ok(info) => {
                let named = addresses.into_iter().map(|at| ((path.to_owned(), at), info.place_of_return(at)));
                places.extend(named);
            }
            Err(error) => {
                let (file, problem) = (path.to_owned(), error.problem());
                notices.push(SnapshotNotice::PlacesNotNamed { file, problem }.into());
            }
        }
    }
    places
}

/// All addresses of a process.
fn addresses(activity: &Activity) -> impl Iterator<Item = CodeAddress> {
    let of_thread = |thread: &ThreadActivity| {
        let starts = thread.start.measured().copied();
        let calls = thread.calls.iter().filter_map(|site| site.at.measured().copied());
        let constructs = thread.constructs.iter().filter_map(|construct| construct.at.measured().copied());
        starts.into_iter().chain(calls).chain(constructs).collect::<Vec<_>>()
    };
    activity.threads.measured().into_iter().flatten().flat_map(of_thread)
}

/// The file itself; nothing where only the end of its path is known, and for what is no file.
fn readable(path: &str) -> Option<&Path> {
    let is_whole = path.len() < WHOLE_PATH || path.starts_with('/');
    Some(Path::new(path)).filter(|path| is_whole && path.is_file())
}

/// A source of Python, whose addresses are lines: what a program makes of a text (`<string>`), and files that are no code.
fn is_source(path: &str) -> bool {
    let mut begin = [0; 4];
    path.starts_with('<')
        || readable(path).is_some_and(|path| {
            File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_err() || begin != *b"\x7fELF"
        })
}
