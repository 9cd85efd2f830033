//! Words for a program that ran: how it ended, and places in its code.

use numawise_facts::Exit;
use numawise_facts::activity::CodePlace;

use crate::names;

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;

/// `exchange (app.c:120)`, as far as it is known.
pub fn place_in_short(place: &CodePlace) -> String {
    match parts(place) {
        (Some(function), location) => format!("{} ({location})", function_in_short(function)),
        (None, location) => location,
    }
}

/// The same in at most `width` characters: parameters go first, then template arguments, then namespaces, so that the function's own name and its
/// line stay.
pub fn place_within(place: &CodePlace, width: usize) -> String {
    let whole = place_in_short(place);
    if whole.chars().count() <= width {
        return whole;
    }
    match parts(place) {
        (Some(function), location) => {
            let brackets = " ()".len();
            let location = names::end(&location, width * 3 / 5 - brackets);
            let room = width.saturating_sub(location.chars().count() + brackets);
            format!("{} ({location})", function_within(function, room))
        }
        (None, location) => names::end(&location, width),
    }
}

/// The function, and where in which file it stands: its source's, else the file that was loaded.
fn parts(place: &CodePlace) -> (Option<&str>, String) {
    let source = &place.source;
    let function = source.function.measured().map(String::as_str);
    let location = match (source.file.measured(), source.line.measured()) {
        (Some(file), Some(line)) => format!("{}:{line}", last(file)),
        (Some(file), None) => last(file).to_owned(),
        (None, _) if function.is_some() => extension(last(&place.file)),
        (None, _) => format!("{}+{:#x}", last(&place.file), place.address),
    };
    (function, location)
}

/// `_kmeans.so` of `_kmeans.cpython-312-x86_64-linux-gnu.so`: a module of Python without what it was built for.
fn extension(file: &str) -> String {
    match file.split_once(".cpython-") {
        Some((module, built_for)) if built_for.ends_with(".so") => format!("{module}.so"),
        _ => file.to_owned(),
    }
}

/// Names of functions up to so many characters stand as they are.
const WHOLE: usize = 60;

/// A long name of C++ or Rust without its template arguments and parameters: `step<…>(…)`.
pub fn function_in_short(name: &str) -> String {
    if name.chars().count() <= WHOLE { name.to_owned() } else { without(name, &["<", "("]) }
}

/// A name in at most `width` characters, of which the function's own is cut last.
fn function_within(name: &str, width: usize) -> String {
    let fits = |name: &String| name.chars().count() <= width;
    let short = without(name, &["<", "("]);
    let shorter = [name.to_owned(), without(name, &["("]), short.clone()];
    if let Some(fitting) = shorter.into_iter().find(fits) {
        return fitting;
    }
    let dots = short.chars().all(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '.'));
    let between = if dots { "." } else { "::" };
    let scopes: Vec<usize> = short.match_indices(between).map(|(at, _)| at).collect();
    if let Some(fitting) =
        scopes.iter().map(|at| format!("..{}", &short[at + usize::from(dots)..])).find(fits)
    {
        return fitting;
    }
    // Nothing but its own name, without a type before it.
    let own = scopes.last().map_or(short.as_str(), |at| &short[at + between.len()..]);
    let begin = own.split_once("(…)").map_or(own, |(before, _)| before);
    let begin = begin.split_once("<…>").map_or(begin, |(before, _)| before);
    let own = if begin.contains("operator") { begin } else { begin.rsplit(' ').next().unwrap_or(begin) };
    names::clipped(own, width)
}

/// A name without what stands in such brackets, where these are not in others.
fn without(name: &str, left_out: &[&str]) -> String {
    let mut short = String::new();
    let (mut rest, mut depth, mut is_hidden) = (name, 0u32, false);
    while let Some(next) = rest.chars().next() {
        // Signs that are no brackets, and brackets that are a part of the name.
        let whole = [
            "operator<<",
            "operator<",
            "operator>>",
            "operator>",
            "operator->",
            "->",
            "(anonymous namespace)",
            "()",
        ];
        let token =
            whole.into_iter().find(|whole| rest.starts_with(whole)).unwrap_or(&rest[..next.len_utf8()]);
        rest = &rest[token.len()..];
        let opens = matches!(token, "<" | "(");
        if opens && depth == 0 && left_out.contains(&token) {
            short += if token == "<" { "<…>" } else { "(…)" };
            is_hidden = true;
        }
        if !is_hidden {
            short += token;
        }
        depth += u32::from(opens);
        if matches!(token, ">" | ")") {
            depth = depth.saturating_sub(1);
            is_hidden &= depth > 0;
        }
    }
    short
}

/// Where in a file that was loaded something lies.
pub fn in_file(place: &CodePlace) -> String {
    format!("{}+{:#x}", extension(last(&place.file)), place.address)
}

/// A library of the system, which a user does not build.
pub fn is_installed(file: &str) -> bool {
    ["/usr/lib", "/lib", "/opt/"].iter().any(|folder| file.starts_with(folder))
}

/// The last part of a path.
pub fn last(path: &str) -> &str {
    path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(path)
}

/// What it did in the end, behind its name.
pub fn exit(exit: Exit) -> String {
    match exit {
        Exit::Code(0) => "ended well (status 0)".to_owned(),
        Exit::Code(code) => format!("ended with status {code}"),
        Exit::Signal(signal) => format!("was ended by signal {signal}"),
    }
}
