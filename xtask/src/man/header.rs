//! A header in C, as far as man pages need it: comments, and what is declared behind them.

#[cfg(test)]
#[path = "header_tests.rs"]
mod tests;

/// A function that programs may call.
#[derive(Debug, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    /// As in a synopsis, without what a compiler wants besides: `int numawise_close(numawise_machine *machine);`.
    pub declaration: String,
    /// What its page says; the comment before it.
    pub comment: String,
    /// How many comments without a declaration stand before it: calls of one part of the header have the same number.
    pub part: usize,
}

impl Call {
    pub fn returns(&self) -> &str {
        self.declaration.split(&self.name).next().unwrap_or_default().trim()
    }

    pub fn arguments(&self) -> &str {
        self.declaration.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(");"))
    }
}

/// What a header says, in its order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The comment at its begin.
    pub overview: String,
    pub calls: Vec<Call>,
    /// Structures and enumerations with their names, as they stand there.
    pub types: Vec<(String, String)>,
    /// Comments behind which nothing stands.
    pub notes: Vec<String>,
}

impl Header {
    /// Members of an enumeration with their comments.
    pub fn members(&self, enumeration: &str) -> Vec<(String, String)> {
        let text = self.types.iter().find(|(name, _)| name == enumeration).map_or("", |(_, text)| text);
        let lines = text.lines().map(str::trim).filter(|line| line.contains(" = "));
        let member = |line: &str| {
            let comment = line.split_once("/*").map_or("", |(_, rest)| rest.trim_end_matches("*/"));
            Some((line.split_once(" = ")?.0.to_owned(), comment.trim().to_owned()))
        };
        lines.filter_map(member).collect()
    }
}

/// A header that man pages cannot be made of.
#[derive(Debug, PartialEq, Eq)]
pub enum BadHeader {
    NoOverview,
    NoComment { call: String, line: usize },
    Open { line: usize },
}

impl std::fmt::Display for BadHeader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BadHeader::NoOverview => {
                write!(f, "it begins with no comment; expected one that says what it is for")
            }
            BadHeader::NoComment { call, line } => {
                write!(
                    f,
                    "line {line}: {call} has no comment; expected one right before it, which its man page says"
                )
            }
            BadHeader::Open { line } => write!(f, "line {line}: what begins here does not end"),
        }
    }
}

impl std::error::Error for BadHeader {}

/// Reads a header. A function that is declared twice counts as it is first; names that end with `_` are not for programs.
pub fn read(text: &str) -> Result<Header, BadHeader> {
    let mut header = Header::default();
    let mut comment: Option<String> = None;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let line = text[..at].lines().count() + 1;
        let open = BadHeader::Open { line };
        let length = if rest.starts_with(char::is_whitespace) {
            // What stands behind a blank line is not what the comment was for.
            if rest.starts_with("\n\n") {
                header.notes.extend(comment.take());
            }
            1
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").ok_or(open)? + 2;
            header.notes.extend(comment.replace(spoken(&rest[2..end - 2])));
            end
        } else if rest.starts_with('#') || rest.starts_with("//") {
            header.notes.extend(comment.take());
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("extern \"C\" {") || rest.starts_with('}') {
            rest.find(['{', '}']).ok_or(open)? + 1
        } else {
            let end = declaration(rest).ok_or(open)?;
            declared(&rest[..end], comment.take(), line, &mut header)?;
            end
        };
        at += length;
    }
    if header.notes.is_empty() {
        return Err(BadHeader::NoOverview);
    }
    header.overview = header.notes.remove(0);
    Ok(header)
}

/// The words of a comment, its lines without what stands before them.
fn spoken(comment: &str) -> String {
    let lines = comment.lines().map(|line| {
        let line = line.trim_end();
        line.trim_start()
            .strip_prefix('*')
            .map_or(line.trim_start(), |line| line.strip_prefix(' ').unwrap_or(line))
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// How long the declaration is that begins here, with its body.
fn declaration(text: &str) -> Option<usize> {
    let is_type = ["struct ", "enum ", "typedef "].iter().any(|word| text.starts_with(word));
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text.as_bytes()[at..].starts_with(b"/*") {
            at += text[at..].find("*/")? + 2;
            continue;
        }
        match text.as_bytes()[at] {
            b'{' => depth += 1,
            b'}' if depth == 1 && !is_type => return Some(at + 1),
            b'}' => depth -= 1,
            b';' if depth == 0 => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

fn declared(text: &str, comment: Option<String>, line: usize, header: &mut Header) -> Result<(), BadHeader> {
    if let Some((kind, _)) =
        text.split_once(" {").filter(|(kind, _)| kind.starts_with("struct ") || kind.starts_with("enum "))
    {
        header.types.push((kind.to_owned(), text.to_owned()));
        return Ok(());
    }
    let mut head = text.split(['{', ';']).next().unwrap_or_default();
    for word in ["__attribute__((unused)) ", "static ", "inline "] {
        head = head.strip_prefix(word).unwrap_or(head);
    }
    let Some(name) = head.split('(').next().and_then(|before| before.rsplit([' ', '*']).next()) else {
        return Ok(());
    };
    let is_call = head.contains('(') && !head.starts_with("typedef ") && !head.starts_with("extern ");
    let is_known = header.calls.iter().any(|call| call.name == name);
    if !is_call || !name.starts_with("numawise_") || name.ends_with('_') || is_known {
        return Ok(());
    }
    let name = name.to_owned();
    let Some(comment) = comment else { return Err(BadHeader::NoComment { call: name, line }) };
    let declaration = head.split_whitespace().collect::<Vec<_>>().join(" ") + ";";
    let part = header.notes.len();
    header.calls.push(Call { name, declaration, comment, part });
    Ok(())
}
