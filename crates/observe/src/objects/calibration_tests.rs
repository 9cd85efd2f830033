use super::*;

#[test]
fn all_lines_are_in_one_circle() {
    let chase = Chase::new();
    let (mut line, mut seen) = (0u64, vec![false; LINES]);
    for _ in 0..LINES {
        seen[line as usize / LINE_BYTES] = true;
        line = chase.memory[line as usize / 8];
    }
    assert_eq!(line, 0);
    assert!(seen.into_iter().all(|seen| seen));
    assert_eq!(chase.pass(0, LINES as u64).0, 0, "the loop follows it");
}

#[test]
fn samples_outside_of_the_loop_do_not_count() {
    let code = ChaseCode { load: 100, after_load: 104, end: 120 };
    let mut skid = Skid::default();
    for ip in [99, 120, 100, 104, 104, 119] {
        skid.add(ip, &code);
    }
    assert_eq!(skid, Skid { samples: 4, one_after: 2 });
}

#[test]
fn the_cost_is_that_of_a_sample_and_not_of_a_disturbance() {
    let gaps = |values: &[u64]| values.iter().map(|value| Nanoseconds(*value)).collect::<Vec<_>>();
    // Another process ran ten times; 30 samples, and what is no sample.
    let long: Vec<u64> =
        [3_000_000; 10].into_iter().chain((0..30).map(|k| 10_000 - k)).chain([400; 100]).collect();
    assert_eq!(cost(gaps(&long), 30), Reading::Measured(Nanoseconds(9_988)));
    assert!(cost(gaps(&long), 7).measured().is_none(), "too few samples");
    assert!(cost(Vec::new(), 30).measured().is_none(), "no gap was seen");
}

#[test]
fn it_is_measured_here_where_the_kernel_lets_us() {
    match calibrate(1024) {
        // How many samples there are is a matter of what else the CPU does.
        Ok(Calibration { skid, .. }) => assert!(skid.one_after <= skid.samples, "{skid:?}"),
        Err(obstacle) => eprintln!("SKIPPED: sampling is not allowed here: {obstacle}"),
    }
    let timers = calibrate_timers().unwrap();
    assert!(timers.skid.one_after <= timers.skid.samples, "{timers:?}");
    assert!(timers.fault_sample.measured().is_none(), "{timers:?}");
}

#[test]
#[ignore = "timing: samples in 40 ms"]
fn a_clock_of_the_kernel_takes_enough_samples() {
    match calibrate(1024) {
        Ok(calibration) => {
            eprintln!("{calibration:?}");
            // 40 ms by the clock at 10,000 Hz; another process may have had most of it.
            assert!(calibration.skid.samples >= 10, "{calibration:?}");
        }
        Err(obstacle) => eprintln!("SKIPPED: sampling is not allowed here: {obstacle}"),
    }
}

#[test]
#[ignore = "timing: samples of a timer in 240 ms"]
fn timers_take_enough_samples() {
    let calibration = calibrate_timers().unwrap();
    eprintln!("{calibration:?}");
    // At most one a tick; another process may have had most of the time.
    assert!((3..=130).contains(&calibration.skid.samples), "{calibration:?}");
}
