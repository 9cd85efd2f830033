//! What to write into a program so that an object comes from the fast memory: with the headers of numawise, by the language of its source.

use numawise_facts::activity::CodePlace;
use numawise_tables::objects::ObjectRow;

use super::words;

/// The statement, with the header that it needs; nothing where the source is not known, or in no language that has such a header.
pub struct FastMemoryCode {
    pub statement: String,
    pub header: &'static str,
    /// Where the object is allocated now.
    pub at: String,
}

/// Of an object that was chosen for the fast memory.
pub fn for_fast_memory(row: &ObjectRow) -> Option<FastMemoryCode> {
    let place = row.allocated.measured()?;
    let name = row.name.measured().filter(|name| is_identifier(name)).map_or("x", String::as_str);
    let (statement, header) = match language(place)? {
        Language::Cpp => (
            format!(
                "std::vector<T, numawise::allocator<T>> {name}(n, numawise::on(numawise::kind::hbm).or_else(numawise::local()));"
            ),
            "numawise/memory.hpp",
        ),
        Language::C => {
            (format!("numawise_alloc(machine, bytes, \"hbm\", (void **)&{name});"), "numawise/numawise.h")
        }
    };
    Some(FastMemoryCode { statement, header, at: words::at(place) })
}

enum Language {
    C,
    Cpp,
}

fn language(place: &CodePlace) -> Option<Language> {
    let (_, extension) = place.source.file.measured()?.rsplit_once('.')?;
    match extension {
        "c" => Some(Language::C),
        "cpp" | "cc" | "cxx" | "C" | "c++" | "hpp" | "hh" | "hxx" | "cu" => Some(Language::Cpp),
        // Headers of either end with .h.
        _ => None,
    }
}

fn is_identifier(name: &str) -> bool {
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    begins && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
