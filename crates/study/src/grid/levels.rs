//! The levels of a factor as they are typed: numbers with ranges and powers, or words.

use std::fmt;
use std::str::FromStr;

use numawise_units::harmless::quoted;

#[cfg(test)]
#[path = "levels_tests.rs"]
mod tests;

/// More levels of one factor are a slip of the keys, not an experiment.
pub const MOST_LEVELS: usize = 4096;

/// Numbers in the order in which they were typed, each once: `4`, `1,2,4`, `1..=64`, `1..=64:8` (every eighth from 1 on), `2^0..=2^7`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberLevels(Vec<u32>);

impl NumberLevels {
    pub fn numbers(&self) -> &[u32] {
        &self.0
    }
}

/// A text that is no list of numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NumberLevelsError {
    #[error("the list is empty; expected numbers such as 1,2,4 or 1..=64 or 1..=64:8 or 2^0..=2^7")]
    Empty,
    #[error("'{0}' is no number; expected for example 8, 1..=64, 1..=64:8 or 2^0..=2^7")]
    NotANumber(String),
    #[error("'{0}' is 0; expected at least 1")]
    Zero(String),
    #[error("the range '{range}' ends below where it begins; expected {end}..={begin}")]
    Backwards { range: String, begin: u32, end: u32 },
    #[error(
        "the range '{0}' mixes a power and a number; expected two powers of the same base, or two numbers"
    )]
    MixedPowers(String),
    #[error("'{0}' has a step of 0; expected at least 1")]
    NoStep(String),
    #[error("'{0}' has a step and no range; expected for example 1..=64:8")]
    StepWithoutRange(String),
    #[error("{0} is there twice; expected each level once")]
    Twice(u32),
    #[error("there are more than {MOST_LEVELS} levels; expected fewer: give a range a step, as in 1..=64:8")]
    TooMany,
}

impl FromStr for NumberLevels {
    type Err = NumberLevelsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Vec::new();
        for item in text.split(',').map(str::trim) {
            if item.is_empty() {
                return Err(NumberLevelsError::Empty);
            }
            for level in item_levels(item)? {
                if all.contains(&level) {
                    return Err(NumberLevelsError::Twice(level));
                }
                all.push(level);
                if all.len() > MOST_LEVELS {
                    return Err(NumberLevelsError::TooMany);
                }
            }
        }
        Ok(NumberLevels(all))
    }
}

impl fmt::Display for NumberLevels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join(","))
    }
}

/// A number as it was typed.
#[derive(Clone, Copy)]
enum Typed {
    Number(u32),
    Power { base: u32, exponent: u32 },
}

impl Typed {
    fn value(self) -> Option<u32> {
        match self {
            Typed::Number(number) => Some(number),
            Typed::Power { base, exponent } => base.checked_pow(exponent),
        }
    }
}

fn item_levels(item: &str) -> Result<Vec<u32>, NumberLevelsError> {
    let bad = || NumberLevelsError::NotANumber(quoted(item));
    let (range, step) = match item.split_once(':') {
        Some((range, step)) => (range, Some(step.trim().parse::<u32>().map_err(|_| bad())?)),
        None => (item, None),
    };
    let Some((begin, end)) = range.split_once("..=") else {
        return match step {
            Some(_) => Err(NumberLevelsError::StepWithoutRange(quoted(item))),
            None => Ok(vec![level(typed(item, item)?, item)?]),
        };
    };
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err(NumberLevelsError::NoStep(quoted(item)));
    }
    let (begin, end) = (typed(begin, item)?, typed(end, item)?);
    let (low, high) = (level(begin, item)?, level(end, item)?);
    if high < low {
        return Err(NumberLevelsError::Backwards { range: quoted(item), begin: low, end: high });
    }
    match (begin, end) {
        (Typed::Number(_), Typed::Number(_)) => {
            if (high - low) as usize / step as usize >= MOST_LEVELS {
                return Err(NumberLevelsError::TooMany);
            }
            Ok((low..=high).step_by(step as usize).collect())
        }
        (Typed::Power { base, exponent: from }, Typed::Power { base: other, exponent: to })
            if base == other =>
        {
            (from..=to)
                .step_by(step as usize)
                .map(|exponent| level(Typed::Power { base, exponent }, item))
                .collect()
        }
        _ => Err(NumberLevelsError::MixedPowers(quoted(item))),
    }
}

fn level(typed: Typed, item: &str) -> Result<u32, NumberLevelsError> {
    match typed.value() {
        Some(0) => Err(NumberLevelsError::Zero(quoted(item))),
        Some(value) => Ok(value),
        None => Err(NumberLevelsError::NotANumber(quoted(item))),
    }
}

fn typed(text: &str, item: &str) -> Result<Typed, NumberLevelsError> {
    let number =
        |text: &str| text.trim().parse::<u32>().map_err(|_| NumberLevelsError::NotANumber(quoted(item)));
    match text.split_once('^') {
        // A base of 0 or 1 has one power only.
        Some((base, exponent)) => match number(base)? {
            0 | 1 => Err(NumberLevelsError::NotANumber(quoted(item))),
            base => Ok(Typed::Power { base, exponent: number(exponent)? }),
        },
        None => Ok(Typed::Number(number(text)?)),
    }
}

/// Words in the order in which they were typed, each once, separated by commas; `\,` is a comma in a word. A word may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordLevels(Vec<String>);

impl WordLevels {
    pub fn words(&self) -> &[String] {
        &self.0
    }
}

/// A text that is no list of words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WordLevelsError {
    #[error("'{0}' is there twice; expected each level once (a comma inside a level is typed \\,)")]
    Twice(String),
    #[error("there are more than {MOST_LEVELS} levels; expected fewer")]
    TooMany,
    #[error(transparent)]
    Range(#[from] NumberLevelsError),
}

impl FromStr for WordLevels {
    type Err = WordLevelsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = vec![String::new()];
        let mut rest = text.chars().peekable();
        while let Some(next) = rest.next() {
            match next {
                '\\' if rest.peek() == Some(&',') => {
                    rest.next();
                    last(&mut words).push(',');
                }
                ',' => words.push(String::new()),
                other => last(&mut words).push(other),
            }
        }
        let words = with_ranges(words)?;
        if words.len() > MOST_LEVELS {
            return Err(WordLevelsError::TooMany);
        }
        for (k, word) in words.iter().enumerate() {
            if words[..k].contains(word) {
                return Err(WordLevelsError::Twice(quoted(word)));
            }
        }
        Ok(WordLevels(words))
    }
}

/// What looks like a range of numbers is one: nobody wants a program to be given `1..=64`.
fn with_ranges(words: Vec<String>) -> Result<Vec<String>, NumberLevelsError> {
    let mut all = Vec::new();
    for word in words {
        if word.contains("..=") && word.starts_with(|first: char| first.is_ascii_digit()) {
            let range: NumberLevels = word.parse()?;
            all.extend(range.numbers().iter().map(ToString::to_string));
        } else {
            all.push(word);
        }
    }
    Ok(all)
}

fn last(words: &mut Vec<String>) -> &mut String {
    if words.is_empty() {
        words.push(String::new());
    }
    let end = words.len() - 1;
    &mut words[end]
}

impl fmt::Display for WordLevels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(|word| word.replace(',', "\\,")).collect();
        f.write_str(&all.join(","))
    }
}
