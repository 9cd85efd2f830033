//! What the placements could differ by, by the measured figures of the machine, and what they did differ by.

use maud::{Markup, html as page};
use numawise_facts::Reading;
use numawise_tables::ExpectedEffect;

use crate::check::{Check, points};

/// Nothing where the machine was not measured: the summary says so already.
pub fn section(check: &Check) -> Markup {
    let Some(expected) =
        check.analysis.expected.as_ref().ok().filter(|expected| !expected.effects.is_empty())
    else {
        return page! {};
    };
    page! {
        section #expected {
            h2 { "What the machine's memory explains" }
            p.lead {
                "How many times as good one placement is as the other for a program that does nothing but wait for memory, by "
                "latencies and bandwidths measured on this machine; and what was seen. One that does something else too "
                "differs by less."
            }
            div.wide {
                table {
                    thead { tr {
                        th scope="col" { "Placement" }
                        th scope="col" { "Vs" }
                        th scope="col" { "Bound by latency" }
                        th scope="col" { "Bound by bandwidth" }
                        th scope="col" { "Seen" }
                    } }
                    tbody { @for effect in &expected.effects { (row(effect)) } }
                }
            }
        }
    }
}

fn row(effect: &ExpectedEffect) -> Markup {
    page! {
        tr {
            td { code { (effect.to) } }
            td { code { (effect.from) } }
            td { (effect.latency_bound) }
            td { (effect.bandwidth_bound) }
            @match &effect.seen {
                Reading::Measured(seen) => td { (points::effect_text(*seen)) },
                Reading::Unavailable { unavailable } => td { "unavailable (" (unavailable) ")" },
            }
        }
    }
}
