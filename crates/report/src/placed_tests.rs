use numawise_facts::PageUse;
use numawise_units::{NodeId, Pid};

use super::*;
use crate::document::{Style, terminal};

fn thread(tid: i32, planned: &str, after: Reading<CpuSet>) -> PlacedThread {
    PlacedThread {
        tid: Pid(tid),
        name: "app".to_owned(),
        planned: planned.parse().unwrap(),
        before: Reading::Measured("0-3".parse().unwrap()),
        after,
    }
}

fn cpus(text: &str) -> Reading<CpuSet> {
    Reading::Measured(text.parse().unwrap())
}

fn placed(threads: Vec<PlacedThread>) -> PlacedProcess {
    PlacedProcess {
        pid: Pid(4711),
        name: "app".to_owned(),
        cpus: "2-3".parse().unwrap(),
        nodes: "1".parse().unwrap(),
        threads,
        memory: Reading::Measured(vec![
            (PageUse::Heap, NodeId(0), Bytes::mib(20)),
            (PageUse::File, NodeId(0), Bytes::mib(2)),
        ]),
    }
}

fn shown(all: &[PlacedProcess]) -> String {
    let text = terminal(&document(all), Style::plain());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn threads_with_the_same_cpus_are_one_row_and_remote_memory_has_its_cure() {
    let all = (4711..4719).map(|tid| thread(tid, "2-3", cpus("2-3"))).collect();
    let text = shown(&[placed(all)]);
    for part in [
        "Placed 8 threads of app (4711) on CPUs 2-3",
        "app (4711) 4711 to 4718 (8) 0-3 2-3",
        "20 MiB of its memory (files and shared memory left out) are on node 0, its CPUs on node 1. This moves them there: numawise move 4711 0 1",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn threads_on_cpus_of_their_own_have_rows_of_their_own() {
    let text = shown(&[placed(vec![thread(4711, "2", cpus("2")), thread(4712, "3", cpus("3"))])]);
    assert!(text.contains("app (4711) 4711 0-3 2 app (4711) 4712 0-3 3"), "{text}");
}

#[test]
fn what_is_not_as_planned_is_said() {
    let refused = thread(4712, "2-3", Reading::unavailable("it is another user's"));
    let cut = thread(4711, "2-3", cpus("2"));
    let unread = PlacedProcess { memory: Reading::unavailable("forbidden"), ..placed(vec![cut, refused]) };
    let text = shown(std::slice::from_ref(&unread));
    for part in [
        "Placed 1 thread of app (4711) on CPU 2 ",
        "of the planned CPUs 2-3 thread 4711 has 2",
        "thread 4712 is not known to be on CPUs 2-3: it is another user's.",
        "is not known: forbidden.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = json(&[unread]);
    assert_eq!(json["processes"][0]["threads"][1]["after"]["unavailable"], "it is another user's");
    assert_eq!(json["processes"][0]["remote_memory"]["unavailable"], "forbidden");
}

/// Every key of the JSON stands in its document.
#[test]
fn the_format_is_documented() {
    let document = include_str!("../../../docs/formats/place-json.md");
    let json = json(&[placed(vec![thread(4711, "2-3", cpus("2-3"))])]);
    let process = &json["processes"][0];
    let objects = [&json, process, &process["threads"][0], &process["remote_memory"][0]];
    let keys = objects.into_iter().flat_map(|value| value.as_object().unwrap().keys());
    let missing: Vec<&String> = keys.filter(|key| !document.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
