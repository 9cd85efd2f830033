//! Shows what a record says: on the terminal, as JSON, in HTML.

use std::collections::BTreeMap;
use std::path::Path;

use numawise_analyse::{DivisionRuns, RunParts};
use numawise_facts::Reading;
use numawise_facts::objects::BuildFlags;
use numawise_facts::{
    Argument, Machine, ObjectRun, PointId, PrintedLines, RankBinding, RankSet, RunSpec, Study, StudyHeader,
    TracePart, WatchedDivision, WatchedRun,
};
use numawise_report::check::{self, Check};
use numawise_report::document::{self, Document, Style};
use numawise_report::objects;
use numawise_report::prediction::{self, ShownPrediction};
use numawise_report::series;
use numawise_report::snapshot::{self, CsvTable};
use numawise_report::survey;
use numawise_tables::objects::RankObjects;
use numawise_tables::snapshot::{HybridComparison, RunTrace, TraceEvents};
use numawise_tables::survey::LoopTables;
use numawise_tables::{ObjectTables, OtherMachineFacts, Prediction, RunSnapshot, Timeline};
use numawise_units::Rank;

use crate::exit::Failure;
use crate::faces::Faces;
use crate::slices::{Large, Streams};
use crate::streams::{print, style};
use crate::verdict::{our_line, use_from_now_on};

/// A study.
pub fn study(study: &Study, record: &Path, faces: &Faces) -> Result<(), Failure> {
    let analysis = numawise_analyse::analyse(study);
    let from_now_on = use_from_now_on(study, &analysis);
    let record = record.display().to_string();
    let (machine, command) = (&study.header.machine, &study.header.command);
    let followed = numawise_analyse::objects_of_check(study, &|point| our_line(machine, point, command));
    let followed = followed.map(|run| (numawise_analyse::objects(&run), run));
    let objects = followed.as_ref().map(|(tables, run)| objects::Shown { run, tables, record: None });
    let check = Check { study, analysis: &analysis, from_now_on: &from_now_on, record: &record, objects };
    let document = || check::document(&check);
    faces.put_of_record(
        || document::terminal(&document(), style()),
        || check::json(&check),
        || document::html(&document()),
    )
}

/// How the points of a grid are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyFormat {
    Text,
    Csv,
}

/// A study of a grid.
pub fn grid(study: &Study, record: &Path, format: StudyFormat, faces: &Faces) -> Result<(), Failure> {
    let Some(tables) = numawise_analyse::grid(study) else {
        return Err(Failure::new(format!("{}: this is no study of a grid", record.display())));
    };
    let record = record.display().to_string();
    let of_study = numawise_report::study::ShownStudy { study, tables: &tables, record: &record };
    let text = || match format {
        StudyFormat::Text => {
            document::terminal(&numawise_report::study::terminal_document(&of_study), style())
        }
        StudyFormat::Csv => numawise_report::study::csv(&of_study),
    };
    let page = || document::html(&numawise_report::study::document(&of_study));
    faces.put_of_record(text, || numawise_report::study::json(&of_study), page)
}

/// What the runs of a study say of all of its points.
pub fn prediction(study: &Study, record: &Path, format: StudyFormat, faces: &Faces) -> Result<(), Failure> {
    shown_prediction(study, record, &numawise_session::prediction::predict(study), None, format, faces)
}

/// What they say of another machine.
pub fn prediction_for(
    study: &Study,
    record: &Path,
    (tables, machine): &(Prediction, OtherMachineFacts),
    format: StudyFormat,
    faces: &Faces,
) -> Result<(), Failure> {
    shown_prediction(study, record, tables, Some(machine), format, faces)
}

fn shown_prediction(
    study: &Study,
    record: &Path,
    tables: &Prediction,
    machine: Option<&OtherMachineFacts>,
    format: StudyFormat,
    faces: &Faces,
) -> Result<(), Failure> {
    let record = record.display().to_string();
    // CPUs of this machine are not those of another one.
    let best = tables.best.measured().filter(|_| machine.is_none());
    let best = best.and_then(|best| study.header.point(best));
    let run = best.and_then(|point| study.header.grid.as_ref()?.run(&point.id));
    let line = best.zip(run).map(|(point, run)| {
        let variables =
            run.environment.iter().map(|(name, value)| format!("{name}={} ", Argument::from(value.as_str())));
        variables.collect::<String>() + &our_line(&study.header.machine, point, &run.command)
    });
    let shown =
        ShownPrediction { study, prediction: tables, record: &record, line: line.as_deref(), machine };
    let document = || prediction::document(&shown);
    let text = || match format {
        StudyFormat::Text => document::terminal(&document(), style()),
        StudyFormat::Csv => prediction::csv(&shown),
    };
    faces.put_of_record(text, || prediction::json(&shown), || document::html(&document()))
}

/// The points that would be run for a prediction.
pub fn prediction_plan(study: &Study, points: &[PointId]) -> Result<(), Failure> {
    let (all, repeats) = (study.header.points.len(), times(study.header.min_repeats));
    let mut text = format!(
        "Would run {} of {all} points, {repeats} each, and then those that may be the best:\n",
        points.len()
    );
    for id in points {
        let run = study.header.grid.as_ref().and_then(|grid| grid.run(id));
        text += &format!("  {id}\n");
        text += &run.map(|run| format!("      {}\n", run.command.shell_line())).unwrap_or_default();
    }
    Ok(print(&text)?)
}

/// Two studies side by side.
pub fn compared_studies(sides: [(&Study, &Path); 2], faces: &Faces) -> Result<(), Failure> {
    let [(first, one), (second, other)] = sides;
    let tables = numawise_analyse::compare_studies(first, second);
    let (one, other) = (one.display().to_string(), other.display().to_string());
    let of_both = numawise_report::study::ShownComparison {
        tables: &tables,
        metric: &second.header.metric,
        names: [&one, &other],
    };
    let document = || numawise_report::study::comparison_document(&of_both);
    faces.put_of_record(
        || document::terminal(&document(), style()),
        || numawise_report::study::comparison_json(&of_both),
        || document::html(&document()),
    )
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

/// A job over time.
pub fn series(timeline: &Timeline, record: &Path, faces: &Faces) -> Result<(), Failure> {
    let record = record.display().to_string();
    let series = series::Series { timeline, record: &record };
    let document = || series::document(&series);
    faces.put_of_record(
        || document::terminal(&document(), style()),
        || series::json(&series),
        || document::html(&document()),
    )
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

/// What the analysis of a run reads.
pub fn parts<'a>(
    run: &'a WatchedRun,
    part: &'a TracePart,
    machines: &'a BTreeMap<String, &'a Machine>,
) -> RunParts<'a> {
    RunParts {
        trace_part: Some(part),
        activities: &run.processes,
        merged: run.merged.as_ref(),
        places: &run.places,
        asked: run.header.ranks.as_ref(),
        exit: Some(run.header.exit),
        unwatched: run.header.computed_unwatched(),
        machines,
    }
}

/// A run that was watched from inside, with what it says.
pub struct Snapshot<'a> {
    run: &'a WatchedRun,
    tables: RunSnapshot,
    objects: Option<RankObjects>,
    record: &'a str,
    /// Its calls can be drawn.
    has_events: bool,
}

impl<'a> Snapshot<'a> {
    /// `record` is where it is kept; empty for nowhere.
    pub fn of(run: &'a WatchedRun, record: &'a str) -> Snapshot<'a> {
        Snapshot::of_part(run, &TracePart::default(), record)
    }

    /// The same with a part of its trace.
    pub fn of_part(run: &'a WatchedRun, part: &TracePart, record: &'a str) -> Snapshot<'a> {
        let machines = run.machines();
        let parts = parts(run, part, &machines);
        let objects = numawise_analyse::objects_of_ranks(&run.objects, parts.asked);
        Snapshot { run, tables: numawise_analyse::run_snapshot(&parts), objects, record, has_events: true }
    }

    /// The same of a trace that is read in slices.
    fn in_slices(
        run: &'a WatchedRun,
        (streams, calls): (&mut Streams, usize),
        part: &TracePart,
        record: &'a str,
    ) -> Option<Snapshot<'a>> {
        let machines = run.machines();
        let parts = parts(run, part, &machines);
        let tables = numawise_analyse::run_snapshot_in_slices(&parts, streams, calls)?;
        let objects = numawise_analyse::objects_of_ranks(&run.objects, parts.asked);
        Some(Snapshot { run, tables, objects, record, has_events: false })
    }

    /// The calls and messages of its trace; nothing where none was made.
    pub fn events(run: &WatchedRun) -> Option<TraceEvents> {
        let machines = run.machines();
        numawise_analyse::trace_events(&parts(run, &TracePart::default(), &machines))
    }

    /// What a trace of which nothing else is known says.
    pub fn trace(run: &WatchedRun, part: &TracePart) -> Option<RunTrace> {
        let machines = BTreeMap::new();
        numawise_analyse::run_snapshot(&parts(run, part, &machines)).trace
    }

    fn shown(&self) -> snapshot::Shown<'_> {
        let record = Some(self.record).filter(|record| !record.is_empty());
        let objects = self.objects.as_ref();
        snapshot::Shown { run: self.run, tables: &self.tables, objects, events: None, record }
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
        // Only a page draws them, and only a page of all.
        let is_part = self.tables.trace.as_ref().is_some_and(|trace| trace.is_part);
        let events = if is_part || !self.has_events { None } else { Snapshot::events(self.run) };
        document::html(&snapshot::document(&snapshot::Shown { events: events.as_ref(), ..self.shown() }))
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

/// Divisions.
pub fn divisions(of: &Divisions<'_>, faces: &Faces) -> Result<(), Failure> {
    faces.put_of_record(|| of.text(style()), || of.json(), || of.html())
}

/// How a snapshot is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotFormat {
    Text(SnapshotDetail),
    /// All tables one value a row, or one of them.
    Csv(Option<CsvTable>),
}

/// Refuses a part in which nothing lies, or of ranks that are not there.
pub fn holds_part(
    trace: &RunTrace,
    part: &TracePart,
    (run, file): (&WatchedRun, &str),
) -> Result<(), Failure> {
    let phases = run.traced_phases();
    if let Some(name) = part.phase.as_ref().filter(|name| !phases.iter().any(|phase| phase.is_called(name))) {
        let known: Vec<String> = phases.iter().map(|phase| snapshot::phase_name(phase)).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(Failure::new(format!(
            "--phase {name} {file}: found no such phase in the trace; expected one that the program named: {known}"
        )));
    }
    if trace.is_part && trace.span.0 == 0 {
        return Err(Failure::new(format!(
            "--from, --to {file}: the trace ends at {}; expected moments before that",
            trace.begin
        )));
    }
    let traced: RankSet = trace.ranks.iter().map(|rank| Rank(rank.rank)).collect();
    let missing = part.ranks.as_ref().map(|ranks| ranks.difference(&traced)).unwrap_or_default();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "--ranks {file}: found no trace of ranks {missing}; expected ranks that were traced"
    )))
}

/// A document on the standard output.
pub fn terminal(of: &document::Document) -> String {
    document::terminal(of, style())
}

/// The same as a page.
pub fn page(of: &document::Document) -> String {
    document::html(of)
}

/// The snapshot of a run.
pub fn watched_run(
    run: &WatchedRun,
    part: &TracePart,
    record: &Path,
    format: SnapshotFormat,
    faces: &Faces,
) -> Result<(), Failure> {
    let record = record.display().to_string();
    put_run(&Snapshot::of_part(run, part, &record), part, format, faces)
}

/// The same of a run whose trace is larger than memory.
pub fn large_run(
    large: Large,
    part: &TracePart,
    record: &Path,
    format: SnapshotFormat,
    faces: &Faces,
) -> Result<(), Failure> {
    let Large { run, mut streams, calls } = large;
    let name = record.display().to_string();
    let Some(snapshot) = Snapshot::in_slices(&run, (&mut streams, calls), part, &name) else {
        let nothing = || {
            Failure::new(format!(
                "report {name}: its trace has no call between MPI_Init and MPI_Finalize, and no parallel region; expected one that has"
            ))
        };
        return Err(streams.failure().map_or_else(nothing, Failure::from));
    };
    put_run(&snapshot, part, format, faces)
}

fn put_run(
    snapshot: &Snapshot<'_>,
    part: &TracePart,
    format: SnapshotFormat,
    faces: &Faces,
) -> Result<(), Failure> {
    if let Some(trace) = &snapshot.tables.trace {
        holds_part(trace, part, (snapshot.run, snapshot.record))?;
    }
    let text = || match format {
        SnapshotFormat::Text(detail) => snapshot.text(detail, style()),
        SnapshotFormat::Csv(table) => snapshot.csv(table),
    };
    faces.put_of_record(text, || snapshot.json(), || snapshot.html())
}

/// The memory objects of a run, with what they say.
pub struct ObjectsReport<'a> {
    run: &'a ObjectRun,
    tables: ObjectTables,
    /// Of a survey.
    loops: Option<LoopTables>,
    record: Option<&'a str>,
}

impl<'a> ObjectsReport<'a> {
    /// `record` is where it is kept, if anywhere.
    pub fn of(run: &'a ObjectRun, record: Option<&'a str>) -> ObjectsReport<'a> {
        let (tables, loops) = (numawise_analyse::objects(run), numawise_analyse::survey(run));
        ObjectsReport { run, tables, loops, record }
    }

    /// What of its findings' advice a line can try.
    pub fn to_try(&self) -> Vec<objects::CureOptions> {
        objects::to_try(&self.shown())
    }

    /// Options of compilers that its findings advise.
    pub fn flags_to_try(&self) -> Reading<Vec<BuildFlags>> {
        let none = || Reading::unavailable("the run is no survey");
        self.survey().as_ref().map_or_else(none, survey::to_try)
    }

    fn shown(&self) -> objects::Shown<'_> {
        objects::Shown { run: self.run, tables: &self.tables, record: self.record }
    }

    fn survey(&self) -> Option<survey::Shown<'_>> {
        Some(survey::Shown { run: self.run, tables: self.loops.as_ref()?, record: self.record })
    }

    fn document(&self) -> Document {
        self.survey().map_or_else(|| objects::document(&self.shown()), |survey| survey::document(&survey))
    }

    pub fn text(&self, style: Style) -> String {
        document::terminal(&self.document(), style)
    }

    pub fn html(&self) -> String {
        document::html(&self.document())
    }

    pub fn json(&self) -> String {
        self.survey().map_or_else(|| objects::json(&self.shown()), |survey| survey::json(&survey))
    }
}

/// Those of several runs that go on.
pub fn objects_json(of: &[ObjectsReport<'_>]) -> String {
    let shown: Vec<objects::Shown<'_>> = of.iter().map(ObjectsReport::shown).collect();
    objects::live_json(&shown)
}

/// The memory objects of a run, or the loops of a survey.
pub fn object_run(run: &ObjectRun, record: &Path, faces: &Faces) -> Result<(), Failure> {
    let record = record.display().to_string();
    let of = ObjectsReport::of(run, Some(&record));
    faces.put_of_record(|| of.text(style()), || of.json(), || of.html())
}

/// Two runs side by side.
pub fn compared(sides: [Snapshot<'_>; 2], faces: &Faces) -> Result<(), Failure> {
    let [first, second] = &sides;
    let comparison = numawise_analyse::compare_snapshots(&first.tables, &second.tables);
    let compared = snapshot::Compared { sides: [first.shown(), second.shown()], comparison: &comparison };
    let document = snapshot::compare_document(&compared);
    faces.put_of_record(
        || document::terminal(&document, style()),
        || snapshot::compare_json(&compared),
        || document::html(&document),
    )
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
