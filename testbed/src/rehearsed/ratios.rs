//! Pairs of runs whose ratio of speeds was published, on machines that are made of public figures.

use std::path::Path;

use numawise_session::rehearse::{DistanceFigures, RehearsalFigures, RehearsalPlan};
use numawise_units::{BytesPerSecond, Latency, NodeId};
use serde::{Deserialize, Serialize};

use super::{Problem, request, run_script};

/// Each of the pair is run so often, in turns; the medians are compared.
const ROUNDS: usize = 3;

/// A ratio that somebody measured on a real machine.
pub(super) struct PublishedRatio {
    pub name: &'static str,
    /// What was measured where.
    pub about: &'static str,
    /// How many times as fast as the first the second is.
    pub ratio: f64,
    pub is_bandwidth_bound: bool,
    machine: &'static str,
    /// By distance, the local one first; or of each node.
    latency: &'static [(Option<u32>, &'static [f64])],
    bandwidth: &'static [(Option<u32>, &'static [f64])],
    cores_per_node: u32,
    /// Where more is needed than for small programs that compute little.
    slowdown: Option<f64>,
    program: &'static str,
    pair: [&'static str; 2],
    /// What stands before the figure, and whether it is a rate.
    figure: (&'static str, bool),
}

/// Speeds of one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct MeasuredRatio {
    pub name: String,
    pub speeds: [Vec<f64>; 2],
}

const ISO3DFD: &str = "build/iso3dfd/iso3dfd";
const CASES: &str = "build/cases/cases";
/// Two Xeon E5 v4: STREAM and Intel's latency checker, as published of such machines.
const XEON: &str = "pack:2 [numa(memory=64GiB)] core:22 pu:1";
const XEON_LATENCY: &[(Option<u32>, &[f64])] = &[(None, &[80.0, 130.0])];
const XEON_BANDWIDTH: &[(Option<u32>, &[f64])] = &[(None, &[65.0, 33.0])];

pub(super) const ALL: [PublishedRatio; 4] = [
    PublishedRatio {
        name: "wave equation, first touch",
        about: "iso3dfd, two sockets: serial, parallel first touch 2766, 5682 MPoints/s",
        ratio: 5682.0 / 2766.0,
        is_bandwidth_bound: true,
        machine: XEON,
        latency: XEON_LATENCY,
        bandwidth: XEON_BANDWIDTH,
        cores_per_node: 2,
        slowdown: Some(6500.0),
        program: ISO3DFD,
        pair: ["PROGRAM 64 64 64 4 64 8 8 4", "PROGRAM 64 64 64 4 64 8 8 4 --first-touch"],
        figure: ("throughput: ", true),
    },
    PublishedRatio {
        name: "stencil in fast memory",
        about: "as weather models have it, Xeon Phi in flat mode: DDR4, MCDRAM about 90, 400 GB/s",
        ratio: 400.0 / 90.0,
        is_bandwidth_bound: true,
        machine: "pack:1 [numa(memory=96GiB)] [numa(memory=16GiB)] core:64 pu:4",
        latency: &[(Some(0), &[130.0]), (Some(1), &[155.0])],
        bandwidth: &[(Some(0), &[90.0]), (Some(1), &[400.0])],
        cores_per_node: 4,
        slowdown: Some(20000.0),
        program: ISO3DFD,
        pair: [
            "numactl --membind=0 PROGRAM 64 64 64 2 64 8 8 4 --first-touch",
            "numactl --membind=1 PROGRAM 64 64 64 2 64 8 8 4 --first-touch",
        ],
        figure: ("throughput: ", true),
    },
    PublishedRatio {
        name: "sweep over the link",
        about: "remote, local memory 33, 65 GB/s",
        ratio: 65.0 / 33.0,
        is_bandwidth_bound: true,
        machine: XEON,
        latency: XEON_LATENCY,
        bandwidth: XEON_BANDWIDTH,
        cores_per_node: 2,
        slowdown: Some(6500.0),
        program: CASES,
        pair: [
            "numactl --cpunodebind=0 --membind=1 PROGRAM parallel-init 6 4 2",
            "numactl --cpunodebind=0 --membind=0 PROGRAM parallel-init 6 4 2",
        ],
        figure: ("seconds: ", false),
    },
    PublishedRatio {
        name: "copies with look-ups",
        about: "one for each socket, as in chemistry; remote, local memory 130, 80 ns",
        ratio: 130.0 / 80.0,
        is_bandwidth_bound: false,
        machine: XEON,
        latency: XEON_LATENCY,
        bandwidth: XEON_BANDWIDTH,
        cores_per_node: 2,
        slowdown: None,
        program: CASES,
        pair: [
            "numactl --cpunodebind=1 --membind=0 PROGRAM chase 8 8000 > /dev/null & numactl --cpunodebind=0 --membind=1 PROGRAM chase 8 8000; wait",
            "numactl --cpunodebind=1 --membind=1 PROGRAM chase 8 8000 > /dev/null & numactl --cpunodebind=0 --membind=0 PROGRAM chase 8 8000; wait",
        ],
        figure: ("seconds: ", false),
    },
];

impl MeasuredRatio {
    /// How many times as fast as the first the second is.
    pub fn ratio(&self) -> f64 {
        let [first, second] = &self.speeds;
        median(second) / median(first)
    }
}

fn median(of: &[f64]) -> f64 {
    let mut sorted = of.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Both of the pair in one guest.
pub(super) fn measure(root: &Path, of: &PublishedRatio) -> Result<MeasuredRatio, Problem> {
    let program = root.join(of.program);
    let Ok(program) = program.canonicalize() else {
        return Err(Problem::NotBuilt { path: of.program.to_owned() });
    };
    let machine = numawise_machine::from_input(of.machine).expect("the description of a machine is right");
    let mut request = request(of.machine, machine)?;
    request.figures = RehearsalFigures {
        latency: by_distance(of.latency, Latency),
        bandwidth: by_distance(of.bandwidth, |rate| BytesPerSecond(rate * 1e9)),
    };
    request.cores_per_node = Some(of.cores_per_node);
    request.slowdown = of.slowdown;
    let lines = of.pair.map(|line| line.replace("PROGRAM", &program.display().to_string()));
    let script = vec![lines.join("\n"); ROUNDS].join("\n");
    let (_, text) = run_script(&RehearsalPlan::new(request)?, &script, root)?;
    let (before, is_rate) = of.figure;
    let figures = text.lines().filter_map(|line| {
        let figure = line.split_once(before)?.1.split_whitespace().next()?;
        figure.parse::<f64>().ok().map(|value| if is_rate { value } else { 1.0 / value })
    });
    let figures: Vec<f64> = figures.collect();
    if figures.len() != 2 * ROUNDS {
        let (program, before) = (of.program.to_owned(), before.to_owned());
        return Err(Problem::NoFigure { program, before, text });
    }
    let every_other = |first: usize| figures.iter().copied().skip(first).step_by(2).collect();
    Ok(MeasuredRatio { name: of.name.to_owned(), speeds: [every_other(0), every_other(1)] })
}

fn by_distance<T>(given: &[(Option<u32>, &[f64])], unit: impl Fn(f64) -> T) -> DistanceFigures<T> {
    let mut all = DistanceFigures::default();
    for (node, values) in given {
        let values = values.iter().map(|value| unit(*value)).collect();
        match node {
            None => all.of_all = values,
            Some(node) => all.of_node.push((NodeId(*node), values)),
        }
    }
    all
}
