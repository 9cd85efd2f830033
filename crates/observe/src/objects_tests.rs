use std::collections::HashMap;

use numawise_facts::activity::SourcePlace;
use numawise_facts::objects::{CodeObstacle, DataSource, SampledLoads};
use numawise_linux::samples::SampledLoad;
use numawise_operands::{Architecture, Registers};
use numawise_units::{Bytes, CpuId, Cycles};

use super::input::*;
use super::*;

pub(super) const PROGRAM: Pid = Pid(i32::MAX - 7);
const FIRST: Pid = PROGRAM;
const SECOND: Pid = Pid(i32::MAX - 6);
const MAIN: u64 = 0x40_1000;
/// Where two functions allocate, through one and the same function.
const CALLERS: [u64; 2] = [0x50_0001, 0x50_0101];
const ALLOCATES: u64 = 0x60_0001;
/// From here on lies a library that was preloaded.
const OURS: u64 = 0x70_0000;

/// A program that is a loop over two arrays.
#[derive(Default)]
struct Fake {
    function: Vec<u8>,
    variables: Vec<LoadedVariable>,
    stacks: HashMap<u64, Vec<u64>>,
}

fn place_at(address: u64) -> CodePlace {
    let source = SourcePlace {
        function: Reading::Measured(format!("f{:x}", address >> 8)),
        file: Reading::Measured("a.c".to_owned()),
        line: Reading::Measured((address & 0xff) as u32 + 1),
    };
    CodePlace { file: "/a".to_owned(), address, source }
}

impl Code for Fake {
    fn mapped(&mut self, _: &CodeMapping) {}

    fn variables_near(&mut self, _: Pid, _: u64) -> Vec<LoadedVariable> {
        std::mem::take(&mut self.variables)
    }

    fn forked(&mut self, _: Pid, _: Pid) {}

    fn replaced(&mut self, _: Pid) {}

    fn place(&mut self, _: Pid, address: u64) -> Option<CodePlace> {
        Some(place_at(address))
    }

    fn in_file(&mut self, _: Pid, address: u64) -> Option<FileAddress> {
        let file = if address < OURS { "/a" } else { "/opt/lib/numawise/libnumawise_collector.so" };
        Some(FileAddress { file: file.to_owned(), address })
    }

    fn function(&mut self, _: Pid, address: u64) -> Option<(u64, Vec<u8>)> {
        let end = MAIN + self.function.len() as u64;
        (MAIN..end).contains(&address).then(|| (MAIN, self.function.clone()))
    }

    fn unknown(&mut self, _: Pid, _: u64) -> (CodeObstacle, Option<String>) {
        (CodeObstacle::NoFile, None)
    }
    fn made_function(&mut self, _: Pid, _: u64) -> Option<String> {
        None
    }
    fn callers(&mut self, _: Pid, stack: &Stack<'_>) -> Vec<u64> {
        self.stacks.get(&stack.sp).cloned().unwrap_or_default()
    }

    fn variable(&mut self, place: &CodePlace) -> Reading<String> {
        Reading::Measured(format!("v{:x}", place.address))
    }

    fn variables_of_calls(&mut self, returns_to: &FileAddress) -> Vec<String> {
        vec![format!("c{:x}", returns_to.address)]
    }
}

/// The bytes of `mov rdx, [rax + 8 * rcx]; inc rcx; jmp` back, and where each instruction begins.
fn looped() -> (Vec<u8>, Vec<u64>) {
    let bytes = vec![0x48, 0x8b, 0x14, 0xc8, 0x48, 0xff, 0xc1, 0xeb, 0xf7];
    let listing = numawise_operands::Listing::of(Architecture::X86_64, MAIN, &bytes);
    let begins: Vec<u64> = listing.steps().iter().map(numawise_operands::Step::ip).collect();
    assert_eq!(begins, [MAIN, MAIN + 4, MAIN + 7]);
    (bytes, begins)
}

pub(super) fn tracker() -> ObjectTracker {
    let stacks = HashMap::from([(1, vec![ALLOCATES, CALLERS[0]]), (2, vec![ALLOCATES, CALLERS[1]])]);
    let mut tracker = ObjectTracker::new(
        Nanoseconds(1000),
        AccessMethod::Waited,
        Box::new(Fake { function: looped().0, stacks, ..Fake::default() }),
    );
    for number in [1, 2] {
        tracker.stack(PROGRAM, number, &stack(u64::from(number)), None);
    }
    tracker
}

pub(super) fn stack<'a>(sp: u64) -> Stack<'a> {
    Stack { ip: MAIN, sp, bp: 0, kept: [0; 5], r10: None, after_call: false, bytes: &[] }
}

fn event(at: u64, change: MemoryChange) -> MemoryEvent {
    MemoryEvent { process: PROGRAM, thread: FIRST, at: Nanoseconds(at), change }
}

pub(super) fn allocated(at: u64, address: u64, bytes: u64, stack: u32) -> MemoryEvent {
    event(at, MemoryChange::Allocated { address, bytes, stack: Some(stack), weight: 1 })
}

/// A sample behind the load, of an element of an array.
fn sample<'a>(thread: Pid, cpu: u32, array: u64, index: u64) -> TimeSample<'a> {
    let mut general = [0; 16];
    (general[0], general[1]) = (array, index);
    TimeSample {
        at: Nanoseconds(5000),
        process: PROGRAM,
        thread,
        cpu: CpuId(cpu),
        registers: Registers::new(looped().1[1], general),
        faults: None,
        python: None,
        stack: stack(9),
    }
}

fn by_name<'a>(found: &'a TrackedObjects, name: &str) -> &'a MemoryObject {
    let is = |object: &&MemoryObject| object.name.measured().is_some_and(|of| of == name);
    let names: Vec<_> = found.objects.iter().map(|object| &object.name).collect();
    found.objects.iter().find(is).unwrap_or_else(|| panic!("{name} is none of {names:?}"))
}

fn samples(object: &MemoryObject) -> f64 {
    object.uses.iter().map(|of| of.samples).sum()
}

#[test]
fn a_load_belongs_to_the_object_that_held_its_address_at_that_time() {
    let mut tracker = tracker();
    tracker.memory(&allocated(2000, 0x10_0000, 0x8_0000, 1));
    for k in 0..3 {
        tracker.time(&sample(FIRST, 0, 0x10_0000, k));
    }
    tracker.memory(&event(6000, MemoryChange::Freed { address: 0x10_0000 }));
    // Another object is put where the first one was.
    tracker.memory(&allocated(7000, 0x10_0000, 0x8_0000, 1));
    tracker.time(&sample(SECOND, 3, 0x10_0000, 5));
    let found = tracker.finish();
    let object = &found.objects[0];
    assert_eq!((object.count, object.bytes, object.total), (2, Bytes(0x8_0000), Bytes(0x10_0000)));
    assert_eq!(object.begun, Nanoseconds(1000), "since the begin of the run");
    assert!(object.ended.measured().is_none(), "the second one is still there");
    assert_eq!(samples(object), 4.0);
    let by = |thread: Pid| {
        let number = found.threads.iter().position(|of| of.tid == thread).unwrap() as u32;
        object.uses.iter().filter(|of| of.thread == number).map(|of| of.samples).sum::<f64>()
    };
    assert_eq!((by(FIRST), by(SECOND)), (3.0, 1.0));
    assert!(object.uses.iter().all(|of| of.reads == of.samples && of.node.is_none()), "{:?}", object.uses);
    assert_eq!((found.counts.time_samples, found.counts.with_memory), (4, 4));
}

#[test]
fn allocations_through_one_function_are_told_apart_by_its_callers() {
    let mut tracker = tracker();
    tracker.memory(&allocated(2000, 0x10_0000, 0x1_0000, 1));
    tracker.memory(&allocated(2001, 0x20_0000, 0x2_0000, 2));
    tracker.memory(&allocated(2002, 0x30_0000, 0x1_0000, 1));
    tracker.time(&sample(FIRST, 0, 0x20_0000, 0));
    let found = tracker.finish();
    let sizes: Vec<_> = found.objects.iter().map(|object| (object.count, object.bytes.0)).collect();
    assert_eq!(sizes, [(2, 0x2_0000), (1, 0x2_0000)]);
    let allocated = |k: usize| found.objects[k].allocated.measured().unwrap().clone();
    let address = |place: u32| found.places[place as usize].address;
    assert_eq!(allocated(0).into_iter().map(address).collect::<Vec<_>>(), [ALLOCATES - 1, CALLERS[0] - 1]);
    assert_eq!(allocated(1).into_iter().map(address).collect::<Vec<_>>(), [ALLOCATES - 1, CALLERS[1] - 1]);
    assert_eq!((samples(&found.objects[0]), samples(&found.objects[1])), (0.0, 1.0));
}

#[test]
fn what_our_own_libraries_map_is_no_object() {
    let mut tracker = tracker();
    let own = Stack { ip: OURS + 1, after_call: true, ..stack(3) };
    tracker.stack(PROGRAM, 3, &own, None);
    tracker.memory(&event(
        2000,
        MemoryChange::Mapped {
            address: 0x10_0000,
            bytes: 0x80_0000,
            stack: Some(3),
            kind: ObjectKind::Shared,
        },
    ));
    tracker.memory(&allocated(2001, 0x20_0000_0000, 0x2_0000, 2));
    tracker.time(&sample(FIRST, 0, 0x10_0000, 0));
    let found = tracker.finish();
    let sizes: Vec<_> = found.objects.iter().map(|object| object.bytes.0).collect();
    assert_eq!(sizes, [0x2_0000], "{:?}", found.objects);
}

#[test]
fn parts_say_which_end_of_an_object_a_thread_uses() {
    let mut tracker = tracker();
    tracker.memory(&allocated(2000, 0x10_0000, 64 * 8, 1));
    for k in 0..32 {
        tracker.time(&sample(FIRST, 0, 0x10_0000, k));
        tracker.time(&sample(SECOND, 1, 0x10_0000, 32 + k));
    }
    let found = tracker.finish();
    let parts = &found.objects[0].parts;
    assert!(
        parts.iter().all(|of| (of.part < 32) == (found.threads[of.thread as usize].tid == FIRST)),
        "{parts:?}"
    );
    assert_eq!(parts.len(), 64);
}

#[test]
fn first_accesses_count_by_what_they_stand_for() {
    let mut tracker = tracker();
    tracker.memory(&allocated(2000, 0x10_0000, 0x8_0000, 1));
    let fault = |address, faults| FaultSample {
        at: Nanoseconds(3000),
        process: PROGRAM,
        thread: SECOND,
        cpu: CpuId(4),
        address,
        faults,
        stack: stack(9),
    };
    tracker.fault(&fault(0x10_1000, 1));
    tracker.fault(&fault(0x12_0000, 17));
    tracker.fault(&fault(0x90_0000, 17));
    let found = tracker.finish();
    let touched = &found.objects[0].first_touch;
    assert_eq!(touched.len(), 1);
    assert_eq!((touched[0].samples, touched[0].faults, touched[0].cpu), (2, 18, CpuId(4)));
    assert_eq!(found.threads[touched[0].thread as usize].tid, SECOND);
    assert_eq!(found.objects[0].touch_places.iter().map(|of| of.faults).sum::<u64>(), 18);
    assert_eq!((found.counts.fault_samples, found.counts.faults), (3, 35), "what is in no object counts too");
}

/// Page faults of one thread, each of which stands for so many.
fn faults(at: u64, addresses: impl Iterator<Item = u64>, faults: u64, tracker: &mut ObjectTracker) {
    for address in addresses {
        tracker.fault(&FaultSample {
            at: Nanoseconds(at),
            process: PROGRAM,
            thread: FIRST,
            cpu: CpuId(0),
            address,
            faults,
            stack: stack(9),
        });
    }
}

#[test]
fn no_object_has_more_first_accesses_than_pages() {
    let mut tracker = tracker();
    let (page, begin, pages) = (page_size().0, 0x10_0000_0000, 3100);
    let each = || (0..pages / 31).map(|k| begin + k * 31 * page);
    tracker.memory(&allocated(2000, begin, pages * page, 1));
    faults(3000, each(), 31, &mut tracker);
    // The kernel takes pages away to see who uses them.
    faults(4000, each(), 31, &mut tracker);
    let counts = tracker.counts;
    assert_eq!(counts.faults + counts.faults_again, 2 * pages);
    assert!(counts.faults < pages * 103 / 100, "{counts:?}");
    assert_eq!(counts.again_samples * 31, counts.faults_again);
    // As many pages of the same line are new.
    tracker.memory(&allocated(5000, 0x20_0000_0000, pages * page, 1));
    faults(6000, each().map(|at| at + 0x10_0000_0000), 31, &mut tracker);
    let touched: u64 = tracker.finish().objects[0].first_touch.iter().map(|of| of.faults).sum();
    assert!((2 * pages..=2 * pages * 103 / 100).contains(&touched), "{touched}");
}

#[test]
fn a_variable_has_its_name_and_what_is_none_is_other_memory() {
    let mut tracker = tracker();
    let grid = LoadedVariable {
        name: "grid".to_owned(),
        address: 0x70_0000,
        bytes: 0x1_0000,
        defined: Reading::Measured(place_at(0x33)),
    };
    tracker.loaded(PROGRAM, vec![grid]);
    tracker.time(&sample(FIRST, 0, 0x70_0000, 1));
    tracker.time(&sample(FIRST, 0, 0x7f_0000, 1));
    let found = tracker.finish();
    let grid = by_name(&found, "grid");
    assert_eq!((grid.kind, grid.bytes, samples(grid)), (ObjectKind::Global, Bytes(0x1_0000), 1.0));
    let rest: Vec<_> = found.objects.iter().filter(|object| object.kind == ObjectKind::Other).collect();
    assert_eq!(rest.iter().map(|object| samples(object)).sum::<f64>(), 1.0);
    assert!(rest[0].name.measured().is_none() && rest[0].allocated.measured().is_none());
}

#[test]
fn a_child_has_the_memory_of_its_parent_and_another_program_has_none_of_it() {
    let mut tracker = tracker();
    let child = Pid(i32::MAX - 3);
    tracker.memory(&allocated(2000, 0x10_0000, 0x8_0000, 1));
    tracker.forked(child, PROGRAM);
    tracker.time(&TimeSample { process: child, thread: child, ..sample(child, 0, 0x10_0000, 1) });
    tracker.replaced(child, Nanoseconds(6000));
    tracker.time(&TimeSample { process: child, thread: child, ..sample(child, 0, 0x10_0000, 1) });
    let found = tracker.finish();
    assert_eq!(samples(&found.objects[0]), 1.0, "{:?}", found.objects);
}

#[test]
fn a_block_that_stands_for_others_counts_as_many_and_what_lies_there_later_is_likely_one_of_them() {
    let mut tracker = tracker();
    let drawn = |at, address, weight| {
        event(at, MemoryChange::Allocated { address, bytes: 0x8000, stack: Some(1), weight })
    };
    tracker.memory(&drawn(1000, 0x10_0000, 64));
    tracker.time(&sample(FIRST, 0, 0x10_0000, 0));
    tracker.memory(&event(2000, MemoryChange::Freed { address: 0x10_0000 }));
    // Another of the same call, that was not written down.
    tracker.time(&sample(FIRST, 0, 0x10_0000, 0));
    // What is known is not guessed.
    tracker.memory(&allocated(3000, 0x10_4000, 0x8000, 2));
    tracker.time(&sample(FIRST, 0, 0x10_4000, 0));
    let found = tracker.finish();
    let seen: Vec<_> = found
        .objects
        .iter()
        .map(|object| (object.count, object.total.0, object.is_estimate, samples(object)))
        .collect();
    assert_eq!(seen, [(64, 64 * 0x8000, true, 2.0), (1, 0x8000, false, 1.0)]);
    assert_eq!(found.objects[0].bytes.0, 0x8000, "one alone is no estimate of how many there were at a time");
}

#[test]
fn what_is_mapped_goes_piece_by_piece() {
    let mut tracker = tracker();
    let mapped =
        MemoryChange::Mapped { address: 0x10_0000, bytes: 0x4000, stack: None, kind: ObjectKind::Mapped };
    tracker.memory(&event(2000, mapped));
    tracker.memory(&event(3000, MemoryChange::Unmapped { address: 0x10_0000, bytes: 0x1000 }));
    tracker.time(&sample(FIRST, 0, 0x10_0000, 0));
    tracker.time(&sample(FIRST, 0, 0x10_1000, 0));
    tracker.memory(&event(4000, MemoryChange::Unmapped { address: 0, bytes: u64::MAX }));
    let found = tracker.finish();
    let object = &found.objects[0];
    assert_eq!((object.kind, samples(object)), (ObjectKind::Mapped, 1.0));
    assert_eq!(object.ended, Reading::Measured(Nanoseconds(3000)));
    assert_eq!(found.counts.without_stack, 1);
}

#[test]
fn samples_without_code_or_memory_are_counted_and_belong_to_nothing() {
    let mut tracker = tracker();
    let no_code = TimeSample { registers: Registers::new(0x99_0000, [0; 16]), ..sample(FIRST, 0, 0, 0) };
    tracker.time(&no_code);
    let found = tracker.finish();
    assert_eq!((found.counts.time_samples, found.counts.with_memory), (1, 0));
    assert_eq!(found.objects, []);
}

#[test]
fn lines_of_a_page_say_which_thread_uses_them() {
    let mut tracker = tracker();
    tracker.memory(&allocated(2000, 0x10_0000, 4096, 1));
    for _ in 0..3 {
        tracker.time(&sample(FIRST, 0, 0x10_0000, 0));
        tracker.time(&sample(SECOND, 3, 0x10_0000, 8));
    }
    let found = tracker.finish();
    let object = &found.objects[0];
    let seen: Vec<_> = object.lines.iter().map(|of| (of.page, of.line, of.samples)).collect();
    assert_eq!(seen, [(0, 0, 3.0), (0, 1, 3.0)]);
    assert_ne!(object.lines[0].thread, object.lines[1].thread);
    assert!(object.huge_pages.measured().is_none(), "nobody asked, and this is no 0");
}

#[test]
fn small_allocations_count_together_and_by_their_call_stack_until_they_are_freed() {
    let mut tracker = tracker();
    let event = |at, change| MemoryEvent { process: PROGRAM, thread: FIRST, at: Nanoseconds(at), change };
    let drawn = |address, stack| MemoryChange::Drawn { address, weight: 1000, stack };
    tracker.memory(&event(1100, drawn(0x10, Some(1))));
    tracker.memory(&event(1200, drawn(0x20, Some(1))));
    tracker.memory(&event(1300, drawn(0x30, Some(2))));
    tracker.memory(&event(1400, drawn(0x40, None)));
    for address in [0x30, 0x10, 0x50] {
        tracker.memory(&event(1500, MemoryChange::Freed { address }));
    }
    // Freed unseen, and drawn anew.
    tracker.memory(&event(1600, drawn(0x20, Some(2))));
    let all = tracker.finish();
    assert_eq!(all.counts.without_stack, 1);
    let mut found: Vec<(usize, u64, u64, Option<u64>)> = all
        .objects
        .iter()
        .map(|object| {
            let places = object.allocated.measured().map_or(0, Vec::len);
            (places, object.count, object.bytes.0, object.ended.measured().map(|at| at.0))
        })
        .collect();
    found.sort_unstable();
    assert!(all.objects.iter().all(|object| object.kind == ObjectKind::Small));
    assert_eq!(found, [(0, 5, 4000, None), (2, 2, 1000, None), (2, 2, 2000, Some(600))]);
}

#[test]
fn objects_that_one_line_allocates_have_the_names_that_their_callers_give_them() {
    let mut tracker = tracker();
    tracker.memory(&allocated(2000, 0x10_0000, 4096, 1));
    tracker.memory(&allocated(2100, 0x20_0000, 4096, 2));
    let found = tracker.finish();
    let names: Vec<_> = found.objects.iter().filter_map(|object| object.name.measured().cloned()).collect();
    let named_at = |caller: u64| format!("v{:x}", caller - 1);
    assert_eq!(names, CALLERS.map(named_at));
}

/// A load of which the older part of the kernel's word says: from the third cache, modified by another core.
fn load(address: u64, weight: u64) -> LoadSample {
    let data_source = 2 | (2 | 1 << 6) << 5 | 16 << 19;
    LoadSample { process: PROGRAM, ip: MAIN, address, of: SampledLoad { weight, data_source } }
}

#[test]
fn loads_that_the_processor_sampled_belong_to_the_object_at_their_address() {
    let mut tracker = tracker();
    tracker.memory(&allocated(2000, 0x10_0000, 0x8_0000, 1));
    tracker.load(&load(0x10_0040, 120));
    tracker.load(&load(0x10_0080, 80));
    tracker.load(&load(0, 50));
    let store = SampledLoad { weight: 9, data_source: 4 };
    tracker.load(&LoadSample { of: store, ..load(0x10_0040, 0) });
    // Of whole CPUs: another program, and the kernel.
    tracker.load(&LoadSample { process: Pid(4711), ..load(0x10_0040, 1) });
    tracker.load(&LoadSample { ip: 0xffff_ffff_8140_41a3, ..load(0x10_0040, 1) });
    let found = tracker.finish();
    let from = DataSource::L3;
    let loads = [SampledLoads { from, samples: 2, modified: 2, timed: 2, cycles: Cycles(200) }];
    assert_eq!(found.objects[0].loads, loads);
    assert_eq!(samples(&found.objects[0]), 0.0, "they are no samples of its time");
    let counts = found.counts;
    let counted = (counts.load_interrupts, counts.load_samples, counts.loads_without_address);
    assert_eq!(counted, (6, 3, 1));
}
