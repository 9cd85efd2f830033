//! Files that are being made: what a kill leaves is begun anew, what holds something stays, and nobody else may read it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use rusqlite::Connection;

use crate::support::{Place, RECORD, Random, send};

/// Kills of a command that starts over, and of one that samples a running process.
const KILLS: usize = 8;

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// `numawise check` of the place's program, to its end.
fn check(place: &Place, options: &[&str]) -> Output {
    let program = place.program("0.05");
    let words = [
        &["check", "--budget", "200ms", "--repeats", "5", "-o", RECORD],
        options,
        &["--", program.to_str().unwrap()],
    ]
    .concat();
    place.numawise(&words).stderr(Stdio::piped()).output().unwrap()
}

#[test]
fn what_holds_nothing_is_begun_anew() {
    type Leave = fn(&Path);
    let left: [(&str, Leave); 4] = [
        ("an empty file", |record| std::fs::write(record, "").unwrap()),
        ("an empty file and the journal of its first transaction", |record| half_made(record, 0)),
        ("a file whose first transaction did not end", |record| half_made(record, 200)),
        ("the journal of a file that is gone", |record| {
            half_made(record, 200);
            std::fs::remove_file(record).unwrap();
        }),
    ];
    for (what, leave) in left {
        let place = Place::new();
        leave(&place.record());
        let output = check(&place, &[]);
        assert!(output.status.success(), "{what}: {}", told(&output));
        assert!(place.trials() >= 11 && place.left_lying(&[RECORD]).is_empty(), "{what}");
    }
    // A record without trials, which an older numawise could leave.
    let place = Place::new();
    assert!(check(&place, &[]).status.success());
    let sql = Connection::open(place.record()).unwrap();
    sql.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    for table in ["trial_values", "threads", "thread_cpus", "pages", "trials"] {
        sql.execute(&format!("DELETE FROM {table}"), []).unwrap();
    }
    drop(sql);
    assert_eq!(place.trials(), 0);
    let output = check(&place, &[]);
    assert!(output.status.success(), "{}", told(&output));
    assert!(place.trials() >= 11);
}

/// What SQLite leaves that was killed in the first transaction of a file, after so many rows.
fn half_made(record: &Path, rows: usize) {
    let folder = tempfile::tempdir().unwrap();
    let sql = Connection::open(folder.path().join(RECORD)).unwrap();
    sql.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE; CREATE TABLE half (a);").unwrap();
    for _ in 0..rows {
        sql.execute("INSERT INTO half VALUES (zeroblob(4000))", []).unwrap();
    }
    let journal = format!("{RECORD}-journal");
    for name in [RECORD, &journal] {
        std::fs::copy(folder.path().join(name), record.with_file_name(name)).unwrap();
    }
}

#[test]
fn what_holds_something_is_refused_and_stays() {
    let place = Place::new();
    let other = Connection::open(place.record()).unwrap();
    other.execute_batch("CREATE TABLE bookmarks (a); INSERT INTO bookmarks VALUES (1);").unwrap();
    drop(other);
    let database = std::fs::read(place.record()).unwrap();
    for bytes in [&b"my notes"[..], b"\n", &database] {
        std::fs::write(place.record(), bytes).unwrap();
        for options in [&[][..], &["--fresh"]] {
            let output = check(&place, options);
            assert_eq!(output.status.code(), Some(125), "{}", told(&output));
            assert!(told(&output).contains("a.nw"), "{}", told(&output));
            assert_eq!(std::fs::read(place.record()).unwrap(), bytes);
            assert!(place.left_lying(&[RECORD]).is_empty());
        }
    }
}

#[test]
fn killed_while_it_starts_over_one_of_the_records_is_there_whole() {
    let mut random = Random::new("starting over");
    let place = Place::new();
    assert!(check(&place, &[]).status.success());
    let (mut old, mut new) = (0, 0);
    let program = place.program_with("while [ -e \"${0%/*}/hold\" ]; do sleep 0.01; done");
    let hold = program.with_file_name("hold");
    let program = program.to_str().unwrap();
    let words = ["check", "--fresh", "--budget", "200ms", "--repeats", "5", "-o", RECORD, "--", program];
    for round in 0..KILLS {
        let (before, inode) = (place.trials(), inode(&place.record()));
        let (begun, ended) = place.runs();
        let is_new = || self::inode(&place.record()) != inode;
        if round % 4 == 0 {
            std::fs::write(&hold, "").unwrap();
        }
        let mut child = place.numawise(&words).spawn().unwrap();
        // In the first run; when the new record has come; and while it is made, every other one at once, since a fast disk makes a
        // record in less than a millisecond.
        let is_time = |pid| match round % 4 {
            0 => place.runs().0 > begun,
            1 => is_new(),
            _ => place.runs().1 > ended && place.has_a_draft(pid),
        };
        while !is_time(child.id()) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(random.micros(if round % 4 == 3 { 15_000 } else { 1 }));
        send(child.id() as i32, libc::SIGKILL);
        child.wait().unwrap();
        let _ = std::fs::remove_file(&hold);
        match round % 4 {
            0 => assert!(!is_new(), "nothing of the new one is known yet"),
            1 => assert!(is_new()),
            _ => {}
        }
        if is_new() {
            assert!(place.trials() >= 1);
            new += 1;
        } else {
            assert_eq!(place.trials(), before);
            old += 1;
        }
        let lying = place.left_lying(&[RECORD, "a.nw-journal"]);
        assert!(lying.len() <= 1 && lying.iter().all(|name| name.starts_with(".numawise-")), "{lying:?}");
    }
    assert!(check(&place, &["--fresh"]).status.success() && place.left_lying(&[RECORD]).is_empty());
    eprintln!(
        "starting over: {KILLS} kills, {old} times the old record was there, {new} times the new one; each whole"
    );
}

fn inode(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    path.metadata().unwrap().ino()
}

#[test]
fn a_killed_recorder_of_samples_goes_on() {
    let mut random = Random::new("samples");
    let place = Place::new();
    let own = std::process::id().to_string();
    let words = ["where", "--record", RECORD, "--interval", "50ms", "--count", "3", &own];
    let looks = |place: &Place| -> i64 {
        if !place.record().exists() {
            return 0;
        }
        let sql = Connection::open(place.record()).unwrap();
        let check: String = sql.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
        sql.query_row("SELECT count(*) FROM looks", [], |row| row.get(0)).unwrap()
    };
    let (mut seen, mut unnamed) = (0, 0);
    for round in 0..KILLS {
        if round % 4 == 0 {
            // With its journal, if the last kill has left one.
            for name in [RECORD, "a.nw-journal"] {
                let _ = std::fs::remove_file(place.work().join(name));
            }
            seen = 0;
        }
        let mut child = place.numawise(&words).spawn().unwrap();
        // Every other one is given the time to keep a look.
        while round % 2 == 1 && looks(&place) == seen && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(random.micros(60_000));
        send(child.id() as i32, libc::SIGKILL);
        child.wait().unwrap();
        unnamed += usize::from(!place.record().exists());
        let now = looks(&place);
        assert!(now >= seen, "{now} of {seen} looks");
        seen = now;
        assert!(place.left_lying(&[RECORD, "a.nw-journal"]).is_empty());
    }
    let output = place.numawise(&words).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
    assert!(looks(&place) > seen && place.left_running().is_empty());
    eprintln!("samples: {KILLS} kills, {unnamed} before there was a file; each file whole");
}

#[test]
fn files_have_the_rights_of_the_umask_and_others_have_none() {
    let place = Place::new();
    let program = place.program("0.01");
    let mode = |name: &str| place.work().join(name).metadata().unwrap().permissions().mode() & 0o777;
    let run = |umask: &str, words: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("umask {umask}; exec {} {words}", env!("CARGO_BIN_EXE_numawise"))]);
        place.settle(&mut command);
        let output = command.stderr(Stdio::piped()).output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
    };
    let check = format!("check --budget 1ms --html r.html -o a.nw -- {}", program.display());
    let series = format!("where --record s.nw --interval 50ms --count 1 {}", std::process::id());
    for (umask, expected) in [("000", 0o640), ("022", 0o640), ("077", 0o600)] {
        run(umask, &check);
        run(umask, &series);
        assert_eq!(["a.nw", "r.html", "s.nw"].map(mode), [expected; 3], "umask {umask}");
        // A journal has the rights of its record.
        let writer = Connection::open(place.record()).unwrap();
        writer.execute_batch("BEGIN IMMEDIATE; UPDATE study SET stopped = NULL;").unwrap();
        assert_eq!(mode("a.nw-journal"), expected);
        drop(writer);
        for name in ["a.nw", "r.html", "s.nw"] {
            std::fs::remove_file(place.work().join(name)).unwrap();
        }
    }
    // What takes the place of a file has no more rights than that one.
    run("000", &check);
    for name in ["a.nw", "r.html"] {
        std::fs::set_permissions(place.work().join(name), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    run("000", &check.replace("check", "check --fresh"));
    assert_eq!(["a.nw", "r.html"].map(mode), [0o600; 2]);
}

#[test]
fn two_that_begin_at_once_make_one_record() {
    let place = Place::new();
    let program = place.program("0.01");
    let words =
        ["check", "--budget", "200ms", "--repeats", "5", "-o", RECORD, "--", program.to_str().unwrap()];
    let children: Vec<_> =
        (0..4).map(|_| place.numawise(&words).stderr(Stdio::piped()).spawn().unwrap()).collect();
    let outputs: Vec<Output> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let done = outputs.iter().filter(|output| output.status.success()).count();
    assert!(done >= 1);
    for output in outputs.iter().filter(|output| !output.status.success()) {
        let told = told(output);
        assert!(
            told.contains("another numawise") || told.contains("a study is kept there already"),
            "{told}"
        );
    }
    assert!(place.trials() >= 11 && place.left_lying(&[RECORD]).is_empty());
}
