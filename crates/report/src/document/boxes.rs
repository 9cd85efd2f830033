//! Boxes inside of boxes, with cells in the innermost: a machine as a page draws it. No script is needed.
//!
//! A terminal leaves them out: the tables beside them say the same. Boxes are laid out by the browser, so that they fit into any
//! width, and a cell is a few letters of the page, so that a thousand of them stay small.

use maud::{Markup, html};

/// A drawing of boxes.
#[derive(Debug, Clone, PartialEq)]
pub struct Boxes {
    /// What it shows, for who cannot see it.
    pub label: String,
    pub key: Vec<(CellMark, String)>,
    pub boxes: Vec<DrawnBox>,
    /// There are so many cells that they are small and have one line.
    pub is_dense: bool,
    pub caption: String,
}

/// A box with what is in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DrawnBox {
    pub title: String,
    /// Said behind the title, fainter.
    pub about: String,
    pub level: BoxLevel,
    pub bars: Vec<DrawnBar>,
    pub inside: Vec<DrawnBox>,
    /// Cells that belong together.
    pub cells: Vec<Vec<DrawnCell>>,
}

/// How far inside a box is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BoxLevel {
    #[default]
    Outer,
    Middle,
    Inner,
}

/// A bar inside of a box, above its cells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DrawnBar {
    pub name: String,
    pub about: String,
    /// Each with the mark of whose it is.
    pub lines: Vec<(CellMark, String)>,
    /// How much of it is filled, from 0 to 1.
    pub fill: Option<f64>,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DrawnCell {
    pub text: String,
    pub below: String,
    /// What is said where the pointer rests.
    pub hover: String,
    pub mark: CellMark,
}

/// Whose a cell is. A colour never says it alone: the cell has a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CellMark {
    #[default]
    Nobody,
    /// Hatched: it may not be used.
    Forbidden,
    /// One of the [colours](COLOURS).
    Of(u32),
    /// Striped.
    Several,
}

/// Colours that are told apart; more things have the same again.
pub const COLOURS: u32 = 8;

impl CellMark {
    fn class(self) -> String {
        match self {
            CellMark::Nobody => String::new(),
            CellMark::Forbidden => "x".to_owned(),
            CellMark::Of(k) => format!("c{}", k % COLOURS),
            CellMark::Several => "m".to_owned(),
        }
    }

    /// Nothing for a cell of nobody, which needs no class.
    fn known(self) -> Option<String> {
        Some(self.class()).filter(|class| !class.is_empty())
    }
}

pub(super) fn boxes(of: &Boxes) -> Markup {
    html! {
        figure.drawing {
            @if !of.key.is_empty() {
                ul.key.boxed { @for (mark, text) in &of.key { li { @if let Some(class) = mark.known() { strong class=(class) {} } (text) } } }
            }
            div.boxes.dense[of.is_dense] role="img" aria-label=(of.label) {
                @for one in &of.boxes { (drawn(one)) }
            }
            @if !of.caption.is_empty() { figcaption { (of.caption) } }
        }
    }
}

fn drawn(of: &DrawnBox) -> Markup {
    let class = match of.level {
        BoxLevel::Outer => "o",
        BoxLevel::Middle => "p",
        BoxLevel::Inner => "q",
    };
    html! {
        div class=(class) {
            @if !of.title.is_empty() || !of.about.is_empty() {
                p { (of.title) @if !of.about.is_empty() { " " small { (of.about) } } }
            }
            @for bar in &of.bars { (self::bar(bar)) }
            @if !of.inside.is_empty() { div.in { @for one in &of.inside { (drawn(one)) } } }
            @if !of.cells.is_empty() { div.cs { @for cells in &of.cells { (core(cells)) } } }
        }
    }
}

fn bar(bar: &DrawnBar) -> Markup {
    let width = bar.fill.filter(|fill| fill.is_finite()).map(|fill| 100.0 * fill.clamp(0.0, 1.0));
    html! {
        div.mem {
            p { (bar.name) " " small { (bar.about) } }
            @for (mark, line) in &bar.lines { p.of { @if let Some(class) = mark.known() { strong class=(class) {} } (line) } }
            @if let Some(width) = width { p.fill { span style=(format!("width:{width:.1}%")) {} } }
        }
    }
}

/// One cell stands for itself.
fn core(cells: &[DrawnCell]) -> Markup {
    html! {
        @if let [one] = cells { (cell(one)) } @else { span { @for one in cells { (cell(one)) } } }
    }
}

fn cell(cell: &DrawnCell) -> Markup {
    let hover = Some(&cell.hover).filter(|hover| !hover.is_empty());
    html! {
        strong class=[cell.mark.known()] title=[hover] { (cell.text) @if !cell.below.is_empty() { small { (cell.below) } } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_a_few_letters_and_says_what_it_holds() {
        let cell = |text: &str, mark| DrawnCell { text: text.to_owned(), mark, ..DrawnCell::default() };
        let of = DrawnBox {
            title: "node <0>".to_owned(),
            level: BoxLevel::Middle,
            cells: vec![
                vec![cell("0", CellMark::Of(9)), cell("4", CellMark::Nobody)],
                vec![cell("1", CellMark::Forbidden)],
            ],
            ..DrawnBox::default()
        };
        assert_eq!(
            drawn(&of).into_string(),
            "<div class=\"p\"><p>node &lt;0&gt;</p><div class=\"cs\"><span><strong class=\"c1\">0</strong><strong>4</strong></span>\
             <strong class=\"x\">1</strong></div></div>"
        );
    }

    #[test]
    fn a_bar_is_filled_within_its_ends() {
        let fill = |fill| bar(&DrawnBar { fill: Some(fill), ..DrawnBar::default() }).into_string();
        assert!(fill(0.982).contains("width:98.2%"));
        assert!(fill(7.0).contains("width:100.0%"));
        assert!(!fill(f64::NAN).contains("width"), "nothing is made up");
    }
}
