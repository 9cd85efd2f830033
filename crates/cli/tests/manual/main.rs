//! The pages of the manual whose commands a reader types, typed here, with smaller sizes; what they show;
//! man pages and completions.

#[path = "../support/agent.rs"]
mod agent;
mod experiments;
#[path = "../../../collector/tests/support/library.rs"]
mod library;
mod pages;
mod shown;
