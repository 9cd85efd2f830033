//! Files of which most is zeros, as a list of blocks, each behind its number.

/// Bytes of a block.
pub(crate) const BLOCK: usize = 64;
/// Bytes of its number.
const NUMBER: usize = 4;

/// Where each block lies, and what is in it.
pub(crate) fn blocks(input: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    input.chunks_exact(NUMBER + BLOCK).map(|block| {
        let (number, content) = block.split_at(NUMBER);
        let number = number.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte));
        (number * BLOCK, content)
    })
}

/// A list that was cut stands for a file that was.
pub(crate) fn is_whole(input: &[u8]) -> bool {
    input.len().is_multiple_of(NUMBER + BLOCK)
}
