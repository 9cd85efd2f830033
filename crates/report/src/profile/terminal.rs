//! A profile on the terminal.

mod curves;
mod transfers;

use numawise_facts::{Mix, Reading, Target, Workers};
use numawise_tables::{Cell, Crew, FigureUnit, MatrixMeasure, NodeMatrix, Peak};

use super::grid::{Grid, Notes};
use super::{Measured, words};
use crate::document::Align;
use crate::document::table::fitted;
use crate::document::wrap;
use crate::document::{Paint, Style, Tone};

/// Names of lines stand in a column of this width.
const LABEL: usize = 11;
/// Up to so many pairs of nodes have a row in the table of mixes; beyond, every mix has its matrix.
const PAIRS: usize = 16;

/// One profile on the terminal, ending with a newline.
pub fn terminal(measured: &Measured, style: Style) -> String {
    let mut page = Page::new(measured, style);
    page.text += &wrap(&words::heading(measured.profile), "", "", page.width);
    page.text.push('\n');
    for (name, text) in words::summary(measured.profile) {
        page.line(name, &text);
    }
    page.nodes();
    page.list("What it means", &measured.tables.meaning);
    page.list("To be kept in mind", &measured.tables.remarks);
    page.latencies();
    page.bandwidths();
    page.declared();
    page.working_sets();
    page.loaded();
    page.transfers();
    page.notes();
    if let Some(file) = measured.saved {
        page.text.push('\n');
        page.line("Kept in", file);
    }
    page.text
}

pub(super) struct Page<'a> {
    pub measured: &'a Measured<'a>,
    pub width: usize,
    pub unicode: bool,
    pub paint: Paint,
    pub text: String,
    pub notes: Notes,
}

impl<'a> Page<'a> {
    fn new(measured: &'a Measured<'a>, style: Style) -> Self {
        let width = style.width.clamp(60, 200);
        let paint = Paint(style.colour);
        Page { measured, width, unicode: style.unicode, paint, text: String::new(), notes: Notes::default() }
    }

    pub fn heading(&mut self, text: &str) {
        self.text.push('\n');
        for line in wrap(text, "", "", self.width).lines() {
            self.text += &format!("{}\n", self.paint.bold(Tone::Plain, line));
        }
    }

    fn line(&mut self, name: &str, text: &str) {
        let first = format!("  {name:<LABEL$}");
        let wrapped = wrap(text, &first, &" ".repeat(LABEL + 2), self.width.min(100));
        let painted = self.paint.tone(Tone::Faint, &first);
        self.text += &wrapped.replacen(&first, &painted, 1);
    }

    pub fn faint(&mut self, text: &str) {
        for line in wrap(text, "  ", "  ", self.width.min(100)).lines() {
            self.text += &format!("{}\n", self.paint.tone(Tone::Faint, line));
        }
    }

    fn list(&mut self, heading: &str, entries: &[String]) {
        if entries.is_empty() {
            return;
        }
        self.heading(heading);
        for entry in entries {
            self.text += &wrap(&self.plain(entry), "  - ", "    ", self.width.min(100));
        }
    }

    /// What profiles say of themselves may hold a sign that not every terminal has.
    fn plain(&self, text: &str) -> String {
        if self.unicode { text.to_owned() } else { text.replace('±', "+-") }
    }

    pub fn table(&mut self, rows: Vec<Vec<String>>, sides: &[Align], less: &[&str]) {
        for line in fitted(rows, sides, self.width - 2, less).lines() {
            self.text += &format!("  {line}\n");
        }
    }

    /// A grid under a heading; true when its intervals had no room.
    pub fn grid(&mut self, heading: &str, grid: &Grid) -> bool {
        self.heading(heading);
        let plus_minus = self.plus_minus();
        let (text, left_out) = grid.lines(self.width - 2, plus_minus, &mut self.notes);
        for line in text.lines() {
            self.text += &format!("  {}\n", line.trim_end());
        }
        left_out
    }

    pub fn plus_minus(&self) -> &'static str {
        if self.unicode { "±" } else { "+-" }
    }

    fn nodes(&mut self) {
        let mut rows = vec![words::NODE_TITLES.map(str::to_owned).to_vec()];
        rows.extend(words::node_rows(self.measured.profile).into_iter().map(|row| row.to_vec()));
        self.text.push('\n');
        self.table(rows, &[Align::Right, Align::Left, Align::Right], &[]);
    }

    fn latencies(&mut self) {
        for measure in
            [MatrixMeasure::IdleLatency, MatrixMeasure::LatencyBesideOwn, MatrixMeasure::LatencyWithTlbMisses]
        {
            self.matrix(measure);
        }
    }

    /// A matrix of nodes, if there is one.
    pub fn matrix(&mut self, measure: MatrixMeasure) {
        let Some(matrix) = self.measured.tables.matrix(measure) else { return };
        if let Some(reason) = one_reason(matrix) {
            self.text.push('\n');
            let mark = self.notes.mark(&reason);
            return self.faint(&format!("{}: unavailable {mark}", words::matrix(measure)));
        }
        let left_out = self.grid(&words::matrix(measure), &self.node_grid(matrix));
        let mut about = Vec::new();
        about.extend(words::about(measure).map(str::to_owned));
        if let (true, Some(widest)) = (left_out, matrix.widest) {
            about.push(format!("Intervals: {}{} at most.", self.plus_minus(), widest.percent()));
        }
        if !about.is_empty() {
            self.faint(&about.join(" "));
        }
    }

    fn node_grid(&self, matrix: &NodeMatrix) -> Grid {
        let profile = self.measured.profile;
        let column = |node: &numawise_units::NodeId| match words::kind(profile, *node) {
            Some(kind) => (format!("{node} {kind}"), node.to_string()),
            None => (node.to_string(), node.to_string()),
        };
        let row =
            |(node, cells): (&numawise_units::NodeId, &Vec<Cell>)| (format!("node {node}"), cells.clone());
        Grid {
            corner: "from \\ to".to_owned(),
            columns: matrix.columns.iter().map(column).collect(),
            rows: matrix.rows.iter().zip(&matrix.cells).map(row).collect(),
            unit: matrix.measure.unit(),
            intervals: !matches!(
                matrix.measure,
                MatrixMeasure::Transfers(_) | MatrixMeasure::LatencyBesideOwn | MatrixMeasure::ReadBesideOwn
            ),
        }
    }

    fn bandwidths(&mut self) {
        let read = MatrixMeasure::Bandwidth { crew: Crew::Node, mix: Mix::Read };
        self.matrix(read);
        self.matrix(MatrixMeasure::ReadBesideOwn);
        let tables = self.measured.tables;
        let many = tables.matrix(read).is_some_and(|matrix| matrix.rows.len() * matrix.columns.len() > PAIRS);
        self.mixes(!many);
        if many {
            for mix in Mix::ALL.into_iter().skip(1) {
                self.matrix(MatrixMeasure::Bandwidth { crew: Crew::Node, mix });
            }
            self.matrix(MatrixMeasure::Bandwidth { crew: Crew::Core, mix: Mix::Read });
        }
    }

    /// Everybody, every pair of nodes where these are few, one core: by mix.
    fn mixes(&mut self, pairs: bool) {
        let tables = self.measured.tables;
        let shown: Vec<Mix> = Mix::ALL
            .into_iter()
            .filter(|mix| tables.peaks.iter().any(|peak| peak.by_mix.iter().any(|(of, _)| of == mix)))
            .collect();
        if shown.is_empty() {
            return;
        }
        let mut rows: Vec<(String, Vec<Cell>)> = Vec::new();
        // Of each node on its own memory a matrix tells it, but for many nodes only by one mix.
        let told = pairs || shown.len() == 1;
        let peaks = tables.peaks.iter().filter(|peak| !told || matches!(peak.workers, Workers::Machine));
        rows.extend(peaks.map(|peak| (words::pair(peak.workers, peak.target), peak_cells(peak, &shown))));
        for crew in [Crew::Node, Crew::Core].into_iter().filter(|_| pairs) {
            rows.extend(self.pair_rows(crew, &shown));
        }
        let columns = shown.iter().map(|mix| (mix.to_string(), mix.to_string())).collect();
        let unit = FigureUnit::BytesPerSecond;
        let grid = Grid { corner: String::new(), columns, rows, unit, intervals: true };
        self.grid("Bandwidth by mix of reads and writes, GB/s", &grid);
    }

    fn pair_rows(&self, crew: Crew, shown: &[Mix]) -> Vec<(String, Vec<Cell>)> {
        let of = |mix: &Mix| self.measured.tables.matrix(MatrixMeasure::Bandwidth { crew, mix: *mix });
        let Some(first) = shown.iter().find_map(of) else { return Vec::new() };
        let mut rows = Vec::new();
        for (k, from) in first.rows.iter().enumerate() {
            for (l, to) in first.columns.iter().enumerate() {
                let cells: Vec<Cell> =
                    shown.iter().map(|mix| of(mix).and_then(|matrix| matrix.cells[k][l].clone())).collect();
                let workers = match crew {
                    Crew::Node => Workers::Node(*from),
                    Crew::Core => Workers::Core(*from),
                };
                // Reads alone are told by their matrix.
                let more = shown.iter().zip(&cells).any(|(mix, cell)| *mix != Mix::Read && cell.is_some());
                if more || (crew == Crew::Core && cells.iter().any(Option::is_some)) {
                    rows.push((words::pair(workers, Target::Node(*to)), cells));
                }
            }
        }
        rows
    }

    fn declared(&mut self) {
        let shares = match &self.measured.tables.declared {
            Reading::Unavailable { unavailable } => {
                self.text.push('\n');
                return self
                    .faint(&format!("Share of what the firmware declares: unavailable ({unavailable})."));
            }
            Reading::Measured(shares) => shares,
        };
        self.heading("Share of the bandwidth that the firmware declares");
        let mut rows = vec![["", "mix", "measured", "declared", "share"].map(str::to_owned).to_vec()];
        for cell in shares {
            let measured = cell.measured.measured().map(|estimate| estimate.median.to_string());
            let missing = |notes: &mut Notes, reason: Option<&numawise_facts::Reason>| {
                reason.map_or_else(String::new, |reason| notes.mark(&reason.0))
            };
            let measured = measured.unwrap_or_else(|| missing(&mut self.notes, cell.measured.reason()));
            let share = cell.share.measured().map(|share| share.percent());
            let share = share.unwrap_or_else(|| missing(&mut self.notes, cell.share.reason()));
            let who = words::pair(cell.workers, cell.target);
            rows.push(vec![who, cell.mix.to_string(), measured, cell.declared.to_string(), share]);
        }
        self.table(rows, &[Align::Left, Align::Left, Align::Right, Align::Right, Align::Right], &[]);
    }

    fn notes(&mut self) {
        let all = self.notes.all().to_vec();
        if all.is_empty() {
            return;
        }
        self.heading("Could not be measured");
        for (k, reason) in all.iter().enumerate() {
            self.text +=
                &wrap(&self.plain(reason), &format!("  [{}] ", k + 1), "      ", self.width.min(100));
        }
    }
}

/// The reason of a matrix in which every cell has the same and none has a figure.
fn one_reason(matrix: &NodeMatrix) -> Option<String> {
    let mut cells = matrix.cells.iter().flatten().flatten().map(|cell| cell.reason());
    let first = cells.next()??;
    cells.all(|reason| reason == Some(first)).then(|| first.0.to_string())
}

fn peak_cells(peak: &Peak, shown: &[Mix]) -> Vec<Cell> {
    let of = |mix: &Mix| peak.by_mix.iter().find(|(known, _)| known == mix).map(|(_, rate)| rate);
    shown.iter().map(|mix| of(mix).map(super::plain)).collect()
}
