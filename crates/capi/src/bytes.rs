//! Masks and lists in the caller's buffers. A buffer comes with the place of its length, where the length that is needed comes back.

use numawise_units::CpuSet;

use crate::entry::shared;
use crate::status::CallError;

/// Writes numbers into a caller's array of `*count`, and how many there are into `*count`.
///
/// # Safety
/// `count` is null or leads to a number; `list` has room for that many, or is null.
pub unsafe fn put_list<T: Copy>(
    values: &[T],
    list: *mut T,
    count: *mut usize,
    what: &'static str,
) -> Result<(), CallError> {
    // SAFETY: the caller's promise.
    let room = *unsafe { shared(count, "count") }?;
    // SAFETY: it was not null.
    unsafe { count.write(values.len()) };
    if list.is_null() {
        // Asks for the length alone.
        return Ok(());
    }
    if room < values.len() {
        return Err(CallError::TooSmall { what, needed: values.len(), given: room });
    }
    // SAFETY: there is room for as many, and the caller's array is none of ours.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), list, values.len()) };
    Ok(())
}

/// Writes a mask: CPU 0 is the lowest bit of the first byte. Bytes behind the last CPU are cleared.
///
/// # Safety
/// As of [`put_list`], in bytes.
pub unsafe fn put_mask(cpus: &CpuSet, mask: *mut u8, bytes: *mut usize) -> Result<(), CallError> {
    let mut all: Vec<u8> = cpus.words().iter().flat_map(|word| word.to_le_bytes()).collect();
    while all.last() == Some(&0) {
        all.pop();
    }
    // SAFETY: the caller's promise.
    let room = *unsafe { shared(bytes, "bytes") }?;
    if !mask.is_null() && room > all.len() {
        all.resize(room, 0);
    }
    // SAFETY: the caller's promise.
    unsafe { put_list(&all, mask, bytes, "the mask") }
}

/// Reads a mask.
///
/// # Safety
/// `mask` is null or has so many bytes.
pub unsafe fn mask(mask: *const u8, bytes: usize) -> Result<CpuSet, CallError> {
    if mask.is_null() {
        return Err(CallError::null("mask"));
    }
    // SAFETY: the caller's promise.
    let all = unsafe { std::slice::from_raw_parts(mask, bytes) };
    let words: Vec<u64> = all
        .chunks(8)
        .map(|bytes| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
        .collect();
    let cpus = CpuSet::from_words(words);
    if cpus.is_empty() {
        let found = "empty".to_owned();
        return Err(CallError::invalid("mask", found, "a CPU at least"));
    }
    Ok(cpus)
}
