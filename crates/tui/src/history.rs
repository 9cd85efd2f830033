//! What a figure was at the last samples, and how that is drawn in one line.

use std::collections::VecDeque;

/// As many samples as the widest useful terminal has columns for.
const KEPT: usize = 200;

/// A figure at the last samples, the newest last. `None` where it was not to be had.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History(VecDeque<Option<f32>>);

impl History {
    pub fn push(&mut self, value: Option<f64>) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(value.filter(|value| value.is_finite()).map(|value| value as f32));
    }

    /// The highest of the last `width` samples.
    pub fn highest(&self, width: usize) -> f32 {
        self.newest(width).flatten().fold(0.0, f32::max)
    }

    /// One character for each of the last `width` samples, the newest at the right. `full` is the figure of a full
    /// character; a sample without a figure is blank, and whatever is more than nothing shows.
    pub fn line(&self, width: usize, full: f32, levels: Levels) -> String {
        let mut line = String::with_capacity(width * 3);
        let shown = self.0.len().min(width);
        line.extend(std::iter::repeat_n(' ', width - shown));
        line.extend(self.newest(width).map(|value| value.map_or(' ', |value| levels.of(value, full))));
        line
    }

    fn newest(&self, width: usize) -> impl Iterator<Item = Option<f32>> {
        self.0.iter().skip(self.0.len().saturating_sub(width)).copied()
    }
}

/// The characters of which lines and bars are made, from the lowest to the highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levels {
    Blocks,
    /// For terminals without UTF-8.
    Ascii,
}

impl Levels {
    /// The character for a figure.
    pub fn of(self, value: f32, full: f32) -> char {
        let levels: [char; 9] = match self {
            Levels::Blocks => ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
            Levels::Ascii => ['.', '_', '_', ',', '-', '-', '=', '+', '#'],
        };
        if value <= 0.0 || full <= 0.0 {
            return levels[0];
        }
        levels[((value / full * 8.0).round() as usize).clamp(1, 8)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(values: &[Option<f64>]) -> History {
        let mut history = History::default();
        values.iter().for_each(|value| history.push(*value));
        history
    }

    #[test]
    fn the_newest_sample_is_at_the_right() {
        let history = history(&[Some(0.0), Some(0.5), None, Some(1.0)]);
        assert_eq!(history.line(6, 1.0, Levels::Blocks), "  ·▄ █");
        assert_eq!(history.line(2, 1.0, Levels::Blocks), " █");
        assert_eq!(history.line(6, 1.0, Levels::Ascii), "  .- #");
        assert_eq!(history.line(0, 1.0, Levels::Blocks), "");
    }

    #[test]
    fn little_is_more_than_nothing_and_much_is_not_more_than_full() {
        let history = history(&[Some(1e-9), Some(50.0), Some(-1.0), Some(f64::NAN), Some(f64::INFINITY)]);
        assert_eq!(history.line(5, 1.0, Levels::Blocks), "▁█·  ");
        assert_eq!(history.line(5, 0.0, Levels::Blocks), "···  ");
        assert_eq!(history.highest(5), 50.0);
        assert_eq!(history.highest(3), 0.0);
    }

    #[test]
    fn only_so_many_samples_are_kept() {
        let mut history = History::default();
        (0..1000).for_each(|k| history.push(Some(f64::from(k))));
        assert_eq!(history.0.len(), KEPT);
        assert_eq!(history.highest(1), 999.0);
        assert_eq!(history.line(500, 999.0, Levels::Blocks).chars().count(), 500);
    }
}
