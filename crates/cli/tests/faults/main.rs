//! Faults from outside: the command is killed at any moment, the disk is full, the terminal goes. Nothing that was recorded is
//! lost, nothing is left behind, and the same command goes on.
//!
//! Everything is random from a fixed seed, which is printed; `NUMAWISE_FAULTS_SEED` sets another, `NUMAWISE_FAULTS_KILLS` how many
//! kills there are. Each test ends with a line that says in numbers what it has proved.

#[path = "../support/agent.rs"]
mod agent;
#[path = "../support/collector.rs"]
mod collector;
mod disks;
mod kills;
mod leftovers;
#[path = "../../../collector/tests/support/library.rs"]
mod library;
mod making;
#[path = "../support/program.rs"]
mod program;
mod pty;
#[path = "../support/signals.rs"]
mod signals;
mod stops;
mod studies;
mod support;
mod terminals;
mod watched;
