//! Names of the places in a program's code: function, file and line, from the symbols and the debug information of the files that it
//! had loaded, as they are when it has ended.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use addr2line::Loader;
use numawise_facts::activity::{CodeAddress, SourcePlace, ThreadActivity};
use numawise_facts::notice::SnapshotNotice;
use numawise_facts::{Activity, MergedRanks, Notice, Reading, SourcePlaces};

#[cfg(test)]
#[path = "places_tests.rs"]
mod tests;

/// Most places that are named: a program of a hundred thousand call sites has most of its time in a few.
const MOST_PLACES: usize = 16_384;
/// Longer names are cut: templates of C++ make some of a page.
const LONGEST_NAME: usize = 512;
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
    let mut places = SourcePlaces::new();
    for (path, addresses) in wanted {
        let Some(file) = readable(path) else { continue };
        match Loader::new(file) {
            Ok(loader) => {
                let named = addresses.into_iter().map(|at| ((path.to_owned(), at), place(&loader, at)));
                places.extend(named);
            }
            Err(error) => {
                let (file, problem) = (path.to_owned(), error.to_string());
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

fn place(loader: &Loader, at: u64) -> SourcePlace {
    let is_begin = loader.find_symbol_info(at).is_some_and(|symbol| symbol.address() == at);
    // A call may be the last instruction of a function: what it returns to is then the next function, or another line.
    let probe = if is_begin { at } else { at.saturating_sub(1) };
    let (function, file, line) = frame(loader, probe).unwrap_or_default();
    let symbol =
        || loader.find_symbol(probe).map(|name| addr2line::demangle_auto(Cow::from(name), None).into_owned());
    let function = function.or_else(symbol).and_then(|name| source_name(&name));
    let no_lines = "the file has no lines for it; compile with -g";
    SourcePlace {
        function: function.map_or_else(
            || Reading::unavailable("the file has no symbol for it that the source knows"),
            |name| Reading::Measured(cut(name)),
        ),
        file: file.map_or_else(|| Reading::unavailable(no_lines), |file| Reading::Measured(cut(file))),
        line: line.filter(|line| *line > 0).map_or_else(|| Reading::unavailable(no_lines), Reading::Measured),
    }
}

type Frame = (Option<String>, Option<String>, Option<u32>);

/// Function, file and line of the innermost function there, also of one that the compiler put into another.
fn frame(loader: &Loader, probe: u64) -> Option<Frame> {
    let mut frames = loader.find_frames(probe).ok()?;
    let frame = frames.next().ok()??;
    let function = frame.function.as_ref().and_then(|name| name.demangle().ok()).map(Cow::into_owned);
    let location = frame.location.as_ref();
    let file = location.and_then(|location| location.file).map(str::to_owned);
    Some((function, file, location.and_then(|location| location.line)))
}

/// A function's name without what a compiler puts behind it for the parts that it makes of it; nothing where there is no more.
fn source_name(name: &str) -> Option<String> {
    const MADE: [&str; 8] = [
        "._omp_fn.",
        "._omp_cpyfn.",
        ".omp_outlined",
        "._omp_outlined",
        ".constprop.",
        ".isra.",
        ".part.",
        ".cold",
    ];
    // Of `f(int) [clone ._omp_fn.0]`, as a demangler writes it.
    let name = name.find(" [clone .").map_or(name, |at| &name[..at]);
    let end = MADE.iter().filter_map(|made| name.find(made)).min().unwrap_or(name.len());
    let source = &name[..end];
    (!source.is_empty()).then(|| source.to_owned())
}

fn cut(mut name: String) -> String {
    if name.len() > LONGEST_NAME {
        let mut end = LONGEST_NAME;
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        name.truncate(end);
        name.push('…');
    }
    name
}
