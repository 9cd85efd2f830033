//! Findings of memory objects.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_facts::finding::{
    Evidence, EvidenceSubject, NamedObject, ObjectAdvice, ObjectQuantity, ObjectSubject,
};
use numawise_facts::objects::ObjectKind;
use numawise_units::NodeId;

use super::{amount, value, watched};

#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;

pub(super) fn sentence(quantity: ObjectQuantity, one: &Evidence) -> String {
    let value = value(one);
    match quantity {
        ObjectQuantity::MemoryTimeOfObject => {
            format!("its share of the time in which threads wait for memory: {value}{}", interval(one))
        }
        ObjectQuantity::AccessesOfObject => {
            format!("{value} of the accesses in the loops of the program are to it{}", interval(one))
        }
        ObjectQuantity::NamedByTime => named(one, "of the time for memory"),
        ObjectQuantity::NamedByAccesses => named(one, "of the accesses in loops"),
        ObjectQuantity::FaultsOfObjectByThread => {
            format!("{} took {value} of its page faults", subject(one))
        }
        ObjectQuantity::ObjectOnNode => format!("{value} of it lie on {}", subject(one)),
        ObjectQuantity::UsedFromElsewhere => {
            format!("threads on other nodes than {}: {value} of its use", subject(one))
        }
        ObjectQuantity::RemoteUse => {
            format!("remote (page and CPU on different nodes): {value} of its use")
        }
        ObjectQuantity::UsedFromNode => {
            format!("threads on {}: {value} of its use", subject(one))
        }
        ObjectQuantity::UsedByThread => format!("{}: {value} of its use", subject(one)),
        ObjectQuantity::PartsOfNodes => divided("64th part of it", &value),
        ObjectQuantity::PagesOfNodes => divided("page of it", &value),
        ObjectQuantity::LinesOfNodes => divided("64th of a page of it", &value),
        ObjectQuantity::HugePagesOfObject => format!("{value} of its memory is in huge pages"),
        ObjectQuantity::SizeOfObject => {
            let reach = one.of.map(amount).unwrap_or_default();
            format!(
                "its size is {value}; with small pages the TLB of a core covers {reach} at most (how often accesses miss it is not known \
                 without counters)"
            )
        }
        ObjectQuantity::MemoryTimeOfChoice => {
            format!("memory time of the objects that fit there together: {value} of all")
        }
    }
}

fn interval(one: &Evidence) -> String {
    one.interval.map_or_else(String::new, |(low, high)| {
        format!(" (95 % interval {} to {})", amount(low), amount(high))
    })
}

/// `u, 4.2 GiB, allocated in Grid::Grid (wave.cpp:41): 49 % of the time for memory; first touched by thread 0 in fill (grid.cpp:17); used in
/// step (kernel.cpp:88)`, of which what is not known is left out.
fn named(one: &Evidence, whole: &str) -> String {
    let EvidenceSubject::Object(ObjectSubject::NamedObject(object)) = &one.subject else {
        return value(one);
    };
    let size = one.of.map(|size| format!(", {}", amount(size))).unwrap_or_default();
    let at = |place: &Reading<CodePlace>| place.measured().is_some().then(|| watched::place(place));
    let allocated = at(&object.allocated).map(|place| format!(", allocated {place}")).unwrap_or_default();
    let share = one.value.measured().map(|share| format!(": {} {whole}", amount(*share)));
    let by = object.touched_by.measured().map(|number| format!("by thread {number}"));
    let touched: Vec<String> = by.into_iter().chain(at(&object.touched_at)).collect();
    let touched = (!touched.is_empty()).then(|| format!("; first touched {}", touched.join(" ")));
    let used = at(&object.used_at).map(|place| format!("; used {place}"));
    let rest = [share, touched, used].map(Option::unwrap_or_default).concat();
    format!("{}{size}{allocated}{rest}", name_of(object))
}

/// The variable, else what kind of memory it is.
fn name_of(object: &NamedObject) -> &str {
    object.name.measured().map_or_else(|| kind(object.kind), String::as_str)
}

fn divided(part: &str, value: &str) -> String {
    format!("{value} of the use of a {part} is from one node, on average")
}

fn subject(one: &Evidence) -> String {
    match &one.subject {
        EvidenceSubject::Object(ObjectSubject::ThreadOfObject { number, node }) => thread(*number, *node),
        EvidenceSubject::Object(ObjectSubject::NodeOfObject { node }) => format!("node {node}"),
        _ => "the object".to_owned(),
    }
}

/// What kind of memory an object is, where it has no name.
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

/// `thread 3 on node 1`.
pub fn thread(number: u32, node: Option<NodeId>) -> String {
    match node {
        Some(node) => format!("thread {number} on node {node}"),
        None => format!("thread {number}"),
    }
}

/// What to do, as a sentence.
pub fn advise(advice: &ObjectAdvice) -> String {
    match advice {
        ObjectAdvice::TouchWhereUsed { used_at } => {
            format!(
                "first touch in a loop that is divided among the threads as the one {} (same static schedule, pinned threads)",
                watched::place(used_at)
            )
        }
        ObjectAdvice::InitialiseObject(object) => {
            let now = object.touched_at.measured().map(|_| format!(", now {},", watched::place(&object.touched_at)));
            format!(
                "initialise {}{} in a loop that is divided among the threads as the one {} (same static schedule, pinned threads)",
                name_of(object),
                now.unwrap_or_default(),
                watched::place(&object.used_at)
            )
        }
        ObjectAdvice::InterleaveObject { nodes } => {
            format!("interleave it over nodes {nodes} (numa_alloc_interleaved_subset, mbind)")
        }
        ObjectAdvice::TouchByUser { number } => {
            format!("pin thread {number}, then let it initialise the object")
        }
        ObjectAdvice::PutOnNode { node } => {
            format!("put it on node {node} (numa_alloc_onnode, mbind), or run the threads that use it on its node")
        }
        ObjectAdvice::PutIntoFastMemory { nodes } => {
            format!("put it into the fast memory, node {nodes} (memkind, hbw_malloc, mbind)")
        }
        ObjectAdvice::SeparatePages { page } => {
            let size = page.measured().map_or_else(|| "a page".to_owned(), ToString::to_string);
            format!(
                "give what threads of different nodes use pages of its own: align each part to {size} (aligned_alloc, alignas) and \
                 let its users touch it first"
            )
        }
        ObjectAdvice::UseHugePages { from_outside: true } => {
            "have it in huge pages (madvise with MADV_HUGEPAGE; without a change of the program for all that malloc gives, by \
             --page-size thp)"
                .to_owned()
        }
        ObjectAdvice::UseHugePages { from_outside: false } => {
            "have it in huge pages (madvise with MADV_HUGEPAGE)".to_owned()
        }
    }
}

/// The options of `numawise run` that try it on all memory of a program; none where only a change of the program does it.
pub fn options(advice: &ObjectAdvice) -> Option<String> {
    match advice {
        ObjectAdvice::InterleaveObject { nodes } => Some(format!("--memory interleave:{nodes}")),
        ObjectAdvice::PutOnNode { node } => Some(format!("--memory preferred:{node}")),
        ObjectAdvice::PutIntoFastMemory { .. } => Some("--memory hbm".to_owned()),
        ObjectAdvice::UseHugePages { from_outside: true } => Some("--page-size thp".to_owned()),
        ObjectAdvice::TouchWhereUsed { .. }
        | ObjectAdvice::InitialiseObject(_)
        | ObjectAdvice::TouchByUser { .. }
        | ObjectAdvice::SeparatePages { .. }
        | ObjectAdvice::UseHugePages { from_outside: false } => None,
    }
}
