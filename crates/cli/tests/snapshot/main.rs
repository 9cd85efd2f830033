//! `numawise snapshot` as people call it: programs of OpenMP and MPI, watched; what they print and how they end is as without us. A test
//! that cannot run here says SKIPPED with its reason.

#[path = "../support/agent.rs"]
mod agent;
mod apart;
#[path = "../support/signals.rs"]
mod as_usual;
mod became;
mod cg;
#[path = "../support/collector.rs"]
mod collector;
#[path = "../../../collector/tests/support/compiled.rs"]
mod compiled;
mod computers;
mod divisions;
mod errors;
mod faces;
mod full_traces;
mod hosts;
mod hybrid;
mod inside;
mod io;
mod jobs;
mod kept_calls;
mod killed;
mod known;
mod known_openmp;
mod late;
mod late_files;
mod late_threads;
#[path = "../../../collector/tests/support/library.rs"]
mod library;
mod objects;
mod openmp;
mod others;
mod placed;
#[path = "../support/program.rs"]
mod program;
mod ranks;
mod records;
mod same;
mod same_compiled;
mod signals;
mod support;
mod surroundings;
mod tasks;
mod trace;
mod view;
mod waiting;
mod worlds;
