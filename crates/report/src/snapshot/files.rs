//! Files in a snapshot: time in calls on them, and what was read and written.

use numawise_facts::Reading;
use numawise_facts::activity::{FileCalls, KernelIo};
use numawise_tables::RunSnapshot;
use numawise_tables::snapshot::{FileSummary, FileTotals, FileUse, MpiFileTotals, ProcessRow};
use numawise_units::{Bytes, BytesPerSecond, Nanoseconds};
use serde_json::{Value, json as object};

use super::figure::{self, When, declare};
use super::processes::{WHO, with_who};
use super::words;
use crate::document::{self, Block, Cell, Column, Row, Table, Text};
use crate::object::reading;

/// Kinds of calls with their names for people and in JSON.
const KINDS: [(&str, &str); 4] = [
    ("read", "read"),
    ("written", "written"),
    ("waited for the storage", "synced"),
    ("opened, closed, truncated", "managed"),
];

/// What the kernel's account is, in the order of [`KernelIo::numbers`], with the names in JSON.
const ACCOUNT: [(&str, &str); 5] = [
    ("read, from anything", "read_bytes"),
    ("written, to anything", "written_bytes"),
    ("fetched from storage", "from_storage_bytes"),
    ("to be written to storage", "to_storage_bytes"),
    ("written, but dropped before storage", "cancelled_bytes"),
];

/// A share below which files have no line on the first screen: most programs read some settings.
const LITTLE: f64 = 0.001;

/// Whether there is a line on files on the first screen.
pub fn is_judged(of: &FileSummary) -> bool {
    of.share.value.measured().is_none_or(|share| share.0 >= LITTLE)
}

/// Whether anything was called, as far as that is known.
fn has_calls(of: &FileSummary) -> bool {
    let called = |calls: Reading<u64>| calls.measured().is_none_or(|count| *count > 0);
    let of_mpi = of.all.mpi.measured().is_some_and(|mpi| mpi.calls.count > 0);
    called(of.all.posix.as_ref().map(|posix| posix.total().count)) || of_mpi
}

/// Calls on files by what they do, what the kernel accounts, and both by process.
pub fn section(tables: &RunSnapshot) -> Block {
    let of = &tables.files;
    let mut blocks = vec![Block::List(lines(of)), Block::Table(calls(&of.all))];
    blocks.push(Block::Table(account(&of.all)));
    if has_calls(of) && tables.rows.len() > 1 {
        blocks.push(Block::Table(processes(tables)));
    }
    document::section("files", "Files", blocks)
}

fn lines(of: &FileSummary) -> Vec<Text> {
    let mut share =
        Text::of(&of.share.value, |share| format!("{} of the CPUs' time", words::percent(*share)));
    let judged = words::judgement(&of.share);
    let judged = if judged.is_empty() { judged } else { format!(": {judged}") };
    share.0.extend(Text::from(format!(", from begin to end, in calls on files{judged}")).0);
    let mut lines = vec![share];
    if of.all.disk_wait.measured().is_some() {
        let mut wait = Text::from("threads waited for disks for ");
        wait.0.extend(words::time(&of.all.disk_wait).0);
        lines.push(wait);
    }
    if !of.sees_streams {
        lines.push(
            "not among the calls, only in the kernel's account: those that the C library makes for its streams (fprintf), or those of processes that went into a sandbox".into(),
        );
    }
    lines
}

fn rate(bytes: Bytes, time: Nanoseconds) -> String {
    match time.seconds() {
        seconds if seconds > 0.0 && bytes.0 > 0 => BytesPerSecond(bytes.0 as f64 / seconds).to_string(),
        _ => String::new(),
    }
}

fn calls(of: &FileUse) -> Table {
    let row = |name: &str, calls: &FileCalls| {
        let has_bytes = name == "read" || name == "written";
        let cells: [Cell; 6] = [
            name.into(),
            calls.count.to_string().into(),
            calls.time.to_string().into(),
            calls.longest.to_string().into(),
            if has_bytes { calls.bytes.to_string().into() } else { "".into() },
            rate(calls.bytes, calls.time).into(),
        ];
        cells.into_iter().collect::<Row>()
    };
    let mut rows: Vec<Row> = match &of.posix {
        Reading::Measured(posix) => {
            KINDS.iter().zip(posix.each()).map(|((name, _), calls)| row(name, &calls)).collect()
        }
        Reading::Unavailable { unavailable } => {
            let missing = || -> Cell { Text::unavailable(unavailable.to_string()).into() };
            let blank = || -> Cell { "".into() };
            vec![["calls".into(), missing(), missing(), blank(), blank(), blank()].into_iter().collect()]
        }
    };
    rows.extend(of.mpi.measured().filter(|mpi| mpi.calls.count > 0).map(|mpi| {
        let mut moved = Text::from("read ");
        moved.0.extend(words::bytes(&mpi.read).0);
        moved.0.extend(Text::from(", written ").0);
        moved.0.extend(words::bytes(&mpi.written).0);
        let cells: [Cell; 6] = [
            "by MPI (MPI_File_...)".into(),
            mpi.calls.count.to_string().into(),
            mpi.calls.time.to_string().into(),
            mpi.longest.to_string().into(),
            moved.into(),
            "".into(),
        ];
        cells.into_iter().collect::<Row>()
    }));
    let columns = vec![
        Column::text("regular files and block devices"),
        Column::number("calls"),
        Column::number("time, summed"),
        Column::number("longest").expendable(1),
        Column::number("bytes"),
        Column::number("bytes per second in calls").expendable(2),
    ];
    Table { columns, rows, most: None }
}

fn account(of: &FileUse) -> Table {
    let rows = ACCOUNT.iter().enumerate().map(|(k, (name, _))| {
        let bytes = Text::of(&of.kernel, |io| Bytes(io.numbers()[k]).to_string());
        let cells: [Cell; 2] = [(*name).into(), bytes.into()];
        cells.into_iter().collect::<Row>()
    });
    let columns =
        vec![Column::text("counted by the kernel, with pipes and MPI's files"), Column::number("bytes")];
    Table { columns, rows: rows.collect(), most: None }
}

declare! {
    /// What a process did with files.
    pub FILES: ProcessRow {
        shown "calls" Count |of| posix(of, |all| all.total().count) => expendable: 2;
        shown "time" Time |of| posix(of, |all| all.total().time);
        csv "read_count" Count |of| posix(of, |all| all.read.count);
        csv "read_seconds" Time |of| posix(of, |all| all.read.time);
        csv "read_bytes" Bytes |of| posix(of, |all| all.read.bytes) => number: "read";
        csv "written_count" Count |of| posix(of, |all| all.written.count);
        csv "written_seconds" Time |of| posix(of, |all| all.written.time);
        csv "written_bytes" Bytes |of| posix(of, |all| all.written.bytes) => number: "written";
        csv "synced_count" Count |of| posix(of, |all| all.synced.count);
        csv "synced_seconds" Time |of| posix(of, |all| all.synced.time);
        csv "managed_count" Count |of| posix(of, |all| all.managed.count);
        csv "managed_seconds" Time |of| posix(of, |all| all.managed.time);
        csv "mpi_count" Count |of| of.files.mpi.as_ref().map(|mpi| mpi.calls.count);
        csv "mpi_seconds" Time |of| of.files.mpi.as_ref().map(|mpi| mpi.calls.time)
            => number: "in MPI's calls", when: When::WithMpi;
        csv "mpi_read_bytes" Bytes |of| of.files.mpi.as_ref().and_then(|mpi| mpi.read.clone());
        csv "mpi_written_bytes" Bytes |of| of.files.mpi.as_ref().and_then(|mpi| mpi.written.clone());
        csv "kernel_read_bytes" Bytes |of| kernel(of, |io| io.read);
        csv "kernel_written_bytes" Bytes |of| kernel(of, |io| io.written);
        csv "kernel_from_storage_bytes" Bytes |of| kernel(of, |io| io.from_storage) => number: "from storage", expendable: 1;
        csv "kernel_to_storage_bytes" Bytes |of| kernel(of, |io| io.to_storage) => number: "to storage", expendable: 1;
        csv "kernel_cancelled_bytes" Bytes |of| kernel(of, |io| io.cancelled);
        csv "disk_wait_seconds" Time |of| of.files.disk_wait.clone();
    }
}

fn posix<T>(of: &ProcessRow, part: fn(&FileTotals) -> T) -> Reading<T> {
    of.files.posix.as_ref().map(part)
}

fn kernel(of: &ProcessRow, part: fn(&KernelIo) -> Bytes) -> Reading<Bytes> {
    of.files.kernel.as_ref().map(part)
}

fn processes(tables: &RunSnapshot) -> Table {
    let has_mpi =
        tables.rows.iter().any(|row| row.files.mpi.measured().is_some_and(|mpi| mpi.calls.count > 0));
    let with_who = with_who(tables);
    let is_shown = |when| if when == When::WithMpi { has_mpi } else { with_who(when) };
    figure::table(&[WHO, FILES], &tables.rows, words::limits(8), is_shown)
}

/// What processes did with files.
pub fn json(of: &FileUse) -> Value {
    object!({
        "posix": reading(&of.posix, |posix| {
            let kinds = KINDS.iter().zip(posix.each());
            kinds.map(|((_, name), calls)| ((*name).to_owned(), calls_json(&calls))).collect::<serde_json::Map<_, _>>().into()
        }),
        "mpi": reading(&of.mpi, mpi_json),
        "kernel": reading(&of.kernel, |io| {
            let all = ACCOUNT.iter().zip(io.numbers());
            all.map(|((_, name), bytes)| ((*name).to_owned(), bytes.into())).collect::<serde_json::Map<_, _>>().into()
        }),
        "disk_wait_seconds": reading(&of.disk_wait, |wait| object!(wait.seconds())),
    })
}

fn calls_json(of: &FileCalls) -> Value {
    object!({
        "count": of.count, "seconds": of.time.seconds(), "longest_seconds": of.longest.seconds(), "bytes": of.bytes.0,
    })
}

fn mpi_json(of: &MpiFileTotals) -> Value {
    let bytes = |of: &Reading<Bytes>| reading(of, |bytes| object!(bytes.0));
    object!({
        "count": of.calls.count, "seconds": of.calls.time.seconds(), "longest_seconds": of.longest.seconds(),
        "read_bytes": bytes(&of.read), "written_bytes": bytes(&of.written),
    })
}

/// Over all processes that count.
pub fn summary_json(of: &FileSummary) -> Value {
    let mut value = json(&of.all);
    value["share"] = reading(&of.share.value, |share| object!(share.0));
    value["sees_streams"] = of.sees_streams.into();
    value
}
