//! Where memory objects go, as rules for the library that knows them by the calls of their allocation.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;

use numawise_facts::objects::FileAddress;
use numawise_units::{Bytes, NodeSet};
use numawise_wire::heap::rules::{self, Calls, InFile, MOST_FILES, MOST_RULES, MOST_TEXT, RULES};

pub use numawise_wire::heap::rules::Spread;

use crate::change::Change;
use crate::heap::HeapLibrary;

#[cfg(test)]
#[path = "object_rules_tests.rs"]
mod tests;

/// An object by what tells its allocations from all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlacedObject {
    /// What is allocated by these calls, by where they return to, innermost first.
    Calls(Vec<FileAddress>),
    Variable {
        at: FileAddress,
        bytes: Bytes,
    },
}

/// Rules, encoded for the environment of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectRules {
    text: String,
    least: Bytes,
}

impl ObjectRules {
    /// These objects go to these nodes; allocations below `least` bytes are of none of them. `None` where there are more objects, files or nodes than the
    /// environment of a program has room for.
    pub fn new(
        nodes: &NodeSet,
        spread: Spread,
        objects: &[PlacedObject],
        least: Bytes,
    ) -> Option<ObjectRules> {
        let mut names: Vec<&[u8]> = Vec::new();
        let mut numbers: HashMap<&[u8], u8> = HashMap::new();
        let mut text = String::new();
        let mut parts = String::new();
        for object in objects {
            let (frames, bytes) = match object {
                PlacedObject::Calls(frames) => (frames.as_slice(), None),
                PlacedObject::Variable { at, bytes } => (std::slice::from_ref(at), Some(bytes.0)),
            };
            let frames: Option<Vec<InFile>> = frames
                .iter()
                .map(|frame| {
                    let name = name(&frame.file)?;
                    let next = u8::try_from(names.len()).ok()?;
                    let file = *numbers.entry(name).or_insert_with(|| {
                        names.push(name);
                        next
                    });
                    Some(InFile::new(file, frame.address))
                })
                .collect();
            let frames = frames.filter(|frames| !frames.is_empty())?;
            match bytes {
                None => rules::write_calls(&Calls::of(frames), &mut parts),
                Some(bytes) => rules::write_variable(*frames.first()?, bytes, &mut parts),
            }
            .ok()?;
        }
        rules::begin(&mut text).ok()?;
        rules::write_nodes(nodes.words(), spread, &mut text).ok()?;
        names.iter().try_for_each(|name| rules::write_file(name, &mut text)).ok()?;
        text += &parts;
        let fits = names.len() <= MOST_FILES && objects.len() <= MOST_RULES && text.len() <= MOST_TEXT;
        fits.then_some(ObjectRules { text, least })
    }
}

/// The end of a path, by which the library knows a file.
fn name(path: &str) -> Option<&[u8]> {
    Some(Path::new(path).file_name()?.as_encoded_bytes())
}

impl HeapLibrary {
    /// `changes` and what has the library loaded, which puts objects where `rules` say. What is preloaded already stays.
    pub fn rule_changes(
        &self,
        rules: &ObjectRules,
        changes: &[Change],
        now: &dyn Fn(&str) -> Option<OsString>,
    ) -> Vec<Change> {
        let mut all = self.loaded(changes, now);
        all.push(Change::set(RULES.name(), rules.text.clone()));
        // Where objects are followed too, that says from how many bytes on.
        if now(numawise_wire::heap::FOLDER.name()).is_none() {
            all.push(Change::set(numawise_wire::heap::LEAST.name(), rules.least.0.to_string()));
        }
        all
    }
}
