use std::process::Command;

use numawise_linux::Roots;
use numawise_linux::calls::counter::{KIND_SOFTWARE, SOFTWARE_PAGE_FAULTS, SOFTWARE_TASK_CLOCK};

use super::*;
use crate::counters::{CounterCode, HereKernel};

fn event(event: CounterEvent, config: u64) -> ChosenEvent {
    let code = CounterCode { kind: KIND_SOFTWARE, config };
    ChosenEvent { event, name: format!("{event:?}"), cores: String::new(), code, refused: None }
}

/// The kernel's own clock and faults, as no machine of ours has counters of the processor.
fn opened(events: Vec<ChosenEvent>) -> Option<ProgramCounters> {
    let choice = CounterChoice::of_events(events, &HereKernel(Roots::live()));
    if choice.opened().next().is_none() {
        eprintln!("SKIPPED: the kernel counts nothing for us here");
        return None;
    }
    Some(ProgramCounters::open(&choice, |event| event != CounterEvent::PageFaults))
}

#[test]
#[ignore = "timing: processor time of a program and of what it starts"]
fn a_program_and_what_it_starts_is_counted_from_its_exec_on() {
    let clock = || event(CounterEvent::TaskClock, SOFTWARE_TASK_CLOCK);
    let Some(counters) = opened(vec![clock(), event(CounterEvent::PageFaults, SOFTWARE_PAGE_FAULTS)]) else {
        return;
    };
    let read = || match counters.read().counts.as_slice() {
        [one] => one.counted.measured().unwrap().count,
        others => panic!("only what is wanted is opened: {others:?}"),
    };
    let spin = |until: u32| (0..until).fold(0u64, |sum, k| sum ^ u64::from(std::hint::black_box(k)));
    spin(20_000_000);
    assert_eq!(read(), 0, "we are not counted");
    let loops = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
    assert!(Command::new("sh").args(["-c", loops]).status().unwrap().success());
    let first = read();
    // A step takes more than 10 ns on any processor.
    const LEAST: u64 = 1_000_000;
    assert!(first > LEAST, "{first} ns");
    // In a child of the program's child, which is no process of ours.
    let nested = format!("sh -c '({loops}); true'; true");
    assert!(Command::new("sh").args(["-c", &nested]).status().unwrap().success());
    assert!(read() > first + LEAST, "{first} ns, then {} ns", read());
}

#[test]
fn what_the_kernel_refuses_is_unavailable_with_its_error() {
    let refused = ChosenEvent { refused: Some(libc::ENOENT), ..event(CounterEvent::Cycles, 0) };
    let choice = CounterChoice { events: vec![refused], flags: 0, processor: None, with_children: true };
    let counts = ProgramCounters::open(&choice, |_| true).read().counts;
    assert!(counts[0].counted.reason().unwrap().0.contains("No such file"), "{counts:?}");
}
