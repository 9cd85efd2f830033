//! The placements, a line or two for each.

use numawise_tables::ContrastCall;

use super::plot::Scale;
use crate::check::points::{self, Row};
use crate::check::{Check, words};
use crate::document::harmless;
use crate::document::wrap;
use crate::document::{Paint, Style, Tone};
use crate::levels;

/// Room for the plot at most; more does not show more.
const WIDEST_PLOT: usize = 33;
/// A longer name than this stands on a line of its own.
const LONGEST_NAME: usize = 14;

pub fn placements(check: &Check, style: Style, paint: Paint) -> String {
    let rows = points::rows(check);
    let others = points::other_contrasts(check);
    let width = |texts: &mut dyn Iterator<Item = String>| texts.map(|t| t.chars().count()).max().unwrap_or(0);
    let mut columns = Columns {
        name: width(&mut rows.iter().map(name)).clamp(9, LONGEST_NAME),
        median: width(&mut rows.iter().map(|row| row.median.clone())).max(6),
        interval: width(&mut rows.iter().map(|row| row.interval.clone())),
        effect: width(&mut rows.iter().map(Row::effect_text)).max(9),
        n: width(&mut rows.iter().map(|row| row.point.samples.len().to_string())).max(3),
        against: rows
            .iter()
            .find(|row| row.baseline)
            .map_or("ratio".to_owned(), |row| format!("vs {}", name(row))),
    };
    if columns.fixed() > style.width {
        columns.interval = 0; // the ratio has an interval too, and tells more
    }
    let effects: Vec<_> = rows.iter().filter_map(Row::effect).collect();
    let room = style.width.saturating_sub(columns.fixed()).min(WIDEST_PLOT);
    let scale = Scale::over(&effects, room, style.unicode);

    let mut text = format!("\n{}\n", paint.bold(Tone::Plain, "Placements"));
    text += &paint.tone(Tone::Faint, &columns.heading(scale.as_ref()));
    text.push('\n');
    for row in &rows {
        text += &line(row, &columns, scale.as_ref(), paint);
        text += &second_line(row, &columns, style.width, paint);
    }
    if !others.is_empty() {
        text += &format!("\n  {}\n", paint.tone(Tone::Faint, "compared with each other"));
        for contrast in others {
            let words = match contrast.effect.measured() {
                Some(effect) => format!("{}, {}", points::effect_text(*effect), words::call(contrast.call)),
                None => contrast.effect.as_ref().map(|_| "").to_string(),
            };
            let entry = format!("{} vs {}: {words}", contrast.to, contrast.from);
            text += &wrap(&entry, "    ", "      ", style.width);
        }
    }
    text
}

/// The name of the row without what would steer the terminal.
fn name(row: &Row) -> String {
    harmless(&row.point.id.0)
}

/// Widths, and how the comparison is called.
struct Columns {
    name: usize,
    median: usize,
    interval: usize,
    effect: usize,
    n: usize,
    against: String,
}

impl Columns {
    /// All but the plot; two blanks before each column.
    fn fixed(&self) -> usize {
        2 + self.name + 2 + self.median + 2 + self.interval + 2 + 2 + self.effect + 2 + self.n
    }

    fn heading(&self, scale: Option<&Scale>) -> String {
        let plot = scale.map_or(String::new(), |scale| format!("{}  ", scale.legend()));
        let Columns { name, median, interval, effect, n, .. } = *self;
        let between = if interval >= 13 { "95 % interval" } else { "" };
        let against = if effect >= self.against.chars().count() { &self.against } else { "ratio" };
        format!(
            "  {:<name$}  {:>median$}  {between:<interval$}  {plot}{against:<effect$}  {:>n$}",
            "placement", "median", "n"
        )
    }
}

fn line(row: &Row, columns: &Columns, scale: Option<&Scale>, paint: Paint) -> String {
    let tone = match row.call() {
        Some(ContrastCall::Better) => Tone::Good,
        Some(ContrastCall::Worse) => Tone::Bad,
        Some(ContrastCall::Open) => Tone::Doubt,
        Some(ContrastCall::Same) | None => Tone::Plain,
    };
    let Columns { name: width, median, interval, effect, n, .. } = *columns;
    let name = name(row);
    let (before, name) = if name.chars().count() > width {
        (format!("  {}\n", paint.bold(Tone::Plain, &name)), String::new())
    } else {
        (String::new(), name)
    };
    let plot =
        scale.map_or(String::new(), |scale| format!("{}  ", paint.tone(tone, &scale.draw(row.effect()))));
    let padded = |text: &str, width: usize| format!("{text:<width$}");
    format!(
        "{before}  {}  {:>median$}  {:<interval$}  {plot}{}  {:>n$}\n",
        paint.bold(Tone::Plain, &padded(&name, width)),
        row.median,
        if interval > 0 { row.interval.as_str() } else { "" },
        paint.tone(tone, &padded(&row.effect_text(), effect)),
        row.point.samples.len(),
    )
}

/// What the placement is, how it compares, and what else to know.
fn second_line(row: &Row, columns: &Columns, width: usize, paint: Paint) -> String {
    let indent = " ".repeat(2 + columns.name + 2);
    let mut text = levels::title(&row.point.levels);
    for note in std::iter::once(row.call_text()).chain(row.notes.iter().map(String::as_str)) {
        if !note.is_empty() {
            text += &format!("; {note}");
        }
    }
    let wrapped = wrap(&text, &indent, &indent, width);
    wrapped.lines().map(|line| format!("{indent}{}\n", paint.tone(Tone::Faint, line.trim_start()))).collect()
}
