//! Rows of cells as aligned lines.

#[cfg(test)]
mod tests;

/// On which side of its column a cell stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// Columns as wide as their widest cell, two spaces between; to the left where `sides` says nothing.
pub fn table(rows: &[Vec<String>], sides: &[Side]) -> String {
    let widths = widths(rows);
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if column > 0 {
                line.push_str("  ");
            }
            match sides.get(column) {
                Some(Side::Right) => line.push_str(&format!("{cell:>width$}")),
                Some(Side::Left) | None => line.push_str(&format!("{cell:<width$}")),
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// The same in lines of at most `width`: while they are longer, the next column of `less` is left out, named by the cell
/// in its first row.
pub fn fitted(mut rows: Vec<Vec<String>>, sides: &[Side], width: usize, less: &[&str]) -> String {
    let mut sides = sides.to_vec();
    for name in less {
        if total(&rows) <= width {
            break;
        }
        let Some(column) = rows.first().and_then(|titles| titles.iter().position(|title| title == name))
        else {
            continue;
        };
        for row in rows.iter_mut().filter(|row| row.len() > column) {
            row.remove(column);
        }
        if column < sides.len() {
            sides.remove(column);
        }
    }
    table(&rows, &sides)
}

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    (0..columns).map(|column| width(column).unwrap_or(0)).collect()
}

fn total(rows: &[Vec<String>]) -> usize {
    let widths = widths(rows);
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
}
