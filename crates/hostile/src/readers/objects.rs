//! The reader of what the library for memory objects writes down.

use std::collections::HashSet;
use std::fs::File;
use std::os::unix::fs::FileExt;

use numawise_observe::objects::input::MemoryChange;
use numawise_observe::objects::log::{HeapLogs, LoggedRecord};
use numawise_units::Nanoseconds;
use numawise_wire::heap::{EVENTS, SAMPLES, STACK_BYTES, SUFFIX, file_bytes};
use numawise_wire::python::FRAME_HEAD;

use super::blocks;
use crate::{Read, Reader};

pub(crate) const READERS: [Reader; 1] = [Reader {
    name: "heap-log",
    read: heap_log,
    corpus: &["crates/observe/testdata/objects/heap-log"],
    words: &["NWheap\r\n", "\u{1}", "\u{0}\u{0}\u{4}\u{0}"],
    inputs: 400,
}];

/// The input is a list of blocks, each behind its number, which are put into a file that is all zeros else.
fn heap_log(input: &[u8]) -> Read {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = File::create_new(folder.path().join(format!("1-1{SUFFIX}"))).expect("a file in it");
    let bytes = file_bytes(true) as u64;
    let is_cut = !blocks::is_whole(input);
    file.set_len(if is_cut { bytes / 2 } else { bytes }).expect("a file without content");
    for (at, content) in blocks::blocks(input).filter(|(at, _)| (*at as u64) < bytes) {
        file.write_all_at(content, at as u64).expect("a place in the file");
    }
    let (mut stacks, mut last, mut records) = (HashSet::new(), 0, 0);
    let (mut nonsense, mut accepted) = (None, false);
    let mut logs = HeapLogs::new(folder.path());
    logs.drain(Nanoseconds(u64::MAX), &mut |record| {
        records += 1;
        let at = match record {
            LoggedRecord::ProcessBegins { at, .. } => {
                accepted = true;
                at
            }
            LoggedRecord::Stack { number, .. } => {
                stacks.insert(number);
                return;
            }
            LoggedRecord::Python { frames, .. } => {
                if frames.len() > STACK_BYTES / FRAME_HEAD {
                    nonsense = Some(format!("{} functions in one copy", frames.len()));
                }
                return;
            }
            LoggedRecord::Memory(event) => {
                let stack = match event.change {
                    MemoryChange::Allocated { stack, .. }
                    | MemoryChange::Mapped { stack, .. }
                    | MemoryChange::Drawn { stack, .. } => stack,
                    MemoryChange::Freed { .. } | MemoryChange::Unmapped { .. } => None,
                };
                if stack.is_some_and(|stack| !stacks.contains(&stack)) {
                    nonsense = Some(format!("the stack {stack:?} of an event was not handed over"));
                }
                event.at
            }
            LoggedRecord::Time(sample) => sample.at,
        };
        if at.0 < last {
            nonsense = Some(format!("{} comes after {last}", at.0));
        }
        last = at.0;
    });
    if records > 2 * EVENTS + SAMPLES + 1 {
        nonsense = Some(format!("{records} records of one file"));
    }
    match nonsense {
        Some(nonsense) => Read::Nonsense(nonsense),
        None if accepted => Read::Accepted,
        None => Read::Refused("no heap log".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::corpus;

    #[test]
    fn the_logs_of_the_corpus_are_of_the_version_that_is_read() {
        for of in corpus(&READERS[0]) {
            assert!(matches!(heap_log(&of), Read::Accepted));
        }
    }
}
