//! Readers of what a study is made of: input files that are filled in, levels, conditions.

use std::ffi::OsStr;

use numawise_facts::{InputTemplate, PlacementRequest, RanksByThreadsList, RunSpec};
use numawise_study::{
    Constraint, Filling, Grid, GridBase, GridFactor, NumberLevels, Preset, Template, WordLevels, lay_out,
};

use super::request::two_sockets;
use super::text;
use crate::{Read, Reader};

pub(crate) const READERS: [Reader; 2] = [
    Reader {
        name: "input-template",
        read: template,
        corpus: &["crates/hostile/testdata/templates"],
        words: &[
            "{",
            "}",
            "{{",
            "}}",
            "{n}",
            "{{n}}",
            "{n:+",
            "{n=",
            "{n=1:+x}",
            ":+",
            "=",
            "{task}",
            "{template:",
            "{template}",
            "{threads}",
            "{m}",
            "\n",
        ],
        inputs: 1500,
    },
    Reader {
        name: "study-words",
        read: words,
        corpus: &["crates/hostile/testdata/study"],
        words: &[
            "\n",
            ",",
            "\\,",
            "..=",
            "2^",
            "^",
            ":",
            "x",
            "1",
            "4294967296",
            "(",
            ")",
            "!",
            "&&",
            "||",
            "<=",
            "==",
            "*",
            "/",
            "-",
            "n",
            "cpus",
            "1e9",
        ],
        inputs: 1500,
    },
];

/// The input is a file of a study with one factor. Accepted, it is filled in with what its placeholders name.
fn template(input: &[u8]) -> Read {
    let text = text(input);
    let factor = GridFactor::Parameter { name: "n".to_owned(), values: vec!["1".to_owned(), "2".to_owned()] };
    let grid = match Grid::new(vec![factor], Vec::new()) {
        Ok(grid) => grid,
        Err(error) => return Read::Nonsense(format!("a grid of one factor is refused: {error}")),
    };
    let file = InputTemplate { file: "in/case.in".to_owned(), text: text.clone() };
    let request = PlacementRequest::as_the_os_does();
    let base = GridBase { request, pin: None, ranks: None, templates: vec![file] };
    let words = ["app", "{n}", "{template}"];
    let command = RunSpec { command: words.into_iter().map(Into::into).collect(), directory: "/".into() };
    Read::of(lay_out(&grid, &base, &command, two_sockets()), |_| filled(&text))
}

/// What makes no sense in how a text is filled in.
fn filled(text: &str) -> Option<String> {
    const LEVEL: &str = "<level>";
    let template = Template::new(OsStr::new(text));
    let filling = |_: &str| Some(Filling { level: OsStr::new(LEVEL), is_first: false });
    let filled = match template.fill(&filling, &[], &[]) {
        Ok(filled) => filled.unwrap_or_default(),
        Err(error) => return Some(format!("a file that was accepted cannot be filled in: {error}")),
    };
    // The shortest placeholder has three characters.
    let most = text.len() + text.len() / 3 * LEVEL.len();
    if filled.len() > most {
        return Some(format!("{} bytes of a text of {}", filled.len(), text.len()));
    }
    let is_plain = template.names().is_empty() && !text.contains("{{");
    (is_plain && filled != text).then(|| "a text without placeholders was changed".to_owned())
}

/// The kernel hands no longer word to a program (MAX_ARG_STRLEN).
const LONGEST_WORD: usize = 128 << 10;

/// Each line is read as all that it may be.
fn words(input: &[u8]) -> Read {
    let input = &input[..input.len().min(LONGEST_WORD)];
    let mut last = Read::Refused(String::new());
    for line in text(input).lines() {
        let numbers = |levels: &NumberLevels| {
            let zero = levels.numbers().is_empty() || levels.numbers().contains(&0);
            zero.then(|| format!("levels {:?}", levels.numbers()))
        };
        let divisions = |list: &RanksByThreadsList| {
            let none = list.0.is_empty() || list.0.iter().any(|one| one.ranks == 0 || one.threads == 0);
            none.then(|| format!("divisions {:?}", list.0))
        };
        let again = |condition: &Constraint| {
            let shown = condition.to_string();
            let same = shown.parse::<Constraint>().is_ok_and(|again| again.to_string() == shown);
            (!same).then(|| format!("a condition that is shown as '{shown}', which is another one"))
        };
        for read in [
            Read::of(line.parse::<NumberLevels>(), numbers),
            Read::of(line.parse::<WordLevels>(), |levels| {
                levels.words().is_empty().then(|| "no level".to_owned())
            }),
            Read::of(line.parse::<RanksByThreadsList>(), divisions),
            Read::of(line.parse::<Constraint>(), again),
            Read::of(line.parse::<Preset>(), |_| None),
        ] {
            match read {
                Read::Nonsense(_) => return read,
                Read::Accepted => last = read,
                Read::Refused(_) if last != Read::Accepted => last = read,
                Read::Refused(_) => {}
            }
        }
    }
    last
}
