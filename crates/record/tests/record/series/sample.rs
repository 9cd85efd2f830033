//! A job of two tasks that goes on for as many looks as one likes: every look can be told from its number.

use std::path::Path;
use std::time::{Duration, Instant};

use numawise_facts::{MemorySnapshot, PageUse, PolicyShare, Reading, Snapshot, TaskSnapshot, ThreadSnapshot};
use numawise_record::{RecordError, Series};
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid};

use crate::sample::{cpus, machine};

const SECOND: u64 = 1_000_000_000;

/// Opens a series that was just closed. A process that another test is starting holds our lock until it has become
/// another program.
pub fn open(path: &Path) -> Series {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        match Series::open(path, &machine()) {
            Err(RecordError::InUse(_)) if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(5));
            }
            opened => return opened.unwrap(),
        }
    }
}

pub fn thread(tid: i32, look: u64) -> ThreadSnapshot {
    ThreadSnapshot {
        tid: Pid(tid),
        name: format!("worker/{tid}"),
        state: if look.is_multiple_of(3) { 'S' } else { 'R' },
        cpu: CpuId((look / 4 % 4) as u32),
        mask: match tid {
            101 => Reading::unavailable("the thread had gone"),
            _ if look < 6 => Reading::Measured(cpus("0-3")),
            _ => Reading::Measured(cpus("2")),
        },
        // One thread sleeps: nothing of it changes but its state.
        cpu_time: Nanoseconds(if tid == 102 { 5 } else { look * SECOND / 2 }),
        started: Nanoseconds(70 * SECOND),
        migrations: match tid {
            103 => Reading::unavailable("/proc/PID/task/TID/sched is not there"),
            _ => Reading::Measured(look / 4),
        },
        minor_faults: 1000 + look,
        major_faults: 0,
    }
}

pub fn memory(look: u64) -> MemorySnapshot {
    let mut by_use =
        vec![(PageUse::Heap, NodeId(0), Bytes::mib(10 + look)), (PageUse::File, NodeId(0), Bytes::mib(3))];
    if !look.is_multiple_of(5) {
        by_use.insert(1, (PageUse::Private, NodeId(1), Bytes::mib(100)));
    }
    MemorySnapshot {
        by_use,
        by_policy: vec![
            PolicyShare {
                policy: "default".to_owned(),
                mappings: 40 + look,
                by_node: vec![(NodeId(0), Bytes::mib(13 + look)), (NodeId(1), Bytes::mib(4))],
            },
            PolicyShare { policy: "bind:1".to_owned(), mappings: 2, by_node: vec![] },
        ],
        largest: vec![],
        mappings: 42 + look,
    }
}

/// The `look`-th look: a rank whose threads come and go and whose memory cannot be seen at times, and a helper that ends,
/// comes back as another process with the same number, and becomes another program.
pub fn snapshot(look: u64) -> Snapshot {
    let mut threads = vec![thread(100, look), thread(101, look), thread(102, look)];
    if look % 7 > 3 {
        threads.push(thread(103, look));
    }
    let rank = TaskSnapshot {
        pid: Pid(100),
        parent: Pid(1),
        name: "app".to_owned(),
        command: Reading::Measured("./app 'it'\\''s' $HOME".to_owned()),
        user: 1000,
        rank: Reading::Measured(0),
        started: Nanoseconds(70 * SECOND),
        threads: match look % 9 {
            8 => Reading::unavailable(format!("it ended while it was looked at for the {look}. time")),
            _ => Reading::Measured(threads),
        },
        memory: match look % 6 {
            5 => Reading::unavailable("permission denied"),
            _ => Reading::Measured(memory(look)),
        },
    };
    let helper = TaskSnapshot {
        pid: Pid(200),
        parent: Pid(100),
        name: if look % 8 < 2 { "sh" } else { "helper" }.to_owned(),
        command: Reading::unavailable("it is a kernel thread"),
        user: 0,
        rank: Reading::unavailable("permission denied"),
        started: Nanoseconds((80 + look / 8) * SECOND),
        threads: Reading::Measured(vec![thread(200, 0)]),
        memory: Reading::Measured(MemorySnapshot::default()),
    };
    let tasks = match look % 8 {
        7 => vec![rank],
        6 => vec![],
        _ => vec![rank, helper],
    };
    Snapshot {
        at: Nanoseconds((100 + look) * SECOND),
        unix_time: Nanoseconds(1_700_000_000 * SECOND + look * SECOND),
        tasks,
    }
}

pub fn snapshots(count: u64) -> Vec<Snapshot> {
    (0..count).map(snapshot).collect()
}
