use super::*;

fn case(extra: &str) -> Case {
    let text =
        format!("name = 'a'\nabout = ''\ncommand = 'x {{threads}}'\nthreads = 4\ncases = ['gains']\n{extra}");
    toml::from_str(&text).unwrap()
}

fn runs(times: &[(&str, &[f64])]) -> Vec<HandRun> {
    let run = |placement: &str, round: usize, seconds: f64| HandRun {
        round,
        placement: placement.to_owned(),
        seconds,
        status: 0,
    };
    times.iter().flat_map(|(name, list)| list.iter().enumerate().map(|(k, s)| run(name, k, *s))).collect()
}

#[test]
fn each_round_has_each_placement_once_in_another_order() {
    let script = script(&case("pin = '0,1,2,3'\ncures = ['one-node']"), 0..4, true);
    let rounds: Vec<&str> = script.split("echo round ").skip(1).collect();
    assert_eq!(rounds.len(), 4);
    let firsts: Vec<&str> = rounds.iter().map(|round| round.lines().nth(1).unwrap()).collect();
    for label in [AS_IS, "interleave", "node0", "node1", "remote", "spread", "line1-0", "line1-3"] {
        for round in &rounds {
            assert_eq!(round.matches(&format!("stopwatch {label} ")).count(), 1, "{label} in {round}");
        }
    }
    assert!(firsts.windows(2).all(|pair| pair[0] != pair[1]), "{firsts:?}");
    assert!(script.contains("[ ! -s /root/line1-2 ] || stopwatch line1-2 sh /root/line1-2 > /dev/null\n"));
    let inside = "OMP_NUM_THREADS=2  numactl -N 1 -m 1 stopwatch node1 x 2 > /dev/null";
    assert!(script.contains(inside), "{script}");
    let pinned = "CASES_PIN=0,1,2,3 OMP_PLACES='{0},{1},{2},{3}' OMP_PROC_BIND=true numactl -i 0,1 stopwatch interleave x 4";
    assert!(script.contains(pinned), "{script}");
}

#[test]
fn whatever_drifts_falls_on_all_placements_alike() {
    for count in 4..=19 {
        for rounds in [2, 6, 10, 16] {
            let mut places = vec![0; count];
            let mut neighbours = std::collections::BTreeSet::new();
            for round in 0..rounds {
                let order = order(count, round);
                order.iter().enumerate().for_each(|(place, k)| places[*k] += place);
                neighbours.extend(order.windows(2).map(|pair| (pair[0], pair[1])));
            }
            assert!(places.iter().all(|sum| 2 * sum == rounds * (count - 1)), "{count}: {places:?}");
            let different = (rounds * (count - 1)).min(count * (count - 1) / 2);
            assert!(neighbours.len() >= different, "{count} in {rounds} rounds: {}", neighbours.len());
        }
    }
}

#[test]
fn a_program_whose_runs_differ_runs_more_often_as_it_is_and_its_mean_counts() {
    let script = script(&case("as_is = 3"), 0..2, false);
    assert_eq!((script.matches(" as-is ").count(), script.matches(" node0 ").count()), (6, 2));
    let mut all = runs(&[("as-is", &[1.0, 1.0]), ("node0", &[1.0, 1.0])]);
    all.extend(runs(&[("as-is", &[4.0, 4.0])]));
    assert!((gain(&all, AS_IS, "node0").unwrap().ratio - 2.0).abs() < 1e-9);
}

#[test]
fn the_wall_is_timed_where_it_is_compared() {
    let wall = script(&case("wall = true\nseeds = [4, 5]"), 0..2, true);
    assert_eq!(wall.matches("stopwatch ").count(), wall.matches("stopwatch --wall ").count());
    assert!(
        wall.contains("stopwatch --wall as-is x 4")
            && wall.contains("stopwatch --wall line5-3 sh /root/line5-3")
    );
    assert!(!script(&case(""), 0..2, true).contains("--wall"));
}

#[test]
fn high_bandwidth_memory_and_pins_are_tried_where_they_are() {
    assert!(
        script(&case("machine = 'hbm'\npin = '0'"), 0..1, false).contains("numactl -m 2,3 stopwatch hbm x 4")
    );
    let plain = script(&case(""), 0..1, false);
    assert!(!plain.contains("CASES_PIN") && !plain.contains("spread") && !plain.contains("hbm"), "{plain}");
}

#[test]
fn stopwatches_are_read_among_other_lines() {
    let told =
        parse("round 3\nwarning: x\nstopwatch as-is 1.500000 0\nround 4\nstopwatch as-is 2.0 1\nstopwatch\n");
    let run = |round, seconds, status| HandRun { round, placement: AS_IS.to_owned(), seconds, status };
    assert_eq!(told, [run(3, 1.5, 0), run(4, 2.0, 1)]);
}

#[test]
fn a_gain_is_the_geometric_mean_over_rounds_with_its_interval() {
    let all = runs(&[("as-is", &[2.0, 4.0, 8.0]), ("node0", &[1.0, 2.0, 4.0]), ("node1", &[1.0, 4.0, 16.0])]);
    let exact = gain(&all, AS_IS, "node0").unwrap();
    assert!((exact.ratio - 2.0).abs() < 1e-9 && (exact.high - exact.low).abs() < 1e-9, "{exact:?}");
    let wide = gain(&all, AS_IS, "node1").unwrap();
    assert!((wide.ratio - 1.0).abs() < 1e-9 && wide.low < 0.2 && wide.high > 5.0, "{wide:?}");
    assert_eq!(gain(&all[..4], AS_IS, "node0"), None, "one round has both");
    assert_eq!(median(&all, "node1"), Some(4.0));
}

#[test]
fn runs_that_failed_count_nowhere() {
    let mut all = runs(&[("as-is", &[2.0, 4.0, 8.0]), ("node0", &[1.0, 2.0, 40.0])]);
    all.last_mut().unwrap().status = 1;
    assert!((gain(&all, AS_IS, "node0").unwrap().ratio - 2.0).abs() < 1e-9);
    assert_eq!(median(&all, "node0"), Some(2.0));
}
