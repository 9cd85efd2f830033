//! Calls of MPI by their names: what kind of region they are, and which collective operation.

use numawise_facts::activity::{FileOperation, begun_call, plain_call};

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;

/// `OTF2_REGION_ROLE_*`, of those that calls of MPI have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    Function = 1,
    Code = 4,
    Parallel = 5,
    Single = 9,
    Critical = 12,
    Atomic = 14,
    Barrier = 15,
    ImplicitBarrier = 16,
    Ordered = 18,
    TaskWait = 22,
    OneToAll = 23,
    AllToOne = 24,
    AllToAll = 25,
    OtherCollective = 26,
    File = 27,
    PointToPoint = 28,
    OneSided = 29,
}

pub fn role(call: &str) -> Role {
    let name = plain_call(call);
    let begins = |beginnings: &[&str]| beginnings.iter().any(|begin| name.starts_with(begin));
    match name {
        "Barrier" | "Ibarrier" => return Role::Barrier,
        "Bcast" | "Ibcast" | "Scatter" | "Scatterv" | "Iscatter" | "Iscatterv" => return Role::OneToAll,
        "Gather" | "Gatherv" | "Igather" | "Igatherv" | "Reduce" | "Ireduce" => return Role::AllToOne,
        "Scan" | "Exscan" | "Iscan" | "Iexscan" => return Role::OtherCollective,
        "Probe" | "Iprobe" | "Mprobe" | "Improbe" | "Start" | "Startall" | "Cancel" => {
            return Role::PointToPoint;
        }
        _ => {}
    }
    if begins(&["File_"]) {
        return Role::File;
    }
    if begins(&["Win_", "Put", "Get_accumulate", "Rput", "Rget", "Raccumulate", "Accumulate", "Fetch_and_op"])
        || matches!(name, "Get" | "Compare_and_swap")
    {
        return Role::OneSided;
    }
    let all = ["All", "Iall", "Reduce_scatter", "Ireduce_scatter"];
    if begins(&all) && !name.starts_with("Alloc") {
        return Role::AllToAll;
    }
    if begins(&["Neighbor_", "Ineighbor_"]) {
        return Role::OtherCollective;
    }
    let is_waiting = begins(&["Wait", "Test"]) && name != "Test_cancelled";
    if is_waiting || begins(&["Send", "Isend"]) || name.ends_with("send") || name.ends_with("recv") {
        return Role::PointToPoint;
    }
    Role::Function
}

/// Whether a call hands back a request for what it sends.
pub fn gives_request(call: &str) -> bool {
    let name = plain_call(call);
    matches!(name, "Start" | "Startall" | "Isend" | "Ibsend" | "Issend" | "Irsend")
        || name.starts_with("Isendrecv")
}

/// Whether a call may find that nothing has come yet.
pub fn may_poll(call: &str) -> bool {
    matches!(plain_call(call), "Test" | "Testall" | "Testany" | "Testsome" | "Iprobe" | "Improbe")
}

/// Whether a collective call only begins what another one ends: `MPI_Ibcast`.
pub fn begins_collective(call: &str) -> bool {
    begun_call(call).is_some_and(|name| begun_operation(name).is_some() || name.starts_with("neighbor_"))
}

/// A collective operation that moves data: the name of its blocking call, and `OTF2_COLLECTIVE_OP_*`.
type Operation = (&'static str, u8);

/// Of `bcast`.
fn begun_operation(name: &str) -> Option<Operation> {
    OPERATIONS.into_iter().find(|(of, _)| of.eq_ignore_ascii_case(name))
}

fn operation_of(call: &str) -> Option<Operation> {
    match begun_call(call) {
        Some(name) => begun_operation(name),
        None => OPERATIONS.into_iter().find(|(of, _)| *of == plain_call(call)),
    }
}

/// `OTF2_COLLECTIVE_OP_*` of a collective call.
pub fn operation(call: &str) -> Option<u8> {
    let name = plain_call(call);
    let allocates = name.starts_with("Win_allocate");
    let makes = if allocates { CREATE_HANDLE_AND_ALLOCATE } else { CREATE_HANDLE };
    let moves = operation_of(call).map(|(_, number)| number);
    moves.or_else(|| MAKE_HANDLES.contains(&name).then_some(makes))
}

/// Calls that make something for all ranks of a communicator.
const MAKE_HANDLES: [&str; 14] = [
    "Cart_create",
    "Comm_create",
    "Comm_dup",
    "Comm_dup_with_info",
    "Comm_split",
    "Comm_split_type",
    "Dist_graph_create",
    "Dist_graph_create_adjacent",
    "File_open",
    "Graph_create",
    "Win_allocate",
    "Win_allocate_shared",
    "Win_create",
    "Win_create_dynamic",
];
const CREATE_HANDLE: u8 = 17;
const CREATE_HANDLE_AND_ALLOCATE: u8 = 21;

const OPERATIONS: [Operation; 17] = [
    ("Barrier", 0),
    ("Bcast", 1),
    ("Gather", 2),
    ("Gatherv", 3),
    ("Scatter", 4),
    ("Scatterv", 5),
    ("Allgather", 6),
    ("Allgatherv", 7),
    ("Alltoall", 8),
    ("Alltoallv", 9),
    ("Alltoallw", 10),
    ("Allreduce", 11),
    ("Reduce", 12),
    ("Reduce_scatter", 13),
    ("Scan", 14),
    ("Exscan", 15),
    ("Reduce_scatter_block", 16),
];

/// Which bytes of a collective call were sent, and which received, as far as their sum tells: what both are is half of it, a root sends all or
/// receives all, and of a gathering for all the own part was sent.
pub fn split(call: &str, bytes: u64, is_root: bool, ranks: Option<u32>) -> [u64; 2] {
    match operation_of(call).map_or("", |(name, _)| name) {
        "Barrier" => [0, 0],
        "Bcast" | "Scatter" | "Scatterv" if is_root => [bytes, 0],
        "Bcast" | "Scatter" | "Scatterv" => [0, bytes],
        "Reduce" | "Gather" | "Gatherv" if is_root => [0, bytes],
        "Allreduce" | "Alltoall" | "Alltoallv" | "Alltoallw" | "Scan" | "Exscan" => {
            [bytes - bytes / 2, bytes / 2]
        }
        "Allgather" => {
            let own = ranks.map_or(0, |ranks| bytes / (u64::from(ranks) + 1));
            [own, bytes - own]
        }
        _ => [bytes, 0],
    }
}

/// The name as in C, of one of MPI's functions by any of its names: `mpi_send_`, `MPI_SEND`, `PMPI_Send`.
pub fn as_in_c(name: &str) -> Option<String> {
    let name = name.strip_suffix("()").unwrap_or(name);
    let profiled = |byte: u8| byte.eq_ignore_ascii_case(&b'p');
    let name = match name.as_bytes() {
        [first, rest @ ..] if profiled(*first) && begins_mpi(rest) => name.get(1..)?,
        _ => name,
    };
    if !begins_mpi(name.as_bytes()) {
        return None;
    }
    let rest = name.get(4..)?.trim_end_matches('_');
    let is_c = rest.bytes().any(|byte| byte.is_ascii_lowercase())
        && rest.bytes().any(|byte| byte.is_ascii_uppercase());
    if rest.is_empty() {
        return None;
    }
    if is_c {
        return Some(format!("MPI_{rest}"));
    }
    let (first, others) = rest.split_at_checked(1)?;
    Some(format!("MPI_{}{}", first.to_ascii_uppercase(), others.to_ascii_lowercase()))
}

fn begins_mpi(name: &[u8]) -> bool {
    name.get(..4).is_some_and(|begin| begin.eq_ignore_ascii_case(b"MPI_"))
}

/// The name of a region for calls on files.
pub fn file_region(operation: FileOperation) -> &'static str {
    match operation {
        FileOperation::Read => "file access: read",
        FileOperation::Write => "file access: write",
        FileOperation::Sync => "file access: sync",
        FileOperation::Manage => "file access: manage",
    }
}
