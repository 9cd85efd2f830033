//! Programs of two ranks, with each MPI that is installed: the same with the collector, and counted rightly.

use std::collections::BTreeMap;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::Command;

use numawise_wire::snapshot::reader::{SiteRecord, SnapshotFile, ThreadRecord};
use numawise_wire::snapshot::{Flag, Header, MpiKind, SOURCES, ThreadState};

use crate::library::library;
use crate::support::{Bench, Ended};

const MPIS: [(&str, MpiKind); 2] = [("openmpi", MpiKind::OpenMpi), ("mpich", MpiKind::Mpich)];

/// What is known of a call in a rank: how often, bytes sent and received.
type Counts = BTreeMap<String, (u64, u64, u64)>;

/// Each MPI with a compiler of its own and a launcher; says which are missing.
pub fn installed(compiler: &str) -> Vec<(&'static str, MpiKind)> {
    let has = |name: &str| Command::new(name).arg("--version").output().is_ok();
    MPIS.into_iter()
        .filter(|(mpi, _)| {
            let found = has(&format!("{compiler}.{mpi}")) && has(&format!("mpirun.{mpi}"));
            if !found {
                eprintln!("SKIPPED: no {compiler}.{mpi}, or no mpirun.{mpi}");
            }
            found
        })
        .collect()
}

/// What is in an environment of Python that the tests have from PyPI; `None`, having said so, where it cannot be had.
pub fn environment(name: &str) -> Option<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/environment");
    let made = Command::new(script).arg(name).output().unwrap();
    if !made.status.success() {
        eprintln!("SKIPPED: no environment {name}: {}", String::from_utf8_lossy(&made.stderr));
        return None;
    }
    Some(Path::new(String::from_utf8(made.stdout).unwrap().trim()).join("bin"))
}

/// Compilers for C with the launchers of their MPIs: those of Debian, and those that PyPI has today.
pub fn compilers() -> Vec<(String, String, MpiKind)> {
    const OF_TODAY: [(&str, &str, MpiKind); 3] = [
        ("open-mpi", "mpicc", MpiKind::OpenMpi),
        ("mpich", "mpicc", MpiKind::Mpich),
        ("mpich", "mpicc_abi", MpiKind::Standard),
    ];
    let of_debian = installed("mpicc")
        .into_iter()
        .map(|(mpi, kind)| (format!("mpicc.{mpi}"), format!("mpirun.{mpi}"), kind));
    let of_today = OF_TODAY.into_iter().filter_map(|(name, compiler, kind)| {
        let [compiler, launcher] = [compiler, "mpirun"]
            .map(|program| environment(name).map(|folder| folder.join(program).display().to_string()));
        Some((compiler?, launcher?, kind))
    });
    of_debian.chain(of_today).collect()
}

fn sorted(ended: &Ended) -> Vec<String> {
    // A launcher names the process that was killed.
    let lines = ended.output.lines().filter(|line| !line.contains(" PID "));
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Runs two ranks both ways; gives the files of the ranks, in their order.
pub fn ranks(bench: &Bench, mpi: &str, words: &[&str]) -> Vec<Vec<u8>> {
    launched(bench, &format!("mpirun.{mpi}"), words)
}

/// The same, by the launcher.
pub fn launched(bench: &Bench, launcher: &str, words: &[&str]) -> Vec<Vec<u8>> {
    let words = [&[launcher, "-n", "2"], words].concat();
    let (without, with) = (bench.without(&words), bench.with(&words));
    assert_eq!(
        (sorted(&with), with.status),
        (sorted(&without), without.status),
        "{words:?}\n{}",
        with.errors
    );
    let mut files: Vec<(u32, Vec<u8>)> = bench
        .take_files()
        .into_iter()
        .filter_map(|bytes| {
            SnapshotFile::parse(&bytes).unwrap().rank().map(|(rank, _)| (rank, bytes.clone()))
        })
        .collect();
    files.sort_by_key(|(rank, _)| *rank);
    assert_eq!(files.iter().map(|(rank, _)| *rank).collect::<Vec<_>>(), [0, 1], "{words:?}");
    files.into_iter().map(|(_, bytes)| bytes).collect()
}

fn sites(file: &SnapshotFile) -> Vec<SiteRecord> {
    file.threads().flat_map(|thread| thread.sites()).collect()
}

pub fn counts(file: &SnapshotFile) -> Counts {
    let mut counts = Counts::new();
    for site in sites(file) {
        let (count, sent, received) = counts.entry(site.call.to_owned()).or_default();
        *count += site.count;
        *sent += site.sent;
        *received += site.received;
    }
    counts
}

/// The lines of a table: a call, how often, bytes sent and received by rank 0, and by rank 1 where that differs.
fn expected(table: &str) -> [Counts; 2] {
    let mut ranks = [Counts::new(), Counts::new()];
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbers: Vec<u64> = words[1..].iter().map(|word| word.parse().unwrap()).collect();
        for (rank, counts) in ranks.iter_mut().enumerate() {
            let of = numbers.chunks_exact(3).nth(rank).unwrap_or(&numbers[..3]);
            if of[0] > 0 {
                counts.insert(words[0].to_owned(), (of[0], of[1], of[2]));
            }
        }
    }
    ranks
}

#[test]
fn calls_bytes_and_peers_are_exact() {
    let bench = Bench::new();
    for (mpi, launcher, kind) in compilers() {
        let Some(program) = bench.compile(&mpi, "counts.c", &[]) else { continue };
        let data = bench.folder().join("data");
        let files = launched(&bench, &launcher, &[program.to_str().unwrap(), data.to_str().unwrap()]);
        std::fs::remove_file(&data).unwrap();
        let expected = expected(
            "MPI_Init 1 0 0
             MPI_Irecv 14 0 0
             MPI_Isend 11 156 0
             MPI_Waitall 4 0 277
             MPI_Send_init 1 0 0
             MPI_Recv_init 1 0 0
             MPI_Startall 3 132 0
             MPI_Request_free 2 0 0
             MPI_Ssend 4 20 0
             MPI_Waitany 1 0 5
             MPI_Send 8 307 0 1 0 0
             MPI_Recv 0 0 0 7 0 307
             MPI_Sendrecv 1 24 24
             MPI_Alltoallv 1 7 6 1 7 8
             MPI_Gather 1 4 0 1 4 8
             MPI_Allgather 1 4 8
             MPI_Bcast 1 8 0 1 0 8
             MPI_Reduce_scatter_block 1 8 4
             MPI_Iallreduce 1 4 4
             MPI_Wait 2 0 0 3 0 11
             MPI_Mprobe 1 0 0
             MPI_Mrecv 1 0 11 0 0 0
             MPI_Imrecv 0 0 0 1 0 0
             MPI_Comm_dup 100 0 0
             MPI_Comm_free 102 0 0
             MPI_Comm_split 1 0 0
             MPI_Cart_create 1 0 0
             MPI_Neighbor_alltoall 1 8 8
             MPI_Barrier 101 0 0
             MPI_Win_create 1 0 0
             MPI_Win_fence 2 0 0
             MPI_Put 1 8 0
             MPI_Get 1 0 4
             MPI_Win_free 1 0 0
             MPI_File_open 1 0 0
             MPI_File_write_at 1 40 0
             MPI_File_read_at 1 0 40
             MPI_File_close 1 0 0
             MPI_Finalize 1 0 0",
        );
        for (rank, bytes) in files.iter().enumerate() {
            let file = SnapshotFile::parse(bytes).unwrap();
            let mut found = counts(&file);
            // How many come at once is MPI's own matter; what comes is 15 bytes.
            let some = found.remove("MPI_Waitsome").unwrap();
            assert!((1..=3).contains(&some.0) && (some.1, some.2) == (0, 15), "{mpi} {rank} {some:?}");
            assert_eq!(found, expected[rank], "{mpi} {rank}");
            assert_eq!(file.mpi(), kind as u32);
            assert!(file.has(Flag::MpiInitialised) && file.has(Flag::MpiFinalised));
            peers_and_communicators(&file, &mpi, rank);
        }
    }
}

fn peers_and_communicators(file: &SnapshotFile, mpi: &str, rank: usize) {
    let peers: Vec<_> = file.threads().flat_map(|thread| thread.peers()).collect();
    let both = (19, 145 + 3 * 44 + 4 * 5 + 24 + 11);
    // Into the other's window, and from there.
    let (put, got) = ((1, 8), 4);
    let one_way = (7, 6 * 50 + 7);
    let (sent, received) = if rank == 0 { (one_way, (0, 0)) } else { ((0, 0), one_way) };
    assert_eq!(peers.len(), 1, "{mpi} {rank} {peers:?}");
    assert_eq!(peers[0].rank as usize, 1 - rank);
    assert_eq!(
        (peers[0].sent_messages, peers[0].sent_bytes),
        (both.0 + sent.0 + put.0, both.1 + sent.1 + put.1),
        "{mpi} {rank}"
    );
    assert_eq!(peers[0].fetched_bytes, got, "{mpi} {rank}");
    assert_eq!(
        (peers[0].received_messages, peers[0].received_bytes),
        (both.0 + received.0, both.1 + received.1),
        "{mpi} {rank}"
    );
    let comms: Vec<_> =
        file.communicators().map(|comm| (comm.size, comm.rank as usize, comm.lives)).collect();
    // The world; a hundred copies; the ranks turned round; the ring, which goes on as a copy where it has the same ranks.
    assert_eq!(comms, [(2, rank, 1), (2, rank, 101), (2, 1 - rank, 1)], "{mpi} {rank}");
    let world = file.communicators().next().unwrap();
    assert_eq!(world.name, b"MPI_COMM_WORLD");
    // Each site lies in the program, and no two are the same.
    let mut places: Vec<_> =
        sites(file).iter().map(|site| (site.call, site.address, site.communicator)).collect();
    let number = places.len();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), number);
    assert!(sites_lie_in_the_program(file), "{mpi} {rank}");
}

/// And in no library: a program's own file has no path.
fn sites_lie_in_the_program(file: &SnapshotFile) -> bool {
    let program = file.modules().find(|module| module.path.is_empty()).unwrap();
    sites(file).iter().all(|site| (program.begin..program.end).contains(&site.address))
}

#[test]
#[ignore = "timing: states and calls of ranks that sleep"]
fn times_are_those_of_ranks_that_sleep() {
    let bench = Bench::new();
    for (mpi, _) in installed("mpicc") {
        let Some(program) = bench.compile(&format!("mpicc.{mpi}"), "ways.c", &["-pthread"]) else { continue };
        let files = ranks(&bench, mpi, &[program.to_str().unwrap(), "times"]);
        // The rank, its work, and how long it is in the call: rank 0 waits in the barrier, rank 1 in the receive.
        for (bytes, work, call, waits) in
            [(&files[0], 1.5, "MPI_Barrier", 0.5), (&files[1], 1.5, "MPI_Recv", 0.5)]
        {
            let file = SnapshotFile::parse(bytes).unwrap();
            let tick = file.nanoseconds_per_tick().unwrap() / 1e9;
            // Open MPI has threads of its own, which wait for the network.
            let thread = file.threads().find(ThreadRecord::is_main).unwrap();
            let useful = thread.ticks(ThreadState::Useful) as f64 * tick;
            eprintln!("{mpi} {call}: {useful} s useful, expected {work}");
            assert!((work..work * 1.05).contains(&useful), "{mpi} {call} {useful}");
            let longest = sites(&file).iter().filter(|site| site.call == call).map(|site| site.longest).max();
            let longest = longest.unwrap() as f64 * tick;
            eprintln!("{mpi} {call}: {longest} s in the longest call, expected {waits}");
            assert!((longest - waits).abs() < 0.05, "{mpi} {call} {longest}");
            let all = file.last().nanoseconds - file.begin().nanoseconds;
            let whole = (thread.end() - thread.begin()) as f64 * tick;
            assert!((whole - all as f64 / 1e9).abs() < 0.01, "{mpi} {whole} {all}");
        }
    }
}

#[test]
fn ways_of_a_program_are_as_without_it() {
    let bench = Bench::new();
    for (mpi, _) in installed("mpicc") {
        let Some(program) = bench.compile(&format!("mpicc.{mpi}"), "ways.c", &["-pthread"]) else { continue };
        let program = program.to_str().unwrap();
        let ways = if mpi == "mpich" { ["errors", "signals"] } else { ["errno", "fork"] };
        for way in ways {
            for bytes in ranks(&bench, mpi, &[program, way]) {
                assert!(SnapshotFile::parse(&bytes).unwrap().has(Flag::MpiFinalised), "{mpi} {way}");
            }
        }
        for bytes in ranks(&bench, mpi, &[program, "threads"]) {
            let file = SnapshotFile::parse(&bytes).unwrap();
            let counts = counts(&file);
            let messages = counts.get("MPI_Send").or(counts.get("MPI_Recv")).unwrap();
            assert_eq!((messages.0, messages.1 + messages.2), (4000, 4000), "{mpi}");
            let callers = file.threads().filter(|thread| thread.sites().count() > 0);
            assert_eq!(callers.count(), 5, "{mpi}");
        }
        // A launcher may kill a rank before it gets to what it was about to do.
        let aborted = ranks(&bench, mpi, &[program, "abort"]);
        // MPICH's launcher takes an end without Finalize for a failure now and then, by which of two ends it sees
        // first: no launcher here.
        let alone = [program, "no-finalize"];
        let (without, with) = (bench.without(&alone), bench.with(&alone));
        assert_eq!((sorted(&with), with.status), (sorted(&without), without.status), "{mpi}");
        for (way, files, flag) in
            [("abort", aborted, Some(Flag::MpiAborted)), ("no-finalize", bench.take_files(), None)]
        {
            let first = SnapshotFile::parse(&files[0]).unwrap();
            assert!(!first.has(Flag::MpiFinalised) && flag.is_none_or(|flag| first.has(flag)), "{mpi} {way}");
            assert_eq!(counts(&first)["MPI_Init"].0, 1, "{mpi} {way}");
        }
    }
}

#[test]
fn a_thread_that_is_cancelled_in_a_call_ends_as_without_it() {
    let bench = Bench::new();
    for (mpi, _) in installed("mpicc") {
        let Some(program) = bench.compile(&format!("mpicc.{mpi}"), "ways.c", &["-pthread"]) else { continue };
        // Without a launcher: MPICH's takes an end without Finalize for a failure now and then, by which of two
        // ends it sees first.
        let words = [program.to_str().unwrap(), "threads-cancelled"];
        let (without, with) = (bench.without(&words), bench.with(&words));
        assert!(
            without.status.success() && without.output.contains("cancelled 1"),
            "{mpi} {}",
            without.output
        );
        assert_eq!((sorted(&with), with.status), (sorted(&without), without.status), "{mpi}");
        assert!(!bench.take_files().is_empty(), "{mpi}");
    }
}

#[test]
fn exceptions_leave_calls_and_later_calls_are_counted() {
    let bench = Bench::new();
    for (mpi, _) in installed("mpicxx") {
        let Some(program) = bench.compile(&format!("mpicxx.{mpi}"), "throws.cpp", &[]) else { continue };
        let words = [&format!("mpirun.{mpi}"), "-n", "1", program.to_str().unwrap()];
        let (without, with) = (bench.without(&words), bench.with(&words));
        assert_eq!((&with.output, with.status), (&without.output, without.status), "{mpi}\n{}", with.errors);
        let files = bench.take_files();
        if without.output != "caught 5\n" {
            eprintln!("SKIPPED: {mpi} is built without tables for exceptions");
            continue;
        }
        let found =
            files.iter().map(|bytes| SnapshotFile::parse(bytes).unwrap()).find(|file| file.rank().is_some());
        let counts = counts(&found.unwrap());
        assert_eq!(counts["MPI_Barrier"].0, 5, "{mpi} {counts:?}");
    }
}

#[test]
fn fortran_is_counted_once_at_the_programs_own_lines() {
    let bench = Bench::new();
    for (mpi, _) in installed("mpif90") {
        for source in ["header.f", "module.f90", "f08.f90"] {
            // Each source and each MPI, and what is least alike with both.
            if source == (if mpi == "mpich" { "header.f" } else { "module.f90" }) {
                continue;
            }
            let Some(program) = bench.compile(&format!("mpif90.{mpi}"), source, &[]) else { continue };
            let files = ranks(&bench, mpi, &[program.to_str().unwrap()]);
            let expected = expected(
                "MPI_Init 1 0 0
                 MPI_Allreduce 1 8 8
                 MPI_Bcast 1 0 0
                 MPI_Send 1 80 0 0 0 0
                 MPI_Recv 0 0 0 1 0 80
                 MPI_Finalize 1 0 0",
            );
            for (rank, bytes) in files.iter().enumerate() {
                let file = SnapshotFile::parse(bytes).unwrap();
                assert_eq!(counts(&file), expected[rank], "{mpi} {source} {rank}");
                assert!(sites_lie_in_the_program(&file), "{mpi} {source}");
            }
        }
    }
}

/// The calls of MPI that lines of Python make: call, source, line.
pub fn lines_of_python(file: &SnapshotFile<'_>) -> Vec<(&'static str, String, u64)> {
    let line = |site: SiteRecord| {
        let is_there = |begin: u64, end: u64| begin >= SOURCES && (begin..end).contains(&site.address);
        let source = file.modules().find(|module| is_there(module.begin, module.end))?;
        let path = String::from_utf8_lossy(source.path).into_owned();
        Some((site.call, path, site.address - source.base))
    };
    sites(file).into_iter().filter_map(line).collect()
}

#[test]
fn python_finds_its_mpi_in_a_scope_of_its_own() {
    let bench = Bench::new();
    let script = "from mpi4py import MPI\nc = MPI.COMM_WORLD\nc.Barrier()\nif c.rank == 0: print(c.size)";
    let python = "/usr/bin/python3";
    let asked = Command::new(python).args(["-c", "import mpi4py"]).output();
    if !asked.is_ok_and(|asked| asked.status.success()) || installed("mpicc").is_empty() {
        eprintln!("SKIPPED: no mpi4py");
        return;
    }
    // Debian's is built with Open MPI.
    for bytes in ranks(&bench, "openmpi", &[python, "-c", script]) {
        let file = SnapshotFile::parse(&bytes).unwrap();
        assert_eq!(counts(&file)["MPI_Barrier"].0, 1);
        assert!(file.header_long(offset_of!(Header, mpi_finalize)) > 0);
        // Processor time and run delay when MPI_Init returned, and when MPI_Finalize began.
        let of_first = [0, 1, 2, 3].map(|k| file.header_long(offset_of!(Header, mpi_use) + 8 * k));
        assert!(of_first[0] > 1 && of_first[2] >= of_first[0] && of_first[3] >= of_first[1], "{of_first:?}");
        let barrier = ("MPI_Barrier", "<string>".to_owned(), 3);
        assert!(lines_of_python(&file).contains(&barrier), "{:?}", lines_of_python(&file));
    }
}

#[test]
fn other_tools_beneath_above_and_in_the_program_count_as_before() {
    let bench = Bench::new();
    for (mpi, _) in installed("mpicc") {
        let compiler = format!("mpicc.{mpi}");
        let Some(program) = bench.compile(&compiler, "sends.c", &[]) else { continue };
        let Some(tool) = bench.compile(&compiler, "tool.c", &["-shared", "-fPIC"]) else { continue };
        let linked = bench.compile_with(&compiler, "sends.c", "tool.c").unwrap();
        let (ours, tool) = (library().display().to_string(), tool.display().to_string());
        let (ours_first, ours_last) = (format!("{ours}:{tool}"), format!("{tool}:{ours}"));
        // Each way with an MPI.
        let ways = match mpi {
            "mpich" => vec![(ours_last, &program)],
            _ => vec![(ours_first, &program), (ours, &linked)],
        };
        for (preloaded, program) in ways {
            let launcher = format!("mpirun.{mpi}");
            let folder = format!("NUMAWISE_SNAPSHOT={}", bench.snapshot().display());
            let preload = format!("LD_PRELOAD={preloaded}");
            let words = [&launcher, "-n", "2", "env", &folder, &preload, program.to_str().unwrap()];
            let ended = bench.without(&words);
            assert!(ended.status.success(), "{mpi} {preload} {}", ended.errors);
            assert_eq!(ended.output, "tool: 10\n", "{mpi} {preload}");
            let mut calls = Counts::new();
            for bytes in bench.take_files() {
                calls.extend(counts(&SnapshotFile::parse(&bytes).unwrap()));
            }
            assert_eq!((calls["MPI_Send"], calls["MPI_Recv"]), ((10, 40, 0), (10, 0, 40)), "{mpi} {preload}");
            assert_eq!(calls["MPI_Finalize"].0, 1, "{mpi} {preload}");
        }
    }
}

#[test]
fn an_mpi_that_is_loaded_late_is_found() {
    let bench = Bench::new();
    let Some(program) = bench.compile("gcc", "late.c", &[]) else { return };
    for (library, mpi) in [("libmpi.so.40", "openmpi"), ("libmpich.so.12", "mpich")] {
        let words = [program.to_str().unwrap(), library];
        let (without, with) = (bench.without(&words), bench.with(&words));
        if !without.status.success() {
            eprintln!("SKIPPED: no {mpi}: {}", without.output);
            continue;
        }
        assert_eq!((&with.output, with.status), (&without.output, without.status), "{library}");
        let files = bench.take_files();
        let found = files.iter().map(|bytes| counts(&SnapshotFile::parse(bytes).unwrap()));
        let found = found.filter(|counts| counts.contains_key("MPI_Init")).collect::<Vec<_>>();
        assert!(found.len() == 1 && found[0]["MPI_Finalize"].0 == 1, "{library} {found:?}");
    }
}
