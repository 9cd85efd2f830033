//! What the file says at its end, so that only changes are written.

use std::collections::{BTreeMap, HashMap};

use numawise_facts::{PageUse, PolicyShare, Reading, TaskSnapshot, ThreadSnapshot};
use numawise_units::{Bytes, Nanoseconds, NodeId, Pid};
use rusqlite::Connection;

/// With its start a number names a process or a thread for good.
pub type Who = (Pid, Nanoseconds);

/// The next numbers, and what the last look of this session left.
#[derive(Debug, Clone, Default)]
pub struct State {
    pub session: i64,
    pub look: i64,
    pub task: i64,
    pub thread: i64,
    pub tasks: HashMap<Who, Task>,
    /// The numbers of the masks in the file.
    pub masks: HashMap<String, i64>,
}

/// One row of `tasks`, and what was last written of it.
#[derive(Debug, Clone)]
pub struct Task {
    pub id: i64,
    pub description: Description,
    /// How many threads and mappings; `None` where they could not be had.
    pub counts: (Option<u64>, Option<u64>),
    pub threads: HashMap<Who, Thread>,
    pub by_use: BTreeMap<(PageUse, NodeId), Bytes>,
    pub by_policy: Vec<PolicyShare>,
    /// Why there are no threads, or no memory.
    pub missing: BTreeMap<&'static str, String>,
}

/// A row of `threads`, and what was last written of it.
#[derive(Debug, Clone)]
pub struct Thread {
    pub id: i64,
    pub last: ThreadSnapshot,
    pub mask: Option<i64>,
}

/// What is the same for all looks at a row of `tasks`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    parent: Pid,
    name: String,
    command: Reading<String>,
    user: u32,
    rank: Reading<u32>,
}

impl Description {
    pub fn of(task: &TaskSnapshot) -> Self {
        Description {
            parent: task.parent,
            name: task.name.clone(),
            command: task.command.clone(),
            user: task.user,
            rank: task.rank.clone(),
        }
    }
}

impl State {
    /// The next numbers in a file that is gone on with; nothing is known to go on as it was.
    pub fn at_end(connection: &Connection) -> rusqlite::Result<State> {
        let next = |column: &str, table: &str| {
            let sql = format!("SELECT coalesce(max({column}) + 1, 0) FROM {table}");
            connection.query_row(&sql, [], |row| row.get(0))
        };
        let mut masks = connection.prepare("SELECT cpus, mask FROM masks")?;
        let masks = masks.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(State {
            session: next("session", "looks")?,
            look: next("look", "looks")?,
            task: next("task", "tasks")?,
            thread: next("thread", "threads")?,
            tasks: HashMap::new(),
            masks: masks.collect::<Result<_, _>>()?,
        })
    }
}
