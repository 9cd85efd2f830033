//! `numawise report FILE.nw`: what a record says, as text, JSON, CSV or HTML, at any time after (or during) a check, or while a job
//! is recorded.
//!
//! All kinds of file are shown: the record of a study (`numawise check`), the time series of a job (`numawise where --record`), the
//! snapshot of a run (`numawise snapshot --output`) and its memory objects (`numawise objects --output`).

pub mod foreign;

use std::path::{Path, PathBuf};

use numawise_facts::{ObjectRun, RankSet, Redactor, TracePart, WatchedRun, redaction};
use numawise_record::{Record, RecordKind, Series, read_object_run, read_watched_run};
use numawise_units::{Bytes, Nanoseconds};

use super::snapshot::check_ranks;
use super::{Failure, SUCCESS, Status};
use crate::faces::Faces;
use crate::files;
use crate::show::{self, SnapshotDetail, SnapshotFormat, StudyFormat};
use crate::slices::{Large, half_of_memory};

/// Show a record again: on the terminal, as JSON, as HTML
#[derive(clap::Args)]
pub struct Arguments {
    /// The record that a check has written, `where --record`, `snapshot`, `trace`, `objects` or `survey --output`; several: divisions of
    /// `snapshot --ranks-x-threads`, side by side; or the OTF2 archive of another tool (traces.otf2)
    #[arg(value_name = "FILE.nw", required = true)]
    records: Vec<PathBuf>,
    #[command(flatten)]
    faces: Faces,
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
    /// Of a trace: only from this time on, e.g. 1.2s
    #[arg(long, value_name = "TIME")]
    from: Option<Nanoseconds>,
    /// Of a trace: only up to this time
    #[arg(long, value_name = "TIME")]
    to: Option<Nanoseconds>,
    /// Of a trace: only what these ranks did and waited for, e.g. 0,3-5
    #[arg(long, value_name = "LIST")]
    ranks: Option<RankSet>,
    /// Of a trace: only what was done in the phase of this name, e.g. solve or 'MPI_Pcontrol(2)'
    #[arg(long, value_name = "NAME")]
    phase: Option<String>,
    /// Of a trace: memory for it, e.g. 2G; a larger one is analysed in slices of its time [default: half of what is free]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let faces = &arguments.faces;
    let read: Vec<&Path> = arguments.records.iter().map(PathBuf::as_path).collect();
    files::check(&faces.outputs(), &read)?;
    let format = format(&arguments)?;
    let part = part(&arguments)?;
    let [path] = arguments.records.as_slice() else {
        return divisions(&arguments, format, &part);
    };
    if foreign::is_archive(path) {
        if arguments.csv.is_some() || arguments.full {
            return Err(Failure::new(format!(
                "--csv, --full {}: an OTF2 archive is always shown in full; expected neither, or --json",
                path.display()
            )));
        }
        foreign::report(path, &part, faces)?;
        return Ok(SUCCESS);
    }
    let kind = numawise_record::kind(path)?;
    let no_csv = |what: &str| {
        Failure::new(format!(
            "--csv {}: this is {what}, of which there is no CSV; expected the snapshot of a run (numawise snapshot --output), or \
             --json",
            path.display()
        ))
    };
    // Of a study, the points of a grid are one table.
    let is_study = kind == RecordKind::Study && format == SnapshotFormat::Csv(None);
    if let (SnapshotFormat::Csv(_), Some(other), false) = (format, not_a_snapshot(kind), is_study) {
        return Err(no_csv(other));
    }
    if kind != RecordKind::WatchedRun && !part.is_whole() {
        return Err(no_trace(path, kind, PART));
    }
    if let (true, Some(other)) = (arguments.full, not_a_snapshot(kind)) {
        return Err(Failure::new(format!(
            "--full {}: this is {other}, which is always shown in full; expected the snapshot of a run (numawise snapshot --output), or \
             no --full",
            path.display()
        )));
    }
    match kind {
        RecordKind::Study => {
            let mut study = Record::open_to_read(path)?.study()?;
            // A record of somebody else may hold what ours leave out.
            Redactor::default().study(&mut study);
            if study.header.grid.is_some() {
                let format = match format {
                    SnapshotFormat::Csv(_) => StudyFormat::Csv,
                    SnapshotFormat::Text(_) => StudyFormat::Text,
                };
                show::grid(&study, path, format, faces)?;
            } else if is_study {
                return Err(no_csv("the record of a study (numawise check)"));
            } else {
                show::study(&study, path, faces)?;
            }
        }
        RecordKind::Series => {
            let mut looks = numawise_analyse::Series::default();
            Series::replay(path, |machine, session, look| looks.push(machine, session, look))?;
            let mut timeline = looks.timeline();
            for task in &mut timeline.tasks {
                task.command = task.command.as_ref().map(|line| redaction::text(line));
            }
            show::series(&timeline, path, faces)?;
        }
        RecordKind::WatchedRun => {
            show_run(path, (arguments.memory, &part), format, faces)?;
        }
        RecordKind::ObjectRun => show::object_run(&object_run(path)?, path, faces)?,
    }
    Ok(SUCCESS)
}

/// A snapshot, or what is asked for of its trace.
fn show_run(
    path: &Path,
    (memory, part): (Option<Bytes>, &TracePart),
    format: SnapshotFormat,
    faces: &Faces,
) -> Result<(), Failure> {
    if let Some(mut large) = Large::open(path, memory.unwrap_or_else(half_of_memory))? {
        redact(&mut large.run);
        return show::large_run(large, part, path, format, faces);
    }
    let run = if part.is_whole() { watched_run(path)? } else { traced(path, RecordKind::WatchedRun, PART)? };
    show::watched_run(&run, part, path, format, faces)
}

/// The options of a part.
const PART: &str = "--from, --to, --ranks, --phase";

fn part(arguments: &Arguments) -> Result<TracePart, Failure> {
    check_ranks(arguments.ranks.as_ref())?;
    let part = TracePart {
        from: arguments.from,
        to: arguments.to,
        ranks: arguments.ranks.clone(),
        phase: arguments.phase.clone(),
    };
    check_moments(part.from, part.to)?;
    Ok(part)
}

/// The end of a part lies behind its begin.
pub fn check_moments(from: Option<Nanoseconds>, to: Option<Nanoseconds>) -> Result<(), Failure> {
    match (from, to) {
        (Some(from), Some(to)) if from >= to => Err(Failure::new(format!(
            "--from {from} --to {to}: found an end that is not behind the begin; expected moments in their order"
        ))),
        _ => Ok(()),
    }
}

/// Several records: divisions of one command into ranks and threads.
fn divisions(arguments: &Arguments, format: SnapshotFormat, part: &TracePart) -> Result<Status, Failure> {
    if !part.is_whole() {
        return Err(Failure::new(format!(
            "{PART}: found several records; expected one that numawise trace has written"
        )));
    }
    if format != SnapshotFormat::Text(SnapshotDetail::Summary) {
        return Err(Failure::new(
            "--full and --csv are of one record; several are shown side by side, as text, --json or --html",
        ));
    }
    let mut all = Vec::new();
    let mut command = None;
    for path in &arguments.records {
        let refused = |what: &str| {
            Failure::new(format!(
                "report {}: this is {what}; expected of several records that numawise snapshot --ranks-x-threads --output has written \
                 all of them, for one command (numawise compare shows any two snapshots side by side)",
                path.display()
            ))
        };
        if let Some(other) = not_a_snapshot(numawise_record::kind(path)?) {
            return Err(refused(other));
        }
        let run = watched_run(path)?;
        let Some(of) = run.header.division.clone() else {
            return Err(refused("a run by itself, of no division"));
        };
        if command.get_or_insert_with(|| of.command.clone()).command != of.command.command {
            return Err(refused(&format!("a division of another command, {}", of.command.shell_line())));
        }
        all.push(show::Division { of, run: Some(run), record: Some(path.display().to_string()) });
    }
    if let Some(command) = command {
        show::divisions(&show::Divisions::of(&all, &command), &arguments.faces)?;
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
        None => SnapshotFormat::Text(SnapshotDetail::of(arguments.full)),
    })
}

/// A snapshot; what a record of somebody else holds that ours leave out is left out here.
pub fn watched_run(path: &Path) -> Result<WatchedRun, Failure> {
    let mut run = read_watched_run(path)?;
    redact(&mut run);
    Ok(run)
}

fn redact(run: &mut WatchedRun) {
    run.header.command = Redactor::default().command(&run.header.command);
    if let Some(of) = &mut run.header.division {
        of.command = Redactor::default().command(&of.command);
    }
}

/// A run with a trace, which an option is for.
pub fn traced(path: &Path, kind: RecordKind, option: &str) -> Result<WatchedRun, Failure> {
    if kind == RecordKind::WatchedRun {
        let run = watched_run(path)?;
        if run.is_traced() {
            return Ok(run);
        }
    }
    Err(no_trace(path, kind, option))
}

/// A record of another kind, or a snapshot without a trace.
pub fn no_trace(path: &Path, kind: RecordKind, option: &str) -> Failure {
    let found = not_a_snapshot(kind).unwrap_or("a snapshot without a trace");
    Failure::new(format!(
        "{option} {}: this is {found}; expected the trace of a program with MPI or OpenMP, by numawise trace",
        path.display()
    ))
}

/// The memory objects of a run; what a record of somebody else holds that ours leave out is left out here.
pub fn object_run(path: &Path) -> Result<ObjectRun, Failure> {
    let mut run = read_object_run(path)?;
    run.header.command = Redactor::default().command(&run.header.command);
    run.trials.iter_mut().for_each(|trial| trial.command = redaction::text(&trial.command));
    Ok(run)
}

/// What a record is of, where it is of no snapshot.
pub fn not_a_snapshot(kind: RecordKind) -> Option<&'static str> {
    match kind {
        RecordKind::Study => Some("the record of a study (numawise check)"),
        RecordKind::Series => Some("the time series of a job (numawise where --record)"),
        RecordKind::WatchedRun => None,
        RecordKind::ObjectRun => {
            Some("a record of memory objects (numawise objects) or of loops (numawise survey)")
        }
    }
}
