use numawise_facts::activity::{CallTime, ConstructName, StateTimes, ThreadRole};
use numawise_units::Bytes;
use numawise_wire::snapshot::{Flag, Part, PartName, SUFFIX, ThreadSlot, file_bytes};

use super::*;

/// A recorded file: the blocks of 64 bytes that are not zeros, each behind its number.
pub fn recorded(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/activity").join(name);
    let blocks = std::fs::read(path).unwrap();
    let mut bytes = vec![0; file_bytes(6)];
    for block in blocks.chunks_exact(68) {
        let at = 64 * u32::from_le_bytes(*block.first_chunk().unwrap()) as usize;
        bytes[at..at + 64].copy_from_slice(&block[4..]);
    }
    bytes
}

fn set(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// In the first thread of a recorded file, whose parts lie where they did when it was recorded: its header tells.
fn in_slot(field: usize) -> usize {
    let part = offset_of!(Header, parts) + PartName::Threads as usize * size_of::<Part>();
    let bytes = recorded("mpi-rank");
    u64::from_le_bytes(*bytes[part + offset_of!(Part, offset)..].first_chunk().unwrap()) as usize + field
}

#[test]
fn a_rank_is_read_with_its_calls_peers_and_the_helpers_of_its_mpi() {
    let activity = parse(&recorded("mpi-rank")).unwrap();
    assert_eq!(
        (activity.host.as_str(), activity.end, activity.is_forked),
        ("node1", ProcessEnd::Exit, false)
    );
    let mpi = activity.mpi.measured().unwrap();
    assert_eq!((mpi.library, mpi.has_several), (MpiLibrary::OpenMpi, false));
    assert_eq!(mpi.rank.measured(), Some(&WorldRank { rank: 0, size: 2 }));
    let [began, returned] = *mpi.initialised.measured().unwrap();
    let elapsed = *activity.elapsed.measured().unwrap();
    assert!(began < returned && returned < mpi.finalised.measured().unwrap()[0] && returned < elapsed);
    assert!(activity.openmp.measured().is_none());

    let threads = activity.threads.measured().unwrap();
    assert_eq!(threads.len(), 3);
    let sends: Vec<_> = threads[0].calls.iter().filter(|site| site.call == "MPI_Send").collect();
    let bytes: u64 = sends.iter().map(|site| site.sent.measured().unwrap().0).sum();
    assert_eq!((sends.iter().map(|site| site.calls.count).sum::<u64>(), bytes), (8, 307));
    let at = sends[0].at.measured().unwrap();
    assert_eq!(activity.files[at.file as usize].path, "");
    let world = usize::from(sends[0].communicator.unwrap());
    assert_eq!(activity.communicators[world].name, "MPI_COMM_WORLD");
    assert_eq!(threads[0].lost_calls, CallTime::default());
    assert!(threads[0].peers.iter().any(|peer| peer.rank == 1 && peer.sent > Bytes(300)));
    // Open MPI's threads that wait for the network do not begin the process, and compute little.
    for helper in &threads[1..] {
        let file = helper.start.measured().unwrap().file;
        assert!(activity.files[file as usize].path.contains("/lib"), "{:?}", activity.files);
        assert_eq!(helper.role.measured(), Some(&ThreadRole::Helper));
        assert!(helper.processor.measured().unwrap() < &Nanoseconds(50_000_000));
    }
}

#[test]
fn times_of_states_are_the_life_of_a_thread() {
    for name in ["mpi-rank", "openmp", "threads"] {
        let activity = parse(&recorded(name)).unwrap();
        for thread in activity.threads.measured().unwrap() {
            let end = thread.end.measured().or(activity.elapsed.measured()).unwrap();
            let life = end.0 - thread.begin.0;
            let total = thread.times.measured().unwrap().total();
            assert!(total.0.abs_diff(life) < 1_000_000, "{name}: {total} of {life} ns");
        }
    }
}

#[test]
fn constructs_are_read_with_their_names() {
    let activity = parse(&recorded("openmp")).unwrap();
    let runtimes = activity.openmp.measured().unwrap();
    assert!(runtimes.libgomp && !runtimes.ompt && !runtimes.has_other_tool);
    assert_eq!(activity.mpi.reason().unwrap().0, "no call of MPI was seen");
    let threads = activity.threads.measured().unwrap();
    let constructs = || threads.iter().flat_map(|thread| &thread.constructs);
    let regions = constructs().filter(|construct| construct.name == ConstructName::Parallel);
    assert_eq!(regions.map(|region| region.opened).sum::<u64>(), 9);
    assert_eq!(constructs().map(|construct| construct.chunks.iterations).sum::<u64>(), 1000);
    assert!(constructs().any(|construct| construct.chunks.size == 3));
    assert_eq!(threads[0].role.measured(), Some(&ThreadRole::Worker));
    assert!(threads[1..].iter().all(|thread| thread.role.measured() == Some(&ThreadRole::OpenMp)));
    let team = constructs().find_map(|construct| construct.team.measured()).unwrap();
    assert!(team.least >= 1 && team.least <= team.most);
}

#[test]
fn what_is_not_known_says_why() {
    // The process became another program at once.
    let exec = parse(&recorded("exec")).unwrap();
    assert_eq!(exec.end, ProcessEnd::NotTold);
    assert!(exec.threads.reason().unwrap().0.contains("how long a tick"));
    assert!(exec.elapsed.measured().is_none());
    let living = parse(&recorded("threads")).unwrap();
    let threads = living.threads.measured().unwrap();
    assert!(threads[1].end.measured().is_none() && threads[1].switches.measured().is_none());
    assert!(threads[1].processor.measured().unwrap() >= &Nanoseconds(200_000_000));
    assert_eq!(threads[1].role.measured(), Some(&ThreadRole::Worker));
    assert_eq!(threads[0].start.reason().unwrap().0, "it began the process");
    // The same thread in a process that was killed.
    let mut killed = recorded("threads");
    set(&mut killed, offset_of!(Header, flags), &[0; 4]);
    let second = in_slot(size_of::<ThreadSlot>() + offset_of!(ThreadSlot, processor_nanoseconds));
    set(&mut killed, second, &[0; 8]);
    let killed = parse(&killed).unwrap();
    assert_eq!(killed.end, ProcessEnd::NotTold);
    assert!(killed.threads.measured().unwrap()[1].processor.measured().is_none());
}

#[test]
fn surroundings_are_those_that_were_noted() {
    // The recorded processes did not note theirs.
    let mut bytes = recorded("mpi-rank");
    let before = parse(&bytes).unwrap();
    assert!(before.surroundings.peak_memory.reason().unwrap().0.contains("did not come to its end"));
    assert!(before.surroundings.switches.measured().is_none());
    let first = &before.threads.measured().unwrap()[0];
    assert!(first.mask.measured().is_none() && first.run_delay.measured().is_none());
    let number = |number: u64| number.to_ne_bytes();
    for (at, value) in [
        (offset_of!(Header, peak_memory), 4096),
        (offset_of!(Header, swapped), 1),
        (offset_of!(Header, switches), 8),
        (offset_of!(Header, switches) + 8, 3),
        (in_slot(offset_of!(ThreadSlot, run_delay)), 501),
        (in_slot(offset_of!(ThreadSlot, mask_words)), 2),
        (in_slot(offset_of!(ThreadSlot, mask)), 0b101),
        (in_slot(offset_of!(ThreadSlot, mask)) + 8, 1),
        // Beyond the words that the kernel gave.
        (in_slot(offset_of!(ThreadSlot, mask)) + 16, 1),
    ] {
        set(&mut bytes, at, &number(value));
    }
    let noted = parse(&bytes).unwrap();
    assert_eq!(noted.surroundings.peak_memory.measured(), Some(&Bytes(4096)));
    assert_eq!(noted.surroundings.swapped.measured(), Some(&Bytes(0)));
    assert_eq!(noted.surroundings.switches.measured(), Some(&ThreadSwitches { voluntary: 7, forced: 2 }));
    let first = &noted.threads.measured().unwrap()[0];
    assert_eq!(first.run_delay.measured(), Some(&Nanoseconds(500)));
    assert_eq!(first.mask.measured(), Some(&"0,2,64".parse().unwrap()));
    // A mask of more words than there are is cut.
    set(&mut bytes, in_slot(offset_of!(ThreadSlot, mask_words)), &[0xff; 4]);
    assert!(parse(&bytes).unwrap().threads.measured().unwrap()[0].mask.measured().is_some());
}

#[test]
fn bytes_of_an_unknown_mpi_are_not_zero() {
    let mut bytes = recorded("mpi-rank");
    set(&mut bytes, offset_of!(Header, mpi), &(MpiKind::Unknown as u32).to_ne_bytes());
    let activity = parse(&bytes).unwrap();
    let calls = &activity.threads.measured().unwrap()[0].calls;
    assert!(calls.iter().all(|site| site.sent.measured().is_none() && site.calls.count > 0));
}

#[test]
fn what_a_thread_computed_before_a_sandbox_is_not_what_it_computed() {
    let mut bytes = recorded("mpi-rank");
    let processor = |bytes: &[u8]| parse(bytes).unwrap().threads.measured().unwrap()[0].processor.clone();
    assert!(processor(&bytes).measured().is_some());
    let flags = u32::from_ne_bytes(bytes[offset_of!(Header, flags)..][..4].try_into().unwrap());
    set(&mut bytes, offset_of!(Header, flags), &(flags | Flag::Sandbox as u32).to_ne_bytes());
    assert!(parse(&bytes).unwrap().is_sandboxed);
    assert!(processor(&bytes).reason().is_some_and(|reason| reason.0.contains("sandbox")));
}

#[test]
fn what_contradicts_itself_is_refused() {
    let broken = |name: &str, at: usize, value: &[u8]| {
        let mut bytes = recorded(name);
        set(&mut bytes, at, value);
        parse(&bytes).unwrap_err().to_string()
    };
    for (at, value, expected) in [
        (0, &[0u8; 8] as &[u8], "it was not begun"),
        (0, &[1; 8], "expected the number of a file"),
        (offset_of!(Header, version), &[9], "version 9, expected 1"),
        (offset_of!(Header, rank), &[2], "the rank in MPI_COMM_WORLD is 2, expected at most 1"),
        (offset_of!(Header, mpi), &[9], "the number of the MPI is 9"),
        (offset_of!(Header, clock), &[9], "the number of the clock is 9"),
        (offset_of!(Header, last_nanoseconds), &[0xff; 8], "ticks of its clock took"),
        (offset_of!(Header, process), &[0xff; 4], "the number of the process is 4294967295"),
        (in_slot(offset_of!(ThreadSlot, state)), &[77], "its state is 77, expected at most 5"),
        (in_slot(offset_of!(ThreadSlot, begin)), &[0xff; 8], "its begin is"),
        (in_slot(offset_of!(ThreadSlot, cpus)), &[0xff, 0xff, 1], "the number of a CPU is 131070"),
    ] {
        let error = broken("mpi-rank", at, value);
        assert!(error.contains(expected), "{error}");
    }
    let short = recorded("mpi-rank");
    assert!(parse(&short[..5000]).unwrap_err().to_string().contains("5000 bytes, expected at least"));
    // Times alone may be those of a thread that was writing them.
    let mut torn = recorded("mpi-rank");
    set(&mut torn, in_slot(offset_of!(ThreadSlot, ticks)), &[0xff; 7]);
    let torn = parse(&torn).unwrap();
    let times: &Reading<StateTimes> = &torn.threads.measured().unwrap()[0].times;
    assert!(times.reason().unwrap().0.contains("add up to"), "{times:?}");
    assert!(recorded("mpi-rank")[offset_of!(Header, flags)] & Flag::Ended as u8 != 0);
}

#[test]
fn a_folder_is_read_file_by_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(format!("2-1{SUFFIX}")), recorded("openmp")).unwrap();
    std::fs::write(folder.path().join(format!("1-1{SUFFIX}")), b"\x1b[2Jwhat").unwrap();
    std::fs::write(folder.path().join("notes.txt"), "of the user").unwrap();
    std::fs::create_dir(folder.path().join(format!("3-1{SUFFIX}"))).unwrap();
    let seen = SeenFromOutside::default();
    let all = read_folder(folder.path(), &seen).unwrap();
    assert_eq!(all.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true, false]);
    let error = all[0].as_ref().unwrap_err().to_string();
    assert!(error.contains("1-1.part: it has 8 bytes, expected at least 4096"), "{error}");
    assert!(read_folder(&folder.path().join("missing"), &seen).is_err());
}

/// The recorded process that left one moment, 3 s before this one, with a counter of two ticks a nanosecond.
fn of_one_moment() -> (Vec<u8>, Pid, SeenFromOutside) {
    let mut bytes = recorded("exec");
    set(&mut bytes, offset_of!(Header, clock), &1u32.to_ne_bytes());
    let file = SnapshotFile::parse(&bytes).unwrap();
    let (begin, pid) = (file.begin(), Pid(file.process().cast_signed()));
    assert_eq!(begin, file.last());
    let now = ClockPair {
        ticks: begin.ticks + 6_000_000_000,
        nanoseconds: Nanoseconds(begin.nanoseconds + 3_000_000_000),
    };
    (bytes, pid, SeenFromOutside { now: Some(now), ..SeenFromOutside::default() })
}

#[test]
fn a_process_that_was_killed_has_its_time_until_it_was_seen_last() {
    let (bytes, pid, mut seen) = of_one_moment();
    // Nobody saw it: then it may have lived for any time.
    assert!(
        parse_seen(&bytes, None, &seen)
            .unwrap()
            .elapsed
            .reason()
            .unwrap()
            .0
            .contains("not seen while it ran")
    );
    let begin = seen.now.unwrap().nanoseconds.0 - 3_000_000_000;
    seen.alive.insert(pid, Nanoseconds(begin + 2_000_000_000));
    let activity = parse_seen(&bytes, None, &seen).unwrap();
    assert_eq!(activity.elapsed.measured(), Some(&Nanoseconds(2_000_000_000)));
    let thread = &activity.threads.measured().unwrap()[0];
    let useful = thread.times.measured().unwrap().useful;
    assert!(useful.0.abs_diff(2_000_000_000) < 10_000_000, "{useful}");
    // A counter that was set anew says nothing.
    seen.now.as_mut().unwrap().ticks = 5;
    assert!(parse_seen(&bytes, None, &seen).unwrap().elapsed.measured().is_none());
}

#[test]
fn who_told_of_its_end_did_not_live_longer() {
    let bytes = recorded("mpi-rank");
    let before = parse(&bytes).unwrap();
    let file = SnapshotFile::parse(&bytes).unwrap();
    let later = Nanoseconds(file.last().nanoseconds + 60_000_000_000);
    let mut seen = SeenFromOutside::default();
    seen.alive.insert(before.pid, later);
    assert_eq!(parse_seen(&bytes, None, &seen).unwrap(), before);
    let mut killed = bytes.clone();
    set(&mut killed, offset_of!(Header, flags), &(Flag::MpiInitialised as u32).to_ne_bytes());
    let elapsed = *parse_seen(&killed, None, &seen).unwrap().elapsed.measured().unwrap();
    assert!(elapsed > *before.elapsed.measured().unwrap() + Nanoseconds(50_000_000_000), "{elapsed}");
}

#[test]
fn what_became_another_program_lived_until_that_began() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, pid, mut seen) = of_one_moment();
    let begin = SnapshotFile::parse(&bytes).unwrap().begin().nanoseconds;
    let next = begin + 40_000_000;
    for begin in [begin, next] {
        let mut bytes = bytes.clone();
        // The clock is read for the file's name first.
        let noted = begin + 30_000;
        set(&mut bytes, offset_of!(Header, begin_nanoseconds), &noted.to_ne_bytes());
        set(&mut bytes, offset_of!(Header, last_nanoseconds), &noted.to_ne_bytes());
        std::fs::write(folder.path().join(format!("{}-{begin}{SUFFIX}", pid.0)), bytes).unwrap();
    }
    seen.alive.insert(pid, Nanoseconds(begin + 1_000_000_000));
    let all = read_folder(folder.path(), &seen).unwrap();
    for (one, expected) in all.iter().zip([40_000_000u64, 960_000_000]) {
        let elapsed = one.as_ref().unwrap().elapsed.measured().unwrap().0;
        assert!(elapsed.abs_diff(expected) < 31_000, "{elapsed}, expected {expected}");
    }
}

#[test]
fn a_trace_that_was_not_begun_costs_its_process_nothing() {
    const HEADER: usize = numawise_wire::trace::HEADER_BYTES;
    let snapshot = recorded("mpi-rank");
    let whole = parse(&snapshot).unwrap();
    for trace in [&[][..], &[0; 100], &[0; HEADER]] {
        assert_eq!(parse_with_trace(&snapshot, Some(trace)).unwrap(), whole);
    }
    let other = parse_with_trace(&snapshot, Some(&[1; HEADER]));
    assert!(matches!(other, Err(ActivityProblem::OtherFile { .. })), "{other:?}");
}
