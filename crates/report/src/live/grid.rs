//! Which columns of a table fit into a line, and where.

use super::table::By;

#[cfg(test)]
#[path = "grid_tests.rs"]
mod tests;

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub by: By,
    pub title: String,
    /// The least width that is of use.
    pub width: u16,
    /// How much wider it may become.
    pub grow: u16,
    /// Numbers stand at the right.
    pub right: bool,
    /// Columns with the highest number go first when the line is short; those with 0 never go.
    pub expendable: u8,
}

impl Column {
    pub fn number(by: By, title: impl Into<String>, width: u16, expendable: u8) -> Self {
        Column { by, title: title.into(), width, grow: 0, right: true, expendable }
    }

    pub fn text(by: By, title: impl Into<String>, width: u16, grow: u16, expendable: u8) -> Self {
        Column { by, title: title.into(), width, grow, right: false, expendable }
    }
}

/// A column that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Which of the columns.
    pub column: usize,
    pub x: u16,
    pub width: u16,
}

/// The columns that fit into `width`, in their order, with one blank between. The one that the table is sorted by stays.
pub fn fit(columns: &[Column], sorted: By, width: u16) -> Vec<Slot> {
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    let needed = |shown: &[usize]| -> u32 { shown.iter().map(|&k| u32::from(columns[k].width) + 1).sum() };
    while needed(&shown) > u32::from(width) + 1 {
        let goes = |&&k: &&usize| columns[k].expendable > 0 && columns[k].by != sorted;
        let Some(&worst) = shown.iter().filter(goes).max_by_key(|&&k| columns[k].expendable) else { break };
        shown.retain(|&k| k != worst);
    }
    let mut spare = u32::from(width) + 1 - needed(&shown).min(u32::from(width) + 1);
    let mut slots = Vec::with_capacity(shown.len());
    let mut x = 0u16;
    for column in shown {
        let more = u32::from(columns[column].grow).min(spare);
        spare -= more;
        let room = width.saturating_sub(x);
        let width = (columns[column].width + more as u16).min(room);
        if width == 0 {
            break;
        }
        slots.push(Slot { column, x, width });
        x = x.saturating_add(width + 1);
    }
    slots
}
