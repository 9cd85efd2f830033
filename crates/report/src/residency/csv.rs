//! The CSV of `numawise where --csv`: one value a row, as `docs/formats/where-json.md` specifies it.

use std::fmt::Write;

use numawise_facts::Reading;
use numawise_tables::{Residency, TaskResidency, ThreadResidency};
use numawise_units::{Bytes, NodeId};

use crate::amount;
use crate::csv::quoted;

/// The first line, without its newline.
pub const HEADER: &str = "time,pid,rank,name,tid,thread,use,node,quantity,value,unit,missing";

/// The header and all rows.
pub fn csv(residency: &Residency) -> String {
    format!("{HEADER}\n{}", rows(residency))
}

/// The rows only, to go below those of a sample before.
pub fn rows(residency: &Residency) -> String {
    let mut text = String::new();
    let time = time(residency);
    for task in &residency.tasks {
        let rank = task.rank.measured().map_or_else(String::new, u32::to_string);
        let prefix = format!("{time},{},{rank},{}", task.pid, quoted(&task.name));
        let mut rows = Rows { text: &mut text, prefix };
        of_task(task, &mut rows);
        match &task.threads {
            Reading::Measured(threads) => threads.iter().for_each(|thread| of_thread(thread, &mut rows)),
            Reading::Unavailable { unavailable } => {
                rows.row(
                    ",,,",
                    "cpu_share",
                    &Reading::Unavailable { unavailable: unavailable.clone() },
                    "CPUs",
                );
            }
        }
        of_memory(task, residency, &mut rows);
    }
    text
}

/// `2023-11-14T22:13:20.123Z`.
fn time(residency: &Residency) -> String {
    let second = amount::moment(residency.unix_time);
    let millis = residency.unix_time.0 / 1_000_000 % 1000;
    format!("{}.{millis:03}Z", second.trim_end_matches(" UTC").replace(' ', "T"))
}

struct Rows<'a> {
    text: &'a mut String,
    /// Time, pid, rank and name.
    prefix: String,
}

impl Rows<'_> {
    /// `place` is tid, thread, use and node. A value that is missing is an empty cell with its reason.
    fn row(&mut self, place: &str, quantity: &str, value: &Reading<String>, unit: &str) {
        let (value, missing) = match value {
            Reading::Measured(value) => (value.as_str(), String::new()),
            Reading::Unavailable { unavailable } => ("", quoted(&unavailable.0)),
        };
        let _ = writeln!(self.text, "{},{place},{quantity},{value},{unit},{missing}", self.prefix);
    }
}

fn share(share: f64) -> String {
    format!("{share:.6}")
}

fn of_task(task: &TaskResidency, rows: &mut Rows) {
    rows.row(",,,", "busy", &task.busy.as_ref().map(|busy| share(busy.0)), "CPUs");
    rows.row(",,,", "local_at_most", &task.local.as_ref().map(|local| share(local.at_most.0)), "share");
    rows.row(",,,", "local_if_alike", &task.local.as_ref().map(|local| share(local.if_alike.0)), "share");
}

fn of_thread(thread: &ThreadResidency, rows: &mut Rows) {
    let node = thread.node.map_or_else(String::new, |node: NodeId| node.to_string());
    let place = format!("{},{},,{node}", thread.tid, quoted(&thread.name));
    rows.row(&place, "cpu", &Reading::Measured(thread.cpu.to_string()), "number");
    rows.row(&place, "cpu_share", &thread.share.as_ref().map(|s| share(s.0)), "CPUs");
    rows.row(&place, "cpu_time", &Reading::Measured(thread.cpu_time.0.to_string()), "ns");
    rows.row(&place, "migrations", &thread.migrations.as_ref().map(u64::to_string), "count");
    rows.row(&place, "minor_faults", &Reading::Measured(thread.minor_faults.to_string()), "count");
    rows.row(&place, "major_faults", &Reading::Measured(thread.major_faults.to_string()), "count");
}

/// Uses and nodes with pages only, and a total for each node of the machine, also of 0.
fn of_memory(task: &TaskResidency, residency: &Residency, rows: &mut Rows) {
    let memory = match &task.memory {
        Reading::Measured(memory) => memory,
        Reading::Unavailable { unavailable } => {
            return rows.row(
                ",,,",
                "memory",
                &Reading::Unavailable { unavailable: unavailable.clone() },
                "bytes",
            );
        }
    };
    let nodes = || residency.nodes.iter().map(|column| column.node);
    for row in &memory.rows {
        for (node, bytes) in nodes().zip(&row.by_node).filter(|(_, bytes)| **bytes > Bytes(0)) {
            rows.row(
                &format!(",,{},{node}", row.used_for),
                "memory",
                &Reading::Measured(bytes.0.to_string()),
                "bytes",
            );
        }
    }
    for (node, bytes) in nodes().zip(&memory.by_node) {
        rows.row(&format!(",,,{node}"), "memory_total", &Reading::Measured(bytes.0.to_string()), "bytes");
    }
}
