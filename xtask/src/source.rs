//! Rust source in its parts: code without texts and comments, the texts, the comments; and what of it ships.

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;

/// One file, by lines from 1.
pub struct Source {
    pub path: String,
    /// The code, with the same lines; texts are empty, comments are blanks.
    pub code: String,
    /// String literals with the line on which they begin.
    pub strings: Vec<(usize, String)>,
}

impl Source {
    /// What of a file ships: without the modules and functions that only tests compile.
    pub fn shipped(path: &str, text: &str) -> Source {
        let all = split(path, text);
        let tests = test_lines(&all.code);
        let is_test = |line: usize| tests.iter().any(|(first, last)| (*first..=*last).contains(&line));
        let code = all.code.lines().enumerate();
        let code: Vec<&str> = code.map(|(k, line)| if is_test(k + 1) { "" } else { line }).collect();
        let strings = all.strings.into_iter().filter(|(line, _)| !is_test(*line)).collect();
        Source { path: all.path, code: code.join("\n"), strings }
    }

    /// The crate under `crates/`, or the folder at the top.
    pub fn krate(&self) -> &str {
        crate_of(&self.path)
    }

    /// The folder of the crate.
    pub fn root(&self) -> String {
        let above = if self.path.starts_with("crates/") { "crates/" } else { "" };
        format!("{above}{}", self.krate())
    }

    /// The code by words and signs, with their lines.
    pub fn tokens(&self) -> Vec<(usize, &str)> {
        tokens(&self.code)
    }
}

/// The crate of a path: `crates/NAME/...`, else the folder at the top.
pub fn crate_of(path: &str) -> &str {
    let inside = path.strip_prefix("crates/").unwrap_or(path);
    inside.split('/').next().unwrap_or_default()
}

/// True for files that ship: not tests and the programs they run, benchmarks, examples, build scripts.
pub fn ships(path: &str) -> bool {
    let apart = ["/tests/", "/examples/", "/benches/", "/actor/", "_tests.rs", "/tests.rs", "/build.rs"];
    path.ends_with(".rs") && !apart.iter().any(|part| path.contains(part))
}

fn split(path: &str, text: &str) -> Source {
    let mut code = String::new();
    let mut strings = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some((length, inner)) = string(rest, code.chars().next_back()) {
            strings.push((line, inner.to_owned()));
            code.push_str("\"\"");
            length
        } else if let Some(length) = character(rest) {
            code.push_str("' '");
            length
        } else {
            code.push(first);
            line += usize::from(first == '\n');
            rest = &rest[first.len_utf8()..];
            continue;
        };
        let newlines = rest[..taken].matches('\n').count();
        code.extend(std::iter::repeat_n('\n', newlines));
        line += newlines;
        rest = &rest[taken..];
    }
    Source { path: path.to_owned(), code, strings }
}

/// The length of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0usize, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// A string literal of any sort at the begin of `text`: its length and what is between the quotes.
fn string(text: &str, before: Option<char>) -> Option<(usize, &str)> {
    if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None; // the letter r, b or c ends a word
    }
    let prefix = ["br", "cr", "r", "b", "c", ""].into_iter().find(|prefix| {
        text.strip_prefix(prefix).is_some_and(|rest| {
            rest.starts_with('"') || (prefix.ends_with('r') && rest.trim_start_matches('#').starts_with('"'))
        })
    })?;
    let body = &text[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = body.len() - body.trim_start_matches('#').len();
        let end = format!("\"{}", "#".repeat(hashes));
        let inner = &body[hashes + 1..];
        let length = inner.find(&end).unwrap_or(inner.len());
        return Some(((prefix.len() + hashes + 1 + length + end.len()).min(text.len()), &inner[..length]));
    }
    let mut escaped = false;
    for (at, c) in body.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some((prefix.len() + at + 1, &body[1..at])),
            _ => {}
        }
    }
    Some((text.len(), &body[1..]))
}

/// The length of a character literal at the begin of `text`; a lifetime is none.
fn character(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('\'')?;
    if let Some(escape) = inner.strip_prefix('\\') {
        return Some(escape.get(1..)?.find('\'')? + 4);
    }
    let first = inner.chars().next()?.len_utf8();
    inner[first..].starts_with('\'').then_some(first + 2)
}

/// First and last lines of what follows `#[cfg(test)]`, the attribute included.
fn test_lines(code: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(begin) = code[at..].find("#[cfg(test)]").map(|k| at + k) {
        let end = item_end(code, begin + "#[cfg(test)]".len());
        let line = |place: usize| code[..place].matches('\n').count() + 1;
        found.push((line(begin), line(end)));
        at = end;
    }
    found
}

/// Where an item ends: at its semicolon, or at the brace that closes its first one.
fn item_end(code: &str, from: usize) -> usize {
    let mut depth = 0usize;
    for (at, c) in code[from..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return from + at,
            '}' => depth -= 1,
            ';' if depth == 0 => return from + at,
            _ => {}
        }
    }
    code.len()
}

fn tokens(code: &str) -> Vec<(usize, &str)> {
    let mut all = Vec::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (k, line) in code.lines().enumerate() {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                ':' if rest.starts_with("::") => 2,
                c => c.len_utf8(),
            };
            if !first.is_whitespace() {
                all.push((k + 1, &rest[..length]));
            }
            rest = &rest[length..];
        }
    }
    all
}
