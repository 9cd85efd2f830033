//! Calls of MPI that were drawn.

use numawise_facts::activity::{CallSample, SampledCall};
use numawise_units::Nanoseconds;
use numawise_wire::snapshot::SampleKind;
use numawise_wire::snapshot::reader::SampleRecord;

use super::{Clock, Context};

pub(super) fn all(context: &Context<'_>, clock: &Clock) -> Vec<CallSample> {
    let begin = context.file.begin();
    let moment = |ticks| Nanoseconds(begin.nanoseconds.saturating_add(clock.since_begin(ticks).0));
    let one = |sample: SampleRecord| CallSample {
        kind: match sample.kind {
            SampleKind::Collective => SampledCall::Collective,
            SampleKind::Send => SampledCall::Send,
            SampleKind::Receive => SampledCall::Receive,
            SampleKind::SendWait => SampledCall::SendWait,
            SampleKind::ReceiveWait => SampledCall::ReceiveWait,
            SampleKind::OtherWait => SampledCall::OtherWait,
        },
        key: sample.key,
        call: sample.call.to_owned(),
        at: context.address(sample.address),
        communicator: sample.communicator,
        begun: moment(sample.begin),
        time: clock.nanoseconds(sample.ticks),
        posted: sample.posted.map(moment),
        is_first: sample.is_first,
    };
    let last = context.file.last().ticks;
    // What was just written by a process that was killed may be of two calls.
    context.file.call_samples().filter(|sample| sample.begin <= last.max(begin.ticks)).map(one).collect()
}
