//! The instructions of a function.

use crate::architecture::Architecture;
use crate::step::{Flow, Step};
use crate::{aarch64, x86_64};

#[cfg(test)]
#[path = "listing_tests.rs"]
mod tests;

/// A function, instruction after instruction. What is no code is passed over.
#[derive(Debug, Clone)]
pub struct Listing {
    steps: Vec<Step>,
    /// Where each jump to an instruction of the function leads, and from where; in this order.
    jumps: Vec<(u32, u32)>,
    /// Behind each instruction that calls the system.
    system_calls: Vec<u64>,
}

impl Listing {
    /// Of a function whose first byte lies at `begin`.
    pub fn of(architecture: Architecture, begin: u64, code: &[u8]) -> Listing {
        let steps = match architecture {
            Architecture::X86_64 => x86_64::steps(begin, code),
            Architecture::Aarch64 => aarch64::steps(begin, code),
        };
        let mut listing = Listing { steps, jumps: Vec::new(), system_calls: Vec::new() };
        let all = listing.steps.iter().enumerate();
        let jumps = all.filter_map(|(from, step)| match step.flow {
            Flow::Jump(to) | Flow::Branch(to) => Some((listing.find(to)? as u32, from as u32)),
            Flow::Next | Flow::Call | Flow::Away => None,
        });
        let mut jumps: Vec<(u32, u32)> = jumps.collect();
        jumps.sort_unstable();
        listing.jumps = jumps;
        listing.system_calls = listing
            .steps
            .iter()
            .filter(|step| calls_system(architecture, code, step.ip.wrapping_sub(begin)))
            .map(Step::next_ip)
            .collect();
        listing
    }

    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The number of the instruction that begins at this address; nothing inside of one.
    pub fn find(&self, ip: u64) -> Option<usize> {
        self.steps.binary_search_by_key(&ip, Step::ip).ok()
    }

    /// True where a thread at this address spins until another one does something: what it reads it has in its cache.
    pub fn is_spinning(&self, ip: u64) -> bool {
        /// Instructions to each side: loops that spin are short (do_spin of libgomp has nine, that of glibc's mutexes eleven).
        const NEAR: usize = 12;
        let Some(at) = self.find(ip) else { return false };
        let end = (at + NEAR).min(self.steps.len());
        self.steps[at.saturating_sub(NEAR)..end].iter().any(|step| step.pauses)
    }

    /// True where a thread goes on when the system has done what it was called for.
    pub fn is_after_system_call(&self, ip: u64) -> bool {
        self.system_calls.binary_search(&ip).is_ok()
    }

    /// The one that lies behind it.
    pub(crate) fn behind(&self, step: usize) -> Option<usize> {
        let behind = step + 1;
        (self.steps.get(behind)?.ip == self.steps[step].next_ip()).then_some(behind)
    }

    /// The one before, where nothing lies between and it goes on here.
    pub(crate) fn before(&self, step: usize) -> Option<usize> {
        let before = step.checked_sub(1)?;
        // What was slow in a call stands in what was called.
        let falls = matches!(self.steps[before].flow, Flow::Next | Flow::Branch(_));
        (falls && self.behind(before) == Some(step)).then_some(before)
    }

    /// The jumps that lead to an instruction, in the order of their places.
    fn jumps_to(&self, step: usize) -> impl Iterator<Item = usize> {
        let to = step as u32;
        let first = self.jumps.partition_point(|jump| jump.0 < to);
        self.jumps[first..].iter().take_while(move |jump| jump.0 == to).map(|jump| jump.1 as usize)
    }

    /// The nearest jump forwards to an instruction.
    pub(crate) fn jump_to(&self, step: usize) -> Option<usize> {
        self.jumps_to(step).take_while(|from| *from < step).last()
    }

    /// The last instruction of the loop that begins here: the nearest jump back to it.
    pub(crate) fn latch(&self, head: usize) -> Option<usize> {
        self.jumps_to(head).find(|from| *from >= head)
    }
}

/// `syscall` of x86-64, `svc #0` of aarch64.
fn calls_system(architecture: Architecture, code: &[u8], offset: u64) -> bool {
    let rest = usize::try_from(offset).ok().and_then(|offset| code.get(offset..)).unwrap_or_default();
    match architecture {
        Architecture::X86_64 => rest.starts_with(&[0x0f, 0x05]),
        Architecture::Aarch64 => rest.starts_with(&0xd400_0001_u32.to_le_bytes()),
    }
}
