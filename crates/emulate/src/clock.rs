//! The rate of the host's time-stamp counter, which is the clock of its guests.
//!
//! A guest's kernel finds that rate by a timer that QEMU emulates. On a busy host QEMU pauses in the middle of it: a guest was seen whose
//! seconds were a quarter of ours. So it is measured here, and the kernel is told.

use std::sync::LazyLock;

/// In kHz; none where the host's processor has no such counter.
pub(crate) fn tsc_khz() -> Option<u64> {
    static RATE: LazyLock<Option<u64>> = LazyLock::new(measured);
    *RATE
}

#[cfg(target_arch = "x86_64")]
fn measured() -> Option<u64> {
    let (from, begin) = together();
    // Together they are off by less than a microsecond: that is a part in 30,000.
    std::thread::sleep(std::time::Duration::from_millis(30));
    let (to, end) = together();
    let khz = (end - begin) as f64 / (to - from).as_secs_f64() / 1000.0;
    Some(khz.round() as u64)
}

#[cfg(not(target_arch = "x86_64"))]
fn measured() -> Option<u64> {
    None
}

/// The time and the counter of one moment: of many looks the one in which least passed between two looks at the time.
#[cfg(target_arch = "x86_64")]
fn together() -> (std::time::Instant, u64) {
    use std::time::Instant;
    let look = || {
        let before = Instant::now();
        // SAFETY: the instruction is there on each such processor, and changes registers only.
        let counter = unsafe { std::arch::x86_64::_rdtsc() };
        (before.elapsed(), (before, counter))
    };
    let (_, moment) = (0..100).map(|_| look()).min_by_key(|(passed, _)| *passed).expect("there are some");
    moment
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    /// It is that of the processor, so that another look finds the same however busy the host is.
    #[test]
    fn the_rate_is_the_same_each_time() {
        let (one, other) = (super::measured().unwrap() as f64, super::measured().unwrap() as f64);
        assert!((one / other - 1.0).abs() < 0.01, "{one} and {other} kHz");
    }
}
