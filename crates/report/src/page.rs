//! A self-contained HTML page: no network, tables for everybody, charts where scripts run.
//!
//! `maud` builds the page, because it escapes every text that is put in, so that nothing a command or a program's output
//! holds can become markup; what is put in as it is, is ours. A content security policy in the page keeps it from loading
//! or sending anything.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::check::words;

const STYLE: &str = include_str!("page/style.css");
/// What all charts share, and the drawing of them; the charts themselves go in between.
const SCRIPT: [&str; 2] = [include_str!("page/base.js"), include_str!("page/draw.js")];
const ECHARTS: &str = include_str!("../assets/echarts.min.js");
/// The licences of what is embedded ask to go with it.
const LICENCES: [&str; 3] = [
    include_str!("../assets/echarts.NOTICE"),
    include_str!("../assets/echarts.LICENSE"),
    include_str!("../assets/zrender.LICENSE"),
];

/// Nothing may be loaded from anywhere, nor sent: not by us, not by what somebody might smuggle in.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

/// The page. `data` is JSON that can stand in a script element ([`for_script`]), `charts` a script of ours.
pub fn page(title: &str, body: &Markup, data: &str, charts: &str) -> String {
    let [base, draw] = SCRIPT;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main { (body) }
                script type="application/json" #data { (PreEscaped(data)) }
                script { (PreEscaped(licences())) (PreEscaped(ECHARTS)) }
                script { (PreEscaped(base)) (PreEscaped(charts)) (PreEscaped(draw)) }
            }
        }
    };
    words::harmless(&page.into_string())
}

/// JSON in which nothing can end the script element or begin a comment.
pub fn for_script(data: &serde_json::Value) -> String {
    data.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// The licences as a comment of the script.
fn licences() -> String {
    let texts = LICENCES.join("\n----\n").replace("*/", "* /");
    format!("/*! The charts are drawn with Apache ECharts and zrender.\n\n{texts}\n*/\n")
}
