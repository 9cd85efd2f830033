//! A check on the terminal: the verdict first, then what it rests on.

mod plot;
mod table;

use numawise_tables::VerdictKind;

use super::{Check, findings, words};
use crate::document::harmless;
use crate::document::wrap;
use crate::document::{Paint, Style, Tone};
use crate::notice;

/// Names of lines stand in a column of this width.
const LABEL: usize = 15;

/// The check as text, ending with a newline.
pub fn terminal(check: &Check, style: Style) -> String {
    let mut page = Page {
        paint: Paint(style.colour),
        style: Style { width: style.width.clamp(60, 120), ..style },
        text: String::new(),
    };
    page.verdict(check);
    page.text += &table::placements(check, page.style, page.paint);
    page.findings(check);
    page.command_to_use(check);
    page.list("To be kept in mind", &notice::texts(&check.analysis.verdict.caveats));
    page.list("What limits us on this machine", &words::limits(check));
    page.list("Not tried", &notice::texts(&check.study.header.not_tried));
    page.list("Could not be measured", &notice::texts(&check.analysis.unavailable));
    page.failure(check);
    page.record(check);
    page.text
}

struct Page {
    paint: Paint,
    style: Style,
    text: String,
}

impl Page {
    fn verdict(&mut self, check: &Check) {
        let verdict = &check.analysis.verdict;
        let tone = match verdict.kind {
            VerdictKind::Affected => Tone::Loud,
            VerdictKind::NotAffected => Tone::Good,
            VerdictKind::Undecided => Tone::Doubt,
        };
        let word = self.paint.bold(tone, &words::verdict(verdict.kind).to_uppercase());
        let effect = words::effect(check).map(|effect| harmless(&effect)).unwrap_or_default();
        let together = words::verdict(verdict.kind).len() + 2 + effect.chars().count();
        let (between, effect) = if together <= self.style.width {
            ("  ", effect)
        } else {
            ("\n", wrap(&effect, "", "", self.style.width).trim_end().to_owned())
        };
        let effect = self.paint.bold(Tone::Plain, &effect);
        self.text += &format!("\n{}\n", format!("{word}{between}{effect}").trim_end());
        self.text += &wrap(&words::sentence(check), "", "", self.style.width);
        self.text.push('\n');
        for (name, text) in words::summary(check) {
            self.line(name, &text);
        }
    }

    fn heading(&mut self, text: &str) {
        self.text += &format!("\n{}\n", self.paint.bold(Tone::Plain, text));
    }

    /// A name and a text that may run over several lines.
    fn line(&mut self, name: &str, text: &str) {
        let first = format!("  {name:<LABEL$}");
        let wrapped = wrap(text, &first, &" ".repeat(LABEL + 2), self.style.width);
        let painted = self.paint.tone(Tone::Faint, &first);
        self.text += &wrapped.replacen(&first, &painted, 1);
    }

    fn list(&mut self, heading: &str, entries: &[String]) {
        if entries.is_empty() {
            return;
        }
        self.heading(heading);
        for entry in entries {
            self.text += &wrap(entry, "  - ", "    ", self.style.width);
        }
    }

    fn findings(&mut self, check: &Check) {
        self.heading("Findings");
        let found = &check.analysis.findings;
        if found.is_empty() {
            self.text += "  none\n";
        }
        for (k, finding) in found.iter().enumerate() {
            let (id, title) = (finding.id.code(), findings::title(finding.id));
            if k > 0 {
                self.text.push('\n');
            }
            self.text += &format!("  {}  {title}\n", self.paint.bold(Tone::Loud, id));
            self.bullets("seen", &findings::evidence(&check.study.header, finding));
            self.bullets("cost", &[findings::cost(finding)]);
            self.bullets("to do", &findings::advice(finding));
        }
    }

    fn bullets(&mut self, name: &str, entries: &[String]) {
        for (k, entry) in entries.iter().enumerate() {
            let name = if k == 0 { name } else { "" };
            let bullet = if entries.len() > 1 { "- " } else { "" };
            let first = format!("    {name:<7}{bullet}");
            let rest = " ".repeat(first.len());
            let wrapped = wrap(entry, &first, &rest, self.style.width);
            let painted = format!("    {}{bullet}", self.paint.tone(Tone::Faint, &format!("{name:<7}")));
            self.text += &wrapped.replacen(&first, &painted, 1);
        }
    }

    /// Commands are never broken into lines: they are there to be copied.
    fn command_to_use(&mut self, check: &Check) {
        let from_now_on = check.from_now_on;
        self.heading("Use from now on");
        self.text += &format!("  {}\n", self.paint.bold(Tone::Good, &harmless(&from_now_on.line)));
        if !from_now_on.equivalents.is_empty() {
            let widest = from_now_on.equivalents.iter().map(|(tool, _)| tool.chars().count()).max();
            self.text += &format!("\n  {}\n", self.paint.tone(Tone::Faint, "the same without numawise"));
            for (tool, line) in &from_now_on.equivalents {
                let name = harmless(&format!("{tool:<width$}", width = widest.unwrap_or(0)));
                let line = harmless(line);
                self.text += &format!("    {}  {line}\n", self.paint.tone(Tone::Faint, &name));
            }
        }
        for (k, comment) in from_now_on.comments.iter().enumerate() {
            if k == 0 {
                self.text.push('\n');
            }
            self.text += &wrap(comment, "  - ", "    ", self.style.width);
        }
    }

    fn failure(&mut self, check: &Check) {
        let Some((what, output)) = words::first_failure(check.study) else {
            return;
        };
        self.heading("The first failure");
        self.text += &wrap(&what, "  ", "  ", self.style.width);
        if !output.trim().is_empty() {
            self.text += "  the end of what it said:\n";
            for line in output.trim_end().lines() {
                self.text += &format!("    | {}\n", harmless(line));
            }
        }
    }

    fn record(&mut self, check: &Check) {
        self.text.push('\n');
        self.line("Record", &format!("{} (SQLite: trials, samples, machine, placements)", check.record));
    }
}
