//! Calls one by one, for a script that draws them nearer and farther; hidden where none runs, so that the drawing that needs none says the same in
//! spans of time.

use maud::{Markup, PreEscaped, html};

use super::BarPart;
use super::drawing::key;

/// What the script gets.
#[derive(Debug, Clone)]
pub struct Events {
    /// What it shows, for who cannot see it.
    pub label: String,
    pub parts: Vec<BarPart>,
    /// Base64, which the script can read.
    pub packed: String,
}

/// What scripts call the drawing, and what names it as what takes their place.
pub const ID: &str = "events";

/// What a button does, its face, and what it says to who cannot see that.
const BUTTONS: [(&str, &str, &str); 8] = [
    ("nearer", "zoom in", "zoom in: half of the time that is shown"),
    ("farther", "zoom out", "zoom out: twice the time that is shown"),
    ("left", "\u{2190}", "go to earlier times"),
    ("right", "\u{2192}", "go to later times"),
    ("whole", "whole run", "the whole run, and all ranks"),
    ("before", "previous call", "previous call: select the one before, of the same rank"),
    ("after", "next call", "next call: select the next one of the same rank"),
    ("longest", "longest wait", "the longest wait in the part that is shown"),
];

/// How a person goes into the drawing.
const HELP: &str = "Click on a call, a span or a message's line for what is known of it, on a phase or the name of a rank to see it alone. Drag over a time span, or use the wheel, to zoom; \
                    Shift and dragging moves the view. Keys: + and - zoom, left and right move, n and p select the next and the previous call, Esc shows the whole run.";

pub(super) fn events(of: &Events) -> Markup {
    html! {
        figure.drawing.events id=(ID) hidden {
            ul.key {
                (key(&of.parts))
                li { span.line {} "message" }
                li { span.dot.band {} "collective call" }
            }
            div.tools role="toolbar" aria-label="the part of the time that is shown" {
                @for (act, face, label) in BUTTONS {
                    button type="button" data-act=(act) aria-label=(label) title=(label) { (face) }
                }
                label { "ranks " input type="text" size="8" placeholder="all" title="only these ranks, e.g. 0,3-5; or click on the name of one, with Shift on more" {} }
                span.shown {}
            }
            div.stage { canvas tabindex="0" role="application" aria-label={ (of.label) ". " (HELP) } {} }
            div.chosen role="status" { (HELP) }
            div.pairs hidden { canvas {} p.lead {} }
            script type="application/octet-stream" { (PreEscaped(&of.packed)) }
        }
    }
}
