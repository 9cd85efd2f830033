//! A trace in slices has the tables of the whole one.

use std::collections::HashMap;

use numawise_facts::activity::{ThreadTrace, TracedCall, TracedMessage};
use numawise_traces::{CallStreams, Sliced, sliced};

use super::*;
use crate::snapshot::counted;

/// The traces of some ranks, read call by call.
pub struct InMemory {
    all: HashMap<(u32, i32), (Vec<TracedCall>, Vec<TracedMessage>)>,
}

impl CallStreams for InMemory {
    fn read(&mut self, of: &Activity, tid: i32, most: usize, into: &mut ThreadTrace) -> Option<bool> {
        let (calls, messages) = self.all.get_mut(&(of.pid.0 as u32, tid))?;
        let most = most.min(calls.len());
        let of_them: usize = calls[..most].iter().map(|call| call.messages as usize).sum();
        into.calls.extend(calls.drain(..most));
        into.messages.extend(messages.drain(..of_them));
        Some(!calls.is_empty())
    }
}

/// The same ranks with calls at the edges, and the streams of all.
fn split(ranks: &[Activity]) -> (Vec<Activity>, InMemory) {
    let (mut ranks, mut all) = (ranks.to_vec(), HashMap::new());
    let losses = ranks.iter().filter_map(|rank| rank.lost.trace).filter(|loss| loss.until.is_none());
    let until = losses.map(|loss| loss.since).min();
    for rank in &mut ranks {
        let pid = rank.pid.0 as u32;
        for thread in rank.threads.measured_mut().into_iter().flatten() {
            let Some(trace) = thread.trace.as_mut().map(Arc::make_mut) else { continue };
            let edges = ThreadTrace::calls_at_edges(&trace.sites, &trace.calls, until);
            let calls = std::mem::replace(&mut trace.calls, edges);
            all.insert((pid, thread.tid.0), (calls, std::mem::take(&mut trace.messages)));
        }
    }
    (ranks, InMemory { all })
}

pub fn in_slices(ranks: &[Activity], part: Option<&TracePart>, calls: usize) -> Sliced {
    let (ranks, mut streams) = split(ranks);
    let (places, machines) = Default::default();
    let parts = RunParts {
        trace_part: part,
        activities: &ranks,
        merged: None,
        places: &places,
        asked: None,
        exit: None,
        unwatched: Nanoseconds(0),
        machines: &machines,
    };
    sliced(super::super::input(&counted(&parts).0), &mut streams, calls).expect("a trace")
}

/// All but what a slice cannot know is the same, whatever the size of slices.
pub fn check(ranks: &[Activity], part: Option<&TracePart>, whole: &RunTrace) {
    if whole.is_end {
        return;
    }
    // The smallest ones of small traces only: each slice takes its time.
    let few = if whole.calls < 40 { 1 } else { 25 };
    for calls in [few, 3 * few, 7 * few, 1000] {
        let found = in_slices(ranks, part, calls).tables;
        let slices = found.slices.expect("slices");
        assert_eq!((slices.forgotten, slices.has_period), (0, true));
        let causes = if slices.slices == 1 { found.causes.clone() } else { whole.causes.clone() };
        let found = RunTrace { slices: None, what_if: whole.what_if.clone(), causes, ..found };
        let lines = |of: &RunTrace| format!("{of:#?}").lines().map(str::to_owned).collect::<Vec<String>>();
        let (found, expected) = (lines(&found), lines(whole));
        let first = found.iter().zip(&expected).position(|(one, other)| one != other);
        let around = |of: &[String]| {
            let at = first.unwrap_or(found.len().min(expected.len()));
            of[at.saturating_sub(12)..(at + 4).min(of.len())].join("\n")
        };
        assert!(
            first.is_none() && found.len() == expected.len(),
            "{calls} calls, {slices:?}\n{}\nexpected\n{}",
            around(&found),
            around(&expected)
        );
    }
}
