//! Texts of a header in the language of man pages.

#[cfg(test)]
#[path = "roff_tests.rs"]
mod tests;

/// The longest line of a synopsis, as terminals of 80 columns show it behind their margin.
const WIDTH: usize = 72;

/// Words in a line, shown as they are; names between backquotes are italic.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut is_name = false;
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\e"),
            '-' => out.push_str("\\-"),
            '\'' => out.push_str("\\(aq"),
            '"' => out.push_str("\\(dq"),
            '`' => {
                is_name = !is_name;
                out.push_str(if is_name { "\\fI" } else { "\\fR" });
            }
            _ => out.push(c),
        }
    }
    if out.starts_with('.') { format!("\\&{out}") } else { out }
}

/// Paragraphs of a comment, with blank lines between them; those that begin with blanks are code.
pub fn paragraphs(comment: &str) -> String {
    let blocks = comment.split("\n\n").map(|block| {
        if block.starts_with("    ") {
            return code(block);
        }
        block.lines().map(|line| escaped(line) + "\n").collect()
    });
    let mut out = String::new();
    let mut was_code = true;
    for block in blocks {
        if !was_code && !block.starts_with(".PP\n") {
            out += ".PP\n";
        }
        was_code = block.ends_with(".PP\n");
        out += &block;
    }
    out.strip_suffix(".PP\n").map(str::to_owned).unwrap_or(out)
}

/// Lines as they are, indented.
pub fn code(text: &str) -> String {
    let least =
        text.lines().filter(|line| !line.is_empty()).map(|line| line.len() - line.trim_start().len()).min();
    let lines = text.lines().map(|line| escaped(line.get(least.unwrap_or(0)..).unwrap_or_default()) + "\n");
    format!(".PP\n.RS 4\n.nf\n{}.fi\n.RE\n.PP\n", lines.collect::<String>())
}

/// A declaration in lines that are broken behind commas, with the arguments under one another.
pub fn wrapped(declaration: &str) -> Vec<String> {
    let indent = declaration.find('(').map_or(0, |at| at + 1);
    let mut lines = vec![String::new()];
    for part in declaration.split_inclusive(", ") {
        let line = lines.last_mut().expect("there is a line");
        if line.len() + part.trim_end().len() > WIDTH && line.len() > indent {
            line.truncate(line.trim_end().len());
            lines.push(" ".repeat(indent) + part);
        } else {
            line.push_str(part);
        }
    }
    lines.iter().map(|line| escaped(line)).collect()
}
