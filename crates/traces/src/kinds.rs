//! What a call can wait for, by its name: once for each site, since there are very many calls.

use numawise_facts::activity::{TracedCall, TracedSite, begins_collective, is_collective, is_send};

/// A site's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SiteKind {
    /// It sends, and comes back when that is done.
    pub sends: bool,
    /// It blocks until a message is there.
    pub probes: bool,
    /// It begins what another call ends.
    pub begins: bool,
    /// What it sends is ended by another call, as a rule.
    pub requests: bool,
    /// Other ranks, or a disk, may have to come first.
    pub may_wait: bool,
    /// Ranks of its communicator, where these are known.
    pub ranks: Option<u32>,
}

impl SiteKind {
    pub fn of(call: &str, ranks: Option<u32>) -> SiteKind {
        SiteKind {
            sends: is_send(call) || call.starts_with("MPI_Sendrecv"),
            probes: matches!(call, "MPI_Probe" | "MPI_Mprobe"),
            begins: begins_collective(call) || call.starts_with("MPI_Start"),
            requests: call.starts_with("MPI_I") || call.starts_with("MPI_Start"),
            may_wait: may_wait(call),
            ranks,
        }
    }
}

fn may_wait(call: &str) -> bool {
    let name = call.strip_prefix("MPI_").unwrap_or(call);
    // Messages with ranks of another world are not followed, and leave a call without one.
    const BEGIN: [&str; 13] = [
        "Wait",
        "Test",
        "Win_",
        "Probe",
        "Mprobe",
        "Comm_",
        "File_",
        "Cart_",
        "Graph_",
        "Neighbor_",
        "Recv",
        "Mrecv",
        "Sendrecv",
    ];
    is_collective(call) || is_send(call) || BEGIN.iter().any(|begin| name.starts_with(begin))
}

/// Calls of a thread that begin and end MPI, by their sites.
pub struct Edges {
    begin: Vec<bool>,
    end: Vec<bool>,
}

impl Edges {
    pub fn of(sites: &[TracedSite]) -> Edges {
        let are = |is: fn(&TracedSite) -> bool| sites.iter().map(is).collect();
        Edges { begin: are(TracedSite::begins_mpi), end: are(TracedSite::ends_mpi) }
    }

    pub fn begins(&self, call: &TracedCall) -> bool {
        self.begin.get(call.site as usize).is_some_and(|is| *is)
    }

    pub fn ends(&self, call: &TracedCall) -> bool {
        self.end.get(call.site as usize).is_some_and(|is| *is)
    }
}
