//! What a report of memory objects costs: 100,000 synthetic objects of a program that never ran, used in 1,000,000 samples by 64 threads on 4 nodes.
//!
//! `cargo run --release -p numawise-report --example objects_cost [OBJECTS] [USES]` prints times and sizes. `scripts/bench` limits its memory.

mod synthetic;

use numawise_analyse::objects;
use numawise_facts::objects::{
    AccessMethod, AllocationLog, FaultSamples, FirstTouch, LineUse, MemoryObject, ObjectKind, ObjectPages,
    ObjectUse, ObjectWatching, PartUse, PlaceCount, PlaceUse, Skid, TimeSamples, TouchMethod,
};
use numawise_facts::{ObjectRun, Reading};
use numawise_report::document::{self, Style};
use numawise_report::objects::{Shown, document as objects_document, json};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid};

use synthetic::{NODES, THREADS, header, number, place, scattered, threads, timed};

const PLACES: u32 = 20_000;

fn main() {
    let (count, uses) = (number(1, 100_000), number(2, 1_000_000));
    let run = run(count, uses);
    let rows: usize = run.objects.iter().map(|object| object.uses.len()).sum();
    let (tables, analysing) = timed(|| objects(&run));
    let shown = Shown { run: &run, tables: &tables, record: None };
    let (screen, screening) = timed(|| document::terminal(&objects_document(&shown), Style::plain()));
    let (page, paging) = timed(|| document::html(&objects_document(&shown)));
    let (text, writing) = timed(|| json(&shown));
    if let Some(choice) = tables.fast_memory.measured() {
        let end = if choice.is_best { "to its end" } else { "until it was given up" };
        println!("the choice of {} objects was searched {end}", choice.candidates);
    }
    println!(
        "{count} synthetic objects, {rows} rows of use\nanalyse {:.2} s, terminal {:.2} s, page {:.2} s, JSON {:.2} s: report {:.2} s\n\
         {} findings; terminal {} bytes, HTML {} bytes, JSON {} bytes",
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

fn run(count: u32, uses: u32) -> ObjectRun {
    let each = (uses / count.max(1)).max(1);
    ObjectRun {
        header: header(),
        watching: ObjectWatching {
            least: Bytes::kib(16),
            allocations: Reading::Measured(AllocationLog { processes: 1, ..AllocationLog::default() }),
            time: Reading::Measured(TimeSamples {
                period: Nanoseconds(1_000_000),
                samples: 2 * u64::from(uses),
                with_memory: u64::from(each) * u64::from(count),
                unknown_address: 0,
                spinning: 0,
                lost: 0,
                skid: Skid { samples: 100, one_after: 95 },
                method: AccessMethod::Waited,
            }),
            loads: Reading::unavailable("no event samples loads here"),
            faults: Reading::Measured(FaultSamples {
                samples: 1000,
                faults: 17_000,
                lost: 0,
                method: TouchMethod::Faults,
                in_system_calls: Reading::unavailable("they are not sampled"),
                again: Reading::Measured(0),
            }),
            cost: Reading::Measured(Nanoseconds(1_000_000)),
            own_time: Reading::Measured(Nanoseconds(40_000_000)),
            page_size: Reading::Measured(Bytes::kib(4)),
        },
        threads: threads(),
        places: (0..PLACES).map(place).collect(),
        objects: (0..count).map(|k| object(k, each)).collect(),
        sources: vec![],
        bandwidth: Reading::unavailable("it was not collected"),
        ranks: Vec::new(),
        memory_bound: Reading::unavailable("it was not collected"),
        trials: vec![],
        code: Reading::unavailable("its loops were not surveyed"),
    }
}

/// Sizes over four decades; a tenth of the objects has most of the uses, as in programs.
fn object(k: u32, each: u32) -> MemoryObject {
    let bytes = Bytes(1 << (14 + scattered(k) % 16));
    // The mean stays what was asked for: one in ten has five and a half times as many, the others half.
    let uses = if k.is_multiple_of(10) { each * 11 / 2 } else { each / 2 };
    let used = |n: u32| {
        let cpu = scattered(k.wrapping_add(n * 31)) % THREADS;
        ObjectUse { thread: cpu, cpu: CpuId(cpu), node: Some(NodeId(k % NODES)), samples: 1.0, reads: 0.5 }
    };
    let lines = |n: u32| LineUse {
        page: n % 32,
        line: (scattered(n) % 64) as u8,
        thread: scattered(n) % THREADS,
        samples: 1.0,
    };
    MemoryObject {
        kind: ObjectKind::Heap,
        process: Pid(1),
        name: Reading::Measured(format!("array{k}")),
        allocated: Reading::Measured((0..10).map(|n| scattered(k + n) % PLACES).collect()),
        count: 1,
        is_estimate: false,
        bytes,
        total: bytes,
        begun: Nanoseconds(0),
        ended: Reading::unavailable("it was there to the end"),
        pages: Reading::Measured(vec![ObjectPages {
            at: Nanoseconds(20_000_000),
            looked_at: 256,
            on_nodes: (0..NODES).map(|node| (NodeId(node), u64::from(scattered(k + node) % 64))).collect(),
            bytes,
        }]),
        first_touch: vec![FirstTouch {
            thread: 0,
            cpu: CpuId(0),
            place: Some(k % PLACES),
            samples: 1,
            faults: 17,
        }],
        touch_places: vec![PlaceCount { place: k % PLACES, faults: 17 }],
        uses: (0..uses).map(used).collect(),
        parts: (0..uses)
            .map(|n| PartUse { thread: n % THREADS, part: (n % 64) as u8, samples: 1.0 })
            .collect(),
        use_places: (0..4)
            .map(|n| PlaceUse { place: scattered(k * 4 + n) % PLACES, samples: 1.0, reads: 0.5 })
            .collect(),
        lines: (0..uses).map(lines).collect(),
        loads: vec![],
        huge_pages: Reading::unavailable("the size of its pages was not asked for"),
        site: Reading::unavailable("by hand"),
    }
}
