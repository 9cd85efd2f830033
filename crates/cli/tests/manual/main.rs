//! The chapters of the manual whose commands a reader types, typed here, with smaller sizes; and man pages and completions.

#[path = "../support/agent.rs"]
mod agent;
mod experiments;
mod pages;
