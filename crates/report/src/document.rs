//! The one model of what people read: a document of sections, tables, lists, charts and commands. Each noun makes one document
//! ([`check`](crate::check), [`series`](crate::series), ...), and each face lays it out: [`terminal`] and [`html`].
//!
//! A document holds texts as they are, names from outside included: the faces make them harmless. What cannot be shown in one
//! face is left out there: a chart on the terminal, where its table says the same, and a picture of characters in HTML.

mod boxes;
mod download;
mod drawing;
mod events;
mod html;
mod matrix;
mod paint;
mod ratios;
mod table;
mod terminal;
mod text;
mod timeline;

use numawise_facts::Reading;
use serde_json::Value;

use crate::page_text::PageText;

pub(crate) use text::capital;

pub use boxes::{BoxLevel, Boxes, COLOURS, CellMark, DrawnBar, DrawnBox, DrawnCell};
pub use download::Download;
pub(crate) use download::length as download_length;
pub use drawing::{Bar, BarPart, Bars, HeatCell, HeatMap};
pub use events::{Events, ID as EVENTS};
pub use html::{NO_CHARTS, POLICY_OF_SERVED, html, served};
pub use matrix::{Matrix, MatrixCell, MatrixColours, MatrixColumn, MatrixFigure};
pub use paint::Tone;
pub use ratios::{RatioRow, Ratios};
pub(crate) use table::Align;
pub use terminal::{Style, terminal};
pub use timeline::{Timeline, TimelineRow};

/// What a person reads, whatever the face.
#[derive(Debug, Clone)]
pub struct Document {
    /// The command that it answers, as the page names it.
    pub tool: &'static str,
    /// The name of the page in a browser's tab.
    pub title: String,
    pub opening: Opening,
    pub blocks: Vec<Block>,
    pub charts: Option<Charts>,
    /// The widest lines that are of use on a terminal.
    pub width: usize,
}

/// The first lines: what it comes to.
#[derive(Debug, Clone, Default)]
pub struct Opening {
    /// With a tone it is a verdict: on a terminal in capitals, apart from what was written before.
    pub headline: String,
    pub tone: Tone,
    /// The number behind the headline.
    pub effect: Option<String>,
    pub sentence: Option<String>,
}

/// A script of ours that draws the charts, and its data.
#[derive(Debug, Clone)]
pub struct Charts {
    pub data: Value,
    /// One behind the other.
    pub scripts: Vec<PageText>,
}

/// A part of a document.
#[derive(Debug, Clone)]
pub enum Block {
    Section(Section),
    /// Names, each with a text.
    Facts(Vec<Fact>),
    Paragraph(Text),
    /// What explains the block above it, in smaller or fainter letters.
    Legend(Text),
    List(Vec<Text>),
    Table(Table),
    Ratios(Ratios),
    /// Things with a name, each with lists below it.
    Entries(Vec<Entry>),
    /// A heading inside a section.
    Heading(&'static str),
    /// What a program wrote, line by line.
    Output(String),
    /// Matrices, which stand side by side in a page.
    Matrices(Vec<Matrix>),
    /// Drawings of a page.
    Bars(Bars),
    Timeline(Timeline),
    Events(Events),
    HeatMaps(Vec<HeatMap>),
    Boxes(Boxes),
    Chart(Chart),
    /// Files that a page holds.
    Downloads(Vec<Download>),
    /// A line of characters that is drawn, for the terminal.
    Picture(String),
    /// Lines to copy, which are never broken.
    Commands(Vec<Command>),
    /// What only who looks closer wants: a page folds it, a terminal leaves it out.
    Folded {
        summary: String,
        blocks: Vec<Block>,
    },
    /// A block that only one face shows.
    Only(Face, Box<Block>),
    /// The reasons of all that was marked as unavailable so far, under a heading; nothing where all was there.
    Reasons {
        title: &'static str,
    },
}

/// Where a document is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    Terminal,
    Html,
}

/// Blocks under a heading.
#[derive(Debug, Clone)]
pub struct Section {
    /// What links and scripts call it; none for a section inside a section.
    pub id: Option<&'static str>,
    pub title: String,
    pub blocks: Vec<Block>,
}

/// A name and a text.
#[derive(Debug, Clone)]
pub struct Fact {
    pub name: &'static str,
    pub text: Text,
    /// The text is something to be typed: a file, a command.
    pub code: bool,
}

/// A text in which the reason of something unavailable may be marked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(pub Vec<Span>);

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    Plain(String),
    /// Shown as the mark of the reason: `[1]`.
    Unavailable(String),
}

impl<T: Into<String>> From<T> for Text {
    fn from(text: T) -> Self {
        Text(vec![Span::Plain(text.into())])
    }
}

impl Text {
    /// The mark of a reason in the place of a figure.
    pub fn unavailable(reason: impl Into<String>) -> Self {
        Text(vec![Span::Unavailable(reason.into())])
    }

    /// The text of a value, or the mark of the reason why there is none.
    pub fn of<T, U: Into<Text>>(reading: &Reading<T>, text: impl FnOnce(&T) -> U) -> Self {
        match reading {
            Reading::Measured(value) => text(value).into(),
            Reading::Unavailable { unavailable } => Text::unavailable(unavailable.to_string()),
        }
    }
}

/// The part of a bar of characters of which it is open whether the bar is so long.
pub(crate) const SHADE: char = '\u{2592}';

/// Rows and columns of texts.
#[derive(Debug, Clone, Default)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// So many rows at most on a terminal, and in a page; how many more there are is said below.
    pub most: Option<RowLimits>,
}

/// How many rows of a table a face shows.
#[derive(Debug, Clone, Copy)]
pub struct RowLimits {
    pub terminal: usize,
    pub html: usize,
    /// Where the rest is.
    pub rest: &'static str,
}

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    pub title: String,
    pub align: Align,
    /// Columns with the highest number are left out first where a line is short; those with 0 stay.
    pub expendable: u8,
    /// The only face that shows it.
    pub only: Option<Face>,
    /// Its cells are drawn of characters beyond ASCII.
    pub drawn: bool,
    /// What its cells are drawn of where there is only ASCII; a [shade](SHADE) is drawn of another sign.
    pub ascii: Option<char>,
    /// Its cells are names that can be typed.
    pub code: bool,
    /// Its title is a name, which no face writes with a capital letter.
    pub named: bool,
}

impl Column {
    pub fn text(title: impl Into<String>) -> Self {
        Column {
            title: title.into(),
            align: Align::Left,
            expendable: 0,
            only: None,
            drawn: false,
            ascii: None,
            code: false,
            named: false,
        }
    }

    pub fn number(title: impl Into<String>) -> Self {
        Column { align: Align::Right, ..Column::text(title) }
    }

    pub fn code(title: impl Into<String>) -> Self {
        Column { code: true, ..Column::text(title) }
    }

    /// A picture of characters, which only a terminal shows.
    pub fn picture(title: impl Into<String>) -> Self {
        Column { only: Some(Face::Terminal), drawn: true, ..Column::text(title) }
    }

    pub fn expendable(self, order: u8) -> Self {
        Column { expendable: order, ..self }
    }

    /// Titled by the name of a factor or a figure.
    pub fn named(self) -> Self {
        Column { named: true, ..self }
    }
}

/// A row of a table.
#[derive(Debug, Clone, Default)]
pub struct Row {
    pub cells: Vec<Cell>,
    /// On a terminal all of the row has it, in a page the last cell.
    pub tone: Tone,
}

/// What stands in a column of a row.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    pub text: Text,
    /// What a page says below it, as code.
    pub below: Option<String>,
    /// What a page says where the pointer rests.
    pub hover: Option<String>,
    /// In a page.
    pub tone: Tone,
}

impl<T: Into<Text>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell { text: text.into(), below: None, hover: None, tone: Tone::Plain }
    }
}

impl<T: Into<Cell>> FromIterator<T> for Row {
    fn from_iter<I: IntoIterator<Item = T>>(cells: I) -> Self {
        Row { cells: cells.into_iter().map(Into::into).collect(), tone: Tone::Plain }
    }
}

/// A place for a chart that the page's script draws.
#[derive(Debug, Clone)]
pub struct Chart {
    pub id: String,
    /// What it shows, for who cannot see it.
    pub label: String,
    /// What its colours mean: the texts of the least and the greatest.
    pub scale: Option<(String, String)>,
    /// What a page says below it.
    pub caption: Option<String>,
}

/// A thing with a name, and lists below it, each with its name: `seen`, `cost`, ...
#[derive(Debug, Clone)]
pub struct Entry {
    pub code: &'static str,
    pub title: String,
    pub parts: Vec<(&'static str, Vec<String>)>,
}

/// A line to copy.
#[derive(Debug, Clone)]
pub struct Command {
    /// Whose command it is; nothing for the one that is recommended.
    pub tool: Option<String>,
    pub line: String,
    /// What is known of it, said beside it.
    pub note: Option<String>,
}

/// Blocks under a heading that links and scripts can name.
pub fn section(id: &'static str, title: impl Into<String>, blocks: Vec<Block>) -> Block {
    Block::Section(Section { id: Some(id), title: title.into(), blocks })
}

/// A section with a list; nothing where the list is empty.
pub fn list(id: &'static str, title: &str, entries: &[String]) -> Option<Block> {
    let entries: Vec<Text> = entries.iter().map(|entry| entry.as_str().into()).collect();
    (!entries.is_empty()).then(|| section(id, title, vec![Block::List(entries)]))
}

pub fn chart(id: impl Into<String>, label: impl Into<String>) -> Block {
    Block::Chart(Chart { id: id.into(), label: label.into(), scale: None, caption: None })
}

/// The same with a text below it.
pub fn captioned(id: impl Into<String>, label: impl Into<String>, caption: String) -> Block {
    Block::Chart(Chart { id: id.into(), label: label.into(), scale: None, caption: Some(caption) })
}

/// The reasons of what is unavailable, numbered in the order in which they appear; and what links of a page can name so far.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    reasons: Vec<String>,
    anchors: Vec<&'static str>,
}

impl Marks {
    /// The mark of a reason: `[1]`.
    pub fn mark(&mut self, reason: &str) -> String {
        let k = self.reasons.iter().position(|known| known == reason).unwrap_or_else(|| {
            self.reasons.push(reason.to_owned());
            self.reasons.len() - 1
        });
        format!("[{}]", k + 1)
    }

    pub fn all(&self) -> &[String] {
        &self.reasons
    }

    /// The name itself, but for the first time only: a page has each name once.
    pub fn anchor(&mut self, name: &'static str) -> Option<&'static str> {
        let is_new = !self.anchors.contains(&name);
        self.anchors.push(name);
        is_new.then_some(name)
    }

    fn text(&mut self, text: &Text) -> String {
        let span = |span: &Span| match span {
            Span::Plain(text) => text.clone(),
            Span::Unavailable(reason) => self.mark(reason),
        };
        text.0.iter().map(span).collect()
    }
}
