//! From a snapshot to the rows of what changed.

use std::collections::{BTreeMap, HashMap};

use numawise_facts::{MemorySnapshot, PageUse, PolicyShare, Reading, Snapshot, TaskSnapshot, ThreadSnapshot};
use numawise_units::{Bytes, NodeId};
use rusqlite::{Transaction, params};

use super::state::{Description, State, Task, Thread, Who};
use crate::write::integer;

/// Writes a look, and gives what the file says after it.
pub fn insert(transaction: &Transaction<'_>, before: &State, snapshot: &Snapshot) -> rusqlite::Result<State> {
    let mut writer = Writer { transaction, look: before.look, next: next_numbers(before) };
    transaction.prepare_cached("INSERT INTO looks VALUES (?1, ?2, ?3, ?4)")?.execute(params![
        before.look,
        before.session,
        integer(snapshot.unix_time.0),
        integer(snapshot.at.0),
    ])?;
    for task in &snapshot.tasks {
        let who = (task.pid, task.started);
        let description = Description::of(task);
        let known = before.tasks.get(&who).filter(|known| known.description == description);
        let written = writer.task(known, task, description)?;
        writer.next.tasks.insert(who, written);
    }
    for (who, task) in &before.tasks {
        if writer.next.tasks.get(who).is_none_or(|now| now.id != task.id) {
            writer.gone(task)?;
        }
    }
    Ok(writer.next)
}

/// Everything but the tasks.
fn next_numbers(before: &State) -> State {
    State {
        session: before.session,
        look: before.look + 1,
        task: before.task,
        thread: before.thread,
        tasks: HashMap::with_capacity(before.tasks.len()),
        masks: before.masks.clone(),
    }
}

struct Writer<'a> {
    transaction: &'a Transaction<'a>,
    look: i64,
    next: State,
}

/// The resident memory by use and node; what is empty is not there.
type ByUse = BTreeMap<(PageUse, NodeId), Bytes>;

impl Writer<'_> {
    fn task(
        &mut self,
        known: Option<&Task>,
        task: &TaskSnapshot,
        description: Description,
    ) -> rusqlite::Result<Task> {
        let id = match known {
            Some(known) => known.id,
            None => self.new_task(task)?,
        };
        let none = Task {
            id,
            description,
            counts: (None, None),
            threads: HashMap::new(),
            by_use: BTreeMap::new(),
            by_policy: Vec::new(),
            missing: BTreeMap::new(),
        };
        let before = known.unwrap_or(&none);
        let counts = (
            task.threads.measured().map(|threads| threads.len() as u64),
            task.memory.measured().map(|memory| memory.mappings),
        );
        if known.is_none() || before.counts != counts {
            self.insert_task_look(id, true, counts)?;
        }
        let missing = self.missing(id, before, task)?;
        let threads =
            self.threads(id, &before.threads, task.threads.measured().map_or(&[][..], Vec::as_slice))?;
        let nothing = MemorySnapshot::default();
        let memory = task.memory.measured();
        let by_use = by_use(memory.unwrap_or(&nothing));
        self.memory(id, &before.by_use, &by_use, memory.is_some())?;
        let by_policy = memory.map_or_else(Vec::new, |memory| memory.by_policy.clone());
        self.policies(id, &before.by_policy, &by_policy, memory.is_some())?;
        Ok(Task { counts, threads, by_use, by_policy, missing, ..none })
    }

    fn new_task(&mut self, task: &TaskSnapshot) -> rusqlite::Result<i64> {
        let id = self.next.task;
        self.next.task += 1;
        self.transaction
            .prepare_cached("INSERT INTO tasks VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?
            .execute(params![
                id,
                task.pid.0,
                task.parent.0,
                integer(task.started.0),
                task.name,
                task.user,
                task.command.measured(),
                task.command.reason().map(|reason| reason.0.as_ref()),
                task.rank.measured(),
                task.rank.reason().map(|reason| reason.0.as_ref()),
            ])?;
        Ok(id)
    }

    fn insert_task_look(
        &self,
        task: i64,
        there: bool,
        (threads, mappings): (Option<u64>, Option<u64>),
    ) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached("INSERT INTO task_looks VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![self.look, task, there, threads.map(integer), mappings.map(integer)])
            .map(drop)
    }

    /// Writes the reasons that are new, and gives all of them.
    fn missing(
        &self,
        id: i64,
        before: &Task,
        task: &TaskSnapshot,
    ) -> rusqlite::Result<BTreeMap<&'static str, String>> {
        let reasons = [
            ("threads", task.threads.as_ref().map(drop).reason().map(ToString::to_string)),
            ("memory", task.memory.as_ref().map(drop).reason().map(ToString::to_string)),
        ];
        let missing: BTreeMap<_, _> =
            reasons.into_iter().filter_map(|(what, reason)| Some((what, reason?))).collect();
        for (what, reason) in &missing {
            if before.missing.get(what) != Some(reason) {
                self.unavailable(id, None, what, reason)?;
            }
        }
        Ok(missing)
    }

    fn unavailable(&self, task: i64, thread: Option<i64>, what: &str, reason: &str) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached("INSERT INTO unavailable VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![self.look, task, thread, what, reason])
            .map(drop)
    }

    fn threads(
        &mut self,
        task: i64,
        before: &HashMap<Who, Thread>,
        now: &[ThreadSnapshot],
    ) -> rusqlite::Result<HashMap<Who, Thread>> {
        let mut threads = HashMap::with_capacity(now.len());
        for thread in now {
            let who = (thread.tid, thread.started);
            let known = before.get(&who).filter(|known| known.last.name == thread.name);
            if let Some(known) = known.filter(|known| known.last == *thread) {
                threads.insert(who, known.clone());
                continue;
            }
            let id = match known {
                Some(known) => known.id,
                None => self.new_thread(task, thread)?,
            };
            self.reason(task, id, "mask", known.map(|k| &k.last.mask), &thread.mask)?;
            self.reason(task, id, "migrations", known.map(|k| &k.last.migrations), &thread.migrations)?;
            let mask = match known {
                Some(known) if known.last.mask == thread.mask => known.mask,
                _ => thread.mask.measured().map(|mask| self.mask(mask.to_string())).transpose()?,
            };
            self.insert_thread_look(id, thread, mask)?;
            threads.insert(who, Thread { id, last: thread.clone(), mask });
        }
        for (who, thread) in before {
            if threads.get(who).is_none_or(|now| now.id != thread.id) {
                self.thread_gone(thread.id)?;
            }
        }
        Ok(threads)
    }

    fn new_thread(&mut self, task: i64, thread: &ThreadSnapshot) -> rusqlite::Result<i64> {
        let id = self.next.thread;
        self.next.thread += 1;
        self.transaction
            .prepare_cached("INSERT INTO threads VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![id, task, thread.tid.0, integer(thread.started.0), thread.name])?;
        Ok(id)
    }

    /// Writes why there is no value, when that was not said before.
    fn reason<T: PartialEq>(
        &self,
        task: i64,
        thread: i64,
        what: &str,
        before: Option<&Reading<T>>,
        now: &Reading<T>,
    ) -> rusqlite::Result<()> {
        match now.reason() {
            Some(reason) if before.and_then(Reading::reason) != Some(reason) => {
                self.unavailable(task, Some(thread), what, &reason.0)
            }
            _ => Ok(()),
        }
    }

    fn insert_thread_look(
        &self,
        id: i64,
        thread: &ThreadSnapshot,
        mask: Option<i64>,
    ) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached("INSERT INTO thread_looks VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?
            .execute(params![
                self.look,
                id,
                thread.state.to_string(),
                thread.cpu.0,
                integer(thread.cpu_time.0),
                thread.migrations.measured().copied().map(integer),
                integer(thread.minor_faults),
                integer(thread.major_faults),
                mask,
            ])
            .map(drop)
    }

    fn thread_gone(&self, id: i64) -> rusqlite::Result<()> {
        self.transaction
            .prepare_cached("INSERT INTO thread_looks (look, thread) VALUES (?1, ?2)")?
            .execute(params![self.look, id])
            .map(drop)
    }

    fn mask(&mut self, cpus: String) -> rusqlite::Result<i64> {
        if let Some(id) = self.next.masks.get(&cpus) {
            return Ok(*id);
        }
        let id = self.next.masks.len() as i64;
        self.transaction.prepare_cached("INSERT INTO masks VALUES (?1, ?2)")?.execute(params![id, cpus])?;
        self.next.masks.insert(cpus, id);
        Ok(id)
    }

    /// Where memory went away it is 0 while the task is known, and NULL when nothing is known.
    fn memory(&self, task: i64, before: &ByUse, now: &ByUse, known: bool) -> rusqlite::Result<()> {
        let mut row =
            self.transaction.prepare_cached("INSERT INTO memory_looks VALUES (?1, ?2, ?3, ?4, ?5)")?;
        let mut write = |&(used_for, node): &(PageUse, NodeId), bytes: Option<Bytes>| {
            let bytes = bytes.map(|bytes| integer(bytes.0));
            row.execute(params![self.look, task, used_for.to_string(), node.0, bytes])
        };
        for (place, bytes) in now.iter().filter(|(place, bytes)| before.get(place) != Some(bytes)) {
            write(place, Some(*bytes))?;
        }
        for place in before.keys().filter(|place| !now.contains_key(place)) {
            write(place, known.then_some(Bytes(0)))?;
        }
        Ok(())
    }

    fn policies(
        &self,
        task: i64,
        before: &[PolicyShare],
        now: &[PolicyShare],
        known: bool,
    ) -> rusqlite::Result<()> {
        if before == now {
            return Ok(());
        }
        let mut row = self
            .transaction
            .prepare_cached("INSERT INTO policy_looks VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
        if now.is_empty() || !known {
            let nothing = None::<i64>;
            return row.execute(params![self.look, task, 0, nothing, nothing, nothing, nothing]).map(drop);
        }
        for (position, share) in now.iter().enumerate() {
            let mut write = |node: Option<u32>, bytes: u64| {
                let (position, mappings) = (position as i64, integer(share.mappings));
                row.execute(params![self.look, task, position, share.policy, mappings, node, integer(bytes)])
            };
            if share.by_node.is_empty() {
                write(None, 0)?;
            }
            for (node, bytes) in &share.by_node {
                write(Some(node.0), bytes.0)?;
            }
        }
        Ok(())
    }

    /// The task has ended, or is described anew: nothing of it holds any more.
    fn gone(&self, task: &Task) -> rusqlite::Result<()> {
        self.insert_task_look(task.id, false, (None, None))?;
        for thread in task.threads.values() {
            self.thread_gone(thread.id)?;
        }
        self.memory(task.id, &task.by_use, &ByUse::new(), false)?;
        self.policies(task.id, &task.by_policy, &[], false)
    }
}

fn by_use(memory: &MemorySnapshot) -> ByUse {
    let mut sums = ByUse::new();
    for (used_for, node, bytes) in memory.by_use.iter().filter(|(_, _, bytes)| bytes.0 > 0) {
        let sum = sums.entry((*used_for, *node)).or_default();
        *sum = *sum + *bytes;
    }
    sums
}
