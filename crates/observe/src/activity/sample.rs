//! Calls of MPI that were drawn.

use numawise_facts::activity::{CallSample, SampledCall};
use numawise_units::Nanoseconds;
use numawise_wire::snapshot::SampleKind;
use numawise_wire::snapshot::reader::SampleRecord;

use super::{Clock, Context};

pub(super) fn all(context: &Context<'_>, clock: &Clock) -> Vec<CallSample> {
    let begin = context.file.begin();
    let one = |sample: SampleRecord| CallSample {
        kind: match sample.kind {
            SampleKind::Collective => SampledCall::Collective,
            SampleKind::Send => SampledCall::Send,
            SampleKind::Receive => SampledCall::Receive,
        },
        key: sample.key,
        call: sample.call.to_owned(),
        at: context.address(sample.address),
        communicator: sample.communicator,
        begun: Nanoseconds(begin.nanoseconds.saturating_add(clock.since_begin(sample.begin).0)),
        time: clock.nanoseconds(sample.ticks),
        is_first: sample.is_first,
    };
    let last = context.file.last().ticks;
    // What was just written by a process that was killed may be of two calls.
    context.file.call_samples().filter(|sample| sample.begin <= last.max(begin.ticks)).map(one).collect()
}
