//! Memory objects of a run: shares with their intervals, and what stands out.

mod findings;
mod shares;

use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{MemoryObject, ObjectKind, ObjectPages};
use numawise_facts::{ObjectRun, Reading};
use numawise_stats::proportion;
use numawise_tables::ObjectTables;
use numawise_tables::objects::{NodeShare, ObjectRow, ShareInterval, TouchRow, UseRow};
use numawise_units::{Bytes, Ratio};

use shares::Shares;

#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;

/// Samples with memory below which no share of time is said: the interval of a half is then 10 points on each side.
const LEAST_SAMPLES: u64 = 100;
/// Samples of one object below which nothing is said of who uses it.
const LEAST_OF_OBJECT: f64 = 20.0;
/// Page faults of one object below which nothing is said of who touched it.
const LEAST_FAULTS: u64 = 8;
/// Rows that are kept whatever they hold, and what makes a row beyond them worth it.
const MOST_ROWS: usize = 40;

/// What the run says of its objects.
pub fn objects(run: &ObjectRun) -> ObjectTables {
    let time = time_samples(run);
    let mut rows: Vec<ObjectRow> =
        run.objects.iter().enumerate().map(|(k, object)| row(run, k, object, &time)).collect();
    let weight = |row: &ObjectRow| row.memory_time.measured().map_or(0.0, |share| share.value.0);
    rows.sort_by(|one, other| {
        weight(other)
            .total_cmp(&weight(one))
            .then(other.bytes.cmp(&one.bytes))
            .then(one.object.cmp(&other.object))
    });
    let rest = rows.split_off(rows.len().min(MOST_ROWS));
    let left_out = (rest.len() as u64, rest.iter().fold(Bytes(0), |sum, row| Bytes(sum.0 + row.bytes.0)));
    let findings = findings::all(run, &rows);
    ObjectTables { rows, left_out, findings, cost: cost(run), time_samples: time }
}

/// Samples with memory, where they can be trusted and suffice.
fn time_samples(run: &ObjectRun) -> Reading<u64> {
    run.watching.time.clone().and_then(|time| {
        if !time.skid.is_one_instruction() {
            return Reading::unavailable(
                "on this machine interrupts are not taken one instruction after the one that was waited for",
            );
        }
        if time.with_memory < LEAST_SAMPLES {
            return Reading::unavailable(format!(
                "only {} samples show which memory was waited for; {LEAST_SAMPLES} are needed",
                time.with_memory
            ));
        }
        Reading::Measured(time.with_memory)
    })
}

fn cost(run: &ObjectRun) -> Reading<Ratio> {
    run.watching.cost.clone().zip(run.header.usage.cpu_time()).and_then(|(cost, used)| {
        if used.0 == 0 {
            return Reading::unavailable("the program used no CPU time that was accounted");
        }
        if cost > used {
            return Reading::unavailable("by its estimate it is more than the CPU time of the program");
        }
        Reading::Measured(Ratio(cost.seconds() / used.seconds()))
    })
}

fn row(run: &ObjectRun, index: usize, object: &MemoryObject, time: &Reading<u64>) -> ObjectRow {
    // The sum of nothing at all is -0.0.
    let samples = object.uses.iter().fold(0.0, |sum, of| sum + of.samples);
    ObjectRow {
        object: index,
        kind: object.kind,
        process: object.process,
        name: object.name.clone(),
        allocated: allocated(run, object),
        count: object.count,
        bytes: object.bytes,
        begun: object.begun,
        ended: object.ended.clone(),
        pages: object.pages.clone().and_then(|all| at_peak(&all)),
        first_touch: first_touch(run, object),
        used: time.clone().and_then(|_| used(run, object, samples)),
        memory_time: time.clone().and_then(|all| interval(samples, all as f64)),
    }
}

fn interval(part: f64, all: f64) -> Reading<ShareInterval> {
    match proportion(part, all) {
        Some(found) => Reading::Measured(ShareInterval {
            value: Ratio(found.value),
            low: Ratio(found.low),
            high: Ratio(found.high),
        }),
        None => Reading::unavailable("there are no samples"),
    }
}

/// The innermost place with a line; else the innermost of all.
fn allocated(run: &ObjectRun, object: &MemoryObject) -> Reading<CodePlace> {
    object.allocated.clone().and_then(|stack| {
        let mut places = stack.iter().filter_map(|place| run.places.get(*place as usize));
        let first = places.clone().next();
        let with_line = places.find(|place| place.source.line.measured().is_some());
        with_line.or(first).cloned().map_or_else(
            || Reading::unavailable("the call stack of its allocation could not be followed"),
            Reading::Measured,
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
    let all: u64 = peak.on_nodes.iter().map(|(_, pages)| pages).sum();
    let share = |pages: u64| Ratio(pages as f64 / all as f64);
    let mut shares: Vec<NodeShare> = peak
        .on_nodes
        .iter()
        .filter(|(_, pages)| *pages > 0)
        .map(|(node, pages)| NodeShare { node: Some(*node), share: share(*pages) })
        .collect();
    shares.sort_by(|one, other| other.share.0.total_cmp(&one.share.0).then(one.node.cmp(&other.node)));
    Reading::Measured(shares)
}

fn first_touch(run: &ObjectRun, object: &MemoryObject) -> Reading<TouchRow> {
    run.watching.faults.clone().and_then(|_| {
        let faults: u64 = object.first_touch.iter().map(|of| of.faults).sum();
        if faults < LEAST_FAULTS {
            return Reading::unavailable("too few page faults of it were seen");
        }
        let shares =
            Shares::of(run, object.first_touch.iter().map(|of| (of.thread, of.cpu, of.faults as f64)));
        let place = object.touch_places.iter().max_by_key(|of| of.faults);
        let place = place.and_then(|of| run.places.get(of.place as usize)).cloned();
        Reading::Measured(TouchRow {
            faults,
            threads: shares.threads(),
            nodes: shares.nodes(),
            place: place.map_or_else(|| Reading::unavailable("it is not known where"), Reading::Measured),
        })
    })
}

fn used(run: &ObjectRun, object: &MemoryObject, samples: f64) -> Reading<UseRow> {
    if samples < LEAST_OF_OBJECT {
        return Reading::unavailable("too few samples are of it");
    }
    let shares = Shares::of(run, object.uses.iter().map(|of| (of.thread, of.cpu, of.samples)));
    let mut places: Vec<(CodePlace, Ratio)> = object
        .use_places
        .iter()
        .filter_map(|of| Some((run.places.get(of.place as usize)?.clone(), Ratio(of.samples / samples))))
        .collect();
    places.sort_by(|one, other| other.1.0.total_cmp(&one.1.0).then(one.0.cmp(&other.0)));
    Reading::Measured(UseRow {
        samples,
        threads: shares.threads(),
        nodes: shares.nodes(),
        reads: Ratio(object.uses.iter().map(|of| of.reads).sum::<f64>() / samples),
        remote: remote(run, object),
        places,
        parts_of_nodes: shares::parts_of_nodes(run, object),
    })
}

fn remote(run: &ObjectRun, object: &MemoryObject) -> Reading<Ratio> {
    let known = object.uses.iter().filter_map(|of| {
        let node = run.header.machine.node_of(of.cpu)?;
        Some((of.samples, of.node? != node))
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
