//! Phases that programs name: regions in C, C++ and Fortran, and MPI_Pcontrol.

use std::collections::BTreeMap;

use numawise_wire::snapshot::reader::SnapshotFile;
use numawise_wire::snapshot::{PhaseKind, ThreadState};

use crate::mpi::{installed, ranks};
use crate::support::Bench;

const INCLUDE: &str = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../../include");
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/watch/programs/phases.f90");

/// A phase: how often, seconds by the clock, useful, in MPI, and idle; whether it was not ended; threads.
#[derive(Debug)]
struct Phase {
    kind: PhaseKind,
    count: u64,
    elapsed: f64,
    useful: f64,
    waiting: f64,
    mpi: f64,
    is_open: bool,
    threads: u32,
    /// From the begin of the process to its end.
    whole: f64,
}

impl Phase {
    /// At least so long, and no longer than the process: a busy machine makes it as long as that.
    fn lasted(&self, expected: f64) -> bool {
        (0.98 * expected..=self.count as f64 * self.whole).contains(&self.elapsed)
    }
}

/// Phases by name; what found no place, and what was unbalanced.
type Phases = (BTreeMap<String, Phase>, [u32; 2]);

fn phases(bytes: &[u8]) -> Phases {
    let file = SnapshotFile::parse(bytes).unwrap();
    let rate = file.nanoseconds_per_tick().unwrap() / 1e9;
    let whole = (file.last().ticks - file.begin().ticks) as f64 * rate;
    let of = |phase: numawise_wire::snapshot::reader::PhaseRecord<'_>| {
        let name = match phase.kind {
            PhaseKind::Control => phase.level.to_string(),
            _ => String::from_utf8_lossy(phase.name).into_owned(),
        };
        let state = |state: ThreadState| phase.ticks[state as usize] as f64 * rate;
        let waiting = state(ThreadState::OmpBarrier) + state(ThreadState::OmpIdle);
        let phase = Phase {
            kind: phase.kind,
            count: phase.count,
            elapsed: phase.elapsed as f64 * rate,
            useful: state(ThreadState::Useful),
            waiting,
            mpi: state(ThreadState::Mpi),
            is_open: phase.open > 0,
            threads: phase.threads,
            whole,
        };
        (name, phase)
    };
    (file.phases(file.last().ticks).map(of).collect(), file.phases_lost())
}

/// Runs a way of `phases.c` both ways; gives what its files have, in the order of the processes.
fn way(bench: &Bench, way: &str) -> Option<Vec<Phases>> {
    let program = bench.compile("gcc", "phases.c", &["-fopenmp", "-pthread", INCLUDE])?;
    let words = [program.to_str().unwrap(), way];
    assert_eq!(bench.with(&words), bench.without(&words), "{way}");
    Some(bench.take_files().iter().map(|file| phases(file)).collect())
}

#[test]
fn regions_have_their_time_with_what_is_in_them() {
    let bench = Bench::new();
    let Some(files) = way(&bench, "nested") else { return };
    let (found, lost) = &files[0];
    let (outer, inner) = (&found["outer"], &found["inner"]);
    assert_eq!((outer.kind, outer.count, inner.count), (PhaseKind::Region, 3, 3));
    assert!(outer.lasted(0.09) && inner.lasted(0.06) && outer.elapsed > inner.elapsed);
    assert!((outer.useful - outer.elapsed).abs() < 1e-4 && outer.threads == 1 && !outer.is_open, "{outer:?}");
    // In itself it is one: 30 places of 50 are there, and what is in them is in the first.
    let recursion = &found["recursion"];
    assert!(recursion.lasted(0.1) && recursion.count == 30, "{recursion:?}");
    assert_eq!(*lost, [20, 0]);
}

#[test]
fn what_is_unbalanced_is_counted_and_harms_nothing() {
    let bench = Bench::new();
    let Some(files) = way(&bench, "unbalanced") else { return };
    let (found, lost) = &files[0];
    assert_eq!(*lost, [0, 3], "an end without a begin, twice, and a begin without an end");
    assert!(found["outer"].lasted(0.01) && found["forgotten"].lasted(0.01), "{found:?}");
    let open = &found["never ended"];
    assert!(open.is_open && open.count == 1 && open.lasted(0.01), "{open:?}");
    assert!(!found["forgotten"].is_open && !found.contains_key("never begun"), "{found:?}");
}

#[test]
fn threads_have_regions_of_their_own() {
    let bench = Bench::new();
    let Some(files) = way(&bench, "threads") else { return };
    let (found, lost) = &files[0];
    let work = &found["work"];
    assert_eq!((work.kind, work.count, work.threads), (PhaseKind::ThreadRegion, 2, 1));
    assert!(work.lasted(0.04) && (work.useful - work.elapsed).abs() < 1e-4, "{work:?}");
    assert_eq!((found["left open"].is_open, lost[1]), (false, 2), "a thread ends what it has begun");
    assert_eq!(found["whole"].kind, PhaseKind::Region);
}

#[test]
fn a_child_of_fork_has_only_what_it_began() {
    let bench = Bench::new();
    let Some(files) = way(&bench, "fork") else { return };
    let mut names: Vec<Vec<&str>> =
        files.iter().map(|(found, _)| found.keys().map(String::as_str).collect()).collect();
    names.sort();
    assert_eq!(names, [["child"], ["parent"]]);
    assert!(files.iter().all(|(_, lost)| *lost == [0, 0]));
}

#[test]
fn a_region_in_which_the_process_was_killed_has_its_time_until_then() {
    let bench = Bench::new();
    let Some(files) = way(&bench, "killed") else { return };
    let (found, _) = &files[0];
    assert!(found["open"].is_open && found["open"].count == 1, "{found:?}");
    assert_eq!((found["ended"].count, found["ended"].is_open), (1, false));
}

#[test]
fn names_without_number_and_end_fill_the_table_and_no_more() {
    let bench = Bench::new();
    let Some(files) = way(&bench, "many") else { return };
    let (found, lost) = &files[0];
    assert_eq!((found.len(), *lost), (64, [37, 0]));
    assert!(found.keys().all(|name| name.len() == 119), "{:?}", found.keys());
}

#[test]
fn a_region_of_the_process_has_the_time_of_its_team() {
    let bench = Bench::new();
    let Some(files) = way(&bench, "team") else { return };
    let (found, lost) = &files[0];
    let solve = &found["solve"];
    assert_eq!((solve.kind, solve.count, solve.threads), (PhaseKind::Region, 4, 2));
    assert!(solve.lasted(0.12) && (0.117..2.0 * solve.whole).contains(&solve.useful), "{solve:?}");
    assert!(solve.waiting > 0.0 && solve.useful + solve.waiting <= 2.0 * solve.elapsed + 1e-6, "{solve:?}");
    let inside = &found["in region"];
    assert_eq!((inside.kind, inside.count), (PhaseKind::ThreadRegion, 8));
    assert!(inside.useful >= 0.078 && *lost == [0, 0], "{inside:?}");
}

#[test]
#[ignore = "timing: what a thread of a team waits and idles in a region"]
fn a_region_of_the_process_has_what_its_team_waits() {
    let bench = Bench::new();
    let Some(files) = way(&bench, "team") else { return };
    let solve = &files[0].0["solve"];
    eprintln!("{solve:?}");
    // The other thread waits for the master's 20 ms and is idle for the 10 ms behind, each time.
    assert!((0.1127..2.3).contains(&solve.waiting), "{solve:?}");
}

#[test]
fn regions_of_cpp_end_with_their_scope_also_by_an_exception() {
    let bench = Bench::new();
    for compiler in ["g++", "clang++"] {
        let Some(program) = bench.compile(compiler, "phases.cpp", &[INCLUDE]) else { continue };
        let words = [program.to_str().unwrap()];
        assert_eq!(bench.with(&words), bench.without(&words));
        let (found, lost) = phases(&bench.take_files()[0]);
        assert_eq!((found["outer"].count, found["inner"].count, lost), (3, 3, [0, 0]));
    }
}

#[test]
fn regions_of_fortran_are_those_of_c() {
    let bench = Bench::new();
    // The compiler needs the module before the program.
    let Some(program) = bench.compile_from("../../include", "gfortran", "numawise.f90", &[PROGRAM]) else {
        return;
    };
    let words = [program.to_str().unwrap()];
    assert_eq!(bench.with(&words), bench.without(&words));
    let (found, lost) = phases(&bench.take_files()[0]);
    assert_eq!((found["solve"].count, found["with blanks"].count, lost), (5, 5, [0, 0]));
}

#[test]
fn programs_of_any_kind_find_the_collector_or_do_without() {
    let bench = Bench::new();
    for (options, files) in [
        (&["-no-pie", "-fno-pie"] as &[&str], 1),
        (&["-static"], 0),
        (&["-std=c99", "-O2", "-fPIE", "-pie"], 1),
    ] {
        let options = [options, &["-fopenmp", "-pthread", INCLUDE]].concat();
        let Some(program) = bench.compile("gcc", "phases.c", &options) else { return };
        let words = [program.to_str().unwrap(), "unbalanced"];
        assert_eq!(bench.with(&words), bench.without(&words), "{options:?}");
        let found = bench.take_files();
        assert_eq!(found.len(), files, "{options:?}");
        assert!(found.iter().all(|file| phases(file).0.contains_key("outer")), "{options:?}");
    }
}

/// The phases of both ranks of `pcontrol.c`.
fn of_levels(bench: &Bench, mpi: &str) -> Option<Vec<Phases>> {
    let program = bench.compile(&format!("mpicc.{mpi}"), "pcontrol.c", &[])?;
    Some(ranks(bench, mpi, &[program.to_str().unwrap()]).iter().map(|file| phases(file)).collect())
}

#[test]
fn levels_of_pcontrol_are_phases() {
    let bench = Bench::new();
    for (mpi, _) in installed("mpicc") {
        let Some(of_ranks) = of_levels(&bench, mpi) else { continue };
        for (rank, (found, lost)) in of_ranks.iter().enumerate() {
            let names: Vec<&str> = found.keys().map(String::as_str).collect();
            assert_eq!(names, ["0", "2", "3", "5"], "{mpi}");
            assert_eq!([2, 3, 0, 5].map(|level| found[&level.to_string()].count), [2, 2, 1, 1]);
            assert!(found.values().all(|phase| phase.kind == PhaseKind::Control && !phase.is_open));
            assert_eq!(*lost, [0, 1], "the end of a phase that was not begun");
            // What each rests for.
            let rests = [0.04, 0.2][rank];
            assert!(found["2"].lasted(rests) && found["3"].lasted(0.06), "{mpi}: {found:?}");
            assert!(
                found["2"].mpi > 0.0 && found["2"].mpi <= found["2"].elapsed - 0.98 * rests,
                "{mpi}: {found:?}"
            );
            assert_eq!(found["3"].mpi, 0.0, "{found:?}");
        }
    }
    for (mpi, _) in installed("mpif90") {
        let Some(program) = bench.compile(&format!("mpif90.{mpi}"), "pcontrol.f90", &[]) else { continue };
        for file in ranks(&bench, mpi, &[program.to_str().unwrap()]) {
            let (found, lost) = phases(&file);
            assert_eq!((found["7"].count, found.len(), lost), (1, 1, [0, 0]), "{mpi}");
        }
    }
}

#[test]
#[ignore = "timing: what a rank waits in a phase for the other"]
fn levels_of_pcontrol_have_what_ranks_wait() {
    let bench = Bench::new();
    for (mpi, _) in installed("mpicc") {
        let Some(of_ranks) = of_levels(&bench, mpi) else { continue };
        let waits = [0, 1].map(|rank| of_ranks[rank].0["2"].mpi);
        let elapsed = [0, 1].map(|rank| of_ranks[rank].0["2"].elapsed);
        eprintln!("{mpi}: ranks are {waits:?} s in MPI of {elapsed:?} s");
        assert!(elapsed.iter().all(|elapsed| (0.196..4.0).contains(elapsed)), "{mpi}: {elapsed:?}");
        assert!(waits[0] > 0.12 && waits[1] < elapsed[1] - 0.19, "{mpi}: {waits:?} of {elapsed:?}");
    }
}
