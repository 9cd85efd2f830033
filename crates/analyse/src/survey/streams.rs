//! What memory a loop goes over: how far from pass to pass, and how much of each cache line it uses.

use numawise_facts::Reading;
use numawise_facts::objects::LoopAccess;
use numawise_tables::survey::LoopStream;
use numawise_units::{Arrange, Bytes, NodeId, Ratio};

#[cfg(test)]
#[path = "streams_tests.rs"]
mod tests;

/// Bytes of a cache line, of all processors that we know.
const LINE: u64 = 64;
/// A longer stride is no array of structures whose lines are worth counting: each access is a line of its own.
const LONGEST: u64 = 1 << 20;

/// Of the accesses of one pass. What stays at its place is none.
pub fn streams(accesses: &[LoopAccess]) -> Vec<LoopStream> {
    let mut groups: Vec<Vec<(u64, &LoopAccess)>> = Vec::new();
    let mut by_stream: Vec<(u32, usize)> = Vec::new();
    for of in accesses.iter().filter(|of| of.stride.measured() != Some(&0)) {
        let group = by_stream
            .iter()
            .find(|(stream, _)| *stream == of.stream)
            .map(|(_, group)| *group)
            .or_else(|| near(&groups, of))
            .unwrap_or_else(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
        by_stream.push((of.stream, group));
        groups[group].push((0, of));
    }
    groups.into_iter().map(stream).collect()
}

/// A group that goes on by as much, and in whose stride the access begins: another member of the same structures.
fn near(groups: &[Vec<(u64, &LoopAccess)>], of: &LoopAccess) -> Option<usize> {
    let (stride, (address, _)) = (of.stride.measured()?, of.seen.measured()?);
    groups.iter().position(|group| {
        let other = group[0].1;
        let (low, _) = other.seen.measured().copied().unwrap_or_default();
        other.stride.measured() == Some(stride) && low.abs_diff(*address) < stride.unsigned_abs()
    })
}

/// Of a group with at least one access.
fn stream(mut group: Vec<(u64, &LoopAccess)>) -> LoopStream {
    let lowest = group.iter().filter_map(|(_, of)| Some(of.seen.measured()?.0)).min();
    let least = group.iter().map(|(_, of)| of.offset).min().unwrap_or_default();
    for (offset, of) in &mut group {
        let seen = of.seen.measured().zip(lowest).map(|(seen, lowest)| seen.0 - lowest);
        *offset = seen.unwrap_or(of.offset - least);
    }
    let first = group[0].1;
    let stride = first.stride.clone();
    let length = stride.measured().map(|stride| stride.unsigned_abs());
    let parts = length.map(|stride| parts(&group, stride)).unwrap_or_default();
    let fresh: u64 = parts.iter().map(|(begin, end)| end - begin).sum();
    let of_lines = stride.as_ref().map(|stride| {
        let stride = stride.unsigned_abs();
        let lines = lines(&parts, stride, lowest.unwrap_or_default());
        Ratio(if fresh == stride { 1.0 } else { lines })
    });
    let mut nodes: Vec<NodeId> = group.iter().flat_map(|(_, of)| of.nodes.iter().copied()).collect();
    nodes.arrange();
    nodes.dedup();
    let ends = group.iter().filter_map(|(_, of)| Some(of.seen.measured()?.1 + u64::from(of.bytes)));
    LoopStream {
        reads: group.iter().any(|(_, of)| of.reads),
        writes: group.iter().any(|(_, of)| of.writes),
        bytes: group.iter().map(|(_, of)| u64::from(of.bytes)).sum(),
        fresh: stride.as_ref().map(|_| fresh),
        stride,
        of_lines,
        parts,
        span: match (ends.max(), lowest) {
            (Some(end), Some(lowest)) => Reading::Measured(Bytes(end - lowest)),
            _ => Reading::unavailable("no sample says its address"),
        },
        elements: group.iter().map(|(_, of)| of.elements).max().unwrap_or(1),
        variable: first.variable.clone(),
        nodes,
    }
}

/// Where accesses are in a stride, those that touch as one.
fn parts(group: &[(u64, &LoopAccess)], stride: u64) -> Vec<(u64, u64)> {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    let mut add = |begin: u64, end: u64| {
        if begin < end {
            parts.push((begin, end));
        }
    };
    for (offset, of) in group {
        let bytes = u64::from(of.bytes);
        if bytes >= stride {
            return vec![(0, stride)];
        }
        let (begin, end) = (offset % stride, offset % stride + bytes);
        add(begin, end.min(stride));
        add(0, end.saturating_sub(stride));
    }
    parts.arrange();
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (begin, end) in parts {
        match joined.last_mut() {
            Some(last) if last.1 >= begin => last.1 = last.1.max(end),
            _ => joined.push((begin, end)),
        }
    }
    joined
}

/// What part of the lines that it comes to is used; the first byte lies at `lowest`.
fn lines(parts: &[(u64, u64)], stride: u64, lowest: u64) -> f64 {
    let fresh: u64 = parts.iter().map(|(begin, end)| end - begin).sum();
    let passes = if stride > LONGEST { 1 } else { LINE / gcd(stride, LINE) };
    let ring = (passes * stride / LINE).max(1);
    let mut touched: Vec<u64> = Vec::new();
    for pass in 0..passes {
        for (begin, end) in parts {
            let at = lowest % LINE + pass * stride;
            // Behind the last pass the lines begin again as at the first one.
            touched.extend(((at + begin) / LINE..=(at + end - 1) / LINE).map(|line| line % ring));
        }
    }
    touched.arrange();
    touched.dedup();
    (fresh * passes) as f64 / (touched.len() as u64 * LINE) as f64
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}
