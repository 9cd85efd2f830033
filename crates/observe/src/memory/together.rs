//! The memory of several processes together: sums, in which a page that several of them have mapped counts once.

use std::cmp::Reverse;

use numawise_facts::{MappingSnapshot, MemorySnapshot, PageUse, PolicyShare};
use numawise_units::{Bytes, NodeId};

use super::add_node;
use super::shared::{SharedPages, counted_once};

#[cfg(test)]
#[path = "together_tests.rs"]
mod tests;

/// The memory of several processes, with the `largest` of all their mappings.
pub(crate) fn together(of: &[(&MemorySnapshot, &[SharedPages])], largest: usize) -> MemorySnapshot {
    let mut all = MemorySnapshot::default();
    let mut listed = Vec::new();
    for (one, _) in of {
        for &(used_for, node, bytes) in &one.by_use {
            add_use(&mut all.by_use, used_for, node, bytes);
        }
        for share in &one.by_policy {
            match all.by_policy.iter_mut().find(|known| known.policy == share.policy) {
                Some(known) => {
                    known.mappings += share.mappings;
                    share.by_node.iter().for_each(|&(node, bytes)| add_node(&mut known.by_node, node, bytes));
                }
                None => all.by_policy.push(share.clone()),
            }
        }
        list(&mut listed, &one.largest);
        all.mappings += one.mappings;
    }
    let shared: Vec<&[SharedPages]> = of.iter().map(|(_, shared)| *shared).collect();
    for used_for in [PageUse::Shared, PageUse::Huge, PageUse::File] {
        for (pages, times) in shared.iter().zip(counted_once(&shared, used_for)) {
            pages
                .iter()
                .filter(|pages| pages.used_for == used_for)
                .for_each(|pages| take_off(&mut all, pages, times));
        }
    }
    all.largest = listed.into_iter().map(|(_, mapping)| mapping).collect();
    all.by_use.retain(|(.., bytes)| bytes.0 > 0);
    all.by_use.sort_by_key(|&(used_for, node, _)| (used_for, node));
    for share in &mut all.by_policy {
        share.by_node.retain(|(_, bytes)| bytes.0 > 0);
        share.by_node.sort_by_key(|(node, _)| *node);
    }
    let resident =
        |share: &PolicyShare| share.by_node.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(bytes.0));
    all.by_policy.sort_by(|a, b| {
        (resident(b), b.mappings).cmp(&(resident(a), a.mappings)).then_with(|| a.policy.cmp(&b.policy))
    });
    all.largest.sort_by_key(|mapping: &MappingSnapshot| (Reverse(mapping.resident()), mapping.address));
    all.largest.truncate(largest);
    all
}

/// Takes off what the mappings of other processes count for.
fn take_off(all: &mut MemorySnapshot, pages: &SharedPages, times: f64) {
    let policy = all.by_policy.iter_mut().find(|share| share.policy == pages.policy);
    let mut by_policy = policy.map(|share| &mut share.by_node);
    for (node, bytes) in &pages.by_node {
        let others = Bytes((bytes.0 as f64 * (1.0 - times)) as u64);
        let of_use = all.by_use.iter_mut().find(|(use_, at, _)| (*use_, *at) == (pages.used_for, *node));
        let sums = of_use.map(|(.., sum)| sum);
        let of_policy = by_policy.as_mut().and_then(|list| list.iter_mut().find(|(at, _)| at == node));
        for sum in sums.into_iter().chain(of_policy.map(|(_, sum)| sum)) {
            *sum = Bytes(sum.0.saturating_sub(others.0));
        }
    }
}

/// Lists the mappings of a process, each with how many of the same file are larger there. Of those that several processes have, the
/// one with the most pages is listed.
fn list(listed: &mut Vec<(usize, MappingSnapshot)>, of_process: &[MappingSnapshot]) {
    for (at, mapping) in of_process.iter().enumerate() {
        let larger = of_process[..at].iter().filter(|other| other.file == mapping.file).count();
        let same = |known: &&mut (usize, MappingSnapshot)| is_same(&known.1, mapping, known.0 == larger);
        match listed.iter_mut().find(same) {
            Some((_, known)) if known.resident() < mapping.resident() => known.clone_from(mapping),
            Some(_) => {}
            None => listed.push((larger, mapping.clone())),
        }
    }
}

/// Whether two processes have the same pages there: forked ones at the same address, others of a file that has a name of its own.
fn is_same(a: &MappingSnapshot, b: &MappingSnapshot, same_place: bool) -> bool {
    let may_be_shared = matches!(a.used_for, PageUse::Shared | PageUse::Huge | PageUse::File);
    let named =
        || a.file.as_deref().is_some_and(|file| file.starts_with('/') && !file.ends_with("(deleted)"));
    let same = a.address == b.address || same_place && named();
    may_be_shared && a.used_for == b.used_for && a.file.is_some() && a.file == b.file && same
}

fn add_use(list: &mut Vec<(PageUse, NodeId, Bytes)>, used_for: PageUse, node: NodeId, bytes: Bytes) {
    match list.iter_mut().find(|(known, at, _)| (*known, *at) == (used_for, node)) {
        Some((.., sum)) => *sum = Bytes(sum.0.saturating_add(bytes.0)),
        None => list.push((used_for, node, bytes)),
    }
}
