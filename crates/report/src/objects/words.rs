//! The words for parts of objects.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_facts::objects::ObjectKind;
use numawise_tables::objects::{NodeShare, ObjectRow, ThreadShare, TouchRow, UseRow};
use numawise_units::Ratio;

use crate::amount::many;
use crate::check::object_findings;
use crate::document::Text;
use crate::snapshot::words;

/// What an object is called: its variable, else what kind of memory it is.
pub fn name(row: &ObjectRow) -> String {
    match row.name.measured() {
        Some(name) => name.clone(),
        None => kind(row.kind).to_owned(),
    }
}

pub fn kind(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Heap => "heap",
        ObjectKind::Mapped => "mapped",
        ObjectKind::Shared => "shared mapping",
        ObjectKind::Global => "variable",
        ObjectKind::Stack => "stacks",
        ObjectKind::Small => "small allocations",
        ObjectKind::Other => "other memory",
    }
}

/// `41.2 %`; what is not nothing is never shown as nothing.
pub fn percent(share: Ratio) -> String {
    words::percent(share)
}

pub fn place(place: &Reading<CodePlace>) -> Text {
    words::place(place)
}

pub fn plain_place(place: &CodePlace) -> String {
    words::place_in_short(place)
}

/// `node 0 49 %, node 1 51 %`.
pub fn nodes(shares: &[NodeShare]) -> String {
    let one = |of: &NodeShare| match of.node {
        Some(node) => format!("node {node} {}", percent(of.share)),
        None => format!("CPUs of no node {}", percent(of.share)),
    };
    shares.iter().filter(|of| of.share.0 > 0.0).map(one).collect::<Vec<_>>().join(", ")
}

/// `thread 0 on node 0, 100 %`; of several how many, and by which nodes.
pub fn threads(threads: &[ThreadShare], by_node: &[NodeShare]) -> String {
    match threads {
        [] => "nobody".to_owned(),
        [first, ..] if first.share.0 >= 0.9 => {
            format!("{}, {}", object_findings::thread(first.number, first.node), percent(first.share))
        }
        _ => format!("{}: {}", many(threads.len() as u64, "thread"), nodes(by_node)),
    }
}

pub fn touched(touch: &TouchRow) -> String {
    let by = threads(&touch.threads, &touch.nodes);
    match touch.place.measured() {
        Some(place) => format!("{by}, in {}", plain_place(place)),
        None => by,
    }
}

pub fn used(used: &UseRow) -> String {
    let by = threads(&used.threads, &used.nodes);
    let place = used
        .places
        .first()
        .map(|(place, share)| format!(", in {} ({})", plain_place(place), percent(*share)));
    let remote = used.remote.measured().map(|remote| format!(", remote {}", percent(*remote)));
    format!("{by}{}, reads {}{}", place.unwrap_or_default(), percent(used.reads), remote.unwrap_or_default())
}
