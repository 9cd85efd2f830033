//! Machines that are not this one: hwloc XML files and synthetic descriptions.
//!
//! A file is looked at before hwloc gets it: that it is whole XML, that it is a machine, and that its version is one that
//! hwloc 2 reads. So most broken files get a message with a place in it, and hwloc meets only files that are nearly right.

mod outline;
mod plain;
mod values;

use std::ffi::CString;
use std::io::{self, Read};
use std::path::Path;

use numawise_facts::{Machine, Source};
use numawise_linux::source;
use numawise_units::{CpuId, Id};
use roxmltree::{Document, ParsingOptions};

use crate::files::shortened;
use crate::hwloc::{self, Input};
use crate::{Error, xml};

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod tests;

/// Files larger than this are not machines: a node with 384 CPUs and its devices takes 330 kB, 8,192 CPUs take 6 MB.
const LARGEST_FILE: u64 = 32 << 20;
/// As many CPUs as a Linux kernel takes.
const MOST_CPUS: u64 = CpuId::LIMIT as u64;
/// A description is a line that people type.
const LONGEST_DESCRIPTION: usize = 4096;

/// What was typed: a file when there is one of that name, or something that looks like a path; otherwise a synthetic
/// description.
///
/// # Errors
/// See [`from_xml_file`] and [`from_synthetic`].
pub fn from_input(input: &str) -> Result<Machine, Error> {
    let path = Path::new(input);
    let looks_like_a_path = input.contains('/') || input.ends_with(".xml") || !input.contains(':');
    if !input.trim().is_empty() && (path.exists() || looks_like_a_path) {
        from_xml_file(path)
    } else {
        from_synthetic(input)
    }
}

/// A machine from an hwloc XML file, version 1 or 2.
///
/// # Errors
/// When the file cannot be read, is no whole XML, is no machine, is from hwloc 3 or is not accepted by hwloc; when hwloc
/// is not installed.
pub fn from_xml_file(path: impl AsRef<Path>) -> Result<Machine, Error> {
    let path = path.as_ref();
    let text = text_of_file(path)?;
    xml::machine(&text, Source::Xml(path.display().to_string()), None)
}

/// What is in an XML file, as hwloc writes it anew.
pub(crate) fn text_of_file(path: &Path) -> Result<String, Error> {
    let name = path.display().to_string();
    let mut plain = checked(&contents(path, &name)?, &name)?;
    // hwloc wants the closing NUL.
    plain.push('\0');
    hwloc::export(Input::Xml(plain.as_bytes()), &format!("the machine file '{name}'"))
}

/// A machine from a synthetic description of hwloc, such as `pack:2 core:4 pu:2`.
///
/// # Errors
/// When hwloc does not accept the description, or is not installed.
pub fn from_synthetic(text: &str) -> Result<Machine, Error> {
    let refuse = |problem: String| Error::Synthetic { text: shortened(text), problem };
    if text.trim().is_empty() {
        return Err(refuse("it is empty".to_owned()));
    }
    if text.len() > LONGEST_DESCRIPTION {
        return Err(refuse(format!("it has {} bytes, and {LONGEST_DESCRIPTION} are the most", text.len())));
    }
    if let Some(cpus) = too_many_cpus(text) {
        return Err(refuse(format!("it has {cpus} CPUs, and {MOST_CPUS} is the most that Linux takes")));
    }
    let words = CString::new(text).map_err(|_| refuse("it holds a NUL character".to_owned()))?;
    let source = Source::Synthetic(text.to_owned());
    let exported = hwloc::export(Input::Synthetic(&words), "it").map_err(|error| match error {
        Error::Hwloc { problem, .. } => refuse(format!("hwloc refuses it: {problem}")),
        other => other,
    })?;
    xml::machine(&exported, source, None)
}

/// The number of CPUs of a synthetic description when hwloc would choke on it: the product of the counts outside
/// brackets and parentheses.
fn too_many_cpus(text: &str) -> Option<String> {
    let mut depth = 0u32;
    let flat: String = text
        .chars()
        .map(|c| {
            match c {
                '[' | '(' => depth += 1,
                ']' | ')' => {
                    depth = depth.saturating_sub(1);
                    return ' ';
                }
                _ => {}
            }
            if depth == 0 { c } else { ' ' }
        })
        .collect();
    let mut product = 1u64;
    for word in flat.split_whitespace() {
        let digits = word.rsplit(':').next().unwrap_or(word);
        if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
            product = product.saturating_mul(digits.parse().unwrap_or(u64::MAX));
        }
    }
    match product {
        0..=MOST_CPUS => None,
        u64::MAX => Some("more than 10^19".to_owned()),
        n => Some(n.to_string()),
    }
}

fn contents(path: &Path, name: &str) -> Result<Vec<u8>, Error> {
    let cannot = |error: io::Error| Error::CannotRead { path: name.to_owned(), problem: error.to_string() };
    let not_a_file = |found: &str| Error::NotAFile { path: name.to_owned(), found: found.to_owned() };
    let file = match source::open(path) {
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => return Err(not_a_file("a directory")),
        file => file.map_err(cannot)?,
    };
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(not_a_file("larger than 32 MiB"));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(not_a_file("empty"));
    }
    Ok(bytes)
}

/// What can be told of a file before hwloc sees it; the file in the plainest form.
fn checked(bytes: &[u8], name: &str) -> Result<String, Error> {
    let path = || name.to_owned();
    let not_a_machine = |found: String| Error::NotAMachine { path: path(), found };
    // hwloc versions before 2 wrote Latin-1 when a vendor's name needed it; such letters do not matter here.
    let text = String::from_utf8_lossy(bytes);
    if !text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        return Err(not_a_machine(format!("'{}'", shortened(first_line(&text)))));
    }
    if text.contains('\0') {
        let problem = "it holds a NUL character".to_owned();
        return Err(Error::Broken { path: path(), problem });
    }
    let broken = |problem: String| Error::Broken { path: path(), problem };
    if let Some(strange) = outline::strange(&text) {
        return Err(broken(strange.to_string()));
    }
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(&text, options)
        .map_err(|error| broken(shortened(&error.to_string())))?;
    let root = document.root_element();
    if root.tag_name().name() != "topology" {
        return Err(not_a_machine(format!(
            "an XML file that begins with <{}>",
            shortened(root.tag_name().name())
        )));
    }
    let version = root.attribute("version").unwrap_or("1");
    let major: Option<u32> = version.split('.').next().and_then(|major| major.parse().ok());
    match major {
        Some(1 | 2) => {}
        Some(3..) => {
            return Err(Error::Newer { path: path(), version: shortened(version) });
        }
        _ => {
            return Err(not_a_machine(format!("a <topology> of version '{}'", shortened(version))));
        }
    }
    let machine = root.children().find(|child| child.has_tag_name("object"));
    match machine.and_then(|machine| machine.attribute("type")) {
        Some("Machine" | "System") => {}
        // hwloc 1 left the machine out where a single node is all of it.
        Some("NUMANode") if major == Some(1) => {}
        Some(other) => {
            return Err(not_a_machine(format!("a <topology> whose first object is a {}", shortened(other))));
        }
        None => return Err(not_a_machine("a <topology> without objects".to_owned())),
    }
    match values::problem(&document) {
        Some(problem) => Err(Error::Broken { path: path(), problem }),
        None => Ok(plain::written(&document)),
    }
}

fn first_line(text: &str) -> &str {
    text.trim_start().lines().next().unwrap_or("")
}
