//! The threads that follow the memory objects of a program while that runs: one empties the kernel's rings, which must not wait, and
//! one finds out what the records say, which now and then takes longer (symbols of a file that was just loaded).

use std::io::{self, PipeReader, PipeWriter, pipe};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use numawise_linux::calls::process::stand_back;
use numawise_linux::calls::sampler::Sampler;
use numawise_linux::calls::{clock, pipe as closed};
use numawise_units::Nanoseconds;

use super::fault_period::FaultPeriod;
use super::feed::{FedObjects, KernelRecords, ObjectFeed};

/// Between two times at which the rings are emptied, unless one of the kernel's fills before. Each time costs both threads 0.15 ms: at 8 ms they
/// take 1.7 % of a CPU from a program that needs all of them, at 40 ms 0.4 %. The first times are close together, as programs begin
/// with what they allocate and fill.
const FIRST: Duration = Duration::from_millis(8);
const LAST: Duration = Duration::from_millis(40);
/// Where the library samples, its ring wakes nobody: 4,096 samples of 256 threads that run all the time take 16 ms.
const OF_LIBRARY: Duration = Duration::from_millis(8);
/// Symbols of a large library take a second or two, and what was asked waits behind them.
const MOST_WAIT_FOR_ANSWER: Duration = Duration::from_secs(20);
/// Records that wait for the second thread take so much at most.
const MOST_WAITING: usize = 64 << 20;

/// Objects of a program that runs.
#[derive(Debug)]
pub struct ObjectWatch {
    /// Closed when the program has ended.
    running: PipeWriter,
    reading: JoinHandle<Nanoseconds>,
    following: JoinHandle<WatchedObjects>,
    messages: Sender<Message>,
}

/// Asks for what is known so far, from any thread.
#[derive(Debug, Clone)]
pub struct ObjectAsker(Sender<Message>);

impl ObjectAsker {
    /// What was seen up to now; nothing where the program has ended, or the answer takes too long.
    pub fn so_far(&self) -> Option<WatchedObjects> {
        let (answer, answered) = channel();
        self.0.send(Message::Question(answer)).ok()?;
        answered.recv_timeout(MOST_WAIT_FOR_ANSWER).ok()
    }
}

/// What is left of them.
#[derive(Debug)]
pub struct WatchedObjects {
    pub fed: FedObjects,
    /// CPU time of both threads.
    pub cost: Nanoseconds,
}

/// Why nothing was seen.
#[derive(Debug, thiserror::Error)]
pub enum ObjectWatchError {
    #[error("a thread cannot be made: {0}")]
    Thread(io::Error),
    #[error("a pipe cannot be made: {0}")]
    Pipe(io::Error),
    #[error("a thread that watched the program has ended by a fault of ours")]
    Panicked,
}

/// What the thread that follows is sent.
#[derive(Debug)]
enum Message {
    Rings(ReadRings),
    Question(Sender<WatchedObjects>),
}

/// What was in the rings at one moment; nothing where there was no room for it.
#[derive(Debug)]
struct ReadRings {
    at: Nanoseconds,
    records: Result<KernelRecords, usize>,
    /// The program has ended.
    is_last: bool,
}

impl ObjectWatch {
    /// Begins. `feed` is made in the thread that uses it; without a sampler the library in the program samples.
    ///
    /// # Errors
    /// Where there can be no other thread.
    pub fn start(
        sampler: Option<(Sampler, FaultPeriod)>,
        feed: impl FnOnce() -> ObjectFeed + Send + 'static,
    ) -> Result<ObjectWatch, ObjectWatchError> {
        let (end, running) = pipe().map_err(ObjectWatchError::Pipe)?;
        let between = Arc::new(Between::default());
        let (send, receive) = channel();
        let of_reader = Arc::clone(&between);
        let messages = Sender::clone(&send);
        let reading = Builder::new()
            .name("read-samples".to_owned())
            .spawn(move || read(sampler, &send, &of_reader, &end))
            .map_err(ObjectWatchError::Thread)?;
        let following = Builder::new().name("follow-objects".to_owned()).spawn(move || {
            // What it does may wait, and the program may need all CPUs.
            stand_back();
            follow(feed(), &receive, &between)
        });
        // Without the one that follows, the one that reads ends at once.
        let following = following.map_err(ObjectWatchError::Thread)?;
        Ok(ObjectWatch { running, reading, following, messages })
    }

    /// For whoever wants to know before the program has ended.
    pub fn asker(&self) -> ObjectAsker {
        ObjectAsker(self.messages.clone())
    }

    /// To be called when the program has ended.
    ///
    /// # Errors
    /// Where a thread failed.
    pub fn finish(self) -> Result<WatchedObjects, ObjectWatchError> {
        drop(self.running);
        let cost = self.reading.join().map_err(|_| ObjectWatchError::Panicked)?;
        let mut watched = self.following.join().map_err(|_| ObjectWatchError::Panicked)?;
        watched.cost = watched.cost + cost;
        Ok(watched)
    }
}

/// What the one that reads and the one that follows know of each other.
#[derive(Default)]
struct Between {
    /// Bytes of records that are not followed yet.
    waiting: AtomicUsize,
    /// Nanoseconds of CPU time that records took so far.
    following: AtomicU64,
}

/// Reads until the other end of `end` is closed, and once more; the CPU time of this thread.
fn read(
    mut sampler: Option<(Sampler, FaultPeriod)>,
    send: &Sender<Message>,
    between: &Between,
    end: &PipeReader,
) -> Nanoseconds {
    let mut interval = FIRST;
    loop {
        let is_last = closed::has_ended(end.as_fd());
        let at = clock::monotonic();
        let read = sampler.as_mut().map_or_else(KernelRecords::default, |(sampler, fault_period)| {
            let read = KernelRecords::read(sampler);
            if let Some(period) = fault_period.after(read.faults(), between.following(), at) {
                sampler.sample_faults_by(period);
            }
            read
        });
        let bytes = read.bytes();
        let records = if between.waiting.load(Ordering::Relaxed) + bytes > MOST_WAITING {
            Err(read.count())
        } else {
            between.waiting.fetch_add(bytes, Ordering::Relaxed);
            Ok(read)
        };
        // Nobody follows any more: that thread failed, which is told at the end.
        if send.send(Message::Rings(ReadRings { at, records, is_last })).is_err() || is_last {
            return clock::thread_cpu_time();
        }
        match &sampler {
            Some((sampler, _)) => sampler.wait(end.as_fd(), interval),
            None => drop(closed::wait_for_end(end.as_fd(), OF_LIBRARY)),
        }
        interval = (interval * 5 / 4).min(LAST);
    }
}

impl Between {
    fn following(&self) -> Nanoseconds {
        Nanoseconds(self.following.load(Ordering::Relaxed))
    }

    fn add_following(&self, time: Nanoseconds) {
        self.following.fetch_add(time.0, Ordering::Relaxed);
    }
}

/// Follows until the program has ended. Whoever may ask keeps the channel open, so that its end says nothing.
fn follow(mut feed: ObjectFeed, receive: &Receiver<Message>, between: &Between) -> WatchedObjects {
    let mut message = receive.recv().ok();
    while let Some(received) = message.take() {
        match received {
            Message::Rings(ReadRings { at, records, is_last }) => {
                let begun = clock::thread_cpu_time();
                match records {
                    Ok(records) => {
                        let bytes = records.bytes();
                        feed.drain(records, at);
                        between.waiting.fetch_sub(bytes, Ordering::Relaxed);
                    }
                    Err(lost) => {
                        feed.lose(lost as u64);
                        feed.drain(KernelRecords::default(), at);
                    }
                }
                if is_last {
                    break;
                }
                between.add_following(clock::thread_cpu_time().saturating_sub(begun));
            }
            Message::Question(answer) => {
                let fed = feed.so_far(clock::monotonic());
                // Who asked may have gone.
                let _ = answer.send(WatchedObjects { fed, cost: clock::thread_cpu_time() });
            }
        }
        // The kernel is asked although more is waiting: a thread that has not caught up yet may do so only when the program has ended.
        feed.look(clock::monotonic());
        message = receive.recv().ok();
    }
    WatchedObjects { fed: feed.finish(), cost: clock::thread_cpu_time() }
}
