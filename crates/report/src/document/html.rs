//! A self-contained HTML page: no network, tables for everybody, charts where scripts run.
//!
//! `maud` builds the page, because it escapes every text that is put in, so that nothing a command or a program's output
//! holds can become markup; what is put in as it is, is ours. A content security policy in the page keeps it from loading
//! or sending anything.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use numawise_units::harmless::replaced;

use super::paint::Tone;
use super::ratios::{INTERVAL, Ratios};
use super::table::Align;
use super::text::capital;
use super::{
    Block, Chart, Column, Command, Document, Entry, Face, Fact, Marks, Matrix, MatrixCell, MatrixColours,
    Row, Section, Span, Table,
};
use super::{boxes, download, drawing};
use crate::page_text::{PageText, page_text};

const STYLE: PageText = page_text!("src/document/page/style.css");
/// What all charts share, and the drawing of them; the charts themselves go in between.
const SCRIPT: [PageText; 2] =
    [page_text!("src/document/page/base.js"), page_text!("src/document/page/draw.js")];
const ECHARTS: PageText = page_text!("assets/echarts.min.js");
/// The script of a page that has no charts.
pub const NO_CHARTS: PageText = page_text!("src/document/page/no_charts.js");
/// The licences of what is embedded ask to go with it.
const LICENCES: [PageText; 3] = [
    page_text!("assets/echarts.NOTICE"),
    page_text!("assets/echarts.LICENSE"),
    page_text!("assets/zrender.LICENSE"),
];

/// Nothing may be loaded from anywhere, nor sent: not by us, not by what somebody might smuggle in.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";
/// The same of a page that fetches what it draws from whom it comes from.
pub const POLICY_OF_SERVED: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                                base-uri 'none'; form-action 'none'";

/// The document as one HTML file.
pub fn html(document: &Document) -> String {
    let charts = html! { script { (PreEscaped(licences())) (PreEscaped(ECHARTS.text())) } };
    page(document, POLICY, &charts)
}

/// The same without charts, for who serves it with what its script fetches.
pub fn served(document: &Document) -> String {
    page(document, POLICY_OF_SERVED, &html! {})
}

fn page(document: &Document, policy: &str, charts: &Markup) -> String {
    let mut marks = Marks::default();
    let opening = &document.opening;
    let body = html! {
        header class=(verdict(opening.tone)) {
            p.tool { (document.tool) }
            h1 { (opening.headline) }
            @if let Some(effect) = &opening.effect { p.effect { (effect) } }
            @if let Some(sentence) = &opening.sentence { p.sentence { (sentence) } }
        }
        @for block in &document.blocks { (self::block(block, true, &mut marks)) }
    };
    let (data, own) = match &document.charts {
        Some(charts) => (for_script(&charts.data), charts.scripts.as_slice()),
        None => ("{}".to_owned(), &[NO_CHARTS][..]),
    };
    let [base, draw] = SCRIPT;
    let scripts = html! {
        script type="application/json" #data { (PreEscaped(data)) }
        (charts)
        script { (PreEscaped(base.text())) @for script in own { (PreEscaped(script.text())) } (PreEscaped(draw.text())) }
    };
    frame(&document.title, policy, &body, &scripts)
}

fn verdict(tone: Tone) -> &'static str {
    match tone {
        Tone::Loud => "verdict affected",
        Tone::Good => "verdict not-affected",
        Tone::Doubt => "verdict undecided",
        Tone::Plain | Tone::Faint | Tone::Bad => "verdict",
    }
}

/// `apart` where the block stands between sections.
fn block(block: &Block, apart: bool, marks: &mut Marks) -> Markup {
    match block {
        Block::Section(section) => self::section(section, apart, marks),
        Block::Facts(facts) => self::facts(facts, marks),
        Block::Paragraph(text) => html! { p { (marks.text(text)) } },
        Block::Legend(text) => html! { p.lead { (marks.text(text)) } },
        Block::List(entries) => html! { ul { @for entry in entries { li { (marks.text(entry)) } } } },
        Block::Table(table) if apart => html! { section { (self::table(table, marks)) } },
        Block::Table(table) => self::table(table, marks),
        Block::Ratios(ratios) => self::ratios(ratios),
        Block::Entries(entries) => html! { @for one in entries { (entry(one, marks.anchor(one.code))) } },
        Block::Heading(text) => html! { h3 { (capital(text)) } },
        Block::Output(text) => html! { pre { (text.trim_end()) } },
        Block::Matrices(matrices) => html! { div.heats { @for one in matrices { (matrix(one, marks)) } } },
        Block::Bars(bars) => drawing::bars(bars),
        Block::Timeline(of) => super::timeline::timeline(of),
        Block::Events(of) => super::events::events(of),
        Block::HeatMaps(maps) => html! { div.heats { @for one in maps { (drawing::heat_map(one)) } } },
        Block::Boxes(of) => boxes::boxes(of),
        Block::Chart(chart) => self::chart(chart),
        Block::Downloads(all) => download::downloads(all),
        Block::Commands(commands) => self::commands(commands),
        Block::Folded { summary, blocks } => html! {
            details { summary { (summary) } @for block in blocks { (self::block(block, false, marks)) } }
        },
        Block::Only(Face::Html, block) => self::block(block, apart, marks),
        Block::Reasons { title } => reasons(title, marks),
        Block::Picture(_) | Block::Only(Face::Terminal, _) => html! {},
    }
}

fn section(section: &Section, apart: bool, marks: &mut Marks) -> Markup {
    let blocks = html! { @for block in &section.blocks { (self::block(block, false, marks)) } };
    if blocks.0.is_empty() {
        return blocks;
    }
    html! {
        @if apart {
            section id=[section.id] {
                @if !section.title.is_empty() { h2 { (capital(&section.title)) } }
                (blocks)
            }
        } @else {
            h3 { (capital(&section.title)) }
            (blocks)
        }
    }
}

fn facts(facts: &[Fact], marks: &mut Marks) -> Markup {
    html! {
        dl.summary {
            @for fact in facts {
                @let text = marks.text(&fact.text);
                div { dt { (fact.name) } dd { @if fact.code { code { (text) } } @else { (text) } } }
            }
        }
    }
}

/// A chart that shows itself where scripts run.
fn chart(chart: &Chart) -> Markup {
    html! {
        div.heat.hot[chart.scale.is_some()] {
            figure hidden {
                div.chart id=(chart.id) role="img" aria-label={ (chart.label) "; the tables below hold the same figures" } {}
                @if let Some(caption) = &chart.caption { figcaption { (caption) } }
            }
            (scale(chart.scale.as_ref()))
        }
    }
}

fn table(table: &Table, marks: &mut Marks) -> Markup {
    let columns: Vec<_> =
        table.columns.iter().enumerate().filter(|(_, column)| column.only != Some(Face::Terminal)).collect();
    let most = table.most.map_or(usize::MAX, |most| most.html);
    html! {
        div.wide.tall[table.rows.len().min(most) > LONG] { table {
            thead { tr {
                @for (_, column) in &columns {
                    th.number[column.align == Align::Right] scope="col" {
                        @if column.named { (column.title) } @else { (capital(&column.title)) }
                    }
                }
            } }
            tbody { @for row in table.rows.iter().take(most) {
                tr { @for (place, (k, column)) in columns.iter().enumerate() {
                    (cell(row, *k, column, (place == 0, place + 1 == columns.len()), marks))
                } }
            } }
        } }
        @if let Some(limits) = table.most.filter(|_| table.rows.len() > most) {
            p.lead { "... and " (table.rows.len() - most) " more, " (limits.rest) }
        }
    }
}

fn ratios(ratios: &Ratios) -> Markup {
    html! {
        div.wide { table {
            thead { tr {
                th scope="col" { (capital(ratios.subject)) }
                th.number scope="col" { (capital(ratios.figure)) }
                th scope="col" { (INTERVAL) }
                th scope="col" { (capital(&ratios.versus)) }
                th.number scope="col" { "n" }
                th scope="col" { "Notes" }
            } }
            tbody { @for row in &ratios.rows {
                tr {
                    th scope="row" { code { (row.name) } span.title { (row.about) } }
                    td.number { (row.figure) }
                    td.span { (row.interval) }
                    td class=(tone(row.tone)) {
                        (row.ratio)
                        @if !row.call.is_empty() { span.title { (row.call) } }
                    }
                    td.number { (row.count) }
                    td { (row.notes.join("; ")) }
                }
            } }
        } }
    }
}

fn entry(entry: &Entry, anchor: Option<&str>) -> Markup {
    html! {
        article.finding id=[anchor] {
            h3 { span.id { (entry.code) } " " (entry.title) }
            dl { @for (name, texts) in &entry.parts {
                dt { (capital(name)) }
                dd { @if let [text] = texts.as_slice() { (text) } @else { ul { @for text in texts { li { (text) } } } } }
            } }
        }
    }
}

/// A table with more rows than that scrolls by itself, so that what comes after it is found.
const LONG: usize = 40;

/// Up to so many columns have room for intervals and long names.
const ROOMY: usize = 4;

/// A table whose cells are coloured by their figures: a heat map that can be read, copied and printed.
fn matrix(matrix: &Matrix, marks: &mut Marks) -> Markup {
    let roomy = matrix.columns.len() <= ROOMY;
    let (class, scale) = match &matrix.colours {
        MatrixColours::Hot(scale) => ("heat hot", scale),
        MatrixColours::Deep(scale) => ("heat deep", scale),
        MatrixColours::None => return plain_matrix(matrix, marks),
    };
    html! {
        div class=(class) {
            @if !matrix.title.is_empty() { h3 { (matrix.title) } }
            @if let Some(about) = &matrix.about { p.lead { (about) } }
            div.wide {
                table.many[!roomy] {
                    thead { tr {
                        th scope="col" { (matrix.corner) }
                        @for column in &matrix.columns {
                            th.number scope="col" {
                                @if roomy { (column.long) } @else { (column.short) }
                                @if let Some(note) = &column.note { small { (note) } }
                            }
                        }
                    } }
                    tbody { @for (name, cells) in &matrix.rows {
                        tr { th scope="row" { (name) } @for cell in cells { (matrix_cell(cell, roomy, marks)) } }
                    } }
                }
            }
            (self::scale(scale.as_ref()))
        }
    }
}

/// Many cells, without colours.
fn plain_matrix(matrix: &Matrix, marks: &mut Marks) -> Markup {
    let mut text = |cell: &MatrixCell| match cell {
        MatrixCell::Absent => String::new(),
        MatrixCell::Unavailable(reason) => marks.mark(reason),
        MatrixCell::Figure(figure) => figure.short.clone(),
    };
    html! {
        div.wide { table.small {
            thead { tr {
                th scope="col" { (matrix.corner) }
                @for column in &matrix.columns { th.number scope="col" { (column.short) } }
            } }
            tbody { @for (name, cells) in &matrix.rows {
                tr { th scope="row" { (name) } @for cell in cells { td.number { (text(cell)) } } }
            } }
        } }
    }
}

fn matrix_cell(cell: &MatrixCell, roomy: bool, marks: &mut Marks) -> Markup {
    let figure = match cell {
        MatrixCell::Absent => return html! { td.number.none title="not asked for" { "-" } },
        MatrixCell::Unavailable(reason) => {
            return html! { td.number.none title=(reason) { (marks.mark(reason)) } };
        }
        MatrixCell::Figure(figure) => figure,
    };
    html! {
        td.number title=(figure.hover) style=(format!("--h:{:.0}", figure.depth)) {
            (figure.number)
            @if let Some(small) = figure.small.as_ref().filter(|_| roomy) { small { (small) } }
        }
    }
}

/// What the colours mean.
fn scale(scale: Option<&(String, String)>) -> Markup {
    html! {
        @if let Some((least, most)) = scale {
            p.scale { span { (least) } span.ramp {} span { (most) } }
        }
    }
}

fn cell(row: &Row, k: usize, column: &Column, (first, last): (bool, bool), marks: &mut Marks) -> Markup {
    let Some(cell) = row.cells.get(k) else { return html! { td {} } };
    let number = column.align == Align::Right;
    let reason = cell.text.0.iter().find_map(|span| match span {
        Span::Unavailable(reason) => Some(reason),
        Span::Plain(_) => None,
    });
    let hover = cell.hover.as_ref().or(reason);
    let content = html! {
        @if column.code { code { (marks.text(&cell.text)) } } @else { (marks.text(&cell.text)) }
        @if let Some(below) = &cell.below { span.title { code { (below) } } }
    };
    html! {
        @if first {
            th.number[number] scope="row" title=[hover] { (content) }
        } @else if cell.tone != Tone::Plain || (last && row.tone != Tone::Plain) {
            @let shown = if cell.tone == Tone::Plain { row.tone } else { cell.tone };
            td class={ (tone(shown)) @if number { " number" } } title=[hover] { (content) }
        } @else {
            td.number[number] title=[hover] { (content) }
        }
    }
}

fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "better",
        Tone::Bad => "worse",
        Tone::Doubt => "open",
        Tone::Plain | Tone::Faint | Tone::Loud => "same",
    }
}

fn commands(commands: &[Command]) -> Markup {
    html! {
        @for command in commands.iter().filter(|command| command.tool.is_none()) {
            pre.command { code { (command.line) } }
            @if let Some(note) = &command.note { p.note { (note) } }
        }
        @if commands.iter().any(|command| command.tool.is_some()) {
            dl.equivalents { @for command in commands {
                @if let Some(tool) = &command.tool {
                    dt { (tool) }
                    dd { pre { code { (command.line) } } @if let Some(note) = &command.note { p.note { (note) } } }
                }
            } }
        }
    }
}

fn reasons(title: &str, marks: &Marks) -> Markup {
    html! {
        @if !marks.all().is_empty() {
            section #unavailable {
                h2 { (title) }
                dl.reasons {
                    @for (k, reason) in marks.all().iter().enumerate() { dt { "[" (k + 1) "]" } dd { (reason) } }
                }
            }
        }
    }
}

/// The page around a body, with scripts of ours.
fn frame(title: &str, policy: &str, body: &Markup, scripts: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE.text())) }
            }
            body {
                main { (body) }
                (scripts)
            }
        }
    };
    replaced(&page.into_string())
}

/// JSON in which nothing can end the script element or begin a comment.
fn for_script(data: &serde_json::Value) -> String {
    data.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// The licences as a comment of the script.
fn licences() -> String {
    let texts = LICENCES.map(PageText::text).join("\n----\n").replace("*/", "* /");
    format!("/*! The charts are drawn with Apache ECharts and zrender.\n\n{texts}\n*/\n")
}
