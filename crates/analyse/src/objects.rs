//! Memory objects of a run: shares with their intervals, and what stands out.

mod callers;
mod fast_memory;
mod findings;
mod knapsack;
mod lines;
mod loads;
pub(crate) mod named;
mod ranks;
mod shares;

use std::collections::BTreeMap;

use numawise_facts::activity::{CodePlace, ProcessCounters};
use numawise_facts::objects::{
    AccessMethod, MemoryBound, MemoryBoundSource, MemoryObject, ObjectKind, ObjectPages, TimeSamples,
    TouchMethod,
};
use numawise_facts::{Machine, ObjectRun, Reading, Reason};
use numawise_stats::proportion;
use numawise_tables::ObjectTables;
use numawise_tables::objects::{
    FastMemoryChoice, NodeShare, ObjectRow, ObjectUser, ResidenceMoment, ShareInterval, ThreadShare,
    TouchRow, Toucher, UseRow,
};
use numawise_units::{Arrange, Bytes, Nanoseconds, NodeId, NodeSet, Ratio};

pub use fast_memory::can_be_put;
pub use lines::object_source_lines;
pub use ranks::{objects_of_processes, objects_of_ranks};
use shares::{Division, Shares};

use crate::snapshot::memory_bound_of;

#[cfg(test)]
#[path = "objects/sample.rs"]
pub mod sample;
#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;

/// Samples with memory below which no share of time is said: from here on the interval of a half is 5 points on each side.
const LEAST_SAMPLES: u64 = 400;
/// Where more of the samples with memory are of memory that is not known, no share is said: all of these may be of one object, and its share
/// would be further from the truth than the 10 points that are promised of loops over several objects.
const MOST_UNKNOWN: f64 = 0.10;
const NOT_ONE_AFTER: &str =
    "on this machine interrupts are not taken one instruction after the one that was waited for";
/// Samples of one object below which nothing is said of who uses it: a half is then known within 14 points.
const LEAST_OF_OBJECT: f64 = 50.0;
/// Page faults of one object below which nothing is said of who touched it.
const LEAST_FAULTS: u64 = 8;
/// Where faults are counted from sample to sample: fewer samples of its first touches say too little of who did them. Measured by the programs of
/// known answers: from here on shares by thread were within 15 points.
const LEAST_COUNTS: u64 = 8;
/// Objects that have a row: what the others have together is said.
const MOST_ROWS: usize = 1000;

/// The objects of a run that fit together on these nodes of this machine and have the most time.
pub fn choice_for(tables: &ObjectTables, machine: &Machine, nodes: &NodeSet) -> Reading<FastMemoryChoice> {
    let space = fast_memory::free(machine, nodes).map(|free| (nodes.clone(), free));
    fast_memory::into_space(space, &tables.rows, &tables.time_samples)
}

/// What the run says of its objects.
pub fn objects(run: &ObjectRun) -> ObjectTables {
    let time = time_samples(run);
    let samples: Vec<f64> = run.objects.iter().map(samples).collect();
    // Where times are withheld, they do not decide the order either.
    let weight = |k: usize| if time.measured().is_some() { samples[k] } else { 0.0 };
    let mut order: Vec<usize> = (0..run.objects.len()).collect();
    order.arrange_by(|one, other| {
        let bytes = |k: usize| run.objects[k].bytes;
        weight(*other).total_cmp(&weight(*one)).then(bytes(*other).cmp(&bytes(*one))).then(one.cmp(other))
    });
    let rest = order.split_off(order.len().min(MOST_ROWS));
    let left_out = (
        rest.len() as u64,
        rest.iter().fold(Bytes(0), |sum, k| Bytes(sum.0.saturating_add(run.objects[*k].bytes.0))),
    );
    let row_of = |k: usize| row(run, k, samples[k], &time);
    let mut rows: Vec<ObjectRow> = order.into_iter().map(row_of).collect();
    callers::tell_apart(run, &mut rows);
    let time_samples = time.map(|all| all.known);
    let fast_memory = fast_memory::choice(&run.header.machine, &rows, &time_samples);
    let findings = findings::all(run, &rows, fast_memory.measured());
    ObjectTables { rows, left_out, findings, cost: cost(run), time_samples, fast_memory }
}

/// Samples with memory, where they can be trusted and suffice.
fn time_samples(run: &ObjectRun) -> Reading<MemorySamples> {
    run.watching.time.clone().and_then(|time| {
        // Passes of loops are counted where it is another one.
        if !is_trusted(&time) {
            return Reading::unavailable(NOT_ONE_AFTER);
        }
        enough(MemorySamples::of(&time))
    })
}

/// Samples in which a thread waited for memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MemorySamples {
    /// Of these it is known for which.
    known: u64,
    unknown: u64,
}

impl MemorySamples {
    fn of(time: &TimeSamples) -> MemorySamples {
        MemorySamples { known: time.with_memory, unknown: time.unknown_address }
    }

    fn and(self, other: MemorySamples) -> MemorySamples {
        MemorySamples { known: self.known + other.known, unknown: self.unknown + other.unknown }
    }

    /// The share of so many of them. Those that are not known may be of any object.
    fn share(self, part: f64) -> Reading<ShareInterval> {
        let (known, unknown) = (self.known as f64, self.unknown as f64);
        let bounds = proportion(part, known + unknown).zip(proportion(part + unknown, known + unknown));
        match proportion(part, known).zip(bounds) {
            Some((found, (least, most))) => Reading::Measured(ShareInterval {
                value: Ratio(found.value),
                low: Ratio(found.low.min(least.low)),
                high: Ratio(found.high.max(most.high)),
            }),
            None => Reading::unavailable("there are no samples"),
        }
    }
}

/// The samples, where shares may be said of them.
fn enough(samples: MemorySamples) -> Reading<MemorySamples> {
    let MemorySamples { known: with_memory, unknown } = samples;
    if unknown as f64 > MOST_UNKNOWN * (with_memory + unknown) as f64 {
        return Reading::unavailable(format!(
            "of {unknown} of {} samples it is not known which memory was waited for: their addresses were lost before the interrupt, as \
             in chains of pointers",
            with_memory + unknown
        ));
    }
    if with_memory < LEAST_SAMPLES {
        return Reading::unavailable(format!(
            "only {with_memory} samples show which memory was waited for; {LEAST_SAMPLES} are needed, which a longer run or more samples a \
             second give"
        ));
    }
    Reading::Measured(samples)
}

fn is_trusted(time: &TimeSamples) -> bool {
    time.method != AccessMethod::Waited || time.skid.is_one_instruction()
}

/// How much of the program's time waiting for memory is: as counters of the processor say, else the most that it can be by samples.
pub fn memory_bound(run: &ObjectRun, counters: Reading<&ProcessCounters>) -> Reading<MemoryBound> {
    match counters.and_then(memory_bound_of) {
        Reading::Measured(bound) => Reading::Measured(bound),
        Reading::Unavailable { unavailable } => memory_bound_of_samples(run, &unavailable),
    }
}

/// `without_counters`: why these do not tell it.
fn memory_bound_of_samples(run: &ObjectRun, without_counters: &Reason) -> Reading<MemoryBound> {
    run.watching.time.clone().and_then(|time| {
        if time.method != AccessMethod::Waited {
            return Reading::unavailable(format!(
                "samples are of all memory that loops access here, and not of what was waited for; counters of the processor would tell \
                 ({without_counters})"
            ));
        }
        if !is_trusted(&time) {
            return Reading::unavailable(NOT_ONE_AFTER);
        }
        if time.samples < LEAST_SAMPLES {
            return Reading::unavailable(format!(
                "only {} of the {LEAST_SAMPLES} samples that are needed",
                time.samples
            ));
        }
        // The stack is in the first cache, nearly always.
        let beyond_stacks = run.objects.iter().filter(|object| object.kind != ObjectKind::Stack);
        let waited = beyond_stacks.map(samples).sum::<f64>() + time.unknown_address as f64;
        let share = Ratio((waited / time.samples as f64).min(1.0));
        Reading::Measured(MemoryBound { share, source: MemoryBoundSource::Samples })
    })
}

fn samples(object: &MemoryObject) -> f64 {
    object.uses.iter().fold(0.0, |sum, of| sum + of.samples)
}

pub fn cost(run: &ObjectRun) -> Reading<Ratio> {
    run.watching.cost.clone().zip(run.header.usage.cpu_time()).and_then(share_of_time)
}

/// What watching took, of the time that the program used.
fn share_of_time((cost, used): (Nanoseconds, Nanoseconds)) -> Reading<Ratio> {
    if used.0 == 0 {
        return Reading::unavailable("the program used no CPU time that was accounted");
    }
    if cost > used {
        return Reading::unavailable("by its estimate it is more than the CPU time of the program");
    }
    Reading::Measured(Ratio(cost.seconds() / used.seconds()))
}

fn row(run: &ObjectRun, index: usize, samples: f64, time: &Reading<MemorySamples>) -> ObjectRow {
    let object = &run.objects[index];
    ObjectRow {
        object: index,
        kind: object.kind,
        process: object.process,
        rank: run.ranks.iter().find(|of| of.process == object.process).map(|of| of.rank),
        name: object.name.clone(),
        allocated: allocated(run, object),
        called_at: None,
        count: object.count,
        bytes: object.bytes,
        is_estimate: object.is_estimate,
        begun: object.begun,
        ended: object.ended.clone(),
        pages: object.pages.clone().and_then(|all| at_peak(&all)),
        residence: object.pages.as_ref().map(|all| all.iter().map(residence).collect()),
        huge: huge(object),
        first_touch: first_touch(run, object),
        used: time.clone().and_then(|_| used(run, object, samples)),
        loads: loads::loads(run, object),
        memory_time: time.clone().and_then(|all| all.share(samples)),
    }
}

fn huge(object: &MemoryObject) -> Reading<Ratio> {
    object.huge_pages.clone().and_then(|of| {
        if of.resident.0 == 0 {
            return Reading::unavailable("nothing of it had memory when the size of its pages was asked for");
        }
        Reading::Measured(Ratio(of.huge.0 as f64 / of.resident.0 as f64))
    })
}

/// The innermost place with a line that is not the system's; else the innermost with a line, else the innermost of all.
fn allocated(run: &ObjectRun, object: &MemoryObject) -> Reading<CodePlace> {
    object.allocated.clone().and_then(|stack| {
        let places: Vec<&CodePlace> =
            stack.iter().filter_map(|place| run.places.get(*place as usize)).collect();
        let has_line = |place: &&&CodePlace| place.source.line.measured().is_some();
        let own = places.iter().find(|place| has_line(place) && !place.source.is_of_system());
        let place = own.or_else(|| places.iter().find(has_line)).or_else(|| places.first());
        place.map_or_else(
            || Reading::unavailable("the call stack of its allocation could not be followed"),
            |place| Reading::Measured((*place).clone()),
        )
    })
}

/// Where the pages lay when the object was largest.
fn at_peak(moments: &[ObjectPages]) -> Reading<Vec<NodeShare>> {
    let seen = moments.iter().filter(|moment| moment.on_nodes.iter().any(|(_, pages)| *pages > 0));
    // The last of equals: by then most pages are there.
    let Some(peak) = seen.max_by_key(|moment| (moment.bytes, moment.at)) else {
        return Reading::unavailable("no page of it was there when it was looked at");
    };
    Reading::Measured(by_node(&peak.on_nodes))
}

fn residence(moment: &ObjectPages) -> ResidenceMoment {
    ResidenceMoment { at: moment.at, bytes: moment.bytes, nodes: by_node(&moment.on_nodes) }
}

/// The largest first.
fn by_node(pages: &[(NodeId, u64)]) -> Vec<NodeShare> {
    let all: u64 = pages.iter().map(|(_, pages)| pages).sum();
    let share = |pages: u64| Ratio(pages as f64 / all as f64);
    let mut shares: Vec<NodeShare> = pages
        .iter()
        .filter(|(_, pages)| *pages > 0)
        .map(|(node, pages)| NodeShare { node: Some(*node), share: share(*pages) })
        .collect();
    shares.arrange_by(|one, other| other.share.0.total_cmp(&one.share.0).then(one.node.cmp(&other.node)));
    shares
}

fn first_touch(run: &ObjectRun, object: &MemoryObject) -> Reading<TouchRow> {
    run.watching.faults.clone().and_then(|of_run| {
        let faults: u64 = object.first_touch.iter().map(|of| of.faults).sum();
        if faults < LEAST_FAULTS {
            return Reading::unavailable("too few page faults of it were seen");
        }
        let counted = of_run.method == TouchMethod::Counted;
        let samples: u64 = object.first_touch.iter().map(|of| of.samples).sum();
        if counted && samples < LEAST_COUNTS {
            return Reading::unavailable("it was touched within too few samples of time for an estimate");
        }
        let shares =
            Shares::of(run, object.first_touch.iter().map(|of| (of.thread, of.cpu, of.faults as f64)));
        let place = object.touch_places.iter().max_by_key(|of| of.faults).map(|of| of.place);
        let at = touch_places(run, object);
        let toucher = |(of, _): (ThreadShare, f64)| {
            let place = at.get(&(of.thread, of.node)).and_then(|places| places.iter().max_by_key(|of| of.1));
            Toucher { of, place: code_place(run, place.map(|(place, _)| *place)) }
        };
        Reading::Measured(TouchRow {
            faults,
            method: of_run.method,
            threads: shares.threads(),
            nodes: shares.nodes(),
            touchers: shares.by_thread_and_node().into_iter().map(toucher).collect(),
            place: code_place(run, place),
        })
    })
}

/// Faults at each place, by thread and node.
fn touch_places(
    run: &ObjectRun,
    object: &MemoryObject,
) -> BTreeMap<(u32, Option<NodeId>), BTreeMap<u32, u64>> {
    let mut at: BTreeMap<_, BTreeMap<u32, u64>> = BTreeMap::new();
    for of in &object.first_touch {
        let Some(place) = of.place else { continue };
        let node = run.header.machine.node_of(of.cpu);
        *at.entry((of.thread, node)).or_default().entry(place).or_default() += of.faults;
    }
    at
}

fn code_place(run: &ObjectRun, place: Option<u32>) -> Reading<CodePlace> {
    let place = place.and_then(|place| run.places.get(place as usize)).cloned();
    place.map_or_else(|| Reading::unavailable("it is not known where"), Reading::Measured)
}

fn used(run: &ObjectRun, object: &MemoryObject, samples: f64) -> Reading<UseRow> {
    if samples < LEAST_OF_OBJECT {
        return Reading::unavailable("too few samples of it");
    }
    let shares = Shares::of(run, object.uses.iter().map(|of| (of.thread, of.cpu, of.samples)));
    let mut places: Vec<(CodePlace, Ratio)> = object
        .use_places
        .iter()
        .filter_map(|of| Some((run.places.get(of.place as usize)?.clone(), Ratio(of.samples / samples))))
        .collect();
    places.arrange_by(|one, other| other.1.0.total_cmp(&one.1.0).then(one.0.cmp(&other.0)));
    let division = Division::of(run, object);
    Reading::Measured(UseRow {
        samples,
        threads: shares.threads(),
        nodes: shares.nodes(),
        users: users(run, object, &shares),
        reads: Ratio(object.uses.iter().map(|of| of.reads).sum::<f64>() / samples),
        remote: remote(run, object),
        places,
        parts_of_nodes: division.parts,
        pages_of_nodes: division.pages,
        lines_of_nodes: division.lines,
    })
}

fn users(run: &ObjectRun, object: &MemoryObject, shares: &Shares<'_>) -> Vec<ObjectUser> {
    let mut reads: BTreeMap<(u32, Option<NodeId>), f64> = BTreeMap::new();
    for of in &object.uses {
        *reads.entry((of.thread, run.header.machine.node_of(of.cpu))).or_default() += of.reads;
    }
    let user = |(of, samples): (ThreadShare, f64)| {
        let reads = reads.get(&(of.thread, of.node)).copied().unwrap_or(0.0);
        ObjectUser { of, reads: Ratio(if samples > 0.0 { (reads / samples).min(1.0) } else { 0.0 }) }
    };
    shares.by_thread_and_node().into_iter().map(user).collect()
}

fn remote(run: &ObjectRun, object: &MemoryObject) -> Reading<Ratio> {
    let machine = &run.header.machine;
    let known = object.uses.iter().filter_map(|of| {
        machine.node_of(of.cpu)?;
        let node = machine.node(of.node?)?;
        // A node without CPUs of its own, as fast memory may be, is local to those that it is near to.
        let near = if node.cpus.is_empty() { &node.near } else { &node.cpus };
        (!near.is_empty()).then(|| (of.samples, !near.contains(of.cpu)))
    });
    let (mut all, mut elsewhere) = (0.0, 0.0);
    for (samples, is_elsewhere) in known {
        all += samples;
        elsewhere += if is_elsewhere { samples } else { 0.0 };
    }
    if all < LEAST_OF_OBJECT {
        return Reading::unavailable("of too few samples it is known where the page lay");
    }
    Reading::Measured(Ratio(elsewhere / all))
}

/// True for memory that the program itself asked for by a name or a call.
fn is_programs_own(kind: ObjectKind) -> bool {
    matches!(kind, ObjectKind::Heap | ObjectKind::Mapped | ObjectKind::Shared | ObjectKind::Global)
}
