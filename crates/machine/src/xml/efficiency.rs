//! Kinds of cores and how power-efficient they are.

use numawise_facts::Reading;
use numawise_units::{CpuId, CpuSet};
use roxmltree::Node as Element;

use super::bitmap;
use super::objects::optional;
use crate::error::XmlError;

/// The rank of a CPU's kind, 0 the most power-efficient.
pub(super) type EfficiencyOf = Box<dyn Fn(CpuId) -> Reading<u32>>;

struct CoreKind {
    cpus: CpuSet,
    forced: Option<i64>,
    maximum_mhz: Option<i64>,
    capacity: Option<i64>,
    core_type: Option<i64>,
}

pub(super) fn read(topology: Element<'_, '_>, online: &CpuSet) -> Result<EfficiencyOf, XmlError> {
    let mut kinds = Vec::new();
    for element in topology.children().filter(|child| child.has_tag_name("cpukind")) {
        let cpus: CpuSet = bitmap::parse(element.attribute("cpuset").unwrap_or("0x0"))?;
        if cpus.intersects(online) {
            kinds.push(kind(element, cpus)?);
        }
    }
    if kinds.len() < 2 {
        return Ok(Box::new(|_| Reading::unavailable("all cores are of one kind, as far as is known")));
    }
    let Some(ranks) = ranks(&kinds) else {
        return Ok(Box::new(|_| {
            Reading::unavailable(
                "there are several kinds of cores, and nothing says which is the more efficient",
            )
        }));
    };
    Ok(Box::new(move |cpu| {
        let of_cpu = kinds.iter().zip(&ranks).find(|(kind, _)| kind.cpus.contains(cpu));
        match of_cpu {
            Some((_, rank)) => Reading::Measured(*rank),
            None => Reading::unavailable("the kind of this core is not known"),
        }
    }))
}

fn kind(element: Element<'_, '_>, cpus: CpuSet) -> Result<CoreKind, XmlError> {
    let info = |name: &str| {
        let mut infos = element.children().filter(|child| child.has_tag_name("info"));
        infos.find(|child| child.attribute("name") == Some(name))?.attribute("value")
    };
    let number = |name: &str| info(name).and_then(|value| value.parse().ok());
    Ok(CoreKind {
        cpus,
        forced: optional(element, "forced_efficiency")?,
        maximum_mhz: number("FrequencyMaxMHz"),
        capacity: number("LinuxCapacity"),
        core_type: match info("CoreType") {
            Some("IntelAtom") => Some(0),
            Some("IntelCore") => Some(1),
            _ => None,
        },
    })
}

/// Ranks by the first key that all kinds have and that tells them apart, in hwloc's order of trust.
fn ranks(kinds: &[CoreKind]) -> Option<Vec<u32>> {
    let keys: [fn(&CoreKind) -> Option<i64>; 4] =
        [|kind| kind.forced, |kind| kind.core_type, |kind| kind.capacity, |kind| kind.maximum_mhz];
    keys.iter().find_map(|key| {
        let values: Vec<i64> = kinds.iter().map(key).collect::<Option<_>>()?;
        let mut sorted = values.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let rank = |value| sorted.iter().position(|other| other == value).map(|k| k as u32);
        (sorted.len() > 1).then(|| values.iter().filter_map(rank).collect())
    })
}
