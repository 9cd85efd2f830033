//! Files inside a page, which a browser saves: no script is needed, and no network.

use std::fmt::Write;

use maud::{Markup, html};

/// A file that a page holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// As it is saved.
    pub name: String,
    /// What is in it.
    pub about: String,
    /// CSV.
    pub text: String,
}

pub(super) fn downloads(all: &[Download]) -> Markup {
    html! {
        ul { @for one in all {
            li { a href=(address(&one.text)) download=(one.name) { (one.name) } ": " (one.about) }
        } }
    }
}

/// The text as an address of its own (RFC 2397).
fn address(text: &str) -> String {
    let mut address = "data:text/csv;charset=utf-8,".to_owned();
    for byte in text.bytes() {
        if is_plain(byte) {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

/// How many characters of a page a text takes.
pub(crate) fn length(text: &str) -> usize {
    text.bytes().map(|byte| if is_plain(byte) { 1 } else { 3 }).sum()
}

/// What stands in an address, and in HTML, as it is.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b",.-_=:/;()*!~@+$".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_in_an_address_or_in_html_is_spelled_out() {
        let text = "a,\"b <&> 1%#?\"\n1.5,é\n";
        assert_eq!(
            address(text),
            "data:text/csv;charset=utf-8,a,%22b%20%3C%26%3E%201%25%23%3F%22%0A1.5,%C3%A9%0A"
        );
        assert_eq!(length(text), address(text).len() - "data:text/csv;charset=utf-8,".len());
        let one = Download { name: "a\"b.csv".to_owned(), about: "x".to_owned(), text: "1".to_owned() };
        let page = downloads(&[one]).into_string();
        assert!(page.contains("download=\"a&quot;b.csv\""), "{page}");
    }
}
