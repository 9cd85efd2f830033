//! What a value itself says.

use super::MARKER;
use super::name::NameClass;

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// The value of an option or a variable, as a program gets it.
    Argument,
    /// After `=`, or after `:` and no space.
    Assigned,
    /// After an option and a space, in a text that may be a usage message.
    OptionValue,
    /// After `: `, where prose may follow.
    Prose,
}

/// Words that follow `password:` in a message.
const OF_MESSAGES: &str = " incorrect invalid required missing not is must expected wrong failed failure empty unset expired unknown no \
                           ok denied rejected accepted cannot should the a an for from in of too please enter authentication \
                           error permission unable never found given provided supplied mismatch was were has and or to requires needs takes \
                           option ";
const NOTHING: &str = " true false yes no none null nil on off undefined unset default stdin ask prompt ";

/// Whether the value that follows a name of this class is to be left out.
pub fn is_credential(class: NameClass, value: &str, context: Context) -> bool {
    if value.is_empty() || is_placeholder(value, context) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    if NOTHING.contains(&format!(" {lower} ")) {
        return false;
    }
    let prose = context == Context::Prose;
    let message = matches!(context, Context::Prose | Context::OptionValue);
    if message && OF_MESSAGES.contains(&format!(" {} ", lower.trim_end_matches(['.', ',', ';', '!']))) {
        return false;
    }
    let one_word = value.chars().all(|c| c.is_alphabetic()) && value.len() < 16;
    match class {
        NameClass::Password | NameClass::Header => true,
        NameClass::Pwd => !is_path(value),
        NameClass::Pass => context != Context::Prose && !is_number(value, usize::MAX) && !is_path(value),
        NameClass::Token | NameClass::Key => {
            let word = prose && one_word;
            !word && !is_number(value, 7) && !is_path(value)
        }
        NameClass::UserAndPassword => {
            value.split_once(':').is_some_and(|(_, after)| !is_number(after, 7) && !after.is_empty())
                || looks_random(value)
        }
        NameClass::IfRandom => looks_random(value),
    }
}

/// What a person or a program fills in: `$PASSWORD`, `<password>`, `{threads}`, `****`, what was left out already.
fn is_placeholder(value: &str, context: Context) -> bool {
    let value = value.trim_matches(['"', '\'']);
    let inside = |open, close| value.starts_with(open) && value.ends_with(close);
    let metavariable = context != Context::Argument
        && value.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        && ["PASSWORD", "PASSWD", "SECRET", "TOKEN", "KEY", "TEXT", "STRING", "VALUE", "PASS", "FILE"]
            .iter()
            .any(|word| value.ends_with(word));
    value == MARKER
        || value.is_empty()
        || inside('<', '>')
        || (inside('{', '}') && !value.contains(':'))
        || value.starts_with("${")
        || value.starts_with("$(")
        || (value.starts_with('$')
            && value.len() > 1
            && value[1..].chars().all(|c| c.is_ascii_uppercase() || c == '_'))
        || value.starts_with("%(")
        || value == "%s"
        || value.chars().all(|c| matches!(c, '*' | '.' | '-' | 'x' | 'X'))
        || metavariable
}

/// Of at most so many digits: a count, a size, a time, a range.
fn is_number(value: &str, digits: usize) -> bool {
    let count = value.chars().filter(char::is_ascii_digit).count();
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    value.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+' || c == '.')
        && count > 0
        && count <= digits
        && letters <= 3
        && value.chars().all(|c| c.is_ascii_alphanumeric() || "+-.:/%,".contains(c))
}

fn is_path(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'']);
    let begins = ["/", "./", "../", "~", "file:", "@", "env:"].iter().any(|begin| value.starts_with(begin));
    const ENDS: [&str; 8] = [".pem", ".key", ".crt", ".pub", ".json", ".txt", ".conf", ".jks"];
    begins && value.len() < 4096 || ENDS.iter().any(|end| value.ends_with(end))
}

/// A long run of letters and digits in which both change often, as no word or version number does.
pub fn looks_random(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'']).trim_end_matches('=');
    if is_path(value) {
        return false;
    }
    value.split(|c: char| !(c.is_ascii_alphanumeric() || c == '+' || c == '/')).any(is_random_run)
}

fn is_random_run(run: &str) -> bool {
    if run.len() < 16 {
        return false;
    }
    let mut seen = [false; 128];
    let (mut digits, mut upper, mut lower, mut changes) = (0, 0, 0, 0);
    let mut before = None;
    for c in run.bytes() {
        seen[usize::from(c & 127)] = true;
        let class = match c {
            b'0'..=b'9' => (digits += 1, 0).1,
            b'A'..=b'Z' => (upper += 1, 1).1,
            b'a'..=b'z' => (lower += 1, 2).1,
            _ => 3,
        };
        changes += usize::from(before.is_some_and(|before| before != class));
        before = Some(class);
    }
    let distinct = seen.iter().filter(|seen| **seen).count();
    let mixed = (digits > 0 && upper + lower > 0) || (upper > 1 && lower > 1);
    mixed && distinct >= 7 && changes * 5 >= run.len()
}

/// Whether a value that is known is looked for in other texts: one that stands for nothing else there.
pub fn is_distinctive(value: &str) -> bool {
    if is_path(value) || is_number(value, usize::MAX) || is_placeholder(value, Context::Argument) {
        return false;
    }
    let classes = [
        value.bytes().any(|c| c.is_ascii_lowercase()),
        value.bytes().any(|c| c.is_ascii_uppercase()),
        value.bytes().any(|c| c.is_ascii_digit()),
        value.bytes().any(|c| !c.is_ascii_alphanumeric()),
    ];
    let classes = classes.into_iter().filter(|there| *there).count();
    (value.len() >= 6 && classes >= 2) || value.len() >= 10
}
