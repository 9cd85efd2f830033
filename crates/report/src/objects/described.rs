//! Objects one by one: what is known of each, what to do, and the lines of the program that it is about.

use numawise_facts::FindingId;
use numawise_facts::activity::CodePlace;
use numawise_tables::objects::{ObjectFinding, ObjectRow};
use numawise_units::Ratio;

use super::{Shown, cures, words};
use crate::document::{Block, Column, Entry, Fact, Row, Section, Table, Text, section};
use crate::findings;

/// Objects that are described.
const DESCRIBED: usize = 8;
/// An object with less of the time is described for a finding only.
const LEAST: f64 = 0.005;
/// Places of use for each object.
const PLACES: usize = 8;

/// Those with most time, and those with a finding.
pub fn described(shown: &Shown) -> Option<Block> {
    let has_finding = |k: usize| shown.tables.findings.iter().any(|of| of.row == k);
    let is_used = |row: &ObjectRow| row.memory_time.measured().is_some_and(|share| share.value.0 >= LEAST);
    let rows = shown.tables.rows.iter().enumerate();
    let is_shown = |k: usize, row: &ObjectRow| {
        // Where nothing is known of times, the largest are.
        let is_large =
            || shown.tables.time_samples.measured().is_none() && words::size(row).measured().is_some();
        has_finding(k) || (k < DESCRIBED && (is_used(row) || is_large()))
    };
    let blocks: Vec<Block> =
        rows.filter(|(k, row)| is_shown(*k, row)).map(|(k, row)| one(shown, k, row)).collect();
    (!blocks.is_empty()).then(|| section("described", "Object details", blocks))
}

fn one(shown: &Shown, k: usize, row: &ObjectRow) -> Block {
    let findings: Vec<&ObjectFinding> = shown.tables.findings.iter().filter(|of| of.row == k).collect();
    let mut blocks = vec![Block::Facts(facts(shown, row, &findings))];
    let entries: Vec<Entry> = findings.iter().map(|of| entry(of)).collect();
    if !entries.is_empty() {
        blocks.push(Block::Entries(entries));
    }
    blocks.extend(lines(shown, row));
    Block::Section(Section { id: None, title: title(row), blocks })
}

/// `object u, 4.2 GiB, allocated wave.cpp:41 (Grid::Grid), on node 0: 100 %`.
pub fn title(row: &ObjectRow) -> String {
    let allocated = row
        .allocated
        .measured()
        .map(|place| format!(", allocated {}{}", words::at(place), words::called(row)));
    let lies = row.pages.measured().map(|nodes| format!(", {}", words::lies(nodes)));
    let size = words::size(row).measured().map(|size| format!(", {size}"));
    // The name of a variable keeps its small letter at the begin of a title.
    let what = if row.name.measured().is_some() { "object " } else { "" };
    let rank = row.rank.map(|rank| format!(" of rank {rank}"));
    let parts = [rank, size, allocated, lies].map(Option::unwrap_or_default).concat();
    format!("{what}{}{parts}", words::name(row))
}

fn facts(shown: &Shown, row: &ObjectRow, findings: &[&ObjectFinding]) -> Vec<Fact> {
    let fact = |name, text: Text| Fact { name, text, code: false };
    let by_one = findings.iter().any(|of| of.finding.id == FindingId::ObjectTouchedByOne);
    let mut facts = Vec::new();
    if row.allocated.measured().is_none() {
        facts.push(fact("allocated", words::place(&row.allocated)));
    }
    if row.pages.measured().is_none() {
        facts.push(fact("lies", Text::of(&row.pages, |nodes| words::lies(nodes))));
    }
    facts.push(fact("first touch", Text::of(&row.first_touch, |touch| words::touched(touch, by_one))));
    facts.push(fact("used", Text::of(&row.used, |used| words::used(used, shown.method()))));
    facts.extend(row.loads.measured().map(|loads| fact("loads from", words::loads(loads).into())));
    facts.extend(row.memory_time.measured().map(|share| {
        let text = format!(
            "{} of {} (95 % interval {} to {})",
            words::percent(share.value),
            words::whole(shown.method()),
            words::percent(share.low),
            words::percent(share.high)
        );
        fact("time", text.into())
    }));
    facts.extend(
        row.huge
            .measured()
            .map(|share| fact("huge pages", format!("{} of its memory", words::percent(*share)).into())),
    );
    for of in findings {
        let names = std::iter::once("cure").chain(std::iter::repeat("or"));
        let steps = of.finding.advice.iter().map(|step| cures::text(shown, of, step));
        facts.extend(names.zip(steps).map(|(name, text)| fact(name, text.into())));
    }
    facts
}

fn entry(of: &ObjectFinding) -> Entry {
    Entry {
        code: of.finding.id.code(),
        title: findings::title(of.finding.id).to_owned(),
        parts: vec![("seen", findings::evidence_of_run(&of.finding))],
    }
}

/// The lines of the program that have to do with it, with their text where it could be read. For a page: a terminal names the lines.
fn lines(shown: &Shown, row: &ObjectRow) -> Option<Block> {
    let mut rows = Vec::new();
    let mut add = |what: String, place: &CodePlace| {
        let text = text(shown, place);
        rows.push(
            [what, words::at(place), text.unwrap_or_else(|| "?".to_owned())].into_iter().collect::<Row>(),
        );
    };
    if let Some(place) = row.allocated.measured() {
        add("allocated".to_owned(), place);
    }
    if let Some(place) = &row.called_at {
        add("called".to_owned(), place);
    }
    if let Some(place) = row.first_touch.measured().and_then(|touch| touch.place.measured()) {
        add("first touch".to_owned(), place);
    }
    if let Some(used) = row.used.measured() {
        let places = used.places.iter().take(PLACES);
        places.for_each(|(place, share): &(CodePlace, Ratio)| {
            add(format!("{} of its use", words::percent(*share)), place);
        });
    }
    if rows.is_empty() {
        return None;
    }
    let columns = vec![Column::text("what"), Column::text("line"), Column::code("source")];
    let table = Block::Table(Table { columns, rows, most: None });
    Some(Block::Only(crate::document::Face::Html, Box::new(table)))
}

fn text(shown: &Shown, place: &CodePlace) -> Option<String> {
    let (file, line) = (place.source.file.measured()?, place.source.line.measured()?);
    let excerpt = shown.run.sources.iter().find(|of| of.file == *file && of.line == *line)?;
    Some(excerpt.text.trim().to_owned())
}
