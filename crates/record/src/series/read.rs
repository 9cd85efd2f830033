//! From rows to snapshots.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use numawise_facts::{
    Machine, MemorySnapshot, PageUse, PolicyShare, Reading, Snapshot, TaskSnapshot, ThreadSnapshot,
};
use numawise_units::{Bytes, CpuId, CpuSet, Nanoseconds, NodeId, Pid};
use rusqlite::{Connection, OptionalExtension, Row};

use super::state::Who;
use crate::RecordError;

/// The machine that was looked at.
pub fn machine(connection: &Connection, path: &Path) -> Result<Machine, RecordError> {
    let text: Option<String> = connection
        .query_row("SELECT machine FROM series", [], |row| row.get(0))
        .optional()
        .map_err(|e| RecordError::sqlite(path, "read it", e))?;
    let text = text.ok_or_else(|| RecordError::damaged(path, "the table 'series' is empty"))?;
    serde_json::from_str(&text).map_err(|e| RecordError::damaged(path, format!("series.machine: {e}")))
}

/// Calls `each` with the machine, the session and the snapshot of every look.
pub fn replay(
    connection: &Connection,
    path: &Path,
    mut each: impl FnMut(&Machine, u32, &Snapshot),
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
        while let Some(row) = looks.next()? {
            let (look, session) = (row.get(0)?, row.get(1)?);
            replay.advance(look, session)?;
            let tasks =
                replay.tasks().map_err(|problem| Failure::Nonsense(format!("look {look}: {problem}")))?;
            let (unix_time, at) = (nanoseconds(row, 2)?, nanoseconds(row, 3)?);
            each(&machine, session, &Snapshot { at, unix_time, tasks });
        }
        Ok(())
    };
    match looks() {
        Ok(()) => Ok(machine),
        Err(Failure::Sqlite(error)) => Err(RecordError::sqlite(path, "read it", error)),
        Err(Failure::Nonsense(problem)) => Err(RecordError::damaged(path, problem)),
    }
}

enum Failure {
    Sqlite(rusqlite::Error),
    /// The rows do not make sense.
    Nonsense(String),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Failure::Sqlite(error)
    }
}

impl From<String> for Failure {
    fn from(problem: String) -> Self {
        Failure::Nonsense(problem)
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
    fn new(connection: &'a Connection) -> Result<Self, Failure> {
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
            replay.described.insert(row.get("task")?, described(row)?);
        }
        let mut rows = connection.prepare("SELECT thread, task, tid, started_ns, name FROM threads")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let who = (Pid(row.get(2)?), nanoseconds(row, 3)?);
            replay.threads.insert(row.get(0)?, (row.get(1)?, who, row.get(4)?));
        }
        let mut rows = connection.prepare("SELECT mask, cpus FROM masks")?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let list: String = row.get(1)?;
            let cpus = list.parse().map_err(|e| format!("masks.cpus: {e}"))?;
            replay.masks.insert(row.get(0)?, cpus);
        }
        Ok(replay)
    }

    /// Goes on to a look.
    fn advance(&mut self, look: i64, session: u32) -> Result<(), Failure> {
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

    fn read_reasons(&mut self, look: i64) -> Result<(), Failure> {
        let mut rows = self
            .connection
            .prepare_cached("SELECT task, thread, what, reason FROM unavailable WHERE look = ?1")?;
        let mut rows = rows.query([look])?;
        while let Some(row) = rows.next()? {
            self.reasons.insert((row.get(0)?, row.get(1)?, row.get(2)?), row.get(3)?);
        }
        Ok(())
    }

    fn read_tasks(&mut self, look: i64) -> Result<(), Failure> {
        let mut rows = self
            .connection
            .prepare_cached("SELECT task, there, threads, mappings FROM task_looks WHERE look = ?1")?;
        let mut rows = rows.query([look])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            if !row.get::<_, bool>(1)? {
                self.there.remove(&id);
                continue;
            }
            let task = self.there.entry(id).or_default();
            task.threads_known = row.get::<_, Option<i64>>(2)?.is_some();
            task.mappings = row.get::<_, Option<i64>>(3)?.map(i64::cast_unsigned);
        }
        Ok(())
    }

    fn read_threads(&mut self, look: i64) -> Result<(), Failure> {
        let mut rows = self.connection.prepare_cached("SELECT * FROM thread_looks WHERE look = ?1")?;
        let mut rows = rows.query([look])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get("thread")?;
            let (task_id, who, name) =
                self.threads.get(&id).ok_or_else(|| format!("look {look}: there is no thread {id}"))?;
            // The threads of a task that has ended are seen no more, either.
            let Some(task) = self.there.get_mut(task_id) else { continue };
            let Some(state) = row.get::<_, Option<String>>("state")? else {
                task.threads.remove(who);
                continue;
            };
            let missing = |what: &str| {
                let reason = self.reasons.get(&(*task_id, Some(id), what.to_owned()));
                reason.cloned().unwrap_or_else(|| "not recorded".to_owned())
            };
            let mask = match row.get::<_, Option<i64>>("mask")? {
                Some(mask) => Reading::Measured(
                    self.masks.get(&mask).cloned().ok_or_else(|| format!("there is no mask {mask}"))?,
                ),
                None => Reading::unavailable(missing("mask")),
            };
            let migrations = match row.get::<_, Option<i64>>("migrations")? {
                Some(count) => Reading::Measured(count.cast_unsigned()),
                None => Reading::unavailable(missing("migrations")),
            };
            let count = |column: &str| row.get::<_, i64>(column).map(i64::cast_unsigned);
            let thread = ThreadSnapshot {
                tid: who.0,
                name: name.clone(),
                state: state.chars().next().ok_or_else(|| format!("thread {id} has an empty state"))?,
                cpu: CpuId(row.get("cpu")?),
                mask,
                cpu_time: Nanoseconds(count("cpu_ns")?),
                started: who.1,
                migrations,
                minor_faults: count("minor_faults")?,
                major_faults: count("major_faults")?,
            };
            task.threads.insert(*who, thread);
        }
        Ok(())
    }

    fn read_memory(&mut self, look: i64) -> Result<(), Failure> {
        let mut rows = self
            .connection
            .prepare_cached("SELECT task, used_for, node, bytes FROM memory_looks WHERE look = ?1")?;
        let mut rows = rows.query([look])?;
        while let Some(row) = rows.next()? {
            let Some(task) = self.there.get_mut(&row.get(0)?) else { continue };
            let place = (page_use(&row.get::<_, String>(1)?)?, NodeId(row.get(2)?));
            match row.get::<_, Option<i64>>(3)? {
                None | Some(0) => task.by_use.remove(&place),
                Some(bytes) => task.by_use.insert(place, Bytes(bytes.cast_unsigned())),
            };
        }
        Ok(())
    }

    fn read_policies(&mut self, look: i64) -> Result<(), Failure> {
        let mut rows = self.connection.prepare_cached(
            "SELECT task, position, policy, mappings, node, bytes FROM policy_looks WHERE look = ?1 ORDER BY rowid",
        )?;
        let mut rows = rows.query([look])?;
        let mut last: Option<(i64, i64)> = None;
        while let Some(row) = rows.next()? {
            let (id, position): (i64, i64) = (row.get(0)?, row.get(1)?);
            let Some(task) = self.there.get_mut(&id) else { continue };
            if last.is_none_or(|(task, _)| task != id) {
                task.by_policy.clear();
            }
            let new = last.replace((id, position)) != Some((id, position));
            let Some(policy) = row.get::<_, Option<String>>(2)? else { continue };
            if new {
                let mappings = row.get::<_, i64>(3)?.cast_unsigned();
                task.by_policy.push(PolicyShare { policy, mappings, by_node: Vec::new() });
            }
            let share = task.by_policy.last_mut();
            if let (Some(share), Some(node)) = (share, row.get::<_, Option<u32>>(4)?) {
                share.by_node.push((NodeId(node), Bytes(row.get::<_, i64>(5)?.cast_unsigned())));
            }
        }
        Ok(())
    }

    fn tasks(&self) -> Result<Vec<TaskSnapshot>, String> {
        let task = |(id, now): (&i64, &Task)| {
            let described = self.described.get(id).ok_or_else(|| format!("there is no task {id}"))?;
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
        let mut tasks: Vec<TaskSnapshot> = self.there.iter().map(task).collect::<Result<_, String>>()?;
        tasks.sort_by_key(|task| (task.pid, task.started));
        Ok(tasks)
    }
}

/// A row of `tasks`, without threads and memory.
fn described(row: &Row<'_>) -> rusqlite::Result<TaskSnapshot> {
    let reason = |column: &str| {
        let reason: Option<String> = row.get(column)?;
        Ok::<_, rusqlite::Error>(reason.unwrap_or_else(|| "not recorded".to_owned()))
    };
    Ok(TaskSnapshot {
        pid: Pid(row.get("pid")?),
        parent: Pid(row.get("parent")?),
        name: row.get("name")?,
        command: match row.get("command")? {
            Some(command) => Reading::Measured(command),
            None => Reading::unavailable(reason("command_missing")?),
        },
        user: row.get("user")?,
        rank: match row.get("rank")? {
            Some(rank) => Reading::Measured(rank),
            None => Reading::unavailable(reason("rank_missing")?),
        },
        started: Nanoseconds(row.get::<_, i64>("started_ns")?.cast_unsigned()),
        threads: Reading::unavailable("not recorded"),
        memory: Reading::unavailable("not recorded"),
    })
}

fn nanoseconds(row: &Row<'_>, column: usize) -> rusqlite::Result<Nanoseconds> {
    row.get::<_, i64>(column).map(|value| Nanoseconds(value.cast_unsigned()))
}

fn page_use(word: &str) -> Result<PageUse, String> {
    let known = PageUse::ALL.into_iter().find(|used_for| used_for.to_string() == word);
    known.ok_or_else(|| format!("memory_looks.used_for: '{word}' is not known"))
}
