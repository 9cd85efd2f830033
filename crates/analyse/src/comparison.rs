//! Which points of a study compare in which respect: asked by levels and roles, never by the labels of points.

use numawise_facts::point::Factor;
use numawise_facts::{
    Balancing, Levels, MemoryRequest, Point, PointRole, Strategy, StudyHeader, ThreadBinding,
};

/// A planned contrast with both of its points.
#[derive(Debug, Clone, Copy)]
pub struct Comparison<'a> {
    pub from: &'a Point,
    pub to: &'a Point,
}

/// The first planned contrast for which `wanted` holds.
fn find<'a>(header: &'a StudyHeader, wanted: impl Fn(&Comparison) -> bool) -> Option<Comparison<'a>> {
    let points = header
        .pairs
        .iter()
        .filter_map(|pair| Some(Comparison { from: header.point(&pair.from)?, to: header.point(&pair.to)? }));
    points.into_iter().find(|comparison| wanted(comparison))
}

/// The baseline with a point of the same work for which `wanted` holds.
fn from_baseline(header: &StudyHeader, wanted: impl Fn(&Levels) -> bool) -> Option<Comparison<'_>> {
    find(header, |Comparison { from, to }| {
        from.role == PointRole::Baseline && from.levels.same_work(&to.levels) && wanted(&to.levels)
    })
}

/// Two points that differ in the memory policy only, the second with the memory of the farthest node.
pub fn of_remote_memory(header: &StudyHeader) -> Option<Comparison<'_>> {
    find(header, |Comparison { from, to }| {
        from.levels.differing(&to.levels) == [Factor::Memory] && to.levels.memory == MemoryRequest::Remote
    })
}

/// The baseline and the same threads with their memory interleaved.
pub fn of_interleaving(header: &StudyHeader) -> Option<Comparison<'_>> {
    from_baseline(header, |to| {
        matches!(
            to.memory,
            MemoryRequest::Interleave(_) | MemoryRequest::Weighted(_) | MemoryRequest::KernelWeighted(_)
        )
    })
}

/// The baseline and the same threads with their memory on the high-bandwidth nodes.
pub fn of_high_bandwidth_memory(header: &StudyHeader) -> Option<Comparison<'_>> {
    from_baseline(header, |to| to.memory == MemoryRequest::Hbm)
}

/// The baseline and the same threads pinned, on any CPU, with memory where it is touched first.
pub fn of_pinning(header: &StudyHeader) -> Option<Comparison<'_>> {
    from_baseline(header, |to| {
        to.pin == ThreadBinding::Pinned
            && matches!(to.memory, MemoryRequest::Default | MemoryRequest::Local)
            && to.placement.nodes.is_none()
            && to.placement.cpus.is_none()
    })
}

/// The baseline and the same with fewer threads.
pub fn of_fewer_threads(header: &StudyHeader) -> Option<Comparison<'_>> {
    find(header, |Comparison { from, to }| {
        from.role == PointRole::Baseline
            && from.levels.differing(&to.levels) == [Factor::Threads]
            && to.levels.threads < from.levels.threads
    })
}

/// The baseline and the same with pages of another size.
pub fn of_page_size(header: &StudyHeader) -> Option<Comparison<'_>> {
    find(header, |Comparison { from, to }| {
        from.role == PointRole::Baseline && from.levels.differing(&to.levels) == [Factor::Pages]
    })
}

/// The baseline and the same with memory that NUMA balancing leaves alone.
pub fn without_balancing(header: &StudyHeader) -> Option<Comparison<'_>> {
    find(header, |Comparison { from, to }| {
        from.role == PointRole::Baseline
            && from.levels.differing(&to.levels) == [Factor::Balancing]
            && to.levels.balancing == Balancing::Off
    })
}

/// The baseline and threads and memory of one node, however many threads fit there.
pub fn of_one_node(header: &StudyHeader) -> Option<Comparison<'_>> {
    find(header, |Comparison { from, to }| {
        let inside = to.levels.placement.nodes.as_ref().is_some_and(|nodes| nodes.len() == 1);
        from.role == PointRole::Baseline && to.role == PointRole::Candidate && inside
    })
}

/// The baseline and the same threads over all nodes, with memory where it is touched first.
pub fn over_all_nodes(header: &StudyHeader) -> Option<Comparison<'_>> {
    from_baseline(header, |to| {
        to.placement.strategy == Strategy::Distributed
            && to.placement.nodes.is_none()
            && matches!(to.memory, MemoryRequest::Default | MemoryRequest::Local)
    })
}

/// The same threads inside one node and over all nodes.
pub fn of_spreading(header: &StudyHeader) -> Option<Comparison<'_>> {
    find(header, |Comparison { from, to }| {
        let inside = from.levels.placement.nodes.as_ref().is_some_and(|nodes| nodes.len() == 1);
        let over_all = to.levels.placement.strategy == Strategy::Distributed;
        inside && over_all && to.levels.placement.nodes.is_none() && from.levels.same_work(&to.levels)
    })
}

/// The baseline and several copies at once, each inside a node.
pub fn of_copies(header: &StudyHeader) -> Option<Comparison<'_>> {
    find(header, |Comparison { from, to }| {
        from.role == PointRole::Baseline
            && to.levels.tasks > from.levels.tasks
            && to.levels.placement.strategy == Strategy::Semi
    })
}
