//! The clock of a file: ticks of a counter, and how long one is.
//!
//! The collector notes one moment by counter and kernel's clock at the begin of the process, and another at its last calls. A process
//! that was killed before, or computed without a call, left one: then a reader on the same host, which has the same counter, takes
//! the second one itself.

use std::collections::BTreeMap;
use std::mem::offset_of;
use std::path::{Path, PathBuf};

use numawise_facts::Reading;
use numawise_linux::calls::clock;
use numawise_units::{Nanoseconds, Pid};
use numawise_wire::snapshot::reader::SnapshotFile;
use numawise_wire::snapshot::{ClockKind, Flag, Header, SUFFIX, ThreadSlot};

use super::ActivityProblem;

/// What counters of processors do: 10 MHz on old ones for aarch64, some GHz elsewhere. In nanoseconds of a tick.
const SENSIBLE: std::ops::RangeInclusive<f64> = 0.05..=2000.0;

/// One moment by the counter of the processors and by the kernel's monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockPair {
    pub ticks: u64,
    pub nanoseconds: Nanoseconds,
}

/// What somebody on the same host knows of processes that could not tell of their own end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenFromOutside {
    /// A moment after the begin of them all.
    pub now: Option<ClockPair>,
    /// Until when each was seen alive, by the kernel's monotonic clock.
    pub alive: BTreeMap<Pid, Nanoseconds>,
    /// When each one became another program: by its number and its begin, both from the names of files.
    pub(super) became: BTreeMap<(Pid, Nanoseconds), Nanoseconds>,
}

impl SeenFromOutside {
    /// What was seen of processes, and the clocks as they are now.
    pub fn new(alive: BTreeMap<Pid, Nanoseconds>) -> SeenFromOutside {
        SeenFromOutside { now: pair(), alive, became: BTreeMap::new() }
    }

    /// The same with the moments at which processes became other programs, which begin files of their own.
    pub(super) fn with_successors(&self, paths: &[PathBuf]) -> SeenFromOutside {
        let mut begins: Vec<(Pid, Nanoseconds)> = paths.iter().filter_map(|path| named(path)).collect();
        begins.sort_unstable();
        let pairs = begins.windows(2).filter_map(|pair| match pair {
            [one, next] if one.0 == next.0 => Some((*one, next.1)),
            _ => None,
        });
        SeenFromOutside { became: pairs.collect(), ..self.clone() }
    }

    /// Until when a process that began at some moment is known to have lived.
    fn alive_until(&self, pid: Pid, begin: Nanoseconds) -> Option<Nanoseconds> {
        // The name of a file holds a moment shortly before that which stands in it.
        let own = self.became.range((pid, Nanoseconds(0))..=(pid, begin)).next_back();
        let became = own.map(|(_, next)| *next).filter(|next| *next > begin);
        let until = became.or_else(|| self.alive.get(&pid).copied());
        until.filter(|until| *until > begin)
    }
}

/// Number and begin of the process, from the name of its file.
fn named(path: &Path) -> Option<(Pid, Nanoseconds)> {
    let (pid, begin) = path.file_name()?.to_str()?.strip_suffix(SUFFIX)?.split_once('-')?;
    Some((Pid(pid.parse().ok()?), Nanoseconds(begin.parse().ok()?)))
}

/// This moment; none where the processor has no counter that all programs may read.
fn pair() -> Option<ClockPair> {
    let before = clock::counter()?;
    let nanoseconds = clock::monotonic();
    let after = clock::counter()?;
    Some(ClockPair { ticks: before + after.saturating_sub(before) / 2, nanoseconds })
}

/// The clock of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    begin: u64,
    nanoseconds_per_tick: f64,
    /// The last moment of which something is known, in ticks.
    pub until: u64,
}

impl Clock {
    pub fn of(file: &SnapshotFile<'_>, seen: &SeenFromOutside) -> Result<Reading<Clock>, ActivityProblem> {
        let found = file.header_word(offset_of!(Header, clock));
        let most = ClockKind::Cntvct as u64;
        if u64::from(found) > most {
            let what = "the number of the clock";
            return Err(ActivityProblem::Beyond { thread: None, what, found: found.into(), most });
        }
        let (begin, last) = (file.begin(), file.last());
        let pid = Pid(file.process().cast_signed());
        let begin_nanoseconds = Nanoseconds(begin.nanoseconds);
        // One that told of its end is known to the end.
        let alive = seen.alive_until(pid, begin_nanoseconds).filter(|_| !file.has(Flag::Ended));
        let ticks = last.ticks.wrapping_sub(begin.ticks);
        let nanoseconds = last.nanoseconds.wrapping_sub(begin.nanoseconds);
        let rate = if found == ClockKind::Kernel as u32 {
            1.0
        } else if ticks == 0 && nanoseconds == 0 {
            match rate_now(begin.ticks, begin_nanoseconds, seen).filter(|_| alive.is_some()) {
                Some(rate) => rate,
                None => {
                    return Ok(Reading::unavailable(
                        "how long a tick of its clock is, is not known: the process ended within 10 ms, or was killed before it \
                         called anything that is watched, and was not seen while it ran",
                    ));
                }
            }
        } else {
            nanoseconds as f64 / ticks as f64
        };
        if !SENSIBLE.contains(&rate) {
            return Err(ActivityProblem::ClockRate { ticks, nanoseconds });
        }
        // What threads did after the last moment that was noted counts too.
        let changed = file.threads().map(|thread| thread.long(offset_of!(ThreadSlot, since)));
        let noted = changed.max().unwrap_or(0).max(last.ticks);
        let lived = alive.map_or(0, |alive| (alive.saturating_sub(begin_nanoseconds).0 as f64 / rate) as u64);
        let until = noted.max(begin.ticks.saturating_add(lived));
        Ok(Reading::Measured(Clock { begin: begin.ticks, nanoseconds_per_tick: rate, until }))
    }

    pub fn nanoseconds(&self, ticks: u64) -> Nanoseconds {
        // A conversion of a number that is too large gives the largest.
        Nanoseconds((ticks as f64 * self.nanoseconds_per_tick) as u64)
    }

    /// Counters of two processors may differ by a few ticks.
    pub fn since_begin(&self, ticks: u64) -> Nanoseconds {
        self.nanoseconds(ticks.saturating_sub(self.begin))
    }
}

/// Nanoseconds of a tick from the begin of a process until now; none where that makes no sense: the counter was set anew.
fn rate_now(ticks: u64, begin: Nanoseconds, seen: &SeenFromOutside) -> Option<f64> {
    let now = seen.now?;
    let ticks = now.ticks.checked_sub(ticks).filter(|ticks| *ticks > 0)?;
    let rate = now.nanoseconds.saturating_sub(begin).0 as f64 / ticks as f64;
    SENSIBLE.contains(&rate).then_some(rate)
}
