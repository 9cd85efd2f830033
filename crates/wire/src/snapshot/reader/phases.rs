//! The phases of a process, with what passed in those that were not ended.

use core::mem::offset_of;

use super::super::header::{Header, PartName};
use super::super::openmp::ROOT;
use super::super::phase::{PHASE_NAME_BYTES, PHASES, Phase, PhaseKind};
use super::super::thread::{STATES, ThreadSlot, ThreadState};
use super::{SnapshotFile, ThreadRecord, long, text, word};

/// A phase with its times up to a moment.
#[derive(Debug, Clone, Copy)]
pub struct PhaseRecord<'a> {
    /// Its place.
    pub number: u16,
    pub kind: PhaseKind,
    /// Empty, of those that MPI_Pcontrol begins.
    pub name: &'a [u8],
    /// The level of MPI_Pcontrol.
    pub level: i32,
    /// Ended ones, and one of the process that was not.
    pub count: u64,
    /// Begun and not ended.
    pub open: u32,
    pub elapsed: u64,
    pub longest: u64,
    pub ticks: [u64; STATES],
    pub mpi_outside: u64,
    pub threads: u32,
}

impl<'a> SnapshotFile<'a> {
    /// The phases, with the times of those of the process that were not ended, up to the moment `until`.
    pub fn phases(&self, until: u64) -> impl Iterator<Item = PhaseRecord<'a>> + use<'a> {
        let file = *self;
        let [_, _, _, begin, _] = self.offsets;
        let capacity = if begin == 0 { 0 } else { PHASES };
        (0..capacity).filter_map(move |number| {
            let bytes = file.part(PartName::Phases, number, size_of::<Phase>());
            (long(bytes, offset_of!(Phase, key)) != 0).then_some(())?;
            let kind = PhaseKind::from_number(word(bytes, offset_of!(Phase, kind)))?;
            let field = |offset: usize| long(bytes, offset);
            let mut record = PhaseRecord {
                number: number as u16,
                kind,
                name: text(bytes, offset_of!(Phase, name), PHASE_NAME_BYTES),
                level: word(bytes, offset_of!(Phase, level)).cast_signed(),
                count: field(offset_of!(Phase, count)),
                open: word(bytes, offset_of!(Phase, open)),
                elapsed: field(offset_of!(Phase, elapsed)),
                longest: field(offset_of!(Phase, longest)),
                ticks: core::array::from_fn(|state| field(offset_of!(Phase, ticks) + 8 * state)),
                mpi_outside: field(offset_of!(Phase, mpi_outside)),
                threads: word(bytes, offset_of!(Phase, threads)),
            };
            if kind != PhaseKind::ThreadRegion && record.open > 0 {
                file.add_open(bytes, &mut record, until);
            }
            Some(record)
        })
    }

    /// What passed in a phase of the process since it was begun.
    fn add_open(&self, phase: &[u8], record: &mut PhaseRecord<'_>, until: u64) {
        let passed = until.saturating_sub(long(phase, offset_of!(Phase, begin)));
        record.count = record.count.saturating_add(1);
        record.elapsed = record.elapsed.saturating_add(passed);
        record.longest = record.longest.max(passed);
        let mut now = [0u64; STATES];
        let mut mpi = 0u64;
        for thread in self.threads().filter(ThreadRecord::is_in_phases) {
            let ticks = self.ticks_until(&thread, until);
            now.iter_mut().zip(ticks).for_each(|(sum, ticks)| *sum = sum.saturating_add(ticks));
            if thread.is_main() {
                let all = ticks.get(ThreadState::Mpi as usize).copied().unwrap_or(0);
                mpi = all.saturating_sub(thread.mpi_in_constructs());
            }
        }
        for (state, (sum, now)) in record.ticks.iter_mut().zip(now).enumerate() {
            let base = long(phase, offset_of!(Phase, base) + 8 * state);
            *sum = sum.saturating_add(now.saturating_sub(base));
        }
        let base = long(phase, offset_of!(Phase, base_mpi));
        record.mpi_outside = record.mpi_outside.saturating_add(mpi.saturating_sub(base));
    }

    /// Begins of phases that found no place, and ends without a begin or begins without an end.
    pub fn phases_lost(&self) -> [u32; 2] {
        [offset_of!(Header, phases_dropped), offset_of!(Header, phases_unbalanced)]
            .map(|at| self.header_word(at))
    }
}

impl ThreadRecord<'_> {
    /// Seen in MPI or OpenMP, or the one that began the process.
    fn is_in_phases(&self) -> bool {
        const HAS_TABLES: u32 = 2;
        self.word(offset_of!(ThreadSlot, ready)) == HAS_TABLES || self.is_main()
    }

    /// Ticks in MPI within constructs of OpenMP.
    fn mpi_in_constructs(&self) -> u64 {
        let in_mpi = |row: &super::ConstructRecord| row.in_state(ThreadState::Mpi);
        let inside = self.constructs().enumerate().filter(|(number, _)| *number != ROOT as usize);
        inside.fold(0, |sum: u64, (_, row)| sum.saturating_add(in_mpi(&row)))
    }
}
