//! What watching costs: runs programs of known shape and prints the CPU time that sampling them took.
//!
//! `cargo run --release -p numawise-observe --example cost` (build `observe-actor` first: `cargo build --release -p
//! numawise-observe`). With arguments, watches that program instead and prints all that was seen.

use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use numawise_facts::{Observation, Reading, ResourceUsage};
use numawise_linux::calls::wait::EndStatus;
use numawise_observe::{Method, Options, Roots, Watch};
use numawise_units::{Nanoseconds, Pid};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if !words.is_empty() {
        let (observation, finish) = watch(&words, Method::Auto, &Roots::live());
        println!("{observation:#?}\nfinish took {finish:?}");
        return;
    }
    let actor = actor();
    // Node directories of a machine with two nodes, so that the choice between the methods is taken here too.
    let two_nodes = std::env::temp_dir().join(format!("observe-cost-{}", std::process::id()));
    std::fs::create_dir_all(two_nodes.join("devices/system/node")).expect("a directory");
    std::fs::write(two_nodes.join("devices/system/node/has_memory"), "0-1").expect("a file");
    let two = Roots::live().with_sys(&two_nodes);
    let ways = [
        ("one node", Method::Auto, Roots::live()),
        ("two nodes", Method::Auto, two),
        ("numa_maps", Method::NumaMaps, Roots::live()),
        ("move_pages", Method::MovePages, Roots::live()),
    ];
    let cases = [
        "spin 50",
        "spin 200",
        "threads 2 2000",
        "threads 64 2000",
        "threads 1000 2000",
        "memory 16 2000",
        "memory 1024 2000",
        "mappings 60000 4000",
        "known 0 1 64 2000",
    ];
    println!(
        "{:<24}{:<12}{:>8}{:>9}{:>12}{:>11}{:>9}{:>10}",
        "program", "method", "samples", "threads", "cpu", "span", "share", "finish"
    );
    for case in cases {
        for (name, method, roots) in &ways {
            let mut command = vec![actor.display().to_string()];
            command.extend(case.split(' ').map(str::to_owned));
            let (seen, finish) = watch(&command, *method, roots);
            println!(
                "{case:<24}{:<12}{:>8}{:>9}{:>12}{:>11}{:>7.3} %{:>10}  {}",
                name,
                seen.sampler.samples,
                seen.threads.measured().map_or(0, Vec::len),
                seen.sampler.cpu_time.to_string(),
                seen.sampler.span.to_string(),
                100.0 * seen.sampler.cpu_time.seconds() / seen.sampler.span.seconds(),
                format!("{finish:.1?}"),
                seen.pages
                    .as_ref()
                    .map(|pages| format!("{:?} {} at {}", pages.by_node, pages.method, pages.at)),
            );
        }
    }
    std::fs::remove_dir_all(two_nodes).expect("our own directory");
}

/// The actor beside this example.
fn actor() -> PathBuf {
    let me = std::env::current_exe().expect("a path");
    me.ancestors().nth(2).expect("target/PROFILE").join("observe-actor")
}

fn watch(words: &[String], method: Method, roots: &Roots) -> (Observation, Duration) {
    let begun = Instant::now();
    let child = Command::new(&words[0]).args(&words[1..]).spawn().expect("a program that can be started");
    let options = Options { method, roots: roots.clone(), ..Options::default() };
    let watch = Watch::start(&[Pid(child.id() as i32)], &options);
    let (usage, wall) = wait(child, begun);
    let ended = Instant::now();
    let observation = watch.finish(usage, wall);
    (observation, ended.elapsed())
}

/// Waits as the launcher does.
fn wait(child: Child, begun: Instant) -> (ResourceUsage, Nanoseconds) {
    let (end, accounted) = numawise_linux::calls::wait::reap(Pid(child.id() as i32)).expect("our own child");
    assert_eq!(end, EndStatus::Exited(0), "the program failed");
    let peak = accounted.peak_of_child();
    let usage = ResourceUsage {
        user: Reading::Measured(accounted.user),
        system: Reading::Measured(accounted.system),
        peak_memory: peak.map_or_else(
            |_| Reading::unavailable("not above our own peak, which a program inherits"),
            Reading::Measured,
        ),
        minor_faults: Reading::Measured(accounted.minor_faults),
        major_faults: Reading::Measured(accounted.major_faults),
        voluntary_switches: Reading::Measured(accounted.voluntary_switches),
        involuntary_switches: Reading::Measured(accounted.involuntary_switches),
    };
    (usage, begun.elapsed().into())
}
