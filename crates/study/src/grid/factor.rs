//! The factors of a grid and their levels.

use std::fmt;

use numawise_facts::{
    DeviceName, MemoryRequest, Order, PageSize, RanksByThreads, RunSpec, Strategy, ThreadBinding,
};

/// What a factor is called: in placeholders, in conditions, in tables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FactorName {
    Command,
    /// Ranks and threads together, whose product stays.
    RanksTimesThreads,
    Ranks,
    Copies,
    Threads,
    Place,
    Near,
    Memory,
    Pin,
    PageSize,
    Order,
    Step,
    /// A variable of the environment.
    Variable(String),
    /// A parameter of the program's own.
    Parameter(String),
}

impl FactorName {
    /// As it stands in `{NAME}` and in conditions.
    pub fn word(&self) -> &str {
        match self {
            FactorName::Command => "command",
            FactorName::RanksTimesThreads => "ranks_x_threads",
            FactorName::Ranks => "ranks",
            FactorName::Copies => "copies",
            FactorName::Threads => "threads",
            FactorName::Place => "place",
            FactorName::Near => "near",
            FactorName::Memory => "memory",
            FactorName::Pin => "pin",
            FactorName::PageSize => "page_size",
            FactorName::Order => "order",
            FactorName::Step => "step",
            FactorName::Variable(name) | FactorName::Parameter(name) => name,
        }
    }
}

impl fmt::Display for FactorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// A command by the name that it has in tables.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedCommand {
    pub name: String,
    pub command: RunSpec,
}

/// A factor with its levels, the first of which is its baseline; none of the lists is empty or has a level twice.
#[derive(Debug, Clone, PartialEq)]
pub enum GridFactor {
    Commands(Vec<NamedCommand>),
    RanksTimesThreads(Vec<RanksByThreads>),
    Ranks(Vec<u32>),
    Copies(Vec<u32>),
    Threads(Vec<u32>),
    Place(Vec<Strategy>),
    /// Only CPUs near to a device; without one, all.
    Near(Vec<Option<DeviceName>>),
    Memory(Vec<MemoryRequest>),
    Pin(Vec<ThreadBinding>),
    PageSize(Vec<PageSize>),
    Order(Vec<Order>),
    Step(Vec<u32>),
    Variable {
        name: String,
        values: Vec<String>,
    },
    Parameter {
        name: String,
        values: Vec<String>,
    },
}

impl GridFactor {
    pub fn name(&self) -> FactorName {
        match self {
            GridFactor::Commands(_) => FactorName::Command,
            GridFactor::RanksTimesThreads(_) => FactorName::RanksTimesThreads,
            GridFactor::Ranks(_) => FactorName::Ranks,
            GridFactor::Copies(_) => FactorName::Copies,
            GridFactor::Threads(_) => FactorName::Threads,
            GridFactor::Place(_) => FactorName::Place,
            GridFactor::Near(_) => FactorName::Near,
            GridFactor::Memory(_) => FactorName::Memory,
            GridFactor::Pin(_) => FactorName::Pin,
            GridFactor::PageSize(_) => FactorName::PageSize,
            GridFactor::Order(_) => FactorName::Order,
            GridFactor::Step(_) => FactorName::Step,
            GridFactor::Variable { name, .. } => FactorName::Variable(name.clone()),
            GridFactor::Parameter { name, .. } => FactorName::Parameter(name.clone()),
        }
    }

    /// In the order in which they were typed.
    pub fn levels(&self) -> Vec<GridLevel> {
        let numbers = |of: &[u32]| of.iter().copied().map(GridLevel::Number).collect();
        let words = |of: &[String]| of.iter().cloned().map(GridLevel::Word).collect();
        match self {
            GridFactor::Commands(commands) => {
                commands.iter().map(|one| GridLevel::Word(one.name.clone())).collect()
            }
            GridFactor::RanksTimesThreads(all) => all.iter().copied().map(GridLevel::Division).collect(),
            GridFactor::Ranks(all)
            | GridFactor::Copies(all)
            | GridFactor::Threads(all)
            | GridFactor::Step(all) => numbers(all),
            GridFactor::Place(all) => all.iter().copied().map(GridLevel::Place).collect(),
            GridFactor::Near(all) => all.iter().cloned().map(GridLevel::Near).collect(),
            GridFactor::Memory(all) => all.iter().cloned().map(GridLevel::Memory).collect(),
            GridFactor::Pin(all) => all.iter().copied().map(GridLevel::Pin).collect(),
            GridFactor::PageSize(all) => all.iter().copied().map(GridLevel::PageSize).collect(),
            GridFactor::Order(all) => all.iter().cloned().map(GridLevel::Order).collect(),
            GridFactor::Variable { values, .. } | GridFactor::Parameter { values, .. } => words(values),
        }
    }
}

/// One level of a factor.
#[derive(Debug, Clone, PartialEq)]
pub enum GridLevel {
    Number(u32),
    Division(RanksByThreads),
    Place(Strategy),
    Near(Option<DeviceName>),
    Memory(MemoryRequest),
    Pin(ThreadBinding),
    PageSize(PageSize),
    Order(Order),
    /// A name of a command, the value of a variable or of a parameter.
    Word(String),
}

impl GridLevel {
    /// The level of [`GridFactor::Near`] that is no device.
    pub const NEAR_NOTHING: &str = "none";

    /// As it is filled into a command, and shown.
    pub fn word(&self) -> String {
        match self {
            GridLevel::Number(number) => number.to_string(),
            GridLevel::Division(division) => division.to_string(),
            GridLevel::Place(strategy) => strategy.to_string(),
            GridLevel::Near(Some(device)) => device.to_string(),
            GridLevel::Near(None) => GridLevel::NEAR_NOTHING.to_owned(),
            GridLevel::Memory(memory) => memory.to_string(),
            GridLevel::Pin(ThreadBinding::Pinned) => "on".to_owned(),
            GridLevel::Pin(ThreadBinding::Free) => "off".to_owned(),
            GridLevel::PageSize(size) => size.to_string(),
            GridLevel::Order(order) => order.to_string(),
            GridLevel::Word(word) => word.clone(),
        }
    }

    pub fn number(&self) -> Option<u32> {
        match self {
            GridLevel::Number(number) => Some(*number),
            _ => None,
        }
    }
}

impl fmt::Display for GridLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.word())
    }
}
