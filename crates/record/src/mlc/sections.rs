//! The parts of MLC's text: each begins with a line `Measuring ...`.

/// What a part measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Latency,
    Peak,
    /// As `Peak`, by another method.
    Maximum,
    Matrix,
    Loaded,
    Transfers,
}

impl Kind {
    /// As a person would name it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Latency => "idle latencies",
            Kind::Peak => "peak bandwidths",
            Kind::Maximum => "maximum bandwidths",
            Kind::Matrix => "bandwidths between nodes",
            Kind::Loaded => "loaded latencies",
            Kind::Transfers => "cache-to-cache latencies",
        }
    }

    /// Of two parts with the same table the first is kept.
    fn table(self) -> Kind {
        if self == Kind::Maximum { Kind::Peak } else { self }
    }
}

/// One part of the text.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub kind: Kind,
    pub heading: &'a str,
    /// The lines after the heading, numbered from 1 in the text.
    lines: Vec<(usize, &'a str)>,
    /// What MLC said of its buffer before it began.
    pub before: Option<&'a str>,
    /// What MLC was called with, where it says so.
    pub options: &'a str,
    /// Whether there is anything behind the heading.
    pub whole: bool,
}

impl<'a> Section<'a> {
    pub fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> + Clone {
        self.lines.iter().copied()
    }

    /// In which unit the heading says that latencies are; `ns` where it says nothing.
    pub fn unit(&self) -> &'a str {
        let inside = self.heading.rsplit_once("(in ").and_then(|(_, rest)| rest.split(')').next());
        inside.unwrap_or("ns").trim()
    }
}

/// What begins with this line.
pub(super) fn heading(line: &str) -> Option<Kind> {
    let rest = line.trim_start().strip_prefix("Measuring ")?.to_ascii_lowercase();
    let kinds = [
        // Of all cores one by one: another table, which nothing here holds.
        ("idle latencies", Kind::Latency),
        ("peak injection memory bandwidths", Kind::Peak),
        ("peak memory bandwidths", Kind::Peak),
        ("maximum memory bandwidths", Kind::Maximum),
        ("memory bandwidths between nodes", Kind::Matrix),
        ("loaded latencies", Kind::Loaded),
        ("cache-to-cache transfer latency", Kind::Transfers),
    ];
    let (_, kind) = kinds.into_iter().find(|(words, _)| rest.starts_with(words))?;
    (!rest.contains("for all cores")).then_some(kind)
}

/// All parts that are understood, each table once; and what is left out, as remarks.
pub(super) fn sections(text: &str) -> (Vec<Section<'_>>, Vec<String>) {
    let (parts, mut remarks) = parts(text);
    let mut sections = Vec::new();
    for part in parts {
        remarks.extend(keep(&mut sections, part));
    }
    (sections, remarks)
}

/// The parts as they come.
fn parts(text: &str) -> (Vec<Section<'_>>, Vec<String>) {
    let (mut parts, mut remarks): (Vec<Section<'_>>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut before, mut options, mut open) = (None, "", false);
    for (number, line) in (1..).zip(text.lines()) {
        let told = line.trim();
        if told.contains(super::TITLE) {
            (before, options, open) = (None, "", false);
        } else if let Some(rest) = told.strip_prefix("Command line parameters:") {
            options = rest.trim();
        } else if told.starts_with("Using buffer size of ") {
            (before, open) = (Some(told), false);
        } else if told.starts_with("Each iteration took ") {
            remarks.push(format!("Not kept, for MLC does not say of which nodes: '{told}'."));
        } else if told.starts_with("Measuring ") {
            let kind = heading(line);
            open = kind.is_some();
            match kind {
                Some(kind) => {
                    let lines = Vec::new();
                    parts.push(Section { kind, heading: told, lines, before, options, whole: false });
                }
                None => remarks.push(format!("Not kept, for it is not known here: '{told}'.")),
            }
        } else if let Some(part) = parts.last_mut().filter(|_| open) {
            part.lines.push((number, line));
            part.whole |= told.starts_with(|c: char| c.is_ascii_digit())
                || told.contains("latency")
                || (told.contains("Reads") && told.contains(':'));
        }
    }
    (parts, remarks)
}

/// Keeps a part unless there is one of its table already, which the answer says.
fn keep<'a>(sections: &mut Vec<Section<'a>>, section: Section<'a>) -> Option<String> {
    let known = sections.iter().position(|other| other.kind.table() == section.kind.table());
    let name = section.kind.name();
    match known {
        // The peak without searching is what we measure too.
        Some(k) if sections[k].kind == Kind::Maximum && section.kind == Kind::Peak => {
            sections[k] = section;
            Some("MLC's maximum bandwidths are not kept, for there are its peak bandwidths too.".to_owned())
        }
        Some(k) if sections[k].kind != section.kind => {
            Some(format!("MLC's {name} are not kept, for there are its {} too.", sections[k].kind.name()))
        }
        Some(_) => Some(format!("The text has {name} twice; the first are kept.")),
        None => {
            let cut = (!section.whole).then(|| format!("The text is cut off: its {name} are not there."));
            sections.push(section);
            cut
        }
    }
}
