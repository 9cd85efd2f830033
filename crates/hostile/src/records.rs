//! Readers of records: studies and series in SQLite files.

use crate::Reader;

pub(crate) const READERS: &[Reader] = &[];
