//! Files that are not a record, or not one for us, or no longer whole.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use numawise_record::{Record, RecordError};
use rusqlite::Connection;

use crate::sample;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("app.nw")
    }

    fn holding(bytes: impl AsRef<[u8]>) -> Self {
        let folder = Folder::new();
        fs::write(folder.path(), bytes).unwrap();
        folder
    }

    fn with_trials(trials: u32) -> Self {
        let folder = Folder::new();
        let mut record = Record::create(&folder.path(), &sample::header()).unwrap();
        for number in 0..trials {
            record.append(&sample::trial(number)).unwrap();
        }
        record.set_lines(&sample::lines()).unwrap();
        for number in 0..trials {
            record.append_line(&sample::line_run(number)).unwrap();
        }
        folder
    }
}

/// The one text that opening gives, to write and to read.
fn refusal(path: &Path) -> String {
    let text = |result: Result<Record, RecordError>| match result {
        Ok(record) => record.study().expect_err("it should be refused").to_string(),
        Err(error) => error.to_string(),
    };
    let (write, read) = (text(Record::open(path)), text(Record::open_to_read(path)));
    assert_eq!(write, read);
    assert!(write.starts_with(&path.display().to_string()), "{write}");
    write
}

#[test]
fn a_text_file_is_not_a_record() {
    let folder = Folder::holding("point,value\n".repeat(200));
    assert!(refusal(&folder.path()).contains("it is not an SQLite file"));
    let error = Record::create(&folder.path(), &sample::header()).unwrap_err();
    assert!(matches!(error, RecordError::Exists(_)), "{error}");
    let error = Record::replace(&folder.path(), &sample::header()).unwrap_err();
    assert!(matches!(error, RecordError::NotARecord { .. }), "{error}");
    assert_eq!(fs::read(folder.path()).unwrap(), "point,value\n".repeat(200).as_bytes());
}

#[test]
fn a_database_of_another_program_is_not_a_record() {
    let folder = Folder::new();
    let other = Connection::open(folder.path()).unwrap();
    other.execute_batch("CREATE TABLE bookmarks (a); INSERT INTO bookmarks VALUES (1);").unwrap();
    let before = fs::read(folder.path()).unwrap();
    assert!(refusal(&folder.path()).contains("an SQLite database of another program"));
    assert!(Record::replace(&folder.path(), &sample::header()).is_err());
    other.pragma_update(None, "application_id", 42).unwrap();
    assert!(refusal(&folder.path()).contains("application id 42"));
    other.pragma_update(None, "application_id", 0).unwrap();
    assert_eq!(fs::read(folder.path()).unwrap().len(), before.len());
}

#[test]
fn a_newer_format_is_not_guessed_at() {
    let folder = Folder::with_trials(1);
    let sql = Connection::open(folder.path()).unwrap();
    sql.pragma_update(None, "user_version", 7).unwrap();
    let text = refusal(&folder.path());
    assert!(text.contains("format version 7") && text.contains("up to 2"), "{text}");
    sql.pragma_update(None, "user_version", 0).unwrap();
    assert!(refusal(&folder.path()).contains("version 0 was never written"));
    sql.pragma_update(None, "user_version", -3).unwrap();
    assert!(refusal(&folder.path()).contains("version -3 was never written"));
}

#[test]
fn a_directory_and_nothing_are_told_apart() {
    let folder = Folder::new();
    assert!(refusal(&folder.path()).contains("there is no such file"));
    fs::create_dir(folder.path()).unwrap();
    assert!(refusal(&folder.path()).contains("it is a directory"));
    for made in [Record::create, Record::replace] {
        let error = made(&folder.path(), &sample::header()).unwrap_err();
        assert!(matches!(error, RecordError::Directory(_)), "{error}");
    }
    let under = folder.path().join("no").join("such").join("app.nw");
    assert!(Record::create(&under, &sample::header()).is_err());
}

#[test]
fn a_pipe_is_not_waited_for() {
    let folder = Folder::new();
    let made = std::process::Command::new("mkfifo").arg(folder.path()).status().unwrap();
    assert!(made.success());
    let error = Record::open(&folder.path()).unwrap_err();
    assert!(error.to_string().contains("not an ordinary file"), "{error}");
    let error = Record::open_to_read(&folder.path()).unwrap_err();
    assert!(error.to_string().contains("not an ordinary file"), "{error}");
}

#[test]
fn an_empty_file_is_a_study_that_did_not_begin() {
    let folder = Folder::holding("");
    assert!(refusal(&folder.path()).contains("the file is empty"));
    Record::create(&folder.path(), &sample::header()).unwrap().append(&sample::trial(0)).unwrap();
    assert_eq!(Record::open(&folder.path()).unwrap().study().unwrap().trials.len(), 1);
}

#[test]
fn a_truncated_record_is_refused_at_every_length() {
    let whole = fs::read(Folder::with_trials(6).path()).unwrap();
    let mut lengths: Vec<usize> = (1..whole.len()).step_by(997).collect();
    lengths.extend([1, 15, 16, 67, 72, 99, 100, 511, 512, 4095, 4096, whole.len() - 1]);
    for length in lengths {
        let folder = Folder::holding(&whole[..length]);
        match Record::open(&folder.path()) {
            Ok(_) => panic!("{length} of {} bytes were taken for a record", whole.len()),
            Err(RecordError::NotARecord { .. } | RecordError::Damaged { .. }) => {}
            Err(other) => panic!("{length} bytes: {other}"),
        }
    }
}

#[test]
fn damage_inside_is_found_before_anything_is_added() {
    let folder = Folder::with_trials(40);
    let mut bytes = fs::read(folder.path()).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 64].fill(0xa5);
    fs::write(folder.path(), &bytes).unwrap();
    let error = Record::open(&folder.path()).unwrap_err();
    assert!(matches!(error, RecordError::Damaged { .. }), "{error}");
    // Starting over is possible: the beginning says that it was ours.
    Record::replace(&folder.path(), &sample::header()).unwrap();
    assert_eq!(Record::open(&folder.path()).unwrap().study().unwrap().trials, []);
}

#[test]
fn rows_that_make_no_sense_are_refused_with_their_place() {
    let cases = [
        ("UPDATE study SET header = '{'", "study: row 1, header: "),
        ("DELETE FROM study", "the table 'study' is empty"),
        ("UPDATE study SET stopped = 'bored'", "study: row 1, stopped: found 'bored', expected decided"),
        ("UPDATE trials SET missing = 'x' WHERE number = 1", "trials: row 1, missing: "),
        (
            "UPDATE trials SET disturbances = '[{\"moon\": 1}]' WHERE number = 2",
            "trials: row 2, disturbances: ",
        ),
        ("UPDATE trials SET exit_signal = NULL WHERE number = 5", "trials: row 5, exit_signal: found NULL"),
        ("UPDATE trials SET user_ns = NULL WHERE number = 0", "trials: row 0, user_ns: found NULL"),
        ("UPDATE trials SET user_ns = 'long' WHERE number = 0", "trials: row 0, user_ns: found 'long'"),
        (
            "UPDATE trials SET user_ns = -1 WHERE number = 0",
            "trials: row 0, user_ns: found -1, expected a whole number",
        ),
        (
            "UPDATE trials SET wall_ns = 9e17 WHERE number = 0",
            "trials: row 0, wall_ns: found 900000000000000000 ns",
        ),
        ("UPDATE trials SET number = -5 WHERE number = 0", "trials: row -5, number: found -5"),
        ("UPDATE trials SET block = 4000000000 WHERE number = 3", "trials: row 3, block: found 4000000000"),
        ("UPDATE trials SET point = 'nowhere' WHERE number = 3", "trials: row 3, point: found 'nowhere'"),
        (
            "UPDATE trials SET peak_memory_bytes = 9223372036854775807 WHERE number = 0",
            "peak_memory_bytes: found",
        ),
        (
            "UPDATE trials SET sampler_cpu_ns = 9e17 WHERE number = 0",
            "no more than the time that watching lasted",
        ),
        ("UPDATE trials SET steal = 1e300 WHERE number = 1", "steal: found"),
        (
            "UPDATE trials SET steal = -0.5 WHERE number = 1",
            "steal: found -0.5, expected a share from 0 to 1",
        ),
        ("UPDATE trial_values SET value = -2.5 WHERE trial = 1", "trial_values: trial 1, value: found -2.5"),
        (
            "UPDATE trial_values SET value = 1e18 WHERE trial = 1",
            "value: found 1000000000000000000 s, expected a run time of at most ten years",
        ),
        (
            "UPDATE trial_values SET value = 1e-320 WHERE trial = 1",
            "trial_values: trial 1, value: found 0.000",
        ),
        ("UPDATE trial_values SET value = NULL WHERE trial = 1", "trial_values: row 1, value: found NULL"),
        ("UPDATE trial_values SET value = 9e999 WHERE trial = 1", "trial_values: trial 1, value: found inf"),
        ("UPDATE trial_values SET value = x'00' WHERE trial = 1", "found 1 bytes that are no text"),
        ("DELETE FROM trial_values WHERE trial = 1", "trial_values: trial 1, value: found none"),
        (
            "UPDATE thread_cpus SET cpu = 4294967295 WHERE trial = 0",
            "thread_cpus: row 0, cpu: found 4294967295",
        ),
        ("UPDATE pages SET node = 70000 WHERE trial = 0", "pages: row 0, node: found 70000"),
        ("UPDATE pages SET bytes = -1 WHERE trial = 0", "pages: row 0, bytes: found -1"),
        ("UPDATE threads SET mask = '3-1' WHERE trial = 0", "threads: row 0, mask: found '3-1'"),
        ("UPDATE threads SET mask = '0-65535' WHERE trial = 0", "none above 8191"),
        ("DROP VIEW memory_by_node; DROP TABLE pages", "there is no table 'pages'"),
    ];
    refused_with_their_place(&cases);
}

#[test]
fn lines_that_make_no_sense_are_refused_with_their_place() {
    let cases = [
        ("UPDATE study SET lines_point = 'os'", "study: lines_point: found 'os', expected a point"),
        ("UPDATE study SET lines_point = 'nowhere'", "study: lines_point: found 'nowhere'"),
        ("UPDATE study SET lines_stopped = 'bored'", "study: row 1, lines_stopped: found 'bored'"),
        ("UPDATE lines SET tool = 'magic' WHERE tool = 'numactl'", "lines: row 'magic', tool: found 'magic'"),
        ("DELETE FROM lines WHERE tool = 'program'", "lines: first row: found numawise"),
        ("DELETE FROM lines WHERE tool = 'numactl'", "tool: found 'numactl', expected a line that is run"),
        ("UPDATE lines SET not_run = '\"bored\"'", "lines: row "),
        ("UPDATE lines SET line = x'ff' WHERE position = 0", "lines: row 'program', line: found 1 bytes"),
        (
            "UPDATE lines SET not_run = '{\"no_time\": {\"needs\": 900000000000000000, \"left\": 0}}' WHERE position = 3",
            "lines: row taskset, not_run: found 900000000000000000 ns",
        ),
        ("UPDATE line_trials SET block = 0 WHERE number = 1", "line_trials: row 1, block: found 0"),
        ("UPDATE line_trials SET block = 4000 WHERE number = 1", "line_trials: row 1, block: found 4000"),
        ("UPDATE line_trials SET tool = 'srun' WHERE number = 1", "line_trials: row 1, tool: found 'srun'"),
        ("UPDATE line_trials SET value = NULL WHERE number = 1", "line_trials: row 1, value: found"),
        ("UPDATE line_trials SET value = -1.0 WHERE number = 1", "line_trials: row 1, value: found -1"),
        ("UPDATE line_trials SET value = 1e18 WHERE number = 1", "line_trials: row 1, value: found 1"),
        ("UPDATE line_trials SET wall_ns = 9e17 WHERE number = 1", "line_trials: row 1, wall_ns: found"),
        ("UPDATE line_trials SET exit_code = 0 WHERE number = 5", "line_trials: row 5, exit_code: found 0"),
        (
            "UPDATE line_trials SET disturbances = '[{\"steal\": 7.0}]' WHERE number = 1",
            "line_trials: row 1, disturbances: found 7",
        ),
        ("DROP TABLE line_trials", "there is no table 'line_trials'"),
    ];
    refused_with_their_place(&cases);
}

/// Each damage is refused with the text that belongs to it.
fn refused_with_their_place(cases: &[(&str, &str)]) {
    for (damage, expected) in cases {
        let folder = Folder::with_trials(7);
        Connection::open(folder.path())
            .unwrap()
            .execute_batch(&format!("PRAGMA foreign_keys = OFF; {damage}"))
            .unwrap();
        let read = Record::open_to_read(&folder.path()).and_then(|record| record.study()).map(drop);
        let error = read.expect_err(damage);
        let mut text = error.to_string();
        if let Some(source) = std::error::Error::source(&error) {
            text += &source.to_string();
        }
        assert!(text.contains(expected), "{damage}: {text}");
    }
}

#[test]
fn a_header_that_makes_no_sense_is_refused_with_its_place() {
    let header = serde_json::to_value(sample::header()).unwrap();
    let cases: [(&str, serde_json::Value, &str); 15] = [
        ("/machine/cpus/1/id", 0.into(), "machine.cpus[1].id: found 0, expected CPUs in ascending order"),
        ("/machine/cpus/3/id", 4_000_000_000_u32.into(), "CPU 4000000000 is above 8191"),
        ("/machine/nodes/1/id", 70_000.into(), "node 70000 is above 1023"),
        ("/machine/nodes/1/id", 0.into(), "nodes in ascending order"),
        (
            "/machine/nodes/0/memory",
            u64::MAX.into(),
            "machine.nodes[0].memory: found 18446744073709551615 bytes",
        ),
        ("/machine/nodes/0/cpus", "0-4000000000".into(), "4000000000 is above 8191"),
        ("/points", serde_json::json!([]), "points: found none, expected at least the baseline"),
        ("/points/1/id", "os".into(), "points: found 'os' twice"),
        ("/points/1/role", "baseline".into(), "points: found 2 baselines, expected one"),
        ("/points/1/placement/tasks", serde_json::json!([]), "points[1].placement.tasks: found 0"),
        ("/pairs/0/from", "here".into(), "pairs[0].from: found 'here', expected a point of the study"),
        ("/pairs/0/to", "os".into(), "expected another point than from"),
        ("/margin", (-0.5).into(), "margin: found -0.5, expected a share"),
        ("/command/command", serde_json::json!([]), "expected a program"),
        ("/start_cost", u64::MAX.into(), "start_cost: found 18446744073709551615 ns"),
    ];
    for (place, value, expected) in cases {
        let folder = Folder::with_trials(3);
        let mut changed = header.clone();
        *changed.pointer_mut(place).unwrap() = value;
        let sql = Connection::open(folder.path()).unwrap();
        sql.execute("UPDATE study SET header = ?1", [changed.to_string()]).unwrap();
        drop(sql);
        let said = refusal(&folder.path());
        assert!(
            said.contains("study: row 1, header: ") || said.contains("study.header: "),
            "{place}: {said}"
        );
        assert!(said.contains(expected), "{place}: {said}");
    }
}

#[test]
fn two_writers_are_kept_apart_and_readers_are_not() {
    let folder = Folder::with_trials(2);
    let mut first = Record::open(&folder.path()).unwrap();
    for second in [Record::open(&folder.path()), Record::replace(&folder.path(), &sample::header())] {
        let error = second.unwrap_err();
        assert!(matches!(error, RecordError::InUse(_)), "{error}");
        assert!(error.to_string().contains("another numawise is measuring into it"));
    }
    let reader = Record::open_to_read(&folder.path()).unwrap();
    first.append(&sample::trial(2)).unwrap();
    assert_eq!(reader.study().unwrap().trials.len(), 3);
    drop(first);
    Record::open(&folder.path()).unwrap();
}

#[test]
fn a_reader_cannot_write() {
    let folder = Folder::with_trials(1);
    let mut reader = Record::open_to_read(&folder.path()).unwrap();
    let error = reader.append(&sample::trial(1)).unwrap_err();
    assert!(matches!(error, RecordError::ReadOnly { .. }), "{error}");
}

#[test]
fn starting_over_replaces_the_record_and_nothing_else() {
    let folder = Folder::with_trials(5);
    // What a killed writer may leave behind must not get into the new file.
    fs::write(folder.0.path().join("app.nw-journal"), vec![7; 5000]).unwrap();
    fs::write(folder.0.path().join("app.nw.new"), "not ours").unwrap();
    let mut header = sample::header();
    header.seed = 2;
    let mut record = Record::replace(&folder.path(), &header).unwrap();
    record.append(&sample::trial(0)).unwrap();
    assert_eq!(record.header().seed, 2);
    assert_eq!(record.study().unwrap().trials.len(), 1);
    assert!(matches!(Record::open(&folder.path()), Err(RecordError::InUse(_))));
    drop(record);
    let left: Vec<_> = fs::read_dir(folder.0.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    assert_eq!(fs::read(folder.0.path().join("app.nw.new")).unwrap(), b"not ours");
    fs::remove_file(folder.path()).unwrap();
    Record::replace(&folder.path(), &header).unwrap();
    assert!(folder.path().exists());
}

#[test]
fn a_link_to_a_record_is_followed() {
    let folder = Folder::with_trials(1);
    let link = folder.0.path().join("link.nw");
    symlink(folder.path(), &link).unwrap();
    Record::open(&link).unwrap().append(&sample::trial(1)).unwrap();
    assert_eq!(Record::open_to_read(&folder.path()).unwrap().study().unwrap().trials.len(), 2);
}

#[test]
fn a_record_begins_with_its_first_trials_or_not_at_all() {
    let folder = Folder::new();
    let trials = [sample::trial(0), sample::trial(1)];
    let mut record = Record::create_with(&folder.path(), &sample::header(), &trials).unwrap();
    assert_eq!(record.study().unwrap().trials, trials);
    assert!(matches!(Record::open(&folder.path()), Err(RecordError::InUse(_))));
    record.append(&sample::trial(2)).unwrap();
    drop(record);
    assert_eq!(Record::open(&folder.path()).unwrap().study().unwrap().trials.len(), 3);
    crate::killer::assert_whole(&folder.path());
    let again = Record::create_with(&folder.path(), &sample::header(), &trials);
    assert!(matches!(again, Err(RecordError::Exists(_))));
    let twice = [sample::trial(0), sample::trial(0)];
    Record::replace_with(&folder.path(), &sample::header(), &twice).unwrap_err();
    assert_eq!(Record::open(&folder.path()).unwrap().study().unwrap().trials.len(), 3);
}

/// A journal that would undo trials, as a killed writer leaves it: that of the trials after the first.
fn with_a_hot_journal() -> (Folder, Vec<u8>) {
    let folder = Folder::with_trials(1);
    let sql = Connection::open(folder.path()).unwrap();
    sql.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE; CREATE TABLE filler (a);").unwrap();
    for _ in 0..200 {
        sql.execute("INSERT INTO filler VALUES (zeroblob(4000))", []).unwrap();
    }
    let journal = fs::read(folder.0.path().join("app.nw-journal")).unwrap();
    assert!(journal.starts_with(&[0xd9, 0xd5, 0x05, 0xf9]), "it is no journal yet");
    (folder, journal)
}

#[test]
fn the_journal_of_a_file_that_is_gone_is_not_applied_to_a_new_one() {
    let (_old, journal) = with_a_hot_journal();
    for there in [None, Some("")] {
        let folder = Folder::new();
        if let Some(bytes) = there {
            fs::write(folder.path(), bytes).unwrap();
        }
        let beside = folder.0.path().join("app.nw-journal");
        fs::write(&beside, &journal).unwrap();
        let trials = [sample::trial(0), sample::trial(1)];
        drop(Record::create_with(&folder.path(), &sample::header(), &trials).unwrap());
        assert!(!beside.exists());
        assert_eq!(Record::open(&folder.path()).unwrap().study().unwrap().trials, trials);
        crate::killer::assert_whole(&folder.path());
    }
}

#[test]
fn a_file_whose_first_transaction_did_not_end_holds_nothing_and_is_begun_again() {
    let folder = Folder::new();
    let sql = Connection::open(folder.path()).unwrap();
    sql.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE; CREATE TABLE half (a);").unwrap();
    for _ in 0..200 {
        sql.execute("INSERT INTO half VALUES (zeroblob(4000))", []).unwrap();
    }
    let half = Folder::new();
    for name in ["app.nw", "app.nw-journal"] {
        fs::copy(folder.0.path().join(name), half.0.path().join(name)).unwrap();
    }
    assert!(half.path().metadata().unwrap().len() > 4096);
    assert!(matches!(Record::open(&half.path()), Err(RecordError::Empty(_))));
    drop(Record::create(&half.path(), &sample::header()).unwrap());
    assert_eq!(Record::open(&half.path()).unwrap().study().unwrap().trials, []);
}

#[test]
fn a_record_has_no_more_rights_than_its_owner_and_group_need() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let folder = Folder::with_trials(1);
    assert_eq!(mode(&folder.path()) & !0o640, 0);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o600)).unwrap();
    Record::replace(&folder.path(), &sample::header()).unwrap();
    assert_eq!(mode(&folder.path()), 0o600);
    let empty = Folder::holding("");
    fs::set_permissions(empty.path(), fs::Permissions::from_mode(0o666)).unwrap();
    Record::create(&empty.path(), &sample::header()).unwrap();
    assert_eq!(mode(&empty.path()) & !0o640, 0);
}

/// Whoever analyses a study looks at every trial for every point.
#[test]
fn more_points_than_anybody_measures_are_refused() {
    let folder = Folder::with_trials(1);
    let connection = Connection::open(folder.path()).unwrap();
    let header: String = connection.query_row("SELECT header FROM study", [], |row| row.get(0)).unwrap();
    let mut header: serde_json::Value = serde_json::from_str(&header).unwrap();
    let points = header["points"].as_array_mut().unwrap();
    let template = points[1].clone();
    for k in points.len()..1001 {
        let mut point = template.clone();
        point["id"] = format!("more-{k}").into();
        points.push(point);
    }
    connection.execute("UPDATE study SET header = ?1", [header.to_string()]).unwrap();
    drop(connection);
    let error = Record::open_to_read(&folder.path()).map(drop).unwrap_err().to_string();
    assert!(error.contains("points: found 1001 points, expected at most 1000 points"), "{error}");
}
