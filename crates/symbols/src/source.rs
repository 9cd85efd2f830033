//! Lines of source files, for people and for the names of variables.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;

use numawise_facts::Reading;

use crate::c_text::Outline;

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;

/// Larger files are not read: the largest that people write have a twentieth of it.
const LARGEST_FILE: u64 = 16 << 20;
/// Files that are kept.
const MOST_FILES: usize = 64;
/// Longer lines are cut.
const LONGEST_LINE: usize = 400;
/// Most lines around a line.
const MOST_CONTEXT: u32 = 100;

/// A source file as it was read.
#[derive(Debug)]
pub struct SourceText {
    pub text: String,
    pub changed: Option<SystemTime>,
    outline: OnceCell<Outline>,
}

impl SourceText {
    pub fn new(text: String, changed: Option<SystemTime>) -> Self {
        Self { text, changed, outline: OnceCell::new() }
    }

    /// Where its words and statements are, if it is C or C++. Found once.
    pub fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::of(&self.text))
    }
}

/// Source files, each read once.
#[derive(Debug, Default)]
pub struct SourceFiles {
    read: HashMap<String, Reading<Rc<SourceText>>>,
}

impl SourceFiles {
    /// The text of a file, with a stand-in for what is no UTF-8.
    pub fn text(&mut self, file: &str) -> Reading<Rc<SourceText>> {
        if let Some(known) = self.read.get(file) {
            return known.clone();
        }
        if self.read.len() >= MOST_FILES {
            self.read.clear();
        }
        let text = match read(Path::new(file)) {
            Ok(text) => Reading::Measured(Rc::new(text)),
            Err(problem) => Reading::unavailable(format!("the source file cannot be read: {problem}")),
        };
        self.read.insert(file.to_owned(), text.clone());
        text
    }

    /// A line with so many before and after it, as text that does no harm where it is shown.
    pub fn lines(&mut self, file: &str, line: u32, context: u32) -> Reading<Vec<(u32, String)>> {
        let context = context.min(MOST_CONTEXT);
        let first = line.saturating_sub(context).max(1);
        self.text(file).and_then(|source| {
            let numbered = (1_u32..).zip(source.text.lines());
            let around =
                numbered.skip(first as usize - 1).take_while(|(number, _)| *number <= line + context);
            let lines: Vec<_> = around.map(|(number, text)| (number, shown(text))).collect();
            if lines.iter().any(|(number, _)| *number == line) {
                Reading::Measured(lines)
            } else {
                Reading::unavailable("the source file has fewer lines now")
            }
        })
    }
}

fn read(path: &Path) -> Result<SourceText, std::io::Error> {
    let other = std::io::Error::other;
    if !path.is_absolute() {
        return Err(other("only the end of its path is known"));
    }
    // A pipe or a device would be waited for.
    let facts = std::fs::metadata(path)?;
    if !facts.is_file() {
        return Err(other("it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(other("it is larger than 16 MiB"));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(SourceText::new(text, facts.modified().ok()))
}

/// Without what moves a cursor or changes the direction of text.
fn shown(line: &str) -> String {
    let harmless = |letter: char| match letter {
        '\t' => "    ".to_owned(),
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => "\u{fffd}".to_owned(),
        letter if letter.is_control() => "\u{fffd}".to_owned(),
        letter => letter.to_string(),
    };
    let mut letters = line.trim_end().chars();
    let mut text: String = letters.by_ref().take(LONGEST_LINE).map(harmless).collect();
    if letters.next().is_some() {
        text.push('…');
    }
    text
}
