//! `cargo xtask man FOLDER`: man pages (section 3) of the library's calls, made from its headers.

mod header;
mod roff;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use header::{BadHeader, Call, Header};
use roff::{code, escaped, paragraphs};

#[cfg(test)]
#[path = "man_tests.rs"]
mod tests;

const LIBRARY: &str = "include/numawise/numawise.h";
const REGIONS: &str = "include/numawise.h";
const VERSION: &str = "crates/cli/Cargo.toml";
const STATUSES: &str = "enum numawise_status";

/// What the pages of some calls say besides: where their arguments have a word, the note of the header that begins so.
const NOTES: [(&str, &str); 3] =
    [("size_t *", "A mask is bytes"), ("*mask, size_t bytes", "A mask is bytes"), ("*policy", "Policies:")];

/// Why there are no pages.
#[derive(Debug)]
pub enum NoPages {
    Header(&'static str, BadHeader),
    /// A note that pages are to say, which stands nowhere.
    NoNote(&'static str),
    NoStatuses,
    NoVersion,
    File(PathBuf, std::io::Error),
}

impl std::fmt::Display for NoPages {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoPages::Header(path, bad) => write!(f, "{path}: {bad}"),
            NoPages::NoNote(begin) => {
                write!(
                    f,
                    "{LIBRARY}: no paragraph begins with '{begin}'; xtask/src/man.rs puts it into pages"
                )
            }
            NoPages::NoStatuses => {
                write!(f, "{LIBRARY}: {STATUSES} has no members; expected lines such as NUMAWISE_OK = 0,")
            }
            NoPages::NoVersion => write!(f, "{VERSION}: no line version = \"...\""),
            NoPages::File(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for NoPages {}

/// Writes all pages into a folder, which is made.
pub fn write(root: &Path, folder: &Path) -> Result<(), NoPages> {
    let read = |path: &str| {
        std::fs::read_to_string(root.join(path)).map_err(|error| NoPages::File(path.into(), error))
    };
    let pages = pages(&read(LIBRARY)?, &read(REGIONS)?, &read(VERSION)?)?;
    let failed = |path: &Path, error| NoPages::File(path.to_owned(), error);
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (name, text) in pages {
        let path = folder.join(format!("{name}.3"));
        std::fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

/// The name and the text of each page.
fn pages(library: &str, regions: &str, manifest: &str) -> Result<Vec<(String, String)>, NoPages> {
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    let version = version.ok_or(NoPages::NoVersion)?;
    let library = header::read(library).map_err(|bad| NoPages::Header(LIBRARY, bad))?;
    let regions = header::read(regions).map_err(|bad| NoPages::Header(REGIONS, bad))?;
    if library.members(STATUSES).is_empty() {
        return Err(NoPages::NoStatuses);
    }
    let mut pages = vec![("numawise".to_owned(), overview(&library, &regions, version))];
    for call in &library.calls {
        pages.push((call.name.clone(), of_library(call, &library, version)?));
    }
    for call in &regions.calls {
        pages.push((call.name.clone(), of_region(call, &regions, version)));
    }
    Ok(pages)
}

/// The begin of each page.
fn begun(name: &str, purpose: &str, version: &str) -> String {
    format!(
        ".\\\" Made by cargo xtask man from the headers: change these.\n.TH {name} 3 \" \" \"numawise {version}\" \"numawise library\"\n\
         .SH NAME\n{name} \\- {}\n",
        escaped(purpose)
    )
}

/// What stands behind the name of a call: the first sentence of its comment, or its begin where it is long.
fn purpose(comment: &str) -> String {
    let words = comment.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut sentence = words.split(". ").next().unwrap_or_default().trim_end_matches('.');
    for end in [": ", "; ", ", "] {
        if sentence.len() > 80 {
            sentence = sentence.split(end).next().unwrap_or_default();
        }
    }
    sentence.replace('`', "")
}

fn of_library(call: &Call, header: &Header, version: &str) -> Result<String, NoPages> {
    let mut page = begun(&call.name, &purpose(&call.comment), version);
    page += &synopsis("numawise/numawise.h", std::slice::from_ref(call));
    page += "Link with \\fI\\-lnumawise\\fR.\n.SH DESCRIPTION\n";
    page += &paragraphs(&call.comment);
    let types = header.types.iter().filter(|(name, _)| call.arguments().contains(name.as_str()));
    types.for_each(|(_, text)| page += &code(text));
    // A kind is passed as a number.
    let kinds = header
        .types
        .iter()
        .filter(|(name, _)| name == "enum numawise_kind" && call.arguments().contains("kind"));
    kinds.for_each(|(_, text)| page += &code(text));
    let all = header.notes.iter().chain([&header.overview]);
    let said: Vec<&str> = all.flat_map(|note| note.split("\n\n")).collect();
    let mut begins: Vec<&str> = Vec::new();
    for (_, begin) in NOTES.iter().filter(|(word, _)| call.arguments().contains(word)) {
        if !begins.contains(begin) {
            begins.push(begin);
            let note = said.iter().find(|note| note.starts_with(begin)).ok_or(NoPages::NoNote(begin))?;
            page += &format!(".PP\n{}", paragraphs(note));
        }
    }
    page += ".SH RETURN VALUE\n";
    match call.returns() {
        "int" => {
            page += "NUMAWISE_OK, which is 0, or another status;\n.BR numawise_error_text (3)\nsays then what failed.\n.SH ERRORS\n";
            page += "Statuses of the library, of which a call gives those that its arguments and the kernel can bring about:\n";
            page += &statuses(header);
        }
        "void" => page += "None.\n",
        _ => page += "A text that the library keeps, never NULL.\n",
    }
    let same_part = header.calls.iter().filter(|other| other.part == call.part);
    page += &see_also(&call.name, same_part, &["numawise(1)", "numawise(3)"]);
    Ok(page)
}

fn of_region(call: &Call, header: &Header, version: &str) -> String {
    let mut page = begun(&call.name, &purpose(&call.comment), version);
    page += &synopsis("numawise.h", std::slice::from_ref(call));
    page += "No library is linked.\n.SH DESCRIPTION\n";
    page += &paragraphs(&call.comment);
    page += &format!(".PP\n{}", paragraphs(&header.overview));
    page += ".SH RETURN VALUE\nNone.\n.SH ERRORS\nNone: where numawise does not watch, nothing is done.\n";
    page + &see_also(&call.name, header.calls.iter(), &["numawise-snapshot(1)", "numawise(3)"])
}

fn overview(library: &Header, regions: &Header, version: &str) -> String {
    let sentence = library.overview.split(". ").next().unwrap_or_default();
    let mut page = begun("numawise", sentence, version);
    page += ".SH SYNOPSIS\n.nf\n.B #include <numawise/numawise.h>\n.fi\n.PP\nLink with \\fI\\-lnumawise\\fR.\n.SH DESCRIPTION\n";
    page += &paragraphs(&library.overview);
    for (title, calls) in [("CALLS", &library.calls), ("REGIONS OF A PROGRAM", &regions.calls)] {
        let _ = writeln!(page, ".SH \"{title}\"");
        for call in calls {
            let _ = write!(page, ".TP\n.BR {} (3)\n{}\n", call.name, escaped(&purpose(&call.comment)));
        }
    }
    page += ".SH ERRORS\n";
    page += &statuses(library);
    page += "\n.SH SEE ALSO\n.BR numawise (1),\n.BR numawise\\-run (1),\n.BR numawise\\-snapshot (1)\n";
    page.replace("\n\n", "\n")
}

fn synopsis(include: &str, calls: &[Call]) -> String {
    let mut out = format!(".SH SYNOPSIS\n.nf\n.B #include <{include}>\n.PP\n");
    for call in calls {
        for line in roff::wrapped(&call.declaration) {
            let _ = writeln!(out, "\\fB{line}\\fR");
        }
    }
    out + ".fi\n.PP\n"
}

fn statuses(header: &Header) -> String {
    let members = header.members(STATUSES);
    let text = |(name, comment): &(String, String)| {
        let comment = match (comment.as_str(), name.as_str()) {
            ("", "NUMAWISE_OK") => "All is well.",
            ("", "NUMAWISE_NO_MEMORY") => "There is no memory for it.",
            ("", "NUMAWISE_OTHER_VERSION") => "Header and library are of different versions.",
            (comment, _) => comment,
        };
        format!(".TP\n.B {name}\n{}\n", escaped(comment))
    };
    members.iter().map(text).collect()
}

fn see_also<'a>(own: &str, calls: impl Iterator<Item = &'a Call>, others: &[&str]) -> String {
    let mut names: Vec<String> =
        calls.filter(|call| call.name != own).map(|call| format!("{}(3)", call.name)).collect();
    names.sort_unstable();
    names.extend(others.iter().map(|&other| other.to_owned()));
    let last = names.len() - 1;
    let mut out = String::from(".SH SEE ALSO\n");
    for (k, name) in names.iter().enumerate() {
        let (name, section) = name.split_once('(').unwrap_or((name, ""));
        let _ = writeln!(out, ".BR {} ({section}{}", escaped(name), if k == last { "" } else { "," });
    }
    out
}
