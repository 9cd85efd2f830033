//! Where threads ran: who moved, and which CPUs several have in common.

use std::collections::BTreeMap;

use numawise_facts::{Reading, ThreadActivity};
use numawise_tables::snapshot::{OverfullCpu, PlacementSummary};
use numawise_units::{CpuId, Nanoseconds, Pid};

use super::process::{Process, most_at_once};
use super::{Run, sum};

/// A thread that was found on one CPU for this share of the times is at home there.
const AT_HOME: f64 = 0.9;

pub fn summary(run: &Run<'_>) -> PlacementSummary {
    let (mut threads, mut unknown, mut moved, mut migrations) = (0, 0, 0, 0u64);
    for thread in run.processes.iter().flat_map(Process::working) {
        match thread.cpus.measured() {
            Some(stays) => {
                threads += 1;
                moved += u64::from(stays.cpus.len() > 1 || stays.others > 0);
                migrations += u64::from(stays.migrations);
            }
            None => unknown += 1,
        }
    }
    let why = run.processes.iter().flat_map(Process::working).find_map(|thread| thread.cpus.reason());
    PlacementSummary {
        threads,
        unknown,
        moved,
        migrations: match (threads, why) {
            (0, Some(why)) => Reading::Unavailable { unavailable: why.clone() },
            (0, None) => Reading::unavailable("no thread was watched"),
            _ => Reading::Measured(migrations),
        },
        shared: shared(run),
    }
}

/// A thread that is at home on a CPU, with its life since 1970.
struct Resident {
    pid: Pid,
    tid: Pid,
    rank: Option<u32>,
    life: (u64, u64),
}

/// CPUs at which several working threads are at home that lived at the same time.
fn shared(run: &Run<'_>) -> Vec<OverfullCpu> {
    let mut homes: BTreeMap<(&str, CpuId), Vec<Resident>> = BTreeMap::new();
    for process in &run.processes {
        for thread in process.working() {
            let Some(cpu) = home(thread) else { continue };
            let began = process.activity.began.0;
            let last = process.activity.elapsed.measured().copied().unwrap_or(Nanoseconds(0));
            let end = thread.end.measured().copied().unwrap_or(last);
            let life = (began.saturating_add(thread.begin.0), began.saturating_add(end.0));
            let resident =
                Resident { pid: process.activity.pid, tid: thread.tid, rank: process.rank(), life };
            homes.entry((&process.activity.host, cpu)).or_default().push(resident);
        }
    }
    let mut shared = Vec::new();
    for ((host, cpu), mut residents) in homes {
        if most_at_once(residents.iter().map(|resident| (resident.life, 1))) < 2 {
            continue;
        }
        residents.sort_by_key(|resident| (resident.pid, resident.tid));
        let mut ranks: Vec<u32> = residents.iter().filter_map(|resident| resident.rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let threads = residents.iter().map(|resident| (resident.pid, resident.tid)).collect();
        shared.push(OverfullCpu { host: host.to_owned(), cpu, threads, ranks });
    }
    shared
}

fn home(thread: &ThreadActivity) -> Option<CpuId> {
    let stays = thread.cpus.measured()?;
    let all = sum(stays.cpus.iter().map(|(_, found)| *found).chain([stays.others]));
    let (cpu, found) = stays.cpus.iter().max_by_key(|(_, found)| *found)?;
    (*found as f64 >= AT_HOME * all as f64).then_some(*cpu)
}
