//! Single calls of MPI that were drawn.

use core::mem::offset_of;

use super::super::MPI_CALLS;
use super::super::header::PartName;
use super::super::sample::{CallSample, SAMPLES, SampleKind};
use super::{SnapshotFile, half, long};

/// One call of MPI.
#[derive(Debug, Clone, Copy)]
pub struct SampleRecord {
    pub kind: SampleKind,
    pub key: u64,
    pub call: &'static str,
    pub address: u64,
    pub communicator: Option<u16>,
    pub begin: u64,
    pub ticks: u64,
    pub posted: Option<u64>,
    pub is_first: bool,
}

impl<'a> SnapshotFile<'a> {
    pub fn call_samples(&self) -> impl Iterator<Item = SampleRecord> + use<'a> {
        let file = *self;
        let [.., begin] = self.offsets;
        let capacity = if begin == 0 { 0 } else { SAMPLES };
        (0..capacity).filter_map(move |number| {
            let bytes = file.part(PartName::CallSamples, number, size_of::<CallSample>());
            let key = long(bytes, offset_of!(CallSample, key));
            let kind = SampleKind::from_number(half(bytes, offset_of!(CallSample, kind)))?;
            let posted = long(bytes, offset_of!(CallSample, posted));
            let call = half(bytes, offset_of!(CallSample, call));
            let communicator = half(bytes, offset_of!(CallSample, communicator));
            (key != 0).then(|| SampleRecord {
                kind,
                key,
                call: MPI_CALLS.split('\0').nth(call.into()).unwrap_or_default(),
                address: long(bytes, offset_of!(CallSample, address)),
                communicator: (communicator != super::super::NO_COMMUNICATOR).then_some(communicator),
                begin: long(bytes, offset_of!(CallSample, begin)),
                ticks: long(bytes, offset_of!(CallSample, ticks)),
                posted: (kind == SampleKind::ReceiveWait && posted != 0).then_some(posted),
                is_first: half(bytes, offset_of!(CallSample, is_first)) != 0,
            })
        })
    }
}
