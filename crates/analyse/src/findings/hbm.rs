//! NW005: high-bandwidth memory.

use numawise_facts::{Finding, FindingId, MemoryKind};
use numawise_units::Bytes;

use super::{Case, cost};
use crate::expected;

/// There are HBM nodes that we may use, the operating system puts nothing there, and it is faster there or the program
/// was too large to try.
pub fn unused(case: &Case) -> Option<Finding> {
    let nodes = case.study.header.machine.allowed_of_kind(MemoryKind::Hbm);
    if nodes.is_empty() {
        return None;
    }
    let not_tried = case.study.header.not_tried.iter().find_map(|text| text.strip_prefix("HBM: "));
    let gain = case.gain("os", "hbm");
    if gain.is_none() && not_tried.is_none() {
        return None; // tried, and no better
    }
    let mut evidence = vec![match case.os().pages.measured() {
        Some(pages) => {
            let there: Bytes = pages.iter().filter(|(node, _)| nodes.contains(*node)).map(|(_, b)| *b).sum();
            format!("nodes {nodes} are high-bandwidth memory, and {there} of the program lie there")
        }
        None => format!(
            "nodes {nodes} are high-bandwidth memory; where the program's pages are could not be seen"
        ),
    }];
    let advice = match (gain, not_tried) {
        (Some(effect), _) => {
            evidence.push(format!("with its memory there the program is {effect} as fast"));
            evidence.extend(expected::gain(case.expected, "os", "hbm"));
            format!("put the program's memory there (--memory hbm, or numactl --membind={nodes})")
        }
        (None, Some(why)) => {
            evidence.push(format!("it was not tried: {why}"));
            format!(
                "put the arrays that are streamed most there (memkind, or hwloc's allocators), or let it fill those nodes \
                 first and spill over (--memory preferred-many:{nodes})"
            )
        }
        (None, None) => return None,
    };
    let cost = cost(gain, "it was not tried, for the reason in the evidence");
    Some(Finding { id: FindingId::HbmUnused, evidence, cost, advice: vec![advice] })
}
