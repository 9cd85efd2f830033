//! What merging the ranks of a job costs: synthetic summaries of 32,768 and 262,144 ranks, made one by one from activities that no program
//! had: 20 call sites, 6 neighbours, 600 single calls of which each rank tells, 64 ranks on each computer.
//!
//! `cargo run --release -p numawise-analyse --example merge_cost` prints a line for each number of ranks: time to make the
//! summaries, to merge them in one row, and in a tree of computers, and to put together where their threads were; the size of the result. `scripts/bench` limits its memory.

use std::time::{Duration, Instant};

use numawise_analyse::JobRanks;
use numawise_analyse::merged::{merge, merged_efficiencies, outliers, rank_summary};
use numawise_facts::activity::{
    ActivityLosses, ActivityPhases, CallSample, CallSite, CallTime, CodeAddress, CodeFile, Communicator,
    CpuStays, FileActivity, MessageFamily, MessageSizes, MpiActivity, MpiLibrary, PeerTraffic, ProcessEnd,
    ProcessIo, ProcessSurroundings, SampledCall, StateTimes, ThreadRole, WorldRank,
};
use numawise_facts::merged::{MOST_MERGED_SITES, MOST_OUTLIERS};
use numawise_facts::{Activity, MergedRanks, Reading, ThreadActivity};
use numawise_units::{Bytes, CpuId, Nanoseconds, Pid};

pub const PER_COMPUTER: u32 = 64;
const CPUS: u32 = 60;
const CALLS: [&str; 5] = ["MPI_Allreduce", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Bcast"];

fn main() {
    println!(
        "synthetic ranks: each 20 call sites, 6 neighbours, 600 calls drawn, {PER_COMPUTER} on a computer"
    );
    for ranks in [32_768, 262_144] {
        let (mut making, mut adding) = (Duration::ZERO, Duration::ZERO);
        let mut row = MergedRanks::default();
        let mut tree = MergedRanks::default();
        let mut computer = MergedRanks::default();
        let mut of_computers = Duration::ZERO;
        let (mut placed, mut here, mut placing) = (JobRanks::with_most(0), Vec::new(), Duration::ZERO);
        for rank in 0..ranks {
            let activity = activity(rank, ranks);
            let begun = Instant::now();
            let Some(one) = rank_summary(&activity) else { continue };
            making += begun.elapsed();
            let begun = Instant::now();
            merge(&mut row, &one);
            adding += begun.elapsed();
            let begun = Instant::now();
            merge(&mut computer, &one);
            if rank % PER_COMPUTER == PER_COMPUTER - 1 {
                merge(&mut tree, &computer);
                computer = MergedRanks::default();
            }
            of_computers += begun.elapsed();
            here.push(activity);
            if here.len() == PER_COMPUTER as usize {
                let begun = Instant::now();
                placed.add_placement(here.iter(), None);
                placing += begun.elapsed();
                here.clear();
            }
        }
        assert_eq!(row, tree, "the order of merging matters");
        let efficiency = merged_efficiencies(&row);
        println!(
            "{ranks} ranks: summaries {:.2} s, merge in a row {:.2} s, by computers {:.2} s, placement {:.2} s; {} sites (at \
             most {MOST_MERGED_SITES}), {} cells of traffic, {} computers, {} shared CPUs (of {}), {} ranks in full (at most {}); \
             {} single calls; load balance {:?}",
            making.as_secs_f64(),
            adding.as_secs_f64(),
            of_computers.as_secs_f64(),
            placing.as_secs_f64(),
            row.sites.len(),
            row.traffic.len(),
            row.hosts.len(),
            placed.ranks().placement.as_ref().map_or(0, |placement| placement.shared.len()),
            placed.ranks().placement.as_ref().map_or(0, |placement| placement.all_shared),
            outliers(&row).len(),
            7 * MOST_OUTLIERS + 1,
            row.collectives
                .values()
                .map(Vec::len)
                .chain(row.sent_messages.values().map(Vec::len))
                .sum::<usize>(),
            efficiency.mpi_load_balance.value.measured().map(|ratio| ratio.0),
        );
    }
}

/// Numbers without a pattern, the same each time.
fn noise(rank: u32, salt: u64) -> u64 {
    let mixed = (u64::from(rank) << 8 ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
}

/// One rank.
pub fn activity(rank: u32, size: u32) -> Activity {
    let mpi = 200_000_000 + noise(rank, 1) % 100_000_000;
    let useful = 2_000_000_000 - mpi;
    Activity {
        pid: Pid(rank.cast_signed() + 1),
        parent: Pid(1),
        host: format!("node{:05}", rank / PER_COMPUTER),
        program: "/home/user/app".to_owned(),
        began: Nanoseconds(1),
        elapsed: Reading::Measured(Nanoseconds(useful + mpi)),
        end: ProcessEnd::Exit,
        is_forked: false,
        is_sandboxed: false,
        mpi: Reading::Measured(MpiActivity {
            library: MpiLibrary::Mpich,
            has_several: false,
            rank: Reading::Measured(WorldRank { rank, size }),
            world: None,
            initialised: Reading::Measured([Nanoseconds(0); 2]),
            finalised: Reading::unavailable("it is synthetic"),
            first_thread: None,
        }),
        openmp: Reading::unavailable("it is synthetic"),
        files: vec![CodeFile { path: String::new() }],
        communicators: vec![Communicator {
            name: "MPI_COMM_WORLD".to_owned(),
            size,
            rank,
            lives: 1,
            is_inter: false,
            members: Reading::Measured(7),
        }],
        threads: Reading::Measured(vec![thread(rank, size, useful, mpi)]),
        surroundings: ProcessSurroundings::unavailable("it is synthetic"),
        io: ProcessIo::unavailable("it is synthetic"),
        phases: Reading::Measured(ActivityPhases::default()),
        samples: Reading::Measured((0..600).map(|number| sample(rank, size, number)).collect()),
        clock: None,
        lost: ActivityLosses::default(),
    }
}

/// Of each ten calls one in which all ranks are, and nine messages to or from a neighbour.
fn sample(rank: u32, size: u32, number: u64) -> CallSample {
    let mixed = |from: u32, number: u64| noise(from, number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (kind, key, call, address) = match number % 10 {
        0 => (SampledCall::Collective, mixed(0, number), 0, 0x1000),
        odd if odd % 2 == 1 => (SampledCall::Send, mixed(rank, number), 1, 0x1010),
        _ => (SampledCall::Receive, mixed((rank + size - 1) % size, number - 1), 2, 0x1020),
    };
    CallSample {
        kind,
        key,
        call: CALLS[call].to_owned(),
        at: Reading::Measured(CodeAddress { file: 0, address }),
        communicator: Some(0),
        begun: Nanoseconds(1_000_000 * number),
        posted: None,
        time: Nanoseconds(10_000 + noise(rank, number + 1000) % 100_000),
        is_first: number < 16,
    }
}

fn thread(rank: u32, size: u32, useful: u64, mpi: u64) -> ThreadActivity {
    let site = |number: u64| CallSite {
        call: CALLS[number as usize % CALLS.len()].to_owned(),
        at: Reading::Measured(CodeAddress { file: 0, address: 0x1000 + 16 * number }),
        communicator: Some(0),
        calls: CallTime { count: 1000, time: Nanoseconds(mpi / 20 + noise(rank, number) % 1000) },
        longest: Nanoseconds(noise(rank, number + 50)),
        sent: Reading::Measured(Bytes(8000)),
        received: Reading::Measured(Bytes(8000)),
    };
    let edge = 64;
    // Some CPUs have two ranks.
    let cpu = CpuId(rank % PER_COMPUTER % CPUS);
    let peer = |distance: u32| PeerTraffic {
        rank: (rank + distance) % size,
        sent_messages: 1000,
        sent: Bytes(8_000_000),
        received_messages: 1000,
        received: Bytes(8_000_000),
        fetched: Bytes(0),
    };
    ThreadActivity {
        tid: Pid(rank.cast_signed() + 1),
        is_first: true,
        lives: 1,
        start: Reading::unavailable("it is synthetic"),
        role: Reading::Measured(ThreadRole::Worker),
        begin: Nanoseconds(0),
        end: Reading::unavailable("it lived on"),
        times: Reading::Measured(StateTimes {
            useful: Nanoseconds(useful),
            mpi: Nanoseconds(mpi),
            ..StateTimes::default()
        }),
        processor: Reading::Measured(Nanoseconds(useful + mpi)),
        switches: Reading::unavailable("it is synthetic"),
        cpus: Reading::Measured(CpuStays { cpus: vec![(cpu, 9)], others: 0, migrations: 0 }),
        mask: Reading::Measured([cpu].into_iter().collect()),
        run_delay: Reading::unavailable("it is synthetic"),
        cpu_time_on: Reading::unavailable("it is synthetic"),
        calls: (0..20).map(site).collect(),
        last_call: None,
        lost_calls: CallTime::default(),
        peers: [1, size - 1, edge, size - edge, edge * edge % size, size - edge * edge % size]
            .map(peer)
            .to_vec(),
        lost_messages: [0, 0],
        messages: vec![MessageSizes { family: MessageFamily::Send, bits: 13, messages: 6000 }],
        constructs: Vec::new(),
        lost_constructs: 0,
        files: FileActivity::none("it is synthetic"),
        trace: None,
    }
}
