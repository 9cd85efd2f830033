//! A matrix as MLC prints it: two lines of headings, then a row for every node with CPUs.
//!
//! ```text
//!                 Numa node
//! Numa node            0       1
//!        0          81.3   131.1
//!        1         131.2       -
//! ```

use numawise_units::NodeId;

use super::Broken;

/// Rows and columns by their numbers; `None` where MLC printed a dash.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Matrix {
    pub columns: Vec<NodeId>,
    pub rows: Vec<(NodeId, Vec<Option<f64>>)>,
}

/// The first matrix in these lines; none where there is no line of headings.
pub(super) fn matrix<'a>(
    lines: impl Iterator<Item = (usize, &'a str)> + Clone,
) -> Result<Option<Matrix>, Broken> {
    let mut rest = lines;
    let Some(columns) = rest.by_ref().find_map(|(_, line)| columns(line)) else {
        return Ok(None);
    };
    let mut matrix = Matrix { columns, rows: Vec::new() };
    for (line, text) in rest.skip_while(|(_, text)| text.trim().is_empty()) {
        let mut words = text.split_whitespace();
        let Some(node) = words.next().and_then(|word| word.parse().ok()) else { break };
        let cells = words.map(|word| cell(word, line)).collect::<Result<Vec<_>, _>>()?;
        let (found, expected) = (cells.len(), matrix.columns.len());
        if found != expected {
            let problem = format!("the row of {node} has {found} figures for {expected} columns");
            return Err(Broken { line, problem });
        }
        if matrix.rows.iter().any(|(other, _)| other.0 == node) {
            return Err(Broken { line, problem: format!("there is a second row of {node}") });
        }
        matrix.rows.push((NodeId(node), cells));
    }
    Ok(Some(matrix))
}

/// The numbers of a line such as `Numa node  0  1`, if it is one.
fn columns(line: &str) -> Option<Vec<NodeId>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let numbers = words.iter().position(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let (names, numbers) = words.split_at(numbers);
    let heading =
        |word: &&str| matches!(word.to_ascii_lowercase().as_str(), "numa" | "node" | "socket" | "writer");
    if names.is_empty() || !names.iter().all(heading) {
        return None;
    }
    let numbers: Vec<u32> = numbers.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    Some(numbers.into_iter().map(NodeId).collect())
}

/// A positive figure, or a dash.
pub(super) fn cell(word: &str, line: usize) -> Result<Option<f64>, Broken> {
    match word {
        "-" => Ok(None),
        word => figure(word, line).map(Some),
    }
}

/// MLC prints a digit behind the point, always: a figure without one was cut off.
pub(super) fn figure(word: &str, line: usize) -> Result<f64, Broken> {
    let whole = word.split_once('.').is_some_and(|(_, decimals)| !decimals.is_empty());
    let figure = word.parse::<f64>().ok().filter(|figure| whole && figure.is_finite() && *figure > 0.0);
    figure.ok_or_else(|| Broken {
        line,
        problem: format!("found '{}' for a figure", word.chars().take(20).collect::<String>()),
    })
}
