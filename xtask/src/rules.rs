//! What must not stand in code that ships, and where it may.

use std::path::Path;

use crate::circles::circles;
use crate::exceptions::{EXCEPTIONS, OPEN};
use crate::report::Report;
use crate::rule::{Breach, Rule};
use crate::source::{self, Source};
use crate::words;

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;

/// Crates that know where the kernel's files are. `emulate` writes them for a guest; `testbed` and `xtask` do not ship.
const KNOW_KERNEL_PATHS: [&str; 5] = ["linux", "machine", "emulate", "testbed", "xtask"];
/// Crates in whose texts our options and commands may stand.
const KNOW_OPTIONS: [&str; 6] = ["report", "cli", "tui", "emulate", "testbed", "xtask"];
const OUR_COMMANDS: [&str; 8] = ["machine", "run", "where", "check", "study", "report", "export", "measure"];
const FACES: [&str; 4] = ["cli", "tui", "testbed", "xtask"];
/// They panic where the stream cannot be written; `cli/src/streams.rs` writes without them.
const OUTPUT: [&str; 5] = ["println", "eprintln", "print", "eprint", "dbg"];
const PRINT_AS_THEY_LIKE: [&str; 2] = ["testbed", "xtask"];
const PURE: [&str; 9] =
    ["units", "stats", "operands", "placement", "predict", "analyse", "tables", "traces", "report"];
const IMPURE: [&str; 7] = ["fs", "env", "process", "net", "thread", "Instant", "SystemTime"];

/// Checks the files of the project, by their paths from its root.
pub fn check(root: &Path, files: &[String], report: &mut Report) {
    let mut sources = Vec::new();
    let mut breaches = Vec::new();
    for path in files {
        let Ok(text) = std::fs::read_to_string(root.join(path)) else { continue };
        breaches.extend(words::check(path, &text));
        if source::ships(path) {
            sources.push(Source::shipped(path, &text));
        }
    }
    breaches.extend(sources.iter().flat_map(in_source));
    for krate in sources.chunk_by(|a, b| a.krate() == b.krate()) {
        breaches.extend(circles(krate).into_iter().map(|circle| Breach {
            rule: Rule::Circle,
            path: krate[0].root(),
            line: 0,
            what: circle.join(", "),
        }));
    }
    judge(&breaches, &EXCEPTIONS, &OPEN, report);
    report.checked(format!("{} files that ship against {} exceptions", sources.len(), EXCEPTIONS.len()));
}

/// Complains of what is neither an exception nor open; and of both lists where they name what is not broken.
fn judge(breaches: &[Breach], exceptions: &[(&str, Rule, &str)], open: &[(&str, Rule)], report: &mut Report) {
    let covers = |path: &str, rule: Rule, breach: &Breach| {
        rule == breach.rule && (path == breach.path || breach.path.starts_with(&format!("{path}/")))
    };
    for breach in breaches {
        let excepted = exceptions.iter().any(|(path, rule, _)| covers(path, *rule, breach));
        if !excepted && !open.iter().any(|(path, rule)| covers(path, *rule, breach)) {
            let Breach { rule, path, line, what } = breach;
            report.complain(format!("{path}:{line} has {rule}: {what}"));
        }
    }
    let listed = exceptions.iter().map(|(path, rule, _)| (*path, *rule)).chain(open.iter().copied());
    for (path, rule) in listed.filter(|(path, rule)| !breaches.iter().any(|b| covers(path, *rule, b))) {
        report.complain(format!("xtask/src/exceptions.rs lists {path} for {rule}, which it no longer has"));
    }
    for (path, rule) in open {
        let count = breaches.iter().filter(|breach| covers(path, *rule, breach)).count();
        report.checked(format!("OPEN: {path} has {count} times {rule}"));
    }
}

fn in_source(source: &Source) -> Vec<Breach> {
    let mut found = Vec::new();
    let krate = source.krate();
    let mut add = |rule, line: usize, what: &str| {
        found.push(Breach { rule, path: source.path.clone(), line, what: what.to_owned() });
    };
    for (line, text) in &source.strings {
        if !KNOW_KERNEL_PATHS.contains(&krate) && is_kernel_path(text) {
            add(Rule::KernelPath, *line, text);
        }
        if !KNOW_OPTIONS.contains(&krate) && names_option(text) {
            add(Rule::OptionName, *line, text);
        }
    }
    let tokens = source.tokens();
    for (k, (line, word)) in tokens.iter().enumerate() {
        let next = |n: usize| tokens.get(k + n).map_or("", |(_, word)| *word);
        if *word == "fn" && is_public(&tokens[..k]) && string_error(&tokens[k..]) {
            add(Rule::StringError, *line, next(1));
        }
        if krate == "cli" && *word == "unsafe" {
            add(Rule::UnsafeFace, *line, word);
        }
        let ends = *word == "process" && next(1) == "::" && next(2) == "exit";
        let prints = OUTPUT.contains(word) && next(1) == "!";
        if (prints && !PRINT_AS_THEY_LIKE.contains(&krate)) || (ends && !FACES.contains(&krate)) {
            add(Rule::Output, *line, word);
        }
        let of_std =
            k >= 2 && ["std", "time", "{", ","].contains(&tokens[k - 2].1) && tokens[k - 1].1 == "::";
        if PURE.contains(&krate) && IMPURE.contains(word) && of_std {
            add(Rule::Impure, *line, word);
        }
    }
    found
}

fn is_kernel_path(text: &str) -> bool {
    let below = ["/sys/", "/proc/"].iter().any(|begin| text.starts_with(begin));
    (below && !text.contains(char::is_whitespace)) || text == "/sys" || text == "/proc"
}

/// `--name` anywhere, or `numawise command`.
fn names_option(text: &str) -> bool {
    let option = text.match_indices("--").any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + 2..].chars().next();
        before != Some('-') && after.is_some_and(|c| c.is_ascii_lowercase())
    });
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric()).peekable();
    let mut command = false;
    while let Some(word) = words.next() {
        command |= word == "numawise" && words.peek().is_some_and(|next| OUR_COMMANDS.contains(next));
    }
    option || (command && text.contains("numawise "))
}

/// What stands before `fn` makes it public, to the crate at least.
fn is_public(before: &[(usize, &str)]) -> bool {
    let words = before.iter().rev().map(|(_, word)| *word);
    words.take_while(|word| ![";", "{", "}"].contains(word)).any(|word| word == "pub")
}

/// The signature that begins here has a `Result` whose error is a text.
fn string_error(tokens: &[(usize, &str)]) -> bool {
    let signature: Vec<&str> =
        tokens.iter().map(|(_, word)| *word).take_while(|word| !["{", ";"].contains(word)).collect();
    (0..signature.len()).filter(|k| signature[*k] == "Result").any(|k| {
        let mut depth = 0;
        for (at, word) in signature.iter().enumerate().skip(k + 1) {
            match *word {
                "<" | "(" | "[" => depth += 1,
                ">" | ")" | "]" if signature[at - 1] != "-" => depth -= 1,
                "," if depth == 1 => return signature[at + 1..].starts_with(&["String", ">"]),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        false
    })
}
