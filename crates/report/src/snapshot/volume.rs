//! What ranks send to whom, in a page.

use numawise_tables::snapshot::{TrafficCell, TrafficMatrix, VolumeTables};

use crate::document::{Block, Face, Matrix, MatrixCell, MatrixColours, MatrixColumn, MatrixFigure};

/// Matrices by rank, and by computer where there are several; nothing where nothing was sent.
pub fn blocks(of: &VolumeTables) -> Vec<Block> {
    let rank = |k: u32| match of.by_rank.group {
        0 | 1 => k.to_string(),
        group => {
            let first = k.saturating_mul(group);
            format!("{first}-{}", first.saturating_add(group - 1))
        }
    };
    let host = |k: u32| of.hosts.get(k as usize).cloned().unwrap_or_else(|| k.to_string());
    let mut matrices = Vec::new();
    if !of.by_rank.cells.is_empty() {
        matrices.push(matrix("Bytes from rank to rank", &of.by_rank, &rank));
    }
    if of.by_host.size > 1 && !of.by_host.cells.is_empty() {
        matrices.push(matrix("Bytes from computer to computer", &of.by_host, &host));
    }
    if matrices.is_empty() {
        Vec::new()
    } else {
        vec![Block::Only(Face::Html, Box::new(Block::Matrices(matrices)))]
    }
}

fn matrix(title: &str, of: &TrafficMatrix, name: &dyn Fn(u32) -> String) -> Matrix {
    let most = of.cells.iter().map(|cell| cell.bytes.0).max().unwrap_or_default();
    let cell = |from: u32, to: u32| {
        let found = of.cells.binary_search_by_key(&(from, to), |cell| (cell.from, cell.to));
        found.map_or(MatrixCell::Absent, |at| MatrixCell::Figure(figure(&of.cells[at], most, name)))
    };
    let column = |to: u32| {
        let name = name(to);
        MatrixColumn { short: name.clone(), long: name.clone(), name, note: None }
    };
    Matrix {
        title: title.to_owned(),
        corner: "from \\ to".to_owned(),
        columns: (0..of.size).map(column).collect(),
        rows: (0..of.size)
            .map(|from| (name(from), (0..of.size).map(|to| cell(from, to)).collect()))
            .collect(),
        intervals: false,
        about: None,
        without_intervals: None,
        colours: MatrixColours::Deep(None),
    }
}

/// The depth goes by the logarithm: small messages are to be seen too.
fn figure(of: &TrafficCell, most: u64, name: &dyn Fn(u32) -> String) -> MatrixFigure {
    let log = |bytes: u64| (bytes as f64 + 1.0).ln();
    let bytes = of.bytes.to_string();
    MatrixFigure {
        hover: format!("{} to {}: {bytes} in {} messages", name(of.from), name(of.to), of.messages),
        number: bytes.clone(),
        half: None,
        short: bytes,
        small: None,
        depth: if most > 0 { 100.0 * log(of.bytes.0) / log(most) } else { 0.0 },
    }
}

#[cfg(test)]
mod tests {
    use numawise_units::Bytes;

    use super::*;

    fn sent(from: u32, to: u32, bytes: u64) -> TrafficCell {
        TrafficCell { from, to, messages: 1, bytes: Bytes(bytes) }
    }

    #[test]
    fn what_was_not_sent_has_no_figure_and_neighbours_have_a_range() {
        let by_rank = TrafficMatrix { size: 2, group: 4, cells: vec![sent(0, 1, 100), sent(1, 1, 10)] };
        let by_host = TrafficMatrix { size: 1, group: 1, cells: vec![sent(0, 0, 110)] };
        let of = VolumeTables { by_rank, by_host, hosts: vec!["box".to_owned()], lost: (0, Bytes(0)) };
        let blocks = blocks(&of);
        let [Block::Only(Face::Html, only)] = blocks.as_slice() else { panic!("{blocks:?}") };
        let Block::Matrices(matrices) = only.as_ref() else { panic!("{only:?}") };
        assert_eq!(matrices.len(), 1, "one computer has no matrix");
        let names: Vec<&str> = matrices[0].rows.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["0-3", "4-7"]);
        assert_eq!(matrices[0].rows[0].1[0], MatrixCell::Absent);
        let MatrixCell::Figure(most) = &matrices[0].rows[0].1[1] else { panic!("it was sent") };
        assert!(
            (most.depth - 100.0).abs() < 1e-9 && most.hover.contains("0-3 to 4-7: 100 B in 1 messages"),
            "{most:?}"
        );
    }
}
