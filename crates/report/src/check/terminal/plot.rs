//! An effect and its interval as one line of characters, on a logarithmic scale.

use numawise_facts::Effect;

/// The scale that the lines of one table share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
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
    pub fn over(effects: &[Effect], cells: usize, unicode: bool) -> Option<Self> {
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
    pub fn draw(&self, effect: Option<Effect>) -> String {
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
    pub fn legend(&self) -> String {
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
