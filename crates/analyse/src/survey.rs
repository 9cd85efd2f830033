//! What a survey says of loops: those of the source, made of those of the machine code, and what stands out.

mod compiled;
mod output;

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::activity::CodePlace;
use numawise_facts::objects::{CodeSamples, LoopWork, MachineLoop, ThreadSamples, UnknownCode};
use numawise_facts::{FindingId, ObjectRun, Reading};
use numawise_stats::proportion;
use numawise_tables::objects::ShareInterval;
use numawise_tables::survey::{
    Ceiling, LoopFinding, LoopRow, LoopTables, OutsideRow, UnknownRow, UseOfVectors, VectorLevel,
};
use numawise_units::{Arrange, Ratio};

use super::objects;
use compiled::Compiled;
pub use output::output_change;

mod roof;
mod streams;

#[cfg(test)]
#[path = "survey_tests.rs"]
mod tests;

/// Rows that are kept.
const MOST_ROWS: usize = 10_000;
/// A loop with less of the time is none to speak of.
const WORTH_SAYING: f64 = 0.05;
/// What brings less is not said.
const WORTH_DOING: f64 = 1.02;
/// Of fewer samples nothing is said.
const LEAST_SAMPLES: u64 = 100;
/// A loop with fewer elements in vectors than so much of all is partly vectorized.
const MOSTLY: f64 = 0.9;

/// Nothing where loops were not surveyed.
pub fn survey(run: &ObjectRun) -> Option<LoopTables> {
    let code = run.code.measured()?;
    let loops = code.loops.iter().flat_map(|of| &of.samples);
    let outside = code.outside.iter().flat_map(|of| &of.samples);
    let all = count(loops.chain(outside).chain(&code.without_code).chain(&code.messages));
    let compiled =
        code.compiled.as_ref().map(|records| records.as_ref().map(|of| Compiled::of(of, run, code)));
    let mut rows: Vec<LoopRow> = source_loops(run, code)
        .into_iter()
        .filter_map(|parts| {
            let mut row = row(run, code, &parts, all)?;
            let parts: Vec<&MachineLoop> = parts.iter().filter_map(|part| code.loops.get(*part)).collect();
            row.compiled =
                compiled.as_ref().map(|known| known.as_ref().and_then(|of| of.said(run, &parts, &row)));
            Some(row)
        })
        .collect();
    rows.arrange_by(|one, other| {
        let place = |of: &LoopRow| (of.place.file.clone(), of.place.address);
        other.samples.cmp(&one.samples).then_with(|| place(one).cmp(&place(other)))
    });
    let of_all = by_use(code, &rows, all);
    let rest = rows.split_off(rows.len().min(MOST_ROWS));
    let left_out = (rest.len() as u64, share(rest.iter().map(|row| row.samples).sum(), all));
    let samples = if all < LEAST_SAMPLES {
        Reading::unavailable(format!(
            "only {all} samples of the program were taken; {LEAST_SAMPLES} are needed, which a longer run or more samples a second give"
        ))
    } else {
        Reading::Measured(all)
    };
    let findings = if samples.measured().is_some() {
        findings(&rows, code.offered.measured().copied(), of_all.waiting().0)
    } else {
        Vec::new()
    };
    let by_use = samples.as_ref().map(|_| of_all);
    let outside = outside_rows(run, code, all);
    let (offered, cost) = (code.offered.clone(), objects::cost(run));
    let ceilings = code.ceilings.as_ref().map(|_| ());
    let unknown = unknown_rows(code, all);
    Some(LoopTables { rows, left_out, outside, unknown, samples, ceilings, by_use, offered, cost, findings })
}

fn count<'a>(samples: impl IntoIterator<Item = &'a ThreadSamples>) -> u64 {
    samples.into_iter().map(|of| of.samples).sum()
}

fn share(part: u64, all: u64) -> Ratio {
    Ratio(if all > 0 { part as f64 / all as f64 } else { 0.0 })
}

fn interval(part: u64, all: u64) -> Option<ShareInterval> {
    let found = proportion(part as f64, all as f64)?;
    Some(ShareInterval { value: Ratio(found.value), low: Ratio(found.low), high: Ratio(found.high) })
}

/// A line: its file, and its number.
type Line<'a> = (&'a str, u32);

/// The lines of a loop that stand in its function itself; those of functions that were put into it where there are no others.
fn lines<'a>(run: &'a ObjectRun, of: &MachineLoop) -> BTreeSet<Line<'a>> {
    let name = run.places.get(of.function as usize).and_then(|place| place.source.function.measured());
    let places = || of.lines.iter().filter_map(|line| run.places.get(line.place as usize));
    let is_own = |place: &&CodePlace| place.source.function.measured() == name;
    let own: BTreeSet<Line<'_>> = places().filter(is_own).filter_map(line).collect();
    if own.is_empty() { places().filter_map(line).collect() } else { own }
}

fn line(place: &CodePlace) -> Option<Line<'_>> {
    Some((place.source.file.measured()?.as_str(), *place.source.line.measured()?))
}

/// The function of which all lines are: also one that the compiler put into the loop's own.
fn of_all_lines<'a>(run: &'a ObjectRun, parts: &[&MachineLoop]) -> Option<&'a String> {
    let places = parts.iter().flat_map(|of| &of.lines).filter_map(|line| run.places.get(line.place as usize));
    let mut names =
        places.filter(|place| line(place).is_some()).map(|place| place.source.function.measured());
    let first = names.next()??;
    names.all(|name| name == Some(first)).then_some(first)
}

/// Loops of the machine code that one loop of the source became: those of one function, innermost or not, that have a line in common. Unrolled,
/// peeled and remaining passes are so one loop, and copies for other data.
fn source_loops(run: &ObjectRun, code: &CodeSamples) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut of_line: BTreeMap<(u32, bool, Line<'_>), usize> = BTreeMap::new();
    for (number, of) in code.loops.iter().enumerate() {
        let lines = lines(run, of);
        let keys = || lines.iter().map(|line| (of.function, of.is_innermost, *line));
        let mut known: Vec<usize> = keys().filter_map(|key| of_line.get(&key).copied()).collect();
        known.sort_unstable();
        known.dedup();
        let group = match known.first() {
            Some(first) => *first,
            None => {
                groups.push(Vec::new());
                groups.len() - 1
            }
        };
        for other in known.into_iter().skip(1) {
            let moved = std::mem::take(&mut groups[other]);
            groups[group].extend(moved);
            of_line.values_mut().filter(|of| **of == other).for_each(|of| *of = group);
        }
        groups[group].push(number);
        of_line.extend(keys().map(|key| (key, group)));
    }
    groups.retain(|group| !group.is_empty());
    groups
}

fn level(work: &LoopWork) -> VectorLevel {
    let arithmetic = (work.scalar_elements, work.packed_elements);
    let moved = (work.scalar_moved, work.packed_moved);
    match if arithmetic == (0, 0) { moved } else { arithmetic } {
        _ if work.pauses > 0 => VectorLevel::Spins,
        (0, 0) => VectorLevel::NoVectorRegisters,
        (_, 0) if work.packed_moved > 0 => VectorLevel::Partial,
        (_, 0) => VectorLevel::Scalar,
        (scalar, packed) if f64::from(packed) >= MOSTLY * f64::from(scalar + packed) => VectorLevel::Full,
        (_, _) => VectorLevel::Partial,
    }
}

fn row(run: &ObjectRun, code: &CodeSamples, parts: &[usize], all: u64) -> Option<LoopRow> {
    let parts: Vec<&MachineLoop> = parts.iter().filter_map(|part| code.loops.get(*part)).collect();
    let samples = count(parts.iter().flat_map(|of| &of.samples));
    let hottest = *parts.iter().max_by_key(|of| count(&of.samples))?;
    let mut threads: BTreeMap<u32, u64> = BTreeMap::new();
    for of in parts.iter().flat_map(|of| &of.samples) {
        *threads.entry(of.thread).or_default() += of.samples;
    }
    let function = run.places.get(hottest.function as usize)?;
    let all_lines: BTreeSet<Line<'_>> = parts.iter().flat_map(|of| lines(run, of)).collect();
    let mut place = function.clone();
    let mut last_line = None;
    if let Some((file, first)) = all_lines.first() {
        place.source.file = Reading::Measured((*file).to_owned());
        place.source.line = Reading::Measured(*first);
        last_line = all_lines.iter().filter(|line| line.0 == *file).map(|line| line.1).max();
    }
    if let Some(name) = of_all_lines(run, &parts) {
        place.source.function = Reading::Measured(name.clone());
    }
    place.address = hottest.head.address;
    let in_vectors: u64 =
        parts.iter().filter(|of| level(&of.work) >= VectorLevel::Partial).map(|of| count(&of.samples)).sum();
    (samples > 0).then_some(())?;
    let streams = streams::streams(&hottest.passing.accesses);
    Some(LoopRow {
        place,
        last_line,
        time: interval(samples, all)?,
        samples,
        threads: threads.len() as u32,
        busiest: share(threads.values().copied().max().unwrap_or_default(), samples),
        parts: parts.len() as u32,
        depth: hottest.depth,
        is_innermost: hottest.is_innermost,
        level: level(&hottest.work),
        in_vectors: share(in_vectors, samples),
        work: hottest.work,
        compiled: None,
        pass: hottest.passing.pass.clone(),
        trips: hottest.passing.trips.clone(),
        speed: hottest.passing.speed.clone(),
        roof: roof::roof(hottest, &streams, threads.len() as u32, &code.ceilings),
        streams,
    })
}

fn by_use(code: &CodeSamples, rows: &[LoopRow], all: u64) -> UseOfVectors {
    let of = |level: VectorLevel| {
        share(rows.iter().filter(|row| row.level == level).map(|row| row.samples).sum(), all)
    };
    UseOfVectors {
        full: of(VectorLevel::Full),
        partial: of(VectorLevel::Partial),
        scalar: of(VectorLevel::Scalar),
        none: of(VectorLevel::NoVectorRegisters),
        spinning: of(VectorLevel::Spins),
        messages: share(count(&code.messages), all),
        outside: share(count(code.outside.iter().flat_map(|of| &of.samples)), all),
        without_code: share(count(&code.without_code), all),
    }
}

fn outside_rows(run: &ObjectRun, code: &CodeSamples, all: u64) -> Vec<OutsideRow> {
    let row = |of: &numawise_facts::objects::OutsideLoops| {
        let function = run.places.get(of.function as usize)?.clone();
        Some(OutsideRow { function, time: interval(count(&of.samples), all)? })
    };
    let mut rows: Vec<OutsideRow> = code.outside.iter().filter_map(row).collect();
    rows.arrange_by(|one, other| {
        let place = |of: &OutsideRow| (of.function.file.clone(), of.function.address);
        other.time.value.0.total_cmp(&one.time.value.0).then_with(|| place(one).cmp(&place(other)))
    });
    rows.truncate(MOST_ROWS);
    rows
}

fn unknown_rows(code: &CodeSamples, all: u64) -> Vec<UnknownRow> {
    let row = |of: &UnknownCode| {
        let (file, function) = (of.file.clone(), of.function.clone());
        Some(UnknownRow { why: of.why, file, function, time: interval(of.samples, all)? })
    };
    let mut all: Vec<&UnknownCode> = code.unknown.iter().collect();
    all.arrange_by(|one, other| other.samples.cmp(&one.samples).then_with(|| one.cmp(other)));
    all.into_iter().filter_map(row).collect()
}

/// Elements of an instruction of its arithmetic, on average.
fn at_once(work: &LoopWork) -> f64 {
    let lanes = f64::from(work.vector_bits.max(work.element_bits)) / f64::from(work.element_bits.max(1));
    let (scalar, packed) = (f64::from(work.scalar_elements), f64::from(work.packed_elements));
    (scalar + packed) / (scalar + packed / lanes)
}

/// How many times as fast the program is at most where a loop with this share of its time is so many times as fast (Amdahl, 1967).
fn amdahl(share: f64, times: f64) -> f64 {
    1.0 / (1.0 - share + share / times)
}

/// Half of what memory gives is as good as all: other threads and other loops take their share.
const MOSTLY_MEMORY: f64 = 0.5;

/// How many times as fast a loop gets at most that goes so many times as fast by its instructions: what it loads and stores stays.
fn under_roof(of: &LoopRow, times: f64) -> f64 {
    let roof = of.roof.measured();
    let most = roof.and_then(|roof| Some(roof.of_data()?.passes / roof.passes.measured()?));
    times.min(most.unwrap_or(f64::INFINITY)).max(1.0)
}

/// How many times as fast a loop is at most that waits for memory mostly, where nothing comes from there.
fn without_memory(of: &LoopRow) -> Option<f64> {
    let roof = of.roof.measured()?;
    let passes = *roof.passes.measured()?;
    let memory = roof.ceilings.iter().find(|ceiling| ceiling.of == Ceiling::Memory)?;
    let next = roof.ceilings.iter().find(|ceiling| ceiling.of != Ceiling::Memory)?;
    (passes >= MOSTLY_MEMORY * memory.passes).then(|| next.passes / passes)
}

/// NW074: memory gives what it can. NW071: it computes with one element at once; loops that only compare, as in sorting, are not meant. NW072: it uses narrower vectors than the CPU has. NW073: its elements are gathered one by one. Those
/// that can bring most first.
fn findings(rows: &[LoopRow], offered: Option<u32>, waiting: f64) -> Vec<LoopFinding> {
    let mut findings = Vec::new();
    // Who waits for a loop waits less where that is faster.
    let share = |of: &LoopRow| (of.time.value.0 / (1.0 - waiting)).min(1.0);
    for (row, of) in rows.iter().enumerate().filter(|(_, of)| share(of) >= WORTH_SAYING && of.is_innermost) {
        let work = &of.work;
        let at_most = offered.unwrap_or(work.vector_bits).max(work.vector_bits);
        let found = match of.level {
            VectorLevel::Scalar if work.floating > 0 && at_most > work.element_bits => {
                Some((FindingId::LoopScalar, f64::from(at_most / work.element_bits)))
            }
            VectorLevel::Partial | VectorLevel::Full if work.gathers + work.scatters > 0 => {
                Some((FindingId::LoopGathers, f64::from(work.lanes.max(1))))
            }
            VectorLevel::Partial if work.scalar_elements > work.packed_elements && work.floating > 0 => {
                let times = f64::from(at_most / work.element_bits.max(1)) / at_once(work);
                (times > 1.0).then_some((FindingId::LoopScalar, times))
            }
            VectorLevel::Partial | VectorLevel::Full
                if work.vector_bits > 0 && at_most > work.vector_bits =>
            {
                // Its single elements can be brought together too.
                let narrower = f64::from(at_most / work.vector_bits);
                let lanes = f64::from(work.vector_bits / work.element_bits.max(1));
                let single = work.element_bits > 0 && work.scalar_elements > 0;
                Some((
                    FindingId::LoopNarrow,
                    if single { narrower * lanes / at_once(work) } else { narrower },
                ))
            }
            _ => None,
        };
        let memory = without_memory(of).map(|times| (FindingId::LoopMemory, times, times));
        for (id, lanes, times) in
            found.map(|(id, lanes)| (id, lanes, under_roof(of, lanes))).into_iter().chain(memory)
        {
            let brings = amdahl(share(of), times);
            if brings >= WORTH_DOING {
                findings.push(LoopFinding { id, row, lanes: Ratio(lanes), brings: Ratio(brings) });
            }
        }
    }
    findings.arrange_by(|one, other| other.brings.0.total_cmp(&one.brings.0).then(one.row.cmp(&other.row)));
    findings
}
