//! The trials of a study as CSV, JSON and Parquet, for other programs: `docs/formats/trials.md`.

use std::sync::Arc;

use numawise_tables::{TrialColumn, TrialTable, TrialValues};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use serde_json::{Map, Value, json as object};

use crate::csv::quoted;

#[cfg(test)]
#[path = "trial_table_tests.rs"]
mod tests;

/// The name and the version of the JSON.
pub const SCHEMA: &str = "numawise/trials/1";

/// With a row of names; a cell of what is missing is empty.
pub fn csv(table: &TrialTable) -> String {
    let line = |cells: &mut dyn Iterator<Item = String>| {
        cells.map(|cell| quoted(&cell)).collect::<Vec<_>>().join(",")
    };
    let mut text = line(&mut table.columns.iter().map(|column| column.name.clone()));
    text.push('\n');
    for row in 0..table.rows() {
        text += &line(&mut table.columns.iter().map(|column| cell(&column.values, row)));
        text.push('\n');
    }
    text
}

fn cell(values: &TrialValues, row: usize) -> String {
    let text = match values {
        TrialValues::Integers(all) => all[row].map(|value| value.to_string()),
        TrialValues::Numbers(all) => all[row].map(|value| value.to_string()),
        TrialValues::Texts(all) => all[row].clone(),
    };
    text.unwrap_or_default()
}

/// One object, with one for each trial; what is missing is null.
pub fn json(table: &TrialTable) -> String {
    let row = |row: usize| -> Value {
        let of = |column: &TrialColumn| {
            let value = match &column.values {
                TrialValues::Integers(all) => object!(all[row]),
                TrialValues::Numbers(all) => object!(all[row]),
                TrialValues::Texts(all) => object!(all[row]),
            };
            (column.name.clone(), value)
        };
        table.columns.iter().map(of).collect::<Map<_, _>>().into()
    };
    let rows: Vec<Value> = (0..table.rows()).map(row).collect();
    format!("{:#}\n", object!({ "schema": SCHEMA, "trials": rows }))
}

/// The bytes of a file of Apache Parquet: one row group, optional columns, not compressed.
///
/// # Errors
/// When the table has no columns, or more rows than the format takes.
pub fn parquet(table: &TrialTable) -> Result<Vec<u8>, ParquetError> {
    let fields = table.columns.iter().map(field).collect::<Result<Vec<TypePtr>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("trials").with_fields(fields).build()?);
    let properties = WriterProperties::builder().set_compression(Compression::UNCOMPRESSED).build();
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for column in &table.columns {
        let Some(writer) = group.next_column()? else { break };
        write(writer, &column.values)?;
    }
    group.close()?;
    file.into_inner()
}

fn field(column: &TrialColumn) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = match column.values {
        TrialValues::Integers(_) => (Physical::INT64, None),
        TrialValues::Numbers(_) => (Physical::DOUBLE, None),
        TrialValues::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let of = Type::primitive_type_builder(&column.name, physical);
    Ok(Arc::new(of.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build()?))
}

fn write(mut column: SerializedColumnWriter<'_>, values: &TrialValues) -> Result<(), ParquetError> {
    // 1 where there is a value: the column is optional, and no part of a list.
    let levels = |present: &mut dyn Iterator<Item = bool>| present.map(i16::from).collect::<Vec<i16>>();
    match (column.untyped(), values) {
        (ColumnWriter::Int64ColumnWriter(writer), TrialValues::Integers(all)) => {
            let there: Vec<i64> = all.iter().copied().flatten().collect();
            writer.write_batch(&there, Some(&levels(&mut all.iter().map(Option::is_some))), None)?;
        }
        (ColumnWriter::DoubleColumnWriter(writer), TrialValues::Numbers(all)) => {
            let there: Vec<f64> = all.iter().copied().flatten().collect();
            writer.write_batch(&there, Some(&levels(&mut all.iter().map(Option::is_some))), None)?;
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), TrialValues::Texts(all)) => {
            let there: Vec<ByteArray> = all.iter().flatten().map(|text| text.as_str().into()).collect();
            writer.write_batch(&there, Some(&levels(&mut all.iter().map(Option::is_some))), None)?;
        }
        _ => return Err(ParquetError::General("a column is not of the kind of its values".to_owned())),
    }
    column.close()
}
