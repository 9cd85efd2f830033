//! From a program and a plan to a running program.
//!
//! Three faces: [`exec_in_place`] turns this process into the program (what `numawise run` does: no process in between,
//! signals and exit status are the program's own), [`Foreground`] starts it as if we were not there and waits for it (what a
//! snapshot does), and [`Job`] starts one or several tasks, holds them, and tells how each ended (what a study does).
//!
//! This crate knows the calls that place a process (`sched_setaffinity`, `set_mempolicy`) and the environment that places
//! its threads. It knows no machine and chooses nothing: CPUs and nodes come ready in the plan. It prints nothing.

mod address_sanitizer;
mod change;
mod child;
mod collector;
mod end;
mod environment;
mod error;
mod even;
mod exec;
mod foreground;
mod gpus;
mod guest;
mod heap;
mod job;
mod object_rules;
mod output;
mod pages;
mod path;
mod pinner;
mod policy;
mod preload;
mod rank;
mod report;
mod stand_by;
mod supervisor;
mod symbols;
mod waiter;
mod written;

pub use change::{Change, overrides};
pub use collector::{Collector, LEAST_FILE, WrittenCalls, counted, traced, watched_by, watched_ranks};
pub use end::end_by_signal;
pub use environment::{environment, task_changes};
pub use error::{LaunchError, Refusal};
pub use even::EvenStart;
pub use exec::exec_in_place;
pub use foreground::{EndedProgram, Foreground, Keeping};
pub use gpus::gpu_changes;
pub use heap::{HeapLibrary, HeapSettings, MOST_TIMER_SAMPLES, objects_watched_by};
pub use job::{Finished, Io, Job, Start, Variables};
pub use numawise_facts::Launcher;
pub use numawise_wire::trace::CallKind;
pub use object_rules::{ObjectRules, PlacedObject, Spread};
pub use output::Output;
pub use pages::page_changes;
pub use path::{executable_in, is_executable};
pub use pinner::{Pinner, find_agent};
pub use policy::{kernel_mode, policy as kernel_policy};
pub use preload::loading;
pub use rank::{
    LauncherOption, LocalRank, RankError, asked_binding, is_bound_by_default, is_rank_variable, job_name,
    job_name_of_daemon, rank, rank_variables,
};
pub use stand_by::{stand_by, when_ended};
pub use supervisor::Leftovers;
pub use symbols::defines;
pub use waiter::{FinishedTask, LeftBehind, StoppedTask};
pub use written::{FileBefore, WrittenText};
