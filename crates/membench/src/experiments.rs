//! The experiments: each fills its cells of the profile, with figures or with the reason why there are none.

mod bandwidth;
mod latency;
mod loaded;
mod peaks;
mod transfer;
mod trial;
