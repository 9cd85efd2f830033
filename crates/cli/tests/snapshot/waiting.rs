//! What of MPI is waiting and what is moving data, and the phases that a program names.

use serde_json::Value;

use crate::support::{Bench, number, text};

const MPIS: [(&str, &str); 2] = [("mpicc.openmpi", "mpirun.openmpi"), ("mpicc.mpich", "mpiexec.mpich")];

fn site<'a>(json: &'a Value, call: &str) -> &'a Value {
    let sites = json.pointer("/mpi/sites").unwrap().as_array().unwrap();
    sites.iter().find(|site| site["name"] == call).unwrap_or_else(|| panic!("no {call}"))
}

/// The figures that a program printed behind a word.
fn printed(out: &str, word: &str) -> Vec<f64> {
    let line = out.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
    let line = line.unwrap_or_else(|| panic!("no {word}: {out}"));
    line.split(' ').map(|figure| figure.parse().unwrap()).collect()
}

/// Between a clock of the program and ours there may be a moment without a CPU.
#[track_caller]
fn is_near(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() < 0.05 * expected + 0.01,
        "{found} s, by its own clock {expected}: {what}"
    );
}

#[test]
fn ranks_that_take_turns_to_be_late_wait_and_do_not_move_data() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "turns.c", &[]) else { continue };
        let words = ["--quiet", "--json", "run.json", "--", launcher, "-n", "2", program.to_str().unwrap()];
        let answer = bench.snapshot(&words);
        assert_eq!(answer.status, Some(0), "{}", answer.err);
        let json = bench.json("run.json");
        for call in ["MPI_Allreduce", "MPI_Recv", "MPI_Send"] {
            let (site, own) = (site(&json, call), printed(&answer.out, call));
            let what = format!("{launcher} {call}: {} {site}", answer.out);
            is_near(number(site, "/waiting_seconds"), own[0], &what);
            is_near(number(site, "/seconds"), own[1], &what);
        }
        // Each sleeps for 3 ms 75 times, and the other one waits so long.
        assert!(number(site(&json, "MPI_Allreduce"), "/waiting_seconds") > 0.3, "{json}");
        let known = number(&json, "/mpi/waiting_known_of_seconds");
        assert!(number(&json, "/mpi/waiting_in_calls_seconds") <= known, "{json}");
        let finding = |id: &str| json["findings"].as_array().unwrap().iter().find(|one| one["id"] == id);
        let late = finding("NW010").unwrap_or_else(|| panic!("{json}"));
        assert_eq!(late["evidence"][0]["quantity"], "waiting_in_calls", "{late}");
    }
}

/// A sender that comes early with what does not fit into a buffer waits; with a word it does not. What completes requests is unavailable.
#[test]
fn a_send_waits_for_a_late_receiver_and_a_wait_for_requests_is_unavailable() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "late_receiver.c", &[]) else { continue };
        let words = ["--json", "run.json", "--full", "--", launcher, "-n", "2", program.to_str().unwrap()];
        let answer = bench.snapshot(&words);
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "late\n"), "{}", answer.err);
        let json = bench.json("run.json");
        let sends = json.pointer("/mpi/sites").unwrap().as_array().unwrap();
        let mut waits: Vec<f64> = sends
            .iter()
            .filter(|site| site["name"] == "MPI_Send")
            .map(|site| number(site, "/waiting_seconds"))
            .collect();
        waits.sort_by(f64::total_cmp);
        // Twenty times 5 ms; a busy machine gives the receiver its CPU later still.
        assert!(waits.len() == 2 && waits[0] < 0.03 && waits[1] > 0.06, "{launcher}: {json}");
        let wait = site(&json, "MPI_Wait");
        assert!(text(wait, "/waiting_seconds/unavailable").contains("completes requests"), "{wait}");
        assert!(number(&json, "/mpi/in_requests_seconds") > 0.02, "{json}");
        let said = answer.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("of MPI_Wait, MPI_Test and their kin ("), "{}", answer.err);
    }
}

#[test]
fn a_region_has_efficiencies_of_its_own_in_the_report_and_from_the_record() {
    let bench = Bench::new();
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../../include");
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "parts.c", &[include]) else { continue };
        let program = program.to_str().unwrap();
        let words =
            ["--json", "run.json", "--output", "run.nw", "--fresh", "--", launcher, "-n", "2", program];
        let answer = bench.snapshot(&words);
        assert_eq!(answer.status, Some(0), "{}", answer.err);
        let json = bench.json("run.json");
        let rows = json.pointer("/phases/rows").unwrap().as_array().unwrap();
        let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
        // In one part rank 1 sleeps for 0.3 s and rank 0 for 0.1 s; in the other both for 0.2 s. A busy machine takes longer for all.
        for name in ["uneven", "even"] {
            let own = printed(&answer.out, name);
            let what = format!("{launcher} {name}: {} {json}", answer.out);
            is_near(number(row(name), "/elapsed_seconds"), own[0], &what);
            is_near(number(row(name), "/time/mpi_seconds"), 2.0 * own[1], &what);
            let balance = (own[0] - own[1]) / (own[0] - own[2]);
            let found = number(row(name), "/efficiency/mpi_load_balance");
            assert!((found - balance).abs() < 0.05, "{found}, by its own clock {balance}: {what}");
        }
        assert!(number(row("uneven"), "/time/mpi_seconds") > 0.12, "{json}");
        assert_eq!([number(row("uneven"), "/calls"), number(row("uneven"), "/processes")], [2.0, 2.0]);
        assert_eq!(text(row("MPI_Pcontrol(7)"), "/kind"), "pcontrol");
        let numawise = bench.numawise.to_str().unwrap();
        let full = bench.run(&[numawise, "report", bench.path("run.nw").to_str().unwrap(), "--full"]);
        assert!(full.out.contains("uneven") && full.out.contains("MPI_Pcontrol(7)"), "{}", full.out);
        let again = bench.run(&[numawise, "report", bench.path("run.nw").to_str().unwrap(), "--json"]);
        let again: Value = serde_json::from_str(&again.out).unwrap();
        assert_eq!(again.pointer("/phases"), json.pointer("/phases"));
    }
}
