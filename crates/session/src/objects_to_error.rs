//! What keeps objects from being put on nodes.

use std::path::PathBuf;

use numawise_facts::notice::PreloadObstacle;
use numawise_units::{Bytes, NodeSet};

/// Why objects cannot be put anywhere.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjectsToError {
    #[error("{} holds the objects of {found}, and {expected} is to be started", record.display())]
    OtherProgram { record: PathBuf, found: String, expected: String },
    #[error(
        "{file} was changed after the run in {}: its objects are known there by addresses in the file of then; expected a record \
         of the program as it is now", record.display()
    )]
    Changed { record: PathBuf, file: String },
    #[error("which objects of {} have the most time is not known: {reason}; name them: {}:NAME,NAME ({})",
        record.display(), record.display(), known(names))]
    NotChosen { record: PathBuf, reason: String, names: Vec<String> },
    #[error(
        "no object of {} fits into what is free on node {nodes}, {free}, and has time for memory", record.display()
    )]
    NothingFits { record: PathBuf, nodes: NodeSet, free: Bytes },
    #[error("{} has no object named {}; {}", record.display(), missing.join(", "), known(names))]
    NoSuchObjects { record: PathBuf, missing: Vec<String>, names: Vec<String> },
    #[error("none of the objects can be told from others: {reason}")]
    NoSites { reason: String },
    #[error(
        "these are more objects, or in more files, than can be handed to a program: {objects}; name fewer"
    )]
    TooMany { objects: usize },
    /// The words are the face's.
    #[error("the library that puts objects on nodes is not loaded into the program")]
    NotPreloadable { obstacle: PreloadObstacle },
}

fn known(names: &[String]) -> String {
    match names {
        [] => "none has a name; a line such as solve.c:41 stands for what is allocated through it".to_owned(),
        names => format!("there are {}, or a line such as solve.c:41", names.join(", ")),
    }
}
