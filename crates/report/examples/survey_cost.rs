//! What a report of loops costs: 10,000 synthetic loops of a program that never ran, each of three loops of the machine code, in 64 threads.
//!
//! `cargo run --release -p numawise-report --example survey_cost [LOOPS]` prints times and sizes.

mod synthetic;

use numawise_analyse::survey;
use numawise_facts::objects::{
    AccessMethod, CodeSamples, FileAddress, LoopLine, LoopPass, LoopPassing, LoopTrips, LoopWork,
    MachineLoop, ObjectWatching, PassCount, Skid, ThreadSamples, TimeSamples,
};
use numawise_facts::{ObjectRun, Reading};
use numawise_report::document::{self, Style};
use numawise_report::survey::{Shown, document as survey_document, json};
use numawise_units::{Bytes, Nanoseconds};

use synthetic::{THREADS, header, number, place, scattered, threads, timed};

/// What compilers make of a loop: vectors, what is left, another copy.
const PARTS: u32 = 3;

fn main() {
    let count = number(1, 10_000);
    let run = run(count);
    let (tables, analysing) = timed(|| survey(&run).expect("loops were surveyed"));
    let shown = Shown { run: &run, tables: &tables, record: None };
    let (screen, screening) = timed(|| document::terminal(&survey_document(&shown), Style::plain()));
    let (page, paging) = timed(|| document::html(&survey_document(&shown)));
    let (text, writing) = timed(|| json(&shown));
    println!(
        "{count} synthetic loops, {} of the machine code, {} rows\nanalyse {:.2} s, terminal {:.2} s, page {:.2} s, JSON {:.2} s: report {:.2} s\n\
         {} findings; terminal {} bytes, HTML {} bytes, JSON {} bytes",
        count * PARTS,
        tables.rows.len(),
        analysing.as_secs_f64(),
        screening.as_secs_f64(),
        paging.as_secs_f64(),
        writing.as_secs_f64(),
        (analysing + screening + paging + writing).as_secs_f64(),
        tables.findings.len(),
        screen.len(),
        page.len(),
        text.len(),
    );
}

fn run(count: u32) -> ObjectRun {
    let none = || "a survey of loops looks at no memory";
    let loops: Vec<MachineLoop> =
        (0..count).flat_map(|k| (0..PARTS).map(move |part| machine(k, part))).collect();
    let samples = loops.iter().flat_map(|of| &of.samples).map(|of| of.samples).sum();
    ObjectRun {
        header: header(),
        watching: ObjectWatching {
            least: Bytes::kib(16),
            allocations: Reading::unavailable(none()),
            time: Reading::Measured(TimeSamples {
                period: Nanoseconds(1_000_000),
                samples,
                with_memory: 0,
                unknown_address: 0,
                spinning: 0,
                lost: 0,
                skid: Skid { samples: 100, one_after: 95 },
                method: AccessMethod::Waited,
            }),
            loads: Reading::unavailable(none()),
            faults: Reading::unavailable(none()),
            cost: Reading::Measured(Nanoseconds(1_000_000)),
            own_time: Reading::Measured(Nanoseconds(40_000_000)),
            page_size: Reading::Measured(Bytes::kib(4)),
        },
        threads: threads(),
        places: (0..2 * count).map(place).collect(),
        objects: vec![],
        sources: vec![],
        bandwidth: Reading::unavailable(none()),
        ranks: vec![],
        memory_bound: Reading::unavailable(none()),
        trials: vec![],
        code: Reading::Measured(CodeSamples {
            loops,
            without_code: vec![ThreadSamples { thread: 0, samples: 100 }],
            ..CodeSamples::none(Reading::Measured(512))
        }),
    }
}

fn passing(k: u32) -> LoopPassing {
    let count =
        PassCount { loaded: 64.0, stored: 32.0, double: 8.0, instructions: 8.0, ..PassCount::default() };
    let (mean, deviation) = (f64::from(k), 2.0);
    let (least, most) = (k.into(), u64::from(k) + 4);
    LoopPassing {
        pass: Reading::Measured(LoopPass { mean: Reading::Measured(count), least: count, most: count }),
        trips: Reading::Measured(LoopTrips {
            mean,
            low: mean,
            high: mean,
            deviation,
            least,
            most,
            samples: 50,
        }),
        ..LoopPassing::unknown("it never ran")
    }
}

/// A part of a loop, all of the same line; a tenth of the loops has most of the time.
fn machine(k: u32, part: u32) -> MachineLoop {
    let share = if k.is_multiple_of(10) { 20 } else { 1 };
    let lanes = [8, 1, 4][part as usize];
    MachineLoop {
        head: FileAddress { file: "/program".to_owned(), address: u64::from(k * PARTS + part) * 64 },
        function: 2 * k,
        parent: None,
        depth: 1,
        is_innermost: true,
        lines: vec![LoopLine { place: 2 * k + 1, instructions: 8 }],
        samples: (0..8)
            .map(|n| ThreadSamples { thread: scattered(k + n) % THREADS, samples: share })
            .collect(),
        work: LoopWork {
            instructions: 8,
            scalar_elements: u32::from(lanes == 1),
            packed_elements: if lanes > 1 { lanes } else { 0 },
            vector_bits: if lanes > 1 { lanes * 64 } else { 0 },
            lanes,
            element_bits: 64,
            floating: lanes,
            gathers: u32::from(k.is_multiple_of(7)),
            ..LoopWork::default()
        },
        passing: passing(k),
    }
}
