//! Findings of a run that was watched from inside.

use numawise_facts::Reading;
use numawise_facts::activity::{CodePlace, ConstructName};
use numawise_facts::finding::{
    Amount, Evidence, EvidenceSubject, FileAdvice, FileCallKind, FilesQuantity, PlacedQuantity,
    WatchedAdvice, WatchedQuantity, WatchedSubject,
};

use super::{amount, how_often, number_of, value};
use crate::amount::{of_ranks, whose};
use crate::program::function_in_short;

mod early;
mod late;
mod traced;

#[cfg(test)]
#[path = "watched_tests.rs"]
mod tests;

pub(super) fn sentence(quantity: WatchedQuantity, one: &Evidence) -> String {
    let value = value(one);
    let of = one.of.map(amount).unwrap_or_default();
    match quantity {
        WatchedQuantity::MpiLoadBalance => format!("MPI load balance is {value}"),
        WatchedQuantity::MpiWaiting => {
            format!("on average a rank is in MPI for {value} of {of} longer than the one that is there least")
        }
        WatchedQuantity::OutsideMpiOfRank => {
            format!("{} computes outside of MPI for {value}, ranks on average for {of}", subject(one))
        }
        WatchedQuantity::MpiCommunication => format!("MPI communication efficiency is {value}"),
        WatchedQuantity::MpiLeast => {
            format!("least MPI time of a rank: {value} of {of}, in {}", subject(one))
        }
        WatchedQuantity::WaitingInCalls => {
            format!("waiting for late ranks: {value} of the {of} in MPI calls for which it is known")
        }
        WatchedQuantity::RanksOfWorld => {
            format!("figures of {}, {}", subject(one), number_of(one.value.measured(), "rank"))
        }
        WatchedQuantity::LateSender | WatchedQuantity::LateReceiver | WatchedQuantity::LateToCollective => {
            late::sentence(one, &value, &of)
        }
        WatchedQuantity::MpiVolume => format!("all ranks together hand {value} to MPI"),
        WatchedQuantity::VolumeBetweenHosts => format!("{value} of {of} that ranks send go to another host"),
        WatchedQuantity::TimeOfCall => {
            format!("{} takes {value} of {of} in MPI, summed over ranks", subject(one))
        }
        WatchedQuantity::CallsOf => format!("it is called {}", how_often(one)),
        WatchedQuantity::SmallMessages => {
            format!("{value} of {of} messages that are sent are smaller than 1 KiB")
        }
        WatchedQuantity::TimePerMessage => {
            format!("calls from one rank to another take {value} for each message")
        }
        WatchedQuantity::LoopIterations => {
            let (iterations, threads) =
                (number_of(one.value.measured(), "iteration"), number_of(one.of.as_ref(), "thread"));
            format!("{} has {iterations} for {threads}", subject(one))
        }
        WatchedQuantity::LoopAtBest => {
            format!("so at best {value} of the threads' time is used, if all iterations take as long")
        }
        WatchedQuantity::TimeOfRegion => format!("{} takes {value} of {of}", subject(one)),
        WatchedQuantity::RegionImbalance => {
            format!("barriers take {value} of the {of} of its threads, summed over threads")
        }
        WatchedQuantity::RegionLock => {
            format!("waiting for locks takes {value} of the {of} of its threads, summed over threads")
        }
        WatchedQuantity::RegionScheduling => {
            format!("scheduling takes {value} of the {of} of its threads, summed over threads")
        }
        WatchedQuantity::RegionCalls => format!("it is opened {}", how_often(one)),
        WatchedQuantity::RegionChunks => {
            format!("its loops hand out {}", number_of(one.value.measured(), "chunk"))
        }
        WatchedQuantity::UsefulPerChunk => format!("each chunk is {value} of work"),
        WatchedQuantity::WaitsAt => format!("{}: reached {}", subject(one), how_often(one)),
        WatchedQuantity::SerialTime => {
            format!("{value} of {of} are outside of parallel regions and of MPI, on average over processes")
        }
        WatchedQuantity::SpeedupLimit => {
            format!("with any number of threads, the program becomes at most {value} as fast as it is")
        }
        WatchedQuantity::Placed(quantity) => of_placement(quantity, one, &value, &of),
        WatchedQuantity::Files(quantity) => of_files(quantity, one, &value, &of),
        WatchedQuantity::Early(quantity) => early::sentence(quantity, one, &value, &of),
        WatchedQuantity::Traced(quantity) => traced::sentence(quantity, one, &value, &of),
    }
}

/// Of CPUs and memory.
fn of_placement(quantity: PlacedQuantity, one: &Evidence, value: &str, of: &str) -> String {
    match quantity {
        PlacedQuantity::ThreadsOnCpu => {
            format!("{value} threads work on {} at the same time", subject(one))
        }
        PlacedQuantity::CpusForThreads => {
            let are = if one.value.measured() == Some(&Amount::Count(1)) { "is" } else { "are" };
            let (cpus, threads) =
                (number_of(one.value.measured(), "CPU"), number_of(one.of.as_ref(), "thread"));
            format!("there {are} {cpus} for {threads}")
        }
        PlacedQuantity::ForcedSwitches => {
            format!("CPUs were taken from threads {}", how_often(one))
        }
        PlacedQuantity::ThreadsBoundTo => {
            format!("{value} threads that work at the same time are bound to {}", subject(one))
        }
        PlacedQuantity::RunDelay => {
            let of = if of.is_empty() { of.to_owned() } else { format!(" of {of}") };
            format!("CPU wait in the process where it is the most: {value}{of}, per CPU")
        }
        PlacedQuantity::RunDelayOf => {
            format!("CPU wait of {}: {value} of {of}, per CPU", subject(one))
        }
        PlacedQuantity::ProcessesDisplaced => {
            format!("CPU wait of 5 % of the time or more: {value} of {of} processes")
        }
        PlacedQuantity::OwnUseOfCpus => {
            format!("CPU time of the run: {value} of the {of} of all CPUs of that host")
        }
        PlacedQuantity::UnboundThreads => {
            format!("{value} of {of} threads may run on several cores")
        }
        PlacedQuantity::ThreadsOnSeveralNodes => {
            format!("{value} of {of} threads worked on several nodes")
        }
        PlacedQuantity::MovedThreads => {
            format!("{value} of {of} threads were seen on more than one CPU")
        }
        PlacedQuantity::MovesOfThreads => {
            format!("they were seen to change their CPU {}", how_often(one))
        }
        PlacedQuantity::ThreadsAtOnce => {
            format!("{value} threads work at once on {}", number_of(one.of.as_ref(), "CPU"))
        }
        PlacedQuantity::MemoryElsewhere => {
            format!("{value} of the {of} of {}", subject(one))
        }
    }
}

fn of_files(quantity: FilesQuantity, one: &Evidence, value: &str, of: &str) -> String {
    match quantity {
        FilesQuantity::TimeOnFiles => {
            format!(
                "{} is in calls on files for {value} of {of}, by its thread where that is the most",
                subject(one)
            )
        }
        FilesQuantity::TimeOfFileCalls => {
            format!("{} take {value} of {of}", subject(one))
        }
        FilesQuantity::CountOfFileCalls => {
            let are = if one.value.measured() == Some(&Amount::Count(1)) { "this is" } else { "these are" };
            format!("{are} {}", number_of(one.value.measured(), "call"))
        }
        FilesQuantity::BytesPerFileCall => {
            format!("each of them moves {value} on average")
        }
        FilesQuantity::DiskWaitOf => {
            format!("{} waited for a disk for {value}; all of its calls on files took {of}", subject(one))
        }
        FilesQuantity::ProcessesOnFiles => {
            let are = if one.value.measured() == Some(&Amount::Count(1)) { "is" } else { "are" };
            format!("{value} of {of} processes {are} in calls on files for a tenth of the time or more")
        }
    }
}

fn subject(one: &Evidence) -> String {
    let EvidenceSubject::Watched(subject) = &one.subject else { return "the program".to_owned() };
    match subject {
        WatchedSubject::WatchedRun => "the program".to_owned(),
        WatchedSubject::Rank { rank, host } => format!("rank {rank} on {host}"),
        WatchedSubject::Process(of) => format!("{} on {}", whose(of), of.host),
        WatchedSubject::Call { call } => call.clone(),
        WatchedSubject::CallAt { call, place: at } => format!("{call} {}", place(at)),
        WatchedSubject::CallOfRanks { call, place: at, .. } => format!("{call} {}", place(at)),
        WatchedSubject::World { number, program } => format!("world {number} ({})", last(program)),
        WatchedSubject::LateCall { waits, late, .. } => {
            format!("{} for {}", late::in_call(waits), late::in_call(late))
        }
        WatchedSubject::ComputingBefore { world, rank, call, place: at } => {
            let world = world.map_or_else(String::new, |world| format!(" of world {world}"));
            let before = call.as_ref().map(|call| format!("before {call} {}", place(at)));
            let before = before.unwrap_or_else(|| "after its last call".to_owned());
            format!("rank {rank}{world} computes longer {before}")
        }
        WatchedSubject::CallBeforeCall { call, place: at, next, next_place } => {
            format!(
                "{call} {} waits, though the message for the next receive, {next} {}, has come",
                place(at),
                place(next_place)
            )
        }
        WatchedSubject::ThreadInRegion { world, rank, thread, place: at } => {
            let world = world.map_or_else(String::new, |world| format!(" of world {world}"));
            format!("thread {thread} of rank {rank}{world}, in the region {},", place(at))
        }
        WatchedSubject::ThreadOf { world, rank, thread } => {
            let world = world.map_or_else(String::new, |world| format!(" of world {world}"));
            format!("thread {thread} of rank {rank}{world}")
        }
        WatchedSubject::Between { after, before } => traced::between([after.as_ref(), before.as_ref()]),
        WatchedSubject::Region { place: at, within: None } => format!("the region {}", place(at)),
        WatchedSubject::Region { place: at, within: Some(within) } => {
            format!("the region {}, opened {}", place(at), known_place(within))
        }
        WatchedSubject::ConstructAt { construct, place: at } => {
            format!("the {} {}", construct_name(*construct), place(at))
        }
        WatchedSubject::CpuOf { host, cpu, ranks, further_ranks } => {
            format!("CPU {cpu} of {host}{}", of_ranks(ranks, *further_ranks))
        }
        WatchedSubject::CpusOf { host, cpus, ranks, further_ranks } => {
            let s = if cpus.len() == 1 { "" } else { "s" };
            format!("CPU{s} {cpus} of {host}{}", of_ranks(ranks, *further_ranks))
        }
        WatchedSubject::FileCalls { kind } => match kind {
            FileCallKind::Read => "calls that read",
            FileCallKind::Write => "calls that write",
            FileCallKind::Sync => "calls that wait for the storage (fsync)",
            FileCallKind::Manage => "calls that open, close or change the length",
            FileCallKind::Mpi => "calls of MPI on files",
        }
        .to_owned(),
        WatchedSubject::MemoryOf { process, node, threads_on } => {
            let (who, host) = (whose(process), &process.host);
            let s = if threads_on.len() == 1 { "" } else { "s" };
            format!(
                "{who} on {host} lies elsewhere, most on node {node}; its threads ran on node{s} {threads_on}"
            )
        }
    }
}

/// `in solve (cg.f90:120)`, or as much of it as is known.
pub fn place(at: &Reading<CodePlace>) -> String {
    let place = match at {
        Reading::Measured(place) => place,
        Reading::Unavailable { unavailable } => {
            return format!("at a place that is not known ({unavailable})");
        }
    };
    known_place(place)
}

fn known_place(place: &CodePlace) -> String {
    let source = &place.source;
    let line = match (source.file.measured(), source.line.measured()) {
        (Some(file), Some(line)) => Some(format!("{}:{line}", last(file))),
        _ => None,
    };
    match (source.function.measured(), line) {
        (Some(function), Some(line)) => format!("in {} ({line})", function_in_short(function)),
        (Some(function), None) => format!("in {}", function_in_short(function)),
        (None, Some(line)) => format!("at {line}"),
        (None, None) => format!("at {}+{:#x}", last(&place.file), place.address),
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// As people call it.
pub fn construct_name(name: ConstructName) -> &'static str {
    match name {
        ConstructName::Outside => "code outside of constructs",
        ConstructName::Others => "constructs that found no row",
        ConstructName::Parallel => "parallel region",
        ConstructName::Teams => "league of teams",
        ConstructName::Task => "task",
        ConstructName::Loop => "loop",
        ConstructName::Sections => "sections",
        ConstructName::Single => "single",
        ConstructName::Barrier => "barrier",
        ConstructName::Taskwait => "taskwait",
        ConstructName::Taskgroup => "taskgroup",
        ConstructName::Taskloop => "taskloop",
        ConstructName::Critical => "critical section",
        ConstructName::Atomic => "atomic",
        ConstructName::Ordered => "ordered",
        ConstructName::Lock => "lock",
        ConstructName::Target => "target",
        ConstructName::TaskCreation => "creation of tasks",
        ConstructName::PythonLine => "lines of Python",
    }
}

fn fitting(threads: u32) -> String {
    let take = if threads == 1 { "1 thread takes".to_owned() } else { format!("{threads} threads take") };
    format!("{take} as long: the others could do something else")
}

pub(super) fn advise(advice: &WatchedAdvice) -> String {
    let text = match advice {
        WatchedAdvice::BalanceRanks { ranks } => {
            let most = with_most_to_do(ranks);
            return format!(
                "divide the domain so that all ranks have as much to compute as one another: now {most} the most"
            );
        }
        WatchedAdvice::CallLessOften { call } => {
            return format!(
                "see whether {call} is needed there each time, whether one call can do for several, or whether a non-blocking \
                 one leaves time to compute meanwhile"
            );
        }
        WatchedAdvice::FindOtherWork { host } => return find_other_work(host),
        WatchedAdvice::FindCrash => early::FIND_CRASH,
        WatchedAdvice::FindHang => early::FIND_HANG,
        WatchedAdvice::FittingThreads { threads } => return fitting(*threads),
        WatchedAdvice::FewerRanks { ranks } => {
            let s = if *ranks == 1 { "" } else { "s" };
            return format!(
                "start {ranks} rank{s} on each computer at most: one thread each is too many already"
            );
        }
        WatchedAdvice::TryRanksTimesThreads => {
            "try fewer ranks with more threads each, among which work is easier to balance, or the other way round"
        }
        WatchedAdvice::MeetLessOften => {
            "ranks are late in turn: join short steps between calls into longer ones, in which that evens out, or use non-blocking \
             collectives and wait late"
        }
        WatchedAdvice::OverlapMessages => {
            "begin messages early (MPI_Isend, MPI_Irecv, non-blocking collectives), compute meanwhile what does not need them, \
             and wait late"
        }
        WatchedAdvice::PostReceivesEarly => traced::POST_EARLY,
        WatchedAdvice::ReceiveWhatComesFirst => traced::COMES_FIRST,
        WatchedAdvice::NeighboursOnOneHost => {
            "start ranks so that those which exchange most are on the same host (the launcher's mapping, MPI_Cart_create with \
             reordering)"
        }
        WatchedAdvice::JoinMessages => {
            "send what goes to the same rank at the same time as one message: a derived type, or packed into a buffer"
        }
        WatchedAdvice::MoreIterations => {
            "give the loop more iterations: collapse(2) with the loop in it, or make the loop parallel that has more of them"
        }
        WatchedAdvice::DynamicSchedule => {
            "let threads fetch work as they become free: schedule(dynamic) or schedule(guided), in chunks that are not too small"
        }
        WatchedAdvice::BalanceThreads => "divide the work of the region more evenly, or into smaller pieces",
        WatchedAdvice::ParalleliseRest => {
            "find what is computed outside of parallel regions (a profile of the first thread), and do the longest of it in parallel"
        }
        WatchedAdvice::LargerChunks => {
            "hand out more iterations at once: schedule(dynamic, n) with a larger n, schedule(guided), or schedule(static) where \
             iterations take as long as one another"
        }
        WatchedAdvice::FewerRegions => {
            "open fewer and larger regions: one parallel region around several loops, without a barrier where none is needed \
             (nowait)"
        }
        WatchedAdvice::ReduceInsteadOfLock => {
            "let each thread collect for itself and join that at the end (reduction), use atomic instead of critical, or a lock \
             for each part of the data"
        }
        WatchedAdvice::SeparateCpus => {
            "give ranks and threads CPUs of their own (--place semi with --threads around the launcher, or the launcher's own \
             binding)"
        }
        WatchedAdvice::OnFiles(on_files) => advise_on_files(*on_files),
        WatchedAdvice::RankOnOneNode => {
            "keep each process and its memory inside one node (--place semi --memory local), or let each thread initialise what it \
             uses"
        }
    };
    text.to_owned()
}

fn find_other_work(host: &str) -> String {
    format!(
        "see what else runs on {host} meanwhile (top, or the batch system), and give the program CPUs of its own (--cpus, or a \
                 job that has them alone); a CPU quota of its cgroup has the same effect"
    )
}

/// `ranks 0, 3 have`
fn with_most_to_do<T: ToString>(ranks: &[T]) -> String {
    let names: Vec<String> = ranks.iter().map(ToString::to_string).collect();
    if let [name] = names.as_slice() {
        format!("rank {name} has")
    } else {
        format!("ranks {} have", names.join(", "))
    }
}

fn advise_on_files(advice: FileAdvice) -> &'static str {
    match advice {
        FileAdvice::LargerPieces => {
            "read and write more with each call: a larger buffer (setvbuf, Fortran's buffered units, rdbuf), or whole arrays instead of \
             elements"
        }
        FileAdvice::SyncLessOften => {
            "wait for the storage less often: one fsync after several writes, or none where the file can be made again"
        }
        FileAdvice::KeepFilesOpen => {
            "open each file once and keep it open, or put what is in many small files into one"
        }
        FileAdvice::SharedFiles => {
            "let all ranks read or write their own part of one file together (MPI_File_write_at_all, MPI_File_read_at_all, parallel \
             HDF5), instead of some of them for all"
        }
        FileAdvice::Meanwhile => {
            "read and write while others compute (a thread of its own, MPI_File_iwrite), less often, or on storage that is faster (a \
             disk of the computer itself, /dev/shm)"
        }
    }
}
