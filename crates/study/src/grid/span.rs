//! The points that factors span: all combinations of their levels that fulfil the constraints.

use std::collections::{BTreeMap, BTreeSet};

use numawise_facts::{DeviceName, RanksByThreads};

use super::constraint::{Constraint, ConstraintError, Operand};
use super::factor::{FactorName, GridFactor, GridLevel};

#[cfg(test)]
#[path = "span_tests.rs"]
mod tests;

/// More points than these nobody runs one by one.
pub const MOST_POINTS: usize = 100_000;

/// A point: one level of each factor, in the order of the factors.
#[derive(Debug, Clone, PartialEq)]
pub struct GridPoint {
    pub levels: Vec<(FactorName, GridLevel)>,
    /// The point is at the first level of each factor.
    pub is_first: bool,
}

impl GridPoint {
    pub fn level(&self, name: &FactorName) -> Option<&GridLevel> {
        self.levels.iter().find(|(of, _)| of == name).map(|(_, level)| level)
    }

    fn division(&self) -> Option<RanksByThreads> {
        match self.level(&FactorName::RanksTimesThreads) {
            Some(GridLevel::Division(division)) => Some(*division),
            _ => None,
        }
    }

    fn number(&self, name: &FactorName) -> Option<u32> {
        self.level(name).and_then(GridLevel::number)
    }

    pub fn threads(&self) -> Option<u32> {
        self.division().map(|of| of.threads).or_else(|| self.number(&FactorName::Threads))
    }

    pub fn ranks(&self) -> Option<u32> {
        self.division().map(|of| of.ranks).or_else(|| self.number(&FactorName::Ranks))
    }

    pub fn copies(&self) -> Option<u32> {
        self.number(&FactorName::Copies)
    }

    /// What a name of a factor stands for here, as it is filled in: `ranks` and `threads` also where they are one factor.
    pub fn word(&self, name: &str) -> Option<String> {
        match (name, self.division()) {
            ("ranks", Some(division)) => Some(division.ranks.to_string()),
            ("threads", Some(division)) => Some(division.threads.to_string()),
            _ => self.levels.iter().find(|(of, _)| of.word() == name).map(|(_, level)| level.word()),
        }
    }

    /// The same in a condition.
    fn operand(&self, name: &str, is_number: bool) -> Option<Operand> {
        let word = self.word(name)?;
        Some(match number(&word) {
            Some(number) if is_number => Operand::Number(number),
            _ => Operand::Word(word),
        })
    }
}

fn number(word: &str) -> Option<f64> {
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Factors with the constraints of their points.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    factors: Vec<GridFactor>,
    constraints: Vec<Constraint>,
}

/// Factors that span no points.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GridError {
    #[error("{0} is a factor twice; expected each once")]
    Twice(FactorName),
    #[error("the level {level} of {factor} is there twice; expected each once")]
    LevelTwice { factor: FactorName, level: String },
    #[error("{one} and {other} are both factors, and both say how many {of} there are; expected one of them")]
    Contradiction { one: FactorName, other: FactorName, of: &'static str },
    #[error("{0} names a parameter, and is what we call a factor ourselves; expected another name")]
    ReservedName(String),
    #[error("'{0}' is no name; expected a letter or _ and then letters, digits, _ and -")]
    BadName(String),
    #[error("the factors have {points} points, more than {MOST_POINTS}: expected fewer levels")]
    TooMany { points: u128 },
    #[error("none of the {points} points fulfils {constraint}: nothing is left to run")]
    NothingLeft { points: usize, constraint: String },
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
}

impl Grid {
    /// # Errors
    /// [`GridError::Twice`], [`GridError::LevelTwice`], [`GridError::Contradiction`], [`GridError::ReservedName`], [`GridError::BadName`], [`GridError::TooMany`].
    pub fn new(factors: Vec<GridFactor>, constraints: Vec<Constraint>) -> Result<Grid, GridError> {
        for (k, factor) in factors.iter().enumerate() {
            let name = factor.name();
            if let FactorName::Parameter(word) | FactorName::Variable(word) = &name {
                if !is_name(word) {
                    return Err(GridError::BadName(word.clone()));
                }
                if RESERVED.contains(&word.as_str()) {
                    return Err(GridError::ReservedName(word.clone()));
                }
            }
            let mut levels = BTreeSet::new();
            if let Some(again) =
                factor.levels().iter().map(GridLevel::word).find(|level| !levels.insert(level.clone()))
            {
                return Err(GridError::LevelTwice { factor: name, level: again });
            }
            // A variable and a parameter of the same name would be one placeholder.
            if factors[..k].iter().any(|other| other.name().word() == name.word()) {
                return Err(GridError::Twice(name));
            }
        }
        let has = |name: FactorName| factors.iter().any(|factor| factor.name() == name);
        for (one, other, of) in [
            (FactorName::RanksTimesThreads, FactorName::Ranks, "ranks"),
            (FactorName::RanksTimesThreads, FactorName::Threads, "threads"),
            (FactorName::RanksTimesThreads, FactorName::Copies, "processes"),
            (FactorName::Ranks, FactorName::Copies, "processes"),
        ] {
            if has(one.clone()) && has(other.clone()) {
                return Err(GridError::Contradiction { one, other, of });
            }
        }
        let points = factors.iter().map(|factor| factor.levels().len() as u128).product();
        if points > MOST_POINTS as u128 {
            return Err(GridError::TooMany { points });
        }
        Ok(Grid { factors, constraints })
    }

    pub fn factors(&self) -> &[GridFactor] {
        &self.factors
    }

    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The devices that points are near to.
    pub fn devices(&self) -> impl Iterator<Item = &DeviceName> {
        let near = self.factors.iter().filter_map(|factor| match factor {
            GridFactor::Near(devices) => Some(devices),
            _ => None,
        });
        near.flatten().flatten()
    }

    /// All names that can stand in a placeholder.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.factors.iter().map(|factor| factor.name().word().to_owned()).collect();
        if self.factors.iter().any(|factor| factor.name() == FactorName::RanksTimesThreads) {
            names.extend(["ranks".to_owned(), "threads".to_owned()]);
        }
        names
    }

    /// The points that fulfil all constraints, the levels of the last factor changing fastest; `machine` has figures of the machine by name,
    /// such as `cpus`.
    ///
    /// # Errors
    /// [`GridError::Constraint`]; [`GridError::NothingLeft`] with the constraint that left nothing.
    pub fn points(&self, machine: &BTreeMap<&str, f64>) -> Result<Vec<GridPoint>, GridError> {
        let mut points = self.all();
        let names = self.names();
        let with_words = self.with_words();
        let known: Vec<&str> = names.iter().map(String::as_str).chain(machine.keys().copied()).collect();
        for constraint in &self.constraints {
            let before = points.len();
            let mut kept = Vec::with_capacity(before);
            for point in points {
                let look = |name: &str| {
                    let level = point.operand(name, !with_words.contains(name));
                    level.or_else(|| machine.get(name).copied().map(Operand::Number))
                };
                if constraint.holds(&look, &known)? {
                    kept.push(point);
                }
            }
            if kept.is_empty() {
                return Err(GridError::NothingLeft { points: before, constraint: constraint.to_string() });
            }
            points = kept;
        }
        Ok(points)
    }

    /// Factors of which some level is no number: all of their levels are words in conditions.
    fn with_words(&self) -> BTreeSet<String> {
        let has_word = |factor: &&GridFactor| {
            factor.name() != FactorName::RanksTimesThreads
                && factor.levels().iter().any(|level| number(&level.word()).is_none())
        };
        self.factors.iter().filter(has_word).map(|factor| factor.name().word().to_owned()).collect()
    }

    fn all(&self) -> Vec<GridPoint> {
        let mut points = vec![GridPoint { levels: Vec::new(), is_first: true }];
        for factor in &self.factors {
            let (name, levels) = (factor.name(), factor.levels());
            points = points
                .iter()
                .flat_map(|point| {
                    let name = &name;
                    levels.iter().enumerate().map(move |(k, level)| {
                        let mut levels = point.levels.clone();
                        levels.push((name.clone(), level.clone()));
                        GridPoint { levels, is_first: point.is_first && k == 0 }
                    })
                })
                .collect();
        }
        points
    }
}

/// What placeholders and conditions know without a factor of that name, or as one of ours.
const RESERVED: [&str; 23] = [
    "command",
    "ranks_x_threads",
    "ranks",
    "copies",
    "threads",
    "place",
    "near",
    "memory",
    "pin",
    "page_size",
    "order",
    "step",
    "task",
    "trial",
    "repeat",
    "cpus",
    "cores",
    "nodes",
    "packages",
    "hbm_nodes",
    "host",
    "template",
    "template_dir",
];

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let starts = bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    starts && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
