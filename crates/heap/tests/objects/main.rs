//! The library preloaded into real programs: what they print and how they end is the same as without it, and what it wrote down is what
//! they allocated. A test that cannot run here says SKIPPED with its reason.

#[path = "../../../collector/tests/support/library.rs"]
mod library;
mod python;
mod rules;
mod sandbox;
mod support;

use std::collections::HashSet;

use numawise_facts::objects::ObjectKind;
use numawise_observe::objects::input::MemoryChange;

use library::heap_library;
use support::{Bench, Entry, Written, noted};

const NONE: [(&str, &str); 0] = [];
/// What is written down, whatever it costs.
const ALL: [(&str, &str); 1] = [("NUMAWISE_OBJECTS_ALL", "1")];

/// All that a program noted was written down, and freed after.
fn all_noted(written: &Written, errors: &str) -> usize {
    let noted = noted(errors);
    for (form, address, bytes) in &noted {
        let Some(at) = written.find(*address, *bytes) else {
            panic!("{form} of {bytes} at {address:x}: not written")
        };
        let gone = written.entries[at..].iter().any(|entry| match entry {
            Entry::Memory { change: MemoryChange::Freed { address: at }, .. }
            | Entry::Memory { change: MemoryChange::Unmapped { address: at, .. }, .. } => at == address,
            _ => false,
        });
        assert!(gone, "{form} of {bytes} at {address:x}: not freed");
    }
    noted.len()
}

#[test]
fn all_forms_of_c_are_written_down_with_their_bytes_and_freed() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let (written, errors) = bench.with(&[program.to_str().unwrap(), "forms"], &NONE);
    assert_eq!(all_noted(&written, &errors), 13);
    let kinds: Vec<(ObjectKind, u64)> = written
        .changes()
        .filter_map(|change| match change {
            MemoryChange::Mapped { kind, bytes, .. } => Some((*kind, *bytes)),
            _ => None,
        })
        .collect();
    for expected in
        [(ObjectKind::Mapped, 200_704), (ObjectKind::Shared, 204_800), (ObjectKind::Shared, 126_976)]
    {
        assert!(kinds.contains(&expected), "{expected:?} in {kinds:?}");
    }
    let detached = MemoryChange::Unmapped {
        address: noted(&errors).iter().find(|(form, ..)| form == "shmat").unwrap().1,
        bytes: 126_976,
    };
    assert!(written.changes().any(|change| *change == detached));
    assert_eq!((written.counts.dropped, written.counts.without_stack), (0, 0));
}

#[test]
fn tens_of_thousands_of_call_stacks_are_known_as_soon_as_there_is_place_for_their_copies() {
    const STACKS: usize = 20_000;
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "many.c", &[]) else { return };
    let written = bench.with_turns(&[program.to_str().unwrap()]);
    let of = |change: &MemoryChange| match change {
        MemoryChange::Allocated { bytes: 32768, stack, .. } => Some(*stack),
        _ => None,
    };
    let stacks: Vec<Option<u32>> = written.changes().filter_map(of).collect();
    assert_eq!(stacks.len(), 2 * STACKS);
    let distinct: HashSet<u32> = stacks[STACKS..].iter().flatten().copied().collect();
    assert_eq!(distinct.len(), STACKS, "{} have none", written.counts.without_stack);
    let copied = written.entries.iter().filter(|entry| matches!(entry, Entry::Stack { .. }));
    assert!(copied.count() >= STACKS);
    // What an allocation had at first it has later.
    let agree = |(first, later): (&Option<u32>, &Option<u32>)| first.is_none() || first == later;
    assert!(stacks[..STACKS].iter().zip(&stacks[STACKS..]).all(agree));
}

#[test]
fn the_copy_of_a_stack_begins_where_the_caller_goes_on() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let (written, errors) = bench.with(&[program.to_str().unwrap(), "forms"], &NONE);
    let line = errors.lines().find_map(|line| line.strip_prefix("frame ")).unwrap();
    let numbers: Vec<u64> =
        line.split(' ').map(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap()).collect();
    let [function, frame, caller, block] = numbers[..] else { panic!("{line}") };
    let at = written.find(block, 123_456).unwrap();
    let Entry::Memory { change: MemoryChange::Allocated { stack: Some(stack), .. }, .. } =
        written.entries[at]
    else {
        panic!("{:?}", written.entries[at])
    };
    let of = |entry: &Entry| match entry {
        Entry::Stack { number, ip, sp, bp, bytes, .. } if *number == stack => {
            Some((*ip, *sp, *bp, bytes.clone()))
        }
        _ => None,
    };
    let (ip, sp, bp, bytes) = written.entries[..at].iter().find_map(of).expect("before the event");
    assert!((function..function + 200).contains(&ip), "{ip:x} in the function at {function:x}");
    assert_eq!(bp, frame);
    assert!(sp <= frame && frame - sp < 256, "{sp:x} {frame:x}");
    let offset = (frame + 8 - sp) as usize;
    assert_eq!(u64::from_ne_bytes(bytes[offset..offset + 8].try_into().unwrap()), caller);
    assert!(bytes.len() > 1024, "{}", bytes.len());
}

#[test]
fn operators_of_cpp_are_written_down_once_and_throw_through_us() {
    let bench = Bench::new();
    for options in [&[] as &[&str], &["-ljemalloc"], &["-ltcmalloc_minimal"]] {
        let Some(program) = bench.compile("g++", "ways.cpp", options) else { continue };
        let (written, errors) = bench.with(&[program.to_str().unwrap()], &NONE);
        assert_eq!(all_noted(&written, &errors), 6, "{options:?}");
        let noted = noted(&errors);
        for (form, address, bytes) in &noted {
            let again = noted.iter().filter(|other| (&other.1, &other.2) == (address, bytes)).count();
            let same = |change: &&MemoryChange| matches!(change, MemoryChange::Allocated { address: at, bytes: of, .. } if (at, of) == (address, bytes));
            assert_eq!(written.changes().filter(same).count(), again, "{form} {options:?}");
        }
        // A vector that grows to 800 kB, by doubling.
        let large = |change: &&MemoryChange| matches!(change, MemoryChange::Allocated { bytes, .. } if bytes.is_power_of_two() && *bytes >= 16_384);
        assert_eq!(written.changes().filter(large).count(), 7, "{options:?}");
    }
}

#[test]
fn allocators_of_others_are_seen_in_all_forms_of_c() {
    let bench = Bench::new();
    // jemalloc has no pvalloc, and cannot free what glibc's gives.
    let others = [
        (&["-pthread", "-ljemalloc", "-DNO_PVALLOC"] as &[&str], 12, ["chain", "fork"]),
        (&["-pthread", "-ltcmalloc_minimal"], 13, ["threads", "small"]),
    ];
    for (options, forms, ways) in others {
        let Some(program) = bench.compile("gcc", "ways.c", options) else { continue };
        let (written, errors) = bench.with(&[program.to_str().unwrap(), "forms"], &NONE);
        assert_eq!(all_noted(&written, &errors), forms, "{options:?}");
        for way in ways {
            bench.with(&[program.to_str().unwrap(), way], &NONE);
        }
    }
}

#[test]
fn an_allocator_that_is_linked_in_works_as_without_it() {
    let bench = Bench::new();
    let Some(program) =
        bench.compile("gcc", "ways.c", &["-pthread", "-DNO_PVALLOC", "-l:libjemalloc.a", "-lm"])
    else {
        return;
    };
    for way in ["forms", "threads", "fork", "signals", "spins"] {
        let (written, _) =
            bench.with(&[program.to_str().unwrap(), way], &[("NUMAWISE_OBJECTS_TIMER", "250")]);
        assert!(written.counts.processes >= 1, "{way}");
        assert!(!written.changes().any(|change| matches!(change, MemoryChange::Allocated { .. })), "{way}");
    }
}

#[test]
fn a_library_that_is_loaded_for_itself_finds_its_own_operators() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let Some(library) = bench.compile("g++", "plugin.cpp", &["-shared", "-fPIC"]) else { return };
    let words = [program.to_str().unwrap(), "plugin", library.to_str().unwrap()];
    let (written, errors) = bench.with(&words, &NONE);
    assert_eq!(all_noted(&written, &errors), 1);
}

#[test]
fn arrays_of_fortran_are_written_down() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gfortran", "ways.f90", &[]) else { return };
    let (written, _) = bench.with(&[program.to_str().unwrap()], &NONE);
    let of = |wanted: u64| {
        written
            .changes()
            .filter(|change| matches!(change, MemoryChange::Allocated { bytes, .. } if *bytes == wanted))
            .count()
    };
    assert_eq!(of(800_000), 2);
    assert!(of(524_288) >= 1);
}

#[test]
fn programs_run_as_without_it() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let program = program.to_str().unwrap();
    for way in ["signals", "chain", "refused", "threads"] {
        let (written, _) = bench.with(&[program, way, "5"], &NONE);
        assert_eq!((written.counts.processes, written.counts.dropped), (1, 0), "{way}");
    }
    for words in [
        &["true"] as &[&str],
        &["sh", "-c", "echo a; (exit 3); echo $? | cat; exec sh -c 'exit 4'"],
        &["sh", "-c", "kill -9 $$"],
        &[
            "python3",
            "-c",
            "import ctypes, subprocess; print(subprocess.run(['true']).returncode, len(bytearray(10**6)))",
        ],
    ] {
        bench.with(words, &[("NUMAWISE_OBJECTS_TIMER", "1000")]);
    }
}

#[test]
fn every_thread_of_a_thousand_is_seen() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let (written, _) = bench.with(&[program.to_str().unwrap(), "threads"], &NONE);
    let allocated: std::collections::HashSet<(i32, u64)> = written
        .entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Memory { thread, change: MemoryChange::Allocated { bytes, .. }, .. } => {
                Some((thread.0, *bytes))
            }
            _ => None,
        })
        .collect();
    let expected = (0..1000).filter(|k| allocated.iter().any(|(_, bytes)| *bytes == 65_536 + k)).count();
    assert_eq!(expected, 1000);
    let freed = written.changes().filter(|change| matches!(change, MemoryChange::Freed { .. })).count();
    assert!(freed >= 1000, "{freed}");
}

#[test]
fn a_child_of_fork_has_a_file_of_its_own_and_one_of_vfork_its_parents_until_it_runs_another_program() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let (written, errors) = bench.with(&[program.to_str().unwrap(), "fork"], &NONE);
    let begins: Vec<_> = written
        .entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Begins { process, parent, forked } => Some((*process, *parent, *forked)),
            _ => None,
        })
        .collect();
    let [(first, _, false), (child, parent, true), (_, _, false)] = begins[..] else { panic!("{begins:?}") };
    assert_eq!(parent, first);
    let of = |name: &str| {
        let (_, address, bytes) = noted(&errors).into_iter().find(|(form, ..)| form == name).unwrap();
        let Entry::Memory { process, .. } = written.entries[written.find(address, bytes).unwrap()] else {
            panic!()
        };
        (process, address)
    };
    assert_eq!((of("inherited").0, of("child").0, of("parent").0), (first, child, first));
    // Freed in both.
    let freed = |process, address| {
        written.entries.iter().any(|entry| {
            matches!(entry, Entry::Memory { process: of, change: MemoryChange::Freed { address: at }, .. }
                if (*of, *at) == (process, address))
        })
    };
    let inherited = of("inherited").1;
    assert!(freed(first, inherited) && freed(child, inherited));
}

#[test]
fn a_child_has_one_file_where_another_handler_of_fork_maps_first() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let (written, _) = bench.with(&[program.to_str().unwrap(), "handler"], &NONE);
    assert_eq!(written.counts.processes, 2);
    let mapped = |change: &&MemoryChange| matches!(change, MemoryChange::Mapped { bytes: 303_104, .. });
    assert_eq!(written.changes().filter(mapped).count(), 1);
}

/// As many as there is place for, whether somebody reads or not; and of more it is known how many there were.
#[test]
fn allocations_are_kept_or_counted_however_fast_they_come() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    for (count, may_drop) in [(200_000, false), (600_000, true)] {
        let (written, _) = bench.with(&[program.to_str().unwrap(), "fast", "0", &count.to_string()], &ALL);
        let of = |is: fn(&MemoryChange) -> bool| written.changes().filter(|change| is(change)).count() as u64;
        let allocated = of(|change| matches!(change, MemoryChange::Allocated { .. }));
        let freed = of(|change| matches!(change, MemoryChange::Freed { .. }));
        let dropped = written.counts.dropped;
        assert!(dropped == 0 || may_drop, "{dropped} of {count}");
        // The C library's own are few.
        assert!(
            (2 * count..2 * count + 1000).contains(&(allocated + freed + dropped)),
            "{allocated} {freed} {dropped}"
        );
        assert!(may_drop || (allocated >= count && freed >= count), "{allocated} {freed}");
    }
}

#[test]
fn allocations_of_a_place_that_are_too_many_are_written_down_in_part_and_the_others_counted() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let (written, _) = bench.with(&[program.to_str().unwrap(), "fast", "0", "600000"], &NONE);
    let weight = |change: &MemoryChange| match change {
        MemoryChange::Allocated { weight, .. } => Some(*weight),
        _ => None,
    };
    let weights: Vec<u32> = written.changes().filter_map(weight).collect();
    let counts = written.counts;
    // The C library's own are few.
    let all = weights.len() as u64 + counts.passed + counts.dropped;
    assert!((600_000..601_000).contains(&all), "{} {counts:?}", weights.len());
    assert!(weights.iter().all(|weight| weight.is_power_of_two()));
    let some_stand_for_others = weights.iter().any(|weight| *weight > 1);
    assert_eq!(counts.passed > 0, some_stand_for_others, "{counts:?}");
    if counts.passed == 0 {
        eprintln!("SKIPPED: on this machine an allocation takes as long as fifty that are written down");
    }
    let freed = written.changes().filter(|change| matches!(change, MemoryChange::Freed { .. })).count();
    // Frees of others are written down too where an address is of the class of a block that has no place of its own.
    assert!(freed + 1000 > weights.len(), "{freed} frees of {}", weights.len());
}

#[test]
#[ignore = "timing: how many allocations a second a reader keeps up with"]
fn ten_million_allocations_a_minute_are_kept_up_with() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let (written, _) = bench.with(&[program.to_str().unwrap(), "many"], &NONE);
    let written_down =
        written.changes().filter(|change| matches!(change, MemoryChange::Allocated { .. })).count() as u64;
    // Of very many of one place, some are only counted.
    let allocated = written_down + written.counts.passed;
    eprintln!("{allocated} allocations in 3 s, {} events were dropped", written.counts.dropped);
    assert_eq!(written.counts.dropped, 0);
    assert!(allocated >= 500_000, "{allocated}");
}

#[test]
fn small_allocations_are_drawn_by_their_bytes_and_their_frees_are_seen() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let (written, _) = bench.with(&[program.to_str().unwrap(), "small"], &NONE);
    let mut live = std::collections::HashMap::new();
    let (mut all, mut freed) = (0, 0);
    for change in written.changes() {
        match change {
            MemoryChange::Drawn { address, weight, stack } => {
                assert!(stack.is_some());
                all += weight;
                live.insert(*address, *weight);
            }
            MemoryChange::Freed { address } => freed += live.remove(address).unwrap_or(0),
            _ => {}
        }
    }
    // 200,000 blocks of 1,000 bytes, which are freed, and as many of 100: 220 MB by 420 that are drawn, so 5 % by chance; six times that.
    let within = |found: u64, expected: f64| (found as f64 / expected - 1.0).abs() < 0.3;
    assert!(within(all, 220e6) && within(freed, 200e6), "{all} {freed}");
    let (none, _) = bench.with(&[program.to_str().unwrap(), "small"], &[("NUMAWISE_OBJECTS_DRAWN", "0")]);
    assert!(!none.changes().any(|change| matches!(change, MemoryChange::Drawn { .. })));
}

#[test]
fn samples_have_a_stack_and_interrupt_no_call_that_waits() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let program = program.to_str().unwrap();
    let timer = [("NUMAWISE_OBJECTS_TIMER", "250")];
    let (written, _) = bench.with(&[program, "spins"], &timer);
    for entry in &written.entries {
        if let Entry::Sample { bytes, ip, .. } = entry {
            assert!(*bytes > 0 && *ip > 0);
        }
    }
    // A tenth of a second of CPU time is many ticks, whoever has the CPU meanwhile.
    assert!(written.samples.samples > 0, "{:?}", written.samples);
    assert_eq!((written.samples.lost, written.samples.timed, written.samples.not_timed), (0, 1, 0));
    // What it prints, how often it was interrupted, is as without samples.
    let (written, _) = bench.with(&[program, "waits", "0", "60"], &timer);
    assert_eq!((written.samples.timed, written.samples.not_timed), (1, 0));
}

#[test]
#[ignore = "timing: samples of a thread in half a second of its CPU time"]
fn threads_are_sampled_by_their_processor_time() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let program = program.to_str().unwrap();
    let timer = [("NUMAWISE_OBJECTS_TIMER", "250")];
    let (written, _) = bench.with(&[program, "timed"], &timer);
    let mut by_thread = std::collections::HashMap::new();
    for entry in &written.entries {
        if let Entry::Sample { thread, .. } = entry {
            *by_thread.entry(thread).or_insert(0) += 1;
        }
    }
    // Half a second each; where the kernel's tick is as coarse as the period, every second one is late and two become one.
    let counts: Vec<i32> = by_thread.into_values().collect();
    eprintln!("samples of two threads: {counts:?}");
    assert!(counts.len() == 2 && counts.iter().all(|count| (40..=135).contains(count)), "{counts:?}");
    let (written, _) = bench.with(&[program, "waits", "0", "200"], &timer);
    assert!(written.samples.samples > 50, "{:?}", written.samples);
}

#[test]
fn a_program_that_takes_the_signal_gets_none_of_ours() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let timer = [("NUMAWISE_OBJECTS_TIMER", "1000")];
    let (written, _) = bench.with(&[program.to_str().unwrap(), "takes"], &timer);
    assert_eq!(written.samples.timed, 1);
    assert!(written.samples.samples < 10, "{:?}", written.samples);
}

#[test]
fn nothing_is_done_where_nobody_asks_and_where_the_folder_is_none() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    let program = program.to_str().unwrap();
    let long = format!("/{}", "x".repeat(5000));
    for folder in ["", "relative", "/missing/folder", &long] {
        let (written, _) = bench.with(&[program, "forms", "3"], &[("NUMAWISE_OBJECTS", folder)]);
        assert_eq!(written.counts.processes, 0, "{folder}");
    }
}

#[test]
fn limits_of_the_process_are_kept() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread"]) else { return };
    for (limit, processes) in
        [("ulimit -f 1000", 0), ("ulimit -v 300000", 0), ("ulimit -l 64", 1), ("ulimit -n 3", 0)]
    {
        let script = format!("{limit}; exec {} chain 3", program.display());
        let (written, _) = bench.with(&["sh", "-c", &script], &NONE);
        // The shell itself is one before it has the limit.
        assert_eq!(written.counts.processes, 1 + processes, "{limit}");
    }
}

#[test]
fn a_static_program_runs() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "ways.c", &["-pthread", "-static"]) else { return };
    let (written, _) = bench.with(&[program.to_str().unwrap(), "chain"], &NONE);
    assert_eq!(written.counts.processes, 0);
}

#[test]
fn the_library_calls_nothing_that_panics_or_allocates() {
    let output =
        std::process::Command::new("nm").args(["-D", "--undefined-only"]).arg(heap_library()).output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: no nm");
        return;
    };
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    for refused in ["abort", "_Unwind_Resume", "printf", "__register_atfork", "malloc", "mmap", "munmap"] {
        let is = |word: &str| word.split('@').next() == Some(refused);
        assert!(!names.split_whitespace().any(is), "{refused} in\n{names}");
    }
}
