//! Addresses of processes as places in the code.

use numawise_facts::activity::{CodeAddress, CodePlace};
use numawise_facts::{Activity, Reading};

use super::input::RunParts;

pub fn place(parts: &RunParts<'_>, activity: &Activity, at: &Reading<CodeAddress>) -> Reading<CodePlace> {
    activity.place(parts.places, at)
}
