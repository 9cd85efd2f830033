//! A line over time as a few characters.

/// As high as what they stand for.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// One character for each of `width` equal parts of the values, the largest of each part; a space where nothing is known.
pub fn line(values: &[Option<f64>], most: f64, width: usize) -> String {
    let width = width.min(values.len());
    (0..width)
        .map(|k| {
            let part = &values[k * values.len() / width..((k + 1) * values.len() / width)];
            match part.iter().flatten().copied().reduce(f64::max) {
                None => ' ',
                Some(value) if most <= 0.0 || value <= 0.0 => BARS[0],
                Some(value) => {
                    let height = (value / most * BARS.len() as f64).ceil() as usize;
                    BARS[height.clamp(1, BARS.len()) - 1]
                }
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn heights_are_shares_of_the_most() {
        let values: Vec<_> = (0..=8).map(|k| Some(f64::from(k))).collect();
        assert_eq!(line(&values, 8.0, 9), "▁▁▂▃▄▅▆▇█");
        assert_eq!(line(&values, 80.0, 9), "▁▁▁▁▁▁▁▁▁");
    }

    #[test]
    fn parts_show_their_largest_and_gaps_stay_gaps() {
        let values = [Some(1.0), Some(8.0), None, None, Some(1.0), None];
        assert_eq!(line(&values, 8.0, 3), "█ ▁");
    }

    #[test]
    fn odd_requests_give_short_lines_and_no_panic() {
        assert_eq!(line(&[], 1.0, 10), "");
        assert_eq!(line(&[Some(1.0)], 1.0, 0), "");
        assert_eq!(line(&[Some(3.0)], 0.0, 5), "▁");
        assert_eq!(line(&[Some(9.0), Some(f64::NAN)], 4.0, 9).chars().count(), 2);
    }
}
