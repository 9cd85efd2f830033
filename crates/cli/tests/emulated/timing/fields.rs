//! Each field of iso3dfd that is touched where it is used takes lines from the link.

use std::time::Duration;

use testbed::CommandResult;

use super::say;
use crate::guest;
use crate::topics::fields::{BOUND, OPTIONS, line};

/// Each field that is touched where it is used takes lines from the link, as the plugin counts them, and all together take most. What that
/// brings in time is shown: it is for a host without other work to say.
#[test]
#[ignore = "timing: lines that the timing plugin counts"]
fn emulated_each_field_of_iso3dfd_that_is_touched_where_it_is_used_is_less_remote() {
    if !testbed::ready() {
        return;
    }
    let machine = testbed::load("two-socket").unwrap();
    let commands = OPTIONS.map(|option| format!("{BOUND}; {}", line(12, option)));
    let run = guest(&machine).scale(400.0).limit(Duration::from_secs(1800)).run(&commands).unwrap();
    let seconds = |result: &CommandResult| -> f64 {
        let line = result.stdout.lines().find_map(|line| line.strip_prefix("time: "));
        line.and_then(|text| text.strip_suffix(" s")).expect("iso3dfd printed no time").parse().unwrap()
    };
    let shares: Vec<f64> = run
        .results
        .iter()
        .map(|result| {
            assert_eq!(result.status, 0, "{}", result.stderr);
            result.truth.as_ref().unwrap().remote_share(&machine).unwrap()
        })
        .collect();
    for (result, share) in run.results.iter().zip(&shares) {
        let gain = seconds(&run[0]) / seconds(result);
        say(&format!(
            "{}: remote {share:.3} of the lines, {gain:.2} times as fast as by one thread",
            result.command
        ));
    }
    let (serial, parallel) = (shares[0], shares[4]);
    assert!(serial > 0.35 && parallel < 0.25, "{shares:?}");
    for share in &shares[1..4] {
        assert!(*share < serial - 0.03 && *share > parallel + 0.03, "{shares:?}");
    }
}
