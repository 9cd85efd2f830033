//! What a run left behind.

use std::collections::BTreeMap;

use numawise_facts::{Activity, Exit, Machine, MergedRanks, RankSet, SourcePlaces, TracePart};
use numawise_units::Nanoseconds;

/// What is known of the processes of a run, and of the machines that they ran on.
#[derive(Debug, Clone, Copy)]
pub struct RunParts<'a> {
    pub activities: &'a [Activity],
    /// All ranks together, where `activities` has only those of them that stand out.
    pub merged: Option<&'a MergedRanks>,
    pub places: &'a SourcePlaces,
    /// The ranks that were asked for; none where all were. The others were left alone, and figures are of these.
    pub asked: Option<&'a RankSet>,
    /// How the program, or its launcher, ended, where it did.
    pub exit: Option<Exit>,
    /// How long processes computed of which there is no activity.
    pub unwatched: Nanoseconds,
    /// Of a trace, the part that is asked for; none where all is.
    pub trace_part: Option<&'a TracePart>,
    /// By host, as far as they are known.
    pub machines: &'a BTreeMap<String, &'a Machine>,
}
