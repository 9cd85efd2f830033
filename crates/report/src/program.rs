//! Words for a program that ran: how it ended, and places in its code.

use numawise_facts::Exit;
use numawise_facts::activity::CodePlace;

/// `exchange (app.c:120)`, as far as it is known.
pub fn place_in_short(place: &CodePlace) -> String {
    let source = &place.source;
    let line = match (source.file.measured(), source.line.measured()) {
        (Some(file), Some(line)) => Some(format!("{}:{line}", last(file))),
        (Some(file), None) => Some(last(file).to_owned()),
        (None, _) => None,
    };
    match (source.function.measured(), line) {
        (Some(function), Some(line)) => format!("{function} ({line})"),
        (Some(function), None) => format!("{function} ({})", last(&place.file)),
        (None, Some(line)) => line,
        (None, None) => format!("{}+{:#x}", last(&place.file), place.address),
    }
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
