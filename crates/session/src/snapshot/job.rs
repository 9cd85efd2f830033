//! Ranks that a launcher started with a numawise each (`mpirun -n 4 numawise snapshot ... -- ./app`): how those of one computer find each
//! other, and which of them reports.
//!
//! They share the [folder](CollectorFolder) that is named after the job and the record. Each has a mark in it, locked while it lives, and
//! notes there how its program ended. Whoever ends and finds nobody else alive is the last and reports, so that nobody has to wait
//! for others; only who comes before all have begun waits a while for those. A rank that dies within MPI has the launcher kill all others,
//! each numawise with them: so its own numawise reports at once, before the launcher hears of the death.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use numawise_facts::{Notice, RankEnd};
use numawise_launch::{LocalRank, job_name, job_name_of_daemon, rank_variables};
use numawise_linux::replace;
use numawise_observe::Roots;
use numawise_units::{Arrange, Pid};

use super::Environment;
use super::folder::{self, CollectorFolder};
use crate::Error;

#[cfg(test)]
#[path = "job_tests.rs"]
pub mod tests;

/// So long others may take to begin, once one has ended.
const PATIENCE: Duration = Duration::from_secs(10);
const INTERVAL: Duration = Duration::from_millis(20);

/// Ends the name of a rank's mark, locked while its numawise lives.
const MARK: &str = ".rank";
/// Ends the name of what a rank noted at its end.
const END: &str = ".end";
/// Locked by who looks whether it is the last.
const TURN: &str = "turn";
/// There once a report was made, of a job whose ranks had not all ended.
const EARLY: &str = "early";
/// There once a process stands by for all ranks of this computer.
const STAND_BY: &str = "stand-by";

/// What tells the runs of a job from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobKey {
    hash: u64,
    /// The same on all computers of the job.
    pub is_global: bool,
}

impl JobKey {
    /// By what the launcher says of the job, and by the file into which it goes: a script may be a rank and watch several programs.
    pub fn of(rank: &LocalRank, record: Option<&Path>, environment: Environment<'_>) -> JobKey {
        let roots = Roots::live();
        let own = Pid(std::process::id() as i32);
        let daemon = || numawise_observe::launcher(&roots, own, &rank_variables(rank.launcher));
        let named = job_name(rank.launcher, environment)
            .or_else(|| job_name_of_daemon(rank.launcher, &daemon()?.words));
        let is_global = named.is_some();
        let name = named.unwrap_or_else(|| match daemon() {
            Some(daemon) => format!("{}-{}", daemon.pid, daemon.started),
            None => "unnamed".to_owned(),
        });
        let record = record.and_then(|record| std::path::absolute(record).ok());
        let record = record.unwrap_or_default();
        let text =
            [rank.launcher.to_string().as_bytes(), name.as_bytes(), record.as_os_str().as_encoded_bytes()]
                .join(&0);
        JobKey { hash: hash(&text), is_global }
    }

    /// By the folder that whoever is around the launcher has made for this run alone.
    pub fn of_folder(folder: &Path) -> JobKey {
        JobKey { hash: hash(folder.as_os_str().as_encoded_bytes()), is_global: true }
    }

    #[cfg(test)]
    pub fn numbered(hash: u64) -> JobKey {
        JobKey { hash, is_global: true }
    }

    pub fn text(self) -> String {
        format!("{:016x}", self.hash)
    }
}

/// FNV-1a: the same in all builds.
fn hash(text: &[u8]) -> u64 {
    text.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// This process among the ranks of its computer.
#[derive(Debug)]
pub struct Job {
    folder: CollectorFolder,
    rank: LocalRank,
    /// Holds the lock of our mark.
    _mark: Option<File>,
}

/// Who asks for the right to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reporter {
    /// A rank whose program has ended, as soon as all others have noted their end. `has_died`: at once, since the others will not end well.
    Rank { has_died: bool },
    /// Who stands by for the ranks, when they are gone: one that has noted its end is about to report itself.
    StandBy,
}

/// What is known of the ranks of this computer.
#[derive(Debug, Default)]
struct RankMarks {
    begun: usize,
    alive: usize,
}

/// The right to report, of one rank at a time. When it is given back, the report has been written.
#[derive(Debug)]
pub struct ReportTurn {
    folder: PathBuf,
    is_last: bool,
    /// A report was made before, without those that had not ended then.
    pub is_again: bool,
    _turn: File,
    /// Locked by who stands by, where no numawise holds that lock any more.
    _folder: Option<File>,
}

impl Drop for ReportTurn {
    fn drop(&mut self) {
        if self.is_last {
            folder::remove(&self.folder);
        } else {
            let _ = std::fs::write(self.folder.join(EARLY), []);
        }
    }
}

impl Job {
    /// Joins the ranks of this computer, or begins with them.
    ///
    /// # Errors
    /// Where there is no folder for them.
    pub fn join(
        rank: LocalRank,
        key: JobKey,
        environment: Environment<'_>,
    ) -> Result<(Job, Option<Notice>), Error> {
        let own = format!("{}{MARK}", rank.local_rank);
        let (folder, notice) = CollectorFolder::join(&key.text(), &own, environment)?;
        let path = folder.path().join(&own);
        // Locked before it has its name: without a lock it is a dead rank's.
        let draft = path.with_extension("begins");
        let number = rank.rank.map_or_else(String::new, |rank| rank.to_string());
        let _ = std::fs::write(&draft, number);
        let mark = File::open(&draft).and_then(|mark| mark.lock().map(|()| mark));
        let _ = std::fs::rename(draft, path);
        Ok((Job { folder, rank, _mark: mark.ok() }, notice))
    }

    pub fn folder(&self) -> &CollectorFolder {
        &self.folder
    }

    /// True for the first that asks on this computer: it is the one that provides for the case that all are killed.
    pub fn is_first(&self) -> bool {
        File::create_new(self.folder.path().join(STAND_BY)).is_ok()
    }

    /// This rank is not watched: nobody has to wait for it.
    pub fn leave(&self) -> io::Result<()> {
        std::fs::write(self.folder.path().join(format!("{}{END}", self.rank.local_rank)), [])
    }

    /// The program of this rank could not be started: nothing is left where no other began.
    pub fn give_up(&self) {
        let _ = self.leave().and_then(|()| self.turn(Reporter::Rank { has_died: false })).map(drop);
    }

    /// The program of this rank has ended: notes that, and gives the right to report where that is now up to us. `has_died`: it was in
    /// MPI and did not come to its end, so that the others will not either.
    ///
    /// # Errors
    /// Where the folder cannot be used.
    pub fn ended(&self, end: &RankEnd, has_died: bool) -> io::Result<Option<ReportTurn>> {
        let path = self.folder.path();
        let text = serde_json::to_vec(end).map_err(io::Error::other)?;
        replace::write(&path.join(format!("{}{END}", self.rank.local_rank)), &text)?;
        self.turn(Reporter::Rank { has_died })
    }

    /// Waits until no numawise of this computer lives any more, for a process that is none of them; gives the right to report where none
    /// of them has.
    pub fn when_all_are_gone(&self) -> Option<ReportTurn> {
        let path = self.folder.path();
        // The next numawise removes a folder that nobody has locked.
        let folder = folder::lock_shared(path).ok();
        loop {
            let entries = std::fs::read_dir(path).ok()?.flatten().map(|entry| entry.path());
            for mark in entries.filter(|path| has_end(path, MARK)) {
                if let Ok(mark) = File::open(mark) {
                    let _ = mark.lock_shared();
                }
            }
            // Others may have begun meanwhile.
            match self.turn(Reporter::StandBy) {
                Ok(Some(mut turn)) => {
                    turn._folder = folder;
                    return Some(turn);
                }
                Ok(None) => std::thread::sleep(INTERVAL),
                Err(_) => return None,
            }
        }
    }

    fn turn(&self, who: Reporter) -> io::Result<Option<ReportTurn>> {
        let path = self.folder.path();
        let turn = match File::options().create(true).append(true).open(path.join(TURN)) {
            Ok(turn) => turn,
            // Whoever was the last has reported, and removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        turn.lock()?;
        let begun = Instant::now();
        loop {
            if !path.exists() {
                return Ok(None);
            }
            let marks = self.marks(who)?;
            let is_again = path.join(EARLY).exists();
            let is_last = marks.alive == 0;
            if !is_last && (who != Reporter::Rank { has_died: true } || is_again) {
                return Ok(None);
            }
            let all = marks.begun >= self.rank.local_size as usize;
            if !is_last || all || begun.elapsed() > PATIENCE {
                return Ok(Some(ReportTurn {
                    folder: path.to_owned(),
                    is_last,
                    is_again,
                    _turn: turn,
                    _folder: None,
                }));
            }
            std::thread::sleep(INTERVAL);
        }
    }

    /// How the ranks of this computer ended, those that could say it.
    pub fn ends(&self) -> Vec<RankEnd> {
        let Ok(entries) = std::fs::read_dir(self.folder.path()) else { return Vec::new() };
        let ends = entries.flatten().filter(|entry| has_end(&entry.path(), END));
        let ends = ends.filter_map(|entry| std::fs::read_to_string(entry.path()).ok());
        let mut ends: Vec<RankEnd> = ends.filter_map(|text| serde_json::from_str(&text).ok()).collect();
        ends.arrange_by_key(|end| (end.rank.is_none(), end.rank));
        ends
    }

    /// The numbers in the job of the ranks that have begun here, as far as the launcher tells them, in their order.
    pub fn ranks(&self) -> Vec<u32> {
        let entries = std::fs::read_dir(self.folder.path()).into_iter().flatten().flatten();
        let marks = entries.map(|entry| entry.path()).filter(|path| has_end(path, MARK));
        let mut ranks: Vec<u32> =
            marks.filter_map(|mark| std::fs::read_to_string(mark).ok()?.parse().ok()).collect();
        ranks.arrange();
        ranks
    }

    fn marks(&self, seen_by: Reporter) -> io::Result<RankMarks> {
        let mut marks = RankMarks::default();
        for entry in std::fs::read_dir(self.folder.path())? {
            let path = entry?.path();
            if !has_end(&path, MARK) {
                continue;
            }
            marks.begun += 1;
            let has_noted = path.with_extension(END.trim_start_matches('.')).exists();
            let has_ended = has_noted && seen_by != Reporter::StandBy;
            let is_alive = || File::open(&path).is_ok_and(|mark| mark.try_lock_shared().is_err());
            marks.alive += usize::from(!has_ended && is_alive());
        }
        Ok(marks)
    }
}

fn has_end(path: &Path, end: &str) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(end.as_bytes()))
}
