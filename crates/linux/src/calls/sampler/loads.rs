//! Samples of loads that the processor takes, into the rings of a sampler.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use numawise_units::CpuId;

use super::aux::AuxRing;
use super::{
    Attributes, Begin, EXCLUDE_HYPERVISOR, EXCLUDE_KERNEL, SAMPLE_ID_ALL, SET_OUTPUT, Sampler,
    SamplerObstacle, USE_CLOCK, Whose, open,
};
use crate::load_events::{LoadEvent, LoadEventCounts};
use crate::samples::LOAD_SAMPLE_TYPE;
use crate::spe::Written;

/// `precise_ip`, two bits.
const PRECISE: u32 = 15;

impl Sampler {
    /// Samples loads too, of the same programs: all that `begins_with_exec` was said of. Where one of the events cannot be had, none is.
    ///
    /// Some processors sample whole CPUs only (IBS before Linux 6.2): then samples of other programs come too.
    ///
    /// # Errors
    /// What the kernel answers.
    pub fn add_loads(&mut self, events: &[LoadEvent], begins_with_exec: bool) -> Result<(), SamplerObstacle> {
        let before = self._events.len();
        let added = self.open_loads(events, begins_with_exec);
        if added.is_err() {
            self._events.truncate(before);
            self.aux.clear();
        }
        added
    }

    fn open_loads(&mut self, events: &[LoadEvent], begins_with_exec: bool) -> Result<(), SamplerObstacle> {
        for event in events {
            for ring in &self.rings {
                let cpu = CpuId(ring.cpu as u32);
                if event.cpus.as_ref().is_some_and(|cpus| !cpus.contains(cpu)) {
                    continue;
                }
                let open = |begin| open_one(event, ring.cpu, begin);
                let begin = if begins_with_exec { Begin::WithExec } else { Begin::Now };
                let opened = match open(begin) {
                    Err(error) if of_cpus_only(event, &error) => open(Begin::OfCpu),
                    opened => opened,
                };
                for (descriptor, samples) in opened.map_err(SamplerObstacle::Open)? {
                    if let LoadEventCounts::Operations { has_known_sources, .. } = event.counts {
                        let aux = AuxRing::map(descriptor, ring.cpu, has_known_sources);
                        self.aux.push(aux.map_err(SamplerObstacle::Map)?);
                        continue;
                    }
                    if samples {
                        // SAFETY: both are events of ours.
                        let output = unsafe {
                            libc::ioctl(descriptor.as_raw_fd(), SET_OUTPUT, ring.event.as_raw_fd())
                        };
                        super::super::checked(output).map_err(SamplerObstacle::Map)?;
                    }
                    self._events.push(descriptor);
                }
            }
        }
        Ok(())
    }
}

/// The kernel has this event of CPUs only, and not of what a thread starts.
fn of_cpus_only(event: &LoadEvent, error: &io::Error) -> bool {
    event.counts == LoadEventCounts::Cycles && error.raw_os_error() == Some(libc::EINVAL)
}

/// An event on a CPU behind its leader, where it has one; and whether each samples.
fn open_one(event: &LoadEvent, cpu: usize, begin: Begin) -> io::Result<Vec<(std::fs::File, bool)>> {
    let whose = if begin == Begin::OfCpu { Whose::AllOfCpu } else { Whose::ThisThread };
    let leader = event
        .leader
        .map(|config| open(&attributes(event, config, 0, begin), cpu, whose, None))
        .transpose()?;
    let group: Option<BorrowedFd<'_>> = leader.as_ref().map(AsFd::as_fd);
    let own = open(&attributes(event, event.config, event.period, begin), cpu, whose, group)?;
    Ok(leader.map(|leader| (leader, false)).into_iter().chain([(own, true)]).collect())
}

/// `period`: 0 counts only.
fn attributes(event: &LoadEvent, config: [u64; 3], period: u64, begin: Begin) -> Attributes {
    let mut flags = SAMPLE_ID_ALL | USE_CLOCK;
    if event.can_leave_kernel_out {
        flags |= EXCLUDE_KERNEL;
    }
    // IBS knows no hypervisor, and refuses what it cannot leave out.
    if event.counts != LoadEventCounts::Cycles {
        flags |= EXCLUDE_HYPERVISOR;
    }
    flags |= begin.flags();
    if period > 0 {
        flags |= u64::from(event.precise.min(3)) << PRECISE;
    }
    let [config, config1, config2] = config;
    let is_written = matches!(event.counts, LoadEventCounts::Operations { .. });
    Attributes {
        config1,
        config2,
        sample_type: if is_written { Written::SAMPLE_TYPE } else { LOAD_SAMPLE_TYPE },
        flags,
        stack: 0,
        sample_period: period,
        ..Attributes::new(event.kind, config)
    }
}
