//! A document on the terminal.

use super::paint::{Paint, Tone};
use super::table::{Align, fitted};
use super::text::wrap;
use super::{
    Block, Column, Command, Document, Entry, Face, Fact, Marks, Matrix, Opening, Row, SHADE, Section, Table,
    Text,
};
use numawise_units::{Arrange, harmless::replaced};

/// How to write for a terminal, a pipe or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// ANSI colours.
    pub colour: bool,
    /// Characters beyond ASCII, for pictures.
    pub unicode: bool,
    /// Columns; at least 60 are used, and as many as the document has use for.
    pub width: usize,
}

impl Style {
    /// For pipes and files.
    pub fn plain() -> Self {
        Style { colour: false, unicode: true, width: 96 }
    }
}

/// Lines of running text are no longer than this, however wide the terminal.
const READABLE: usize = 100;
const NARROWEST: usize = 60;

/// The document as text, ending with a newline.
pub fn terminal(document: &Document, style: Style) -> String {
    let width = style.width.clamp(NARROWEST, document.width.max(NARROWEST));
    let mut writer = Writer {
        style: Style { width, ..style },
        paint: Paint(style.colour),
        label: label(&document.blocks),
        text: String::new(),
        marks: Marks::default(),
    };
    writer.opening(&document.opening);
    for block in &document.blocks {
        writer.block(block, true);
    }
    writer.text
}

/// The width of the column in which the names of facts stand: the same everywhere.
fn label(blocks: &[Block]) -> usize {
    let widest = |block: &Block| match block {
        Block::Facts(facts) => facts.iter().map(|fact| fact.name.chars().count()).max().unwrap_or(0),
        Block::Section(section) => label(&section.blocks).saturating_sub(2),
        _ => 0,
    };
    blocks.iter().map(widest).max().unwrap_or(0) + 2
}

struct Writer {
    style: Style,
    paint: Paint,
    label: usize,
    text: String,
    marks: Marks,
}

impl Writer {
    fn opening(&mut self, opening: &Opening) {
        let headline = replaced(&opening.headline);
        let is_verdict = opening.tone != Tone::Plain;
        // Units and names such as 2x1 stay as they are.
        let is_plain = !is_verdict || headline.contains(|letter: char| letter.is_ascii_digit());
        let headline = if is_plain { headline } else { headline.to_uppercase() };
        if is_verdict {
            self.text.push('\n');
        }
        let effect = opening.effect.as_deref().map(replaced).unwrap_or_default();
        let together = headline.chars().count() + 2 + effect.chars().count();
        for line in wrap(&headline, "", "", self.style.width).lines() {
            self.text += &self.paint.bold(opening.tone, line);
            self.text.push('\n');
        }
        if !effect.is_empty() && together <= self.style.width {
            self.text.pop();
            self.text += &format!("  {}\n", self.paint.bold(Tone::Plain, &effect));
        } else if !effect.is_empty() {
            for line in wrap(&effect, "", "", self.style.width).lines() {
                self.text += &format!("{}\n", self.paint.bold(Tone::Plain, line));
            }
        }
        if let Some(sentence) = &opening.sentence {
            self.text += &wrap(sentence, "", "", self.style.width);
        }
    }

    /// `apart` where the block stands between sections.
    fn block(&mut self, block: &Block, apart: bool) {
        if apart
            && !matches!(block, Block::Section(_) | Block::Only(..) | Block::Reasons { .. })
            && is_shown(block)
        {
            self.text.push('\n');
        }
        match block {
            Block::Section(section) => self.section(section),
            Block::Facts(facts) => facts.iter().for_each(|fact| self.fact(fact)),
            Block::Paragraph(text) => {
                let text = self.marked(text);
                self.text += &wrap(&text, "  ", "  ", self.readable());
            }
            Block::Legend(text) => {
                let text = self.marked(text);
                self.faint(&text);
            }
            Block::List(entries) => {
                for entry in entries {
                    let entry = self.marked(entry);
                    self.text += &wrap(&entry, "  - ", "    ", self.readable());
                }
            }
            Block::Table(table) => self.table(table),
            Block::Ratios(ratios) => {
                self.text += &ratios.lines(self.style.width, self.style.unicode, self.paint);
            }
            Block::Entries(entries) => self.entries(entries),
            Block::Heading(text) => self.text += &format!("\n  {}\n", self.paint.tone(Tone::Faint, text)),
            Block::Output(text) => {
                for line in text.trim_end().lines() {
                    self.text += &format!("    | {}\n", replaced(line));
                }
            }
            Block::Matrices(matrices) => matrices.iter().for_each(|matrix| self.matrix(matrix)),
            Block::Picture(line) if self.style.unicode => self.text += &format!("  {line}\n"),
            Block::Commands(commands) => self.commands(commands),
            Block::Only(Face::Terminal, block) => self.block(block, apart),
            Block::Reasons { title } => self.reasons(title),
            Block::Picture(_)
            | Block::Chart(_)
            | Block::Bars(_)
            | Block::Timeline(_)
            | Block::Events(_)
            | Block::HeatMaps(_)
            | Block::Boxes(_)
            | Block::Downloads(_)
            | Block::Folded { .. }
            | Block::Only(Face::Html, _) => {}
        }
    }

    fn section(&mut self, section: &Section) {
        if section.blocks.iter().any(is_shown) {
            self.heading(&section.title);
            let (mut below_table, mut below_commands) = (false, false);
            for block in section.blocks.iter().filter(|block| is_shown(block)) {
                let is_table = is_table(block);
                if (below_table && is_table) || (below_commands && matches!(block, Block::List(_))) {
                    self.text.push('\n');
                }
                self.block(block, false);
                below_table |= is_table;
                below_commands = matches!(block, Block::Commands(_));
            }
        }
    }

    /// A line apart; without a title only the gap before it.
    fn heading(&mut self, text: &str) {
        self.text.push('\n');
        if text.is_empty() {
            return;
        }
        for line in wrap(text, "", "", self.style.width).lines() {
            self.text += &format!("{}\n", self.paint.bold(Tone::Plain, line));
        }
    }

    fn fact(&mut self, fact: &Fact) {
        let first = format!("  {:<width$}", fact.name, width = self.label);
        let text = self.marked(&fact.text);
        let wrapped = wrap(&text, &first, &" ".repeat(self.label + 2), self.readable());
        let painted = self.paint.tone(Tone::Faint, &first);
        self.text += &wrapped.replacen(&first, &painted, 1);
    }

    fn faint(&mut self, text: &str) {
        for line in wrap(text, "  ", "  ", self.readable()).lines() {
            self.text += &format!("{}\n", self.paint.tone(Tone::Faint, line));
        }
    }

    fn table(&mut self, table: &Table) {
        let shown = |column: &&(usize, &Column)| {
            let can_be_drawn = self.style.unicode || !column.1.drawn || column.1.ascii.is_some();
            column.1.only != Some(Face::Html) && can_be_drawn
        };
        let columns: Vec<(usize, &Column)> = table.columns.iter().enumerate().collect();
        let columns: Vec<(usize, &Column)> = columns.iter().filter(shown).copied().collect();
        let most = table.most.map_or(usize::MAX, |most| most.terminal);
        let mut rows = vec![columns.iter().map(|(_, column)| column.title.clone()).collect::<Vec<_>>()];
        for row in table.rows.iter().take(most) {
            rows.push(columns.iter().map(|(k, column)| self.cell(row, *k, column)).collect());
        }
        let aligns: Vec<Align> = columns.iter().map(|(_, column)| column.align).collect();
        let mut less: Vec<&Column> = columns.iter().map(|(_, column)| *column).collect();
        less.retain(|column| column.expendable > 0);
        less.arrange_by_key(|column| std::cmp::Reverse(column.expendable));
        let less: Vec<&str> = less.iter().map(|column| column.title.as_str()).collect();
        let tones = std::iter::once(Tone::Plain).chain(table.rows.iter().map(|row| row.tone));
        for (line, tone) in fitted(rows, &aligns, self.style.width - 2, &less).lines().zip(tones) {
            self.text += &format!("  {}\n", self.paint.tone(tone, line));
        }
        if let Some(most) = table.most
            && table.rows.len() > most.terminal
        {
            self.faint(&format!("... and {} more, {}", table.rows.len() - most.terminal, most.rest));
        }
    }

    /// A cell as one line.
    fn cell(&mut self, row: &Row, k: usize, column: &Column) -> String {
        let Some(cell) = row.cells.get(k) else { return String::new() };
        let text = self.marked(&cell.text);
        match column.ascii.filter(|_| !self.style.unicode) {
            Some(sign) => text.chars().map(|one| if one == SHADE { '-' } else { sign }).collect(),
            None => replaced(&text).replace(['\n', '\t'], " "),
        }
    }

    fn entries(&mut self, entries: &[Entry]) {
        let names = entries.iter().flat_map(|entry| &entry.parts).map(|(name, _)| name.len());
        let width = names.max().unwrap_or(0) + 2;
        for (k, entry) in entries.iter().enumerate() {
            if k > 0 {
                self.text.push('\n');
            }
            self.text += &format!("  {}  {}\n", self.paint.bold(Tone::Loud, entry.code), entry.title);
            for (name, texts) in &entry.parts {
                self.part(&format!("{name:<width$}"), texts);
            }
        }
    }

    /// Texts below a name; several have a bullet each.
    fn part(&mut self, name: &str, texts: &[String]) {
        let bullet = if texts.len() > 1 { "- " } else { "" };
        let rest = " ".repeat(4 + name.len() + bullet.len());
        for (k, text) in texts.iter().enumerate() {
            let name = if k == 0 { name.to_owned() } else { " ".repeat(name.len()) };
            let first = format!("    {name}{bullet}");
            let wrapped = wrap(text, &first, &rest, self.readable());
            let painted = format!("    {}{bullet}", self.paint.tone(Tone::Faint, &name));
            self.text += &wrapped.replacen(&first, &painted, 1);
        }
    }

    fn matrix(&mut self, matrix: &Matrix) {
        if !matrix.title.is_empty() {
            self.heading(&matrix.title);
        }
        // A sign of two characters is as wide as two.
        let width = self.style.width - 2 - usize::from(!self.style.unicode) * matrix.columns.len();
        let (text, left_out) = matrix.lines(width, &mut self.marks);
        for line in text.lines() {
            let line = self.plain(&replaced(line));
            self.text += &format!("  {}\n", line.trim_end());
        }
        let intervals = matrix.without_intervals.as_ref().filter(|_| left_out);
        let about: Vec<&str> = matrix.about.iter().chain(intervals).map(String::as_str).collect();
        if !about.is_empty() {
            let about = self.plain(&about.join(" "));
            self.faint(&about);
        }
    }

    /// Commands are never broken into lines: they are there to be copied.
    fn commands(&mut self, commands: &[Command]) {
        let widest = commands.iter().filter_map(|command| command.tool.as_ref());
        let widest = widest.map(|tool| tool.chars().count()).max().unwrap_or(0);
        for command in commands {
            let line = replaced(&command.line);
            self.text += &match &command.tool {
                None => format!("  {}\n", self.paint.bold(Tone::Good, &line)),
                Some(tool) => {
                    let tool = format!("{:<widest$}", replaced(tool));
                    format!("    {}  {line}\n", self.paint.tone(Tone::Faint, &tool))
                }
            };
            if let Some(note) = &command.note {
                let margin = " ".repeat(if command.tool.is_some() { 6 + widest } else { 4 });
                let note = self.plain(note);
                self.text += &wrap(&note, &margin, &margin, self.readable());
            }
        }
    }

    fn reasons(&mut self, title: &str) {
        if self.marks.all().is_empty() {
            return;
        }
        self.heading(title);
        for (k, reason) in self.marks.all().iter().enumerate() {
            let reason = self.plain(reason);
            self.text += &wrap(&reason, &format!("  [{}] ", k + 1), "      ", self.readable());
        }
    }

    /// As wide as running text is easy to read.
    fn readable(&self) -> usize {
        self.style.width.min(READABLE)
    }

    fn marked(&mut self, text: &Text) -> String {
        let text = self.marks.text(text);
        self.plain(&text)
    }

    /// A sign that not every terminal has.
    fn plain(&self, text: &str) -> String {
        if self.style.unicode { text.to_owned() } else { text.replace('±', "+-") }
    }
}

/// Whether it is a table, which needs room to another one.
fn is_table(block: &Block) -> bool {
    match block {
        Block::Only(_, block) => is_table(block),
        Block::Table(_) => true,
        _ => false,
    }
}

/// Whether a terminal shows anything of it.
fn is_shown(block: &Block) -> bool {
    match block {
        Block::Chart(_)
        | Block::Bars(_)
        | Block::Timeline(_)
        | Block::Events(_)
        | Block::HeatMaps(_)
        | Block::Downloads(_)
        | Block::Folded { .. }
        | Block::Only(Face::Html, _) => false,
        Block::Only(Face::Terminal, block) => is_shown(block),
        Block::Section(section) => section.blocks.iter().any(is_shown),
        Block::Facts(facts) => !facts.is_empty(),
        _ => true,
    }
}
