//! The columns of tables: what they show, which of them fit into a line, and where.

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;

/// What a column shows, and what a table can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    Pid,
    Rank,
    Name,
    Threads,
    Busy,
    History,
    Mask,
    Nodes,
    Memory,
    Local,
    /// The memory on a node, by its place in the columns of the residency.
    Node(usize),
    /// The memory on all nodes, a character for each.
    Blocks,
    State,
    Cpu,
    Moves,
    Faults,
    Time,
    Address,
    UsedFor,
    Policy,
    Page,
}

impl Field {
    /// What the line above the table calls it.
    pub fn words(self) -> &'static str {
        match self {
            Field::Pid => "number",
            Field::Rank => "rank",
            Field::Name => "name",
            Field::Threads => "number of threads",
            Field::Busy | Field::History => "CPU",
            Field::Mask => "allowed CPUs",
            Field::Nodes => "node",
            Field::Memory | Field::Blocks => "memory",
            Field::Local => "local share",
            Field::Node(_) => "memory on a node",
            Field::State => "state",
            Field::Cpu => "CPU number",
            Field::Moves => "migrations",
            Field::Faults => "page faults",
            Field::Time => "CPU time",
            Field::Address => "address",
            Field::UsedFor => "use",
            Field::Policy => "policy",
            Field::Page => "page size",
        }
    }

    /// Amounts begin with the largest, names with the first.
    pub fn largest_first(self) -> bool {
        matches!(
            self,
            Field::Busy
                | Field::Memory
                | Field::Node(_)
                | Field::Moves
                | Field::Faults
                | Field::Time
                | Field::Threads
                | Field::Page
        )
    }

    /// A table can be sorted by it.
    pub fn sortable(self) -> bool {
        !matches!(self, Field::History | Field::Blocks)
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub by: Field,
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
    pub fn number(by: Field, title: impl Into<String>, width: u16, expendable: u8) -> Self {
        Column { by, title: title.into(), width, grow: 0, right: true, expendable }
    }

    pub fn text(by: Field, title: impl Into<String>, width: u16, grow: u16, expendable: u8) -> Self {
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
pub fn fit(columns: &[Column], sorted: Field, width: u16) -> Vec<Slot> {
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
