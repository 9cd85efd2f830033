//! A job by hand: two ranks on two nodes, one of which takes memory on the other's node and gives most of it back.
#![allow(dead_code)] // Each test uses a part.

use numawise_facts::notice::{ResidencyNotice, ResidencyPart};
use numawise_facts::{MemoryKind, Reading, Reason};
use numawise_tables::{
    LocalChange, MemoryChange, Moment, NodeColumn, NodeTimeline, SessionSpan, TaskTimeline, Timeline,
};
use numawise_units::{Bytes, Nanoseconds, NodeId, Pid, Ratio};

const SECOND: u64 = 1_000_000_000;

fn at(seconds: u64) -> Nanoseconds {
    Nanoseconds((1_700_000_000 + seconds) * SECOND)
}

fn change(first: u64, last: u64, peak: u64, peak_at: u64) -> MemoryChange {
    MemoryChange {
        first: Reading::Measured(Bytes::mib(first)),
        last: Reading::Measured(Bytes::mib(last)),
        peak: Reading::Measured(Bytes::mib(peak)),
        peak_at: Reading::Measured(at(peak_at)),
    }
}

fn moment(seconds: u64, session: u32, memory: Option<[u64; 2]>, busy: Option<[f64; 2]>) -> Moment {
    let why = "it is the first look of its session";
    Moment {
        at: at(seconds),
        session,
        tasks: 2,
        threads: 5,
        memory: memory.map_or_else(
            || Reading::unavailable("permission denied"),
            |nodes| Reading::Measured(nodes.map(Bytes::mib).to_vec()),
        ),
        busy: busy
            .map_or_else(|| Reading::unavailable(why), |nodes| Reading::Measured(nodes.map(Ratio).to_vec())),
        local: Reading::Measured(Ratio(if seconds == 20 { 0.4 } else { 0.95 })),
    }
}

fn local(first: f64, last: f64, least: f64) -> Reading<LocalChange> {
    Reading::Measured(LocalChange {
        first: Ratio(first),
        last: Ratio(last),
        least: Ratio(least),
        least_at: at(20),
    })
}

fn task(rank: u32) -> TaskTimeline {
    TaskTimeline {
        pid: Pid(4711 + rank as i32),
        started: Nanoseconds(70 * SECOND),
        name: "app".to_owned(),
        command: Reading::Measured("./app --threads 4".to_owned()),
        rank: Reading::Measured(rank),
        first_seen: at(0),
        last_seen: at(3605),
        threads: Reading::Measured(4 - u64::from(rank)),
        memory: change(50, 60, 350 - 100 * u64::from(rank), 20),
        by_node: Reading::Measured(vec![Bytes::mib(50), Bytes::mib(10)]),
        busy: Reading::Measured(Ratio(0.75)),
        local: local(0.95, 0.95, 0.4),
        migrations: match rank {
            0 => Reading::Measured(12),
            _ => Reading::unavailable("/proc/PID/task/TID/sched is not there"),
        },
    }
}

pub fn job() -> Timeline {
    let column = |node| NodeColumn { node: NodeId(node), kind: MemoryKind::Dram, cpus: true };
    Timeline {
        samples: 6,
        sessions: vec![
            SessionSpan { first: at(0), last: at(30), samples: 4 },
            SessionSpan { first: at(3600), last: at(3605), samples: 2 },
        ],
        nodes: vec![column(0), column(1)],
        by_node: vec![
            NodeTimeline {
                node: NodeId(0),
                memory: change(100, 100, 100, 0),
                busy: Reading::Measured(Ratio(1.0)),
            },
            NodeTimeline {
                node: NodeId(1),
                memory: change(0, 20, 300, 20),
                busy: Reading::Measured(Ratio(0.5)),
            },
        ],
        total: change(100, 120, 400, 20),
        busy: Reading::Measured(Ratio(1.5)),
        local: local(0.95, 0.95, 0.4),
        migrations: Reading::Measured(12),
        tasks: vec![task(0), task(1)],
        moments: vec![
            moment(0, 0, Some([100, 0]), None),
            moment(10, 0, Some([100, 150]), Some([1.5, 0.0])),
            moment(20, 0, Some([100, 300]), Some([1.0, 0.75])),
            moment(30, 0, None, Some([0.5, 0.75])),
            moment(3600, 1, Some([100, 20]), None),
            moment(3605, 1, Some([100, 20]), Some([1.0, 0.5])),
        ],
        samples_per_moment: 1,
        unavailable: vec![
            unavailable(ResidencyPart::Memory, vec![], "permission denied", 1),
            unavailable(
                ResidencyPart::ThreadMigrations,
                vec![Pid(4712)],
                "/proc/PID/task/TID/sched is not there",
                6,
            ),
        ],
        rehearsal: None,
    }
}

pub fn empty() -> Timeline {
    let none = "nothing was recorded yet";
    let nothing = || MemoryChange {
        first: Reading::unavailable(none),
        last: Reading::unavailable(none),
        peak: Reading::unavailable(none),
        peak_at: Reading::unavailable(none),
    };
    Timeline {
        samples: 0,
        sessions: vec![],
        nodes: vec![],
        by_node: vec![],
        total: nothing(),
        busy: Reading::unavailable(none),
        local: Reading::unavailable(none),
        migrations: Reading::unavailable(none),
        tasks: vec![],
        moments: vec![],
        samples_per_moment: 1,
        unavailable: vec![],
        rehearsal: None,
    }
}

pub fn unavailable(part: ResidencyPart, tasks: Vec<Pid>, reason: &str, missing: u64) -> ResidencyNotice {
    let reason = Reason(reason.to_owned().into());
    ResidencyNotice::UnavailableInSamples { part, tasks, reason, missing, samples: 6 }
}
