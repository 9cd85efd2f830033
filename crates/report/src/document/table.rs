//! Rows of cells as aligned lines.

/// The side of its column on which a cell stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// Columns as wide as their widest cell, two spaces between; to the left where `aligns` says nothing.
pub fn table(rows: &[Vec<String>], aligns: &[Align]) -> String {
    let widths = widths(rows);
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if column > 0 {
                line.push_str("  ");
            }
            match aligns.get(column) {
                Some(Align::Right) => line.push_str(&format!("{cell:>width$}")),
                Some(Align::Left) | None => line.push_str(&format!("{cell:<width$}")),
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// The same in lines of at most `width`: while they are longer, the next column of `less` is left out, named by the cell
/// in its first row.
pub fn fitted(mut rows: Vec<Vec<String>>, aligns: &[Align], width: usize, less: &[&str]) -> String {
    let mut aligns = aligns.to_vec();
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
        if column < aligns.len() {
            aligns.remove(column);
        }
    }
    table(&rows, &aligns)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Vec<String>> {
        text.lines().map(|line| line.split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let text = table(&rows("a|number|last\nlonger|1|\nx"), &[Align::Left, Align::Right]);
        assert_eq!(text, "a       number  last\nlonger       1\nx\n");
    }

    #[test]
    fn what_is_too_wide_loses_columns_in_order() {
        let all = "a|b|c\n1111|2222|3333";
        let aligns = [Align::Left, Align::Right, Align::Left];
        let shown = |width| fitted(rows(all), &aligns, width, &["c", "a", "not there"]);
        assert_eq!(shown(16), "a        b  c\n1111  2222  3333\n");
        assert_eq!(shown(15), "a        b\n1111  2222\n");
        assert_eq!(shown(9), "   b\n2222\n");
        assert_eq!(shown(0), "   b\n2222\n", "one column stays");
    }

    #[test]
    fn nothing_is_nothing() {
        assert_eq!(table(&[], &[]), "");
        assert_eq!(fitted(vec![], &[], 0, &["a"]), "");
    }
}
