//! Counters of a real kernel, opened by the collector in real programs: those of the kernel itself, which every computer has. Page faults are
//! as many as the program makes, on whatever machine; the kernel's clock must be what it accounts to the processes. A test that cannot run here says SKIPPED with its reason.

#[path = "../../../collector/tests/support/library.rs"]
mod library;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

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

/// The program, compiled once; nothing without a compiler.
fn program() -> Option<&'static Path> {
    static COMPILED: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compiled = || {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("counted-{}", std::process::id()));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/counters/program.c");
        let mut compiler = Command::new("gcc");
        compiler.args(["-O1", "-w", "-pthread", "-o"]).arg(&program).arg(source);
        let status = compiler.status().ok()?;
        assert!(status.success());
        // Under a name that the next run of these tests takes too.
        let whole = program.with_file_name("counted");
        std::fs::rename(program, &whole).unwrap();
        Some(whole)
    };
    COMPILED.get_or_init(compiled).as_deref()
}

/// A folder for what the program leaves, and the socket.
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
        if program().is_none() {
            eprintln!("SKIPPED: no gcc");
            return None;
        }
        if HereKernel(Roots::live()).try_open(clock().code, 0).is_err() {
            eprintln!("SKIPPED: perf_event_open is forbidden here");
            return None;
        }
        Some(Bench { folder })
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(program().expect("it was compiled"));
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

    fn of(&self, process: usize, event: CounterEvent) -> u64 {
        let counters = self.processes[process].counters.measured().unwrap();
        let of = counters.counts.iter().find(|one| one.event == event).unwrap();
        let counted = of.counted.measured().unwrap();
        assert_eq!(counted.wanted, counted.on, "counters of the kernel are never off");
        counted.count
    }

    fn faults(&self, process: usize) -> u64 {
        self.of(process, CounterEvent::PageFaults)
    }

    /// The processor time that was counted of one process, in seconds.
    fn clock(&self, process: usize) -> f64 {
        self.of(process, CounterEvent::TaskClock) as f64 / 1e9
    }
}

fn event(event: CounterEvent, name: &str, kind: u32, config: u64) -> ChosenEvent {
    let code = CounterCode { kind, config };
    ChosenEvent { event, name: name.to_owned(), cores: String::new(), code, refused: None }
}

fn clock() -> ChosenEvent {
    event(CounterEvent::TaskClock, "task-clock", KIND_SOFTWARE, SOFTWARE_TASK_CLOCK)
}

fn page_faults() -> ChosenEvent {
    event(CounterEvent::PageFaults, "page-faults", KIND_SOFTWARE, SOFTWARE_PAGE_FAULTS)
}

/// Pages of so many units of work; the libraries and the stacks of threads have some more, less than half a unit.
fn units(found: u64, units: u64) {
    const PAGES: u64 = 4000;
    assert!(
        (units * PAGES..units * PAGES + PAGES / 2).contains(&found),
        "{found} pages, expected {units} units"
    );
}

/// A process has computed a little before it counts: the loader's work.
fn near(found: f64, expected: f64) {
    eprintln!("{found:.4} s counted, {expected:.4} s accounted");
    assert!((found - expected).abs() < 0.02 + 0.02 * expected, "{found} s, expected {expected} s");
}

#[test]
fn threads_that_ended_are_counted_with_their_process() {
    let Some(bench) = Bench::new() else { return };
    let counted = bench.count(&["threads"], vec![page_faults()]);
    assert_eq!(counted.processes.len(), 1);
    units(counted.faults(0), 4);
}

#[test]
fn children_are_not_counted_with_their_parent() {
    let Some(bench) = Bench::new() else { return };
    let counted = bench.count(&["forks"], vec![page_faults()]);
    let counters = counted.processes[0].counters.measured().unwrap();
    assert_eq!(counted.processes.len(), 1);
    units(counted.faults(0), if counters.with_children { 4 } else { 1 });
}

#[test]
fn a_process_that_becomes_another_program_is_counted_as_each() {
    let Some(bench) = Bench::new() else { return };
    let counted = bench.count(&["becomes"], vec![page_faults()]);
    assert_eq!(counted.processes.len(), 2);
    assert_eq!(counted.processes[0].pid, counted.processes[1].pid);
    let mut faults = [counted.faults(0), counted.faults(1)];
    faults.sort_unstable();
    units(faults[0], 1);
    units(faults[1], 2);
}

#[test]
fn a_process_that_was_killed_is_counted() {
    let Some(bench) = Bench::new() else { return };
    let counted = bench.count(&["dies"], vec![page_faults()]);
    assert!(!counted.output.status.success());
    units(counted.faults(0), 1);
}

#[test]
fn a_process_that_closes_all_descriptors_is_counted() {
    let Some(bench) = Bench::new() else { return };
    let counted = bench.count(&["closes"], vec![page_faults()]);
    units(counted.faults(0), 1);
}

#[test]
#[ignore = "timing: processor time that is counted and that is accounted"]
fn the_clock_is_what_the_kernel_accounts() {
    let Some(bench) = Bench::new() else { return };
    for (what, children) in [("threads", 0.0), ("forks", 0.3), ("closes", 0.0)] {
        let counted = bench.count(&[what, "time"], vec![clock()]);
        let with_children = counted.processes[0].counters.measured().unwrap().with_children;
        near(counted.clock(0), counted.printed() + if with_children { children } else { 0.0 });
    }
    near(bench.count(&["dies", "time"], vec![clock()]).clock(0), 0.1);
    let counted = bench.count(&["becomes", "time"], vec![clock()]);
    let mut clocks = [counted.clock(0), counted.clock(1)];
    clocks.sort_by(f64::total_cmp);
    near(clocks[0], 0.1);
    near(clocks[1], 0.2);
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
        page_faults(),
    ];
    let counted = bench.count(&["works"], events);
    let counts = &counted.processes[0].counters.measured().unwrap().counts;
    assert!(
        matches!(&counts[1].counted, Reading::Unavailable { unavailable } if unavailable.0.contains("does not count"))
    );
    units(counted.faults(0), 2);
    assert!(counted.clock(0) > 0.0);
}

#[test]
fn without_a_kernel_or_a_server_the_program_runs_as_ever() {
    let Some(bench) = Bench::new() else { return };
    for request in ["1;2;0:0;/nowhere", "1;2;1:1;/", "nonsense", ""] {
        let mut command = bench.watched(&["works"]);
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
    let counted = bench.count(&["works"], vec![cycles]);
    let counts = &counted.processes[0].counters.measured().unwrap().counts;
    // Each page takes some.
    assert!(counts[0].counted.measured().unwrap().count > 8000, "{counts:?}");
}
