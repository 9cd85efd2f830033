//! The clock whose readings everything is noted in.

mod clock;

pub use clock::{
    choose, forgo, kernel_nanoseconds, kind, learn_rate, nanoseconds_in, now, realtime_nanoseconds, resume,
    ticks_in_ten_milliseconds,
};
