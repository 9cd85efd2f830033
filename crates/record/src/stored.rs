//! JSON of a file that anybody may have written: bounded before it is read, since a short text can ask for much memory.

use serde::de::DeserializeOwned;

use crate::guard::LONGEST_CELL;

/// So many texts, keys counted: each may become a set of 8192 CPUs, which takes 1 KiB. A study of 8192 CPUs in 16 points has half.
const MOST_TEXTS: usize = 500_000;

/// Why a stored JSON text is not read.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    #[error("found {0} bytes of JSON, expected at most {LONGEST_CELL}")]
    TooLong(usize),
    #[error("found JSON of {0} texts, expected at most {MOST_TEXTS}")]
    TooMany(usize),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// A value from its JSON.
pub fn json<T: DeserializeOwned>(text: &str) -> Result<T, StoredError> {
    if text.len() > LONGEST_CELL as usize {
        return Err(StoredError::TooLong(text.len()));
    }
    let texts = text.bytes().filter(|byte| *byte == b'"').count() / 2;
    if texts > MOST_TEXTS {
        return Err(StoredError::TooMany(texts));
    }
    Ok(serde_json::from_str(text)?)
}
