//! Numbers that are the same for the same name in all ranks.

/// FNV-1a of the parts of a name.
pub fn number_of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    parts
        .into_iter()
        .flat_map(|part| part.iter().chain(&[0xff]))
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

/// Keeps those with the lowest numbers; true where some had to go.
pub fn keep_lowest<V>(table: &mut std::collections::BTreeMap<u64, V>, most: usize) -> bool {
    let is_beyond = table.len() > most;
    while table.len() > most {
        table.pop_last();
    }
    is_beyond
}
