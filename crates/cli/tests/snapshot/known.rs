//! Two ranks whose efficiencies are known on paper, in each language of MPI. What they must be is computed from what each rank notes by its own
//! clock; on a quiet machine that is what stands on the paper. What does not depend on clocks is tested apart: calls, bytes, places, and that
//! the formulas hold for whatever was measured (`crates/analyse/src/snapshot/phase_tests.rs` has what they give for what stands on the paper).

use std::path::Path;

use serde_json::Value;

use crate::support::{Bench, MPICH, MPIS, OPEN_MPI, assert_formulas_hold, call, has_finding, number, text};

/// What a rank noted, in seconds: outside of MPI, in MPI, both together.
#[derive(Debug, Clone, Copy)]
struct Noted {
    outside: f64,
    in_mpi: f64,
    elapsed: f64,
}

fn noted(out: &str) -> Vec<Noted> {
    let mut lines: Vec<Vec<f64>> =
        out.lines().map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect()).collect();
    lines.sort_by(|a, b| a[0].total_cmp(&b[0]));
    lines.iter().map(|line| Noted { outside: line[1], in_mpi: line[2], elapsed: line[3] }).collect()
}

/// What differs between a run's measurements and what its ranks noted.
#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    /// Equal but for a fiftieth, or for what a call of the program's clock may be held up.
    fn near(&mut self, what: &str, found: f64, noted: f64) {
        self.within(what, found, noted, (0.02 * noted).max(0.004));
    }

    fn within(&mut self, what: &str, found: f64, noted: f64, allowed: f64) {
        if (found - noted).abs() > allowed {
            self.0.push(format!("{what} is {found}, the ranks noted {noted}"));
        }
    }
}

/// Compares with what the ranks noted; gives the differences, and whether that is what stands on the paper.
fn compare(json: &Value, ranks: &[Noted]) -> (Vec<String>, bool) {
    let elapsed = ranks.iter().map(|rank| rank.elapsed).fold(0.0, f64::max);
    let useful: f64 = ranks.iter().map(|rank| rank.outside).sum();
    let in_mpi: f64 = ranks.iter().map(|rank| rank.in_mpi).sum();
    let least = ranks.iter().map(|rank| rank.in_mpi).fold(f64::MAX, f64::min);
    let cpus = ranks.len() as f64;
    let mut differences = Differences::default();
    differences.near("time", number(json, "/span/seconds"), elapsed);
    differences.near("useful time", number(json, "/time/useful_seconds"), useful);
    differences.near("time in MPI", number(json, "/time/mpi_seconds"), in_mpi);
    for (place, rank) in ranks.iter().enumerate() {
        differences.near("MPI of a rank", number(json, &format!("/ranks/{place}/mpi_seconds")), rank.in_mpi);
    }
    let communication = (elapsed - least) / elapsed;
    let balance = (elapsed - in_mpi / cpus) / (elapsed - least);
    let paper = [
        ("parallel", useful / (useful + in_mpi), 0.625),
        ("mpi_parallel", communication * balance, 0.625),
        ("mpi_communication", communication, 0.75),
        ("mpi_load_balance", balance, 0.8333),
    ];
    for (name, noted, _) in paper {
        differences.within(name, number(json, &format!("/efficiency/{name}")), noted, 0.02);
    }
    (differences.0, paper.iter().all(|(_, noted, paper)| (noted - paper).abs() <= 0.01))
}

/// Runs a program of two ranks until the machine let it do what stands on the paper, five times at most. Once at least what it noted
/// must be what was measured: other work may come between its clock and ours.
fn watch(bench: &Bench, known: &Known) {
    let (mut equal, mut last) = (0, Vec::new());
    let language = &known.language;
    let launched: Vec<&str> = known.launched.iter().map(String::as_str).collect();
    for _ in 0..5 {
        let words = [&["--quiet", "--json=run.json", "--"], &launched[..]].concat();
        let answer = bench.snapshot(&words);
        assert_eq!(answer.status, Some(0), "{language}: {}", answer.err);
        let (json, ranks) = (bench.json("run.json"), noted(&answer.out));
        assert_eq!(ranks.len(), 2, "{}", answer.out);
        // All of the time in MPI is waiting for the other rank, and nothing is moved.
        let is_said = has_finding(&json, "NW010") && !has_finding(&json, "NW011");
        assert!(is_said, "{language}: {}", json["findings"]);
        let (differences, is_as_on_paper) = compare(&json, &ranks);
        eprintln!("{language}: {} differences {differences:?}, noted {ranks:?}", differences.len());
        equal += u32::from(differences.is_empty());
        if differences.is_empty() && is_as_on_paper {
            return;
        }
        last.extend(differences);
        // What stands on the paper will not come where others compute all the time.
        if equal > 1 {
            break;
        }
    }
    assert!(equal > 0, "{language}: {last:?}");
    eprintln!("{language}: this machine has too much other work for what stands on the paper");
}

/// A program in a language, and how it is started.
struct Known {
    language: String,
    launched: Vec<String>,
    /// Where it sends and receives, by the names of its functions and lines: two places each.
    source: &'static str,
}

impl Known {
    fn of(
        bench: &Bench,
        (compiler, launcher): (&str, &str),
        source: &'static str,
        option: &str,
    ) -> Option<Known> {
        let program = bench.compile(compiler, source, &["-Wall", "-Wextra", option])?;
        let launched = [launcher, "-n", "2", program.to_str().unwrap()].map(str::to_owned).to_vec();
        Some(Known { language: format!("{compiler} {source} {option}"), launched, source })
    }

    fn in_c(bench: &Bench) -> Vec<Known> {
        MPIS.into_iter().filter_map(|mpi| Known::of(bench, mpi, "known_mpi.c", "-O1")).collect()
    }

    fn in_python() -> Option<Known> {
        if !Path::new("/usr/lib/python3/dist-packages/mpi4py").exists() {
            eprintln!("SKIPPED: no mpi4py");
            return None;
        }
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshot/programs/known_mpi.py");
        let launched = ["mpirun", "-n", "2", "/usr/bin/python3", script].map(str::to_owned).to_vec();
        Some(Known { language: "mpi4py".to_owned(), launched, source: "known_mpi.py" })
    }

    /// With `mpif.h`, `use mpi` and `use mpi_f08`.
    fn in_fortran(bench: &Bench, mpi: &str, ways: &[u32]) -> Vec<Known> {
        let (compiler, launcher) =
            (format!("mpif90.{mpi}"), if mpi == "mpich" { MPICH.1 } else { OPEN_MPI.1 });
        let of = |way: &u32| {
            Known::of(bench, (&compiler, launcher), "known_mpi.F90", &format!("-DLANGUAGE={way}"))
        };
        ways.iter().filter_map(of).collect()
    }
}

/// What a run has whatever the machine does.
fn check(bench: &Bench, known: &Known) {
    let launched: Vec<&str> = known.launched.iter().map(String::as_str).collect();
    let answer = bench.snapshot(&[&["--quiet", "--json=run.json", "--"], &launched[..]].concat());
    let language = &known.language;
    assert_eq!(answer.status, Some(0), "{language}: {}", answer.err);
    let json = bench.json("run.json");
    assert_eq!(noted(&answer.out).len(), 2, "{language}: {}", answer.out);
    assert_eq!((number(&json, "/processes/ranks"), number(&json, "/cpus/count")), (2.0, 2.0), "{language}");
    assert_eq!(text(&json, "/span/scope"), "between_init_and_finalize", "{language}");
    // A word in each direction.
    for (name, sent, received) in [("MPI_Send", 8.0, 0.0), ("MPI_Recv", 0.0, 8.0)] {
        let call = call(&json, name);
        let found = ["/count", "/ranks", "/sent_bytes", "/received_bytes"].map(|of| number(call, of));
        assert_eq!(found, [2.0, 2.0, sent, received], "{language}: {call}");
        let sites = json.pointer("/mpi/sites").unwrap().as_array().unwrap();
        let places = sites.iter().filter(|site| site["name"] == name);
        let files =
            places.map(|site| site["place"]["file"].as_str().and_then(|file| file.rsplit('/').next()));
        let files: Vec<Option<&str>> = files.collect();
        // A script has one line for all its calls.
        let places = if known.source == "known_mpi.py" { 1 } else { 2 };
        assert_eq!(files, vec![Some(known.source); places], "{language}: {json}");
    }
    assert_formulas_hold(&json);
    // What each rests for; where one leaves MPI_Init late, less of it is in the time that all were between MPI_Init and MPI_Finalize.
    for (rank, least) in [(0, 0.2), (1, 0.3)] {
        let of = |name: &str| number(&json, &format!("/ranks/{rank}/{name}"));
        let (elapsed, useful) = (of("elapsed_seconds"), of("time/useful_seconds"));
        assert!(
            elapsed >= least && useful > 0.0 && useful <= elapsed,
            "{language}, rank {rank}: {useful}, {elapsed}"
        );
    }
}

#[test]
fn two_ranks_have_their_calls_bytes_and_places_in_c_and_python() {
    let bench = Bench::new();
    Known::in_c(&bench).iter().chain(&Known::in_python()).for_each(|known| check(&bench, known));
}

#[test]
fn two_ranks_have_their_calls_bytes_and_places_in_fortran() {
    let bench = Bench::new();
    let openmpi = Known::in_fortran(&bench, "openmpi", &[1, 3]);
    let mpich = Known::in_fortran(&bench, "mpich", &[2, 3]);
    openmpi.iter().chain(&mpich).for_each(|known| check(&bench, known));
}

#[test]
#[ignore = "timing: efficiencies vs the clocks of the ranks"]
fn two_ranks_have_the_efficiencies_that_they_have_on_paper_in_c_and_python() {
    let bench = Bench::new();
    Known::in_c(&bench).iter().chain(&Known::in_python()).for_each(|known| watch(&bench, known));
}

#[test]
#[ignore = "timing: efficiencies vs the clocks of the ranks"]
fn two_ranks_have_the_efficiencies_that_they_have_on_paper_in_fortran() {
    let bench = Bench::new();
    for mpi in ["openmpi", "mpich"] {
        Known::in_fortran(&bench, mpi, &[1, 2, 3]).iter().for_each(|known| watch(&bench, known));
    }
}
