//! Input files of a program, read to be filled in.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use numawise_facts::InputTemplate;
use numawise_units::Bytes;
use numawise_units::harmless::quoted;

#[cfg(test)]
#[path = "input_file_tests.rs"]
mod tests;

/// They are kept with the study and written for each trial: what is larger is data, which an input file can name.
const MOST: Bytes = Bytes(1 << 20);

/// A file that cannot be an input file with placeholders.
#[derive(Debug, thiserror::Error)]
pub enum TemplateFileError {
    #[error("{file}: it cannot be read: {source}; expected an input file of the program with placeholders")]
    Unreadable { file: String, source: io::Error },
    #[error("{file}: it is no plain file; expected an input file of the program with placeholders")]
    NotAFile { file: String },
    #[error(
        "{file}: it makes {found} with the other input files, and {MOST} is the most; expected a small file that names the large one"
    )]
    TooLarge { file: String, found: Bytes },
    #[error(
        "{file}: it is no text, byte {at} is no UTF-8; expected an input file of the program (iconv makes UTF-8 of another encoding)"
    )]
    Binary { file: String, at: usize },
    #[error("{file}: the name is no text; expected one of UTF-8")]
    Name { file: String },
}

/// Reads these files, which may have a mebibyte in all; `directory` is where relative names begin.
///
/// # Errors
/// What is wrong with the first that cannot be taken.
pub fn read_templates<P: AsRef<Path>>(
    files: &[P],
    directory: &Path,
) -> Result<Vec<InputTemplate>, TemplateFileError> {
    let mut read = Bytes(0);
    files
        .iter()
        .map(|file| {
            let template = read_one(file.as_ref(), directory, read)?;
            read = Bytes(read.0 + template.text.len() as u64);
            Ok(template)
        })
        .collect()
}

fn read_one(path: &Path, directory: &Path, before: Bytes) -> Result<InputTemplate, TemplateFileError> {
    let file = quoted(&path.to_string_lossy());
    let Some(name) = path.to_str() else { return Err(TemplateFileError::Name { file }) };
    let place = directory.join(path);
    let meta = match place.metadata() {
        Ok(meta) => meta,
        Err(source) => return Err(TemplateFileError::Unreadable { file, source }),
    };
    if !meta.is_file() {
        return Err(TemplateFileError::NotAFile { file });
    }
    let mut bytes = Vec::new();
    let most = MOST.0.saturating_sub(before.0);
    let read = File::open(&place).and_then(|opened| opened.take(most + 1).read_to_end(&mut bytes));
    if let Err(source) = read {
        return Err(TemplateFileError::Unreadable { file, source });
    }
    if bytes.len() as u64 > most {
        let found = Bytes(before.0 + meta.len().max(bytes.len() as u64));
        return Err(TemplateFileError::TooLarge { file, found });
    }
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(TemplateFileError::Binary { file, at });
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(InputTemplate { file: name.to_owned(), text }),
        Err(error) => Err(TemplateFileError::Binary { file, at: error.utf8_error().valid_up_to() }),
    }
}
