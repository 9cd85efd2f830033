//! `predict --machine`: the points of a study on a machine of which only a profile is at hand.

use std::path::Path;

use numawise_facts::{
    GridStudy, Machine, Mix, Node, PeakArithmetic, Placement, Point, Profile, ProfileNode, Reading, Study,
    Target, Workers,
};
use numawise_predict::{CoreRatios, OtherMachine};
use numawise_profiles::read_profile;
use numawise_tables::{OtherMachineFacts, Prediction};
use numawise_units::{CpuSet, Ratio};

pub use crate::other_machine_error::OtherMachineError;

use crate::Error;

#[cfg(test)]
#[path = "other_machine_tests.rs"]
mod tests;

/// What local memory gives on a machine: nanoseconds, bytes a second to one core and to all cores of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LocalMemory {
    latency: f64,
    core: f64,
    node: f64,
}

/// What the runs of a study say of all of its points on the machine of a profile; `own` is a profile of the machine of the study.
///
/// # Errors
/// [`OtherMachineError`], or what is wrong with a profile.
pub fn predict_on_other(
    study: &Study,
    record: &Path,
    other: &Path,
    own: Option<&Path>,
) -> Result<(Prediction, OtherMachineFacts), Error> {
    let there = read_profile(other)?;
    let own = own.map(read_profile).transpose()?;
    let mut study = study.clone();
    if let Some(own) = &own {
        study.header.machine = numawise_machine::with_measured(study.header.machine, own);
        let grid = study.header.grid.get_or_insert_with(GridStudy::default);
        grid.saturating_cores = crate::study::saturating_cores(own).or(grid.saturating_cores);
    }
    let here = of_study(&study).map_err(|lacks| OtherMachineError::StudyNotMeasured {
        record: record.to_owned(),
        lacks: lacks.to_owned(),
    })?;
    let lacks = |lacks: String| OtherMachineError::ProfileLacks { profile: other.to_owned(), lacks };
    let memory = of_profile(&there).map_err(|what| lacks(what.to_owned()))?;
    let machine = machine_of(&there, other).map_err(lacks)?;
    let compute = own.as_ref().and_then(|own| of_peaks(own, &there));
    let of_other = OtherMachine {
        machine: &machine,
        saturating: (memory.node / memory.core).max(1.0),
        ratios: CoreRatios {
            compute,
            latency: memory.latency / here.latency,
            bandwidth: here.core / memory.core,
        },
        placements: study.header.points.iter().map(|point| placed(&machine, point)).collect(),
    };
    let prediction = numawise_predict::predict_on(&study, &of_other);
    if prediction.best.measured().is_none() {
        let mut reasons = prediction.points.iter().filter_map(|point| point.predicted.reason());
        let reason = reasons.next().map(ToString::to_string).unwrap_or_default();
        let points = prediction.points.len();
        return Err(OtherMachineError::NoPoint { profile: other.to_owned(), points, reason }.into());
    }
    let facts = OtherMachineFacts {
        profile: other.display().to_string(),
        nodes: machine.nodes.len() as u32,
        cores: machine.cpus.len() as u32,
        compute: match compute {
            Some(ratio) => Reading::Measured(Ratio(1.0 / ratio)),
            None => Reading::unavailable("not both profiles have peaks of arithmetic"),
        },
    };
    Ok((prediction, facts))
}

/// By the figures that the record has of its machine.
fn of_study(study: &Study) -> Result<LocalMemory, &'static str> {
    let machine = &study.header.machine;
    let is_local = |node: &&Node| !node.cpus.is_empty() && !node.has_no_memory();
    let node = machine.nodes.iter().find(is_local).ok_or("node with CPUs and memory")?.id;
    let latency = machine.measured_latency(node, node).ok_or("measured latency")?.median.0;
    let all = machine.measured_bandwidth(node, node).ok_or("measured bandwidth")?.median.0;
    let cores = study.header.grid.as_ref().and_then(|grid| grid.saturating_cores);
    let core = all / cores.ok_or("measured bandwidth of one core")?.max(1.0);
    Ok(LocalMemory { latency, core, node: all })
}

fn of_profile(profile: &Profile) -> Result<LocalMemory, &'static str> {
    let node = profile.header.nodes.iter().find(|node| has_cpus(node)).ok_or("CPUs of its nodes")?.id;
    let latency = profile.latency_of(node, node).and_then(|cell| cell.latency.measured());
    let latency = latency.ok_or("local latency")?.median;
    let rate = |workers| crate::study::local_reads(profile, workers, node);
    let all = rate(Workers::Node(node)).ok_or("bandwidth of local reads by all cores of a node")?;
    let core = rate(Workers::Core(node)).ok_or("bandwidth of local reads by one core")?;
    Ok(LocalMemory { latency: latency.0, core, node: all })
}

fn has_cpus(node: &ProfileNode) -> bool {
    node.cpus.measured().is_some_and(|cpus| !cpus.is_empty())
}

/// How much longer a core of the second computes what a core of the first does: the middle over what both measured.
fn of_peaks(here: &Profile, there: &Profile) -> Option<f64> {
    let rate =
        |peak: &PeakArithmetic| peak.rate.measured().map(|rate| rate.median).filter(|rate| *rate > 0.0);
    let mut ratios: Vec<f64> = here
        .arithmetic
        .iter()
        .filter_map(|peak| {
            let same = there.arithmetic.iter().find(|other| other.kind == peak.kind)?;
            Some(rate(peak)? / rate(same)?)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}

/// Where a point would be.
fn placed(machine: &Machine, point: &Point) -> Result<Placement, String> {
    if point.ranks.is_some() {
        return Err("ranks of a launcher are not predicted for another machine".to_owned());
    }
    let threads = u64::from(point.request.tasks) * u64::from(point.threads());
    if threads > machine.cpus.len() as u64 {
        return Err(format!("it has {threads} threads, and that machine {} cores", machine.cpus.len()));
    }
    numawise_placement::place(machine, &point.request).map_err(|error| error.to_string())
}

/// Its machine, which must have the latency of every pair. Of a node so many CPUs as cores measured: others share these.
fn machine_of(profile: &Profile, path: &Path) -> Result<Machine, String> {
    let cores = |node: &ProfileNode| -> CpuSet {
        let cpus = node.cpus.measured().cloned().unwrap_or_default();
        let cell = profile.bandwidth_of(Workers::Node(node.id), Target::Node(node.id), Mix::Read);
        let threads = cell.and_then(|cell| cell.threads.measured()).map(|threads| *threads as usize);
        cpus.iter().take(threads.unwrap_or(cpus.len())).collect()
    };
    let nodes = &profile.header.nodes;
    for from in nodes.iter().filter(|node| has_cpus(node)) {
        let lacks = |to: &&ProfileNode| {
            let has_memory = to.memory.measured().is_none_or(|bytes| bytes.0 > 0);
            has_memory && profile.latency_of(from.id, to.id).is_none_or(|of| of.latency.measured().is_none())
        };
        if let Some(to) = nodes.iter().find(lacks) {
            return Err(format!("latency from node {} to node {}", from.id, to.id));
        }
    }
    Ok(numawise_machine::of_profile(profile, &path.display().to_string(), cores))
}
