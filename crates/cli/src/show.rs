//! Shows what a study says: on the terminal, as JSON, in HTML.

use std::path::Path;

use numawise_analyse::{DivisionRuns, RunParts};
use numawise_facts::{
    ObjectRun, PrintedLines, RankBinding, RunSpec, Study, StudyHeader, WatchedDivision, WatchedRun,
};
use numawise_report::check::{self, Check};
use numawise_report::document::{self, Style};
use numawise_report::objects;
use numawise_report::series;
use numawise_report::snapshot::{self, CsvTable};
use numawise_tables::objects::RankObjects;
use numawise_tables::snapshot::HybridComparison;
use numawise_tables::{ObjectTables, RunSnapshot, Timeline};

use crate::exit::{Failure, all_well};
use crate::files;
use crate::streams::{print, style};
use crate::verdict::{our_line, use_from_now_on};

/// Prints a study as text or as JSON, and writes it as HTML where that is asked for.
pub fn study(study: &Study, record: &Path, as_json: bool, html: Option<&Path>) -> Result<(), Failure> {
    let analysis = numawise_analyse::analyse(study);
    let from_now_on = use_from_now_on(study, &analysis);
    let record = record.display().to_string();
    let (machine, command) = (&study.header.machine, &study.header.command);
    let followed = numawise_analyse::objects_of_check(study, &|point| our_line(machine, point, command));
    let followed = followed.map(|run| (numawise_analyse::objects(&run), run));
    let objects = followed.as_ref().map(|(tables, run)| objects::Shown { run, tables, record: None });
    let check = Check { study, analysis: &analysis, from_now_on: &from_now_on, record: &record, objects };
    let written = html.map_or(Ok(()), |path| report(path, &document::html(&check::document(&check))));
    shown(
        if as_json { check::json(&check) } else { document::terminal(&check::document(&check), style()) },
        written,
    )
}

/// How the points of a grid are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyFormat {
    Text,
    Json,
    Csv,
}

/// Prints a study of a grid, and writes it as HTML where that is asked for.
pub fn grid(study: &Study, record: &Path, format: StudyFormat, html: Option<&Path>) -> Result<(), Failure> {
    let Some(tables) = numawise_analyse::grid(study) else {
        return Err(Failure::new(format!("{}: this is no study of a grid", record.display())));
    };
    let record = record.display().to_string();
    let of_study = numawise_report::study::ShownStudy { study, tables: &tables, record: &record };
    let page = || document::html(&numawise_report::study::document(&of_study));
    let written = html.map_or(Ok(()), |path| report(path, &page()));
    let text = match format {
        StudyFormat::Text => {
            document::terminal(&numawise_report::study::terminal_document(&of_study), style())
        }
        StudyFormat::Json => numawise_report::study::json(&of_study),
        StudyFormat::Csv => numawise_report::study::csv(&of_study),
    };
    shown(text, written)
}

/// Prints two studies side by side, and writes that as HTML where it is asked for.
pub fn compared_studies(
    sides: [(&Study, &Path); 2],
    as_json: bool,
    html: Option<&Path>,
) -> Result<(), Failure> {
    let [(first, one), (second, other)] = sides;
    let tables = numawise_analyse::compare_studies(first, second);
    let (one, other) = (one.display().to_string(), other.display().to_string());
    let of_both = numawise_report::study::ShownComparison {
        tables: &tables,
        metric: &second.header.metric,
        names: [&one, &other],
    };
    let document = || numawise_report::study::comparison_document(&of_both);
    let written = html.map_or(Ok(()), |path| report(path, &document::html(&document())));
    let text = if as_json {
        numawise_report::study::comparison_json(&of_both)
    } else {
        document::terminal(&document(), style())
    };
    shown(text, written)
}

/// What a study of a grid would run.
pub fn grid_design(header: &StudyHeader) -> Result<(), Failure> {
    let mut text = format!("Would run, in random order, {} each:\n", times(header.min_repeats));
    for run in header.grid.iter().flat_map(|grid| &grid.runs) {
        let variables: String =
            run.environment.iter().map(|(name, value)| format!("{name}={value} ")).collect();
        text += &format!("  {}\n      {variables}{}\n", run.point, run.command.shell_line());
        let Some(point) = header.point(&run.point) else { continue };
        let of = if matches!(point.ranks, Some(RankBinding::Planned { .. })) { "rank" } else { "task" };
        for task in &point.plan().tasks {
            text += &format!("      {of} {}: CPUs {}, memory {}\n", task.task, task.cpus, task.memory);
        }
    }
    text += &numawise_report::study::ranks(header).map(|said| format!("Ranks: {said}\n")).unwrap_or_default();
    if !header.not_tried.is_empty() {
        text += "Would not run:\n";
    }
    for notice in &header.not_tried {
        text += &format!("  {}\n", numawise_report::notice::text_in_grid(notice));
    }
    Ok(print(&text)?)
}

/// Prints a job over time as text or as JSON, and writes it as HTML where that is asked for.
pub fn series(timeline: &Timeline, record: &Path, as_json: bool, html: Option<&Path>) -> Result<(), Failure> {
    let record = record.display().to_string();
    let series = series::Series { timeline, record: &record };
    let written = html.map_or(Ok(()), |path| report(path, &document::html(&series::document(&series))));
    let text =
        if as_json { series::json(&series) } else { document::terminal(&series::document(&series), style()) };
    shown(text, written)
}

/// How much of a snapshot a terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotDetail {
    Summary,
    Full,
}

impl SnapshotDetail {
    /// As it was typed: `--full` or not.
    pub fn of(is_full: bool) -> Self {
        if is_full { SnapshotDetail::Full } else { SnapshotDetail::Summary }
    }
}

/// A run that was watched from inside, with what it says.
pub struct Snapshot<'a> {
    run: &'a WatchedRun,
    tables: RunSnapshot,
    objects: Option<RankObjects>,
    record: &'a str,
}

impl<'a> Snapshot<'a> {
    /// `record` is where it is kept; empty for nowhere.
    pub fn of(run: &'a WatchedRun, record: &'a str) -> Snapshot<'a> {
        let machines = run.machines();
        let parts = RunParts {
            activities: &run.processes,
            merged: run.merged.as_ref(),
            places: &run.places,
            asked: run.header.ranks.as_ref(),
            exit: Some(run.header.exit),
            unwatched: run.header.computed_unwatched(),
            machines: &machines,
        };
        let objects = numawise_analyse::objects_of_ranks(&run.objects, parts.asked);
        Snapshot { run, tables: numawise_analyse::run_snapshot(&parts), objects, record }
    }

    fn shown(&self) -> snapshot::Shown<'_> {
        let record = Some(self.record).filter(|record| !record.is_empty());
        snapshot::Shown { run: self.run, tables: &self.tables, objects: self.objects.as_ref(), record }
    }

    /// One screen of it, or all.
    pub fn text(&self, detail: SnapshotDetail, style: Style) -> String {
        let shown = self.shown();
        let document = match detail {
            SnapshotDetail::Summary => snapshot::summary(&shown),
            SnapshotDetail::Full => snapshot::document(&shown),
        };
        document::terminal(&document, style)
    }

    pub fn html(&self) -> String {
        document::html(&snapshot::document(&self.shown()))
    }

    pub fn json(&self) -> String {
        snapshot::json(&self.shown())
    }

    pub fn csv(&self, table: Option<CsvTable>) -> String {
        let shown = self.shown();
        table.map_or_else(|| snapshot::csv(&shown), |table| snapshot::csv_table(&shown, table))
    }
}

/// A division of CPUs into ranks and threads, with the run that stands for it; none where none was made.
pub struct Division {
    pub of: WatchedDivision,
    pub run: Option<WatchedRun>,
    /// Where it is kept.
    pub record: Option<String>,
}

/// Divisions side by side.
pub struct Divisions<'a> {
    all: &'a [Division],
    /// As it was typed.
    command: &'a RunSpec,
    tables: HybridComparison,
    records: Vec<Option<String>>,
}

impl<'a> Divisions<'a> {
    pub fn of(all: &'a [Division], command: &'a RunSpec) -> Divisions<'a> {
        let runs = |one: &Division| DivisionRuns {
            division: one.of.division,
            runs: one.of.runs.clone(),
            tables: one.run.as_ref().map(|run| Snapshot::of(run, "").tables),
        };
        let runs: Vec<DivisionRuns> = all.iter().map(runs).collect();
        let records = all.iter().map(|one| one.record.clone()).collect();
        Divisions { all, command, tables: numawise_analyse::compare_divisions(&runs), records }
    }

    fn shown(&self) -> snapshot::ShownDivisions<'_> {
        snapshot::ShownDivisions { command: self.command, tables: &self.tables, records: &self.records }
    }

    pub fn text(&self, style: Style) -> String {
        document::terminal(&snapshot::divisions_document(&self.shown()), style)
    }

    pub fn html(&self) -> String {
        document::html(&snapshot::divisions_document(&self.shown()))
    }

    pub fn json(&self) -> String {
        let of = |one: &Division| {
            Some(Snapshot::of(one.run.as_ref()?, one.record.as_deref().unwrap_or_default()).json())
        };
        snapshot::divisions_json(&self.shown(), &self.all.iter().map(of).collect::<Vec<_>>())
    }
}

/// Prints divisions as text or as JSON, and writes them as HTML where that is asked for.
pub fn divisions(of: &Divisions<'_>, as_json: bool, html: Option<&Path>) -> Result<(), Failure> {
    let written = html.map_or(Ok(()), |path| report(path, &of.html()));
    shown(if as_json { of.json() } else { of.text(style()) }, written)
}

/// How a snapshot is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotFormat {
    Text(SnapshotDetail),
    Json,
    /// All tables one value a row, or one of them.
    Csv(Option<CsvTable>),
}

/// Prints the snapshot of a run, and writes it as HTML where that is asked for.
pub fn watched_run(
    run: &WatchedRun,
    record: &Path,
    format: SnapshotFormat,
    html: Option<&Path>,
) -> Result<(), Failure> {
    let record = record.display().to_string();
    let snapshot = Snapshot::of(run, &record);
    let written = html.map_or(Ok(()), |path| report(path, &snapshot.html()));
    let text = match format {
        SnapshotFormat::Text(detail) => snapshot.text(detail, style()),
        SnapshotFormat::Json => snapshot.json(),
        SnapshotFormat::Csv(table) => snapshot.csv(table),
    };
    shown(text, written)
}

/// The memory objects of a run, with what they say.
pub struct ObjectsReport<'a> {
    run: &'a ObjectRun,
    tables: ObjectTables,
    record: Option<&'a str>,
}

impl<'a> ObjectsReport<'a> {
    /// `record` is where it is kept, if anywhere.
    pub fn of(run: &'a ObjectRun, record: Option<&'a str>) -> ObjectsReport<'a> {
        ObjectsReport { run, tables: numawise_analyse::objects(run), record }
    }

    /// What of its findings' advice a line can try.
    pub fn to_try(&self) -> Vec<objects::CureOptions> {
        objects::to_try(&self.shown())
    }

    fn shown(&self) -> objects::Shown<'_> {
        objects::Shown { run: self.run, tables: &self.tables, record: self.record }
    }

    pub fn text(&self, style: Style) -> String {
        document::terminal(&objects::document(&self.shown()), style)
    }

    pub fn html(&self) -> String {
        document::html(&objects::document(&self.shown()))
    }

    pub fn json(&self) -> String {
        objects::json(&self.shown())
    }
}

/// Those of several runs that go on.
pub fn objects_json(of: &[ObjectsReport<'_>]) -> String {
    let shown: Vec<objects::Shown<'_>> = of.iter().map(ObjectsReport::shown).collect();
    objects::live_json(&shown)
}

/// Prints the memory objects of a run as text or as JSON, and writes them as HTML where that is asked for.
pub fn object_run(run: &ObjectRun, record: &Path, as_json: bool, html: Option<&Path>) -> Result<(), Failure> {
    let record = record.display().to_string();
    let of = ObjectsReport::of(run, Some(&record));
    let written = html.map_or(Ok(()), |path| report(path, &of.html()));
    shown(if as_json { of.json() } else { of.text(style()) }, written)
}

/// Prints two runs side by side as text or as JSON, and writes them as HTML where that is asked for.
pub fn compared(sides: [Snapshot<'_>; 2], as_json: bool, html: Option<&Path>) -> Result<(), Failure> {
    let [first, second] = &sides;
    let comparison = numawise_analyse::compare_snapshots(&first.tables, &second.tables);
    let compared = snapshot::Compared { sides: [first.shown(), second.shown()], comparison: &comparison };
    let document = snapshot::compare_document(&compared);
    let written = html.map_or(Ok(()), |path| report(path, &document::html(&document)));
    let text =
        if as_json { snapshot::compare_json(&compared) } else { document::terminal(&document, style()) };
    shown(text, written)
}

/// Prints a result, also where its report could not be written; that is the failure then.
pub fn shown(text: String, written: Result<(), Failure>) -> Result<(), Failure> {
    let printed = print(&text).map_err(Failure::from);
    all_well([printed, written])
}

/// The report of what a record holds.
fn report(path: &Path, text: &str) -> Result<(), Failure> {
    files::write(path, text, "the report").map_err(|failure| {
        Failure::new(format!("{}; what was measured is kept in the record", failure.message()))
    })
}

fn times(repeats: u32) -> String {
    if repeats == 1 { "once".to_owned() } else { format!("{repeats} times") }
}

/// What would be tried, without numbers.
pub fn design(header: &StudyHeader) -> Result<(), Failure> {
    let mut text = format!("Would try, in random order, at least {} each:\n", times(header.min_repeats));
    for point in &header.points {
        text += &format!("  {:<12} {}\n", point.id, numawise_report::point_title(&point.levels));
        for task in &point.placement.tasks {
            text += &format!("  {:<12} task {}: CPUs {}, memory {}\n", "", task.task, task.cpus, task.memory);
        }
    }
    if header.points.len() > 1 {
        text += &format!(
            "Would then, where one is better, run each line to use from now on as it is printed, at least {} times\n",
            PrintedLines::LEAST_REPEATS
        );
    }
    text += "Would not try:\n";
    for reason in numawise_report::notice::texts(&header.not_tried) {
        text += &format!("  {reason}\n");
    }
    if header.not_tried.is_empty() {
        text += "  (all that this machine can show is tried, if the program's memory fits)\n";
    }
    Ok(print(&text)?)
}
