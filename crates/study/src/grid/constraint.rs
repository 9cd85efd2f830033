//! Constraints of a grid, as they are typed: `ranks*threads<=cpus`, `place==semi || copies==1`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use numawise_units::harmless::quoted;

#[cfg(test)]
#[path = "constraint_tests.rs"]
mod tests;

/// A condition that points of a grid fulfil.
///
/// Numbers, names, words in quotes; `* / %`, then `+ -`, then `== != < <= > >=`, then `!`, `&&`, `||`, and parentheses. A name that no factor and
/// no figure of the machine has stands for itself where it is compared with the level of a factor: `place==semi`.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    text: String,
    root: Expression,
}

#[derive(Debug, Clone, PartialEq)]
enum Expression {
    Number(f64),
    Word(String),
    Name(String),
    Not(Box<Expression>),
    Two(Box<Expression>, Operator, Box<Expression>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Times,
    DividedBy,
    Modulo,
}

/// Longer ones first, so that `<=` is not taken for `<`.
const OPERATORS: [(&str, Operator); 13] = [
    ("||", Operator::Or),
    ("&&", Operator::And),
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("+", Operator::Plus),
    ("-", Operator::Minus),
    ("*", Operator::Times),
    ("/", Operator::DividedBy),
    ("%", Operator::Modulo),
];

impl Operator {
    /// Higher binds tighter.
    fn binding(self) -> u8 {
        match self {
            Operator::Or => 1,
            Operator::And => 2,
            Operator::Equal | Operator::NotEqual => 4,
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => 4,
            Operator::Plus | Operator::Minus => 5,
            Operator::Times | Operator::DividedBy | Operator::Modulo => 6,
        }
    }

    fn sign(self) -> &'static str {
        OPERATORS.iter().find(|(_, operator)| *operator == self).map_or("", |(sign, _)| sign)
    }
}

/// `!` binds tighter than `&&` and looser than comparisons: `!place==semi` is `!(place==semi)`.
const NOT: u8 = 3;
/// Deeper than this is no condition that a person typed.
const DEEPEST: usize = 64;

/// What a name stands for at a point.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    Number(f64),
    Word(String),
}

/// The value of a part of a condition.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Truth(bool),
    Number(f64),
    Word(String),
    /// A name that stands for itself.
    Itself(String),
}

/// A text that is no condition, or one that means nothing at a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintError {
    #[error("the condition is empty; expected for example ranks*threads<=cpus")]
    Empty,
    #[error("'{text}': at {at}: found {found}, expected {expected}")]
    Syntax { text: String, at: usize, found: String, expected: &'static str },
    #[error("'{text}': '{name}' is neither a factor nor a figure of the machine; there are: {known}")]
    Unknown { text: String, name: String, known: String },
    #[error("'{text}': {problem}")]
    Meaningless { text: String, problem: String },
}

impl FromStr for Constraint {
    type Err = ConstraintError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().is_empty() {
            return Err(ConstraintError::Empty);
        }
        let mut parser = Parser { text, at: 0, depth: 0 };
        let root = parser.expression(0)?;
        parser.blanks();
        if parser.at < text.len() {
            return Err(parser.error("an operator or the end"));
        }
        Ok(Constraint { text: text.to_owned(), root })
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Constraint {
    /// Whether a point fulfils it; `look` says what a name stands for, `known` are the names that there are.
    ///
    /// # Errors
    /// [`ConstraintError::Unknown`] and [`ConstraintError::Meaningless`].
    pub fn holds(
        &self,
        look: &dyn Fn(&str) -> Option<Operand>,
        known: &[&str],
    ) -> Result<bool, ConstraintError> {
        match self.value(&self.root, look, known)? {
            Value::Truth(truth) => Ok(truth),
            other => Err(self.meaningless(format!(
                "it is {} and not a comparison; expected for example ranks*threads<=cpus",
                kind(&other)
            ))),
        }
    }

    fn value(
        &self,
        of: &Expression,
        look: &dyn Fn(&str) -> Option<Operand>,
        known: &[&str],
    ) -> Result<Value, ConstraintError> {
        match of {
            Expression::Number(number) => Ok(Value::Number(*number)),
            Expression::Word(word) => Ok(Value::Word(word.clone())),
            Expression::Name(name) => Ok(match look(name) {
                Some(Operand::Number(number)) => Value::Number(number),
                Some(Operand::Word(word)) => Value::Word(word),
                None => Value::Itself(name.clone()),
            }),
            Expression::Not(inner) => match self.value(inner, look, known)? {
                Value::Truth(truth) => Ok(Value::Truth(!truth)),
                other => Err(self.meaningless(format!("! takes a comparison, found {}", kind(&other)))),
            },
            Expression::Two(left, operator, right) => {
                let left = self.value(left, look, known)?;
                // What decides already leaves the rest alone, as in C.
                match (&left, operator) {
                    (Value::Truth(true), Operator::Or) => return Ok(Value::Truth(true)),
                    (Value::Truth(false), Operator::And) => return Ok(Value::Truth(false)),
                    _ => {}
                }
                let right = self.value(right, look, known)?;
                self.two(&left, *operator, &right, known)
            }
        }
    }

    fn two(
        &self,
        left: &Value,
        operator: Operator,
        right: &Value,
        known: &[&str],
    ) -> Result<Value, ConstraintError> {
        use Operator::*;
        let truth = |of: &Value| match of {
            Value::Truth(truth) => Ok(*truth),
            other => Err(self.meaningless(format!(
                "{} takes comparisons on both sides, found {}",
                operator.sign(),
                kind(other)
            ))),
        };
        match operator {
            Or => Ok(Value::Truth(truth(left)? || truth(right)?)),
            And => Ok(Value::Truth(truth(left)? && truth(right)?)),
            Equal | NotEqual => {
                let same = self.same(left, right, known)?;
                Ok(Value::Truth(same == (operator == Equal)))
            }
            Less | LessOrEqual | Greater | GreaterOrEqual => {
                let ordering =
                    self.number(left, operator, known)?.total_cmp(&self.number(right, operator, known)?);
                Ok(Value::Truth(match operator {
                    Less => ordering == Ordering::Less,
                    LessOrEqual => ordering != Ordering::Greater,
                    Greater => ordering == Ordering::Greater,
                    _ => ordering != Ordering::Less,
                }))
            }
            Plus | Minus | Times | DividedBy | Modulo => {
                let (left, right) =
                    (self.number(left, operator, known)?, self.number(right, operator, known)?);
                let result = match operator {
                    Plus => left + right,
                    Minus => left - right,
                    Times => left * right,
                    DividedBy => left / right,
                    _ => left % right,
                };
                if result.is_finite() {
                    Ok(Value::Number(result))
                } else {
                    Err(self.meaningless(format!("{left} {} {right} is no number", operator.sign())))
                }
            }
        }
    }

    fn number(&self, of: &Value, operator: Operator, known: &[&str]) -> Result<f64, ConstraintError> {
        match of {
            Value::Number(number) => Ok(*number),
            Value::Itself(name) => Err(self.unknown(name, known)),
            other => {
                Err(self.meaningless(format!("{} takes numbers, found {}", operator.sign(), kind(other))))
            }
        }
    }

    fn same(&self, left: &Value, right: &Value, known: &[&str]) -> Result<bool, ConstraintError> {
        match (left, right) {
            (Value::Number(left), Value::Number(right)) => Ok(left == right),
            (Value::Truth(left), Value::Truth(right)) => Ok(left == right),
            (Value::Word(word), Value::Word(other) | Value::Itself(other))
            | (Value::Itself(other), Value::Word(word)) => Ok(word == other),
            // A level of a factor of which others are no numbers.
            (Value::Word(word), Value::Number(number)) | (Value::Number(number), Value::Word(word)) => {
                Ok(word.parse() == Ok(*number))
            }
            // Neither side is a level of anything.
            (Value::Itself(name), _) | (_, Value::Itself(name)) => Err(self.unknown(name, known)),
            (left, right) => {
                Err(self.meaningless(format!("{} is compared with {}", kind(left), kind(right))))
            }
        }
    }

    fn unknown(&self, name: &str, known: &[&str]) -> ConstraintError {
        ConstraintError::Unknown { text: quoted(&self.text), name: quoted(name), known: known.join(", ") }
    }

    fn meaningless(&self, problem: String) -> ConstraintError {
        ConstraintError::Meaningless { text: quoted(&self.text), problem }
    }
}

fn kind(of: &Value) -> String {
    match of {
        Value::Truth(_) => "a comparison".to_owned(),
        Value::Number(number) => format!("the number {number}"),
        Value::Word(word) | Value::Itself(word) => format!("the word '{}'", quoted(word)),
    }
}

struct Parser<'a> {
    text: &'a str,
    /// In bytes.
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn error(&self, expected: &'static str) -> ConstraintError {
        let found = match self.rest().chars().next() {
            Some(next) => format!("'{}'", quoted(&next.to_string())),
            None => "the end".to_owned(),
        };
        let at = self.text[..self.at].chars().count() + 1;
        ConstraintError::Syntax { text: quoted(self.text), at, found, expected }
    }

    /// Operands joined by operators that bind at least as tight.
    fn expression(&mut self, least: u8) -> Result<Expression, ConstraintError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("fewer parentheses"));
        }
        let mut left = self.operand()?;
        loop {
            self.blanks();
            let found = OPERATORS.iter().find(|(sign, _)| self.rest().starts_with(sign));
            let Some((sign, operator)) = found.filter(|(_, operator)| operator.binding() >= least) else {
                break;
            };
            let is_comparison = |of: Operator| of.binding() == Operator::Equal.binding();
            if is_comparison(*operator)
                && let Expression::Two(_, before, _) = &left
                && is_comparison(*before)
                && !self.text[..self.at].trim_end().ends_with(')')
            {
                return Err(self.error("&& between two comparisons"));
            }
            self.at += sign.len();
            let right = self.expression(operator.binding() + 1)?;
            left = Expression::Two(Box::new(left), *operator, Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expression, ConstraintError> {
        const EXPECTED: &str = "a number, a name, a word in quotes, ! or (";
        self.blanks();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Err(self.error(EXPECTED)) };
        match first {
            '(' => {
                self.at += 1;
                let inner = self.expression(0)?;
                self.blanks();
                if !self.rest().starts_with(')') {
                    return Err(self.error(") or an operator"));
                }
                self.at += 1;
                Ok(inner)
            }
            '!' => {
                self.at += 1;
                Ok(Expression::Not(Box::new(self.expression(NOT)?)))
            }
            '\'' | '"' => {
                let word = &rest[1..];
                let Some(end) = word.find(first) else {
                    self.at = self.text.len();
                    return Err(self.error("the closing quote"));
                };
                let word = word[..end].to_owned();
                self.at += end + 2;
                Ok(Expression::Word(word))
            }
            '0'..='9' | '.' => {
                let length = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').count();
                let number: f64 = rest[..length].parse().map_err(|_| self.error("a number"))?;
                self.at += length;
                Ok(Expression::Number(number))
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                // A hyphen is part of a name where a letter follows at once: `first-touch`, but `threads-1` is a difference.
                let bytes = rest.as_bytes();
                let goes_on = |k: usize| match bytes[k] {
                    b'-' => bytes.get(k + 1).is_some_and(u8::is_ascii_alphabetic),
                    byte => byte.is_ascii_alphanumeric() || byte == b'_',
                };
                let length = (0..bytes.len()).take_while(|k| goes_on(*k)).count();
                let name = rest[..length].to_owned();
                self.at += length;
                Ok(Expression::Name(name))
            }
            _ => Err(self.error(EXPECTED)),
        }
    }
}
