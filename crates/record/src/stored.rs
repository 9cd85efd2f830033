//! JSON of a file that anybody may have written: bounded before it is read, since a short text can ask for much memory.

use serde::de::DeserializeOwned;

use crate::guard::LONGEST_CELL;

/// So many texts that may be lists of numbers: each may become a set of 8192 CPUs, which takes 1 KiB. A study of 8192 CPUs in 16 points has
/// half, and a grid of 100,000 points.
const MOST_SETS: usize = 500_000;

/// Why a stored JSON text is not read.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    #[error("found {0} bytes of JSON, expected at most {LONGEST_CELL}")]
    TooLong(usize),
    #[error("found JSON of {0} texts that may be lists of numbers, expected at most {MOST_SETS}")]
    TooMany(usize),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// A value from its JSON.
pub fn json<T: DeserializeOwned>(text: &str) -> Result<T, StoredError> {
    if text.len() > LONGEST_CELL as usize {
        return Err(StoredError::TooLong(text.len()));
    }
    // Each takes two bytes at least: the texts of a trial need not be counted.
    if text.len() / 2 > MOST_SETS {
        let begins = |pair: &&[u8]| pair[0] == b'"' && may_begin_a_list(pair[1]);
        let sets = text.as_bytes().windows(2).filter(begins).count();
        if sets > MOST_SETS {
            return Err(StoredError::TooMany(sets));
        }
    }
    Ok(serde_json::from_str(text)?)
}

/// A list of numbers begins with a digit, plain or escaped, behind white space or none.
fn may_begin_a_list(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'\\' || byte.is_ascii_whitespace() || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_numbers_are_bounded_and_other_texts_are_not() {
        let many = |text: &str| format!("[{}\"\"]", format!("\"{text}\",").repeat(MOST_SETS + 1));
        for list in ["0-8191", " 0-8191", "\\u0030-8191", "\u{a0}0-8191"] {
            let refused = json::<Vec<String>>(&many(list));
            assert!(matches!(refused, Err(StoredError::TooMany(sets)) if sets == MOST_SETS + 1), "{list}");
        }
        assert_eq!(json::<Vec<String>>(&many("n=1")).unwrap().len(), MOST_SETS + 2);
    }
}
