//! `numawise report FILE.nw`: what a record says, as text, JSON, CSV or HTML, at any time after (or during) a check, or while a job
//! is recorded.
//!
//! All kinds of file are shown: the record of a study (`numawise check`), the time series of a job (`numawise where --record`) and
//! the snapshot of a run (`numawise snapshot --output`).

use std::path::{Path, PathBuf};

use numawise_facts::{Redactor, WatchedRun, redaction};
use numawise_record::{Record, RecordKind, Series, read_watched_run};

use super::{Failure, SUCCESS, Status};
use crate::files::{self, OutputFile};
use crate::show::{self, SnapshotDetail, SnapshotFormat};

/// Show a record again: on the terminal, as JSON, as HTML
#[derive(clap::Args)]
pub struct Arguments {
    /// The record that a check has written, `where --record` or `snapshot --output`
    #[arg(value_name = "FILE.nw")]
    record: PathBuf,
    /// Write the report in HTML too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Of a snapshot: print CSV, all tables one value a row, or one table (ranks, calls, sites, regions, ...: docs/formats/snapshot-csv.md)
    #[arg(
        long,
        value_name = "TABLE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with = "json"
    )]
    csv: Option<String>,
    /// Of a snapshot: print all tables, not one screen of them
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    full: bool,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let html = arguments.html.as_deref().map(OutputFile::html);
    files::check(html.as_slice(), &[&arguments.record])?;
    let (path, html) = (&arguments.record, arguments.html.as_deref());
    let format = format(&arguments)?;
    let kind = numawise_record::kind(path)?;
    if let (SnapshotFormat::Csv(_), Some(other)) = (format, not_a_snapshot(kind)) {
        return Err(Failure::new(format!(
            "--csv {}: this is {other}, of which there is no CSV; expected the snapshot of a run (numawise snapshot --output), or \
             --json",
            path.display()
        )));
    }
    match kind {
        RecordKind::Study => {
            let mut study = Record::open_to_read(path)?.study()?;
            // A record of somebody else may hold what ours leave out.
            Redactor::default().study(&mut study);
            show::study(&study, path, arguments.json, html)?;
        }
        RecordKind::Series => {
            let mut looks = numawise_analyse::Series::default();
            Series::replay(path, |machine, session, look| looks.push(machine, session, look))?;
            let mut timeline = looks.timeline();
            for task in &mut timeline.tasks {
                task.command = task.command.as_ref().map(|line| redaction::text(line));
            }
            show::series(&timeline, path, arguments.json, html)?;
        }
        RecordKind::WatchedRun => {
            let run = watched_run(path)?;
            show::watched_run(&run, path, format, html)?;
        }
    }
    Ok(SUCCESS)
}

fn format(arguments: &Arguments) -> Result<SnapshotFormat, Failure> {
    Ok(match &arguments.csv {
        Some(all) if all.is_empty() => SnapshotFormat::Csv(None),
        Some(table) => {
            let table = table.parse().map_err(|error| Failure::new(format!("--csv: {error}")))?;
            SnapshotFormat::Csv(Some(table))
        }
        None if arguments.json => SnapshotFormat::Json,
        None => SnapshotFormat::Text(SnapshotDetail::of(arguments.full)),
    })
}

/// A snapshot; what a record of somebody else holds that ours leave out is left out here.
pub fn watched_run(path: &Path) -> Result<WatchedRun, Failure> {
    let mut run = read_watched_run(path)?;
    run.header.command = Redactor::default().command(&run.header.command);
    Ok(run)
}

/// What a record is of, where it is of no snapshot.
pub fn not_a_snapshot(kind: RecordKind) -> Option<&'static str> {
    match kind {
        RecordKind::Study => Some("the record of a study (numawise check)"),
        RecordKind::Series => Some("the time series of a job (numawise where --record)"),
        RecordKind::WatchedRun => None,
    }
}
