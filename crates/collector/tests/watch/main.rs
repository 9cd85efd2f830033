//! The collector preloaded into real programs: what they print and how they end is the same as without it, and what the files hold
//! is what they did. A test that cannot run here says SKIPPED with its reason.

#[path = "../support/compiled.rs"]
mod compiled;
mod files;
mod guests;
mod install;
#[path = "../support/library.rs"]
mod library;
mod mpi;
mod names;
mod openmp;
mod phases;
#[path = "../../../cli/tests/support/program.rs"]
mod program;
mod runtimes;
mod sandbox;
mod support;
mod threads;
