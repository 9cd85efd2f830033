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
mod tests;
