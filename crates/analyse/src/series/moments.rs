//! Samples as points of a chart, not more of them than can be seen.

use numawise_facts::{Reading, Reason};
use numawise_tables::{Moment, NodeColumn, Residency};
use numawise_units::{Bytes, Nanoseconds, NodeId, Ratio};

/// A sample in a line. Columns are named, because nodes may turn up later.
pub struct Line {
    at: Nanoseconds,
    session: u32,
    tasks: u64,
    threads: u64,
    memory: Reading<Vec<(NodeId, Bytes)>>,
    busy: Reading<Vec<(NodeId, Ratio)>>,
    /// The time over which `busy` is meant.
    span: Nanoseconds,
    local: Reading<Ratio>,
}

impl Line {
    /// `hidden` is why the sum of what was seen is not the memory of the job.
    pub fn of(seen: &Residency, session: u32, span: Option<Nanoseconds>, hidden: Option<Reason>) -> Self {
        let memory = match hidden {
            Some(unavailable) => Reading::Unavailable { unavailable },
            None => Reading::all(
                seen.job.by_node.iter().map(|node| node.memory.as_ref().map(|&m| (node.node, m))),
            ),
        };
        let busy = match span {
            Some(_) => {
                Reading::all(seen.job.by_node.iter().map(|node| node.busy.as_ref().map(|&b| (node.node, b))))
            }
            None => Reading::unavailable("it is the first sample of its session"),
        };
        Line {
            at: seen.unix_time,
            session,
            tasks: seen.tasks.len() as u64,
            threads: seen.job.threads,
            memory,
            busy,
            span: span.unwrap_or_default(),
            local: seen.job.local.as_ref().map(|local| local.at_most),
        }
    }

    pub fn session(&self) -> u32 {
        self.session
    }

    fn moment(&self, nodes: &[NodeColumn]) -> Moment {
        Moment {
            at: self.at,
            session: self.session,
            tasks: self.tasks,
            threads: self.threads,
            memory: self.memory.as_ref().map(|memory| columns(memory, nodes, Bytes(0))),
            busy: self.busy.as_ref().map(|busy| columns(busy, nodes, Ratio(0.0))),
            local: self.local.clone(),
        }
    }
}

/// The values for all nodes; one that a sample does not name held nothing.
pub fn columns<T: Copy>(values: &[(NodeId, T)], nodes: &[NodeColumn], nothing: T) -> Vec<T> {
    let of = |node: NodeId| values.iter().find(|(n, _)| *n == node).map(|(_, value)| *value);
    nodes.iter().map(|column| of(column.node).unwrap_or(nothing)).collect()
}

/// About `most` moments, and for how many samples each stands. Samples of different sessions are not taken together.
pub fn thinned(lines: Vec<Line>, nodes: &[NodeColumn], most: usize) -> (Vec<Moment>, u64) {
    let each = lines.len().div_ceil(most).max(1);
    let moments = lines
        .chunk_by(|one, other| one.session == other.session)
        .flat_map(|session| session.chunks(each))
        .map(|samples| together(samples, nodes))
        .collect();
    (moments, each as u64)
}

/// The memory of the sample with the most, and the mean of the shares.
fn together(samples: &[Line], nodes: &[NodeColumn]) -> Moment {
    let total = |line: &Line| line.memory.measured().map(|m| m.iter().map(|(_, b)| b.0).sum::<u64>());
    let mut fullest = &samples[0];
    for line in samples {
        if total(line) > total(fullest) {
            fullest = line;
        }
    }
    let mut moment = fullest.moment(nodes);
    let known: Vec<_> = samples.iter().filter_map(|line| Some((line.span, line.busy.measured()?))).collect();
    let time: f64 = known.iter().map(|(span, _)| span.seconds()).sum();
    if time > 0.0 && samples.len() > 1 {
        let mut mean = vec![0.0; nodes.len()];
        for (span, busy) in known {
            for (sum, share) in mean.iter_mut().zip(columns(busy, nodes, Ratio(0.0))) {
                *sum += share.0 * span.seconds() / time;
            }
        }
        moment.busy = Reading::Measured(mean.into_iter().map(Ratio).collect());
    }
    moment
}
