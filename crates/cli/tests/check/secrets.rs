//! Credentials: the program gets them, and nothing that is written or shown holds one.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::{check, folder, script, stderr};

const MARKER: &str = "<left out: looks like a credential>";

/// Each is in an argument, in a variable, or printed by the program only.
const SECRETS: [&str; 16] = [
    "argSecret1!",
    "arg two words",
    "urlPass7",
    "bearer.abc-77",
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "mysqlPass9",
    "8f14e45fceea167a5a36dedd4bea2543",
    "envSecret3",
    "kept-var-secret4",
    "java5pass",
    "out6token",
    "MIIEowIBAAKCAQEAxGKx",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmN",
    "printed8pw",
    "metricSecret11",
];

const PROGRAM: &str = r#"#!/bin/sh
printf '%s\n' "$@" > got.txt
printf '%s\n' "$DB_PASSWORD" "$OMPI_MCA_x_token" >> got.txt
echo run >> runs.txt
if [ $(wc -l < runs.txt) -gt 2 ]; then
  echo "using $DB_PASSWORD and $2 and --token out6token"
  echo "-----BEGIN PRIVATE KEY-----"
  echo MIIEowIBAAKCAQEAxGKx
  echo "-----END PRIVATE KEY-----"
  echo "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmN"
  echo "password: printed8pw"
  [ $(( $(wc -l < runs.txt) % 2 )) = 0 ] && exit 3
  echo "secret=metricSecret11"
  exit 0
fi
echo "secret=1.5"
"#;

fn words(program: &str) -> Vec<&str> {
    let mut words = vec!["--budget", "1ms", "--repeats", "5", "--metric", "secret=(.*)"];
    words.extend(["-o", "a.nw", "--html", "a.html", "--", program]);
    words.extend(["--password=argSecret1!", "--secret", "arg two words", "postgres://me:urlPass7@db/x"]);
    words.extend(["-H", "Authorization: Bearer bearer.abc-77", "AKIAIOSFODNN7EXAMPLE"]);
    words.extend(["in-ghp_16C7e42F292c6912E7710c838347Ae178B4a.h5", "mysql", "-pmysqlPass9"]);
    words.extend(["--key=8f14e45fceea167a5a36dedd4bea2543", "--key-size=4096", "--tokens", "128"]);
    words
}

fn run(folder: &Path, words: &[&str]) -> std::process::Output {
    let mut command = check(folder, words);
    command.env("DB_PASSWORD", "envSecret3").env("OMPI_MCA_x_token", "kept-var-secret4");
    command.env("JAVA_TOOL_OPTIONS", "-Xmx1g -Dx.password=java5pass").env("OMP_PROC_BIND", "false");
    command.output().unwrap()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

fn assert_clean(what: &str, bytes: &[u8]) {
    for secret in SECRETS {
        assert!(!holds(bytes, secret), "{what} holds {secret}:\n{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn neither_the_record_nor_a_report_holds_a_credential_and_the_program_gets_them_all() {
    let folder = folder();
    let path = folder.path();
    let program = script(path, "app", PROGRAM);
    let words = words(&program);
    for round in ["first", "resumed"] {
        let output = run(path, &words);
        assert!(output.status.success(), "{round}: {}", stderr(&output));
        assert_clean("the terminal", &output.stdout);
        assert_clean("the messages", &output.stderr);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("Left out") && text.contains("OMPI_MCA_x_token"), "{text}");
        assert!(
            text.contains(&format!("'--password={MARKER}'")) && text.contains("fill in what was left out"),
            "{text}"
        );
        assert!(text.contains("--key-size=4096 --tokens 128"), "{text}");
        // The program got what was typed.
        let got = std::fs::read_to_string(path.join("got.txt")).unwrap();
        let typed = words[words.iter().position(|word| *word == "--").unwrap() + 2..].join("\n");
        assert_eq!(got, format!("{typed}\nenvSecret3\nkept-var-secret4\n"), "{round}");
    }
    let record = std::fs::read(path.join("a.nw")).unwrap();
    assert_clean("the record", &record);
    for part in ["OMP_PROC_BIND", "OMPI_MCA_x_token", "-Xmx1g", MARKER, "--key-size=4096"] {
        assert!(holds(&record, part), "the record lacks {part}");
    }
    let page = std::fs::read(path.join("a.html")).unwrap();
    assert_clean("the page", &page);
    assert!(holds(&page, "OMP_PROC_BIND=false") && holds(&page, "Left out"));
    for options in [&["--json"][..], &[]] {
        let mut report = Command::new(env!("CARGO_BIN_EXE_numawise"));
        let output = report.arg("report").arg("a.nw").args(options).current_dir(path).output().unwrap();
        assert_clean("the report", &output.stdout);
        if !options.is_empty() {
            let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(json["left_out"]["arguments"], 8, "{}", json["command"]);
            assert_eq!(
                json["left_out"]["variables"],
                serde_json::json!(["JAVA_TOOL_OPTIONS", "OMPI_MCA_x_token"])
            );
            assert!(json["left_out"]["outputs"].as_u64().unwrap() > 0);
        }
    }
}

#[test]
fn a_first_run_that_fails_says_so_without_the_credential() {
    let folder = folder();
    let program =
        script(folder.path(), "app", "#!/bin/sh\necho \"no access for $2 with token=q1w2e3r4\"\nexit 3\n");
    let output = run(folder.path(), &["--", &program, "--token", "s3cr3t-token"]);
    assert_eq!(output.status.code(), Some(3));
    let text = stderr(&output);
    assert!(text.contains("no access for") && text.contains(MARKER), "{text}");
    assert!(!text.contains("s3cr3t-token") && !text.contains("q1w2e3r4"), "{text}");
}

#[test]
fn the_commands_of_watched_processes_are_shown_without_credentials() {
    let folder = folder();
    let path = folder.path();
    let script = script(path, "server", "#!/bin/sh\nsleep 60\n");
    let mut server = Command::new(&script)
        .args(["--password=argSecret1!", "--n=4"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let pid = server.id().to_string();
    let numawise = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_numawise"));
        command.args(words).current_dir(path).output().unwrap()
    };
    let json = numawise(&["where", &pid, "--json"]);
    let record = numawise(&["where", &pid, "--count", "2", "--interval", "0.2", "--record", "w.nw"]);
    let candidates = numawise(&["where", "erver"]);
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(holds(&candidates.stderr, "--n=4"), "{candidates:?}");
    assert!(json.status.success() && holds(&json.stdout, MARKER) && holds(&json.stdout, "--n=4"), "{json:?}");
    for (what, bytes) in
        [("JSON", &json.stdout), ("a message", &candidates.stderr), ("the watch", &record.stdout)]
    {
        assert_clean(what, bytes);
    }
    assert!(path.join("w.nw").exists(), "{record:?}");
    let series = std::fs::read(path.join("w.nw")).unwrap();
    assert_clean("the series", &series);
    assert!(holds(&series, MARKER));
}
