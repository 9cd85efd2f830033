//! A run that was watched from inside.

use numawise_facts::activity::{
    CodeAddress, Construct, CounterAccess, CounterCount, CounterEvent, FileActivity, PhaseName, ProcessIo,
    ProcessSurroundings, StateTimes, ThreadActivity,
};
use numawise_facts::{Activity, FigureUnit, RanksByThreads, Reading, WatchedDivision, WatchedRunHeader};
use numawise_units::{Bytes, Id};

use super::run::{OfRun, run};
use super::{MOST, Sound, bytes, count, ensure, figure, first_again, machine, moment, name, span, text};

/// More than these of anything no process has: the collector's tables end far below.
const MOST_OF_A_PROCESS: usize = 65_536;
/// The collector has slots for so many threads of a process.
pub const MOST_THREADS: usize = 1024;
/// CPUs of a division.
const MOST_CPUS: u64 = 65_536;
/// Machines that differ, beside that of the computer that reports: each has some hundred kilobytes.
const MOST_MACHINES: usize = 16;
/// More than a processor has counters for, and kinds of cores.
const MOST_COUNTERS: usize = 256;
/// Caches of the last level of a computer.
const MOST_CACHES: usize = 4096;
/// The largest job that there may be, with room to spare.
pub const MOST_RANKS: u32 = 1 << 26;

/// Before the first process.
pub fn watched_header(header: &WatchedRunHeader) -> Sound {
    let place = |part: &'static str| move || format!("snapshot.header: {part}");
    run(&OfRun {
        table: "snapshot",
        tool_version: &header.tool_version,
        begun: header.begun,
        wall: header.wall,
        command: &header.command,
        machine: &header.machine,
        placement: header.placement.as_ref(),
        usage: &header.usage,
        notices: &header.notices,
    })?;
    let others = &header.other_machines;
    ensure(others.len() <= MOST_MACHINES, place("other_machines"), others.len(), "at most 16")?;
    for other in others {
        machine(&other.machine, "snapshot.header: other_machines.machine")?;
        other.hosts.iter().try_for_each(|host| name(host, place("other_machines.hosts")))?;
    }
    if let CounterAccess::Opened { processor: Some(processor) } = &header.counters {
        name(processor, place("counters.opened.processor"))?;
    }
    let traffic = header.traffic.measured().map_or(&[][..], Vec::as_slice);
    ensure(traffic.len() <= MOST_CACHES, place("traffic"), traffic.len(), "at most 4096 caches")?;
    let again = first_again(traffic.iter().map(|of| &of.cache));
    let again = again.map_or_else(String::new, |cache| format!("cache {cache} twice"));
    ensure(again.is_empty(), place("traffic"), again, "each cache once")?;
    for of in traffic {
        span(of.time, place("traffic.time"))?;
        self::traffic(of.total, place("traffic.total"))?;
        let found = format_args!("{} of {}", of.local, of.total);
        ensure(of.local <= of.total, place("traffic.local"), found, "a part of the total")?;
    }
    header.division.as_ref().map_or(Ok(()), division)
}

/// So many ranks and threads, and its runs.
fn division(of: &WatchedDivision) -> Sound {
    let place = |part: &'static str| move || format!("snapshot.header: division.{part}");
    let RanksByThreads { ranks, threads } = of.division;
    let cpus = u64::from(ranks) * u64::from(threads);
    ensure((1..=MOST_CPUS).contains(&cpus), place("division"), of.division, "1 to 65536 CPUs")?;
    ensure(!of.command.command.is_empty(), place("command.command"), "nothing", "a program")?;
    ensure((1..=MOST_OF_A_PROCESS).contains(&of.runs.len()), place("runs"), of.runs.len(), "1 to 65536")?;
    of.runs.iter().try_for_each(|(_, wall)| span(*wall, place("runs")))
}

/// All counts of a run so far: together they fit into a number.
#[derive(Debug, Default)]
pub struct CountedSoFar(u64);

impl CountedSoFar {
    pub fn add(&mut self, number: u64, place: impl Fn() -> String) -> Sound {
        count(number, &place)?;
        self.0 = self.0.saturating_add(number);
        ensure(self.0 <= 1 << 62, place, self.0, "counts of at most 2^62 together")
    }
}

/// One process with its threads.
pub fn process(of: &Activity, number: usize, counted: &mut CountedSoFar) -> Sound {
    let place = |part: &'static str| move || format!("processes: row {number}, {part}");
    ensure(of.pid.0 >= 0, place("pid"), of.pid, "a number from 0")?;
    ensure(of.parent.0 >= 0, place("parent"), of.parent, "a number from 0")?;
    name(&of.host, place("host"))?;
    text(&of.program, place("program"))?;
    moment(of.began, place("began"))?;
    span(of.elapsed.measured().copied().unwrap_or_default(), place("elapsed"))?;
    let mut ranks = MOST_RANKS;
    if let Some(mpi) = of.mpi.measured() {
        if let Some(rank) = mpi.rank.measured() {
            ensure(
                (1..=MOST_RANKS).contains(&rank.size),
                place("mpi.rank.size"),
                rank.size,
                "1 to 67108864",
            )?;
            ensure(rank.rank < rank.size, place("mpi.rank.rank"), rank.rank, "a rank below their number")?;
            ranks = rank.size;
        }
        for moments in [&mpi.initialised, &mpi.finalised] {
            let [begin, end] = moments.measured().copied().unwrap_or_default();
            span(begin, place("mpi"))?;
            span(end, place("mpi"))?;
        }
    }
    let threads = of.threads.measured().map_or(&[][..], Vec::as_slice);
    ensure(threads.len() <= MOST_THREADS, place("threads"), threads.len(), "at most 1024")?;
    for (part, length) in [("files", of.files.len()), ("communicators", of.communicators.len())] {
        ensure(length <= MOST_OF_A_PROCESS, place(part), length, "at most 65536")?;
    }
    of.files.iter().try_for_each(|file| name(&file.path, place("files")))?;
    for communicator in &of.communicators {
        name(&communicator.name, place("communicators"))?;
        let size = communicator.size;
        ensure(size <= MOST_RANKS, place("communicators"), size, "a size of at most 67108864")?;
    }
    surroundings(&of.surroundings, &place, counted)?;
    io(&of.io, &place)?;
    phases(of, number, counted)?;
    let whole = Process { of, number, ranks };
    whole.samples(&place)?;
    threads.iter().enumerate().try_for_each(|(k, thread)| whole.thread(thread, k, counted))
}

fn surroundings<P: Fn() -> String>(
    of: &ProcessSurroundings,
    place: &impl Fn(&'static str) -> P,
    counted: &mut CountedSoFar,
) -> Sound {
    for one in of.numbers() {
        let place = || format!("{}.{}", place("surroundings")(), one.name);
        figure(&one, place)?;
        if let (FigureUnit::Count, Some(count)) = (one.unit, one.value.measured()) {
            counted.add(*count, place)?;
        }
    }
    if let Some(counters) = of.counters.measured() {
        let place = || place("surroundings.counters");
        let counts = &counters.counts;
        ensure(counts.len() <= MOST_COUNTERS, place(), counts.len(), "at most 256")?;
        let again = first_again(counts.iter().map(|one| (one.event, &one.cores)));
        let again = again.map_or_else(String::new, |(event, _)| format!("{event:?} twice"));
        ensure(again.is_empty(), place(), again, "each event once for a kind of cores")?;
        counts.iter().try_for_each(|one| counter(one, place()))?;
    }
    let Some(memory) = of.memory.measured() else { return Ok(()) };
    for moment in [&memory.last, &memory.most] {
        let place = || place("surroundings.memory");
        span(moment.at, place())?;
        let again = first_again(moment.by_node.iter().map(|(node, _)| node));
        let again = again.map_or_else(String::new, |node| format!("node {} twice", node.index()));
        ensure(again.is_empty(), place(), again, "each node once")?;
        let sum = moment.by_node.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(bytes.0));
        bytes(Bytes(sum), place())?;
    }
    Ok(())
}

fn io<P: Fn() -> String>(of: &ProcessIo, place: &impl Fn(&'static str) -> P) -> Sound {
    for (part, account) in [("io.kernel", &of.kernel), ("io.at_begin", &of.at_begin)] {
        let numbers = account.measured().map(|account| account.numbers()).unwrap_or_default();
        numbers.into_iter().try_for_each(|number| traffic(Bytes(number), place(part)))?;
    }
    Ok(())
}

/// A slot may have been that of many threads, one after the other.
fn files<P: Fn() -> String>(
    of: &FileActivity,
    place: &impl Fn(&'static str) -> P,
    counted: &mut CountedSoFar,
) -> Sound {
    for calls in of.each() {
        counted.add(calls.count, place("files.count"))?;
        moment(calls.time, place("files.time"))?;
        let found = format_args!("calls of {}, the longest {}", calls.time, calls.longest);
        ensure(
            calls.longest <= calls.time,
            place("files.longest"),
            found,
            "a longest call that is one of all",
        )?;
        traffic(calls.bytes, place("files.bytes"))?;
    }
    moment(of.disk_wait.measured().copied().unwrap_or_default(), place("files.disk_wait"))
}

fn counter(of: &CounterCount, place: impl Fn() -> String) -> Sound {
    name(&of.name, &place)?;
    text(&of.cores, &place)?;
    let bits = match of.event {
        CounterEvent::FpInstructions { bits, operations } => {
            ensure((1..=1024).contains(&operations), &place, operations, "1 to 1024 operations")?;
            bits
        }
        CounterEvent::FpOperationsPer128Bits { bits } | CounterEvent::FpSteps { bits } => bits,
        _ => 64,
    };
    ensure((16..=4096).contains(&bits), &place, bits, "registers of 16 to 4096 bits")?;
    let Some(counted) = of.counted.measured() else { return Ok(()) };
    // Those of several are added up, as those of threads are.
    ensure(counted.count <= MOST, &place, counted.count, "at most 9223372036854775807")?;
    moment(counted.wanted, &place)?;
    let found = format_args!("{} of {}", counted.on, counted.wanted);
    ensure(counted.on <= counted.wanted, &place, found, "a counter that is on for a part of the time")
}

fn phases(of: &Activity, number: usize, counted: &mut CountedSoFar) -> Sound {
    let place = |part: &'static str| move || format!("processes: row {number}, {part}");
    let rows = of.phases.measured().map_or(&[][..], |phases| &phases.rows);
    ensure(rows.len() <= MOST_OF_A_PROCESS, place("phases"), rows.len(), "at most 65536")?;
    for row in rows {
        phase_name(&row.name, place("phases.name"))?;
        counted.add(row.calls, place("phases.calls"))?;
        span(row.longest, place("phases.longest"))?;
        // Those of many threads are summed.
        moment(row.elapsed, place("phases.elapsed"))?;
        row.times.each().into_iter().try_for_each(|time| moment(time, place("phases.times")))?;
        moment(row.mpi_outside, place("phases.mpi_outside"))?;
    }
    Ok(())
}

/// What a program may call a phase.
pub fn phase_name(of: &PhaseName, place: impl Fn() -> String) -> Sound {
    match of {
        PhaseName::Region(text) | PhaseName::ThreadRegion(text) => name(text, place),
        PhaseName::Control(_) => Ok(()),
    }
}

/// What the threads of a process are held against.
struct Process<'a> {
    of: &'a Activity,
    number: usize,
    ranks: u32,
}

impl Process<'_> {
    fn samples<P: Fn() -> String>(&self, place: &impl Fn(&'static str) -> P) -> Sound {
        let samples = self.of.samples.measured().map_or(&[][..], Vec::as_slice);
        ensure(samples.len() <= MOST_OF_A_PROCESS, place("samples"), samples.len(), "at most 65536")?;
        for sample in samples {
            name(&sample.call, place("samples.call"))?;
            self.address(&sample.at, place("samples.at"))?;
            moment(sample.begun, place("samples.begun"))?;
            moment(sample.posted.unwrap_or_default(), place("samples.posted"))?;
            span(sample.time, place("samples.time"))?;
        }
        Ok(())
    }

    fn thread(&self, of: &ThreadActivity, k: usize, counted: &mut CountedSoFar) -> Sound {
        let number = self.number;
        let place = |part: &'static str| move || format!("threads: process {number}, thread {k}, {part}");
        ensure(of.tid.0 >= 0, place("tid"), of.tid, "a number from 0")?;
        span(of.begin, place("begin"))?;
        span(of.end.measured().copied().unwrap_or_default(), place("end"))?;
        moment(of.processor.measured().copied().unwrap_or_default(), place("processor"))?;
        self.address(&of.start, place("start"))?;
        times(of.times.measured(), place("times"))?;
        if let Some(switches) = of.switches.measured() {
            counted.add(switches.voluntary, place("switches"))?;
            counted.add(switches.forced, place("switches"))?;
        }
        if let Some(stays) = of.cpus.measured() {
            let again = first_again(stays.cpus.iter().map(|(cpu, _)| cpu));
            let again = again.map_or_else(String::new, |cpu| format!("CPU {} twice", cpu.index()));
            ensure(again.is_empty(), place("cpus"), again, "each CPU once")?;
            let found = stays.cpus.iter().map(|(_, found)| *found);
            found.chain([stays.others]).try_for_each(|found| counted.add(found, place("cpus")))?;
        }
        moment(of.run_delay.measured().copied().unwrap_or_default(), place("run_delay"))?;
        if let Some(times) = of.cpu_time_on.measured() {
            let again = first_again(times.iter().map(|(cpu, _)| cpu));
            let again = again.map_or_else(String::new, |cpu| format!("CPU {} twice", cpu.index()));
            ensure(again.is_empty(), place("cpu_time_on"), again, "each CPU once")?;
            times.iter().try_for_each(|(_, time)| moment(*time, place("cpu_time_on")))?;
        }
        for (part, length) in
            [("calls", of.calls.len()), ("peers", of.peers.len()), ("constructs", of.constructs.len())]
        {
            ensure(length <= MOST_OF_A_PROCESS, place(part), length, "at most 65536")?;
        }
        self.calls(of, &place, counted)?;
        files(&of.files, &place, counted)?;
        for construct in &of.constructs {
            self.construct(construct, &place, counted)?;
        }
        counted.add(of.lost_constructs, place("lost_constructs"))
    }

    fn calls<P: Fn() -> String>(
        &self,
        of: &ThreadActivity,
        place: &impl Fn(&'static str) -> P,
        counted: &mut CountedSoFar,
    ) -> Sound {
        for site in &of.calls {
            name(&site.call, place("calls.call"))?;
            self.address(&site.at, place("calls.at"))?;
            let communicators = self.of.communicators.len();
            let known = site.communicator.is_none_or(|number| usize::from(number) < communicators);
            ensure(
                known,
                place("calls.communicator"),
                site.communicator.unwrap_or_default(),
                "the number of one of the process's communicators",
            )?;
            counted.add(site.calls.count, place("calls.calls"))?;
            moment(site.calls.time, place("calls.calls"))?;
            span(site.longest, place("calls.longest"))?;
            for moved in [&site.sent, &site.received] {
                traffic(moved.measured().copied().unwrap_or_default(), place("calls"))?;
            }
        }
        if let Some(last) = &of.last_call {
            name(&last.call, place("last_call.call"))?;
            self.address(&last.at, place("last_call.at"))?;
            moment(last.within.unwrap_or_default(), place("last_call.within"))?;
        }
        counted.add(of.lost_calls.count, place("lost_calls"))?;
        moment(of.lost_calls.time, place("lost_calls"))?;
        for peer in &of.peers {
            ensure(peer.rank < self.ranks, place("peers.rank"), peer.rank, "a rank below their number")?;
            counted.add(peer.sent_messages, place("peers"))?;
            counted.add(peer.received_messages, place("peers"))?;
            for moved in [peer.sent, peer.received, peer.fetched] {
                traffic(moved, place("peers"))?;
            }
        }
        counted.add(of.lost_messages[0], place("lost_messages"))?;
        traffic(Bytes(of.lost_messages[1]), place("lost_messages"))?;
        for sizes in &of.messages {
            ensure(sizes.bits <= 64, place("messages.bits"), sizes.bits, "at most 64")?;
            counted.add(sizes.messages, place("messages"))?;
        }
        Ok(())
    }

    fn construct<P: Fn() -> String>(
        &self,
        of: &Construct,
        place: &impl Fn(&'static str) -> P,
        counted: &mut CountedSoFar,
    ) -> Sound {
        self.address(&of.at, place("constructs.at"))?;
        times(Some(&of.times), place("constructs.times"))?;
        moment(of.wall, place("constructs.wall"))?;
        span(of.longest, place("constructs.longest"))?;
        for number in [of.calls, of.opened, of.chunks.count, of.chunks.iterations, of.chunks.trips] {
            counted.add(number, place("constructs"))?;
        }
        let Some(team) = of.team.measured() else { return Ok(()) };
        let found = format_args!("{} to {}", team.least, team.most);
        let holds = team.least <= team.most && team.most as usize <= MOST_OF_A_PROCESS;
        ensure(holds, place("constructs.team"), found, "the smallest and the largest team, of at most 65536")
    }

    fn address(&self, at: &Reading<CodeAddress>, place: impl Fn() -> String) -> Sound {
        let Some(at) = at.measured() else { return Ok(()) };
        let known = (at.file as usize) < self.of.files.len();
        ensure(known, place, at.file, "the number of one of the process's files")
    }
}

/// A thread's slot may have been that of many threads, one after the other: their times together are a span of the run.
fn times(times: Option<&StateTimes>, place: impl Fn() -> String) -> Sound {
    let Some(times) = times else { return Ok(()) };
    times.each().into_iter().try_for_each(|time| span(time, &place))
}

/// What was moved is more than any memory holds.
fn traffic(moved: Bytes, place: impl Fn() -> String) -> Sound {
    ensure(moved.0 <= MOST, place, format_args!("{} bytes", moved.0), "at most 9223372036854775807 bytes")
}
