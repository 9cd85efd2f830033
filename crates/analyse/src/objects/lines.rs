//! Lines of the program's source that a report shows.

use std::collections::BTreeSet;

use numawise_facts::activity::CodePlace;
use numawise_tables::ObjectTables;
use numawise_tables::objects::ObjectRow;

/// Objects of which lines are shown, besides those with a finding.
const ROWS: usize = 40;
/// Places of use for each object.
const PLACES: usize = 8;

/// Files, as the debugging information has them, each with a line: where the objects of the report were allocated, first touched and used.
/// A few hundred at most.
pub fn object_source_lines(tables: &ObjectTables) -> BTreeSet<(String, u32)> {
    let with_finding = tables.findings.iter().filter_map(|of| tables.rows.get(of.row));
    let rows = tables.rows.iter().take(ROWS).chain(with_finding);
    rows.flat_map(places).filter_map(line).collect()
}

fn places(row: &ObjectRow) -> Vec<&CodePlace> {
    let touched = row.first_touch.measured().and_then(|touch| touch.place.measured());
    let used = row.used.measured().into_iter().flat_map(|used| &used.places);
    let used = used.take(PLACES).map(|(place, _)| place);
    row.allocated.measured().into_iter().chain(touched).chain(used).collect()
}

fn line(place: &CodePlace) -> Option<(String, u32)> {
    Some((place.source.file.measured()?.clone(), *place.source.line.measured()?))
}
