//! A profile in a few lines, beside a description of its machine.

use numawise_facts::Profile;
use numawise_tables::ProfileTables;

use super::words;
use crate::document::wrap;

const WIDTH: usize = 96;
/// Of the sentences the most important are the first.
const SENTENCES: usize = 3;

/// When a machine was measured and what came of it, after an empty line.
pub fn brief(profile: &Profile, tables: &ProfileTables) -> String {
    let mut text = String::from("\n");
    text += &wrap(&format!("Measured {}:", words::measured(profile)), "", "", WIDTH);
    for sentence in tables.meaning.iter().take(SENTENCES) {
        text += &wrap(sentence, "  - ", "    ", WIDTH);
    }
    text + "  All of it: numawise machine measure --load latest\n"
}
