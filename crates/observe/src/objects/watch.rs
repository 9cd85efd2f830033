//! The thread that empties what is noted of a program while that runs.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use numawise_linux::calls::clock;
use numawise_units::Nanoseconds;

use super::feed::{FedObjects, ObjectFeed};

/// Between two times at which the rings are emptied. The kernel's ring of a CPU has 512 KiB: at 700,000 page faults a second, each 31st
/// of them sampled with 1.3 KB, it holds 18 ms.
const INTERVAL: Duration = Duration::from_millis(8);

/// Objects of a program that runs.
#[derive(Debug)]
pub struct ObjectWatch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<WatchedObjects>,
}

/// What is left of them.
#[derive(Debug)]
pub struct WatchedObjects {
    pub fed: FedObjects,
    /// CPU time of the thread.
    pub cost: Nanoseconds,
}

/// Why nothing was seen.
#[derive(Debug, thiserror::Error)]
pub enum ObjectWatchError {
    #[error("a thread cannot be made: {0}")]
    Thread(io::Error),
    #[error("the thread that watched the program has ended by a fault of ours")]
    Panicked,
}

impl ObjectWatch {
    /// Begins; `feed` is made in the new thread.
    ///
    /// # Errors
    /// Where there can be no other thread.
    pub fn start(
        feed: impl FnOnce() -> ObjectFeed + Send + 'static,
    ) -> Result<ObjectWatch, ObjectWatchError> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("objects".to_owned()).spawn(move || {
            let mut feed = feed();
            while !stopped.load(Ordering::Acquire) {
                feed.drain(clock::monotonic());
                std::thread::park_timeout(INTERVAL);
            }
            WatchedObjects { fed: feed.finish(clock::monotonic()), cost: clock::thread_cpu_time() }
        });
        Ok(ObjectWatch { stop, thread: thread.map_err(ObjectWatchError::Thread)? })
    }

    /// To be called when the program has ended.
    ///
    /// # Errors
    /// Where the thread failed.
    pub fn finish(self) -> Result<WatchedObjects, ObjectWatchError> {
        self.stop.store(true, Ordering::Release);
        self.thread.thread().unpark();
        self.thread.join().map_err(|_| ObjectWatchError::Panicked)
    }
}
