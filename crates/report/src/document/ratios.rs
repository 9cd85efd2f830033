//! Things that are compared by ratios, with a picture of the intervals where characters draw it.

use numawise_facts::Effect;
use numawise_units::harmless::replaced;

use super::paint::{Paint, Tone};
use super::text::wrap;

/// Rows with a figure each, and how many times as good as the first of them they are.
#[derive(Debug, Clone)]
pub struct Ratios {
    /// What is compared: the title of the first column.
    pub subject: &'static str,
    pub figure: &'static str,
    /// What the ratio is to.
    pub versus: String,
    pub rows: Vec<RatioRow>,
}

/// A row of such a table.
#[derive(Debug, Clone)]
pub struct RatioRow {
    pub name: String,
    /// What it is, in a few words.
    pub about: String,
    pub figure: String,
    /// Of the figure; empty where there is none.
    pub interval: String,
    pub effect: Option<Effect>,
    /// The effect as a text, or what stands in its place.
    pub ratio: String,
    /// What the ratio comes to, in a word or two.
    pub call: &'static str,
    pub tone: Tone,
    pub count: usize,
    pub notes: Vec<String>,
}

/// Room for the plot at most; more does not show more.
const WIDEST_PLOT: usize = 33;
/// A longer name than this stands on a line of its own.
const LONGEST_NAME: usize = 14;
/// The title of the column of intervals, which is left out where it has no room.
pub const INTERVAL: &str = "95 % interval";

impl Ratios {
    /// The rows as lines of at most `width`, each with what it is below it.
    pub(super) fn lines(&self, width: usize, unicode: bool, paint: Paint) -> String {
        let columns = Columns::new(self, width);
        let effects: Vec<Effect> = self.rows.iter().filter_map(|row| row.effect).collect();
        let room = width.saturating_sub(columns.fixed()).min(WIDEST_PLOT);
        let scale = Scale::over(&effects, room, unicode);
        let mut text = paint.tone(Tone::Faint, &columns.heading(self, scale.as_ref()));
        text.push('\n');
        for row in &self.rows {
            text += &line(row, &columns, scale.as_ref(), paint);
            text += &second_line(row, &columns, width, paint);
        }
        text
    }
}

/// Widths of the columns of a terminal.
struct Columns {
    name: usize,
    figure: usize,
    interval: usize,
    ratio: usize,
    count: usize,
}

impl Columns {
    fn new(ratios: &Ratios, width: usize) -> Self {
        let widest = |text: &dyn Fn(&RatioRow) -> String| {
            ratios.rows.iter().map(|row| text(row).chars().count()).max().unwrap_or(0)
        };
        let mut columns = Columns {
            name: widest(&|row| replaced(&row.name)).clamp(ratios.subject.len(), LONGEST_NAME),
            figure: widest(&|row| row.figure.clone()).max(ratios.figure.len()),
            interval: widest(&|row| row.interval.clone()),
            ratio: widest(&|row| row.ratio.clone()).max(9),
            count: widest(&|row| row.count.to_string()).max(3),
        };
        if columns.fixed() > width {
            columns.interval = 0; // the ratio has an interval too, and says more
        }
        columns
    }

    /// All but the plot; two blanks before each column.
    fn fixed(&self) -> usize {
        2 + self.name + 2 + self.figure + 2 + self.interval + 2 + 2 + self.ratio + 2 + self.count
    }

    fn heading(&self, ratios: &Ratios, scale: Option<&Scale>) -> String {
        let plot = scale.map_or(String::new(), |scale| format!("{}  ", scale.legend()));
        let Columns { name, figure, interval, ratio, count } = *self;
        let between = if interval >= INTERVAL.len() { INTERVAL } else { "" };
        let versus = replaced(&ratios.versus);
        let versus = if ratio >= versus.chars().count() { &versus } else { "ratio" };
        format!(
            "  {:<name$}  {:>figure$}  {between:<interval$}  {plot}{versus:<ratio$}  {:>count$}",
            ratios.subject, ratios.figure, "n"
        )
    }
}

fn line(row: &RatioRow, columns: &Columns, scale: Option<&Scale>, paint: Paint) -> String {
    let Columns { name: width, figure, interval, ratio, count } = *columns;
    let name = replaced(&row.name);
    let (before, name) = if name.chars().count() > width {
        (format!("  {}\n", paint.bold(Tone::Plain, &name)), String::new())
    } else {
        (String::new(), name)
    };
    let plot =
        scale.map_or(String::new(), |scale| format!("{}  ", paint.tone(row.tone, &scale.draw(row.effect))));
    let padded = |text: &str, width: usize| format!("{text:<width$}");
    format!(
        "{before}  {}  {:>figure$}  {:<interval$}  {plot}{}  {:>count$}\n",
        paint.bold(Tone::Plain, &padded(&name, width)),
        row.figure,
        if interval > 0 { row.interval.as_str() } else { "" },
        paint.tone(row.tone, &padded(&row.ratio, ratio)),
        row.count,
    )
}

/// What it is, how it compares, and what else to know.
fn second_line(row: &RatioRow, columns: &Columns, width: usize, paint: Paint) -> String {
    let indent = " ".repeat(2 + columns.name + 2);
    let mut text = row.about.clone();
    for note in std::iter::once(row.call).chain(row.notes.iter().map(String::as_str)) {
        if !note.is_empty() {
            text += &format!("; {note}");
        }
    }
    let wrapped = wrap(&text, &indent, &indent, width);
    wrapped.lines().map(|line| format!("{indent}{}\n", paint.tone(Tone::Faint, line.trim_start()))).collect()
}

/// The logarithmic scale that the lines of one table share.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    /// Logarithms of the ends.
    low: f64,
    high: f64,
    cells: usize,
    unicode: bool,
}

/// The scale shows at least this much on both sides of 1, so that noise does not look like an effect.
const LEAST: f64 = 1.1;

impl Scale {
    /// A scale on which all effects and 1 can be seen; `None` when there is nothing to show or no room.
    fn over(effects: &[Effect], cells: usize, unicode: bool) -> Option<Self> {
        let good = |ratio: f64| ratio.is_finite() && ratio > 0.0;
        let effects: Vec<_> = effects.iter().filter(|e| good(e.low.0) && good(e.high.0)).collect();
        if effects.is_empty() || cells < 9 {
            return None;
        }
        let low = effects.iter().map(|e| e.low.0).fold(1.0 / LEAST, f64::min).ln();
        let high = effects.iter().map(|e| e.high.0).fold(LEAST, f64::max).ln();
        Some(Scale { low, high, cells, unicode })
    }

    fn cell(&self, ratio: f64) -> usize {
        let share = (ratio.ln() - self.low) / (self.high - self.low);
        (share.clamp(0.0, 1.0) * (self.cells - 1) as f64).round() as usize
    }

    /// The line; without an effect, only where 1 is.
    fn draw(&self, effect: Option<Effect>) -> String {
        let [dot, one, line, left, right, middle] = if self.unicode {
            ['·', '│', '─', '├', '┤', '●']
        } else {
            ['.', '|', '-', '[', ']', 'o']
        };
        let mut cells = vec![dot; self.cells];
        cells[self.cell(1.0)] = one;
        if let Some(effect) = effect.filter(|e| e.low.0 > 0.0 && e.high.0.is_finite()) {
            let (from, to) = (self.cell(effect.low.0), self.cell(effect.high.0));
            cells[from..=to].fill(line);
            // An interval too short to have ends is only its middle.
            if to > from {
                (cells[from], cells[to]) = (left, right);
            }
            cells[self.cell(effect.ratio.0)] = middle;
        }
        cells.into_iter().collect()
    }

    /// What the ends mean, on a line of the same width.
    fn legend(&self) -> String {
        let label = |log: f64| format!("{:.2}x", log.exp());
        let (low, high) = (label(self.low), label(self.high));
        let mut cells = vec![' '; self.cells];
        let one = self.cell(1.0);
        cells.splice(..low.len(), low.chars());
        let start = self.cells - high.len();
        cells.splice(start.., high.chars());
        if one > low.len() && one + 2 < start {
            cells[one] = '1';
        }
        cells.into_iter().collect()
    }
}
