//! Figures of rows, each declared once: how it is read, its name in JSON and in CSV, its column.
//!
//! A table of a report is a list of [`Figure`]s: its objects in JSON, its rows in CSV, its columns for people, and two runs side by side follow
//! from that. A figure is a [`Reading`] of its type until it is written here; the type gives unit and digits.

use numawise_facts::Reading;
use numawise_facts::activity::CodePlace;
use numawise_tables::snapshot::RatedShare;
use numawise_units::{Bytes, Nanoseconds, Ratio, TimeSum};
use serde_json::{Map, Value as Json, json};

use super::{figures, words};
use crate::document::{Cell, Column, Face, Row, RowLimits, Table, Text};
use crate::object::{each, reading};

#[cfg(test)]
#[path = "figure_tests.rs"]
mod tests;

/// A list of figures, in the order of CSV. Of each: where it stands (`both` JSON and CSV, `json`, `csv`, `shown` to people only), its name, what it
/// is (an [`Amount`]), how it is read, and what else is said of it (fields of [`Figure`]). What it means is said where the field is that it reads.
macro_rules! declare {
    ($($(#[$what:meta])* $visible:vis $list:ident: $row:ty {
        $($face:ident $name:literal $amount:ident |$of:ident| $value:expr $(=> $($more:ident: $how:expr),+)?;)+
    })+) => {
        $($(#[$what])* $visible static $list: &[$crate::snapshot::figure::Figure<$row>] = &[$(
            $crate::snapshot::figure::Figure::$face(
                $name,
                $crate::snapshot::figure::declare!(@unit $amount),
                |$of: &$row| numawise_facts::Reading::map($value, $crate::snapshot::figure::declare!(@amount $amount)),
            )$($(.$more($how))+)?
        ),+];)+
    };
    // Few are large: moving them would be most of the code.
    (@amount Place) => { |of| $crate::snapshot::figure::Amount::Place(Box::new(of)) };
    (@amount Judgement) => { |of| $crate::snapshot::figure::Amount::Judgement(Box::new(of)) };
    (@amount Json) => { |of| $crate::snapshot::figure::Amount::Json(Box::new(of)) };
    (@amount Shaped) => { |of| $crate::snapshot::figure::Amount::Shaped(Box::new(of)) };
    (@amount $other:ident) => { $crate::snapshot::figure::Amount::$other };
    (@unit Time) => { $crate::snapshot::figure::Unit::Seconds };
    (@unit Sum) => { $crate::snapshot::figure::Unit::Seconds };
    (@unit Bytes) => { $crate::snapshot::figure::Unit::Bytes };
    (@unit Count) => { $crate::snapshot::figure::Unit::Count };
    (@unit Mean) => { $crate::snapshot::figure::Unit::Count };
    (@unit Share) => { $crate::snapshot::figure::Unit::Share };
    (@unit Efficiency) => { $crate::snapshot::figure::Unit::Share };
    (@unit $other:ident) => { $crate::snapshot::figure::Unit::None };
}
pub(super) use declare;

/// What a figure is: its unit, its digits and how it is written follow.
pub enum Amount {
    Time(Nanoseconds),
    Sum(TimeSum),
    Bytes(Bytes),
    Count(u64),
    /// A count that is a mean.
    Mean(Ratio),
    /// A number that names something.
    Number(i64),
    Share(Ratio),
    /// A share as POP and TALP print it.
    Efficiency(Ratio),
    Name(String),
    /// Where something is in the code, in CSV three columns.
    Place(Box<Reading<CodePlace>>),
    /// A time with its rank.
    OfRank((u32, Nanoseconds)),
    /// What is thought of a share.
    Judgement(Box<RatedShare>),
    /// What JSON has in a shape of its own.
    Json(Box<Json>),
    /// The same with what people read.
    Shaped(Box<(Json, Text)>),
}

/// Units as CSV has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    None,
    Seconds,
    Bytes,
    Count,
    Share,
}

impl Unit {
    fn name(self) -> &'static str {
        ["", "s", "bytes", "count", "share"][self as usize]
    }
}

/// One figure of rows of one kind. There are some hundreds: it is kept small.
pub struct Figure<R> {
    value: fn(&R) -> Reading<Amount>,
    /// Its names; empty where it is not in these.
    json: &'static str,
    csv: &'static str,
    /// Of its column; empty where it has none.
    title: &'static str,
    cells: CellKind,
    unit: Unit,
    last_in_json: bool,
    /// Its place where two runs stand side by side; 0: it is not there.
    compared: u8,
    /// As [`Column::expendable`].
    expendable: u8,
    /// Columns with the lowest number come first, of equal ones that of the figure which is declared first.
    at: u8,
    when: When,
}

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellKind {
    Number,
    Text,
    Code,
}

/// Where a column is shown: a page has all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Always,
    InPage,
    /// Where the table says that its rows have it.
    WithRanks,
    WithHosts,
    WithMpi,
    WithOpenMp,
    WithEnds,
    Within,
}

type Value<R> = fn(&R) -> Reading<Amount>;

/// What is said of a figure behind `=>`.
macro_rules! setters {
    ($($field:ident: $type:ty),+) => {$(
        pub const fn $field(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    )+};
    (@titles $($name:ident $cells:ident),+) => {$(
        pub const fn $name(mut self, title: &'static str) -> Self {
            (self.title, self.cells) = (title, CellKind::$cells);
            self
        }
    )+};
}

impl<R> Figure<R> {
    setters!(last_in_json: bool, unit: Unit, compared: u8, expendable: u8, at: u8, when: When);
    setters!(@titles number Number, text Text, code Code);

    /// By one name in JSON and in CSV.
    pub const fn both(name: &'static str, unit: Unit, value: Value<R>) -> Self {
        Figure {
            value,
            json: name,
            csv: name,
            title: "",
            cells: CellKind::Number,
            unit,
            last_in_json: false,
            compared: 0,
            expendable: 0,
            at: 100,
            when: When::Always,
        }
    }

    /// By another one in CSV.
    pub const fn in_csv(mut self, name: &'static str) -> Self {
        self.csv = name;
        self
    }

    pub const fn json(name: &'static str, unit: Unit, value: Value<R>) -> Self {
        Figure { csv: "", ..Figure::both(name, unit, value) }
    }

    pub const fn csv(name: &'static str, unit: Unit, value: Value<R>) -> Self {
        Figure { json: "", ..Figure::both(name, unit, value) }
    }

    /// For people only, with this title.
    pub const fn shown(title: &'static str, unit: Unit, value: Value<R>) -> Self {
        Figure { title, ..Figure::both("", unit, value) }
    }

    fn column(&self, is_shown: impl Fn(When) -> bool) -> Option<Column> {
        let column = match self.cells {
            _ if self.title.is_empty() => return None,
            CellKind::Number => Column::number(self.title),
            CellKind::Text => Column::text(self.title),
            CellKind::Code => Column::code(self.title),
        };
        let only = (self.when == When::InPage || !is_shown(self.when)).then_some(Face::Html);
        Some(Column { only, expendable: self.expendable, ..column })
    }
}

/// Those of JSON, in its order.
fn of_json<R>(figures: &[Figure<R>]) -> impl Iterator<Item = &Figure<R>> {
    let all = || figures.iter().filter(|figure| !figure.json.is_empty());
    all().filter(|figure| !figure.last_in_json).chain(all().filter(|figure| figure.last_in_json))
}

/// The fields of an object of JSON.
pub fn fields<R>(figures: &[Figure<R>], of: &R) -> Map<String, Json> {
    of_json(figures).map(|one| (one.json.to_owned(), in_json((one.value)(of)))).collect()
}

/// The same without names.
pub fn values<R>(figures: &[Figure<R>], of: &R) -> Json {
    of_json(figures).map(|one| in_json((one.value)(of))).collect()
}

/// A list of objects.
pub fn list<R>(figures: &[Figure<R>], rows: &[R]) -> Json {
    each(rows, |of| object(figures, of))
}

/// An object of JSON.
pub fn object<R>(figures: &[Figure<R>], of: &R) -> Json {
    Json::Object(fields(figures, of))
}

/// A cell of CSV: its name, its unit, and what it is.
pub struct CsvCell {
    pub name: &'static str,
    pub unit: &'static str,
    pub value: Reading<String>,
}

/// The cells of a row of CSV.
pub fn csv<R>(figures: &[Figure<R>], of: &R) -> Vec<CsvCell> {
    let mut row = Vec::with_capacity(figures.len());
    for one in figures.iter().filter(|figure| !figure.csv.is_empty()) {
        match (one.value)(of) {
            Reading::Measured(Amount::Place(place)) => row.extend(places(place_columns(one.csv), &place)),
            value => row.push(CsvCell { name: one.csv, unit: one.unit.name(), value: value.map(in_csv) }),
        }
    }
    row
}

fn place_columns(name: &str) -> [&'static str; 3] {
    match name {
        "late_place" => ["late_function", "late_file", "late_line"],
        "next_place" => ["next_function", "next_file", "next_line"],
        _ => ["function", "file", "line"],
    }
}

/// Where something is in the code.
pub fn places(names: [&'static str; 3], of: &Reading<CodePlace>) -> [CsvCell; 3] {
    let source = |part: fn(&CodePlace) -> Reading<String>| of.as_ref().and_then(part);
    let [function, file, line] = [
        source(|place| place.source.function.clone()),
        source(|place| place.source.file.clone()),
        source(|place| place.source.line.as_ref().map(u32::to_string)),
    ];
    let cell = |name, value| CsvCell { name, unit: "", value };
    [cell(names[0], function), cell(names[1], file), cell(names[2], line)]
}

/// A table for people; `is_shown` says which columns a terminal has, too.
pub fn table<'a, R: 'a>(
    figures: &[&[Figure<R>]],
    rows: impl IntoIterator<Item = &'a R>,
    most: Option<RowLimits>,
    is_shown: impl Fn(When) -> bool,
) -> Table {
    let (figures, columns) = columns(figures, |one| one.at, is_shown);
    let row = |of| figures.iter().map(|one| in_table((one.value)(of))).collect::<Row>();
    Table { columns, rows: rows.into_iter().map(row).collect(), most }
}

/// Figures of one of two runs: null where it has no such row.
pub fn compared_json<R>(figures: &[&[Figure<R>]], of: Option<&R>) -> Json {
    let Some(of) = of else { return Json::Null };
    let (figures, _) = columns(figures, |one| one.compared, |_| true);
    let compared = figures.into_iter().filter(|one| one.compared > 0);
    compared.map(|one| (one.json.to_owned(), in_json((one.value)(of)))).collect::<Map<_, _>>().into()
}

/// A table of two runs, each row with its name: `first -> second`.
pub fn compared<R>(figures: &[&[Figure<R>]], rows: Vec<(String, [Option<&R>; 2])>) -> Table {
    let (mut figures, mut columns) = columns(figures, |one| one.compared, |_| true);
    let others = figures.iter().filter(|one| one.compared == 0).count();
    figures.drain(..others);
    drop(columns.splice(..others, [Column::text("first -> second")]));
    let row = |(name, runs): (String, [Option<&R>; 2])| {
        let cell = |one: &&Figure<R>| {
            let [mut first, second] =
                runs.map(|of| of.map_or_else(|| "-".into(), |of| in_table((one.value)(of)).text));
            first.0.extend(Text::from(" -> ").0.into_iter().chain(second.0));
            Cell::from(first)
        };
        std::iter::once(name.into()).chain(figures.iter().map(cell)).collect::<Row>()
    };
    Table { columns, rows: rows.into_iter().map(row).collect(), most: words::limits(8) }
}

/// Figures that have a column, with these, in an order.
fn columns<'a, R>(
    figures: &[&'a [Figure<R>]],
    order: fn(&Figure<R>) -> u8,
    is_shown: impl Fn(When) -> bool,
) -> (Vec<&'a Figure<R>>, Vec<Column>) {
    let all = figures.iter().copied().flatten();
    let mut all: Vec<_> = all.filter_map(|one| Some((one, one.column(&is_shown)?))).collect();
    all.sort_by_key(|(one, _)| order(one));
    all.into_iter().unzip()
}

fn in_json(of: Reading<Amount>) -> Json {
    reading(&of, |of| match of {
        Amount::Time(time) => json!(time.seconds()),
        Amount::Sum(time) => json!(time.seconds()),
        Amount::Bytes(bytes) => json!(bytes.0),
        Amount::Count(count) => json!(count),
        Amount::Number(number) => json!(number),
        Amount::Share(share) | Amount::Efficiency(share) | Amount::Mean(share) => json!(share.0),
        Amount::Name(name) => json!(name),
        Amount::Place(place) => figures::place(place),
        Amount::OfRank((rank, time)) => json!({ "rank": rank, "seconds": time.seconds() }),
        Amount::Judgement(of) => json!(of.value),
        Amount::Json(value) => (**value).clone(),
        Amount::Shaped(of) => of.0.clone(),
    })
}

fn in_csv(of: Amount) -> String {
    match of {
        Amount::Time(time) => format!("{:.9}", time.seconds()),
        Amount::Sum(time) => format!("{:.9}", time.seconds()),
        Amount::Bytes(bytes) => bytes.0.to_string(),
        Amount::Count(count) => count.to_string(),
        Amount::Number(number) => number.to_string(),
        Amount::Share(share) | Amount::Efficiency(share) => format!("{:.6}", share.0),
        Amount::Mean(mean) => format!("{:.1}", mean.0),
        Amount::Name(name) => name,
        _ => String::new(),
    }
}

fn in_table(of: Reading<Amount>) -> Cell {
    let of = match of {
        Reading::Unavailable { unavailable } => return Text::unavailable(unavailable.0).into(),
        Reading::Measured(of) => of,
    };
    match of {
        Amount::Time(time) => time.to_string().into(),
        Amount::Sum(time) => time.to_string().into(),
        Amount::Bytes(bytes) => bytes.to_string().into(),
        Amount::Share(share) => words::percent(share).into(),
        Amount::Efficiency(share) => words::efficiency(share).into(),
        Amount::Mean(mean) => format!("{:.0}", mean.0).into(),
        Amount::OfRank((rank, time)) => format!("{time} (rank {rank})").into(),
        Amount::Place(place) => words::place(&place).into(),
        Amount::Judgement(of) => words::judged(&of),
        Amount::Shaped(of) => of.1.into(),
        other => in_csv(other).into(),
    }
}
