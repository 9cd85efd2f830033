//! The memory objects of what a snapshot watches: followed by each numawise in what it starts itself, left in the folder of its files, and
//! read by the one that reports.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use numawise_facts::notice::ObjectsNotice;
use numawise_facts::{Notice, ObjectRun};
use numawise_launch::Change;
use numawise_linux::replace;
use numawise_units::Arrange;

use super::Environment;
use super::folder::CollectorFolder;
use crate::follow::{BeginsToFollow, Following};

#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;

/// Ends the name of what a numawise leaves.
const END: &str = ".objects";
/// Runs of a job that are kept, each of a numawise: around a launcher of one computer there is one, inside one of each rank. A run of a program with a
/// hundred objects takes some 200 KB.
const MOST_RUNS: usize = 128;

/// What this thread starts next is about to be followed; `changes` of its environment become those with ours.
///
/// # Errors
/// Where there is no place for what its processes log.
pub fn begin(
    following: &Following,
    folder: &CollectorFolder,
    changes: &mut Vec<Change>,
    environment: Environment<'_>,
) -> io::Result<BeginsToFollow> {
    // Those of other ranks of this computer would be taken for processes of ours.
    let own = format!("logs-{}", std::process::id());
    let (path, name) = (folder.path().join(&own), format!("{}/{own}", folder.name()));
    DirBuilder::new().mode(0o700).create(&path)?;
    let (begins, with_ours) = following.begin((&path, &name), changes, environment);
    *changes = with_ours;
    Ok(begins)
}

/// Leaves a run in the folder, for whoever reads all that is in it.
///
/// # Errors
/// Where it cannot be written.
pub fn keep(folder: &Path, run: &ObjectRun) -> io::Result<()> {
    let text = serde_json::to_vec(run).map_err(io::Error::other)?;
    replace::write(&folder.join(format!("{}{END}", std::process::id())), &text)
}

/// The runs that were left in a folder, those of low ranks first, and what is wrong with the others.
pub fn read(folder: &Path) -> (Vec<ObjectRun>, Vec<Notice>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut runs = Vec::new();
    let mut problems = Vec::new();
    for path in entries.filter(|path| path.as_os_str().as_encoded_bytes().ends_with(END.as_bytes())) {
        let read = std::fs::read_to_string(&path)
            .and_then(|text| serde_json::from_str(&text).map_err(io::Error::other));
        match read {
            Ok(run) => runs.push(run),
            Err(error) => problems.push(is_missing(&error)),
        }
    }
    sort(&mut runs);
    (runs, problems)
}

/// Those of low ranks first; those of no rank are last.
fn sort(runs: &mut [ObjectRun]) {
    runs.arrange_by_key(|run| {
        let first = run.ranks.iter().map(|of| of.rank).min();
        (first.is_none(), first, run.header.begun)
    });
}

/// What is kept of the runs of a job, and what is to be said where that is not all.
pub fn kept(mut runs: Vec<ObjectRun>) -> (Vec<ObjectRun>, Option<Notice>) {
    sort(&mut runs);
    let all = runs.len();
    runs.truncate(MOST_RUNS);
    let notice = ObjectsNotice::ObjectsLeftOut { runs: all as u64, kept: MOST_RUNS as u64 };
    (runs, (all > MOST_RUNS).then(|| notice.into()))
}

/// What is to be said where a run could not be handed on.
pub fn is_missing(problem: &io::Error) -> Notice {
    ObjectsNotice::NoObjectsOfRun { problem: problem.to_string() }.into()
}
