//! A check as one HTML file: no network, tables for everybody, charts where scripts run.

mod charts;
mod expected;
mod nodes;
mod sections;

use maud::html as page;
use numawise_tables::VerdictKind;

use super::{Check, words};
use crate::notice;

const CHARTS: &str = include_str!("html/charts.js");

/// The check as a page.
pub fn html(check: &Check) -> String {
    let verdict = &check.analysis.verdict;
    let word = words::verdict(verdict.kind);
    let class = match verdict.kind {
        VerdictKind::Affected => "affected",
        VerdictKind::NotAffected => "not-affected",
        VerdictKind::Undecided => "undecided",
    };
    let command = check.study.header.command.shell_line();
    let body = page! {
        header class={ "verdict " (class) } {
            p.tool { "numawise check" }
            h1 { (word) }
            @if let Some(effect) = words::effect(check) { p.effect { (effect) } }
            p.sentence { (words::sentence(check)) }
        }
        (sections::summary(check))
        (sections::placements(check))
        (sections::findings(check))
        (sections::from_now_on(check))
        (nodes::section(check))
        (expected::section(check))
        (sections::trials(check))
        (sections::list("To be kept in mind", &notice::texts(&verdict.caveats)))
        (sections::list("What limits us on this machine", &words::limits(check)))
        (sections::list("Not tried", &notice::texts(&check.study.header.not_tried)))
        (sections::list("Could not be measured", &notice::texts(&check.analysis.unavailable)))
        (sections::failure(check))
        (sections::study(check))
    };
    crate::document::frame(&format!("{word}: {command}"), &body, &charts::data(check), CHARTS)
}
