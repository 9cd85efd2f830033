//! Which memory an instruction waits for that accesses several: one that copies reads here and writes there.

use numawise_facts::objects::ObjectKind;
use numawise_operands::Access;
use numawise_units::Bytes;

use super::live::Span;

#[cfg(test)]
#[path = "copies_tests.rs"]
mod tests;

/// What an instruction accesses again and again stays in the second cache where it is so small: half of the smallest that servers have.
const CACHED: Bytes = Bytes(256 << 10);
/// What is larger is in none.
const BEYOND: Bytes = Bytes(4 << 20);

/// Of the whole allocation; a stack is used near its end, in a cache, and has no size of its own.
pub fn size(kind: ObjectKind, span: Option<&Span>) -> Option<Bytes> {
    let whole = span.map(|span| Bytes(span.whole.1.saturating_sub(span.whole.0)));
    whole.or_else(|| (kind == ObjectKind::Stack).then_some(Bytes(0)))
}

/// The part of the time of each access: equal ones, but nothing of what stays in a cache while the same instruction accesses memory that does not. `sizes`: of the
/// whole object that each is of, where that is known.
pub fn parts(accesses: &[Access], sizes: &[Option<Bytes>]) -> Vec<f64> {
    let is_one = accesses.windows(2).all(|two| two[0].ip == two[1].ip);
    let has = |test: fn(Bytes) -> bool| sizes.iter().map(move |size| size.is_some_and(test));
    let is_split = is_one && has(|size| size > BEYOND).any(|is_beyond| is_beyond);
    let waits: Vec<bool> = has(|size| size <= CACHED).map(|is_cached| !(is_split && is_cached)).collect();
    let part = 1.0 / waits.iter().filter(|waits| **waits).count().max(1) as f64;
    waits.into_iter().map(|waits| if waits { part } else { 0.0 }).collect()
}
