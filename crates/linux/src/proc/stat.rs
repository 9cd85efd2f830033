//! `/proc/PID/task/TID/stat` (and `/proc/PID/stat`, which has the same form).

use numawise_units::{CpuId, stored};

use crate::error::Malformed;
use crate::file::number;

#[cfg(test)]
#[path = "stat_tests.rs"]
mod tests;

/// The kernel's flag (`include/linux/sched.h`) for its own threads.
const PF_KTHREAD: u64 = 0x0020_0000;

/// What we use of a task's `stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskStat<'a> {
    /// The thread's name as the kernel has it: any bytes, spaces and parentheses among them.
    pub name: &'a [u8],
    /// The letter of proc(5).
    pub state: char,
    pub parent: i32,
    /// A thread of the kernel's own, which has no memory and no program.
    pub kernel: bool,
    pub minor_faults: u64,
    pub major_faults: u64,
    /// User and system time together, in clock ticks.
    pub ticks: u64,
    /// Threads of the whole process.
    pub threads: u32,
    /// When it began, in clock ticks since boot: with the identifier it names a task for good.
    pub start: u64,
    /// Where it runs or ran last.
    pub cpu: CpuId,
}

impl<'a> TaskStat<'a> {
    /// The name ends at the *last* closing parenthesis, since it may hold some itself; all fields behind are numbers.
    pub fn parse(text: &'a [u8]) -> Result<Self, Malformed> {
        Self::fields(text).ok_or_else(|| {
            Malformed::new(text, "'TID (name) state ppid ...' with at least 39 fields, as in proc(5)")
        })
    }

    fn fields(text: &'a [u8]) -> Option<Self> {
        let open = text.iter().position(|&byte| byte == b'(')?;
        let close = text.iter().rposition(|&byte| byte == b')')?;
        let name = text.get(open + 1..close)?;
        let mut rest = text[close + 1..].split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        // Numbered as in proc(5), where the state is field 3.
        let mut at = 3;
        let mut field = |wanted: usize| {
            let found = rest.nth(wanted - at);
            at = wanted + 1;
            found
        };
        let [state] = *field(3)? else { return None };
        Some(TaskStat {
            name,
            state: char::from(state),
            parent: number(field(4)?)?,
            kernel: number::<u64>(field(9)?)? & PF_KTHREAD != 0,
            minor_faults: number(field(10)?)?,
            major_faults: number(field(12)?)?,
            ticks: number::<u64>(field(14)?)?.checked_add(number(field(15)?)?)?,
            threads: number(field(20)?)?,
            start: number(field(22)?)?,
            cpu: stored(number(field(39)?)?).ok()?,
        })
    }
}
