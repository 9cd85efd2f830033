//! `/proc/PID/task/TID/schedstat`: CPU time and run delay in nanoseconds.

use numawise_units::Nanoseconds;

use crate::error::Malformed;
use crate::file::number;

/// What the scheduler counted for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchedStat {
    pub cpu_time: Nanoseconds,
    /// Time ready and waiting for a CPU.
    pub run_delay: Nanoseconds,
    /// Times put on a CPU. 0 for a task that has run means that the kernel does not count.
    pub slices: u64,
}

impl SchedStat {
    pub fn parse(text: &[u8]) -> Result<Self, Malformed> {
        let mut fields = text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let mut next = || number(fields.next()?);
        let all = (|| {
            Some(SchedStat {
                cpu_time: Nanoseconds(next()?),
                run_delay: Nanoseconds(next()?),
                slices: next()?,
            })
        })();
        all.ok_or_else(|| Malformed::new(text, "three numbers: CPU time, run delay, time slices"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_numbers() {
        let stat = SchedStat::parse(b"123456789 4242 17\n").unwrap();
        assert_eq!(stat.cpu_time, Nanoseconds(123_456_789));
        assert_eq!(stat.run_delay, Nanoseconds(4242));
        assert_eq!(stat.slices, 17);
        assert_eq!(SchedStat::parse(b"0 0 0\n").unwrap().slices, 0);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in
            ["", "\n", "1 2", "1 2 ", "1 2 x", "-1 2 3", "1,2,3", "99999999999999999999 1 1", "(none)"]
        {
            let problem = SchedStat::parse(text.as_bytes()).expect_err(text);
            assert_eq!(problem.found, text.trim_end());
        }
    }
}
