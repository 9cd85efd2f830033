//! The chapters of the manual whose commands a reader types, typed here, with smaller sizes.

#[path = "../support/agent.rs"]
mod agent;
mod experiments;
