//! The first screen: a line for each process, a line for each node.

use numawise_facts::Reading;
use numawise_tables::{MemoryTable, NodeTotal, RemoteMemory, TaskResidency};
use numawise_units::{Bytes, Ratio};

use super::{Page, count, over};
use crate::check::amount;
use crate::document::Align;
use crate::document::table::{fitted, table};
use crate::names::{clipped, escaped};

const NAME: usize = 20;
/// As many nodes at most: the summary is one screen.
const NODES: usize = 12;

impl Page<'_> {
    pub fn summary(&mut self) {
        let (residency, job) = (self.residency, &self.residency.job);
        let tasks = residency.tasks.len() as u64;
        self.text += &format!(
            "{}, {}, {} CPUs busy, {} of memory; {}\n",
            match tasks {
                1 => "1 process".to_owned(),
                n => format!("{n} processes"),
            },
            count(job.threads, "thread"),
            cpus(&job.busy),
            size(&job.total),
            amount::moment(residency.unix_time),
        );
        self.not_in_sums(tasks);
        if residency.tasks.is_empty() {
            return;
        }
        self.text.push('\n');
        let ranks = residency.tasks.iter().any(|task| task.rank.measured().is_some());
        let mut rows = vec![titles(ranks)];
        rows.extend(residency.tasks.iter().map(|task| row(task, ranks)));
        let mut sides = vec![Align::Right; rows[0].len()];
        sides[if ranks { 2 } else { 1 }] = Align::Left;
        self.text += &fitted(rows, &sides, self.style.width, &["alike %", "CPUs"]);
        self.faint(&format!(
            "CPUs: kept busy {}. local %: pages on nodes where threads of the process run. alike %: accesses that would be \
             local if every thread used every page alike; which thread uses which page cannot be seen. remote: memory on \
             nodes where no thread of the process runs.{}",
            over(residency.span),
            if residency.nodes.iter().any(|node| !node.cpus) { " Memory of nodes without CPUs is local to the CPUs that it is nearest to." } else { "" }
        ));
        self.nodes();
    }

    /// That sums are not of all processes; where nothing could be read there is no sum.
    fn not_in_sums(&mut self, tasks: u64) {
        let left_out = self.residency.job.left_out;
        let of = |what: &str, number: u64| match number {
            0 => None,
            number if number == tasks => None,
            1 => Some(format!("the {what} of 1 process")),
            number => Some(format!("the {what} of {number} processes")),
        };
        let parts: Vec<String> =
            [of("threads", left_out.threads), of("memory", left_out.memory)].into_iter().flatten().collect();
        if !parts.is_empty() {
            self.faint(&format!("Not in these sums, since it could not be read: {}.", parts.join(", ")));
        }
    }

    fn nodes(&mut self) {
        let nodes = &self.residency.nodes;
        if nodes.len() < 2 {
            return;
        }
        let all = || nodes.iter().zip(&self.residency.job.by_node);
        // Nothing is said of nodes with nothing where there are many.
        let many = nodes.len() > 4;
        let mut shown: Vec<_> = all().filter(|(_, total)| !many || !is_empty(total)).collect();
        let with_something = shown.len();
        let key = |total: &NodeTotal| (total.memory.measured().copied(), total.threads);
        shown.sort_by_key(|(_, total)| std::cmp::Reverse(key(total)));
        shown.truncate(NODES);
        shown.sort_by_key(|(column, _)| column.node);
        let mut rows =
            vec![["node", "kind", "threads", "busy", "CPUs", "memory"].map(str::to_owned).to_vec()];
        for (column, total) in shown {
            rows.push(vec![
                total.node.to_string(),
                column.kind.to_string(),
                total.threads.to_string(),
                total.busy_threads.to_string(),
                cpus(&total.busy),
                size(&total.memory),
            ]);
        }
        self.text.push('\n');
        let sides = [Align::Right, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right];
        self.text += &table(&rows, &sides);
        let less = with_something.saturating_sub(NODES);
        if less > 0 {
            self.faint(&format!("There is less on {less} more nodes."));
        }
        if with_something < nodes.len() {
            self.faint(&format!("On {} of {} nodes is nothing.", nodes.len() - with_something, nodes.len()));
        }
    }
}

fn titles(ranks: bool) -> Vec<String> {
    let all = ["PID", "rank", "name", "threads", "CPUs", "memory", "local %", "alike %", "remote"];
    all.into_iter().filter(|title| ranks || *title != "rank").map(str::to_owned).collect()
}

fn row(task: &TaskResidency, ranks: bool) -> Vec<String> {
    let local = task.local.measured();
    let mut cells = vec![task.pid.to_string()];
    if ranks {
        cells.push(task.rank.measured().map_or_else(|| "-".to_owned(), u32::to_string));
    }
    cells.extend([
        clipped(&escaped(&task.name), NAME),
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
