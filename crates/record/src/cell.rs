//! Cells of a row as what they should be; a flaw names table, row and column, what was found and what was expected.

use std::collections::HashMap;

use numawise_units::harmless::quoted;
use numawise_units::{CpuId, CpuSet, Id, NodeId};
use rusqlite::types::ValueRef;
use rusqlite::{Row, Statement};
use serde::de::DeserializeOwned;

use crate::stored::{self, StoredError};
use crate::valid::Flaw;

/// What keeps rows from being what they should be.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Flaw(#[from] Flaw),
    #[error("{place}: {source}")]
    Json { place: String, source: StoredError },
}

pub type Parsed<T> = Result<T, RowError>;

/// Where the columns of a query are: SQLite's own look-up by name takes longer than all else of a row with many.
pub struct ColumnPlaces(HashMap<String, usize>);

impl ColumnPlaces {
    pub fn of(query: &Statement<'_>) -> ColumnPlaces {
        let names = query.column_names().map(str::to_owned);
        ColumnPlaces(names.enumerate().map(|(place, name)| (name, place)).collect())
    }
}

/// A row of a table. The first column of a query is its key.
#[derive(Clone, Copy)]
pub struct Cells<'r, 's> {
    row: &'r Row<'s>,
    table: &'static str,
    places: Option<&'r ColumnPlaces>,
}

impl<'r, 's> Cells<'r, 's> {
    pub fn of(table: &'static str, row: &'r Row<'s>) -> Self {
        Cells { row, table, places: None }
    }

    /// A row of a query of which there are many.
    pub fn with(places: &'r ColumnPlaces, table: &'static str, row: &'r Row<'s>) -> Self {
        Cells { row, table, places: Some(places) }
    }

    /// The place of a cell, for a flaw.
    pub fn place(&self, column: &str) -> String {
        let key = self.row.get_ref(0).map(in_words).unwrap_or_default();
        format!("{}: row {key}, {column}", self.table)
    }

    /// The flaw of a cell.
    pub fn flaw(&self, column: &str, expected: &'static str) -> RowError {
        let found = self.value(column).map(in_words).unwrap_or_default();
        Flaw::new(self.place(column), found, expected).into()
    }

    fn value(&self, column: &str) -> Parsed<ValueRef<'r>> {
        match self.places.and_then(|places| places.0.get(column)) {
            Some(place) => Ok(self.row.get_ref(*place)?),
            None => Ok(self.row.get_ref(column)?),
        }
    }

    /// A whole number that fits.
    pub fn int<T: TryFrom<i64>>(&self, column: &str) -> Parsed<T> {
        self.int_or_null(column)?.ok_or_else(|| self.flaw(column, expected_number::<T>()))
    }

    pub fn int_or_null<T: TryFrom<i64>>(&self, column: &str) -> Parsed<Option<T>> {
        let number = match self.value(column)? {
            ValueRef::Null => return Ok(None),
            ValueRef::Integer(number) => T::try_from(number).ok(),
            _ => None,
        };
        number.map(Some).ok_or_else(|| self.flaw(column, expected_number::<T>()))
    }

    /// A number; SQLite keeps what is not a number as NULL.
    pub fn real_or_null(&self, column: &str) -> Parsed<Option<f64>> {
        match self.value(column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Real(number) => Ok(Some(number)),
            _ => Err(self.flaw(column, "a number")),
        }
    }

    pub fn text(&self, column: &str) -> Parsed<String> {
        self.text_or_null(column)?.ok_or_else(|| self.flaw(column, "text"))
    }

    pub fn text_or_null(&self, column: &str) -> Parsed<Option<String>> {
        match self.value(column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(bytes) => match str::from_utf8(bytes) {
                Ok(text) => Ok(Some(text.to_owned())),
                Err(_) => Err(self.flaw(column, "text in UTF-8")),
            },
            _ => Err(self.flaw(column, "text")),
        }
    }

    pub fn json<T: DeserializeOwned>(&self, column: &str) -> Parsed<T> {
        self.json_or_null(column)?.ok_or_else(|| self.flaw(column, "text"))
    }

    pub fn json_or_null<T: DeserializeOwned>(&self, column: &str) -> Parsed<Option<T>> {
        let parsed = self.text_or_null(column)?.map(|text| stored::json(&text)).transpose();
        parsed.map_err(|source| RowError::Json { place: self.place(column), source })
    }

    fn index<T: Id>(&self, column: &str, expected: &'static str) -> Parsed<T> {
        let index: u64 = self.int(column)?;
        numawise_units::stored(index).map_err(|_| self.flaw(column, expected))
    }

    pub fn cpu(&self, column: &str) -> Parsed<CpuId> {
        self.index(column, "the number of a CPU, at most 8191")
    }

    pub fn node(&self, column: &str) -> Parsed<NodeId> {
        self.index(column, "the number of a node, at most 1023")
    }

    pub fn node_or_null(&self, column: &str) -> Parsed<Option<NodeId>> {
        match self.value(column)? {
            ValueRef::Null => Ok(None),
            _ => self.node(column).map(Some),
        }
    }

    pub fn cpus_or_null(&self, column: &str) -> Parsed<Option<CpuSet>> {
        let Some(list) = self.text_or_null(column)? else { return Ok(None) };
        match list.parse::<CpuSet>() {
            Ok(cpus) if cpus.last().is_none_or(|last| last.0 < CpuId::LIMIT) => Ok(Some(cpus)),
            _ => Err(self.flaw(column, "a list of CPUs such as 0-3,8, none above 8191")),
        }
    }
}

fn expected_number<T>() -> &'static str {
    match size_of::<T>() {
        8 => "a whole number from 0 to 9223372036854775807",
        4 => "a whole number of 32 bits",
        _ => "0 or 1",
    }
}

fn in_words(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => {
            format!("'{}'", quoted(&String::from_utf8_lossy(&text[..text.len().min(1000)])))
        }
        ValueRef::Blob(bytes) => format!("{} bytes that are no text", bytes.len()),
    }
}
