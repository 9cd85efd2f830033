//! Numbers that are the same for the same name in all ranks.

use numawise_facts::activity::CodeAddress;
use numawise_facts::{Activity, Reading};

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

/// Where a call is in a file, and the name of its communicator.
pub fn named<'a>(
    activity: &'a Activity,
    at: &Reading<CodeAddress>,
    communicator: Option<u16>,
) -> (Option<(&'a str, u64)>, Option<&'a str>) {
    let place = at.measured().and_then(|at| Some((activity.path(at.file)?, at.address)));
    let communicator = communicator.and_then(|number| activity.communicators.get(usize::from(number)));
    (place, communicator.map(|communicator| communicator.name.as_str()))
}

/// The number of a site, the same in all ranks.
pub fn site_number(
    activity: &Activity,
    call: &str,
    at: &Reading<CodeAddress>,
    communicator: Option<u16>,
) -> u64 {
    let (place, communicator) = named(activity, at, communicator);
    let (file, address) = place.unwrap_or_default();
    let communicator = communicator.unwrap_or_default().as_bytes();
    number_of([call.as_bytes(), file.as_bytes(), &address.to_le_bytes(), communicator])
}
