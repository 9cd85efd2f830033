//! `numawise report FILE.nw`: what a record says, as text, JSON or HTML, at any time after (or during) a check, or while a job
//! is recorded.
//!
//! All kinds of file are shown: the record of a study (`numawise check`), the time series of a job (`numawise where --record`) and
//! the snapshot of a run (`numawise snapshot --output`).

use std::path::PathBuf;

use numawise_facts::{Redactor, redaction};
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
    /// Of a snapshot: print all tables, not one screen of them
    #[arg(long, conflicts_with = "json")]
    full: bool,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let html = arguments.html.as_deref().map(OutputFile::html);
    files::check(html.as_slice(), &[&arguments.record])?;
    let (path, html) = (&arguments.record, arguments.html.as_deref());
    match numawise_record::kind(path)? {
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
            let mut run = read_watched_run(path)?;
            let redactor = Redactor::default();
            run.header.command = redactor.command(&run.header.command);
            show::watched_run(&run, path, format(&arguments), html)?;
        }
    }
    Ok(SUCCESS)
}

fn format(arguments: &Arguments) -> SnapshotFormat {
    if arguments.json {
        SnapshotFormat::Json
    } else {
        SnapshotFormat::Text(SnapshotDetail::of(arguments.full))
    }
}
