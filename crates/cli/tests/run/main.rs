//! `numawise run` from outside: what the program sees, what the user reads, and the exit status.

mod answer;
mod copies;
mod errors;
mod options;
mod plan;
#[path = "../support/seccomp.rs"]
mod refuse;
mod seccomp;
#[path = "../support/signals.rs"]
mod signals;
mod support;
mod what_it_sees;
