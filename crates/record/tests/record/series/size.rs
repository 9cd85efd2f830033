//! How large a file becomes.

use numawise_facts::{PageUse, Reading, Snapshot};
use numawise_record::Series;
use numawise_units::{Bytes, CpuId, Nanoseconds, NodeId, Pid};

use super::sample;
use crate::sample::machine;

/// A job of 100 threads that are all busy and wander, and whose memory grows all the time.
fn busy(look: u64) -> Snapshot {
    let mut snapshot = sample::snapshot(0);
    snapshot.at = Nanoseconds(look * 1_000_000_000);
    snapshot.unix_time = Nanoseconds((1_700_000_000 + look) * 1_000_000_000);
    snapshot.tasks.truncate(1);
    let threads = (0..100).map(|k| {
        let mut thread = sample::thread(k, 0);
        thread.mask = Reading::Measured(crate::sample::cpus("0-3"));
        thread.tid = Pid(100_000 + k);
        thread.cpu = CpuId((look / 2) as u32 % 256);
        thread.cpu_time = Nanoseconds(look * 999_999_937 + k as u64);
        thread.migrations = Reading::Measured(look / 2);
        thread.minor_faults = look * 1000;
        thread
    });
    snapshot.tasks[0].threads = Reading::Measured(threads.collect());
    let Reading::Measured(memory) = &mut snapshot.tasks[0].memory else { panic!("it has memory") };
    memory.by_use = (0..2).map(|node| (PageUse::Heap, NodeId(node), Bytes(look * 123_456_789))).collect();
    memory.by_policy[0].by_node = vec![(NodeId(0), Bytes(look * 123_456_789))];
    snapshot
}

fn bytes_for(looks: u64, snapshot: impl Fn(u64) -> Snapshot) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.nw");
    let mut series = Series::open(&path, &machine()).unwrap();
    for look in 0..looks {
        series.append(&snapshot(look)).unwrap();
    }
    path.metadata().unwrap().len()
}

/// An hour at one look a second stays below 50 MB: so 600 looks below an eighth of a tenth more than a sixth of that.
#[test]
fn an_hour_of_a_busy_job_stays_small() {
    let ten_minutes = bytes_for(600, busy);
    eprintln!("ten minutes of 100 busy threads: {ten_minutes} bytes");
    assert!(6 * ten_minutes < 25_000_000, "{ten_minutes} bytes in ten minutes");
}

/// Where nothing changes, a look costs a row.
#[test]
fn looks_at_a_job_that_sleeps_cost_next_to_nothing() {
    let asleep =
        |look: u64| Snapshot { unix_time: Nanoseconds((1_700_000_000 + look) * 1_000_000_000), ..busy(1) };
    let bytes = bytes_for(600, asleep) - bytes_for(1, asleep);
    eprintln!("ten minutes of 100 sleeping threads: {bytes} bytes more");
    assert!(bytes < 40_000, "{bytes} bytes for 599 looks");
}
