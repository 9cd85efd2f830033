//! What of MPI is waiting and what is moving data, and the phases that a program names.

use serde_json::Value;

use crate::support::{Answer, Bench, MPIS, number, text};

/// The site of a call, of which there is one.
fn only<'a>(json: &'a Value, call: &str) -> &'a Value {
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

/// Two ranks of a program, and what it printed.
fn watched(bench: &Bench, mpi: (&str, &str), source: &str) -> Option<(Value, Answer)> {
    watched_with(bench, mpi, source, &[])
}

fn watched_with(
    bench: &Bench,
    (compiler, launcher): (&str, &str),
    source: &str,
    arguments: &[&str],
) -> Option<(Value, Answer)> {
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../../include");
    let program = bench.compile(compiler, source, &[include])?;
    let words = ["--json=run.json", "--full", "--output", "run.nw", "--fresh", "--"];
    let answer =
        bench.snapshot(&[&words[..], &[launcher, "-n", "2", program.to_str().unwrap()], arguments].concat());
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    Some((bench.json("run.json"), answer))
}

#[test]
fn what_ranks_wait_in_calls_is_part_of_these() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some((json, _)) = watched_with(&bench, mpi, "turns.c", &["12"]) else { continue };
        // Both call what is collective; one sends and the other receives.
        for (call, count, ranks) in
            [("MPI_Allreduce", 24.0, 2.0), ("MPI_Recv", 20.0, 1.0), ("MPI_Send", 20.0, 1.0)]
        {
            let site = only(&json, call);
            assert_eq!((number(site, "/count"), number(site, "/ranks")), (count, ranks), "{mpi:?}: {site}");
            let (waited, all) = (number(site, "/waiting_seconds"), number(site, "/seconds"));
            assert!(waited >= 0.0 && waited <= all, "{mpi:?}: {waited} of {all} s: {site}");
        }
        let known = number(&json, "/mpi/waiting_known_of_seconds");
        let waited = number(&json, "/mpi/waiting_in_calls_seconds");
        assert!(waited > 0.0 && waited <= known, "{json}");
    }
}

#[test]
#[ignore = "timing: waiting in calls of MPI vs the clocks of the ranks"]
fn ranks_that_take_turns_to_be_late_wait_and_do_not_move_data() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some((json, answer)) = watched(&bench, mpi, "turns.c") else { continue };
        for call in ["MPI_Allreduce", "MPI_Recv", "MPI_Send"] {
            let (site, own) = (only(&json, call), printed(&answer.out, call));
            let what = format!("{mpi:?} {call}: {} {site}", answer.out);
            let found = ["/waiting_seconds", "/seconds"].map(|of| number(site, of));
            eprintln!("{mpi:?} {call}: waiting and all {found:?} s, by its own clock {own:?}");
            is_near(found[0], own[0], &what);
            is_near(found[1], own[1], &what);
        }
        // Each sleeps for 3 ms 75 times, and the other one waits so long.
        assert!(number(only(&json, "MPI_Allreduce"), "/waiting_seconds") > 0.3, "{json}");
        let finding = |id: &str| json["findings"].as_array().unwrap().iter().find(|one| one["id"] == id);
        let late = finding("NW010").unwrap_or_else(|| panic!("{json}"));
        assert_eq!(late["evidence"][0]["quantity"], "waiting_in_calls", "{late}");
        // Both ranks come late to both: nobody has more to do than the other.
        let quantities = late["evidence"].as_array().unwrap().iter().map(|one| text(one, "/quantity"));
        let quantities: Vec<&str> = quantities.collect();
        assert!(["late_sender", "late_to_collective"].iter().all(|one| quantities.contains(one)), "{late}");
        let advice = late["advice"].as_array().unwrap();
        assert!(advice.iter().all(|one| !text(one, "/text").contains("divide the domain")), "{late}");
    }
}

/// Of one request of a message both ranks tell; of others, and of several at once, it is unavailable.
#[test]
fn what_a_wait_for_one_request_waits_is_known() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some((json, answer)) = watched(&bench, mpi, "late_receiver.c") else { continue };
        assert_eq!(answer.out, "late\n", "{}", answer.err);
        let sends = json.pointer("/mpi/sites").unwrap().as_array().unwrap();
        let sends: Vec<&Value> = sends.iter().filter(|site| site["name"] == "MPI_Send").collect();
        assert_eq!(sends.len(), 2, "{json}");
        for send in sends {
            assert!(number(send, "/waiting_seconds") <= number(send, "/seconds"), "{send}");
            assert_eq!(number(send, "/count"), 20.0, "{send}");
        }
        let (of_messages, others) = waits(&json);
        assert_eq!((of_messages.len(), others.len()), (2, 1), "{mpi:?}: {json}");
        for wait in of_messages {
            assert!(number(wait, "/waiting_seconds") <= number(wait, "/seconds"), "{wait}");
        }
        let reason = text(others[0], "/waiting_seconds/unavailable");
        assert!(reason.contains("no other rank tells"), "{reason}");
        let late = only(&json, "MPI_Ssend");
        assert!(number(late, "/waiting_seconds") <= number(late, "/seconds"), "{late}");
        let several = only(&json, "MPI_Waitall");
        assert!(text(several, "/waiting_seconds/unavailable").contains("completes requests"), "{several}");
        assert!(number(&json, "/mpi/in_requests_seconds") > 0.0, "{json}");
        let said = answer.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("of MPI_Waitall, MPI_Test and their kin ("), "{}", answer.err);
    }
}

/// The places that wait for one request: those of which it is known for how long, and the others.
fn waits(json: &Value) -> (Vec<&Value>, Vec<&Value>) {
    let sites = json.pointer("/mpi/sites").unwrap().as_array().unwrap();
    let waits = sites.iter().filter(|site| site["name"] == "MPI_Wait");
    waits.partition(|site| site["waiting_seconds"].is_number())
}

/// A sender that comes early with what does not fit into a buffer waits; with a word it does not.
#[test]
#[ignore = "timing: what a sender waits for a late receiver"]
fn a_send_waits_for_a_late_receiver() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some((json, _)) = watched(&bench, mpi, "late_receiver.c") else { continue };
        let sends = json.pointer("/mpi/sites").unwrap().as_array().unwrap();
        let mut waits: Vec<f64> = sends
            .iter()
            .filter(|site| site["name"] == "MPI_Send")
            .map(|site| number(site, "/waiting_seconds"))
            .collect();
        waits.sort_by(f64::total_cmp);
        let to_request = number(only(&json, "MPI_Ssend"), "/waiting_seconds");
        let (of_messages, _) = self::waits(&json);
        let of_messages: f64 = of_messages.iter().map(|site| number(site, "/waiting_seconds")).sum();
        eprintln!(
            "{mpi:?}: sends waited {waits:?} s, those to a request {to_request} s, waits for a message {of_messages} s"
        );
        // Twenty times 5 ms; a busy machine gives the receiver its CPU later still.
        assert!(waits.len() == 2 && waits[0] < 0.03 && waits[1] > 0.06, "{mpi:?}: {json}");
        // Eight times 5 ms each.
        assert!(to_request > 0.03 && of_messages > 0.02, "{mpi:?}: {json}");
    }
}

fn row<'a>(json: &'a Value, name: &str) -> &'a Value {
    let rows = json.pointer("/phases/rows").unwrap().as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name}: {json}"))
}

#[test]
fn a_region_has_efficiencies_of_its_own_in_the_report_and_from_the_record() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some((json, _)) = watched(&bench, mpi, "parts.c") else { continue };
        for name in ["uneven", "even"] {
            let row = row(&json, name);
            assert_eq!([number(row, "/calls"), number(row, "/processes")], [2.0, 2.0], "{mpi:?}: {row}");
            let of = |name: &str| number(row, &format!("/efficiency/{name}"));
            let product = of("mpi_communication") * of("mpi_load_balance");
            assert!((of("mpi_parallel") - product).abs() < 1e-6, "{mpi:?}: {row}");
            // One rests for 0.3 s in the uneven one, both for 0.2 s in the other.
            let least = if name == "even" { 0.2 } else { 0.3 };
            assert!(number(row, "/elapsed_seconds") >= 0.98 * least, "{mpi:?}: {row}");
            let mpi_seconds = number(row, "/time/mpi_seconds");
            assert!(
                mpi_seconds > 0.0 && mpi_seconds < 2.0 * number(row, "/elapsed_seconds"),
                "{mpi:?}: {row}"
            );
        }
        assert_eq!(text(row(&json, "MPI_Pcontrol(7)"), "/kind"), "pcontrol");
        let numawise = bench.numawise.to_str().unwrap();
        let full = bench.run(&[numawise, "report", bench.path("run.nw").to_str().unwrap(), "--full"]);
        assert!(full.out.contains("uneven") && full.out.contains("MPI_Pcontrol(7)"), "{}", full.out);
        let again = bench.run(&[numawise, "report", bench.path("run.nw").to_str().unwrap(), "--json"]);
        let again: Value = serde_json::from_str(&again.out).unwrap();
        assert_eq!(again.pointer("/phases"), json.pointer("/phases"));
    }
}

#[test]
#[ignore = "timing: regions vs the clocks of the ranks"]
fn a_region_has_the_times_that_its_ranks_note() {
    let bench = Bench::new();
    for mpi in MPIS {
        let Some((json, answer)) = watched(&bench, mpi, "parts.c") else { continue };
        // In one part rank 1 sleeps for 0.3 s and rank 0 for 0.1 s; in the other both for 0.2 s. A busy machine takes longer for all.
        for name in ["uneven", "even"] {
            let (row, own) = (row(&json, name), printed(&answer.out, name));
            let what = format!("{mpi:?} {name}: {} {json}", answer.out);
            let found = ["/elapsed_seconds", "/time/mpi_seconds"].map(|of| number(row, of));
            eprintln!("{mpi:?} {name}: {found:?} s, by their own clocks {own:?}");
            is_near(found[0], own[0], &what);
            is_near(found[1], 2.0 * own[1], &what);
            let balance = (own[0] - own[1]) / (own[0] - own[2]);
            let found = number(row, "/efficiency/mpi_load_balance");
            assert!((found - balance).abs() < 0.05, "{found}, by its own clock {balance}: {what}");
        }
        assert!(number(row(&json, "uneven"), "/time/mpi_seconds") > 0.12, "{json}");
    }
}
