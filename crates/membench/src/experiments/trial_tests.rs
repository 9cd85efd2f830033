use numawise_facts::{LoopPath, MemoryLoop, Mix, Vectors};

use super::*;

fn kernels() -> Vec<Kernel> {
    let portable = |path| Kernel::new(Mix::Read, MemoryLoop { vectors: Vectors::Portable, path });
    let two: Vec<Kernel> = [LoopPath::Tuned, LoopPath::Straight].into_iter().filter_map(portable).collect();
    assert_eq!(two.len(), 2);
    two
}

fn window(all: f64, lost: Option<f64>) -> Window {
    Window { seconds_each: 1.0, others: 0.0, all, lost }
}

const TWO: Turns = Turns { loops: 2, buffers: 3 };

#[test]
fn everybody_has_one_turn_in_each_round_on_the_same_buffer_and_in_another_order() {
    let turns = Turns { loops: 6, buffers: 3 };
    let mut firsts = Vec::new();
    for round in 0..6 {
        let windows = round * 6..(round + 1) * 6;
        let mut loops: Vec<usize> = windows.clone().map(|window| turns.loop_of(window)).collect();
        firsts.push(loops[0]);
        loops.sort_unstable();
        assert_eq!(loops, [0, 1, 2, 3, 4, 5]);
        assert!(windows.map(|window| turns.buffer_of(window)).all(|buffer| buffer == round % 3));
    }
    assert_eq!(firsts, [0, 1, 2, 3, 4, 5]);
    let one = Turns { loops: 1, buffers: 3 };
    assert_eq!((0..5).map(|window| one.buffer_of(window)).collect::<Vec<_>>(), [0, 1, 2, 0, 1]);
}

#[test]
fn the_highest_median_wins_whatever_single_turns_say() {
    let kernels = kernels();
    // Of the first 20 but once 90; of the second 24, but for two slow turns.
    let rate = |nth: usize| match (TWO.loop_of(nth), nth / 2) {
        (0, 3) => 90.0,
        (0, _) => 20.0,
        (_, 1 | 5) => 2.0,
        _ => 24.0,
    };
    let windows: Vec<Window> = (0..14).map(|nth| window(rate(nth), None)).collect();
    let verdict = decided(&kernels, TWO, &windows).unwrap();
    assert_eq!(verdict.choice.chosen, kernels[1].which);
    assert_eq!((verdict.winner.which, verdict.rate), (kernels[1].which, Some(24.0)));
    let medians: Vec<f64> =
        verdict.choice.trials.iter().map(|trial| trial.rate.measured().unwrap().median.0).collect();
    assert_eq!(medians, [20.0, 24.0], "all figures are kept");
}

#[test]
fn disturbed_turns_decide_nothing_while_there_are_quiet_ones() {
    let kernels = kernels();
    // Each time that the second had its turn, but for three of them, somebody else used its CPU.
    let of = |nth: usize| match TWO.loop_of(nth) {
        0 => window(20.0, None),
        _ if nth < 8 => window(5.0, Some(0.5)),
        _ => window(21.0, None),
    };
    let windows: Vec<Window> = (0..14).map(of).collect();
    assert_eq!(decided(&kernels, TWO, &windows).unwrap().choice.chosen, kernels[1].which);
}

#[test]
fn without_a_turn_there_is_a_reason_and_the_first_stays() {
    let kernels = kernels();
    let verdict = decided(&kernels, TWO, &[window(20.0, None)]).unwrap();
    assert_eq!(verdict.choice.chosen, kernels[0].which);
    assert!(verdict.choice.trials[1].rate.reason().unwrap().to_string().contains("no time"));
    let nobody = decided(&kernels, TWO, &[]).unwrap();
    assert_eq!((nobody.choice.chosen, nobody.rate), (kernels[0].which, None));
    // Of equals the first.
    let windows = vec![window(20.0, None); 14];
    assert_eq!(decided(&kernels, TWO, &windows).unwrap().choice.chosen, kernels[0].which);
}
