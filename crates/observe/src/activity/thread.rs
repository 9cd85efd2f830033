//! One thread of a file.

use std::collections::BTreeMap;
use std::mem::offset_of;
use std::sync::Arc;

use numawise_facts::activity::{
    CallSite, CallTime, Construct, ConstructName, ConstructTeam, CpuStays, FileActivity, FileCalls, LastCall,
    LoopChunks, MessageFamily, MessageSizes, MpiLibrary, OpenMpSchedule, PeerTraffic, StateTimes, ThreadRole,
    ThreadSwitches, ThreadTrace,
};
use numawise_facts::{Reading, ThreadActivity};
use numawise_units::{Bytes, CpuId, CpuSet, Id, Nanoseconds, Pid};
use numawise_wire::roles;
use numawise_wire::snapshot::openmp::{ConstructKind, LoopSchedule};
use numawise_wire::snapshot::reader::{ConstructRecord, LoadedModule, PeerRecord, SiteRecord, ThreadRecord};
use numawise_wire::snapshot::thread::Dropped;
use numawise_wire::snapshot::{COMMUNICATORS, FileOperation, Flag, SizeFamily, ThreadSlot, ThreadState};

use super::{ActivityProblem, Clock, Context, IN_SANDBOX};

/// Of what is seen from outside only.
const NOT_SAMPLED: &str = "it was not looked at while it ran";

const NO_DISK_WAIT: &str = "the kernel does not account waiting for disks (sysctl kernel.task_delayacct=1), or the process was killed";

pub(super) fn all(
    context: &Context<'_>,
    clock: &Clock,
    traces: &mut BTreeMap<u32, ThreadTrace>,
) -> Result<Vec<ThreadActivity>, ActivityProblem> {
    let until = clock.until;
    let one = |(slot, thread): (u32, ThreadRecord<'_>)| {
        let activity = ThreadReader { context, clock, thread, until }.read()?;
        Ok(ThreadActivity { trace: traces.remove(&slot).map(Arc::new), ..activity })
    };
    context.file.threads_by_slot().map(one).collect()
}

struct ThreadReader<'a> {
    context: &'a Context<'a>,
    clock: &'a Clock,
    thread: ThreadRecord<'a>,
    until: u64,
}

impl ThreadReader<'_> {
    fn read(&self) -> Result<ThreadActivity, ActivityProblem> {
        let thread = &self.thread;
        let number = thread.number();
        self.at_most("its number", number.into(), i32::MAX.unsigned_abs().into())?;
        self.at_most("its begin", thread.begin(), self.until)?;
        self.at_most(
            "its state",
            thread.word(offset_of!(ThreadSlot, state)).into(),
            ThreadState::OmpLock as u64,
        )?;
        let calls: Result<Vec<CallSite>, _> =
            thread.sites().filter(|site| site.count > 0).map(|site| self.call(&site)).collect();
        let mut calls = calls?;
        let last_call = self.last_call();
        if let Some(last) = &last_call {
            self.add_unended(&mut calls, last);
        }
        let peers: Result<Vec<PeerTraffic>, _> =
            thread.peers().filter(|peer| peer.rank != u32::MAX).map(|peer| self.peer(&peer)).collect();
        let constructs: Result<Vec<Construct>, _> = thread
            .constructs()
            .enumerate()
            .filter(|(_, row)| row.key != 0)
            .map(|row| self.construct(&row))
            .collect();
        let dropped = |field| thread.long(offset_of!(ThreadSlot, dropped) + field);
        Ok(ThreadActivity {
            tid: Pid(number.cast_signed()),
            is_first: thread.is_main(),
            lives: thread.word(offset_of!(ThreadSlot, lives)),
            start: match thread.start() {
                Some(address) => self.context.address(address),
                None if thread.is_main() => Reading::unavailable("it began the process"),
                None => Reading::unavailable("it was not seen when it was made, or several had its place"),
            },
            role: self.role(),
            begin: self.clock.since_begin(thread.begin()),
            end: match thread.end() {
                0 => Reading::unavailable("it lived on when the process was seen last"),
                end if end < thread.begin() => Reading::unavailable("another thread was taking its place"),
                end => Reading::Measured(self.clock.since_begin(end)),
            },
            times: self.times(),
            processor: match thread.processor_nanoseconds() {
                // What was noted before says nothing of what it computed since.
                _ if self.context.file.has(Flag::Sandbox) => Reading::unavailable(IN_SANDBOX),
                Some(time) => Reading::Measured(Nanoseconds(time)),
                None => Reading::unavailable("the process was killed, or runs, while the thread lived"),
            },
            switches: self.switches(),
            cpus: self.cpus()?,
            mask: self.mask(),
            run_delay: self.run_delay(),
            cpu_time_on: Reading::unavailable(NOT_SAMPLED),
            calls,
            last_call,
            lost_calls: CallTime {
                count: thread.dropped_calls(),
                time: self.clock.nanoseconds(dropped(offset_of!(Dropped, site_ticks))),
            },
            peers: peers?,
            lost_messages: [offset_of!(Dropped, peer_messages), offset_of!(Dropped, peer_bytes)].map(dropped),
            messages: self.messages(),
            constructs: constructs?,
            lost_constructs: thread.dropped_constructs(),
            files: self.files(),
            trace: None,
        })
    }

    fn at_most(&self, what: &'static str, found: u64, most: u64) -> Result<(), ActivityProblem> {
        if found <= most {
            return Ok(());
        }
        Err(ActivityProblem::Beyond { thread: Some(self.thread.number()), what, found, most })
    }

    fn files(&self) -> FileActivity {
        let of = |operation| {
            let calls = self.thread.file_calls(operation);
            FileCalls {
                count: calls.count,
                time: self.clock.nanoseconds(calls.ticks),
                longest: self.clock.nanoseconds(calls.longest.min(calls.ticks)),
                bytes: Bytes(calls.bytes),
            }
        };
        FileActivity {
            read: of(FileOperation::Read),
            written: of(FileOperation::Write),
            synced: of(FileOperation::Sync),
            managed: of(FileOperation::Manage),
            disk_wait: match self.thread.long(offset_of!(ThreadSlot, disk_wait)).checked_sub(1) {
                Some(time) => Reading::Measured(Nanoseconds(time)),
                None => Reading::unavailable(NO_DISK_WAIT),
            },
        }
    }

    fn role(&self) -> Reading<ThreadRole> {
        if self.thread.is_main() {
            return Reading::Measured(ThreadRole::Worker);
        }
        let Some(start) = self.thread.start() else {
            return Reading::unavailable("where its work lies is not known");
        };
        let is_in = |module: &LoadedModule<'_>| (module.begin..module.end).contains(&start);
        let Some(module) = self.context.file.modules().find(is_in) else {
            return Reading::unavailable("its work lies in no file that was noted");
        };
        let name = module.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        Reading::Measured(match roles::role(name, b"") {
            roles::ThreadRole::Worker => ThreadRole::Worker,
            roles::ThreadRole::OpenMp => ThreadRole::OpenMp,
            // Threads that the pinning library began are the program's; it leaves those of others as they are.
            roles::ThreadRole::Helper(b"numawise") => ThreadRole::Worker,
            roles::ThreadRole::Helper(_) => ThreadRole::Helper,
        })
    }

    /// The thread's time by state, where it is as long as the thread lived.
    fn times(&self) -> Reading<StateTimes> {
        let thread = &self.thread;
        let until = match thread.end() {
            0 => self.until,
            // What a thread does after its end, in handlers of exit.
            end => end.max(thread.long(offset_of!(ThreadSlot, since))),
        };
        let earlier = thread.long(offset_of!(ThreadSlot, earlier));
        let life = self.clock.nanoseconds(until.saturating_sub(thread.begin()).saturating_add(earlier));
        let times = super::phase::by_state(self.clock, &self.context.file.ticks_until(thread, until));
        let room = life.0 / 100 + 10_000_000;
        if times.total().0.abs_diff(life.0) > room {
            return Reading::unavailable(format!(
                "the times by state add up to {}, and the thread lived {life}: it was writing them, or they are damaged",
                times.total()
            ));
        }
        Reading::Measured(times)
    }

    fn switches(&self) -> Reading<ThreadSwitches> {
        if self.thread.end() == 0 {
            return Reading::unavailable("they are told at the end of a thread, and it lived on");
        }
        let at = offset_of!(ThreadSlot, switches);
        let [voluntary, forced] = [at, at + 8].map(|at| self.thread.long(at));
        Reading::Measured(ThreadSwitches { voluntary, forced })
    }

    fn cpus(&self) -> Result<Reading<CpuStays>, ActivityProblem> {
        let mut stays = CpuStays {
            cpus: Vec::new(),
            others: 0,
            migrations: self.thread.word(offset_of!(ThreadSlot, migrations)),
        };
        for (cpu, found) in self.thread.cpus() {
            let Some(cpu) = cpu else {
                stays.others = stays.others.saturating_add(found);
                continue;
            };
            self.at_most("the number of a CPU", cpu.into(), u64::from(CpuId::LIMIT) - 1)?;
            stays.cpus.push((CpuId(cpu), found));
        }
        if stays.cpus.is_empty() {
            return Ok(Reading::unavailable(
                "neither the C library (glibc from 2.35 on) nor the kernel says",
            ));
        }
        Ok(Reading::Measured(stays))
    }

    fn mask(&self) -> Reading<CpuSet> {
        let mask = CpuSet::from_words(self.thread.mask().collect::<Vec<u64>>());
        if mask.is_empty() {
            return Reading::unavailable("the kernel did not say on which CPUs the thread may run");
        }
        Reading::Measured(mask)
    }

    fn run_delay(&self) -> Reading<Nanoseconds> {
        match (self.thread.word(offset_of!(ThreadSlot, lives)), self.thread.run_delay()) {
            (0 | 1, Some(delay)) => Reading::Measured(Nanoseconds(delay)),
            (0 | 1, None) if self.thread.processor_nanoseconds().is_none() => {
                Reading::unavailable("the process was killed, or runs, while the thread lived")
            }
            (0 | 1, None) => Reading::unavailable(
                "the thread computed for less than 1 ms, or this kernel does not count run delay (schedstat)",
            ),
            _ => Reading::unavailable("several threads had its place, one after the other"),
        }
    }

    fn call(&self, site: &SiteRecord) -> Result<CallSite, ActivityProblem> {
        let known = self.context.file.communicators().count().min(COMMUNICATORS) as u64;
        if let Some(communicator) = site.communicator {
            let most = known.saturating_sub(1);
            self.at_most("the number of a communicator", communicator.into(), most)?;
        }
        if site.call.is_empty() {
            return Err(ActivityProblem::UnknownCall { thread: self.thread.number() });
        }
        Ok(CallSite {
            call: site.call.to_owned(),
            at: self.context.address(site.address),
            communicator: site.communicator,
            calls: CallTime { count: site.count, time: self.clock.nanoseconds(site.ticks) },
            longest: self.clock.nanoseconds(site.longest),
            sent: self.bytes(site.sent),
            received: self.bytes(site.received),
        })
    }

    /// Of a process that did not come to its end.
    fn last_call(&self) -> Option<LastCall> {
        let (call, address, since) =
            self.thread.last_call().filter(|_| !self.context.file.has(Flag::Ended))?;
        let within = since.map(|since| self.clock.nanoseconds(self.until.saturating_sub(since)));
        Some(LastCall { call: call.to_owned(), at: self.context.address(address), within })
    }

    /// The time in the call in which the process was ended belongs to its place: nobody else says that it was there.
    fn add_unended(&self, calls: &mut Vec<CallSite>, last: &LastCall) {
        let Some(within) = last.within else { return };
        let known = calls.iter_mut().find(|site| site.call == last.call && site.at == last.at);
        match known {
            Some(site) => {
                site.calls.count = site.calls.count.saturating_add(1);
                site.calls.time = site.calls.time + within;
                site.longest = site.longest.max(within);
            }
            None => calls.push(CallSite {
                call: last.call.clone(),
                at: last.at.clone(),
                communicator: None,
                calls: CallTime { count: 1, time: within },
                longest: within,
                sent: self.bytes(0),
                received: self.bytes(0),
            }),
        }
    }

    fn bytes(&self, bytes: u64) -> Reading<Bytes> {
        match self.context.mpi {
            Some(MpiLibrary::OpenMpi | MpiLibrary::Mpich | MpiLibrary::Standard) => {
                Reading::Measured(Bytes(bytes))
            }
            _ => Reading::unavailable("the binary interface of this MPI is not known"),
        }
    }

    fn peer(&self, peer: &PeerRecord) -> Result<PeerTraffic, ActivityProblem> {
        let size = self.context.file.rank().map_or(u32::MAX, |(_, size)| size);
        self.at_most("the rank of a peer", peer.rank.into(), u64::from(size) - 1)?;
        Ok(PeerTraffic {
            rank: peer.rank,
            sent_messages: peer.sent_messages,
            sent: Bytes(peer.sent_bytes),
            received_messages: peer.received_messages,
            received: Bytes(peer.received_bytes),
            fetched: Bytes(peer.fetched_bytes),
        })
    }

    fn messages(&self) -> Vec<MessageSizes> {
        const FAMILIES: [(SizeFamily, MessageFamily); 5] = [
            (SizeFamily::Send, MessageFamily::Send),
            (SizeFamily::Receive, MessageFamily::Receive),
            (SizeFamily::Collective, MessageFamily::Collective),
            (SizeFamily::OneSided, MessageFamily::OneSided),
            (SizeFamily::File, MessageFamily::File),
        ];
        let of = |(counted, family): (SizeFamily, MessageFamily)| {
            let counts = self.thread.size_counts(counted);
            let sizes = (0u32..).zip(counts).filter(|(_, messages)| *messages > 0);
            sizes.map(move |(bits, messages)| MessageSizes { family, bits, messages })
        };
        FAMILIES.into_iter().flat_map(of).collect()
    }

    fn construct(&self, (number, row): &(usize, ConstructRecord)) -> Result<Construct, ActivityProblem> {
        let Some(kind) = row.kind else {
            return Err(ActivityProblem::UnknownConstruct { thread: self.thread.number() });
        };
        let [least, most] = row.team;
        self.at_most("the smallest team of a region", least.into(), most.into())?;
        Ok(Construct {
            key: row.key,
            parent: row.parent,
            name: name(kind),
            at: match kind {
                ConstructKind::Root | ConstructKind::Others => {
                    Reading::unavailable("it is no place in the program")
                }
                _ => self.context.address(row.address),
            },
            schedule: schedule(row.schedule),
            calls: row.calls,
            opened: row.opened,
            wall: self.clock.nanoseconds(row.wall),
            times: super::phase::by_state(
                self.clock,
                &self.context.file.construct_ticks_until(&self.thread, self.until, (*number, row)),
            ),
            longest: self.clock.nanoseconds(row.longest),
            chunks: LoopChunks {
                count: row.chunks,
                iterations: row.iterations,
                trips: row.trips,
                size: row.chunk,
            },
            team: match most {
                0 => Reading::unavailable("the thread opened no such region, or the runtime does not tell"),
                _ => Reading::Measured(ConstructTeam { least, most }),
            },
        })
    }
}

pub(super) fn name(kind: ConstructKind) -> ConstructName {
    match kind {
        ConstructKind::Root => ConstructName::Outside,
        ConstructKind::Others => ConstructName::Others,
        ConstructKind::Parallel => ConstructName::Parallel,
        ConstructKind::Teams => ConstructName::Teams,
        ConstructKind::Task => ConstructName::Task,
        ConstructKind::Loop => ConstructName::Loop,
        ConstructKind::Sections => ConstructName::Sections,
        ConstructKind::Single => ConstructName::Single,
        ConstructKind::Barrier => ConstructName::Barrier,
        ConstructKind::Taskwait => ConstructName::Taskwait,
        ConstructKind::Taskgroup => ConstructName::Taskgroup,
        ConstructKind::Taskloop => ConstructName::Taskloop,
        ConstructKind::Critical => ConstructName::Critical,
        ConstructKind::Atomic => ConstructName::Atomic,
        ConstructKind::Ordered => ConstructName::Ordered,
        ConstructKind::Lock => ConstructName::Lock,
        ConstructKind::Target => ConstructName::Target,
        ConstructKind::TaskCreation => ConstructName::TaskCreation,
        ConstructKind::PythonLine => ConstructName::PythonLine,
    }
}

fn schedule(found: Option<LoopSchedule>) -> Reading<OpenMpSchedule> {
    Reading::Measured(match found {
        Some(LoopSchedule::Static) => OpenMpSchedule::Static,
        Some(LoopSchedule::Dynamic) => OpenMpSchedule::Dynamic,
        Some(LoopSchedule::Guided) => OpenMpSchedule::Guided,
        Some(LoopSchedule::Runtime) => OpenMpSchedule::Runtime,
        Some(LoopSchedule::Distribute) => OpenMpSchedule::Distribute,
        Some(LoopSchedule::Unknown) | None => {
            return Reading::unavailable("it is no loop, or the runtime does not tell");
        }
    })
}
