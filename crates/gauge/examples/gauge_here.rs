//! Measures this machine and prints the profile: for trying the room by hand.
//!
//! `gauge_here [quick|standard|full] [MIXES]`, mixes with commas between.

use std::sync::atomic::AtomicBool;

use numawise_facts::{Depth, Event, Fingerprint, Profile, Reading, Sink};
use numawise_gauge::{Request, measure, plan};
use numawise_units::NodeSet;

struct Show(std::time::Instant);

impl Sink for Show {
    fn event(&mut self, event: Event) {
        if let Event::Step { done, of, what, left } = event {
            eprintln!(
                "{:6.2} s {:3} of {of}: {what} ({left} left)",
                self.0.elapsed().as_secs_f64(),
                done + 1
            );
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth = match arguments.next().as_deref() {
        Some("full") => Depth::Full,
        Some("standard") => Depth::Standard,
        _ => Depth::Quick,
    };
    let mixes = arguments.next().unwrap_or_default();
    let mixes: Result<Vec<_>, _> = mixes.split(',').filter(|mix| !mix.is_empty()).map(str::parse).collect();
    let unknown = || Reading::unavailable("an example does not ask");
    let request = Request {
        depth,
        fingerprint: Fingerprint {
            topology: unknown(),
            processor: unknown(),
            kernel: unknown(),
            firmware: unknown(),
        },
        version: env!("CARGO_PKG_VERSION").to_owned(),
        mixes: mixes?,
        nodes: NodeSet::new(),
        most_memory: None,
        seed: 1,
    };
    let machine = numawise_machine::live().or_else(|_| numawise_machine::live_without_hwloc())?;
    let plan = plan(&machine, &request);
    eprintln!("{} steps, about {} of {}", plan.steps.len(), plan.expected(), plan.budget);
    let profile = measure(&machine, &request, &mut Show(std::time::Instant::now()), &AtomicBool::new(false))?;
    print_latencies(&profile);
    print_rates(&profile);
    println!(
        "took {}, complete {}, {}",
        profile.header.took, profile.header.complete, profile.header.vectors
    );
    profile.header.remarks.iter().for_each(|remark| println!("remark: {remark}"));
    Ok(())
}

fn print_latencies(profile: &Profile) {
    for cell in &profile.latency {
        let latency =
            cell.latency.as_ref().map(|it| (it.median.0, it.low.0, it.high.0, it.samples, it.disturbed));
        let misses = cell
            .with_tlb_misses
            .as_ref()
            .map(|it| (it.median.0, it.low.0, it.high.0, it.samples, it.disturbed));
        println!(
            "latency {} {} {:?} {:?} {latency:?} tlb {misses:?}",
            cell.from, cell.to, cell.pages, cell.bytes
        );
    }
    for cell in &profile.working_sets {
        for point in &cell.points {
            println!(
                "set {} {} {} {:?}",
                cell.from,
                cell.to,
                point.bytes,
                point.latency.as_ref().map(|it| it.median.0)
            );
        }
    }
}

fn print_rates(profile: &Profile) {
    for cell in &profile.bandwidth {
        let rate = cell
            .rate
            .as_ref()
            .map(|it| (it.median.0 / 1e9, it.low.0 / 1e9, it.high.0 / 1e9, it.samples, it.disturbed));
        println!(
            "rate {:?} {:?} {} {rate:?} declared {:?}",
            cell.workers,
            cell.target,
            cell.mix,
            cell.declared.measured()
        );
    }
    for cell in &profile.loaded {
        println!("loaded {} {} {} {:?}", cell.from, cell.to, cell.mix, cell.points.reason());
        for point in cell.points.measured().into_iter().flatten() {
            let (rate, latency) = (&point.bandwidth, &point.latency);
            println!(
                "  {:?} {:.2} GB/s {} n {}",
                point.delay.measured(),
                rate.median.0 / 1e9,
                latency.median,
                latency.samples
            );
        }
    }
    for cell in &profile.transfers {
        let latency =
            cell.latency.as_ref().map(|it| (it.median.0, it.low.0, it.high.0, it.samples, it.disturbed));
        println!("transfer {:?} {:?} {latency:?}", cell.owner.measured(), cell.reader.measured());
    }
}
