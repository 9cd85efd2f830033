//! Code of aarch64.
use crate::step::Step;
pub fn steps(_begin: u64, _code: &[u8]) -> Vec<Step> {
    Vec::new()
}
