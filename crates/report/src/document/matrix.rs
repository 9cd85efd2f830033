//! Figures in rows and columns, with as much beside each as there is room for.

use super::Marks;
use super::table::{Align, table};

/// Rows with a name, and a figure for each column.
#[derive(Debug, Clone)]
pub struct Matrix {
    /// Nothing where the section says it.
    pub title: String,
    pub corner: String,
    pub columns: Vec<MatrixColumn>,
    pub rows: Vec<(String, Vec<MatrixCell>)>,
    /// The halves of intervals are shown where there is room.
    pub intervals: bool,
    pub about: Option<String>,
    /// What is said of the intervals where a terminal has no room for them.
    pub without_intervals: Option<String>,
    pub colours: MatrixColours,
}

/// How a page colours the cells of a matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatrixColours {
    /// From cold to hot, with the texts of the least and the greatest.
    Hot(Option<(String, String)>),
    /// From shallow to deep.
    Deep(Option<(String, String)>),
    /// None, in small letters: there are many.
    None,
}

/// A column of a matrix by the width that there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixColumn {
    pub name: String,
    /// In a few characters.
    pub short: String,
    /// In a page that has room.
    pub long: String,
    /// What a page says below, in small letters.
    pub note: Option<String>,
}

/// What stands in a cell of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub enum MatrixCell {
    /// It was not asked for.
    Absent,
    /// The reason.
    Unavailable(String),
    Figure(MatrixFigure),
}

/// A figure by the width that there is.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixFigure {
    pub number: String,
    /// Half of its interval.
    pub half: Option<String>,
    /// In three or four characters.
    pub short: String,
    /// What a page says below it in small letters.
    pub small: Option<String>,
    /// What a page says where the pointer rests.
    pub hover: String,
    /// From 0 to 100 between the least and the greatest.
    pub depth: f64,
}

/// How much of a figure is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    Interval,
    Number,
    Short,
}

impl Matrix {
    /// Lines of at most `width`, if one column has room at all; and whether intervals were left out.
    pub(super) fn lines(&self, width: usize, marks: &mut Marks) -> (String, bool) {
        let details = [Detail::Interval, Detail::Number, Detail::Short];
        let first = usize::from(!self.intervals);
        for detail in &details[first..] {
            let text = self.draw(*detail, 0..self.columns.len(), marks);
            if widest(&text) <= width {
                return (text, self.intervals && *detail != Detail::Interval);
            }
        }
        // In several blocks, each as many columns as have room.
        let mut text = String::new();
        let mut from = 0;
        while from < self.columns.len() {
            let mut to = from + 1;
            while to < self.columns.len() && widest(&self.draw(Detail::Number, from..to + 1, marks)) <= width
            {
                to += 1;
            }
            if from > 0 {
                text.push('\n');
            }
            text += &self.draw(Detail::Number, from..to, marks);
            from = to;
        }
        (text, self.intervals)
    }

    fn draw(&self, detail: Detail, columns: std::ops::Range<usize>, marks: &mut Marks) -> String {
        let mut titles = vec![self.corner.clone()];
        titles.extend(self.columns[columns.clone()].iter().map(|column| match detail {
            Detail::Short => column.short.clone(),
            Detail::Interval | Detail::Number => column.name.clone(),
        }));
        let mut rows = vec![titles];
        for (name, cells) in &self.rows {
            let mut row = vec![name.clone()];
            row.extend(cells[columns.clone()].iter().map(|cell| text(detail, cell, marks)));
            rows.push(row);
        }
        let mut aligns = vec![Align::Right; columns.len() + 1];
        aligns[0] = Align::Left;
        let text = table(&rows, &aligns);
        match detail {
            // One blank between columns: figures of three characters stand apart enough.
            Detail::Short => text.lines().map(|line| narrower(line, &rows) + "\n").collect(),
            Detail::Interval | Detail::Number => text,
        }
    }
}

fn text(detail: Detail, cell: &MatrixCell, marks: &mut Marks) -> String {
    let figure = match cell {
        MatrixCell::Absent => return "-".to_owned(),
        MatrixCell::Unavailable(reason) => return marks.mark(reason),
        MatrixCell::Figure(figure) => figure,
    };
    match (detail, &figure.half) {
        (Detail::Interval, Some(half)) => format!("{} ±{half}", figure.number),
        (Detail::Interval, None) | (Detail::Number, _) => figure.number.clone(),
        (Detail::Short, _) => figure.short.clone(),
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
