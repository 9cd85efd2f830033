//! Merged ranks: what there are many of, a row each.

use std::collections::BTreeMap;

use numawise_facts::MergedRanks;
use numawise_facts::merged::{
    MOST_COMPARED_KINDS, MOST_MERGED_COMMUNICATORS, MOST_MERGED_REGIONS, MOST_MERGED_SITES,
    MOST_NEIGHBOURHOODS,
};
use rusqlite::{Connection, Transaction, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cell::{Cells, Parsed};
use crate::valid::{self, Flaw, MOST_CALLS, MOST_HOSTS};
use crate::write;

/// Writes them.
pub fn insert(transaction: &Transaction<'_>, ranks: &MergedRanks) -> rusqlite::Result<()> {
    let mut alone = ranks.clone();
    let hosts = std::mem::take(&mut alone.hosts);
    let calls = std::mem::take(&mut alone.calls);
    let sites = std::mem::take(&mut alone.sites);
    let collectives = std::mem::take(&mut alone.collectives);
    let sent_messages = std::mem::take(&mut alone.sent_messages);
    let communicators = std::mem::take(&mut alone.communicators);
    let traffic = std::mem::take(&mut alone.traffic);
    let regions = std::mem::take(&mut alone.openmp.regions);
    rows(transaction, "ranks", [&alone])?;
    rows(transaction, "host", &hosts)?;
    rows(transaction, "call", &calls)?;
    rows(transaction, "site", &sites)?;
    rows(transaction, "collective", &collectives)?;
    rows(transaction, "message", &sent_messages)?;
    rows(transaction, "communicator", &communicators)?;
    rows(transaction, "traffic", &traffic)?;
    rows(transaction, "region", &regions)
}

fn rows<T: Serialize>(
    transaction: &Transaction<'_>,
    part: &str,
    all: impl IntoIterator<Item = T>,
) -> rusqlite::Result<()> {
    let mut row = transaction.prepare_cached("INSERT INTO merged VALUES (?1, ?2, ?3)")?;
    for (number, value) in all.into_iter().enumerate() {
        row.execute(params![part, number as i64, write::json(&value)?])?;
    }
    Ok(())
}

/// Reads them; none where each rank has a row of its own.
pub fn read(connection: &Connection) -> Parsed<Option<MergedRanks>> {
    let Some(mut ranks) = values::<MergedRanks>(connection, "ranks", 1)?.pop() else {
        return Ok(None);
    };
    ranks.hosts = table(connection, "host", MOST_HOSTS)?;
    ranks.calls = table(connection, "call", MOST_CALLS)?;
    ranks.sites = table(connection, "site", MOST_MERGED_SITES)?;
    ranks.collectives = table(connection, "collective", MOST_COMPARED_KINDS)?;
    ranks.sent_messages = table(connection, "message", MOST_COMPARED_KINDS)?;
    ranks.communicators = table(connection, "communicator", MOST_MERGED_COMMUNICATORS)?;
    ranks.traffic = table(connection, "traffic", (MOST_NEIGHBOURHOODS * MOST_NEIGHBOURHOODS) as usize)?;
    ranks.openmp.regions = table(connection, "region", MOST_MERGED_REGIONS)?;
    valid::merged(&ranks)?;
    Ok(Some(ranks))
}

fn table<K: DeserializeOwned + Ord, V: DeserializeOwned>(
    connection: &Connection,
    part: &'static str,
    most: usize,
) -> Parsed<BTreeMap<K, V>> {
    let rows = values::<(K, V)>(connection, part, most)?;
    let count = rows.len();
    let table: BTreeMap<K, V> = rows.into_iter().collect();
    if table.len() < count {
        let found = format!("{count} rows of {}", table.len());
        return Err(Flaw::new(format!("merged: part {part}"), found, "each once").into());
    }
    Ok(table)
}

fn values<T: DeserializeOwned>(connection: &Connection, part: &'static str, most: usize) -> Parsed<Vec<T>> {
    let mut query = connection
        .prepare_cached("SELECT part, number, value FROM merged WHERE part = ?1 ORDER BY number")?;
    let mut rows = query.query([part])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let cells = Cells::of("merged", row);
        if all.len() == most {
            return Err(cells.flaw("part", "no more rows than such a table has"));
        }
        all.push(cells.json("value")?);
    }
    Ok(all)
}
