//! A profile in a few lines, beside a description of its machine.

use numawise_facts::Profile;
use numawise_tables::ProfileTables;

use super::{loops, meaning, words};
use crate::document::{Block, section};

/// Of the statements the most important are the first.
const SENTENCES: usize = 3;

/// When a machine was measured and what came of it.
pub fn brief(profile: &Profile, tables: &ProfileTables) -> Block {
    let sentences =
        tables.meaning.iter().take(SENTENCES).map(|statement| meaning::of_profile(statement).into());
    let loops = loops::winners(profile).map(|text| format!("loops: {text}"));
    let details: Vec<String> = loops.into_iter().chain(loops::between_buffers(profile)).collect();
    let all = "All of it: numawise machine measure --load latest";
    let details = details.into_iter().map(|text| Block::Legend(text.into()));
    let mut blocks = vec![Block::List(sentences.collect())];
    blocks.extend(details);
    blocks.push(Block::Paragraph(all.into()));
    section("measured", format!("Measured {}:", words::measured(profile)), blocks)
}
