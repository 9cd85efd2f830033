use std::mem::offset_of;
use std::os::unix::fs::MetadataExt;
use std::time::Instant;

use numawise_wire::snapshot::VERSION;
use numawise_wire::trace::{HEADER_BYTES, Header, MAGIC, SUFFIX};

use super::*;

/// A trace with places for so many chunks, of which so many were opened, as sparse as the collector makes it.
fn trace(folder: &Path, chunks: u32, opened: u32) -> PathBuf {
    let path = folder.join(format!("1-2{SUFFIX}"));
    let file = File::create(&path).unwrap();
    file.set_len(file_bytes(chunks as usize) as u64).unwrap();
    let words = [VERSION, chunks, 1_000_000].map(u32::to_ne_bytes).concat();
    file.write_all_at(&[&MAGIC.to_ne_bytes()[..], &words].concat(), 0).unwrap();
    file.write_all_at(&opened.to_ne_bytes(), offset_of!(Header, opened) as u64).unwrap();
    path
}

#[test]
fn pages_are_made_ahead_of_a_process_and_not_for_all_of_its_file() {
    let folder = tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap());
    let path = trace(folder.path(), 1000, 3);
    std::fs::write(folder.path().join("other.part"), "not a trace").unwrap();
    let mut traces = Traces { files: TraceFiles::of(folder.path()), known: BTreeMap::new() };
    traces.look();
    let bytes = || std::fs::metadata(&path).unwrap().blocks() * 512;
    let made = (AHEAD * CHUNK_BYTES) as u64;
    if bytes() < made {
        return eprintln!("SKIPPED: this kernel makes no pages ahead (before 5.14)");
    }
    assert!((made..made + 100_000).contains(&bytes()), "{} bytes", bytes());
    traces.look();
    assert!(bytes() < made + 100_000, "a second look makes no more");
    // In it still stands what the process wrote, and nothing else.
    let content = std::fs::read(&path).unwrap();
    assert!(content[HEADER_BYTES..].iter().all(|byte| *byte == 0) && content[..8] == MAGIC.to_ne_bytes());
}

#[test]
fn the_thread_ends_when_it_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let pages = TracePages::start(folder.path()).unwrap();
    let begun = Instant::now();
    drop(pages);
    assert!(begun.elapsed() < Duration::from_secs(60));
}
