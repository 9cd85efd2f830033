//! The record of `numawise where --record`: looks at running processes, one SQLite file, written look by look.
//!
//! A look is kept as what changed since the one before, so that a job that does little costs little. The first look after
//! the file was opened is a new session and is kept whole: what went on between two sessions is not known.

mod look;
mod read;
mod state;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use numawise_facts::{Machine, Snapshot};
use numawise_units::{CpuSet, NodeId};
use rusqlite::{Connection, TransactionBehavior, params};

use crate::file::{check, connect, open_file, recognise, update};
use crate::lock::WriterLock;
use crate::schema::SERIES;
use crate::{RecordError, guard, make, valid, write};
use state::State;

/// A time series that looks are added to. As with a [`Record`](crate::Record) every change is one transaction, so that a
/// recorder that is killed loses at most the look in flight.
#[derive(Debug)]
pub struct Series {
    // The order matters: fields are dropped from the top, and the lock must go after the connection.
    connection: Connection,
    path: PathBuf,
    state: State,
    _lock: WriterLock,
}

impl Series {
    /// Makes a new series, or opens one to go on with it.
    ///
    /// # Errors
    /// [`RecordError::OtherKind`] and [`RecordError::NotARecord`] when the file is something else, which stays as it is;
    /// [`RecordError::OtherMachine`] when it was recorded on a machine with other nodes or CPUs; [`RecordError::Newer`],
    /// [`RecordError::InUse`], [`RecordError::Damaged`], or what the file system says.
    pub fn open(path: &Path, machine: &Machine) -> Result<Series, RecordError> {
        write::storable(machine)?;
        valid::machine(machine, "machine").map_err(|flaw| RecordError::Unstorable(flaw.to_string()))?;
        let there = path.metadata().ok();
        if there.as_ref().is_none_or(|file| file.is_file() && file.len() == 0) {
            match create(path, machine) {
                // Somebody else has just made it.
                Err(RecordError::Exists(_)) => {}
                created => return created,
            }
        }
        let lock = WriterLock::take(open_file(path, true)?, path)?;
        let resumed = resume(path, machine);
        if matches!(resumed, Err(RecordError::Empty(_))) {
            // Stopped by a numawise that made its files step by step.
            drop(lock);
            return create(path, machine);
        }
        let (connection, state) = resumed?;
        Ok(Series { connection, path: path.to_owned(), state, _lock: lock })
    }

    /// Keeps a look. When this returns, it is on the disk; when it fails, nothing of it is, and the next one may be tried.
    ///
    /// [`MemorySnapshot::largest`](numawise_facts::MemorySnapshot::largest) is not kept.
    ///
    /// # Errors
    /// [`RecordError::Full`], [`RecordError::Busy`], or what else SQLite says.
    pub fn append(&mut self, snapshot: &Snapshot) -> Result<(), RecordError> {
        // What reading would refuse is not written: one look must not cost all others.
        valid::look(snapshot).map_err(|flaw| RecordError::Unstorable(flaw.to_string()))?;
        let written = (|| {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let state = look::insert(&transaction, &self.state, snapshot)?;
            transaction.commit()?;
            Ok(state)
        })();
        self.state = written.map_err(|e| RecordError::sqlite(&self.path, "keep a look in it", e))?;
        Ok(())
    }

    /// The machine and all looks, in the order in which they were kept; also while somebody records. Threads come in the
    /// order of their numbers; [`MemorySnapshot::largest`](numawise_facts::MemorySnapshot::largest) is empty.
    ///
    /// # Errors
    /// As [`Series::replay`].
    pub fn read(path: &Path) -> Result<(Machine, Vec<Snapshot>), RecordError> {
        let mut looks = Vec::new();
        let machine = Series::replay(path, |_, _, snapshot| looks.push(Snapshot::clone(snapshot)))?;
        Ok((machine, looks))
    }

    /// Shows the looks one after another, with the machine and the number of their session, for files whose looks are more
    /// than one wants to hold at a time.
    ///
    /// # Errors
    /// Whatever keeps the file from being a series that we know and may read: see [`RecordError`].
    pub fn replay(
        path: &Path,
        each: impl FnMut(&Machine, u32, &Rc<Snapshot>),
    ) -> Result<Machine, RecordError> {
        drop(open_file(path, false)?);
        let mut connection = connect(path)?;
        guard::bound(&mut connection, path)?;
        recognise(&connection, path, &SERIES)?;
        check(&connection, path)?;
        read::replay(&connection, path, each)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn create(path: &Path, machine: &Machine) -> Result<Series, RecordError> {
    let bytes = make::bytes(path, &SERIES, |transaction| {
        transaction.execute(
            "INSERT INTO series VALUES (1, ?1, ?2)",
            params![env!("CARGO_PKG_VERSION"), write::json(machine)?],
        )?;
        write::machine(transaction, machine)
    })?;
    let lock = make::create(path, &bytes)?;
    Ok(Series { connection: connect(path)?, path: path.to_owned(), state: State::default(), _lock: lock })
}

fn resume(path: &Path, machine: &Machine) -> Result<(Connection, State), RecordError> {
    let mut connection = connect(path)?;
    guard::bound(&mut connection, path)?;
    let version = recognise(&connection, path, &SERIES)?;
    check(&connection, path)?;
    update(&mut connection, path, &SERIES, version)?;
    let recorded = read::machine(&connection, path)?;
    if !same(&recorded, machine) {
        return Err(RecordError::OtherMachine {
            path: path.to_owned(),
            recorded: in_words(&recorded),
            now: in_words(machine),
        });
    }
    let state = State::at_end(&connection).map_err(|e| RecordError::sqlite(path, "read it", e))?;
    guard::unbound(&mut connection, path)?;
    Ok((connection, state))
}

/// Whether the numbers of nodes and CPUs mean the same on both. What may be used of them, and how much memory is free, may
/// differ from session to session.
fn same(one: &Machine, other: &Machine) -> bool {
    layout(one) == layout(other)
}

fn layout(machine: &Machine) -> BTreeMap<NodeId, &CpuSet> {
    machine.nodes.iter().map(|node| (node.id, &node.cpus)).collect()
}

fn in_words(machine: &Machine) -> String {
    let nodes = layout(machine).into_iter().map(|(node, cpus)| {
        if cpus.is_empty() {
            format!("node {node} without CPUs")
        } else {
            format!("node {node} with CPUs {cpus}")
        }
    });
    match nodes.collect::<Vec<_>>() {
        none if none.is_empty() => format!("CPUs {} and no nodes", machine.online()),
        nodes => nodes.join(", "),
    }
}
