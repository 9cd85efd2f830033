//! Memory objects of an earlier run that are put on nodes in the next one, without a change of the program: known by where the calls of their
//! allocation return to.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use numawise_facts::notice::LaunchNotice;
use numawise_facts::objects::{FileAddress, MemoryObject, ObjectKind};
use numawise_facts::{Machine, Notice, ObjectRun, Reading, RunSpec};
use numawise_launch::{Change, HeapLibrary, LaunchError, ObjectRules, PlacedObject, Spread};
use numawise_tables::ObjectTables;
use numawise_tables::objects::ObjectRow;
use numawise_units::{CpuSet, NodeSet};

use crate::{Error, here};

pub use crate::objects_to_error::ObjectsToError;

#[cfg(test)]
#[path = "objects_to_tests.rs"]
mod tests;

/// Where objects are to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectTarget {
    /// The high-bandwidth memory nearest to the CPUs of the task.
    Hbm,
    Nodes(NodeSet),
    /// Pages in turn on these nodes; without any, on those with ordinary memory.
    Interleaved(Option<NodeSet>),
}

/// Which objects are to go where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectsTo {
    pub target: ObjectTarget,
    /// Of a run of the same program.
    pub record: PathBuf,
    /// Those with these names, with a line (`solve.c:41`) among the calls of their allocation, or with a number in the record (`#3`); without any those
    /// that fit there together and have the most time for memory.
    pub names: Vec<String>,
}

/// What the environment of a program gets, and what goes where.
#[derive(Debug)]
pub(crate) struct ObjectChanges {
    pub changes: Vec<Change>,
    pub notes: Vec<Notice>,
}

/// Reads the record and makes the rules. `cpus`: those of the task, on which the nearest memory depends; none where it is not placed.
pub(crate) fn changes(
    asked: &ObjectsTo,
    command: &RunSpec,
    cpus: &CpuSet,
    changes: &[Change],
    environment: &dyn Fn(&str) -> Option<OsString>,
) -> Result<ObjectChanges, Error> {
    let run = numawise_record::read_object_run(&asked.record)?;
    is_of_program(asked, &run, command)?;
    let machine = here::full()?.machine;
    let cpus = if cpus.is_empty() { &machine.allowed_cpus } else { cpus };
    let nodes = match &asked.target {
        ObjectTarget::Hbm => numawise_placement::hbm_near(&machine, cpus)?,
        ObjectTarget::Nodes(nodes) => {
            numawise_placement::check_memory(&machine, nodes)?;
            nodes.clone()
        }
        ObjectTarget::Interleaved(Some(nodes)) => {
            numawise_placement::check_memory(&machine, nodes)?;
            nodes.clone()
        }
        ObjectTarget::Interleaved(None) => numawise_placement::ordinary_nodes(&machine)?,
    };
    let own = std::env::current_exe();
    let own = own.map_err(|source| LaunchError::System { call: "reading the path of numawise", source })?;
    let library = HeapLibrary::of_program(&own)?;
    if let Some(obstacle) =
        command.command.first().and_then(|program| library.obstacle(Path::new(program.as_os_str())))
    {
        return Err(ObjectsToError::NotPreloadable { obstacle }.into());
    }
    let (rules, notes) = rules(asked, &run, &machine, &nodes)?;
    Ok(ObjectChanges { changes: library.rule_changes(&rules, changes, environment), notes })
}

fn rules(
    asked: &ObjectsTo,
    run: &ObjectRun,
    machine: &Machine,
    nodes: &NodeSet,
) -> Result<(ObjectRules, Vec<Notice>), ObjectsToError> {
    let tables = numawise_analyse::objects(run);
    let spread = match asked.target {
        ObjectTarget::Interleaved(_) => Spread::Interleaved,
        ObjectTarget::Hbm | ObjectTarget::Nodes(_) => Spread::Preferred,
    };
    let (mut objects, mut notes, mut reason) = (Vec::new(), Vec::new(), None);
    for row in rows(asked, run, &tables, machine, nodes)? {
        let row = &tables.rows[row];
        let name = row.name.measured().cloned();
        match placed(&run.objects[row.object]) {
            Ok(object) => {
                let at = row.allocated.clone();
                let notice = LaunchNotice::ObjectPut {
                    name,
                    bytes: row.bytes,
                    allocated: at,
                    nodes: nodes.clone(),
                    interleaved: spread == Spread::Interleaved,
                };
                notes.push(notice.into());
                // Threads of several processes of a program have the same calls.
                if !objects.contains(&object) {
                    objects.push(object);
                }
            }
            Err(why) => {
                notes.push(LaunchNotice::ObjectNotPut { name, reason: why.clone() }.into());
                reason = Some(why);
            }
        }
    }
    if let (true, Some(reason)) = (objects.is_empty(), reason) {
        return Err(ObjectsToError::NoSites { reason });
    }
    is_unchanged(asked, run, &objects)?;
    let rules = ObjectRules::new(nodes, spread, &objects, run.watching.least);
    Ok((rules.ok_or(ObjectsToError::TooMany { objects: objects.len() })?, notes))
}

/// Rows of the objects that are asked for.
fn rows(
    asked: &ObjectsTo,
    run: &ObjectRun,
    tables: &ObjectTables,
    machine: &Machine,
    nodes: &NodeSet,
) -> Result<Vec<usize>, ObjectsToError> {
    let named = tables.rows.iter().filter(|row| numawise_analyse::can_be_put(row));
    let mut names: Vec<String> = named.filter_map(|row| row.name.measured().cloned()).collect();
    let mut met = std::collections::HashSet::new();
    names.retain(|name| met.insert(name.clone()));
    let record = || asked.record.clone();
    if asked.names.is_empty() {
        let choice = numawise_analyse::choice_for(tables, machine, nodes);
        let choice = match choice {
            Reading::Measured(choice) => choice,
            Reading::Unavailable { unavailable } => {
                let reason = unavailable.to_string();
                return Err(ObjectsToError::NotChosen { record: record(), reason, names });
            }
        };
        if choice.chosen.is_empty() {
            return Err(ObjectsToError::NothingFits {
                record: record(),
                nodes: nodes.clone(),
                free: choice.capacity,
            });
        }
        return Ok(choice.chosen.iter().map(|chosen| chosen.row).collect());
    }
    let called = |row: &ObjectRow, name: &String| {
        numawise_analyse::can_be_put(row)
            && (row.name.measured() == Some(name)
                || has_line(run, &run.objects[row.object], name)
                || name.strip_prefix('#').is_some_and(|number| number.parse() == Ok(row.object)))
    };
    let is_missing = |name: &&String| !tables.rows.iter().any(|row| called(row, name));
    let missing: Vec<String> = asked.names.iter().filter(is_missing).cloned().collect();
    if !missing.is_empty() {
        return Err(ObjectsToError::NoSuchObjects { record: record(), missing, names });
    }
    let rows = tables.rows.iter().enumerate();
    let rows = rows.filter(|(_, row)| asked.names.iter().any(|name| called(row, name)));
    Ok(rows.map(|(k, _)| k).collect())
}

/// Whether a line, as `solve.c:41`, is one of those that an object was allocated through.
fn has_line(run: &ObjectRun, object: &MemoryObject, wanted: &str) -> bool {
    let Some((file, line)) = wanted.rsplit_once(':') else { return false };
    let Ok(line) = line.parse::<u32>() else { return false };
    let places = object.allocated.measured().into_iter().flatten();
    places.filter_map(|place| run.places.get(*place as usize)).any(|place| {
        let of = place.source.file.measured();
        place.source.line.measured() == Some(&line) && of.is_some_and(|of| Path::new(of).ends_with(file))
    })
}

/// An object as a rule knows it, or why none does.
fn placed(object: &MemoryObject) -> Result<PlacedObject, String> {
    let site = match &object.site {
        Reading::Measured(site) => site.clone(),
        Reading::Unavailable { unavailable } => return Err(unavailable.to_string()),
    };
    match (object.kind, site.as_slice()) {
        (_, []) => Err("its call stack is empty".to_owned()),
        (ObjectKind::Global, [at, ..]) => Ok(PlacedObject::Variable { at: at.clone(), bytes: object.bytes }),
        _ => Ok(PlacedObject::Calls(of_program(site))),
    }
}

/// Without what runs before main or the function of a thread: it is the same for all, and another where the C library is.
fn of_program(mut calls: Vec<FileAddress>) -> Vec<FileAddress> {
    let is_libc = |call: &FileAddress| {
        let name = Path::new(&call.file).file_name().unwrap_or_default();
        name.as_encoded_bytes().starts_with(b"libc.so") || name.as_encoded_bytes().starts_with(b"ld-")
    };
    // The program's own begin, which calls the C library's.
    if calls.len() > 2 && calls.get(calls.len() - 2).is_some_and(is_libc) {
        calls.pop();
    }
    while calls.len() > 1 && calls.last().is_some_and(is_libc) {
        calls.pop();
    }
    calls
}

/// One of the words of the command is the program of the record, which something else may start.
fn is_of_program(asked: &ObjectsTo, run: &ObjectRun, command: &RunSpec) -> Result<(), ObjectsToError> {
    let name =
        |word: &numawise_facts::Argument| Path::new(word.as_os_str()).file_name().map(ToOwned::to_owned);
    let Some(found) = run.header.command.command.first() else { return Ok(()) };
    let is_there =
        name(found).is_some_and(|found| command.command.iter().any(|word| name(word) == Some(found.clone())));
    if is_there {
        return Ok(());
    }
    let shown = |word: Option<&numawise_facts::Argument>| {
        word.map_or_else(String::new, |word| word.as_os_str().to_string_lossy().into_owned())
    };
    Err(ObjectsToError::OtherProgram {
        record: asked.record.clone(),
        found: shown(Some(found)),
        expected: shown(command.command.first()),
    })
}

/// None of the files was written since: their addresses are those of the record.
fn is_unchanged(asked: &ObjectsTo, run: &ObjectRun, objects: &[PlacedObject]) -> Result<(), ObjectsToError> {
    let frames = objects.iter().flat_map(|object| match object {
        PlacedObject::Calls(calls) => calls.as_slice(),
        PlacedObject::Variable { at, .. } => std::slice::from_ref(at),
    });
    let begun = UNIX_EPOCH + Duration::from_nanos(run.header.begun.0);
    let mut known = std::collections::HashSet::new();
    for frame in frames.filter(|frame| known.insert(frame.file.as_str())) {
        // One that is elsewhere here is known by its name alone.
        let written = std::fs::metadata(&frame.file).and_then(|file| file.modified());
        if written.is_ok_and(|written| written > begun) {
            return Err(ObjectsToError::Changed { record: asked.record.clone(), file: frame.file.clone() });
        }
    }
    Ok(())
}
