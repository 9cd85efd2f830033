//! Memory by use and node, as `numastat -p` has it, and what rules it.

use numawise_facts::{MappingSnapshot, PolicyShare};
use numawise_tables::{MemoryRow, MemoryTable, TaskResidency};
use numawise_units::{Bytes, Ratio};

use super::{Page, called, places};
use crate::document::Align;
use crate::document::table::{fitted, table};
use crate::names::{clipped, end, escaped};

/// As numastat has it, which writes MB for it.
const UNIT: &str = "MiB";
/// As many policies at most.
const POLICIES: usize = 8;

impl Page<'_> {
    pub fn memory_of(&mut self, task: &TaskResidency) {
        let memory: &MemoryTable = match &task.memory {
            numawise_facts::Reading::Measured(memory) => memory,
            numawise_facts::Reading::Unavailable { unavailable } => {
                return self
                    .faint(&format!("Its memory: unavailable ({}).", escaped(&unavailable.to_string())));
            }
        };
        let mut lines = uses(&memory.rows);
        lines.push(Line::new("total".to_owned(), &memory.by_node, memory.total));
        if let Some(times) = task.time_by_node.measured() {
            let of = |share: &Ratio| format!("{:.1} %", share.0 * 100.0);
            let cells = times.iter().map(of).collect();
            lines.push(Line { name: "CPU time".to_owned(), cells, total: String::new() });
        }
        let times = task.time_by_node.measured();
        let runs = |column: usize| times.is_some_and(|times| times[column].0 > 0.0);
        let used = used(&memory.by_node, runs);
        self.uses(&used, &lines);
        self.policies(&memory.policies);
        self.mappings(&memory.largest, memory.mappings);
    }

    pub fn memory_of_job(&mut self) {
        let residency = self.residency;
        let Some(rows) = residency.job.memory.measured() else {
            return;
        };
        let by_node: Vec<Bytes> = (0..residency.nodes.len())
            .map(|column| rows.iter().map(|row| row.by_node[column]).sum())
            .collect();
        let total = residency.job.total.measured().copied().unwrap_or_default();
        let mut lines = uses(rows);
        lines.push(Line::new("total".to_owned(), &by_node, total));
        self.heading("Memory of all processes; what several map counts for each");
        let used = used(&by_node, |_| false);
        self.uses(&used, &lines);
        let of_task = |task: &TaskResidency| {
            let memory = task.memory.measured()?;
            Some(Line::new(clipped(&called(task), 24), &memory.by_node, memory.total))
        };
        let lines: Vec<Line> = residency.tasks.iter().filter_map(of_task).collect();
        self.columns(&used, &lines);
    }

    /// A table with a column for each node and one for the total; in blocks where that is too wide. Columns without
    /// anything are then left out.
    fn columns(&mut self, used: &[bool], lines: &[Line]) {
        let room = room(lines, self.style.width);
        let kept = kept(used, room);
        let mut blocks: Vec<&[usize]> = kept.chunks(room).collect();
        // The total stands in the last block, or in one of its own.
        if blocks.last().is_none_or(|block| block.len() == room) {
            blocks.push(&[]);
        }
        let last = blocks.len() - 1;
        for (k, block) in blocks.into_iter().enumerate() {
            let names = block.iter().map(|column| format!("node {}", self.residency.nodes[*column].node));
            let mut rows: Vec<Vec<String>> = vec![std::iter::once(UNIT.to_owned()).chain(names).collect()];
            for line in lines {
                let cells = block.iter().map(|column| line.cells[*column].clone());
                rows.push(std::iter::once(line.name.clone()).chain(cells).collect());
            }
            if k == last {
                rows[0].push("total".to_owned());
                rows[1..].iter_mut().zip(lines).for_each(|(row, line)| row.push(line.total.clone()));
            }
            let mut sides = vec![Align::Right; rows[0].len()];
            sides[0] = Align::Left;
            self.text.push('\n');
            self.text += &table(&rows, &sides);
        }
        self.left_out(kept.len());
    }

    /// A table with a column for each use and a line for each node, where the other way round is too wide.
    fn uses(&mut self, used: &[bool], lines: &[Line]) {
        let room = room(lines, self.style.width);
        if used.len() < room {
            return self.columns(used, lines);
        }
        let kept = kept(used, room);
        let mut rows: Vec<Vec<String>> = vec![
            std::iter::once(UNIT.to_owned()).chain(lines.iter().map(|line| line.name.clone())).collect(),
        ];
        for column in &kept {
            let name = format!("node {}", self.residency.nodes[*column].node);
            let cells = lines.iter().map(|line| line.cells[*column].clone());
            rows.push(std::iter::once(name).chain(cells).collect());
        }
        let totals = lines.iter().map(|line| line.total.clone());
        rows.push(std::iter::once("total".to_owned()).chain(totals).collect());
        let mut sides = vec![Align::Right; rows[0].len()];
        sides[0] = Align::Left;
        self.text.push('\n');
        self.text += &table(&rows, &sides);
        self.left_out(kept.len());
    }

    fn left_out(&mut self, kept: usize) {
        let all = self.residency.nodes.len();
        if kept < all {
            self.faint(&format!("{} of {all} nodes have none of it.", all - kept));
        }
    }

    fn policies(&mut self, policies: &[PolicyShare]) {
        if policies.is_empty() {
            return;
        }
        let mut rows = vec![["policy", "mappings", "memory", "on nodes"].map(str::to_owned).to_vec()];
        for share in policies.iter().take(POLICIES) {
            let total: Bytes = share.by_node.iter().map(|(_, bytes)| *bytes).sum();
            rows.push(vec![
                clipped(&escaped(&share.policy), 24),
                share.mappings.to_string(),
                total.to_string(),
                places(&share.by_node, self.style.width),
            ]);
        }
        self.text.push('\n');
        self.text += &fitted(
            rows,
            &[Align::Left, Align::Right, Align::Right],
            self.style.width,
            &["mappings", "memory"],
        );
        if policies.len() > POLICIES {
            self.faint(&format!("and {} more policies", policies.len() - POLICIES));
        }
    }

    fn mappings(&mut self, largest: &[MappingSnapshot], all: u64) {
        if largest.is_empty() {
            return;
        }
        let titles = ["address", "page", "memory", "policy", "on nodes", "what"];
        let mut rows = vec![titles.map(str::to_owned).to_vec()];
        for mapping in largest {
            rows.push(vec![
                format!("{:012x}", mapping.address),
                mapping.page.to_string(),
                mapping.resident().to_string(),
                clipped(&escaped(&mapping.policy), 16),
                places(&mapping.by_node, self.style.width),
                match &mapping.file {
                    Some(file) => end(&escaped(file), 24),
                    None => mapping.used_for.to_string(),
                },
            ]);
        }
        self.text.push('\n');
        let sides = [Align::Left, Align::Right, Align::Right];
        self.text += &fitted(rows, &sides, self.style.width, &["address", "page", "policy"]);
        if largest.len() as u64 != all {
            self.faint(&format!("The largest {} of {all} mappings.", largest.len()));
        }
    }
}

/// A line of a table by node.
struct Line {
    name: String,
    /// One for each node.
    cells: Vec<String>,
    total: String,
}

impl Line {
    fn new(name: String, by_node: &[Bytes], total: Bytes) -> Self {
        Line { name, cells: by_node.iter().map(|bytes| mib(*bytes)).collect(), total: mib(total) }
    }
}

fn uses(rows: &[MemoryRow]) -> Vec<Line> {
    rows.iter().map(|row| Line::new(row.used_for.to_string(), &row.by_node, row.total)).collect()
}

/// How many columns there is room for, the total among them.
fn room(lines: &[Line], width: usize) -> usize {
    let length = |text: &String| text.chars().count();
    let first = lines.iter().map(|line| length(&line.name)).max().unwrap_or(0).max(UNIT.len());
    let cells = lines.iter().flat_map(|line| line.cells.iter().chain([&line.total]));
    let widest = cells.map(length).chain(["node 99".len()]).max().unwrap_or(0);
    (width.saturating_sub(first) / (widest + 2)).max(2)
}

/// All nodes where there is room for them and the total, and else those with something.
fn kept(used: &[bool], room: usize) -> Vec<usize> {
    let fits = used.len() < room;
    (0..used.len()).filter(|column| fits || used[*column]).collect()
}

/// Which nodes have pages or threads.
fn used(by_node: &[Bytes], runs: impl Fn(usize) -> bool) -> Vec<bool> {
    by_node.iter().enumerate().map(|(column, bytes)| *bytes > Bytes(0) || runs(column)).collect()
}

/// With two decimals, as numastat writes it.
fn mib(bytes: Bytes) -> String {
    format!("{:.2}", bytes.0 as f64 / f64::from(1 << 20))
}
