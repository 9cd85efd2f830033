//! Memory by use and node, as `numastat -p` has it, and what rules it.

use numawise_facts::{MappingSnapshot, MemoryRow, MemoryTable, PolicyShare, TaskWhere};
use numawise_units::{Bytes, Ratio};

use super::{Page, called, places};
use crate::table::{Side, fitted, table};
use crate::whereabouts::names::{clipped, end, escaped};

/// As many policies at most.
const POLICIES: usize = 8;

impl Page<'_> {
    pub fn memory_of(&mut self, task: &TaskWhere) {
        let memory: &MemoryTable = match &task.memory {
            numawise_facts::Reading::Measured(memory) => memory,
            numawise_facts::Reading::Unavailable { unavailable } => {
                return self
                    .faint(&format!("Its memory: unavailable ({}).", escaped(&unavailable.to_string())));
            }
        };
        let mut lines = uses(&memory.rows);
        lines.push(("total".to_owned(), mib_each(&memory.by_node), mib(memory.total)));
        if let Some(times) = task.time_by_node.measured() {
            let of = |share: &Ratio| format!("{:.1} %", share.0 * 100.0);
            lines.push(("CPU time".to_owned(), times.iter().map(of).collect(), String::new()));
        }
        self.by_node("MiB", &memory.by_node, lines);
        self.policies(&memory.policies);
        self.mappings(&memory.largest, memory.mappings);
    }

    pub fn memory_of_job(&mut self) {
        let whereabouts = self.whereabouts;
        let Some(rows) = whereabouts.job.memory.measured() else {
            return;
        };
        let by_node: Vec<Bytes> = (0..whereabouts.nodes.len())
            .map(|column| rows.iter().map(|row| row.by_node[column]).sum())
            .collect();
        let total = whereabouts.job.total.measured().copied().unwrap_or_default();
        let mut lines = uses(rows);
        lines.push(("total".to_owned(), mib_each(&by_node), mib(total)));
        self.heading("Memory of all processes; what several map counts for each");
        self.by_node("MiB", &by_node, lines);
        let of_task = |task: &TaskWhere| {
            let memory = task.memory.measured()?;
            Some((clipped(&called(task), 24), mib_each(&memory.by_node), mib(memory.total)))
        };
        let lines = whereabouts.tasks.iter().filter_map(of_task).collect();
        self.by_node("MiB", &by_node, lines);
    }

    /// A table with a column for each node and one for the total; in blocks where that is too wide. Columns without
    /// anything are then left out.
    fn by_node(&mut self, unit: &str, by_node: &[Bytes], lines: Vec<(String, Vec<String>, String)>) {
        let columns: Vec<usize> = (0..by_node.len()).collect();
        let first = lines.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).max(unit.len());
        let cells = lines.iter().flat_map(|(_, cells, total)| cells.iter().chain([total]));
        let widest = cells.map(|cell| cell.chars().count()).chain(["node 999".len()]).max().unwrap_or(0);
        let room = (self.style.width.saturating_sub(first) / (widest + 2)).max(2);
        let mut kept = columns.clone();
        if columns.len() + 1 > room {
            kept.retain(|column| by_node[*column] > Bytes(0));
        }
        let mut blocks: Vec<&[usize]> = kept.chunks(room).collect();
        // The total stands in the last block, or in one of its own.
        if blocks.last().is_none_or(|block| block.len() == room) {
            blocks.push(&[]);
        }
        let last = blocks.len() - 1;
        for (k, block) in blocks.into_iter().enumerate() {
            let names = block.iter().map(|column| format!("node {}", self.whereabouts.nodes[*column].node));
            let mut rows: Vec<Vec<String>> = vec![std::iter::once(unit.to_owned()).chain(names).collect()];
            for (name, cells, _) in &lines {
                let cells = block.iter().map(|column| cells[*column].clone());
                rows.push(std::iter::once(name.clone()).chain(cells).collect());
            }
            if k == last {
                rows[0].push("total".to_owned());
                for (row, (.., total)) in rows[1..].iter_mut().zip(&lines) {
                    row.push(total.clone());
                }
            }
            let mut sides = vec![Side::Right; rows[0].len()];
            sides[0] = Side::Left;
            self.text.push('\n');
            self.text += &table(&rows, &sides);
        }
        if kept.len() < columns.len() {
            self.faint(&format!(
                "{} of {} nodes have none of it.",
                columns.len() - kept.len(),
                columns.len()
            ));
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
                places(&share.by_node),
            ]);
        }
        self.text.push('\n');
        self.text +=
            &fitted(rows, &[Side::Left, Side::Right, Side::Right], self.style.width, &["mappings", "memory"]);
        if policies.len() > POLICIES {
            self.faint(&format!("and {} more policies", policies.len() - POLICIES));
        }
    }

    fn mappings(&mut self, largest: &[MappingSnapshot], all: u64) {
        if largest.is_empty() {
            return;
        }
        let titles = ["address", "use", "page", "memory", "policy", "on nodes", "what"];
        let mut rows = vec![titles.map(str::to_owned).to_vec()];
        for mapping in largest {
            rows.push(vec![
                format!("{:012x}", mapping.address),
                mapping.used_for.to_string(),
                mapping.page.to_string(),
                mapping.resident().to_string(),
                clipped(&escaped(&mapping.policy), 16),
                places(&mapping.by_node),
                mapping.file.as_deref().map_or_else(String::new, |file| end(&escaped(file), 24)),
            ]);
        }
        if largest.iter().all(|mapping| mapping.file.is_none()) {
            rows.iter_mut().for_each(|row| row.truncate(titles.len() - 1));
        }
        self.text.push('\n');
        let sides = [Side::Left, Side::Left, Side::Right, Side::Right];
        self.text += &fitted(rows, &sides, self.style.width, &["page", "address", "policy", "use"]);
        if largest.len() as u64 != all {
            self.faint(&format!("The largest {} of {all} mappings.", largest.len()));
        }
    }
}

/// Name, cells by node, total.
fn uses(rows: &[MemoryRow]) -> Vec<(String, Vec<String>, String)> {
    rows.iter().map(|row| (row.used_for.to_string(), mib_each(&row.by_node), mib(row.total))).collect()
}

fn mib_each(by_node: &[Bytes]) -> Vec<String> {
    by_node.iter().map(|bytes| mib(*bytes)).collect()
}

/// With two decimals, as numastat writes it.
fn mib(bytes: Bytes) -> String {
    format!("{:.2}", bytes.0 as f64 / f64::from(1 << 20))
}
