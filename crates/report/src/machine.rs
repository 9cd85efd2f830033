//! A machine as a screen of text and as JSON.

mod evidence;
mod firmware;
mod json;
mod terminal;

pub use json::{SCHEMA, json};
pub use terminal::terminal;

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
