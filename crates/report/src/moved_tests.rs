use numawise_facts::PageUse;
use numawise_units::{Nanoseconds, Pid};

use super::*;
use crate::document::{Style, terminal};

fn moved() -> MovedMemory {
    let mib = Bytes::mib;
    MovedMemory {
        pid: Pid(4711),
        name: "app".to_owned(),
        from: "0".parse().unwrap(),
        to: "1".parse().unwrap(),
        before: Reading::Measured(vec![
            (PageUse::Heap, NodeId(0), mib(100)),
            (PageUse::File, NodeId(0), mib(2)),
            (PageUse::Heap, NodeId(1), mib(1)),
        ]),
        after: Reading::Measured(vec![
            (PageUse::File, NodeId(0), mib(2)),
            (PageUse::Heap, NodeId(1), mib(101)),
        ]),
        unmoved_pages: Reading::Measured(0),
        took: Reading::Measured(Nanoseconds(50_000_000)),
        takes_shared: Reading::Measured(false),
    }
}

fn shown(all: &[MovedMemory]) -> String {
    terminal(&document(all), Style::plain())
}

#[test]
fn what_moved_and_what_stays_is_said() {
    let text = shown(&[moved()]);
    for part in [
        "Moved 100 MiB of app (4711) from node 0 to node 1 in 50.00 ms (2.1 GB/s)",
        "on node 0 stay 2 MiB file; pages that other processes map too are moved for root only.",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let root =
        MovedMemory { takes_shared: Reading::Measured(true), unmoved_pages: Reading::Measured(3), ..moved() };
    let text = shown(&[root]);
    assert!(text.contains("could not move 3 pages") && !text.contains("root only"), "{text}");
}

#[test]
fn a_process_of_which_nothing_was_moved_says_why() {
    let refused = MovedMemory {
        pid: Pid(5),
        after: moved().before,
        unmoved_pages: Reading::unavailable("it is another user's"),
        took: Reading::unavailable("it is another user's"),
        ..moved()
    };
    let text = shown(&[moved(), refused.clone()]);
    assert!(text.contains("Moved 100 MiB of 2 processes"), "{text}");
    assert!(text.contains("app (5): nothing was moved: it is another user's."), "{text}");
    assert!(text.contains("app (4711): 100 MiB were moved in 50.00 ms (2.1 GB/s)."), "{text}");
    let json = json(&[refused]);
    for key in ["unmoved_pages", "seconds", "bytes_per_second"] {
        assert_eq!(json["processes"][0][key]["unavailable"], "it is another user's", "{key}");
    }
}

#[test]
fn how_much_is_unknown_where_memory_cannot_be_read() {
    let ended = MovedMemory { after: Reading::unavailable("the process has ended"), ..moved() };
    let text = shown(std::slice::from_ref(&ended));
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("how much is unavailable (the process has ended)"), "{text}");
    assert!(json(&[ended])["processes"][0]["moved_bytes"]["unavailable"].is_string());
}

/// Every key of the JSON stands in its document.
#[test]
fn the_format_is_documented() {
    let document = include_str!("../../../docs/formats/move-json.md");
    let json = json(&[moved()]);
    let process = json["processes"][0].as_object().unwrap();
    let keys = json.as_object().unwrap().keys().chain(process.keys());
    let missing: Vec<&String> = keys.filter(|key| !document.contains(&format!("`{key}"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
