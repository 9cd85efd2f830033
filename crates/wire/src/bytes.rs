//! Words of a file, in the byte order of this machine, out of bytes of which nothing is trusted: 0 where they end before.

pub fn long(bytes: &[u8], at: usize) -> u64 {
    array(bytes, at).map_or(0, u64::from_ne_bytes)
}

pub fn word(bytes: &[u8], at: usize) -> u32 {
    array(bytes, at).map_or(0, u32::from_ne_bytes)
}

pub(crate) fn half(bytes: &[u8], at: usize) -> u16 {
    array(bytes, at).map_or(0, u16::from_ne_bytes)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}
