//! How noisy or how short runs are.

use numawise_facts::finding::{Amount, Evidence, NoiseQuantity};

#[cfg(test)]
#[path = "noise_tests.rs"]
mod tests;

/// From this half width on an interval tells nothing that a percentage would say better than its ends.
const USELESS: f64 = 0.5;
/// From this deviation on it is said as a multiple.
const MANIFOLD: f64 = 1.0;

pub fn sentence(quantity: NoiseQuantity, one: &Evidence, value: &str, of: &str) -> String {
    match (quantity, one.value.measured()) {
        (NoiseQuantity::IntervalHalfWidth, Some(Amount::Share(half))) if half.0 >= USELESS => {
            useless(one, of)
        }
        (NoiseQuantity::IntervalHalfWidth, _) => {
            format!("the widest interval is still plus or minus {value}, and differences of {of} count")
        }
        (NoiseQuantity::RunToRunDeviation, Some(Amount::Share(spread))) if spread.0 >= MANIFOLD => {
            format!("one run takes {:.1} times as long as the next (standard deviation)", spread.0 + 1.0)
        }
        (NoiseQuantity::RunToRunDeviation, _) => {
            format!("one run differs from the next by {value} (standard deviation)")
        }
        (NoiseQuantity::Repeats, _) => {
            format!("{value} repeats of each placement were run")
        }
        (NoiseQuantity::DisturbedRuns, _) => {
            format!("{value} of {of} runs shared the machine with other work")
        }
        (NoiseQuantity::StolenRuns, _) => {
            format!("in {value} of {of} runs the hypervisor took CPU time for others")
        }
        (NoiseQuantity::RunTime, _) => {
            format!(
                "a run takes {value}, of which starting the program and touching its memory are a large part"
            )
        }
    }
}

/// An interval so wide that its ends say more than its width.
fn useless(one: &Evidence, of: &str) -> String {
    let ends = match one.interval {
        Some((Amount::Ratio(low), Amount::Ratio(high))) => format!("between {low} and {high}"),
        _ => "in either direction".to_owned(),
    };
    format!("the runs do not tell: a difference may be anywhere {ends}, and differences of {of} count")
}
