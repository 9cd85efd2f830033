//! XML written anew in the plainest form: no comments, double quotes, one element a line.
//!
//! hwloc is often built with a parser of its own that takes what hwloc writes and little else; a comment is enough to
//! make it refuse a file. A file that people or other programs touched is readable all the same.

use roxmltree::{Document, Node};

/// The document for hwloc.
pub(super) fn written(document: &Document<'_>) -> String {
    let root = document.root_element();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // hwloc tells its versions by the attribute; the name of the DTD goes with it.
    text.push_str(match root.attribute("version") {
        Some(_) => "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n",
        None => "<!DOCTYPE topology SYSTEM \"hwloc.dtd\">\n",
    });
    // A stack of our own: a file may nest deeper than the program's stack.
    let mut open: Vec<Step<'_, '_>> = vec![Step::Open(root)];
    while let Some(step) = open.pop() {
        match step {
            Step::Close(element) => {
                text.push_str("</");
                text.push_str(element.tag_name().name());
                text.push_str(">\n");
            }
            Step::Open(element) => {
                begin(&mut text, element);
                let mut children: Vec<_> = element.children().filter(Node::is_element).collect();
                let content = element.text().unwrap_or_default();
                if children.is_empty() && content.trim().is_empty() {
                    text.push_str("/>\n");
                    continue;
                }
                text.push('>');
                if children.is_empty() {
                    escape(&mut text, content)
                } else {
                    text.push('\n')
                }
                open.push(Step::Close(element));
                children.reverse();
                open.extend(children.into_iter().map(Step::Open));
            }
        }
    }
    text
}

enum Step<'a, 'input> {
    Open(Node<'a, 'input>),
    Close(Node<'a, 'input>),
}

fn begin(text: &mut String, element: Node<'_, '_>) {
    text.push('<');
    text.push_str(element.tag_name().name());
    for attribute in element.attributes() {
        text.push(' ');
        text.push_str(attribute.name());
        text.push_str("=\"");
        escape(text, attribute.value());
        text.push('"');
    }
}

fn escape(text: &mut String, value: &str) {
    for c in value.chars() {
        match c {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\n' => text.push_str("&#10;"),
            '\r' => text.push_str("&#13;"),
            '\t' => text.push_str("&#9;"),
            other => text.push(other),
        }
    }
}
