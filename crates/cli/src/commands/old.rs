//! Old spellings of options: they go on to work, and the new one is said.

use std::ffi::OsString;

#[cfg(test)]
#[path = "old_tests.rs"]
mod tests;

/// The command, the old option and the new one.
const RENAMED: [(&str, &str, &str); 2] =
    [("study", "--repeat", "--repeats"), ("snapshot", "--runs", "--repeats")];
/// Commands whose `--json` took a file as the next word.
const JSON_TOOK_A_WORD: [&str; 2] = ["snapshot", "objects"];

/// What was typed, in today's spelling, and what is to be said of that.
pub fn today(typed: impl Iterator<Item = OsString>) -> (Vec<OsString>, Vec<String>) {
    let mut typed = typed.peekable();
    let (mut words, mut notices) = (Vec::new(), Vec::new());
    words.extend(typed.next());
    let Some(command) = typed.next() else { return (words, notices) };
    words.push(command.clone());
    while let Some(word) = typed.next() {
        if word == "--" {
            words.push(word);
            break;
        }
        let (is_json, file) = (word == "--json", typed.peek().and_then(|next| next.to_str()));
        if is_json
            && JSON_TOOK_A_WORD.iter().any(|one| command == *one)
            && file.is_some_and(|file| !file.starts_with('-'))
        {
            let mut joined = OsString::from("--json=");
            joined.push(typed.next().unwrap_or_default());
            notices.push(format!("--json FILE is now spelled --json=FILE, here {}", joined.display()));
            words.push(joined);
            continue;
        }
        words.push(renamed(&command, &word, &mut notices).unwrap_or(word));
    }
    words.extend(typed);
    (words, notices)
}

fn renamed(command: &OsString, word: &OsString, notices: &mut Vec<String>) -> Option<OsString> {
    let text = word.to_str()?;
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let (_, old, new) = RENAMED.iter().find(|(of, old, _)| command == *of && name == *old)?;
    notices.push(format!("{old} is now called {new}"));
    Some(value.map_or_else(|| (*new).into(), |value| format!("{new}={value}").into()))
}
