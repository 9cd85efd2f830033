//! Threads that are alike share a line: a thousand of them do not take a thousand lines.

use std::collections::BTreeMap;

use numawise_facts::Reading;
use numawise_tables::ThreadResidency;
use numawise_units::{Arrange, CpuSet, NodeSet};

/// As many lines at most.
const LINES: usize = 16;

/// Threads on one line.
pub struct Group<'a> {
    /// Their name, or what their names begin with and `*`.
    pub name: String,
    pub threads: Vec<&'a ThreadResidency>,
}

impl Group<'_> {
    /// The only thread, where there is one only.
    pub fn single(&self) -> Option<&ThreadResidency> {
        match self.threads.as_slice() {
            [thread] => Some(thread),
            _ => None,
        }
    }

    /// On which CPUs they may run.
    pub fn mask(&self) -> String {
        let masks: Vec<&CpuSet> = self.threads.iter().filter_map(|thread| thread.mask.measured()).collect();
        let Some(first) = masks.first() else {
            return "?".to_owned();
        };
        if masks.iter().all(|mask| mask == first) {
            return first.to_string();
        }
        let (least, most) = masks
            .iter()
            .map(|mask| mask.len())
            .fold((usize::MAX, 0), |(least, most), n| (least.min(n), most.max(n)));
        match (least, most) {
            (1, 1) => "1 CPU each".to_owned(),
            _ if least == most => format!("{most} CPUs each"),
            _ => format!("{least} to {most} CPUs"),
        }
    }
}

/// Each on its own line, or as few lines as it takes: first threads with the same name and mask share one, then those whose
/// names begin alike and whose masks are as large and on the same nodes, then on any nodes, then the least busy lines.
pub fn groups<'a>(threads: &[&'a ThreadResidency], every: bool) -> Vec<Group<'a>> {
    if every || threads.len() <= LINES {
        return threads
            .iter()
            .map(|thread| Group { name: thread.name.clone(), threads: vec![thread] })
            .collect();
    }
    let same = gathered(threads, |thread| (thread.name.as_str(), thread.mask.measured().map(CpuSet::words)));
    if same.len() <= LINES {
        return same;
    }
    let alike = gathered(threads, |thread| {
        (
            stem(&thread.name),
            thread.mask.measured().map(CpuSet::len),
            thread.mask_nodes.measured().map(NodeSet::words),
        )
    });
    if alike.len() <= LINES {
        return alike;
    }
    let anywhere = gathered(threads, |thread| (stem(&thread.name), thread.mask.measured().map(CpuSet::len)));
    if anywhere.len() <= LINES {
        return anywhere;
    }
    rest_in_one(anywhere)
}

/// In the order of their first threads.
fn gathered<'a, K: Ord>(
    threads: &[&'a ThreadResidency],
    key: impl Fn(&'a ThreadResidency) -> K,
) -> Vec<Group<'a>> {
    let mut place: BTreeMap<K, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<&ThreadResidency>> = Vec::new();
    for thread in threads {
        let at = *place.entry(key(thread)).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(thread),
            None => groups.push(vec![thread]),
        }
    }
    groups.into_iter().map(|threads| Group { name: common(&threads), threads }).collect()
}

/// Keeps the busiest lines.
fn rest_in_one(mut groups: Vec<Group<'_>>) -> Vec<Group<'_>> {
    groups.arrange_by(|a, b| busy(b).total_cmp(&busy(a)));
    let rest = groups.split_off(LINES - 1);
    groups.arrange_by_key(|group| group.threads[0].tid);
    let threads = rest.into_iter().flat_map(|group| group.threads).collect();
    groups.push(Group { name: "(others)".to_owned(), threads });
    groups
}

fn busy(group: &Group) -> f64 {
    group.threads.iter().filter_map(|thread| thread.share.measured()).map(|share| share.0).sum()
}

/// A name without the number at its end.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn common(threads: &[&ThreadResidency]) -> String {
    let first = &threads[0].name;
    if threads.iter().all(|thread| thread.name == *first) {
        first.clone()
    } else {
        format!("{}*", stem(first))
    }
}

/// The sum of what is known, and whether that is all.
pub fn total<T>(
    threads: &[&ThreadResidency],
    of: impl Fn(&ThreadResidency) -> &Reading<T>,
    number: impl Fn(&T) -> f64,
) -> Option<f64> {
    let known: Vec<f64> = threads.iter().filter_map(|thread| of(thread).measured()).map(number).collect();
    (!known.is_empty()).then(|| known.iter().sum())
}
