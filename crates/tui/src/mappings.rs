//! The table of the largest mappings of one task.

use std::cmp::Ordering;

use numawise_facts::MappingSnapshot;
use numawise_tables::NodeColumn;
use numawise_units::Bytes;

use crate::columns::{Column, Field};
use crate::style::Palette;
use crate::table::{Cell, RowId, Table};
use crate::text;
use crate::watched::WatchedTask;

pub struct Mappings<'a> {
    pub kept: &'a WatchedTask,
    pub nodes: &'a [NodeColumn],
}

impl Mappings<'_> {
    fn all(&self) -> &[MappingSnapshot] {
        self.kept.task.memory.measured().map_or(&[], |memory| memory.largest.as_slice())
    }

    fn on(&self, mapping: &MappingSnapshot, column: usize) -> Bytes {
        let Some(column) = self.nodes.get(column) else { return Bytes(0) };
        mapping.by_node.iter().filter(|(node, _)| *node == column.node).map(|(_, bytes)| *bytes).sum()
    }
}

impl Table for Mappings<'_> {
    fn noun(&self) -> (&'static str, &'static str) {
        ("mapping", "of the largest mappings")
    }

    fn columns(&self, width: u16) -> Vec<Column> {
        let mut columns = vec![
            Column::number(Field::Memory, "SIZE", 5, 0),
            Column::text(Field::UsedFor, "USE", 7, 0, 1),
            Column::text(Field::Policy, "POLICY", 12, 4, 2),
            Column::number(Field::Page, "PAGE", 5, 4),
        ];
        if self.nodes.len() > 1 && self.nodes.len() as u16 * 6 + 40 <= width {
            let column = |(k, node): (usize, &NodeColumn)| {
                Column::number(Field::Node(k), format!("N{}", node.node), 5, 0)
            };
            columns.extend(self.nodes.iter().enumerate().map(column));
        } else if self.nodes.len() > 1 {
            columns.push(Column::text(Field::Blocks, "BY NODE", self.nodes.len().clamp(7, 32) as u16, 0, 3));
        }
        columns.push(Column::text(Field::Address, "ADDRESS", 12, 0, 5));
        columns.push(Column::text(Field::Name, "FILE", 9, u16::MAX, 3));
        columns
    }

    fn rows(&self) -> usize {
        self.all().len()
    }

    fn id(&self, row: usize) -> RowId {
        RowId(self.all()[row].address, 0)
    }

    fn matches(&self, row: usize, needle: &str) -> bool {
        let mapping = &self.all()[row];
        let file = mapping.file.as_deref().unwrap_or("");
        file.to_lowercase().contains(needle)
            || mapping.policy.to_lowercase().contains(needle)
            || mapping.used_for.to_string().contains(needle)
            || format!("{:x}", mapping.address).contains(needle)
    }

    fn compare(&self, a: usize, b: usize, by: Field) -> Ordering {
        let (a, b) = (&self.all()[a], &self.all()[b]);
        match by {
            Field::Memory => a.resident().cmp(&b.resident()),
            Field::UsedFor => a.used_for.cmp(&b.used_for),
            Field::Policy => a.policy.cmp(&b.policy),
            Field::Page => a.page.cmp(&b.page),
            Field::Node(k) => self.on(a, k).cmp(&self.on(b, k)),
            Field::Name => a.file.cmp(&b.file),
            _ => a.address.cmp(&b.address),
        }
    }

    fn cell(&self, row: usize, by: Field, _: u16, palette: Palette) -> Cell {
        let mapping = &self.all()[row];
        match by {
            Field::Memory => Cell::plain(text::amount(mapping.resident())),
            Field::UsedFor => Cell::plain(mapping.used_for.to_string()),
            Field::Policy => Cell::plain(text::clean(&mapping.policy)),
            Field::Page => Cell::plain(text::amount(mapping.page)),
            Field::Node(k) => Cell::plain(text::amount(self.on(mapping, k))),
            Field::Blocks => {
                let full = (0..self.nodes.len()).map(|k| self.on(mapping, k).0).max().unwrap_or(0) as f32;
                let block = |k: usize| palette.levels.of(self.on(mapping, k).0 as f32, full);
                Cell::plain((0..self.nodes.len()).map(block).collect::<String>())
            }
            Field::Address => Cell::plain(format!("{:x}", mapping.address)),
            Field::Name => Cell::plain(mapping.file.as_deref().map(text::clean).unwrap_or_default()),
            _ => Cell::missing(),
        }
    }

    fn ended(&self, _: usize) -> bool {
        self.kept.ended.is_some()
    }

    fn nothing(&self) -> String {
        match &self.kept.task.memory.reason() {
            Some(reason) => format!("memory unavailable: {}", text::clean(&reason.0)),
            None => "no memory is resident".to_owned(),
        }
    }
}
