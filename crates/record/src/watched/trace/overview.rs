//! What a part of a trace holds in short, so that who looks at the whole need not unpack it: made when the trace is kept, of its calls alone, since
//! what waits is judged anew by each version.

use numawise_facts::activity::{MessageSide, ThreadTrace, TracedCall, TracedKind, TracedMessage};
use numawise_units::packed::{Packed, Unpacked};
use numawise_units::{Bytes, Nanoseconds};
use rusqlite::{Transaction, params};

use super::{deflated, inflated, packed};

/// Calls of a bin, on average.
const OF_A_BIN: usize = 32;
/// Bins of a part: less than a hundredth of what its calls take.
const MOST_BINS: usize = 512;

/// What a thread did in one of equal spans of time, from the begin of a part's first call to the end of its last one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PartBin {
    /// The shares of it in calls and in polls, up to 65535 both together.
    pub in_calls: u16,
    pub polls: u16,
    /// In messages that began in it.
    pub sent: Bytes,
    /// By collective calls that began in it.
    pub collective: Bytes,
}

pub fn insert(
    transaction: &Transaction<'_>,
    (process, thread, part): (i64, i64, i64),
    trace: &ThreadTrace,
    (calls, messages): (&[TracedCall], &[TracedMessage]),
) -> rusqlite::Result<()> {
    let edges = ThreadTrace::calls_at_edges(&trace.sites, calls, None);
    let mut row = transaction.prepare_cached("INSERT INTO overview VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    let events = (calls.len() + messages.len()) as i64;
    row.execute(params![process, thread, part, events, packed(&edges, &[]), bins(calls, messages)])?;
    Ok(())
}

fn bins(calls: &[TracedCall], messages: &[TracedMessage]) -> Vec<u8> {
    let begin = calls.first().map_or(Nanoseconds(0), |call| call.begin);
    let length = calls.last().map_or(0, |call| call.end.saturating_sub(begin).0);
    let count = calls.len().div_ceil(OF_A_BIN).min(MOST_BINS).min(length as usize);
    let mut bins = vec![([0.0; 2], [0u64; 2]); count];
    let scale = count as f64 / length.max(1) as f64;
    let mut messages = messages.iter();
    for call in calls {
        let place = |moment: Nanoseconds| (moment.saturating_sub(begin).0 as f64 * scale).min(count as f64);
        let (from, to) = (place(call.entered()), place(call.end));
        let state = usize::from(matches!(call.kind, TracedKind::Polls { .. }));
        for (number, (times, _)) in bins.iter_mut().enumerate().skip(from as usize) {
            let (first, end) = (from.max(number as f64), to.min(number as f64 + 1.0));
            if first >= end {
                break;
            }
            times[state] += end - first;
        }
        let sent = messages.by_ref().take(call.messages as usize);
        let sent = sent
            .filter(|of| of.end == MessageSide::Sent)
            .fold(0, |sum: u64, of| sum.saturating_add(of.bytes.0));
        let is_collective = matches!(call.kind, TracedKind::Collective { .. });
        let volume = [sent, if is_collective { call.bytes.0 } else { 0 }];
        if let Some((_, sums)) = bins.get_mut((from as usize).min(count.saturating_sub(1))) {
            sums.iter_mut().zip(volume).for_each(|(sum, of)| *sum = sum.saturating_add(of));
        }
    }
    let mut out = Packed::default();
    out.number(count as u64);
    for (times, volume) in bins {
        let mut rest = f64::from(u16::MAX);
        for time in times {
            let share = (time * f64::from(u16::MAX)).round().min(rest);
            rest -= share;
            out.number(share as u64);
        }
        volume.into_iter().for_each(|bytes| out.number(bytes));
    }
    deflated(&out.into_bytes())
}

/// Nothing where the blob does not hold what it should.
pub fn read_bins(blob: &[u8], room: &mut Vec<u8>) -> Option<Vec<PartBin>> {
    let mut all = Unpacked::of(inflated(blob, room)?);
    let count = all.number().filter(|count| *count <= MOST_BINS as u64)?;
    let mut bin = || {
        let in_calls = u16::try_from(all.number()?).ok()?;
        let polls = u16::try_from(all.number()?).ok().filter(|polls| *polls <= u16::MAX - in_calls)?;
        Some(PartBin { in_calls, polls, sent: Bytes(all.number()?), collective: Bytes(all.number()?) })
    };
    let bins = (0..count).map(|_| bin()).collect::<Option<Vec<PartBin>>>()?;
    all.is_empty().then_some(bins)
}
