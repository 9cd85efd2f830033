//! A machine: one document for the terminal and for HTML, and JSON.

mod devices;
mod document;
mod evidence;
mod json;
mod matrices;

pub use document::{document, page};
pub use json::{SCHEMA, json};

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
