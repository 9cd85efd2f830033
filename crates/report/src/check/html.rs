//! A check as one HTML file: no network, tables for everybody, charts where scripts run.
//!
//! `maud` builds the page, because it escapes every text that is put in, so that nothing a command or a program's output
//! holds can become markup; what is put in as it is, is ours. A content security policy in the page keeps it from loading
//! or sending anything.

mod charts;
mod nodes;
mod sections;

use maud::{DOCTYPE, PreEscaped, html as page};
use numawise_facts::VerdictKind;

use super::{Check, words};

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/charts.js");
const ECHARTS: &str = include_str!("../../assets/echarts.min.js");
/// The licences of what is embedded ask to go with it.
const LICENCES: [&str; 3] = [
    include_str!("../../assets/echarts.NOTICE"),
    include_str!("../../assets/echarts.LICENSE"),
    include_str!("../../assets/zrender.LICENSE"),
];

/// Nothing may be loaded from anywhere, nor sent: not by us, not by what somebody might smuggle in.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

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
    let page = page! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (word) ": " (command) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    header class={ "verdict " (class) } {
                        p.tool { "numawise check" }
                        h1 { (word) }
                        @if let Some(effect) = words::effect(check) { p.effect { (effect) } }
                        p.sentence { (verdict.text) }
                    }
                    (sections::summary(check))
                    (sections::placements(check))
                    (sections::findings(check))
                    (sections::from_now_on(check))
                    (nodes::section(check))
                    (sections::trials(check))
                    (sections::list("To be kept in mind", &verdict.caveats))
                    (sections::list("What limits us on this machine", &words::limits(check)))
                    (sections::list("Not tried", &check.study.header.not_tried))
                    (sections::list("Could not be measured", &check.analysis.unavailable))
                    (sections::failure(check))
                    (sections::study(check))
                }
                script type="application/json" #data { (PreEscaped(charts::data(check))) }
                script { (PreEscaped(licences())) (PreEscaped(ECHARTS)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    words::harmless(&page.into_string())
}

/// The licences as a comment of the script.
fn licences() -> String {
    let texts = LICENCES.join("\n----\n").replace("*/", "* /");
    format!("/*! The charts are drawn with Apache ECharts and zrender.\n\n{texts}\n*/\n")
}
