//! The profile before anything was measured: every cell is there with the reason why it is empty.

use numawise_facts::notice::{MachineNotice, MembenchNotice};
use numawise_facts::{
    Bandwidth, Depth, IdleLatency, LoadedLatency, Machine, Notice, Profile, ProfileHeader, ProfileNode,
    ProfileOrigin, Reading, Target, Transfer, Workers, WorkingSets,
};
use numawise_units::NodeId;

use crate::MeasurementRequest;
use crate::error::CellError;
use crate::kernels;
use crate::layout::{Layout, declared};
use crate::plan::{Experiment, MeasurementPlan, mixes, without_load};

const NOBODY_LEFT: &str = "the node has but one core that we may use: nobody is left to make load";

/// Empty cells for all that is planned, and for all that cannot be.
pub fn of(
    machine: &Machine,
    layout: &Layout,
    request: &MeasurementRequest,
    plan: &MeasurementPlan,
) -> Profile {
    let mut profile = Profile {
        header: header(machine, layout, request, plan),
        latency: latencies(layout, request.depth),
        working_sets: Vec::new(),
        bandwidth: bandwidths(machine, layout, request),
        loaded: Vec::new(),
        transfers: Vec::new(),
        arithmetic: Vec::new(),
        caches: Vec::new(),
    };
    for (from, to, mix) in without_load(layout, request) {
        profile.loaded.push(LoadedLatency {
            from,
            to,
            mix,
            workers: Workers::Node(from),
            threads: Reading::Measured(0),
            points: Reading::unavailable(NOBODY_LEFT),
            with: Reading::unavailable(NOBODY_LEFT),
        });
    }
    for step in &plan.steps {
        planned(&mut profile, layout, &step.experiment);
    }
    profile.working_sets.sort_by_key(|cell| (cell.from, cell.to));
    profile.loaded.sort_by_key(|cell| (cell.from, cell.to, cell.mix));
    profile
}

fn planned(profile: &mut Profile, layout: &Layout, experiment: &Experiment) {
    match *experiment {
        Experiment::WorkingSets { from, to } => {
            profile.working_sets.extend(layout.row(from).map(|row| WorkingSets {
                from,
                to,
                cpu: row.cores()[0],
                pages: CellError::Stopped.reading(),
                points: Vec::new(),
            }))
        }
        Experiment::Loaded { from, to, mix } => {
            let threads = layout.row(from).map_or(0, |row| row.cores().len() as u32 - 1);
            let points = CellError::Stopped.reading();
            profile.loaded.push(LoadedLatency {
                from,
                to,
                mix,
                workers: Workers::Node(from),
                threads: Reading::Measured(threads),
                points,
                with: CellError::Stopped.reading(),
            });
        }
        Experiment::Transfer { owner, reader } => profile.transfers.push(Transfer {
            owner: Reading::Measured(owner.cpu),
            reader: Reading::Measured(reader.cpu),
            owner_node: Reading::Measured(owner.node),
            reader_node: Reading::Measured(reader.node),
            home: Reading::Measured(owner.home),
            same_node: owner.node == reader.node,
            latency: CellError::Stopped.reading(),
        }),
        _ => {}
    }
}

/// Says in the cells of an experiment that will not be made why they stay empty.
pub fn leave_out(profile: &mut Profile, experiment: &Experiment, why: &CellError) {
    match *experiment {
        Experiment::Fill(_) | Experiment::FillBase(_) => {}
        Experiment::Bandwidth { workers, target, mix } => {
            let mut cells = profile.bandwidth.iter_mut();
            let of =
                |cell: &&mut Bandwidth| cell.workers == workers && cell.target == target && cell.mix == mix;
            if let Some(cell) = cells.find(of) {
                (cell.rate, cell.with, cell.buffers) = (why.reading(), why.reading(), why.reading());
            }
        }
        Experiment::Loaded { from, to, mix } => {
            let mut curves = profile.loaded.iter_mut();
            let of = |cell: &&mut LoadedLatency| cell.from == from && cell.to == to && cell.mix == mix;
            if let Some(curve) = curves.find(of) {
                (curve.points, curve.with) = (why.reading(), why.reading());
            }
        }
        Experiment::Latency { from, to } => {
            let mut cells = profile.latency.iter_mut();
            if let Some(cell) = cells.find(|cell| cell.from == from && cell.to == to) {
                (cell.latency, cell.buffers) = (why.reading(), why.reading());
                (cell.pages, cell.bytes) = (why.reading(), why.reading());
            }
        }
        Experiment::TlbMisses { from, to } => {
            let mut cells = profile.latency.iter_mut();
            if let Some(cell) = cells.find(|cell| cell.from == from && cell.to == to) {
                cell.with_tlb_misses = why.reading();
            }
        }
        Experiment::WorkingSets { from, to } => {
            let mut curves = profile.working_sets.iter_mut();
            if let Some(curve) = curves.find(|curve| curve.from == from && curve.to == to) {
                curve.pages = why.reading();
            }
        }
        Experiment::Transfer { owner, reader } => {
            let (owner, reader) = (Reading::Measured(owner.cpu), Reading::Measured(reader.cpu));
            let mut cells = profile.transfers.iter_mut();
            if let Some(cell) = cells.find(|cell| cell.owner == owner && cell.reader == reader) {
                cell.latency = why.reading();
            }
        }
    }
}

fn latencies(layout: &Layout, depth: Depth) -> Vec<IdleLatency> {
    let cell = |from: NodeId, to: NodeId, refusal: Option<CellError>, cpu| {
        let reason = || refusal.clone().unwrap_or(CellError::Stopped);
        let with_tlb_misses = match (depth, &refusal) {
            (Depth::Quick, None) => Reading::unavailable("a quick measurement leaves it out"),
            _ => reason().reading(),
        };
        IdleLatency {
            from,
            to,
            cpu,
            pages: reason().reading(),
            bytes: reason().reading(),
            latency: reason().reading(),
            with_tlb_misses,
            buffers: reason().reading(),
        }
    };
    let pairs = layout.rows.iter().flat_map(|row| layout.columns.iter().map(move |column| (row, column)));
    pairs
        .map(|(row, column)| {
            let cpu = row.cpus.as_ref().map(|cpus| cpus[0]);
            cell(row.node, column.node, layout.refusal(row, column), Reading::from(cpu))
        })
        .collect()
}

fn bandwidths(machine: &Machine, layout: &Layout, request: &MeasurementRequest) -> Vec<Bandwidth> {
    let mut cells = Vec::new();
    for mix in mixes(request) {
        for row in &layout.rows {
            for column in &layout.columns {
                let (from, to) = (row.node, column.node);
                let reason = layout.refusal(row, column).unwrap_or(CellError::Stopped);
                let both = [
                    (Workers::Core(from), row.cores().len().min(1)),
                    (Workers::Node(from), row.cores().len()),
                ];
                let quick = request.depth == Depth::Quick;
                for (workers, threads) in both.into_iter().skip(usize::from(quick)) {
                    cells.push(Bandwidth {
                        workers,
                        target: Target::Node(to),
                        mix,
                        threads: Reading::Measured(threads as u32),
                        rate: reason.reading(),
                        declared: declared(machine, from, to, mix),
                        with: reason.reading(),
                        buffers: reason.reading(),
                    });
                }
            }
        }
        let threads: usize = layout.with_local_memory().map(|row| row.cores().len()).sum();
        let each = layout.with_local_memory().map(|row| declared(machine, row.node, row.node, mix));
        let sum = each.reduce(|sum, one| match (sum, one) {
            (Reading::Measured(sum), Reading::Measured(one)) => {
                Reading::Measured(numawise_units::BytesPerSecond(sum.0 + one.0))
            }
            (Reading::Measured(_), missing) | (missing, _) => missing,
        });
        cells.push(Bandwidth {
            workers: Workers::Machine,
            target: Target::Local,
            mix,
            threads: Reading::Measured(threads as u32),
            rate: no_peak(threads),
            with: no_peak(threads),
            buffers: no_peak(threads),
            declared: sum.unwrap_or_else(|| Reading::unavailable("the firmware declares none")),
        });
    }
    cells.sort_by_key(|cell| (cell.workers, cell.target, cell.mix));
    cells
}

/// Why the machine's peak is not there yet, or will not be.
fn no_peak<T>(threads: usize) -> Reading<T> {
    match threads {
        0 => Reading::unavailable("no node has both CPUs and memory that we may use"),
        _ => CellError::Stopped.reading(),
    }
}

fn header(
    machine: &Machine,
    layout: &Layout,
    request: &MeasurementRequest,
    plan: &MeasurementPlan,
) -> ProfileHeader {
    let all = request.nodes.is_empty();
    let nodes = machine.nodes.iter().filter(|node| all || request.nodes.contains(node.id));
    let nodes = nodes.map(|node| ProfileNode {
        id: node.id,
        cpus: Reading::Measured(
            layout.row(node.id).map(|row| row.cores().iter().copied().collect()).unwrap_or_default(),
        ),
        memory: node.memory.clone(),
        kind: node.kind,
    });
    let quota = machine.limits.iter().filter_map(|limit| match limit {
        MachineNotice::CpuQuota { cpus, file } => {
            Some(MembenchNotice::CpuQuotaMayHaveSlowed { cpus: *cpus, file: file.clone() }.into())
        }
        _ => None,
    });
    let mut notices: Vec<Notice> = plan.notices.iter().cloned().chain(quota).collect();
    if machine.caches.is_empty() {
        notices.push(MembenchNotice::CachesUnknown { taken: layout.caches }.into());
    }
    let left_out = layout.usable_rows().filter(|row| row.local != Some(row.node));
    notices.extend(left_out.map(|row| MembenchNotice::NodeNotInPeak { node: row.node }.into()));
    ProfileHeader {
        origin: ProfileOrigin::Numawise(request.version.clone()),
        fingerprint: request.fingerprint.clone(),
        taken: Reading::unavailable("the clock is before 1970"),
        took: CellError::Stopped.reading(),
        depth: request.depth,
        complete: false,
        nodes: nodes.collect(),
        vectors: Reading::Measured(kernels::available()[0].name().to_owned()),
        notices,
    }
}
