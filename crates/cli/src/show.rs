//! Shows what a study says: on the terminal, as JSON, in HTML.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use numawise_facts::{Study, StudyHeader};
use numawise_linux::calls::terminal;
use numawise_linux::replace;
use numawise_report::check::{self, Check};
use numawise_report::document::{self, Style};
use numawise_report::series;
use numawise_tables::Timeline;

use crate::exit::Failure;
use crate::verdict::use_from_now_on;

/// Prints a study as text or as JSON, and writes it as HTML where that is asked for.
pub fn study(study: &Study, record: &Path, as_json: bool, html: Option<&Path>) -> Result<(), Failure> {
    let analysis = numawise_analyse::analyse(study);
    let from_now_on = use_from_now_on(study, &analysis);
    let record = record.display().to_string();
    let check = Check { study, analysis: &analysis, from_now_on: &from_now_on, record: &record };
    if let Some(path) = html {
        report(path, &document::html(&check::document(&check)))?;
    }
    print(&if as_json { check::json(&check) } else { document::terminal(&check::document(&check), style()) })
}

/// Prints a job over time as text or as JSON, and writes it as HTML where that is asked for.
pub fn series(timeline: &Timeline, record: &Path, as_json: bool, html: Option<&Path>) -> Result<(), Failure> {
    let record = record.display().to_string();
    let series = series::Series { timeline, record: &record };
    if let Some(path) = html {
        report(path, &document::html(&series::document(&series)))?;
    }
    print(&if as_json {
        series::json(&series)
    } else {
        document::terminal(&series::document(&series), style())
    })
}

/// What would be tried, without numbers.
pub fn design(header: &StudyHeader) -> Result<(), Failure> {
    let mut text = format!("Would try, in random order, at least {} times each:\n", header.min_repeats);
    for point in &header.points {
        text += &format!("  {:<12} {}\n", point.id, numawise_report::point_title(&point.levels));
        for task in &point.placement.tasks {
            text += &format!("  {:<12} task {}: CPUs {}, memory {}\n", "", task.task, task.cpus, task.memory);
        }
    }
    text += "Would not try:\n";
    for reason in numawise_report::notice::texts(&header.not_tried) {
        text += &format!("  {reason}\n");
    }
    if header.not_tried.is_empty() {
        text += "  (all that this machine can show is tried, if the program's memory fits)\n";
    }
    print(&text)
}

/// Prints on the standard output. A closed pipe means that the reader has seen enough.
pub fn print(text: &str) -> Result<(), Failure> {
    print_while_read(text).map(drop)
}

/// The same for who would print more: false when nobody reads any more.
pub fn print_while_read(text: &str) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::new(format!("cannot write to the standard output: {error}"))),
    }
}

/// How to write for whoever reads the standard output.
pub fn style() -> Style {
    if !io::stdout().is_terminal() {
        return Style::plain();
    }
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let width = match terminal::size() {
        (0, _) => Style::plain().width,
        (columns, _) => usize::from(columns),
    };
    Style { colour: !set("NO_COLOR"), width, ..Style::plain() }
}

/// Fails early where a report could not be written in the end.
pub fn writable(path: &Path) -> Result<(), Failure> {
    writable_as("--html", path)
}

/// The same for a file that another option names.
pub fn writable_as(option: &str, path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        return Err(Failure::new(format!(
            "{option} {}: this is a folder; expected the name of a file",
            path.display()
        )));
    }
    if !folder.is_dir() {
        let folder = folder.display();
        return Err(Failure::new(format!("{option} {}: there is no folder {folder}", path.display())));
    }
    Ok(())
}

/// The report of what a record holds.
fn report(path: &Path, text: &str) -> Result<(), Failure> {
    writable(path)?;
    replace::write(path, text.as_bytes()).map_err(|error| {
        let path = path.display();
        Failure::new(format!(
            "cannot write the report {path}: {error}; what was measured is kept in the record"
        ))
    })
}
