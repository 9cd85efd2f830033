//! Counters of a real kernel, opened by the collector in real programs: those of the kernel itself, which every computer has. What they
//! count must be what the kernel accounts to the processes. A test that cannot run here says SKIPPED with its reason.

#[path = "../../../collector/tests/support/library.rs"]
mod library;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use library::library;
use numawise_facts::Reading;
use numawise_facts::activity::{CountedProcess, CounterEvent};
use numawise_linux::calls::counter::{
    KIND_HARDWARE, KIND_SOFTWARE, SOFTWARE_PAGE_FAULTS, SOFTWARE_TASK_CLOCK,
};
use numawise_observe::Roots;
use numawise_observe::counters::{
    ChosenEvent, CounterChoice, CounterCode, CounterKernel, CounterServer, HereKernel,
};

/// A folder with the program in it, and the socket.
struct Bench {
    folder: tempfile::TempDir,
}

/// What a run left: what it printed, and what was counted.
struct Counted {
    output: Output,
    processes: Vec<CountedProcess>,
}

impl Bench {
    /// `None`, having said so, where there is no compiler, or the kernel counts nothing at all.
    fn new() -> Option<Bench> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("parts")).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/counters/program.c");
        let mut compiler = Command::new("gcc");
        compiler.args(["-O1", "-w", "-pthread", "-o"]).arg(folder.path().join("program")).arg(source);
        match compiler.status() {
            Ok(status) => assert!(status.success()),
            Err(error) => {
                eprintln!("SKIPPED: no gcc ({error})");
                return None;
            }
        }
        if HereKernel(Roots::live()).try_open(clock().code, 0).is_err() {
            eprintln!("SKIPPED: perf_event_open is forbidden here");
            return None;
        }
        Some(Bench { folder })
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.folder.path().join("program"));
        command.args(words).stdin(Stdio::null());
        command.env_remove("LD_PRELOAD");
        command
    }

    fn watched(&self, words: &[&str]) -> Command {
        let mut command = self.command(words);
        command.env("LD_PRELOAD", library()).env("NUMAWISE_SNAPSHOT", self.folder.path().join("parts"));
        command
    }

    fn count(&self, words: &[&str], events: Vec<ChosenEvent>) -> Counted {
        let choice = CounterChoice::of_events(events, &HereKernel(Roots::live()));
        let server = CounterServer::listen(choice, &self.folder.path().join("socket")).unwrap();
        let mut command = self.watched(words);
        command.env("NUMAWISE_SNAPSHOT_COUNTERS", server.request());
        let running = command.stdout(Stdio::piped()).spawn().unwrap();
        let server = server.start().unwrap();
        let output = running.wait_with_output().unwrap();
        Counted { output, processes: server.finish() }
    }
}

impl Counted {
    /// What the program printed, in seconds.
    fn printed(&self) -> f64 {
        String::from_utf8_lossy(&self.output.stdout).trim().parse().unwrap()
    }

    /// The processor time that was counted of one process, in seconds.
    fn clock(&self, process: usize) -> f64 {
        let counters = self.processes[process].counters.measured().unwrap();
        let clock = counters.counts.iter().find(|one| one.event == CounterEvent::TaskClock).unwrap();
        let counted = clock.counted.measured().unwrap();
        assert_eq!(counted.wanted, counted.on, "the kernel's clock is never off");
        counted.count as f64 / 1e9
    }
}

fn event(event: CounterEvent, name: &str, kind: u32, config: u64) -> ChosenEvent {
    let code = CounterCode { kind, config };
    ChosenEvent { event, name: name.to_owned(), cores: String::new(), code, refused: None }
}

fn clock() -> ChosenEvent {
    event(CounterEvent::TaskClock, "task-clock", KIND_SOFTWARE, SOFTWARE_TASK_CLOCK)
}

/// A process has computed a little before it counts: the loader's work.
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 0.02 + 0.02 * expected, "{found} s, expected {expected} s");
}

#[test]
fn threads_that_ended_are_counted_with_their_process() {
    let Some(bench) = Bench::new() else { return };
    let counted = bench.count(&["threads"], vec![clock()]);
    assert_eq!(counted.processes.len(), 1);
    assert!(counted.printed() > 0.39);
    near(counted.clock(0), counted.printed());
}

#[test]
fn children_are_not_counted_with_their_parent() {
    let Some(bench) = Bench::new() else { return };
    let counted = bench.count(&["forks"], vec![clock()]);
    let counters = counted.processes[0].counters.measured().unwrap();
    let children = if counters.with_children { 0.3 } else { 0.0 };
    assert_eq!(counted.processes.len(), 1);
    near(counted.clock(0), counted.printed() + children);
}

#[test]
fn a_process_that_becomes_another_program_is_counted_as_each() {
    let Some(bench) = Bench::new() else { return };
    let counted = bench.count(&["becomes"], vec![clock()]);
    assert_eq!(counted.processes.len(), 2);
    assert_eq!(counted.processes[0].pid, counted.processes[1].pid);
    let mut clocks = [counted.clock(0), counted.clock(1)];
    clocks.sort_by(f64::total_cmp);
    near(clocks[0], 0.1);
    near(clocks[1], 0.2);
}

#[test]
fn a_process_that_was_killed_is_counted() {
    let Some(bench) = Bench::new() else { return };
    let counted = bench.count(&["dies"], vec![clock()]);
    assert!(!counted.output.status.success());
    near(counted.clock(0), 0.1);
}

#[test]
fn a_process_that_closes_all_descriptors_is_counted() {
    let Some(bench) = Bench::new() else { return };
    let counted = bench.count(&["closes"], vec![clock()]);
    near(counted.clock(0), counted.printed());
}

#[test]
fn a_process_has_the_descriptors_that_it_has_without_us() {
    let Some(bench) = Bench::new() else { return };
    let counted = bench.count(&["lists"], vec![clock()]);
    let without = bench.command(&["lists"]).output().unwrap();
    assert_eq!(String::from_utf8(counted.output.stdout).unwrap(), String::from_utf8(without.stdout).unwrap());
    assert_eq!(counted.processes.len(), 1);
}

#[test]
fn what_the_kernel_does_not_count_is_missing_and_the_rest_is_there() {
    let Some(bench) = Bench::new() else { return };
    let events = vec![
        clock(),
        // No kernel has so many events of its own.
        event(CounterEvent::Cycles, "none", KIND_SOFTWARE, 10_000),
        event(CounterEvent::PageFaults, "page-faults", KIND_SOFTWARE, SOFTWARE_PAGE_FAULTS),
    ];
    let counted = bench.count(&["spins"], events);
    let counts = &counted.processes[0].counters.measured().unwrap().counts;
    assert!(
        matches!(&counts[1].counted, Reading::Unavailable { unavailable } if unavailable.0.contains("does not count"))
    );
    assert!(counts[2].counted.measured().is_some_and(|faults| faults.count > 0), "{counts:?}");
    near(counted.clock(0), counted.printed());
}

#[test]
fn without_a_kernel_or_a_server_the_program_runs_as_ever() {
    let Some(bench) = Bench::new() else { return };
    for request in ["1;2;0:0;/nowhere", "1;2;1:1;/", "nonsense", ""] {
        let mut command = bench.watched(&["spins"]);
        let ended = command.env("NUMAWISE_SNAPSHOT_COUNTERS", request).output().unwrap();
        assert!(ended.status.success() && ended.stderr.is_empty(), "{request}: {ended:?}");
    }
}

#[test]
fn cycles_are_counted_where_the_processor_has_counters() {
    let Some(bench) = Bench::new() else { return };
    let cycles = event(CounterEvent::Cycles, "cycles", KIND_HARDWARE, 0);
    let choice = CounterChoice::of_events(vec![cycles.clone()], &HereKernel(Roots::live()));
    if choice.opened().next().is_none() {
        eprintln!(
            "SKIPPED: the processor's counters are not to be had here ({:?})",
            choice.events[0].refused
        );
        return;
    }
    let counted = bench.count(&["spins"], vec![cycles]);
    let counts = &counted.processes[0].counters.measured().unwrap().counts;
    // Some processor below 10 GHz, and above 0.2.
    let rate = counts[0].counted.measured().unwrap().count as f64 / counted.printed();
    assert!((2e8..1e10).contains(&rate), "{rate} cycles a second");
}
