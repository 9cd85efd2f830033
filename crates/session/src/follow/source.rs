//! Whether the lines of loops are still those of the code that ran.

use std::collections::BTreeSet;
use std::time::SystemTime;

use numawise_facts::Notice;
use numawise_facts::activity::CodePlace;
use numawise_facts::notice::ObjectsNotice;
use numawise_facts::objects::CodeSamples;

use super::MOST_FILES;

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;

/// Source files of sampled loops that were written after the file that holds the loop: their lines have moved. `written` says when a file was;
/// files of which it does not know are not judged.
pub fn changed(
    places: &[CodePlace],
    code: &CodeSamples,
    written: &dyn Fn(&str) -> Option<SystemTime>,
) -> Option<Notice> {
    let sampled = code.loops.iter().filter(|of| !of.samples.is_empty());
    let pairs: BTreeSet<(&String, &String)> = sampled
        .flat_map(|of| {
            let places = of.lines.iter().filter_map(|line| places.get(line.place as usize));
            places.filter_map(|place| Some((&of.head.file, place.source.file.measured()?)))
        })
        .collect();
    let is_newer = |(program, source): &(&String, &String)| {
        written(program).zip(written(source)).is_some_and(|(built, changed)| changed > built)
    };
    let (programs, files): (BTreeSet<&String>, BTreeSet<&String>) =
        pairs.into_iter().filter(is_newer).unzip();
    let count = files.len() as u64;
    let [programs, files] = [programs, files].map(|of| of.into_iter().take(MOST_FILES).cloned().collect());
    (count > 0).then(|| ObjectsNotice::SourceChanged { programs, files, count }.into())
}

/// When a file was written, where it can be found.
pub fn written(path: &str) -> Option<SystemTime> {
    std::fs::metadata(path).ok()?.modified().ok()
}
