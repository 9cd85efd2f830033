//! `numawise run` from outside: what the program sees, what the user reads, and the exit status.

#[path = "../support/agent.rs"]
mod agent;
mod answer;
mod copies;
mod errors;
#[path = "../../../collector/tests/support/library.rs"]
mod library;
mod openmp_orders;
mod options;
mod plan;
#[path = "../support/seccomp.rs"]
mod refuse;
mod sanitizers;
mod seccomp;
#[path = "../support/signals.rs"]
mod signals;
mod support;
mod templates;
mod what_it_sees;
