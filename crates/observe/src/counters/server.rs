//! Takes the counters that the collector opened in processes, and reads each when its process has ended.

use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use numawise_facts::Reading;
use numawise_facts::activity::{CountedEvents, CountedProcess, CounterCount, ProcessCounters};
use numawise_linux::calls::counter::{Counter, CounterValue};
use numawise_linux::calls::handover::{self, ManyDescriptors};
use numawise_linux::calls::process;
use numawise_units::{Nanoseconds, Pid};
use numawise_wire::snapshot::counters::{CounterRequest, HandedCounters};

use super::choice::{ChosenEvent, CounterChoice};

/// From so many processes on, those that have ended are looked for, so that their descriptors do not pile up.
const MANY: usize = 64;

/// A socket at which counters are taken.
#[derive(Debug)]
pub struct CounterServer {
    choice: CounterChoice,
    listener: UnixListener,
    path: PathBuf,
}

impl CounterServer {
    /// Makes the socket. Processes may come from now on; they do not wait.
    ///
    /// # Errors
    /// Where no socket can be made there, or its path does not fit into the environment or the kernel's address.
    pub fn listen(choice: CounterChoice, path: &Path) -> io::Result<CounterServer> {
        if path.to_str().is_none() {
            return Err(io::Error::other("its path is no text"));
        }
        Ok(CounterServer { choice, listener: handover::listen(path)?, path: path.to_owned() })
    }

    /// What a process has to be given in its environment.
    pub fn request(&self) -> String {
        let codes: Vec<_> = self.choice.opened().map(|event| event.code).collect();
        let socket = self.path.to_str().unwrap_or_default();
        CounterRequest { flags: self.choice.flags, codes: &codes, socket }.to_string()
    }

    /// Begins to take counters, in a thread. To be called when the program has been started: its limits are not to be those that are
    /// raised here.
    ///
    /// # Errors
    /// Where there is no thread for it.
    pub fn start(self) -> io::Result<RunningServer> {
        let (stop, stopped) = UnixStream::pair()?;
        let thread =
            std::thread::Builder::new().name("counters".to_owned()).spawn(move || self.run(&stopped))?;
        Ok(RunningServer { stop, thread })
    }

    fn run(self, stopped: &UnixStream) -> Vec<CountedProcess> {
        let _descriptors = ManyDescriptors::allow();
        let mut taken =
            TakenCounters { choice: &self.choice, waiting: Vec::new(), ended: Vec::new(), many: MANY };
        let mut silent: Vec<UnixStream> = Vec::new();
        loop {
            let sources = [self.listener.as_raw_fd(), stopped.as_raw_fd()];
            let sources: Vec<_> = sources.into_iter().chain(silent.iter().map(AsRawFd::as_raw_fd)).collect();
            handover::wait_for(&sources, -1);
            // Asked before the last look: what came before that is not missed.
            let is_last = handover::wait_for(&sources[1..2], 0);
            while let Ok((stream, _)) = self.listener.accept() {
                silent.push(stream);
            }
            silent.retain(|stream| match handover::receive(stream, HandedCounters::BYTES + 1) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => true,
                Err(_) => false,
                Ok((message, descriptors)) => {
                    taken.add(handover::peer(stream), &message, descriptors);
                    false
                }
            });
            if is_last {
                return taken.finish();
            }
        }
    }
}

impl Drop for CounterServer {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A socket at which counters are being taken.
#[derive(Debug)]
pub struct RunningServer {
    stop: UnixStream,
    thread: JoinHandle<Vec<CountedProcess>>,
}

impl RunningServer {
    /// What was counted in each process that has handed its counters over, up to now where it still runs.
    pub fn finish(mut self) -> Vec<CountedProcess> {
        let _ = self.stop.write_all(b".");
        self.thread.join().unwrap_or_default()
    }
}

/// The counters of one process.
struct OpenCounters {
    /// Its number here; it may have another one in a container.
    peer: Option<Pid>,
    message: HandedCounters,
    descriptors: Vec<OwnedFd>,
}

struct TakenCounters<'a> {
    choice: &'a CounterChoice,
    waiting: Vec<OpenCounters>,
    ended: Vec<CountedProcess>,
    /// How many are waited for at most before those that have ended are looked for.
    many: usize,
}

impl TakenCounters<'_> {
    fn add(&mut self, peer: Option<Pid>, message: &[u8], descriptors: Vec<OwnedFd>) {
        let Some(message) = HandedCounters::decode(message) else { return };
        // It has become another program, and has counters of its own now.
        self.end(|one| one.peer.is_some() && one.peer == peer);
        if self.waiting.len() >= self.many {
            self.end(|one| one.peer.is_some_and(|peer| !process::exists(peer)));
            self.many = MANY.max(2 * self.waiting.len());
        }
        self.waiting.push(OpenCounters { peer, message, descriptors });
    }

    fn end(&mut self, is_over: impl Fn(&OpenCounters) -> bool) {
        let (over, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(is_over);
        self.waiting = waiting;
        self.ended.extend::<Vec<_>>(over.into_iter().map(|one: OpenCounters| self.read(one)).collect());
    }

    fn finish(mut self) -> Vec<CountedProcess> {
        self.end(|_| true);
        self.ended
    }

    fn read(&self, of: OpenCounters) -> CountedProcess {
        let HandedCounters { process, threads, began, errors, .. } = of.message;
        let mut descriptors = of.descriptors.into_iter();
        let mut errors = errors.into_iter();
        let count = |event: &ChosenEvent| CounterCount {
            event: event.event,
            name: event.name.clone(),
            cores: event.cores.clone(),
            counted: match event.refused.or_else(|| errors.next().filter(|error| *error != 0)) {
                Some(errno) => refused(errno),
                None => match descriptors.next() {
                    Some(descriptor) => counted(Counter::from(descriptor).read()),
                    None => Reading::unavailable("it was not handed over"),
                },
            },
        };
        let counters = ProcessCounters {
            with_children: self.choice.with_children,
            counts: self.choice.events.iter().map(count).collect(),
        };
        CountedProcess {
            pid: Pid(process.cast_signed()),
            began: Nanoseconds(began),
            counters: match threads.saturating_sub(1) {
                0 => Reading::Measured(counters),
                some => Reading::unavailable(format!(
                    "{some} of its threads had begun before the counters were opened, while its libraries were loaded"
                )),
            },
        }
    }
}

pub(super) fn refused(errno: i32) -> Reading<CountedEvents> {
    Reading::unavailable(format!("the kernel does not count it ({})", io::Error::from_raw_os_error(errno)))
}

pub(super) fn counted(value: io::Result<CounterValue>) -> Reading<CountedEvents> {
    match value {
        // The kernel adds the times up over threads at different moments.
        Ok(value) => Reading::Measured(CountedEvents {
            count: value.count,
            wanted: value.wanted,
            on: value.on.min(value.wanted),
        }),
        Err(error) => Reading::unavailable(format!("it cannot be read ({error})")),
    }
}
