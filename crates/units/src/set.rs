//! Sets of identifiers, printed and parsed as lists: `0-3,8,10-14:2`.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::harmless::quoted;
use crate::id::{CpuId, Id, NodeId, UNBOUNDED, stored};

#[cfg(test)]
#[path = "set_tests.rs"]
mod tests;

/// The highest index that a set takes, but of what has a limit above it. Linux has no more CPUs than this in any configuration
/// (`CONFIG_NR_CPUS` is at most 8192); the bound keeps a typing error such as `0-4000000000` from taking the memory of the machine.
const MAX_INDEX: u32 = 65_535;

fn highest<T: Id>() -> u32 {
    if T::LIMIT == UNBOUNDED { MAX_INDEX } else { MAX_INDEX.max(T::LIMIT - 1) }
}

/// A list names at most so many numbers, those that it names again counted: many times what a set can hold, and few enough that
/// no list takes long.
const MOST_NUMBERS: u64 = 1 << 20;

/// An ordered set of identifiers. Prints as the kernel's list format, `0-3,8`; the empty set prints as nothing.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdSet<T> {
    words: Vec<u64>, // no zero word at the end, so that equal sets are equal values
    of: PhantomData<T>,
}

/// A set of logical CPUs.
#[doc(alias = "cpuset")]
pub type CpuSet = IdSet<CpuId>;
/// A set of NUMA nodes.
#[doc(alias = "nodeset")]
pub type NodeSet = IdSet<NodeId>;

impl<T: Id> IdSet<T> {
    /// The empty set.
    pub fn new() -> Self {
        IdSet { words: Vec::new(), of: PhantomData }
    }

    /// The set of one identifier.
    pub fn single(id: T) -> Self {
        [id].into_iter().collect()
    }

    /// Adds `id`; true when it was not there.
    ///
    /// # Panics
    /// When the index is above 65,535 and not below the limit of its kind: nothing has such a number.
    pub fn insert(&mut self, id: T) -> bool {
        let index = id.index();
        assert!(index <= highest::<T>(), "{} {index} is above {}", T::NOUN, highest::<T>());
        let (word, bit) = (index as usize / 64, 1u64 << (index % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Takes `id` out; true when it was there.
    pub fn remove(&mut self, id: T) -> bool {
        let (word, bit) = (id.index() as usize / 64, 1u64 << (id.index() % 64));
        let Some(w) = self.words.get_mut(word) else {
            return false;
        };
        let was = *w & bit != 0;
        *w &= !bit;
        self.trim();
        was
    }

    pub fn contains(&self, id: T) -> bool {
        self.words.get(id.index() as usize / 64).is_some_and(|w| w >> (id.index() % 64) & 1 == 1)
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn first(&self) -> Option<T> {
        self.iter().next()
    }

    pub fn last(&self) -> Option<T> {
        let word = self.words.len().checked_sub(1)?;
        Some(T::from_index(word as u32 * 64 + 63 - self.words[word].leading_zeros()))
    }

    /// The identifiers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.words.iter().enumerate().flat_map(|(k, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    T::from_index(k as u32 * 64 + bit)
                })
            })
        })
    }

    pub fn union(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    pub fn intersection(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// What is in `self` and not in `other`.
    pub fn difference(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        self.difference(other).is_empty()
    }

    pub fn intersects(&self, other: &Self) -> bool {
        !self.intersection(other).is_empty()
    }

    /// The set as 64-bit words, lowest identifiers first, as `sched_setaffinity` and `set_mempolicy` take it.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The set from 64-bit words, lowest identifiers first.
    pub fn from_words(words: impl Into<Vec<u64>>) -> Self {
        let mut set = IdSet { words: words.into(), of: PhantomData };
        set.trim();
        set
    }

    fn zip(&self, other: &Self, op: impl Fn(u64, u64) -> u64) -> Self {
        let n = self.words.len().max(other.words.len());
        let word = |set: &Self, k: usize| set.words.get(k).copied().unwrap_or(0);
        Self::from_words((0..n).map(|k| op(word(self, k), word(other, k))).collect::<Vec<_>>())
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

impl<T: Id> Default for IdSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Id> FromIterator<T> for IdSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(ids: I) -> Self {
        let mut set = Self::new();
        set.extend(ids);
        set
    }
}

impl<T: Id> Extend<T> for IdSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, ids: I) {
        for id in ids {
            self.insert(id);
        }
    }
}

impl<T: Id> fmt::Display for IdSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ids = self.iter().map(Id::index).peekable();
        let mut separator = "";
        while let Some(first) = ids.next() {
            let mut last = first;
            while let Some(next) = ids.next_if_eq(&(last + 1)) {
                last = next;
            }
            write!(f, "{separator}{first}")?;
            if last > first {
                write!(f, "-{last}")?;
            }
            separator = ",";
        }
        Ok(())
    }
}

impl<T: Id> fmt::Debug for IdSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

/// A text that is not a list of CPUs or nodes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a list of {noun}s: {flaw}; expected numbers and ranges such as 0-3,8 or 0-14:2")]
pub struct ParseSetError {
    text: String,
    noun: &'static str,
    pub flaw: SetFlaw,
}

/// What is wrong with an element of a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetFlaw {
    #[error("the step in '{element}' is 0")]
    StepOfZero { element: String },
    #[error("the range '{range}' runs backwards")]
    Backwards { range: String },
    #[error("a number is missing")]
    MissingNumber,
    #[error("'{found}' is not a number")]
    NotANumber { found: String },
    #[error("{found} is above {highest}, the highest that {giver}")]
    TooLarge { found: String, highest: u32, giver: &'static str },
    #[error("it names more than {MOST_NUMBERS} numbers, most of them again and again")]
    TooMany,
}

impl<T: Id> FromStr for IdSet<T> {
    type Err = ParseSetError;

    /// Parses the kernel's list format: numbers, ranges `a-b`, ranges with a step `a-b:s`, separated by commas. The
    /// empty text is the empty set. Spaces around an element are ignored, as is a newline at the end.
    fn from_str(text: &str) -> Result<Self, ParseSetError> {
        let mut set = Self::new();
        if text.trim().is_empty() {
            return Ok(set);
        }
        let broken = |flaw| ParseSetError { text: quoted(text.trim()), noun: T::NOUN, flaw };
        let mut numbers = 0;
        for element in text.trim().split(',') {
            let (first, last, step) = range::<T>(element.trim()).map_err(broken)?;
            numbers += u64::from((last - first) / step) + 1;
            if numbers > MOST_NUMBERS {
                return Err(broken(SetFlaw::TooMany));
            }
            set.extend((first..=last).step_by(step as usize).map(T::from_index));
        }
        Ok(set)
    }
}

/// `7`, `0-3` or `0-14:2` as first, last and step.
fn range<T: Id>(element: &str) -> Result<(u32, u32, u32), SetFlaw> {
    let (span, step) = match element.split_once(':') {
        Some((span, step)) => (span, number::<T>(step, highest::<T>())?),
        None => (element, 1),
    };
    let highest = highest::<T>().min(T::LIMIT - 1);
    let (first, last) = match span.split_once('-') {
        Some((first, last)) => (number::<T>(first, highest)?, number::<T>(last, highest)?),
        None => (number::<T>(span, highest)?, number::<T>(span, highest)?),
    };
    if step == 0 {
        return Err(SetFlaw::StepOfZero { element: quoted(element) });
    }
    if last < first {
        return Err(SetFlaw::Backwards { range: quoted(span) });
    }
    Ok((first, last, step))
}

fn number<T: Id>(text: &str, highest: u32) -> Result<u32, SetFlaw> {
    if text.is_empty() {
        return Err(SetFlaw::MissingNumber);
    }
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(SetFlaw::NotANumber { found: quoted(text) });
    }
    match text.parse() {
        Ok(n) if n <= highest => Ok(n),
        _ => Err(SetFlaw::TooLarge { found: quoted(text), highest, giver: T::GIVER }),
    }
}

impl<T: Id> Serialize for IdSet<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, T: Id> Deserialize<'de> for IdSet<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let set: Self = String::deserialize(deserializer)?.parse().map_err(de::Error::custom)?;
        match set.last() {
            Some(last) => stored::<T>(last.index().into()).map(|_| set).map_err(de::Error::custom),
            None => Ok(set),
        }
    }
}
