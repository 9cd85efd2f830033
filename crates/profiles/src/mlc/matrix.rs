//! A matrix as MLC prints it: two lines of headings, then a row for every node with CPUs.
//!
//! ```text
//!                 Numa node
//! Numa node            0       1
//!        0          81.3   131.1
//!        1         131.2       -
//! ```

use numawise_units::harmless::quoted;
use numawise_units::{NodeId, NodeSet, stored};

use super::Broken;

/// Several times the nodes of the largest machine that MLC runs on.
const MOST_NODES: usize = 256;

/// Rows and columns by their numbers; `None` where MLC printed a dash.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Matrix {
    pub columns: Vec<NodeId>,
    pub rows: Vec<(NodeId, Vec<Option<f64>>)>,
}

impl Matrix {
    /// The figure of a pair, where the matrix has the pair.
    pub fn cell(&self, from: NodeId, to: NodeId) -> Option<Option<f64>> {
        // Numbers ascend as a rule; else the row is looked for.
        let ascending = self.rows.get(from.0 as usize).filter(|(node, _)| *node == from);
        let (_, cells) = ascending.or_else(|| self.rows.iter().find(|(node, _)| *node == from))?;
        let plain = Some(to.0 as usize).filter(|k| self.columns.get(*k) == Some(&to));
        let column = plain.or_else(|| self.columns.iter().position(|node| *node == to))?;
        Some(cells[column])
    }
}

/// The first matrix in these lines; none where there is no line of headings.
pub(super) fn matrix<'a>(
    lines: impl Iterator<Item = (usize, &'a str)> + Clone,
) -> Result<Option<Matrix>, Broken> {
    let mut rest = lines;
    let Some(columns) = rest.by_ref().find_map(|(line, text)| columns(text, line)) else {
        return Ok(None);
    };
    let columns = columns?;
    let mut matrix = Matrix { columns, rows: Vec::new() };
    let mut rows = NodeSet::new();
    for (line, text) in rest.skip_while(|(_, text)| text.trim().is_empty()) {
        let mut words = text.split_whitespace();
        let Some(node) = words.next().and_then(|word| word.parse::<u64>().ok()) else { break };
        let node: NodeId = stored(node).map_err(|error| Broken { line, problem: error.to_string() })?;
        let cells = words.map(|word| cell(word, line)).collect::<Result<Vec<_>, _>>()?;
        let (found, expected) = (cells.len(), matrix.columns.len());
        if found != expected {
            let problem = format!("the row of {node} has {found} figures for {expected} columns");
            return Err(Broken { line, problem });
        }
        if matrix.rows.len() >= MOST_NODES {
            return Err(Broken { line, problem: format!("there are more than {MOST_NODES} rows") });
        }
        if !rows.insert(node) {
            return Err(Broken { line, problem: format!("there is a second row of {node}") });
        }
        matrix.rows.push((node, cells));
    }
    Ok(Some(matrix))
}

/// The numbers of a line such as `Numa node  0  1`, if it is one.
fn columns(text: &str, line: usize) -> Option<Result<Vec<NodeId>, Broken>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let numbers = words.iter().position(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let (names, numbers) = words.split_at(numbers);
    let heading =
        |word: &&str| matches!(word.to_ascii_lowercase().as_str(), "numa" | "node" | "socket" | "writer");
    if names.is_empty() || !names.iter().all(heading) {
        return None;
    }
    let numbers: Vec<u64> = numbers.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let broken = |problem: String| Broken { line, problem };
    if numbers.len() > MOST_NODES {
        return Some(Err(broken(format!(
            "there are {} columns, and {MOST_NODES} is the most",
            numbers.len()
        ))));
    }
    let mut taken = NodeSet::new();
    let column = |number| {
        let node: NodeId = stored(number).map_err(|error| broken(error.to_string()))?;
        if taken.insert(node) { Ok(node) } else { Err(broken(format!("there is a second column of {node}"))) }
    };
    Some(numbers.into_iter().map(column).collect())
}

/// A positive figure, or a dash.
pub(super) fn cell(word: &str, line: usize) -> Result<Option<f64>, Broken> {
    match word {
        "-" => Ok(None),
        word => figure(word, line).map(Some),
    }
}

/// Neither nanoseconds nor MB/s of any machine come near: a second, and 10^15 bytes in one.
const MOST: f64 = 1e9;

/// MLC prints a digit behind the point, always: a figure without one was cut off.
pub(super) fn figure(word: &str, line: usize) -> Result<f64, Broken> {
    let whole = word.split_once('.').is_some_and(|(_, decimals)| !decimals.is_empty());
    let figure = word.parse::<f64>().ok().filter(|figure| whole && *figure > 0.0 && *figure <= MOST);
    figure.ok_or_else(|| Broken {
        line,
        problem: format!(
            "found '{}' for a figure above 0 and at most {MOST:e}, with a decimal point",
            quoted(word)
        ),
    })
}
