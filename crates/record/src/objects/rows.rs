//! What an object has many of: a row each, in the order of the list.

use numawise_facts::Reading;
use numawise_facts::objects::{
    FirstTouch, MemoryObject, ObjectPages, ObjectUse, PartUse, PlaceCount, PlaceUse,
};
use numawise_units::{Bytes, Nanoseconds};
use rusqlite::types::ToSql;
use rusqlite::{Connection, Transaction, params};

use crate::cell::{Cells, ColumnPlaces, Parsed};
use crate::write;

/// The object as its own row keeps it.
pub fn without_lists(object: &MemoryObject) -> MemoryObject {
    let mut alone = MemoryObject { pages: object.pages.as_ref().map(|_| Vec::new()), ..object.clone() };
    alone.first_touch = Vec::new();
    alone.touch_places = Vec::new();
    alone.uses = Vec::new();
    alone.parts = Vec::new();
    alone.use_places = Vec::new();
    alone
}

/// Nothing stands in the row that is to come from the tables.
pub fn is_without_lists(object: &MemoryObject) -> bool {
    object.pages.measured().is_none_or(Vec::is_empty)
        && object.first_touch.is_empty()
        && object.touch_places.is_empty()
        && object.uses.is_empty()
        && object.parts.is_empty()
        && object.use_places.is_empty()
}

/// Writes the lists of all objects.
pub fn insert(transaction: &Transaction<'_>, objects: &[MemoryObject]) -> rusqlite::Result<()> {
    let mut residence = transaction.prepare("INSERT INTO residence VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    each(
        objects,
        |object| object.pages.measured().map_or(&[], Vec::as_slice),
        |key, of| {
            residence.execute(params![
                key[0],
                key[1],
                write::integer(of.at.0),
                write::integer(of.bytes.0),
                write::integer(of.looked_at),
                write::json(&of.on_nodes)?,
            ])
        },
    )?;
    let mut touches = transaction.prepare("INSERT INTO first_touches VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    each(
        objects,
        |object| &object.first_touch,
        |key, of| {
            let [samples, faults] = [of.samples, of.faults].map(write::integer);
            touches.execute(params![key[0], key[1], of.thread, of.cpu.0, of.place, samples, faults])
        },
    )?;
    let mut places = transaction.prepare("INSERT INTO touch_places VALUES (?1, ?2, ?3, ?4)")?;
    each(
        objects,
        |object| &object.touch_places,
        |key, of| places.execute(params![key[0], key[1], of.place, write::integer(of.faults)]),
    )?;
    let mut uses = transaction.prepare("INSERT INTO uses VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    each(
        objects,
        |object| &object.uses,
        |key, of| {
            let node = of.node.map(|node| node.0);
            let row: [&dyn ToSql; 7] =
                [&key[0], &key[1], &of.thread, &of.cpu.0, &node, &of.samples, &of.reads];
            uses.execute(row)
        },
    )?;
    let mut parts = transaction.prepare("INSERT INTO parts VALUES (?1, ?2, ?3, ?4, ?5)")?;
    each(
        objects,
        |object| &object.parts,
        |key, of| parts.execute(params![key[0], key[1], of.thread, of.part, of.samples]),
    )?;
    let mut places = transaction.prepare("INSERT INTO use_places VALUES (?1, ?2, ?3, ?4, ?5)")?;
    each(
        objects,
        |object| &object.use_places,
        |key, of| places.execute(params![key[0], key[1], of.place, of.samples, of.reads]),
    )
}

/// A row for each element of a list, with the number of the object and its place in the list.
fn each<'a, T: 'a>(
    objects: &'a [MemoryObject],
    list: impl Fn(&'a MemoryObject) -> &'a [T],
    mut row: impl FnMut([i64; 2], &T) -> rusqlite::Result<usize>,
) -> rusqlite::Result<()> {
    for (number, object) in objects.iter().enumerate() {
        for (position, of) in list(object).iter().enumerate() {
            row([number as i64, position as i64], of)?;
        }
    }
    Ok(())
}

/// Reads them into the objects.
pub fn read(connection: &Connection, objects: &mut [MemoryObject]) -> Parsed<()> {
    list(connection, "residence", objects, |object, cells| {
        let Reading::Measured(pages) = &mut object.pages else {
            return Err(cells.flaw("object", "an object whose pages are known"));
        };
        pages.push(ObjectPages {
            at: Nanoseconds(cells.int("at_ns")?),
            looked_at: cells.int("looked_at")?,
            on_nodes: cells.json("on_nodes")?,
            bytes: Bytes(cells.int("bytes")?),
        });
        Ok(())
    })?;
    list(connection, "first_touches", objects, |object, cells| {
        object.first_touch.push(FirstTouch {
            thread: cells.int("thread")?,
            cpu: cells.cpu("cpu")?,
            place: cells.int_or_null("place")?,
            samples: cells.int("samples")?,
            faults: cells.int("faults")?,
        });
        Ok(())
    })?;
    list(connection, "touch_places", objects, |object, cells| {
        object.touch_places.push(PlaceCount { place: cells.int("place")?, faults: cells.int("faults")? });
        Ok(())
    })?;
    list(connection, "uses", objects, |object, cells| {
        object.uses.push(ObjectUse {
            thread: cells.int("thread")?,
            cpu: cells.cpu("cpu")?,
            node: cells.node_or_null("node")?,
            samples: real(cells, "samples")?,
            reads: real(cells, "reads")?,
        });
        Ok(())
    })?;
    list(connection, "parts", objects, |object, cells| {
        let (thread, samples) = (cells.int("thread")?, real(cells, "samples")?);
        let part: u32 = cells.int("part")?;
        let part = u8::try_from(part).map_err(|_| cells.flaw("part", "a part from 0 to 63"))?;
        object.parts.push(PartUse { thread, part, samples });
        Ok(())
    })?;
    list(connection, "use_places", objects, |object, cells| {
        object.use_places.push(PlaceUse {
            place: cells.int("place")?,
            samples: real(cells, "samples")?,
            reads: real(cells, "reads")?,
        });
        Ok(())
    })
}

/// The rows of a table, each put into the list of its object.
fn list(
    connection: &Connection,
    table: &'static str,
    objects: &mut [MemoryObject],
    put: impl Fn(&mut MemoryObject, &Cells<'_, '_>) -> Parsed<()>,
) -> Parsed<()> {
    let mut query = connection.prepare(&format!("SELECT * FROM {table} ORDER BY object, position"))?;
    let columns = ColumnPlaces::of(&query);
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let cells = Cells::with(&columns, table, row);
        let number: u32 = cells.int("object")?;
        let object = objects.get_mut(number as usize);
        put(object.ok_or_else(|| cells.flaw("object", "the number of an object"))?, &cells)?;
    }
    Ok(())
}

fn real(cells: &Cells<'_, '_>, column: &str) -> Parsed<f64> {
    cells.real_or_null(column)?.ok_or_else(|| cells.flaw(column, "a number from 0"))
}
