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
        (Some(function), Some(line)) => format!("{} ({line})", function_in_short(function)),
        (Some(function), None) => format!("{} ({})", function_in_short(function), last(&place.file)),
        (None, Some(line)) => line,
        (None, None) => format!("{}+{:#x}", last(&place.file), place.address),
    }
}

/// Names of functions up to so many characters stand as they are.
const WHOLE: usize = 60;

/// A long name of C++ or Rust without its template arguments and parameters: `step<…>(…)`.
pub fn function_in_short(name: &str) -> String {
    if name.chars().count() <= WHOLE {
        return name.to_owned();
    }
    let mut short = String::new();
    let (mut rest, mut depth) = (name, 0u32);
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
        match token {
            "<" | "(" => {
                if depth == 0 {
                    short += if token == "<" { "<…>" } else { "(…)" };
                }
                depth += 1;
            }
            ">" | ")" if depth > 0 => depth -= 1,
            _ if depth == 0 => short += token,
            _ => {}
        }
    }
    short
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

#[cfg(test)]
mod tests {
    use super::function_in_short;

    #[test]
    fn long_names_of_functions_lose_their_arguments() {
        for (name, short) in [
            ("iso3dfd::Field::Field(unsigned long, iso3dfd::Pages)", None),
            (
                "void c10::function_ref<void (char**, long const*)>::callback_fn<at::native::VectorizedLoop2d<float> >(long, char*…",
                Some("void c10::function_ref<…>::callback_fn<…>(…)"),
            ),
            (
                "at::native::(anonymous namespace)::normal_kernel(at::TensorBase const&, double, double)",
                Some("at::native::(anonymous namespace)::normal_kernel(…)"),
            ),
            (
                "std::function<void (int)>::operator()(int, std::vector<double, std::allocator<double> >) const",
                Some("std::function<…>::operator()(…) const"),
            ),
            (
                "std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)",
                Some("std::ostream& std::operator<< <…>(…)"),
            ),
        ] {
            assert_eq!(function_in_short(name), short.unwrap_or(name));
        }
    }
}
