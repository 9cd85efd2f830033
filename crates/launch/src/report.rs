//! What passes between us and the supervisor of a job: orders go down one pipe, reports come up another. Each is shorter than what
//! a pipe takes at once (`PIPE_BUF`), so none is torn.

use std::fs::File;
use std::io::{self, Read};

use numawise_linux::calls::children::NAME;
use numawise_linux::calls::wait::{Accounted, EndStatus};
use numawise_units::{Bytes, Nanoseconds, Pid};

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;

/// What the supervisor is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Send this signal to the process groups of all tasks that have not ended.
    Signal(i32),
    /// End what the tasks leave behind, whatever was said at the start.
    EndLeftovers,
    /// Let go on what the tasks leave behind.
    LeaveLeftovers,
    /// Kill all processes of the job at once.
    Kill,
}

/// What the supervisor says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// Task number `slot` has this process.
    Forked { slot: u64, pid: Pid },
    /// The next task could not be forked.
    NotForked { errno: i32 },
    /// A task ended, at this time of the monotonic clock.
    Ended { slot: u64, status: EndStatus, at: Nanoseconds, accounted: Accounted },
    /// A task was stopped by this signal.
    Stopped { slot: u64, signal: i32, at: Nanoseconds },
    /// A task goes on.
    Continued { slot: u64, at: Nanoseconds },
    /// A process that the tasks left behind is asked to end.
    Left { name: [u8; NAME] },
    /// Nothing is left but so many processes that the kernel holds; so many others had to be ended.
    Done { ended: u64, held: u64 },
}

const ORDER: usize = 8;
const WORDS: usize = 12;

impl Order {
    pub fn encode(self) -> [u8; ORDER] {
        let (what, argument) = match self {
            Order::Signal(signal) => (1, signal),
            Order::EndLeftovers => (2, 0),
            Order::Kill => (3, 0),
            Order::LeaveLeftovers => (4, 0),
        };
        let number = i64::from(what) << 32 | i64::from(argument);
        number.to_ne_bytes()
    }

    fn decode(bytes: [u8; ORDER]) -> Option<Order> {
        let number = i64::from_ne_bytes(bytes);
        Some(match number >> 32 {
            1 => Order::Signal(number as i32),
            2 => Order::EndLeftovers,
            3 => Order::Kill,
            4 => Order::LeaveLeftovers,
            _ => return None,
        })
    }

    /// The next order of a pipe that does not wait: none when there is none now, an error when there will be none any more.
    pub fn next(pipe: &mut File) -> io::Result<Option<Order>> {
        let mut bytes = [0; ORDER];
        match pipe.read(&mut bytes) {
            Ok(ORDER) => Ok(Order::decode(bytes)),
            Ok(_) => Err(io::ErrorKind::UnexpectedEof.into()),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

impl Report {
    pub fn encode(self) -> [u8; WORDS * 8] {
        let words: [u64; WORDS] = match self {
            Report::Forked { slot, pid } => [1, slot, pid.0 as u64, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            Report::NotForked { errno } => [2, 0, errno as u64, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            Report::Ended { slot, status, at, accounted: of } => {
                let (signalled, number) = match status {
                    EndStatus::Exited(code) => (0, code),
                    EndStatus::Signalled(signal) => (1, signal),
                };
                [
                    3,
                    slot,
                    number as u64,
                    at.0,
                    signalled,
                    of.user.0,
                    of.system.0,
                    of.peak.0,
                    of.minor_faults,
                    of.major_faults,
                    of.voluntary_switches,
                    of.involuntary_switches,
                ]
            }
            Report::Stopped { slot, signal, at } => [4, slot, signal as u64, at.0, 0, 0, 0, 0, 0, 0, 0, 0],
            Report::Continued { slot, at } => [5, slot, 0, at.0, 0, 0, 0, 0, 0, 0, 0, 0],
            Report::Left { name } => {
                let (first, second) = halves(name);
                [6, first, second, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            }
            Report::Done { ended, held } => [7, ended, held, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        };
        let mut bytes = [0; WORDS * 8];
        for (k, word) in words.into_iter().enumerate() {
            bytes[8 * k..8 * k + 8].copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    fn decode(bytes: [u8; WORDS * 8]) -> Option<Report> {
        let mut words = [0; WORDS];
        for (k, word) in words.iter_mut().enumerate() {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[8 * k..8 * k + 8]);
            *word = u64::from_ne_bytes(eight);
        }
        let [what, slot, number, at, signalled, user, system, peak, minor, major, voluntary, involuntary] =
            words;
        let number = number as i32;
        Some(match what {
            1 => Report::Forked { slot, pid: Pid(number) },
            2 => Report::NotForked { errno: number },
            3 => Report::Ended {
                slot,
                status: if signalled == 0 { EndStatus::Exited(number) } else { EndStatus::Signalled(number) },
                at: Nanoseconds(at),
                accounted: Accounted {
                    user: Nanoseconds(user),
                    system: Nanoseconds(system),
                    peak: Bytes(peak),
                    minor_faults: minor,
                    major_faults: major,
                    voluntary_switches: voluntary,
                    involuntary_switches: involuntary,
                },
            },
            4 => Report::Stopped { slot, signal: number, at: Nanoseconds(at) },
            5 => Report::Continued { slot, at: Nanoseconds(at) },
            6 => Report::Left { name: joined(words[1], words[2]) },
            7 => Report::Done { ended: words[1], held: words[2] },
            _ => return None,
        })
    }

    /// The next report; none when the supervisor is gone.
    pub fn next(pipe: &mut File) -> io::Result<Option<Report>> {
        let mut bytes = [0; WORDS * 8];
        match pipe.read_exact(&mut bytes) {
            Ok(()) => Ok(Report::decode(bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn halves(name: [u8; NAME]) -> (u64, u64) {
    let number = u128::from_be_bytes(name);
    ((number >> 64) as u64, number as u64)
}

fn joined(first: u64, second: u64) -> [u8; NAME] {
    (u128::from(first) << 64 | u128::from(second)).to_be_bytes()
}
