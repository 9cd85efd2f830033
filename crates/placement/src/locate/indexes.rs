//! Which objects of a level: `0`, `0-3`, `2-`, `1:3`, `all`, `odd`, `even`.

use std::fmt;

use numawise_units::harmless::quoted;

/// One element of a list of indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indexes {
    Range(usize, usize),
    /// From here to the last.
    From(usize),
    /// So many from the first number on, after the last object again the first.
    Wrapped(usize, usize),
    All,
    Odd,
    Even,
}

impl fmt::Display for Indexes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Indexes::Range(first, last) => write!(f, "{first}-{last}"),
            Indexes::From(first) => write!(f, "{first}-"),
            Indexes::Wrapped(first, count) => write!(f, "{first}:{count}"),
            Indexes::All => f.write_str("all"),
            Indexes::Odd => f.write_str("odd"),
            Indexes::Even => f.write_str("even"),
        }
    }
}

impl Indexes {
    /// The positions among `count` objects.
    ///
    /// # Errors
    /// The first index that is not there, or none when a word such as `odd` finds nothing.
    pub fn among(self, count: usize) -> Result<Vec<usize>, Option<usize>> {
        let there = |index: usize| if index < count { Ok(index) } else { Err(Some(index)) };
        let found: Vec<usize> = match self {
            Indexes::Range(first, last) => {
                there(first)?;
                // The first that is missing, not the last that was asked for.
                there(last).map_err(|_| Some(count.max(first)))?;
                (first..=last).collect()
            }
            Indexes::From(first) => (there(first)?..count).collect(),
            Indexes::Wrapped(first, number) => {
                let first = there(first)?;
                // More than once around finds nothing new.
                (0..number.min(count)).map(|k| (first + k) % count).collect()
            }
            Indexes::All => (0..count).collect(),
            Indexes::Odd => (1..count).step_by(2).collect(),
            Indexes::Even => (0..count).step_by(2).collect(),
        };
        if found.is_empty() { Err(if self == Indexes::All { Some(0) } else { None }) } else { Ok(found) }
    }
}

/// What is wrong with an index or a range of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexFlaw {
    #[error("'{text}' asks for 0 objects")]
    NoObjects { text: String },
    #[error("the range '{range}' runs backwards")]
    Backwards { range: String },
    #[error("a number is missing")]
    MissingNumber,
    #[error("'{text}' is not a number, all, odd or even")]
    NotAnIndex { text: String },
    #[error("{text} is above {MOST}")]
    TooLarge { text: String },
}

/// A list of indexes with commas.
///
/// # Errors
/// What is wrong with the first element that is none.
pub fn parse(text: &str) -> Result<Vec<Indexes>, IndexFlaw> {
    text.split(',').map(element).collect()
}

fn element(text: &str) -> Result<Indexes, IndexFlaw> {
    match text.to_ascii_lowercase().as_str() {
        "all" => return Ok(Indexes::All),
        "odd" => return Ok(Indexes::Odd),
        "even" => return Ok(Indexes::Even),
        _ => {}
    }
    if let Some((first, count)) = text.split_once(':') {
        return match (number(first)?, number(count)?) {
            (_, 0) => Err(IndexFlaw::NoObjects { text: quoted(text) }),
            (first, count) => Ok(Indexes::Wrapped(first, count)),
        };
    }
    match text.split_once('-') {
        None => number(text).map(|index| Indexes::Range(index, index)),
        Some((first, "")) => number(first).map(Indexes::From),
        Some((first, last)) => match (number(first)?, number(last)?) {
            (first, last) if last < first => Err(IndexFlaw::Backwards { range: quoted(text) }),
            (first, last) => Ok(Indexes::Range(first, last)),
        },
    }
}

/// The highest number taken, as for CPUs; a typing error shall not take the memory of the machine.
const MOST: usize = 65_535;

fn number(text: &str) -> Result<usize, IndexFlaw> {
    if text.is_empty() {
        return Err(IndexFlaw::MissingNumber);
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(IndexFlaw::NotAnIndex { text: quoted(text) });
    }
    text.parse()
        .ok()
        .filter(|number| *number <= MOST)
        .ok_or_else(|| IndexFlaw::TooLarge { text: quoted(text) })
}
