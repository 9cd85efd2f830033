//! What surrounds ranks: masks, CPUs, waiting for them, memory, and the time of those that are killed.

use serde_json::Value;

use crate::support::{Bench, MPICH, MPIS, has_finding, is_doubted, number, text};

/// Two ranks of the program; Open MPI binds them unless told otherwise.
fn watched(
    bench: &Bench,
    (compiler, launcher): (&str, &str),
    before: &[&str],
    how: [&str; 2],
) -> Option<Value> {
    let program = bench.compile(compiler, "surrounded.c", &[])?;
    let unbound: &[&str] = if launcher.contains("openmpi") { &["--bind-to", "none"] } else { &[] };
    let mut words = vec!["--quiet", "--json=run.json", "--"];
    words.extend(before);
    words.push(launcher);
    words.extend(unbound);
    words.extend(["-n", "2", program.to_str().unwrap()]);
    words.extend(how);
    let answer = bench.snapshot(&words);
    assert!(answer.status.is_some(), "{}", answer.err);
    Some(bench.json("run.json"))
}

/// Two ranks that compute on one CPU for so long; `None`, having said so, where there is no other.
fn on_one_cpu(bench: &Bench, mpi: (&str, &str), seconds: &str) -> Option<Value> {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        eprintln!("SKIPPED: one CPU");
        return None;
    }
    watched(bench, mpi, &["taskset", "-c", "0"], ["compute", seconds])
}

#[test]
fn ranks_that_are_bound_to_one_cpu_share_it() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some(json) = on_one_cpu(&bench, mpi, "0.5") else { continue };
        let is_found = has_finding(&json, "NW030") || is_doubted(&json);
        assert!(is_found && !has_finding(&json, "NW033"), "{}", json["findings"]);
        assert_eq!(text(&json, "/placement/overfull/0/cpus"), "0");
        assert_eq!(number(&json, "/placement/overfull/0/threads"), 2.0);
        for rank in ["/ranks/0/placement", "/ranks/1/placement"] {
            assert_eq!(text(&json, &format!("{rank}/mask")), "0");
            assert_eq!(text(&json, &format!("{rank}/cpus")), "0");
            let peak = number(&json, &format!("{rank}/memory/peak_bytes"));
            assert!((24.0..200.0).contains(&(peak / f64::from(1 << 20))), "{peak}");
        }
        let most = number(&json, "/memory/peak/most_bytes");
        assert!(most >= number(&json, "/memory/peak/mean_bytes"), "{json}");
    }
}

#[test]
#[ignore = "timing: what ranks of one CPU wait for it"]
fn ranks_that_are_bound_to_one_cpu_wait_for_it() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some(json) = on_one_cpu(&bench, mpi, "0.6") else { continue };
        let waited = [0, 1].map(|rank| number(&json, &format!("/ranks/{rank}/placement/run_delay_seconds")));
        eprintln!("{mpi:?}: {waited:?} s without a CPU");
        assert!(waited.iter().all(|waited| *waited > 0.15), "{waited:?} s without a CPU");
    }
}

#[test]
fn a_rank_that_is_killed_has_an_end_that_was_not_told() {
    let bench = Bench::new();
    let Some(json) = watched(&bench, MPICH, &[], ["killed", "0.1"]) else { return };
    assert_eq!(text(&json, "/ranks/1/end"), "not_told");
    let (elapsed, useful) =
        (number(&json, "/ranks/1/elapsed_seconds"), number(&json, "/ranks/1/time/useful_seconds"));
    // Its last call was MPI_Init, and it was seen to live for some time behind that, or it was not.
    assert!(elapsed > 0.0 && (0.0..=elapsed).contains(&useful), "{useful} of {elapsed} s");
}

#[test]
#[ignore = "timing: how soon a process that is killed was looked at from outside"]
fn a_rank_that_is_killed_has_its_time_until_then() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some(json) = watched(&bench, mpi, &[], ["killed", "3"]) else { continue };
        let (elapsed, useful) =
            (number(&json, "/ranks/1/elapsed_seconds"), number(&json, "/ranks/1/time/useful_seconds"));
        eprintln!("{mpi:?}: {elapsed} s, of which {useful} s useful");
        // Its last call was MPI_Init; a slow machine looks at it less often.
        assert!(
            elapsed > 1.0 && useful > 0.8 && useful <= elapsed,
            "{elapsed} s, of which {useful} s useful"
        );
        assert!(number(&json, "/ranks/1/placement/memory/peak_bytes") > 24e6, "{}", json["ranks"][1]);
    }
}
