//! The clock whose readings everything is noted in.

mod clock;

pub use clock::{choose, kernel_nanoseconds, kind, now, realtime_nanoseconds, ticks_in_ten_milliseconds};
