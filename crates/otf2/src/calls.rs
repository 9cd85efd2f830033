//! Calls of MPI by their names: what kind of region they are, and which collective operation.

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;

/// `OTF2_REGION_ROLE_*`, of those that calls of MPI have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    Function = 1,
    Barrier = 15,
    OneToAll = 23,
    AllToOne = 24,
    AllToAll = 25,
    OtherCollective = 26,
    File = 27,
    PointToPoint = 28,
    OneSided = 29,
}

/// A name in its parts: `Bcast` of `MPI_Bcast_c`.
pub fn stem(call: &str) -> &str {
    let name = call.strip_prefix("MPI_").unwrap_or(call);
    name.strip_suffix("_c").unwrap_or(name)
}

pub fn role(call: &str) -> Role {
    let name = stem(call);
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
    let name = stem(call);
    matches!(name, "Start" | "Startall" | "Isend" | "Ibsend" | "Issend" | "Irsend")
        || name.starts_with("Isendrecv")
}

/// Whether a call may find that nothing has come yet.
pub fn may_poll(call: &str) -> bool {
    matches!(stem(call), "Test" | "Testall" | "Testany" | "Testsome" | "Iprobe" | "Improbe")
}

/// Whether a collective call only begins what another one ends: `MPI_Ibcast`.
pub fn begins_collective(call: &str) -> bool {
    let blocking = blocking(call);
    blocking != stem(call) && (operation(call).is_some() || blocking.starts_with("Neighbor_"))
}

/// `Bcast` of `MPI_Ibcast`; its name without `MPI_` of a call that begins with another letter.
pub fn blocking(call: &str) -> String {
    let name = stem(call);
    let rest =
        name.strip_prefix('I').filter(|rest| rest.starts_with(|first: char| first.is_ascii_lowercase()));
    match rest.and_then(|rest| rest.split_at_checked(1)) {
        Some((first, others)) => format!("{}{others}", first.to_ascii_uppercase()),
        None => name.to_owned(),
    }
}

/// `OTF2_COLLECTIVE_OP_*` of a collective call.
pub fn operation(call: &str) -> Option<u8> {
    let name = blocking(call);
    let moves = OPERATIONS.iter().find(|(of, _)| *of == name).map(|(_, number)| *number);
    let allocates = name.starts_with("Win_allocate");
    let makes = if allocates { CREATE_HANDLE_AND_ALLOCATE } else { CREATE_HANDLE };
    moves.or_else(|| MAKE_HANDLES.contains(&name.as_str()).then_some(makes))
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

const OPERATIONS: [(&str, u8); 17] = [
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
    match blocking(call).as_str() {
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
