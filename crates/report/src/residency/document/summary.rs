//! The first screen: a line for each process, a line for each node.

use numawise_facts::Reading;
use numawise_tables::{MemoryTable, NodeTotal, RemoteMemory, Residency, TaskResidency};
use numawise_units::{Arrange, Bytes, Ratio, harmless};

use super::{count, over, titled};
use crate::amount;
use crate::document::{Block, Column, Opening, Row, Table};
use crate::names::clipped;

const NAME: usize = 20;
/// As many nodes at most: the summary is one screen.
const NODES: usize = 12;

pub fn opening(residency: &Residency) -> Opening {
    let job = &residency.job;
    let headline = format!(
        "{}, {}, {} CPUs busy, {} of memory; {}",
        match residency.tasks.len() {
            1 => "1 process".to_owned(),
            n => format!("{n} processes"),
        },
        threads(residency),
        cpus(&job.busy),
        size(&job.total),
        amount::moment(residency.unix_time),
    );
    Opening { headline, sentence: not_in_sums(residency), ..Opening::default() }
}

/// What could not be read is not none.
fn threads(residency: &Residency) -> String {
    let unknown = residency.tasks.iter().filter(|task| task.threads.measured().is_none()).count();
    match (unknown, residency.tasks.len()) {
        (0, _) => count(residency.job.threads, "thread"),
        (unknown, all) if unknown == all => "an unknown number of threads".to_owned(),
        _ => format!("at least {}", count(residency.job.threads, "thread")),
    }
}

pub fn blocks(residency: &Residency) -> Vec<Block> {
    if residency.tasks.is_empty() {
        return Vec::new();
    }
    let without_cpus = if residency.nodes.iter().any(|node| !node.cpus) {
        " Memory of nodes without CPUs is local to the CPUs that it is nearest to."
    } else {
        ""
    };
    let legend = format!(
        "CPUs: mean busy CPUs {}. local %: pages on nodes where threads of the process run. even %: accesses that would be \
         local if every thread used every page equally; which thread uses which page cannot be seen. remote: memory on \
         nodes where no thread of the process runs.{without_cpus}",
        over(residency.span),
    );
    let mut blocks = vec![titled("", vec![tasks(residency), Block::Legend(legend.into())])];
    blocks.extend(nodes(residency));
    blocks
}

/// That sums are not of all processes; where nothing could be read there is no sum.
fn not_in_sums(residency: &Residency) -> Option<String> {
    let (left_out, tasks) = (residency.job.left_out, residency.tasks.len() as u64);
    let of = |what: &str, number: u64| match number {
        0 => None,
        number if number == tasks => None,
        1 => Some(format!("the {what} of 1 process")),
        number => Some(format!("the {what} of {number} processes")),
    };
    let parts: Vec<String> =
        [of("threads", left_out.threads), of("memory", left_out.memory)].into_iter().flatten().collect();
    (!parts.is_empty())
        .then(|| format!("Not in these sums, since it could not be read: {}.", parts.join(", ")))
}

fn tasks(residency: &Residency) -> Block {
    let mut columns = vec![
        Column::number("PID"),
        Column::number("rank"),
        Column::text("name"),
        Column::number("threads"),
        Column::number("CPUs").expendable(1),
        Column::number("memory"),
        Column::number("local %"),
        Column::number("even %").expendable(2),
        Column::number("remote"),
    ];
    let ranks = residency.tasks.iter().any(|task| task.rank.measured().is_some());
    if !ranks {
        columns.remove(1);
    }
    let rows = residency.tasks.iter().map(|task| row(task, ranks).into_iter().collect()).collect();
    Block::Table(Table { columns, rows, most: None })
}

fn nodes(residency: &Residency) -> Option<Block> {
    let nodes = &residency.nodes;
    if nodes.len() < 2 {
        return None;
    }
    let all = || nodes.iter().zip(&residency.job.by_node);
    // Nothing is said of nodes with nothing where there are many.
    let many = nodes.len() > 4;
    let mut shown: Vec<_> = all().filter(|(_, total)| !many || !is_empty(total)).collect();
    let with_something = shown.len();
    let key = |total: &NodeTotal| (total.memory.measured().copied(), total.threads);
    shown.arrange_by_key(|(_, total)| std::cmp::Reverse(key(total)));
    shown.truncate(NODES);
    shown.arrange_by_key(|(column, _)| column.node);
    let row = |(column, total): (&numawise_tables::NodeColumn, &NodeTotal)| -> Row {
        [
            total.node.to_string(),
            column.kind.to_string(),
            total.threads.to_string(),
            total.busy_threads.to_string(),
            cpus(&total.busy),
            size(&total.memory),
        ]
        .into_iter()
        .collect()
    };
    let columns = vec![
        Column::number("node"),
        Column::text("kind"),
        Column::number("threads"),
        Column::number("busy"),
        Column::number("CPUs"),
        Column::number("memory"),
    ];
    let rows = shown.into_iter().map(row).collect();
    let mut blocks = vec![Block::Table(Table { columns, rows, most: None })];
    let less = with_something.saturating_sub(NODES);
    if less > 0 {
        blocks.push(Block::Legend(format!("There is less on {less} more nodes.").into()));
    }
    if with_something < nodes.len() {
        let text = format!("On {} of {} nodes is nothing.", nodes.len() - with_something, nodes.len());
        blocks.push(Block::Legend(text.into()));
    }
    Some(titled("", blocks))
}

fn row(task: &TaskResidency, ranks: bool) -> Vec<String> {
    let local = task.local.measured();
    let mut cells = vec![task.pid.to_string()];
    if ranks {
        cells.push(task.rank.measured().map_or_else(|| "-".to_owned(), u32::to_string));
    }
    cells.extend([
        clipped(&harmless::line(&task.name), NAME),
        task.threads.measured().map_or_else(|| "?".to_owned(), |threads| threads.len().to_string()),
        cpus(&task.busy),
        size(&task.memory.as_ref().map(|memory: &MemoryTable| memory.total)),
        percent(local.map(|local| local.at_most)),
        percent(local.map(|local| local.if_alike)),
        remote(task),
    ]);
    cells
}

fn remote(task: &TaskResidency) -> String {
    match task.remote.measured() {
        None => "?".to_owned(),
        Some(remote) if remote.is_empty() => "none".to_owned(),
        Some(remote) => remote.iter().map(|remote: &RemoteMemory| remote.bytes).sum::<Bytes>().to_string(),
    }
}

fn is_empty(total: &NodeTotal) -> bool {
    total.threads == 0 && total.memory.measured() == Some(&Bytes(0))
}

fn cpus(busy: &Reading<Ratio>) -> String {
    busy.measured().map_or_else(|| "?".to_owned(), |busy| format!("{:.2}", busy.0))
}

fn size(bytes: &Reading<Bytes>) -> String {
    bytes.measured().map_or_else(|| "?".to_owned(), Bytes::to_string)
}

fn percent(share: Option<Ratio>) -> String {
    share.map_or_else(|| "?".to_owned(), |share| format!("{:.1}", share.0 * 100.0))
}
