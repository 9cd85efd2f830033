//! The JSON of `numawise where --json`, as `docs/formats/where-json.md` specifies it.

use numawise_facts::{MappingSnapshot, PolicyShare};
use numawise_tables::{
    JobResidency, LocalShare, MemoryRow, MemoryTable, Occupant, RemoteMemory, Residency, ShareSpan,
    TaskResidency, ThreadResidency,
};
use numawise_units::{Bytes, NodeId, Ratio};
use serde_json::{Map, Value, json as object};

use crate::notice;
use crate::object::{each, reading};

/// Name and version of the format. The number grows when a reader of the old one could be misled.
pub const SCHEMA: &str = "numawise/where/1";

/// The whole of it, for scripts.
pub fn json(residency: &Residency) -> Value {
    object!({
        "schema": SCHEMA,
        "unix_time_ns": residency.unix_time,
        "boot_time_ns": residency.at,
        "span": span(residency.span),
        "nodes": each(&residency.nodes, |node| object!({
            "node": node.node,
            "kind": node.kind,
            "has_cpus": node.cpus,
        })),
        "tasks": each(&residency.tasks, |one| task(one, residency)),
        "job": job(&residency.job, residency),
        "notes": each(&residency.notes, |note| notice::json(&note.clone().into())),
        "rehearsal": residency.rehearsal.as_ref().map(notice::json),
    })
}

fn span(span: ShareSpan) -> Value {
    match span {
        ShareSpan::SinceBegin => object!({ "kind": "since_begin" }),
        ShareSpan::BetweenSamples(span) => object!({ "kind": "between_samples", "span_ns": span }),
    }
}

/// `{"0": 4096}`; nodes in ascending order.
fn by_node(all: impl Iterator<Item = (NodeId, Bytes)>) -> Value {
    Value::Object(all.map(|(node, bytes)| (node.to_string(), object!(bytes))).collect::<Map<_, _>>())
}

/// The same for values in the order of the columns; nodes without any are left out.
fn columns(values: &[Bytes], residency: &Residency) -> Value {
    let all = residency.nodes.iter().map(|column| column.node).zip(values.iter().copied());
    by_node(all.filter(|(_, bytes)| *bytes > Bytes(0)))
}

fn task(task: &TaskResidency, residency: &Residency) -> Value {
    let times = |times: &Vec<Ratio>| {
        let all = residency.nodes.iter().zip(times).filter(|(_, time)| time.0 > 0.0);
        Value::Object(all.map(|(column, time)| (column.node.to_string(), object!(time))).collect())
    };
    object!({
        "pid": task.pid,
        "parent": task.parent,
        "name": task.name,
        "command": task.command,
        "user": task.user,
        "rank": task.rank,
        "started_ns": task.started,
        "busy_cpus": task.busy,
        "working_threads": task.working,
        "cpus": task.mask,
        "runs_on": task.runs_on,
        "cpu_time_by_node": reading(&task.time_by_node, times),
        "local": reading(&task.local, local),
        "remote": reading(&task.remote, |remote| each(remote, remote_memory)),
        "threads": reading(&task.threads, |threads| each(threads, thread)),
        "memory": reading(&task.memory, |memory| table(memory, residency)),
    })
}

fn local(local: &LocalShare) -> Value {
    object!({
        "at_most": local.at_most,
        "if_alike": local.if_alike,
        "weighed_over": span(local.weighed),
    })
}

fn remote_memory(remote: &RemoteMemory) -> Value {
    object!({
        "node": remote.node,
        "bytes": remote.bytes,
        "file_bytes": remote.file,
        "threads_may_run_there": remote.may_run,
        "nearest_node": remote.nearest,
        "distance": remote.distance,
    })
}

fn thread(thread: &ThreadResidency) -> Value {
    object!({
        "tid": thread.tid,
        "name": thread.name,
        "state": thread.state,
        "cpu": thread.cpu,
        "node": thread.node,
        "mask": thread.mask,
        "mask_nodes": thread.mask_nodes,
        "cpu_share": thread.share,
        "busy": thread.busy,
        "cpu_time_ns": thread.cpu_time,
        "migrations": thread.migrations,
        "recent_migrations": thread.recent_migrations,
        "minor_faults": thread.minor_faults,
        "major_faults": thread.major_faults,
        "recent_faults": thread.recent_faults,
    })
}

fn rows(rows: &[MemoryRow], residency: &Residency) -> Value {
    each(rows, |row| {
        object!({
            "use": row.used_for,
            "total_bytes": row.total,
            "by_node_bytes": columns(&row.by_node, residency),
        })
    })
}

fn table(memory: &MemoryTable, residency: &Residency) -> Value {
    object!({
        "total_bytes": memory.total,
        "by_node_bytes": columns(&memory.by_node, residency),
        "uses": rows(&memory.rows, residency),
        "policies": each(&memory.policies, policy),
        "mappings": memory.mappings,
        "largest": each(&memory.largest, mapping),
    })
}

fn policy(share: &PolicyShare) -> Value {
    object!({
        "policy": share.policy,
        "mappings": share.mappings,
        "by_node_bytes": by_node(share.by_node.iter().copied()),
    })
}

fn mapping(mapping: &MappingSnapshot) -> Value {
    object!({
        // JSON numbers are exact up to 2^53 only.
        "address": format!("{:#x}", mapping.address),
        "use": mapping.used_for,
        "policy": mapping.policy,
        "page_bytes": mapping.page,
        "resident_bytes": mapping.resident(),
        "by_node_bytes": by_node(mapping.by_node.iter().copied()),
        "file": mapping.file,
    })
}

fn job(job: &JobResidency, residency: &Residency) -> Value {
    object!({
        "threads": job.threads,
        "busy_cpus": job.busy,
        "total_bytes": job.total,
        "uses": reading(&job.memory, |all| rows(all, residency)),
        "local": reading(&job.local, local),
        "by_node": each(&job.by_node, |node| object!({
            "node": node.node,
            "threads": node.threads,
            "busy_threads": node.busy_threads,
            "busy_cpus": node.busy,
            "bytes": node.memory,
        })),
        "shared_cpus": each(&job.shared_cpus, |shared| object!({
            "cpu": shared.cpu,
            "node": shared.node,
            "load": shared.load,
            "contended": shared.contended,
            "threads": each(&shared.threads, occupant),
        })),
        "overlaps": each(&job.overlaps, |overlap| object!({
            "cpus": overlap.cpus,
            "pids": overlap.tasks,
            "ranks": overlap.ranks,
            "oversubscribed": overlap.oversubscribed,
        })),
        "left_out": { "threads": job.left_out.threads, "memory": job.left_out.memory },
        "remarks": each(&job.remarks, |remark| notice::json(&remark.clone().into())),
    })
}

fn occupant(thread: &Occupant) -> Value {
    object!({
        "pid": thread.pid,
        "rank": thread.rank,
        "tid": thread.tid,
        "name": thread.name,
        "cpu_share": thread.share,
        "pinned": thread.pinned,
    })
}
