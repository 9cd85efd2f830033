//! The trials of a study, a row each, for other programs to read.

/// Columns of the same length, in the order in which they are shown; a missing value is one that the trial does not have.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrialTable {
    pub columns: Vec<TrialColumn>,
}

impl TrialTable {
    /// How many trials there are.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }
}

/// A column, all of whose values are of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialColumn {
    /// With its unit, where it has one: `wall_time_seconds`. No two columns have the same.
    pub name: String,
    pub values: TrialValues,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum TrialValues {
    Integers(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
}

impl TrialValues {
    pub fn len(&self) -> usize {
        match self {
            TrialValues::Integers(all) => all.len(),
            TrialValues::Numbers(all) => all.len(),
            TrialValues::Texts(all) => all.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
