//! Tables whose keys are no texts, in JSON: a list of pairs.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub fn serialize<K: Serialize, V: Serialize, S: Serializer>(
    table: &BTreeMap<K, V>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_seq(table)
}

/// Of a key that comes twice, the last one counts.
pub fn deserialize<'de, K: DeserializeOwned + Ord, V: DeserializeOwned, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<K, V>, D::Error> {
    Ok(Vec::<(K, V)>::deserialize(from)?.into_iter().collect())
}
