//! `numawise export FILE.nw --csv | --json | --parquet`: every trial of a study or a check as a row, for pandas, R, DuckDB or a spreadsheet.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use numawise_facts::Redactor;
use numawise_record::{Record, RecordKind};
use numawise_report::{perfetto, trial_table};

use super::report::traced;
use super::{Failure, SUCCESS, Status};
use crate::files::{self, OutputFile};
use crate::show::Snapshot;
use crate::streams;

/// Write every trial of a record as a row (CSV, JSON, Parquet), or a trace for other tools (OTF2, Perfetto)
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("format").required(true))]
pub struct Arguments {
    /// The record of a study or a check, or a trace
    #[arg(value_name = "FILE.nw")]
    record: PathBuf,
    /// Rows of text, with a line of names
    #[arg(long, group = "format")]
    csv: bool,
    /// One object with an array of trials
    #[arg(long, group = "format")]
    json: bool,
    /// A file of Apache Parquet
    #[arg(long, group = "format")]
    parquet: bool,
    /// Of a trace: this file, for ui.perfetto.dev
    #[arg(long, group = "format", value_name = "FILE", conflicts_with = "output")]
    perfetto: Option<PathBuf>,
    /// Of a trace: an OTF2 archive in this new folder, for Vampir, Scalasca and others
    #[arg(long, group = "format", value_name = "FOLDER", conflicts_with = "output")]
    otf2: Option<PathBuf>,
    /// The file to write [default: the standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let Arguments { record: path, csv, json, output, perfetto, otf2, .. } = arguments;
    let written = output.as_deref().map(|path| OutputFile::page("--output", path));
    let written = written.or(perfetto.as_deref().map(|path| OutputFile::page("--perfetto", path)));
    files::check(written.as_slice(), &[&path])?;
    let kind = numawise_record::kind(&path)?;
    if let Some(folder) = otf2 {
        archive(&path, kind, &folder)?;
        return Ok(SUCCESS);
    }
    if let Some(file) = perfetto {
        let events = Snapshot::events(&traced(&path, kind, "--perfetto")?);
        let bytes = events.as_ref().map(perfetto::perfetto).unwrap_or_default();
        files::write(&file, bytes, "the trace")?;
        return Ok(SUCCESS);
    }
    if let Some((what, instead)) = without_trials(kind) {
        return Err(Failure::new(format!(
            "{}: this is {what}, which has no trials; expected the record of a study or a check, or try: numawise report {} {instead}",
            path.display(),
            path.display()
        )));
    }
    let mut study = Record::open_to_read(&path)?.study()?;
    // A record of somebody else may hold what ours leave out.
    Redactor::default().study(&mut study);
    let table = numawise_analyse::trial_table(&study);
    let bytes = match (csv, json) {
        (true, _) => trial_table::csv(&table).into_bytes(),
        (_, true) => trial_table::json(&table).into_bytes(),
        _ => trial_table::parquet(&table).map_err(|error| {
            Failure::new(format!(
                "{}: its trials make no file of Parquet: {error}; try --csv",
                path.display()
            ))
        })?,
    };
    put(&bytes, output.as_deref(), !csv && !json)?;
    Ok(SUCCESS)
}

/// An OTF2 archive of a trace.
fn archive(path: &Path, kind: RecordKind, folder: &Path) -> Result<(), Failure> {
    let run = traced(path, kind, "--otf2")?;
    let written = numawise_otf2::write(folder, &run)?;
    let said = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let lacks = [
        said(written.ranks_without_trace, "ranks have no events: they were not traced"),
        said(
            written.unknown_communicators,
            "communicators have the ranks of the world: theirs are not known",
        ),
        said(written.messages_on_world, "messages are on the world's communicator: theirs is not known"),
        said(written.messages_left_out, "messages from or to no rank of MPI_COMM_WORLD are left out"),
        said(
            written.collectives_left_out,
            "collective calls are plain calls: OTF2 has no operation for them",
        ),
        said(written.requests_without_begin, "requests are left out that began before the trace"),
        said(written.moments_moved, "moments lay before the one before them, and were set to it"),
        said(written.lost, "records found no place in the trace, and are missing"),
    ];
    for lack in lacks.into_iter().flatten() {
        streams::say(&format!("warning: {}: {lack}", written.anchor.display()));
    }
    let (anchor, calls, messages) = (written.anchor.display(), written.calls, written.received);
    Ok(streams::print(format!("{anchor}: {calls} calls, {messages} messages, {} ranks\n", written.ranks))?)
}

/// What a record holds that is none of trials, and which option of `report` shows it to programs.
fn without_trials(kind: RecordKind) -> Option<(&'static str, &'static str)> {
    match kind {
        RecordKind::Study => None,
        RecordKind::Series => Some(("a job over time", "--json")),
        RecordKind::WatchedRun => Some(("the snapshot of a run", "--csv")),
        RecordKind::ObjectRun => Some(("a record of memory objects", "--json")),
    }
}

fn put(bytes: &[u8], output: Option<&Path>, is_binary: bool) -> Result<(), Failure> {
    match output {
        Some(path) => files::write(path, bytes, "the trials"),
        None if is_binary && std::io::stdout().is_terminal() => Err(Failure::new(
            "--parquet: its bytes are not for a terminal; expected --output FILE, or a pipe behind it",
        )),
        None => Ok(streams::print(bytes)?),
    }
}
