//! From rows to snapshots.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;

use numawise_facts::{
    Machine, MemorySnapshot, PageUse, PolicyShare, Reading, Snapshot, TaskSnapshot, ThreadSnapshot,
};
use numawise_units::{Arrange, Bytes, CpuSet, Nanoseconds, NodeId, Pid};
use rusqlite::Connection;

use super::state::Who;
use crate::cell::{Cells, Parsed};
use crate::read::damage;
use crate::valid::Flaw;
use crate::{RecordError, valid};

/// The machine that was looked at.
pub fn machine(connection: &Connection, path: &Path) -> Result<Machine, RecordError> {
    let read = || {
        let mut query = connection.prepare("SELECT id, machine FROM series")?;
        let mut rows = query.query([])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let machine: Machine = Cells::of("series", row).json("machine")?;
        valid::machine(&machine, "series.machine")?;
        Ok(Some(machine))
    };
    match read() {
        Ok(Some(machine)) => Ok(machine),
        Ok(None) => Err(RecordError::damaged(path, "the table 'series' is empty")),
        Err(error) => Err(damage(path, error)),
    }
}

/// Processes, threads and places of memory in all looks together, beside one for each byte of the file. What does not change has
/// no rows, so that a small file may hold many: 1000 threads that sleep for eight hours, looked at every second, are less.
const MOST_SEEN: u64 = 36_000_000;

/// How much there was to show in the looks so far.
struct SeenSoFar {
    count: u64,
    most: u64,
}

impl SeenSoFar {
    fn add(&mut self, look: i64, more: u64) -> Result<(), Flaw> {
        self.count += more;
        if self.count <= self.most {
            return Ok(());
        }
        let found = format!("{} processes, threads and places of memory in the looks so far", self.count);
        let expected = "at most 36000000, and one more for each byte of the file";
        Err(Flaw::new(format!("looks: row {look}"), found, expected))
    }
}

/// Calls `each` with the machine, the session and the snapshot of every look.
pub fn replay(
    connection: &Connection,
    path: &Path,
    mut each: impl FnMut(&Machine, u32, &Rc<Snapshot>),
) -> Result<Machine, RecordError> {
    // One transaction, so that a look that is being written is there as a whole or not at all.
    let transaction =
        connection.unchecked_transaction().map_err(|e| RecordError::sqlite(path, "read it", e))?;
    let machine = machine(&transaction, path)?;
    let mut looks = || {
        let mut replay = Replay::new(&transaction)?;
        let mut looks =
            transaction.prepare("SELECT look, session, time_ns, boot_ns FROM looks ORDER BY look")?;
        let mut looks = looks.query([])?;
        let mut before: Option<(u32, Rc<Snapshot>)> = None;
        let mut seen = SeenSoFar { count: 0, most: MOST_SEEN + path.metadata().map_or(0, |file| file.len()) };
        while let Some(row) = looks.next()? {
            let cells = Cells::of("looks", row);
            let (look, session) = (cells.int("look")?, cells.int("session")?);
            if before.as_ref().is_some_and(|(before, _)| session < *before) {
                return Err(cells.flaw("session", "sessions in ascending order"));
            }
            replay.advance(look, session)?;
            seen.add(look, replay.size())?;
            let (unix_time, at) = (Nanoseconds(cells.int("time_ns")?), Nanoseconds(cells.int("boot_ns")?));
            let snapshot = Rc::new(Snapshot { at, unix_time, tasks: replay.tasks(look)? });
            valid::look(&snapshot)?;
            match &before {
                Some((of, before)) if *of == session => valid::sequence(before, &snapshot)?,
                _ => {}
            }
            each(&machine, session, &snapshot);
            before = Some((session, snapshot));
        }
        Ok(())
    };
    match looks() {
        Ok(()) => Ok(machine),
        Err(error) => Err(damage(path, error)),
    }
}

/// What holds at a look.
struct Replay<'a> {
    connection: &'a Connection,
    session: Option<u32>,
    /// Rows of `tasks` and `threads`, and lists of CPUs.
    described: HashMap<i64, TaskSnapshot>,
    threads: HashMap<i64, (i64, Who, String)>,
    masks: HashMap<i64, CpuSet>,
    there: HashMap<i64, Task>,
    reasons: HashMap<(i64, Option<i64>, String), String>,
}

#[derive(Default)]
struct Task {
    threads_known: bool,
    mappings: Option<u64>,
    threads: BTreeMap<Who, ThreadSnapshot>,
    by_use: BTreeMap<(PageUse, NodeId), Bytes>,
    by_policy: Vec<PolicyShare>,
}

impl<'a> Replay<'a> {
    fn new(connection: &'a Connection) -> Parsed<Self> {
        let mut replay = Replay {
            connection,
            session: None,
            described: HashMap::new(),
            threads: HashMap::new(),
            masks: HashMap::new(),
            there: HashMap::new(),
            reasons: HashMap::new(),
        };
        let mut rows = connection.prepare("SELECT * FROM tasks")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let cells = Cells::of("tasks", row);
            replay.described.insert(cells.int("task")?, described(cells)?);
        }
        let mut rows = connection.prepare("SELECT thread, task, tid, started_ns, name FROM threads")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let cells = Cells::of("threads", row);
            let who = (Pid(cells.int("tid")?), Nanoseconds(cells.int("started_ns")?));
            replay.threads.insert(cells.int("thread")?, (cells.int("task")?, who, cells.text("name")?));
        }
        let mut rows = connection.prepare("SELECT mask, cpus FROM masks")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let cells = Cells::of("masks", row);
            let cpus = cells.cpus_or_null("cpus")?.ok_or_else(|| cells.flaw("cpus", "a list of CPUs"))?;
            replay.masks.insert(cells.int("mask")?, cpus);
        }
        Ok(replay)
    }

    /// Goes on to a look.
    fn advance(&mut self, look: i64, session: u32) -> Parsed<()> {
        if self.session.replace(session) != Some(session) {
            self.there.clear();
            self.reasons.clear();
        }
        self.read_reasons(look)?;
        self.read_tasks(look)?;
        self.read_threads(look)?;
        self.read_memory(look)?;
        self.read_policies(look)
    }

    /// How much there is to show.
    fn size(&self) -> u64 {
        let of = |task: &Task| 1 + task.threads.len() + task.by_use.len() + task.by_policy.len();
        self.there.values().map(of).sum::<usize>() as u64
    }

    fn read_reasons(&mut self, look: i64) -> Parsed<()> {
        let mut rows = self
            .connection
            .prepare_cached("SELECT task, thread, what, reason FROM unavailable WHERE look = ?1")?;
        let mut rows = rows.query([look])?;
        while let Some(row) = rows.next()? {
            let cells = Cells::of("unavailable", row);
            let of = (cells.int("task")?, cells.int_or_null("thread")?, cells.text("what")?);
            self.reasons.insert(of, cells.text("reason")?);
        }
        Ok(())
    }

    fn read_tasks(&mut self, look: i64) -> Parsed<()> {
        let mut rows = self
            .connection
            .prepare_cached("SELECT task, there, threads, mappings FROM task_looks WHERE look = ?1")?;
        let mut rows = rows.query([look])?;
        while let Some(row) = rows.next()? {
            let cells = Cells::of("task_looks", row);
            let id: i64 = cells.int("task")?;
            if cells.int::<u32>("there")? == 0 {
                self.there.remove(&id);
                continue;
            }
            let task = self.there.entry(id).or_default();
            task.threads_known = cells.int_or_null::<u64>("threads")?.is_some();
            task.mappings = cells.int_or_null("mappings")?;
        }
        Ok(())
    }

    fn read_threads(&mut self, look: i64) -> Parsed<()> {
        let mut rows = self.connection.prepare_cached("SELECT * FROM thread_looks WHERE look = ?1")?;
        let mut rows = rows.query([look])?;
        while let Some(row) = rows.next()? {
            let cells = Cells::of("thread_looks", row);
            let id: i64 = cells.int("thread")?;
            let (task_id, who, name) =
                self.threads.get(&id).ok_or_else(|| cells.flaw("thread", "a row of the table threads"))?;
            // The threads of a task that has ended are seen no more, either.
            let Some(task) = self.there.get_mut(task_id) else { continue };
            let Some(state) = cells.text_or_null("state")? else {
                task.threads.remove(who);
                continue;
            };
            let missing = |what: &str| {
                let reason = self.reasons.get(&(*task_id, Some(id), what.to_owned()));
                reason.cloned().unwrap_or_else(|| "not recorded".to_owned())
            };
            let mask = match cells.int_or_null::<i64>("mask")? {
                Some(mask) => {
                    let mask = self.masks.get(&mask).cloned();
                    Reading::Measured(mask.ok_or_else(|| cells.flaw("mask", "a row of the table masks"))?)
                }
                None => Reading::unavailable(missing("mask")),
            };
            let migrations = match cells.int_or_null("migrations")? {
                Some(count) => Reading::Measured(count),
                None => Reading::unavailable(missing("migrations")),
            };
            let mut letters = state.chars();
            let (Some(state), None) = (letters.next(), letters.next()) else {
                return Err(cells.flaw("state", "a letter"));
            };
            let thread = ThreadSnapshot {
                tid: who.0,
                name: name.clone(),
                state,
                cpu: cells.cpu("cpu")?,
                mask,
                cpu_time: Nanoseconds(cells.int("cpu_ns")?),
                started: who.1,
                migrations,
                minor_faults: cells.int("minor_faults")?,
                major_faults: cells.int("major_faults")?,
            };
            task.threads.insert(*who, thread);
        }
        Ok(())
    }

    fn read_memory(&mut self, look: i64) -> Parsed<()> {
        let mut rows = self
            .connection
            .prepare_cached("SELECT task, used_for, node, bytes FROM memory_looks WHERE look = ?1")?;
        let mut rows = rows.query([look])?;
        while let Some(row) = rows.next()? {
            let cells = Cells::of("memory_looks", row);
            let Some(task) = self.there.get_mut(&cells.int("task")?) else { continue };
            let place = (page_use(cells)?, cells.node("node")?);
            match cells.int_or_null("bytes")? {
                None | Some(0) => task.by_use.remove(&place),
                Some(bytes) => task.by_use.insert(place, Bytes(bytes)),
            };
        }
        Ok(())
    }

    fn read_policies(&mut self, look: i64) -> Parsed<()> {
        let mut rows = self.connection.prepare_cached(
            "SELECT task, position, policy, mappings, node, bytes FROM policy_looks WHERE look = ?1 ORDER BY rowid",
        )?;
        let mut rows = rows.query([look])?;
        let mut last: Option<(i64, i64)> = None;
        while let Some(row) = rows.next()? {
            let cells = Cells::of("policy_looks", row);
            let (id, position): (i64, i64) = (cells.int("task")?, cells.int("position")?);
            let Some(task) = self.there.get_mut(&id) else { continue };
            if last.is_none_or(|(task, _)| task != id) {
                task.by_policy.clear();
            }
            let new = last.replace((id, position)) != Some((id, position));
            let Some(policy) = cells.text_or_null("policy")? else { continue };
            if new {
                let mappings = cells.int("mappings")?;
                task.by_policy.push(PolicyShare { policy, mappings, by_node: Vec::new() });
            }
            let share = task.by_policy.last_mut();
            if let (Some(share), Some(node)) = (share, cells.node_or_null("node")?) {
                share.by_node.push((node, Bytes(cells.int("bytes")?)));
            }
        }
        Ok(())
    }

    fn tasks(&self, look: i64) -> Parsed<Vec<TaskSnapshot>> {
        let task = |(id, now): (&i64, &Task)| {
            let place = || format!("task_looks: row {look}, task");
            let described = self
                .described
                .get(id)
                .ok_or_else(|| Flaw::new(place(), id.to_string(), "a row of the table tasks"))?;
            let missing = |what: &str| {
                let reason = self.reasons.get(&(*id, None, what.to_owned()));
                reason.cloned().unwrap_or_else(|| "not recorded".to_owned())
            };
            Ok(TaskSnapshot {
                threads: if now.threads_known {
                    Reading::Measured(now.threads.values().cloned().collect())
                } else {
                    Reading::unavailable(missing("threads"))
                },
                memory: match now.mappings {
                    Some(mappings) => Reading::Measured(MemorySnapshot {
                        by_use: now
                            .by_use
                            .iter()
                            .map(|(&(used, node), &bytes)| (used, node, bytes))
                            .collect(),
                        by_policy: now.by_policy.clone(),
                        largest: Vec::new(),
                        mappings,
                    }),
                    None => Reading::unavailable(missing("memory")),
                },
                ..described.clone()
            })
        };
        let mut tasks: Vec<TaskSnapshot> = self.there.iter().map(task).collect::<Parsed<_>>()?;
        tasks.arrange_by_key(|task| (task.pid, task.started));
        Ok(tasks)
    }
}

/// A row of `tasks`, without threads and memory.
fn described(cells: Cells<'_, '_>) -> Parsed<TaskSnapshot> {
    let reason = |column: &str| {
        Ok::<_, crate::cell::RowError>(
            cells.text_or_null(column)?.unwrap_or_else(|| "not recorded".to_owned()),
        )
    };
    Ok(TaskSnapshot {
        pid: Pid(cells.int("pid")?),
        parent: Pid(cells.int("parent")?),
        name: cells.text("name")?,
        command: match cells.text_or_null("command")? {
            Some(command) => Reading::Measured(command),
            None => Reading::unavailable(reason("command_missing")?),
        },
        user: cells.int("user")?,
        rank: match cells.int_or_null("rank")? {
            Some(rank) => Reading::Measured(rank),
            None => Reading::unavailable(reason("rank_missing")?),
        },
        started: Nanoseconds(cells.int("started_ns")?),
        threads: Reading::unavailable("not recorded"),
        memory: Reading::unavailable("not recorded"),
    })
}

fn page_use(cells: Cells<'_, '_>) -> Parsed<PageUse> {
    let word = cells.text("used_for")?;
    let known = PageUse::ALL.into_iter().find(|used_for| used_for.to_string() == word);
    known.ok_or_else(|| cells.flaw("used_for", "huge, heap, stack, private, file or shared"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_threads_for_eight_hours_are_not_too_much() {
        let mut seen = SeenSoFar { count: 0, most: MOST_SEEN };
        for look in 0..8 * 3600 {
            seen.add(look, 1200).expect("a working day is read");
        }
    }

    /// A megabyte may hold ten thousand threads that sleep through fifty thousand looks.
    #[test]
    fn more_than_anybody_waits_for_is_refused() {
        let mut seen = SeenSoFar { count: 0, most: MOST_SEEN + 1_000_000 };
        let refused =
            (0..50_000).find_map(|look| seen.add(look, 10_001).err().map(|flaw| (look, flaw.to_string())));
        let (look, flaw) = refused.expect("it is refused");
        assert_eq!(look, 3_699);
        assert!(flaw.starts_with("looks: row 3699: found 37003700 processes, threads"), "{flaw}");
    }
}
