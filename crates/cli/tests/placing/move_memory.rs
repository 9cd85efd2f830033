//! `numawise move` as people call it, on whatever machine this is; `tests/emulated/residency.rs` has two nodes.

use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A program that waits, ended with the test.
struct Program(Child);

impl Program {
    fn waiting() -> Program {
        Program(Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap())
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn moved(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_numawise")).arg("move").args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Whether this process may have pages moved at all.
fn is_forbidden(output: &Output) -> bool {
    let forbidden =
        text(&output.stderr).contains("nothing was moved") || text(&output.stderr).contains("get_mempolicy");
    if forbidden {
        eprintln!("SKIPPED: {}", text(&output.stderr));
    }
    forbidden
}

#[test]
fn a_move_to_where_it_is_moves_nothing_and_says_so() {
    let program = Program::waiting();
    let output = moved(&[&program.pid(), "0", "0"]);
    if is_forbidden(&output) {
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let shown = text(&output.stdout).to_lowercase();
    assert!(shown.contains("moved 0 b of sleep") && shown.contains("before"), "{shown}");
    let output = moved(&[&program.pid(), "all", "0", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let one = &json["processes"][0];
    assert_eq!((&json["schema"], &one["unmoved_pages"]), (&"numawise/move/1".into(), &0.into()), "{json}");
    assert!(one["before"].as_array().is_some_and(|rows| !rows.is_empty()), "{json}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let program = Program::waiting();
    let pid = program.pid();
    for (words, part) in [
        (&[&pid, "0", "900"][..], "TO: there is no node 900 whose memory could be used"),
        (&[&pid, "1000", "0"], "FROM: there is no node 1000"),
        (&[&pid, "zero", "0"], "FROM 'zero': 'zero' is neither a number nor a range"),
        (&[&pid, "0", "!all"], "TO '!all' leaves no node"),
        (&["2147483647", "0", "0"], "there is no process 2147483647"),
        (&["no-such-program", "0", "0"], "no process is called 'no-such-program'"),
        (&["", "0", "0"], "an empty name was given"),
        (&[&pid, "0"], "<TO>"),
    ] {
        let output = moved(words);
        let said = text(&output.stderr);
        assert!(said.contains(part) && output.stdout.is_empty(), "{words:?}: {said}");
        assert_eq!(output.status.code(), Some(125), "{words:?}");
    }
}
