//! What rows did, in spans of equal length: of stretches of a row, each at several resolutions, and of the columns of a screen.

use numawise_tables::snapshot::{AskedWindow, SHARES};
use numawise_units::Nanoseconds;

use super::super::phases::Window;

/// What goes to a stretch or to columns: the number of a state, as of [`SHARES`], and from when to when.
pub type Take<'t> = dyn FnMut(usize, Window) + 't;

/// So many calls and spans are looked at one by one rather than kept in bins.
const FEW: usize = 1024;
/// Calls and spans of a bin: a screen of the finest bins holds so many times as many.
const OF_A_BIN: usize = 16;
/// Bins of a stretch.
const MOST_BINS: usize = 1 << 16;

/// Of a bin, up to 65535 all together.
type Cell = [u16; SHARES];

/// A part of a row.
#[derive(Debug, Default)]
pub struct Stretch {
    pub begin: Nanoseconds,
    pub end: Nanoseconds,
    /// From the finest on, each with half as many bins as the one before; none where its calls are few, or were not read.
    levels: Vec<Vec<Cell>>,
}

impl Stretch {
    /// One of which nothing is known yet.
    pub fn unread((begin, end): Window) -> Stretch {
        Stretch { begin, end, levels: Vec::new() }
    }

    /// `each` hands over what was done in it, which are so many calls and spans.
    pub fn of((begin, end): Window, items: usize, each: impl FnOnce(&mut Take<'_>)) -> Stretch {
        if items <= FEW {
            return Stretch::unread((begin, end));
        }
        let bins = (items / OF_A_BIN).next_power_of_two().min(MOST_BINS);
        Stretch::with_bins((begin, end), bins, |columns| {
            each(&mut |state, (begin, end)| columns.add(state, [begin.0 as f64, end.0 as f64], 1.0));
        })
    }

    fn with_bins((begin, end): Window, bins: usize, add: impl FnOnce(&mut Columns)) -> Stretch {
        let mut stretch = Stretch::unread((begin, end));
        let length = end.saturating_sub(begin).0 as f64;
        if length <= 0.0 {
            return stretch;
        }
        let mut columns = Columns::of(begin, end, bins);
        add(&mut columns);
        let width = length / bins as f64;
        let cell = |sums: &[f32; SHARES]| sums.map(|sum| (f64::from(sum) / width * 65535.0) as u16);
        let finest: Vec<Cell> = columns.sums.iter().map(cell).collect();
        stretch.levels.push(finest);
        while let Some(last) = stretch.levels.last().filter(|last| last.len() > 1) {
            let half = |pair: &[Cell]| -> Cell {
                std::array::from_fn(|k| (pair.iter().map(|cell| u32::from(cell[k])).sum::<u32>() / 2) as u16)
            };
            let next = last.chunks(2).map(half).collect();
            stretch.levels.push(next);
        }
        stretch
    }

    /// One of which shares are known in equal spans from one moment to another: of time in calls, and in polls, of 65535; the rest is useful.
    pub fn sketched(of: Window, (begin, end): Window, spans: &[[u16; 2]]) -> Stretch {
        let count = spans.len().next_power_of_two();
        let width = end.saturating_sub(begin).0 as f64 / spans.len().max(1) as f64;
        Stretch::with_bins(of, count, |columns| {
            let moment = |span: usize| begin.0 as f64 + span as f64 * width;
            columns.add(0, [0.0, moment(0)], 1.0);
            for (number, shares) in spans.iter().enumerate() {
                let [called, polled] = shares.map(|share| f64::from(share) / 65535.0);
                for (state, share) in [(0, 1.0 - called - polled), (4, called), (5, polled)] {
                    columns.add(state, [moment(number), moment(number + 1)], share);
                }
            }
            columns.add(0, [moment(spans.len()), f64::MAX], 1.0);
        })
    }

    pub fn has_bins(&self) -> bool {
        !self.levels.is_empty()
    }

    fn width(&self, level: &[Cell]) -> f64 {
        self.end.saturating_sub(self.begin).0 as f64 / level.len().max(1) as f64
    }

    /// Whether it has bins that are no wider than a column.
    pub fn is_fine(&self, column: f64) -> bool {
        self.levels.first().is_some_and(|finest| self.width(finest) <= column)
    }

    /// Adds its bins, the coarsest that are no wider than a column, or the finest there are.
    pub fn add_to(&self, columns: &mut Columns) {
        let fine = self.levels.iter().rev().find(|level| self.width(level) <= columns.width);
        let Some(level) = fine.or(self.levels.first()) else { return };
        let width = self.width(level);
        let first = ((columns.from - self.begin.0 as f64) / width).max(0.0) as usize;
        for (bin, cell) in level.iter().enumerate().skip(first) {
            let begin = self.begin.0 as f64 + bin as f64 * width;
            if begin >= columns.to {
                break;
            }
            for (state, share) in cell.iter().enumerate().filter(|(_, share)| **share > 0) {
                columns.add(state, [begin, begin + width], f64::from(*share) / 65535.0);
            }
        }
    }
}

/// Spans of equal length of what is shown.
pub struct Columns {
    from: f64,
    to: f64,
    pub width: f64,
    sums: Vec<[f32; SHARES]>,
}

impl Columns {
    pub fn of(from: Nanoseconds, to: Nanoseconds, columns: usize) -> Columns {
        let (from, to, columns) = (from.0 as f64, to.0 as f64, columns.max(1));
        let width = ((to - from) / columns as f64).max(1e-3);
        Columns { from, to, width, sums: vec![[0.0; SHARES]; columns] }
    }

    /// A share of a span.
    pub fn add(&mut self, state: usize, [begin, end]: [f64; 2], share: f64) {
        let (begin, end) =
            ((begin.max(self.from) - self.from) / self.width, (end.min(self.to) - self.from) / self.width);
        if begin >= end {
            return;
        }
        let (first, last) = (begin as usize, (end as usize).min(self.sums.len() - 1));
        let all = (share * self.width) as f32;
        let Some(touched) = self.sums.get_mut(first..=last) else { return };
        for (sums, column) in touched.iter_mut().zip(first..) {
            let part = (end.min(column as f64 + 1.0) - begin.max(column as f64)) as f32;
            if let Some(sum) = sums.get_mut(state) {
                *sum += part * all;
            }
        }
    }

    /// Of so many rows, in bytes; begins anew.
    pub fn take(&mut self, rows: usize, shares: &mut Vec<u8>) {
        let whole = self.width * rows.max(1) as f64;
        for sums in &mut self.sums {
            shares.extend(sums.map(|sum| (f64::from(sum) / whole * 255.0).round() as u8));
            *sums = [0.0; SHARES];
        }
    }
}

/// More shares are not sent: 5 MB, which a browser paints in a few milliseconds.
const MOST_CELLS: usize = 700_000;

/// The first rows of groups, and how many columns they have.
pub fn layout(of: &AskedWindow<'_>) -> (Vec<u32>, usize) {
    let rows = of.bottom.saturating_sub(of.top);
    let groups = rows.min(of.lines.max(1));
    let first = |group: u32| of.top + (u64::from(group) * u64::from(rows) / u64::from(groups.max(1))) as u32;
    let columns = (MOST_CELLS / groups.max(1) as usize).min(of.columns.max(1) as usize);
    ((0..groups).map(first).collect(), columns)
}
