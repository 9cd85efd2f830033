//! From a program and a plan to a running program.
//!
//! Two faces: [`exec_in_place`] turns this process into the program (what `numawise run` does: no process in between,
//! signals and exit status are the program's own), and [`Job`] starts one or several tasks, holds them, and tells how
//! each ended (what a study does).
//!
//! This crate knows the calls that place a process (`sched_setaffinity`, `set_mempolicy`) and the environment that places
//! its threads. It knows no machine and chooses nothing: CPUs and nodes come ready in the plan. It prints nothing.

mod change;
mod child;
mod environment;
mod error;
mod even;
mod exec;
mod job;
mod output;
mod pages;
mod path;
mod pinner;
mod policy;
mod preload;
mod rank;
mod report;
mod supervisor;
mod waiter;
mod written;

pub use change::{Change, overrides};
pub use environment::{environment, task_changes};
pub use error::{LaunchError, Refusal};
pub use even::EvenStart;
pub use exec::exec_in_place;
pub use job::{Finished, Io, Job, Start, Variables};
pub use output::Output;
pub use pages::page_changes;
pub use path::executable_in;
pub use pinner::{Pinner, find_agent};
pub use preload::loading;
pub use rank::{Launcher, LocalRank, RankError, is_rank_variable, rank};
pub use supervisor::Leftovers;
pub use waiter::{FinishedTask, LeftBehind, StoppedTask};
pub use written::{FileBefore, WrittenText};
