//! Kinds of cores and how power-efficient they are.

use numawise_facts::Reading;
use numawise_units::{Arrange, CpuId, CpuSet};
use roxmltree::Node as Element;

use super::bitmap;
use super::objects::optional;
use crate::core_kinds;
use crate::error::XmlError;

/// The rank of a CPU's kind, 0 the most power-efficient.
pub(super) type EfficiencyOf = Box<dyn Fn(CpuId) -> Reading<u32>>;

struct CoreKind {
    cpus: CpuSet,
    forced: Option<u64>,
    maximum_mhz: Option<u64>,
    capacity: Option<u64>,
    core_type: Option<u64>,
}

pub(super) fn read(topology: Element<'_, '_>, online: &CpuSet) -> Result<EfficiencyOf, XmlError> {
    let mut kinds = Vec::new();
    for element in topology.children().filter(|child| child.has_tag_name("cpukind")) {
        let cpus: CpuSet = bitmap::parse(element.attribute("cpuset").unwrap_or("0x0"))?;
        if cpus.intersects(online) {
            kinds.push(kind(element, cpus)?);
        }
    }
    let alike = || Reading::unavailable("all cores are of one kind, as far as is known");
    if kinds.len() < 2 {
        return Ok(Box::new(move |_| alike()));
    }
    let Some(ranks) = ranks(&kinds) else {
        return Ok(Box::new(|_| {
            Reading::unavailable(
                "there are several kinds of cores, and nothing says which is the more efficient",
            )
        }));
    };
    if ranks.iter().all(|rank| *rank == 0) {
        return Ok(Box::new(move |_| alike()));
    }
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
        // hwloc writes -1 where nobody ranked the kinds.
        forced: optional::<i64>(element, "forced_efficiency")?.and_then(|forced| forced.try_into().ok()),
        maximum_mhz: number("FrequencyMaxMHz"),
        capacity: number("LinuxCapacity"),
        core_type: match info("CoreType") {
            Some("IntelAtom") => Some(0),
            Some("IntelCore") => Some(1),
            _ => None,
        },
    })
}

/// Ranks by the kernel's capacities, which hwloc takes for ranks too, each step of them for a kind; otherwise by the first key that
/// all kinds have and that tells them apart, in hwloc's order of trust.
fn ranks(kinds: &[CoreKind]) -> Option<Vec<u32>> {
    if let Some(capacities) = kinds.iter().map(|kind| kind.capacity).collect::<Option<Vec<u64>>>() {
        return Some(core_kinds::ranks(&capacities));
    }
    by_key(kinds, |kind| kind.forced, exact)
        .or_else(|| by_key(kinds, |kind| kind.core_type, exact))
        .or_else(|| by_key(kinds, |kind| kind.maximum_mhz, core_kinds::ranks))
}

fn by_key(
    kinds: &[CoreKind],
    key: impl Fn(&CoreKind) -> Option<u64>,
    ranks: fn(&[u64]) -> Vec<u32>,
) -> Option<Vec<u32>> {
    let values: Vec<u64> = kinds.iter().map(key).collect::<Option<_>>()?;
    let ranks = ranks(&values);
    ranks.iter().any(|rank| *rank > 0).then_some(ranks)
}

/// Each value has a rank of its own.
fn exact(values: &[u64]) -> Vec<u32> {
    let mut sorted = values.to_vec();
    sorted.arrange();
    sorted.dedup();
    values.iter().map(|value| sorted.partition_point(|other| other < value) as u32).collect()
}
