//! Figures in rows and columns as lines of the terminal, with as much beside each as the lines have room for.

use numawise_facts::Reading;
use numawise_tables::{Cell, FigureUnit};

use super::words;
use crate::document::Align;
use crate::document::table::table;

/// The reasons of what is missing, numbered in the order in which they appear.
#[derive(Debug, Default)]
pub struct Notes(Vec<String>);

impl Notes {
    /// The mark of a reason: `[1]`.
    pub fn mark(&mut self, reason: &str) -> String {
        let k = self.0.iter().position(|known| known == reason).unwrap_or_else(|| {
            self.0.push(reason.to_owned());
            self.0.len() - 1
        });
        format!("[{}]", k + 1)
    }

    pub fn all(&self) -> &[String] {
        &self.0
    }
}

/// Rows with a name, and a figure for each column.
#[derive(Debug)]
pub struct Grid {
    pub corner: String,
    /// The columns' names, and the same in a few characters.
    pub columns: Vec<(String, String)>,
    pub rows: Vec<(String, Vec<Cell>)>,
    pub unit: FigureUnit,
    /// Whether the bounds are an interval to be shown.
    pub intervals: bool,
}

/// How much of a figure is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    Interval,
    Number,
    Short,
}

impl Grid {
    /// Lines of at most `width`, if one column has room at all; and whether intervals were left out.
    pub fn lines(&self, width: usize, plus_minus: &str, notes: &mut Notes) -> (String, bool) {
        let fits = [Fit::Interval, Fit::Number, Fit::Short];
        let first = usize::from(!self.intervals);
        for fit in &fits[first..] {
            let text = self.draw(*fit, 0..self.columns.len(), plus_minus, notes);
            if widest(&text) <= width {
                return (text, self.intervals && *fit != Fit::Interval);
            }
        }
        // In several blocks, each as many columns as have room.
        let mut text = String::new();
        let mut from = 0;
        while from < self.columns.len() {
            let mut to = from + 1;
            while to < self.columns.len()
                && widest(&self.draw(Fit::Number, from..to + 1, plus_minus, notes)) <= width
            {
                to += 1;
            }
            if from > 0 {
                text.push('\n');
            }
            text += &self.draw(Fit::Number, from..to, plus_minus, notes);
            from = to;
        }
        (text, self.intervals)
    }

    fn draw(&self, fit: Fit, columns: std::ops::Range<usize>, plus_minus: &str, notes: &mut Notes) -> String {
        let mut titles = vec![self.corner.clone()];
        titles.extend(self.columns[columns.clone()].iter().map(|(long, short)| match fit {
            Fit::Short => short.clone(),
            Fit::Interval | Fit::Number => long.clone(),
        }));
        let mut rows = vec![titles];
        for (name, cells) in &self.rows {
            let mut row = vec![name.clone()];
            row.extend(cells[columns.clone()].iter().map(|cell| self.text(fit, cell, plus_minus, notes)));
            rows.push(row);
        }
        let mut sides = vec![Align::Right; columns.len() + 1];
        sides[0] = Align::Left;
        let text = table(&rows, &sides);
        match fit {
            // One blank between columns: figures of three characters stand apart enough.
            Fit::Short => text.lines().map(|line| narrower(line, &rows) + "\n").collect(),
            Fit::Interval | Fit::Number => text,
        }
    }

    fn text(&self, fit: Fit, cell: &Cell, plus_minus: &str, notes: &mut Notes) -> String {
        let estimate = match cell {
            None => return "-".to_owned(),
            Some(Reading::Unavailable { unavailable }) => return notes.mark(&unavailable.0),
            Some(Reading::Measured(estimate)) => estimate,
        };
        match (fit, words::half(self.unit, estimate)) {
            (Fit::Interval, Some(half)) => {
                format!("{} {plus_minus}{half}", words::number(self.unit, estimate.median))
            }
            (Fit::Interval, None) | (Fit::Number, _) => words::number(self.unit, estimate.median),
            (Fit::Short, _) => words::short(self.unit, estimate.median),
        }
    }
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// A line of a table with one blank less before every column but the first two.
fn narrower(line: &str, rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |k: usize| {
        rows.iter().filter_map(|row| row.get(k)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let letters: Vec<char> = line.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    for column in 0..columns {
        let gap = if column == 0 { 0 } else { 2 };
        let skip = usize::from(column > 1);
        let end = at + gap + width(column);
        out.extend(letters.iter().take(end).skip(at + skip));
        at = end;
    }
    out
}
