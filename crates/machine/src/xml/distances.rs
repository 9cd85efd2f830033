//! The matrix of distances between nodes, as the firmware's SLIT table gives it (10 is local).

use numawise_facts::Reading;
use numawise_units::NodeId;
use roxmltree::Node as Element;

use crate::error::XmlError;
use crate::files::{DISTANCES, shortened};

/// `HWLOC_DISTANCES_KIND_FROM_OS`.
const FROM_OS: u32 = 1 << 0;
/// `HWLOC_DISTANCES_KIND_MEANS_LATENCY`.
const MEANS_LATENCY: u32 = 1 << 2;

/// For every node of `nodes` its distances to all of them.
pub(super) fn read(topology: Element<'_, '_>, nodes: &[NodeId]) -> Result<Vec<Reading<Vec<u32>>>, XmlError> {
    let missing = || Reading::unavailable("hwloc's description has no distances");
    let Some(matrix) = best(topology) else {
        return Ok(nodes.iter().map(|_| missing()).collect());
    };
    let indexes: Vec<u64> = numbers(matrix, "indexes")?;
    let values: Vec<u64> = numbers(matrix, "u64values")?;
    if indexes.len().checked_mul(indexes.len()) != Some(values.len()) {
        return Err(XmlError::MatrixSize { values: values.len(), nodes: indexes.len() });
    }
    let position = |node: &NodeId| indexes.iter().position(|&index| index == u64::from(node.0));
    let columns: Option<Vec<usize>> = nodes.iter().map(position).collect();
    let row = |node: &NodeId| {
        let (Some(row), Some(columns)) = (position(node), &columns) else {
            return Ok(Reading::unavailable("the matrix of distances leaves some nodes out"));
        };
        let value = |&column: &usize| {
            let value = values[row * indexes.len() + column];
            if DISTANCES.contains(&value) { Ok(value as u32) } else { Err(XmlError::Distance(value)) }
        };
        columns.iter().map(value).collect::<Result<_, _>>().map(Reading::Measured)
    };
    nodes.iter().map(row).collect()
}

/// The latency matrix between nodes, the operating system's before others.
fn best<'a, 'input>(topology: Element<'a, 'input>) -> Option<Element<'a, 'input>> {
    let kind = |element: &Element<'_, '_>| -> u32 {
        element.attribute("kind").and_then(|kind| kind.parse().ok()).unwrap_or(0)
    };
    topology
        .children()
        .filter(|e| e.has_tag_name("distances2") && e.attribute("type") == Some("NUMANode"))
        .filter(|e| e.attribute("indexing") == Some("os") && kind(e) & MEANS_LATENCY != 0)
        .min_by_key(|e| (kind(e) & FROM_OS == 0, e.attribute("name") != Some("NUMALatency")))
}

fn numbers(matrix: Element<'_, '_>, name: &str) -> Result<Vec<u64>, XmlError> {
    matrix
        .children()
        .filter(|child| child.has_tag_name(name))
        .flat_map(|child| child.text().unwrap_or_default().split_whitespace())
        .map(|word| word.parse().map_err(|_| XmlError::NotADistance(shortened(word))))
        .collect()
}
