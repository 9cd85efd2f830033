//! `numawise view`: the timeline of a trace, served to whoever has the token.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::as_usual::as_usual;
use crate::support::{Answer, Bench, MPIS};

/// A viewer that serves.
struct Viewer {
    child: Child,
    port: u16,
    token: String,
}

impl Viewer {
    fn of(bench: &Bench, words: &[&str]) -> Viewer {
        let mut command = bench.command(&bench.numawise);
        command.args(["view", "--no-browser"]).args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        as_usual(&mut command);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("{line:?}"));
        let (port, token) = address.split_once('/').unwrap();
        let (port, token) = (port.parse().unwrap(), token.trim_end_matches('/').to_owned());
        Viewer { child, port, token }
    }

    /// The status, the header and the body of an answer; `host`: as the request has it.
    fn asked(&self, method: &str, path: &str, host: &[&str]) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let hosts: String = host.iter().map(|host| format!("Host: {host}\r\n")).collect();
        write!(stream, "{method} {path} HTTP/1.1\r\n{hosts}Content-Length: 0\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end =
            answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head, answer.split_off(end + 4))
    }

    /// What is there for who has the token.
    fn get(&self, what: &str) -> (u16, String, Vec<u8>) {
        let host = format!("127.0.0.1:{}", self.port);
        self.asked("GET", &format!("/{}/{what}", self.token), &[&host])
    }

    fn ended_by(mut self, signal: &str) -> Answer {
        let killed = std::process::Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(killed.unwrap().success());
        let status = self.child.wait().unwrap();
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        Answer { status: status.code(), out: String::new(), err }
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Numbers of 7 bits a byte, as a window begins with.
fn numbers(bytes: &[u8], count: usize) -> Vec<u64> {
    let mut bytes = bytes.iter();
    let mut next = || {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = *bytes.next().unwrap();
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    };
    (0..count).map(|_| next()).collect()
}

/// A trace of two ranks that send each other messages, and its JSON.
fn traced(bench: &Bench, messages: &str) -> Option<Value> {
    let (launcher, program) = MPIS
        .into_iter()
        .find_map(|(compiler, launcher)| Some((launcher, bench.compile(compiler, "many_calls.c", &[])?)))?;
    let program = program.to_str().unwrap();
    let words =
        ["trace", "--json=run.json", "--output", "<i>.trace", "--", launcher, "-n", "2", program, messages];
    let answer = bench.numawise(&words);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    Some(bench.json("run.json"))
}

#[test]
fn a_trace_is_served_to_who_has_the_token_until_it_is_interrupted() {
    let bench = Bench::new();
    let Some(json) = traced(&bench, "3000") else { return };
    let viewer = Viewer::of(&bench, &["<i>.trace"]);
    let (status, head, page) = viewer.get("");
    let page = String::from_utf8(page).unwrap();
    assert!(status == 200 && page.contains("&lt;i&gt;.trace") && !page.contains("<i>"), "{head}\n{page}");
    for expected in ["Content-Security-Policy: default-src 'none'", "nosniff", "no-referrer", "no-store"] {
        assert!(head.contains(expected), "{head}");
    }
    let names: Value = serde_json::from_slice(&viewer.get("names").2).unwrap();
    let sites = names["sites"].to_string();
    assert!(sites.contains("MPI_Send") && sites.contains("many_calls.c"), "{names}");
    assert_eq!((names["note"].as_str(), names["goes_on"].as_bool()), (Some(""), Some(false)));
    let all = "window?from=0&to=9007199254740991&top=0&bottom=99&columns=50&lines=9&phases=1";
    let of_rank = viewer.get(&format!("{all}&ranks=1"));
    assert_eq!((of_rank.0, numbers(&of_rank.2, 7)[6]), (200, 1));
    assert_eq!(viewer.get(&format!("{all}&ranks=x")).0, 400);
    let (status, _, window) = viewer.get(all);
    let [version, read, rough, from, to, top, bottom, columns, groups] = numbers(&window, 9)[..] else {
        panic!()
    };
    assert_eq!((status, version, read, rough, from), (200, 1, 1000, 0, 0));
    let seconds = json["trace"]["span_seconds"].as_f64().unwrap_or_else(|| panic!("{}", json["trace"]));
    assert!((to as f64 / 1e9 - seconds).abs() < 1e-6, "{to} ns, {seconds} s");
    // All calls one by one: that is fewer than shares of states would be.
    assert_eq!((top, bottom, columns, groups), (0, 2, 0, 0));

    let [own, by_name] = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", viewer.port));
    let path = format!("/{}/names", viewer.token);
    let status = |method: &str, path: &str, host: &[&str]| viewer.asked(method, path, host).0;
    assert_eq!(status("GET", &path, &[&by_name]), 200);
    for host in [vec![], vec!["example.org"], vec!["127.0.0.1"], vec!["127.0.0.1:1"], vec![&own, &own]] {
        assert_eq!(status("GET", &path, &host), 403, "{host:?}");
    }
    let almost = viewer.token.replace(&viewer.token[..1], "x");
    for path in [
        "/",
        "/names",
        "//names",
        "",
        "/../names",
        &format!("/{almost}/names"),
        &format!("/{}x/", viewer.token),
    ] {
        let (status, _, body) = viewer.asked("GET", path, &[&own]);
        assert!(matches!(status, 400 | 403) && body.len() < 100, "{path}: {status}");
    }
    assert_eq!((status("POST", &path, &[&own]), status("PUT", &path, &[&own])), (405, 405));
    let (of_head, head, body) = viewer.asked("HEAD", &path, &[&own]);
    assert!(of_head == 200 && body.is_empty(), "{head}");
    for (path, expected) in
        [("x", 404), ("../..", 404), ("%2e%2e/etc/passwd", 404), ("window", 400), ("window?from=x", 400)]
    {
        assert_eq!(viewer.get(path).0, expected, "{path}");
    }
    // A port that is taken.
    let port = viewer.port.to_string();
    let taken = bench.numawise(&["view", "--no-browser", "--port", &port, "<i>.trace"]);
    assert!(taken.status == Some(125) && taken.err.contains("try another port"), "{}", taken.err);
    for (viewer, signal) in [(viewer, "-INT"), (Viewer::of(&bench, &["--from", "1us", "<i>.trace"]), "-TERM")]
    {
        let answer = viewer.ended_by(signal);
        assert_eq!((answer.status, answer.err.as_str()), (Some(0), ""));
    }
}

#[test]
fn who_has_closed_the_standard_output_gets_the_address_on_the_standard_error() {
    let bench = Bench::new();
    let Some(_) = traced(&bench, "100") else { return };
    let started = |closed: &str| {
        let mut command = bench.command("sh");
        let script = format!("exec \"$0\" view --no-browser '<i>.trace' {closed}");
        command.args(["-c", &script]).arg(&bench.numawise).stdout(Stdio::null()).stderr(Stdio::piped());
        as_usual(&mut command);
        command.spawn().unwrap()
    };
    let mut child = started(">&-");
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("http://127.0.0.1:") && line.ends_with("/\n"), "{line:?}");
    // Nobody would get it.
    assert_eq!(started(">&- 2>&-").wait().unwrap().code(), Some(125));
}

/// What Chromium makes of the page, and what it says; `None`, having said so, where there is none.
fn in_browser(bench: &Bench, viewer: &Viewer) -> Option<Answer> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(browser) = std::env::split_paths(&path).map(|of| of.join("chromium")).find(|of| of.is_file())
    else {
        assert!(std::env::var_os("NUMAWISE_REQUIRE_BROWSER").is_none_or(|value| value != "1"));
        let _ = writeln!(std::io::stderr(), "SKIPPED: no chromium in PATH");
        return None;
    };
    let mut command = bench.command(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-dev-shm-usage",
    ]);
    command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
    // Time goes on when everything that was asked for is here.
    command.args([
        "--enable-logging=stderr",
        "--v=0",
        "--virtual-time-budget=5000",
        "--window-size=1280,900",
    ]);
    command.arg(format!("--user-data-dir={}", bench.path("profile").display())).arg("--dump-dom");
    let address = format!("http://127.0.0.1:{}/{}/", viewer.port, viewer.token);
    Some(command.arg(address).output().unwrap().into())
}

#[test]
fn browser_the_page_fetches_what_it_shows() {
    let bench = Bench::new();
    let Some(_) = traced(&bench, "3000") else { return };
    // Its timeline is there, and a part of it, which is shorter than any trace of so many messages.
    for (words, unit) in [
        (&["<i>.trace"][..], "0 ms to "),
        (&["--from", "100us", "--to", "200us", "<i>.trace"], "0.1 ms to 0.2 ms"),
    ] {
        let viewer = Viewer::of(&bench, words);
        let Some(Answer { out, err, .. }) = in_browser(&bench, &viewer) else { return };
        assert!(!err.contains("CONSOLE"), "{err}");
        let (_, shown) = out.split_once("class=\"shown\">").unwrap_or_else(|| panic!("{out}\n{err}"));
        assert!(shown.starts_with(unit), "{}", &shown[..shown.len().min(200)]);
        let figure = out.split("<figure").find(|of| of.contains("id=\"events\"")).unwrap();
        assert!(!figure.split('>').next().unwrap().contains("hidden"), "{figure}");
        // Who sends to whom.
        assert!(
            !figure.contains("class=\"pairs\" hidden") && figure.contains("rows send, columns receive"),
            "{figure}"
        );
    }
    // Of a rank that is there, and of one that is not.
    for (ranks, said) in [("1", None), ("5-9", Some("ranks 5-9: not in this trace, so all are shown"))] {
        let viewer = Viewer::of(&bench, &["--ranks", ranks, "<i>.trace"]);
        let Some(Answer { out, err, .. }) = in_browser(&bench, &viewer) else { return };
        assert!(!err.contains("CONSOLE"), "{err}");
        assert!(said.is_none_or(|said| out.contains(said)), "{ranks}: {out}");
    }
}

#[test]
fn what_is_no_trace_is_not_served() {
    let bench = Bench::new();
    let answer = bench.numawise(&["snapshot", "--output", "run.nw", "--", "true"]);
    assert_eq!(answer.status, Some(0), "{}", answer.err);
    std::fs::write(bench.path("text"), "not a trace").unwrap();
    std::fs::write(bench.path("empty"), "").unwrap();
    let whole = std::fs::read(bench.path("run.nw")).unwrap();
    std::fs::write(bench.path("cut.nw"), &whole[..whole.len() / 2]).unwrap();
    let study = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/records/version-2.nw");
    for (file, expected) in [
        (
            "run.nw",
            "a snapshot without a trace; expected the trace of a program with MPI or OpenMP, by numawise trace",
        ),
        ("text", "text"),
        ("empty", "empty"),
        ("cut.nw", "the record is damaged"),
        ("missing", "there is no such file"),
        (study, "this is the record of a study (numawise check); expected the trace"),
        (".", "it is a directory"),
    ] {
        let answer = bench.numawise(&["view", "--no-browser", file]);
        let said = answer.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            answer.status == Some(125) && answer.out.is_empty() && said.contains(expected),
            "{file}: {said}"
        );
    }
    let backwards = bench.numawise(&["view", "--no-browser", "--from", "2s", "--to", "1s", "run.nw"]);
    assert!(backwards.err.contains("an end that is not behind the begin"), "{}", backwards.err);
}
