//! What of MPI is waiting and what is moving data, and the phases that a program names.

use serde_json::Value;

use crate::support::{Bench, number, text};

const MPIS: [(&str, &str); 2] = [("mpicc.openmpi", "mpirun.openmpi"), ("mpicc.mpich", "mpiexec.mpich")];

fn site<'a>(json: &'a Value, call: &str) -> &'a Value {
    let sites = json.pointer("/mpi/sites").unwrap().as_array().unwrap();
    sites.iter().find(|site| site["name"] == call).unwrap_or_else(|| panic!("no {call}"))
}

#[test]
fn ranks_that_take_turns_to_be_late_wait_and_do_not_move_data() {
    let bench = Bench::new();
    for (compiler, launcher) in MPIS {
        let Some(program) = bench.compile(compiler, "turns.c", &[]) else { continue };
        let words = ["--quiet", "--json", "run.json", "--", launcher, "-n", "2", program.to_str().unwrap()];
        let answer = bench.snapshot(&words);
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "in turn\n"), "{}", answer.err);
        let json = bench.json("run.json");
        let share = |call| {
            let site = site(&json, call);
            number(site, "/waiting_seconds") / number(site, "/seconds")
        };
        // Each sleeps for 0.5 ms a thousand times, and the other one waits so long.
        assert!(number(site(&json, "MPI_Allreduce"), "/waiting_seconds") > 0.8, "{json}");
        // On a busy machine the receiver gets its CPU late, and so it begins to wait late.
        assert!(share("MPI_Allreduce") > 0.7 && share("MPI_Recv") > 0.3, "{launcher}: {json}");
        let known = number(&json, "/mpi/waiting_known_of_seconds");
        assert!(number(&json, "/mpi/waiting_in_calls_seconds") <= known, "{json}");
        // The receiver is there already when the sender comes; what is in turn is no transfer.
        assert!(number(site(&json, "MPI_Send"), "/waiting_seconds") < 0.05, "{json}");
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
        assert_eq!((answer.status, answer.out.as_str()), (Some(0), "parts\n"), "{}", answer.err);
        let json = bench.json("run.json");
        let rows = json.pointer("/phases/rows").unwrap().as_array().unwrap();
        let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
        // In one part rank 1 sleeps for 0.3 s and rank 0 for 0.1 s; in the other both for 0.2 s.
        // On a busy machine all takes longer.
        let waits = |name: &str| number(row(name), "/time/mpi_seconds");
        assert!(number(row("uneven"), "/elapsed_seconds") >= 0.29 && waits("uneven") > 0.12, "{json}");
        assert!(number(row("even"), "/elapsed_seconds") >= 0.19, "{json}");
        assert!(number(row("uneven"), "/efficiency/mpi_load_balance") < 1.0, "{json}");
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
