//! A job of several computers, with a numawise for each rank: what was measured on each goes through a folder that all share, beside the
//! record, to the one that reports.
//!
//! Each computer puts one file there, a process a line, where they were traced one with their [traces](super::handed_traces), and a note of its
//! ranks behind it; the note is taken away by who has read the file. Files go from one numawise to another of the same build, and are not kept. Ranks of very large jobs are merged where they are: a file has
//! them all in one line, and behind it in full those that stand out there, of which only those are read that stand out of all.
//! Neither a file nor what is held grows with the number of ranks.
//!
//! Inside a launcher the computer of rank 0 reports. Where nobody takes a note away, the folder is not shared, and that computer keeps a
//! record of its own. Around a launcher the numawise there has made the folder, under a name that no other has: a computer that does not
//! find it does not share it. A mark of each says that something is to come.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{DirBuilder, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::ReadFolder;
use super::collected::{Collected, MergedPart, RestOfPart};
use super::handed_traces::{self, HandedTraces};
use super::job::JobKey;
use super::ranks;
use numawise_facts::{Activity, Machine, MergedRanks, Notice, ObjectRun, RankEnd};
use numawise_linux::calls::process;
use numawise_linux::draft::Draft;
use numawise_linux::replace;

#[cfg(test)]
#[path = "exchange_tests.rs"]
mod tests;

/// So long the computer of rank 0 waits for others, after the last of its own programs has ended: they end together where they speak MPI.
/// Network file systems show new names to other computers after up to 60 s (acdirmax of NFS).
const WAIT: Duration = Duration::from_secs(75);
/// So long others wait for it; it may have ended later than they.
const WAIT_FOR_READER: Duration = Duration::from_secs(120);
/// So long whoever is around a launcher that has ended waits for computers that began and have not handed over: what is left of them
/// reads what killed processes measured.
const WAIT_FOR_LATE: Duration = Duration::from_secs(15);
const INTERVAL: Duration = Duration::from_millis(20);

const PROCESSES: &str = "processes";
const TRACES: &str = "traces";
const NOTE: &str = "note";
const BEGUN: &str = "begun";
/// Begins the name of all folders.
const BEGIN: &str = ".numawise-";

/// The folder that the computers of a job share.
#[derive(Debug, Clone)]
pub struct Exchange {
    folder: PathBuf,
    /// It is there already, made by whoever waits for what is put into it.
    is_given: bool,
    wait: Duration,
    wait_for_reader: Duration,
}

/// The first line of what a computer hands over: its ranks, where the job is merged, and which of them stand behind it in full, each with its
/// bytes. Lines of other processes follow, or of what is wrong with one.
type FirstLine = Option<(MergedRanks, RestOfPart, Vec<(u32, u64)>)>;

/// What came of other computers.
#[derive(Debug, Default)]
pub struct HandedOver {
    /// As they come: of a job of very many ranks they are merged, so that no more is held than of one computer.
    pub processes: Collected,
    pub ends: Vec<RankEnd>,
    pub computers: Vec<Computer>,
    pub notices: Vec<Notice>,
    pub objects: Vec<ObjectRun>,
    /// Files that were read: a computer of which a rank died hands over twice.
    read: BTreeSet<PathBuf>,
    /// From the clock of each computer to the time of day.
    clocks: BTreeMap<String, i64>,
}

impl HandedOver {
    /// What comes is added to these processes.
    pub fn to(processes: Collected) -> HandedOver {
        HandedOver { processes, ..HandedOver::default() }
    }

    /// How much later moments of a computer are by our clock. All numawise of it count as one, and ours as ourselves.
    fn later(&mut self, host: &str, to_time_of_day: i64) -> i64 {
        let here = numawise_linux::host::hostname(&numawise_linux::Roots::live()).unwrap_or_default();
        let own = self.clocks.entry(here).or_insert_with(handed_traces::to_time_of_day);
        let own = *own;
        self.clocks.entry(host.to_owned()).or_insert(to_time_of_day).wrapping_sub(own)
    }
}

/// A computer of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct Computer {
    pub host: String,
    /// Missing where it could not be read.
    pub machine: Option<Machine>,
}

/// What is said of a computer beside what its processes did.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalNote {
    /// How many of its ranks are watched.
    pub ranks: u32,
    pub ends: Vec<RankEnd>,
    pub computer: Computer,
    pub notices: Vec<Notice>,
    /// The memory objects of its ranks, where these are followed.
    pub objects: Vec<ObjectRun>,
    /// From its clock to the time of day, in nanoseconds.
    pub to_time_of_day: i64,
}

impl LocalNote {
    fn bytes(&self) -> io::Result<Vec<u8>> {
        let Computer { host, machine } = &self.computer;
        let parts =
            (self.ranks, &self.ends, host, machine, &self.notices, &self.objects, self.to_time_of_day);
        serde_json::to_vec(&parts).map_err(io::Error::other)
    }

    fn of_text(text: &str) -> Option<LocalNote> {
        let (ranks, ends, host, machine, notices, objects, to_time_of_day) =
            serde_json::from_str(text).ok()?;
        let computer = Computer { host, machine };
        Some(LocalNote { ranks, ends, computer, notices, objects, to_time_of_day })
    }
}

impl Exchange {
    /// Beside the record, or in the current folder.
    pub fn of(key: JobKey, record: Option<&Path>) -> Exchange {
        let beside = record.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
        Exchange::at(beside.unwrap_or(Path::new(".")).join(format!("{BEGIN}{}", key.text())), false)
    }

    fn at(folder: PathBuf, is_given: bool) -> Exchange {
        Exchange { folder, is_given, wait: WAIT, wait_for_reader: WAIT_FOR_READER }
    }

    /// In a folder that whoever is around the launcher has made.
    pub fn given(folder: &Path) -> Exchange {
        Exchange::at(folder.to_owned(), true)
    }

    /// A folder of a new name, beside the record or in the current folder, for ranks of a launcher that is about to be started.
    ///
    /// # Errors
    /// Where none can be made there.
    pub fn for_launcher(host: &str, record: Option<&Path>) -> io::Result<Exchange> {
        let beside = record.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
        let beside = std::path::absolute(beside.unwrap_or(Path::new(".")))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let folder = beside.join(format!("{BEGIN}{}-{}-{now:x}", in_name(host), std::process::id()));
        DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Exchange { wait: WAIT_FOR_LATE, ..Exchange::given(&folder) })
    }

    /// The folder goes, with what came too late.
    pub fn remove(&self) {
        super::folder::remove(&self.folder);
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn make(&self) -> io::Result<()> {
        if !self.is_given {
            match DirBuilder::new().mode(0o700).create(&self.folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        let facts = self.folder.symlink_metadata()?;
        let is_ours = facts.is_dir() && facts.uid() == process::user();
        is_ours.then_some(()).ok_or_else(|| io::Error::other("somebody else has made it"))
    }

    /// Says that something of this computer is to come. False where another of its processes has said so.
    ///
    /// # Errors
    /// Where the folder is not there, or not shared.
    pub fn begin(&self, name: &str) -> io::Result<bool> {
        self.make()?;
        match File::create_new(self.path(name, BEGUN)) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Puts what was read on this computer there, under a name of its own; `nothing` is what of no process is known yet.
    ///
    /// # Errors
    /// Where that cannot be written.
    pub fn hand_over(
        &self,
        name: &str,
        read: &ReadFolder,
        note: &LocalNote,
        nothing: Collected,
    ) -> io::Result<()> {
        self.make()?;
        // Of a computer whose ranks were killed, two may hand over: nobody finds a file that is not whole.
        let mut file = BufWriter::new(Draft::of(&self.path(name, PROCESSES))?);
        let mut traces = None;
        let problem = |error: &dyn ToString| Err::<&Activity, _>(error.to_string());
        match read {
            Ok(processes) => match nothing.merged_part(processes, note.computer.machine.as_ref()) {
                Some(part) => {
                    let problems = processes.iter().filter_map(|one| one.as_ref().err());
                    write(
                        &mut file,
                        Some(&part),
                        part.others.iter().map(Ok).chain(problems.map(|error| problem(error))),
                    )?;
                }
                None => {
                    let each = processes.iter().map(|one| one.as_ref().map_err(ToString::to_string));
                    write(&mut file, None, each)?;
                    traces = self.write_traces(name, processes)?;
                }
            },
            Err(error) => write(&mut file, None, [problem(error)])?,
        }
        file.into_inner()?.replace()?;
        if let Some(traces) = traces {
            traces.replace()?;
        }
        replace::write(&self.path(name, NOTE), &note.bytes()?)
    }

    /// The file with the traces of processes; none where there are none.
    fn write_traces<E>(&self, name: &str, processes: &[Result<Activity, E>]) -> io::Result<Option<Draft>> {
        let is_traced = |one: &Activity| {
            one.threads.measured().into_iter().flatten().any(|thread| thread.trace.is_some())
        };
        if !processes.iter().flatten().any(is_traced) {
            return Ok(None);
        }
        let mut file = BufWriter::new(Draft::of(&self.path(name, TRACES))?);
        for (line, one) in processes.iter().enumerate() {
            if let Ok(activity) = one {
                handed_traces::write(line as u32, activity, &mut file)?;
            }
        }
        Ok(Some(file.into_inner()?))
    }

    /// Waits for the computer of rank 0 to take what was handed over. False where it does not: nothing of it is left then.
    pub fn is_taken(&self, name: &str) -> bool {
        let note = self.path(name, NOTE);
        let taken = || !note.exists();
        if wait_for(self.wait_for_reader, taken) {
            return true;
        }
        // Who removes the note has the file: one of both.
        let is_ours = std::fs::remove_file(note).is_ok();
        if is_ours {
            let _ = std::fs::remove_file(self.path(name, PROCESSES));
            let _ = std::fs::remove_file(self.path(name, TRACES));
            let _ = std::fs::remove_dir(&self.folder);
        }
        !is_ours
    }

    /// Takes what other computers have handed over by now.
    pub fn take_at_once(&self, mut taken: HandedOver) -> HandedOver {
        self.take_present(&mut taken);
        let _ = std::fs::remove_dir(&self.folder);
        taken
    }

    /// Takes what other computers hand over, until that is of `missing` ranks, or no more comes.
    pub fn take(&self, missing: u32, mut taken: HandedOver) -> HandedOver {
        // Made here too: who looks before others have made it would otherwise not see it for a while, over a network.
        let _ = self.make();
        let mut ranks = 0;
        wait_for(self.wait, || {
            ranks += self.take_present(&mut taken);
            ranks >= missing
        });
        let _ = std::fs::remove_dir(&self.folder);
        taken
    }

    /// Takes what the computers hand over that began, now that the launcher has ended.
    pub fn take_of_begun(&self, mut taken: HandedOver) -> HandedOver {
        wait_for(self.wait, || {
            // A change of our own has a network file system forget which names it has seen.
            let own = self.folder.join("look");
            let _ = File::create(&own).and_then(|_| std::fs::remove_file(&own));
            self.take_present(&mut taken);
            self.begun().all(|begun| taken.read.contains(&begun.with_extension(PROCESSES)))
        });
        taken
    }

    /// The marks of computers of which something is to come, or has come.
    fn begun(&self) -> impl Iterator<Item = PathBuf> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        paths.filter(|path| path.extension().is_some_and(|end| end == BEGUN))
    }

    /// Takes what is there; gives the number of ranks that it is of.
    fn take_present(&self, taken: &mut HandedOver) -> u32 {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return 0 };
        let notes = entries.flatten().map(|entry| entry.path());
        let notes = notes.filter(|path| path.extension().is_some_and(|end| end == NOTE));
        let mut ranks = 0;
        for note in notes {
            let Ok(text) = std::fs::read_to_string(&note) else { continue };
            let Some(of) = LocalNote::of_text(&text) else { continue };
            let file = note.with_extension(PROCESSES);
            // Open before the note goes, with which the file does.
            let open = File::open(&file);
            let traces = File::open(file.with_extension(TRACES));
            // Whose note it was may have waited too long, and taken it back.
            if std::fs::remove_file(&note).is_err() {
                continue;
            }
            // What is open stays.
            let _ = std::fs::remove_file(&file);
            let _ = std::fs::remove_file(file.with_extension(TRACES));
            if !taken.read.insert(file.clone()) {
                continue;
            }
            ranks += of.ranks;
            taken.ends.extend(of.ends);
            taken.notices.extend(of.notices);
            taken.objects.extend(of.objects);
            let later = taken.later(&of.computer.host, of.to_time_of_day);
            taken.computers.push(of.computer);
            let read = open.and_then(|open| read(open, (traces.ok(), later), &mut taken.processes));
            if let Err(error) = read {
                taken.processes.add_problem(format!("{}: {error}", file.display()));
            }
        }
        ranks
    }

    fn path(&self, name: &str, end: &str) -> PathBuf {
        self.folder.join(format!("{name}.{end}"))
    }
}

/// A host's name in that of a file, without a dot: what follows one is the kind of the file.
pub fn in_name(host: &str) -> String {
    host.chars().map(|one| if one.is_ascii_alphanumeric() || one == '-' { one } else { '_' }).collect()
}

fn write<'a>(
    file: &mut impl Write,
    part: Option<&MergedPart>,
    others: impl IntoIterator<Item = Result<&'a Activity, String>>,
) -> io::Result<()> {
    let mut line = |text: &[u8]| file.write_all(text).and_then(|()| file.write_all(b"\n"));
    let mut in_full = Vec::new();
    for activity in part.map_or(&[][..], |part| &part.standing_out) {
        let text = serde_json::to_vec(activity)?;
        in_full.extend(ranks::of(activity).map(|rank| (rank, text)));
    }
    let lengths: Vec<(u32, u64)> =
        in_full.iter().map(|(rank, text)| (*rank, text.len() as u64 + 1)).collect();
    line(&serde_json::to_vec(&part.map(|part| (&part.ranks, &part.rest, lengths)))?)?;
    in_full.iter().try_for_each(|(_, text)| line(text))?;
    others.into_iter().try_for_each(|one| line(&serde_json::to_vec(&one)?))
}

/// One process after the other; of merged ranks only those in full that stand out of all that were read so far.
fn read(file: File, (traces, later): (Option<File>, i64), into: &mut Collected) -> io::Result<()> {
    let mut traces = traces.map(|traces| HandedTraces::of(BufReader::new(traces))).transpose()?;
    let mut file = BufReader::new(file);
    let mut text = String::new();
    file.read_line(&mut text)?;
    if let Some((ranks, rest, in_full)) = serde_json::from_str::<FirstLine>(&text)? {
        into.add_merged(&ranks, rest);
        let standing_out = into.standing_out();
        for (rank, bytes) in in_full {
            if standing_out.contains(&rank) {
                text.clear();
                (&mut file).take(bytes).read_to_string(&mut text)?;
                into.keep(serde_json::from_str(&text)?);
            } else {
                file.seek_relative(bytes.cast_signed())?;
            }
        }
    }
    file.lines().zip(0..).try_for_each(|(text, line)| {
        let mut one: Result<Activity, String> = serde_json::from_str(&text?)?;
        if let (Ok(activity), Some(traces)) = (&mut one, &mut traces) {
            traces.add_to(line, activity, later)?;
        }
        into.add(one);
        Ok(())
    })
}

/// Waits until it holds; false where it did not in this time.
fn wait_for(most: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    loop {
        if holds() {
            return true;
        }
        if begun.elapsed() > most {
            return false;
        }
        std::thread::sleep(INTERVAL);
    }
}
