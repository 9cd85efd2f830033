//! What a job of 262,144 ranks costs that were merged: synthetic ranks, made one by one from activities that no program had (as of `merge_cost`
//! of `numawise-analyse`, each with the phases and regions of nobody), recorded, read again and reported.
//!
//! `cargo run --release -p numawise --example report_cost [RANKS]` prints times, sizes and the most memory that it took.
//! `scripts/bench` limits its memory.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use numawise_analyse::{JobRanks, RunParts, run_snapshot};
use numawise_facts::activity::{CounterAccess, CounterObstacle};
use numawise_facts::{
    Argument, Exit, HostFacts, Reading, ResourceUsage, RunSpec, SourcePlaces, WatchedRun, WatchedRunHeader,
};
use numawise_record::{Existing, read_watched_run, save_watched_run};
use numawise_report::document::{self, Style};
use numawise_report::snapshot;
use numawise_units::{Nanoseconds, Pid};

#[allow(dead_code)] // its ranks are used
#[path = "../../analyse/examples/merge_cost.rs"]
mod merge_cost;

const RANKS: u32 = 262_144;

fn main() {
    let ranks = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(RANKS);
    let mut job = JobRanks::default();
    let mut merging = Duration::ZERO;
    let mut here = Vec::new();
    for rank in 0..ranks {
        here.push(merge_cost::activity(rank, ranks));
        if here.len() == merge_cost::PER_COMPUTER as usize || rank + 1 == ranks {
            let begun = Instant::now();
            job.add_placement(here.iter(), None);
            here.drain(..).for_each(|activity| drop(job.add(activity)));
            merging += begun.elapsed();
        }
    }
    let (processes, merged) = job.finish();
    let in_full = processes.len();
    let run =
        WatchedRun { header: header(ranks), processes, merged, places: SourcePlaces::new(), objects: vec![] };
    let folder = std::env::temp_dir().join(format!("numawise-report-cost-{}", std::process::id()));
    std::fs::create_dir(&folder).expect("a folder for the record");
    let path = folder.join("run.nw");
    let (_, writing) =
        timed(|| save_watched_run(&path, &run, Existing::Stays).expect("the record can be written"));
    drop(run);
    let (run, reading) = timed(|| read_watched_run(&path).expect("the record can be read"));
    let machines = BTreeMap::new();
    let parts = RunParts {
        trace_part: None,
        activities: &run.processes,
        merged: run.merged.as_ref(),
        places: &run.places,
        asked: None,
        exit: None,
        unwatched: Nanoseconds(0),
        machines: &machines,
    };
    let (tables, analysing) = timed(|| run_snapshot(&parts));
    let shown =
        snapshot::Shown { run: &run, tables: &tables, objects: None, events: None, record: Some("run.nw") };
    let (page, paging) = timed(|| document::html(&snapshot::document(&shown)));
    let screen = document::terminal(&snapshot::summary(&shown), Style::plain());
    let json = snapshot::json(&shown);
    println!("{screen}");
    println!(
        "{ranks} synthetic ranks, {in_full} of them kept in full\nmerge {:.2} s, write the record {:.2} s, read it {:.2} s, \
         analyse {:.2} s, make the page {:.2} s: report {:.2} s\nrecord {} bytes, HTML {} bytes, JSON {} bytes; \
         memory at most {}",
        merging.as_secs_f64(),
        writing.as_secs_f64(),
        reading.as_secs_f64(),
        analysing.as_secs_f64(),
        paging.as_secs_f64(),
        (reading + analysing + paging).as_secs_f64(),
        path.metadata().map_or(0, |file| file.len()),
        page.len(),
        json.len(),
        peak_memory(),
    );
    let _ = std::fs::write(Path::new("target/262144-ranks.html"), page);
    let _ = std::fs::remove_dir_all(folder);
}

fn timed<T>(what: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let result = what();
    (result, begun.elapsed())
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |most| most.trim().to_owned())
}

fn header(ranks: u32) -> WatchedRunHeader {
    let not_read = || "it is synthetic";
    let command = ["srun", "-n", &ranks.to_string(), "./app"].map(Argument::from).to_vec();
    let machine = numawise_session::here::full().expect("this machine can be read").machine;
    WatchedRunHeader {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        begun: Nanoseconds(1_735_689_600_000_000_000),
        command: RunSpec { command, directory: "/home/user".into() },
        host: HostFacts {
            hostname: Reading::unavailable(not_read()),
            kernel: Reading::unavailable(not_read()),
            cpu_model: Reading::unavailable(not_read()),
            environment: Vec::new(),
            numa_balancing: Reading::unavailable(not_read()),
            transparent_huge_pages: Reading::unavailable(not_read()),
            frequency: Reading::unavailable(not_read()),
            pid: Pid(1),
        },
        machine,
        placement: None,
        ranks: None,
        exit: Exit::Code(0),
        wall: Nanoseconds(2_000_000_000),
        usage: ResourceUsage::unavailable(not_read()),
        notices: Vec::new(),
        counters: CounterAccess::NotOpened(CounterObstacle::NoHardware { is_guest: true }),
        traffic: Reading::unavailable(not_read()),
        division: None,
        other_machines: Vec::new(),
    }
}
