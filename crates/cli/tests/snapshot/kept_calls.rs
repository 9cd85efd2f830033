//! `numawise trace` that leaves calls out.

use serde_json::Value;

use crate::support::{Bench, MPIS, number, text};
use crate::trace::rows;

const STEPS: f64 = 400.0;

/// What was left out: calls, and their time.
fn left_out(json: &Value) -> (f64, f64) {
    let row = rows(json, "not_judged").iter().find(|row| text(row, "/why") == "left_out");
    row.map_or((0.0, 0.0), |row| (number(row, "/calls"), number(row, "/seconds")))
}

/// So often all ranks called it, as the sums tell.
fn called(json: &Value, call: &str) -> f64 {
    let calls = json.pointer("/mpi/calls").unwrap().as_array().unwrap();
    calls.iter().filter(|row| text(row, "/name") == call).map(|row| number(row, "/count")).sum()
}

fn traced(bench: &Bench, (compiler, launcher): (&str, &str), options: &[&str]) -> Option<Value> {
    let program = bench.compile(compiler, "exchanges.c", &[])?;
    let trace = ["trace", "--json=run.json", "--output", "run.trace", "--fresh"];
    let steps = STEPS.to_string();
    let launched = ["--", launcher, "-n", "2", program.to_str().unwrap(), &steps];
    let answer = bench.numawise(&[&trace[..], options, &launched].concat());
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    let json = bench.json("run.json");
    let again = bench.numawise(&["report", "run.trace", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&again.out).unwrap()["trace"], json["trace"]);
    if !options.is_empty() {
        let said = answer.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("they were left out (--calls, --min-duration)"), "{said}");
    }
    // No time is lost; ranks leave MPI_Init one after the other.
    for rank in rows(&json, "ranks") {
        let times = ["useful", "waiting", "in_calls", "polling"];
        let sum: f64 = times.map(|of| number(rank, &format!("/times/{of}_seconds"))).iter().sum();
        let span = number(&json["trace"], "/span_seconds");
        assert!(sum <= span + 1e-6 && sum > 0.5 * span, "{sum} of {span}: {rank:#}");
    }
    Some(json)
}

#[test]
fn a_kind_of_calls_that_is_left_out_is_so_in_all_ranks_and_kept_as_a_sum() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some(json) = traced(&bench, mpi, &["--calls", "collective"]) else { continue };
        let trace = &json["trace"];
        assert_eq!(["/messages", "/unmatched", "/lost"].map(|of| number(trace, of)), [0.0; 3], "{mpi:?}");
        let barriers = STEPS / 10.0 + 1.0;
        assert_eq!(number(trace, "/calls"), 2.0 * barriers, "{mpi:?}");
        let (calls, seconds) = left_out(&json);
        assert_eq!(calls, 6.0 * STEPS, "{mpi:?}");
        assert_eq!(called(&json, "MPI_Waitall"), 2.0 * STEPS);
        assert!(number(trace, "/times/in_calls_seconds") >= seconds && seconds > 0.0, "{trace:#}");
        let wait = &rows(&json, "waits")[0];
        assert_eq!((text(wait, "/kind"), number(wait, "/longest/waits")), ("last_of_all", 0.0), "{wait:#}");
        assert!(number(wait, "/longest/seconds") > 0.045, "{wait:#}");
    }
}

#[test]
fn short_calls_are_left_out_but_for_those_that_other_ranks_have_to_know_of() {
    let bench = Bench::new();
    for mpi in MPIS {
        // All are so short; the rate of the clock is known from ten milliseconds on.
        let Some(json) = traced(&bench, mpi, &["--min-duration", "100s"]) else { continue };
        let trace = &json["trace"];
        let counts = ["/messages", "/unmatched", "/lost"].map(|of| number(trace, of));
        assert_eq!(counts, [2.0 * STEPS, 0.0, 0.0], "{mpi:?}");
        assert_eq!((left_out(&json).0, called(&json, "MPI_Irecv")), (2.0 * STEPS, 2.0 * STEPS), "{mpi:?}");
        assert_eq!(number(trace, "/calls"), 4.0 * STEPS + 2.0 * (STEPS / 10.0 + 1.0), "{mpi:?}");
        let Some(json) = traced(&bench, mpi, &[]) else { continue };
        assert_eq!(left_out(&json), (0.0, 0.0));
    }
}
