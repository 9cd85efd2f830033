//! The list of readers, by what they read.

pub(crate) mod activity;
mod blocks;
pub(crate) mod kernel;
pub(crate) mod launch;
pub(crate) mod machine;
pub(crate) mod objects;
pub(crate) mod profile;
pub(crate) mod request;
pub(crate) mod study;
pub(crate) mod symbols;
pub(crate) mod trace;

/// The input as text; readers of command lines never see anything else.
fn text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}
