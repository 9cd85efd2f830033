//! What a trace does not say that was analysed in slices.

use numawise_tables::snapshot::RunTrace;
use numawise_units::Nanoseconds;

use super::super::words;
use super::share;
use crate::amount::many;

/// What the headline rests on.
pub fn headline(of: &RunTrace) -> String {
    of.slices.map_or_else(String::new, |slices| format!("analysed in {}: ", many(slices.slices, "slice")))
}

/// Of which there are figures, but not of all.
pub fn lines(of: &RunTrace) -> Vec<String> {
    let Some(slices) = of.slices else { return Vec::new() };
    let all = many(slices.slices, "slice");
    let calls = many(slices.calls, "call");
    let mut lines = vec![format!(
        "causes that lie before a slice: the trace is too large for the memory (--memory), and was analysed in {all} of {calls}; those of {} of the \
         waiting may be others",
        words::percent(share(slices.cut, of.times.waiting.max(Nanoseconds(1))))
    )];
    if !slices.has_period {
        lines.push("what ranks do again and again: there was no room for so many calls".to_owned());
    }
    if slices.forgotten > 0 {
        let forgotten = many(slices.forgotten, "call");
        lines.push(format!(
            "waiting for, or of, {forgotten} whose messages came too late: there was no room for them"
        ));
    }
    lines
}
