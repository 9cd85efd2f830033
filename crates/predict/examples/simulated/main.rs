//! How good predictions of simulated programs are, by the kind of program and by machine; words choose kinds or machines:
//! `cargo run --release -p numawise-predict --example simulated [PROGRAMS [POINTS [WORD]]]`.

mod machine;
mod program;
mod score;

use score::{Bench, Score};

fn line(name: &str, score: &Score) {
    println!(
        "{name:<26}{:>8.1}{:>8.1}{:>8.1}{:>8.1}{:>8.1}",
        100.0 * score.error(0.5),
        100.0 * score.error(0.95),
        100.0 * score.coverage(),
        100.0 * score.regret(0.5),
        100.0 * score.regret(0.95)
    );
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |place: usize, usual: u64| words.get(place).and_then(|word| word.parse().ok()).unwrap_or(usual);
    let (programs, points) = (number(0, 2), number(1, 8) as usize);
    let wanted = |name: &str| words.get(2).is_none_or(|word| name.contains(word.as_str()));
    let (mut by_kind, mut by_machine) = (vec![Score::default(); program::KINDS.len()], Vec::new());
    println!("percent                     median    95th  inside   worse    95th");
    for machine in machine::MACHINES {
        let mut of_machine = Score::default();
        let bench = Bench::new(machine, true, points);
        for (place, kind) in program::KINDS.into_iter().enumerate() {
            if !wanted(machine.name) && !wanted(&format!("{kind:?}")) {
                continue;
            }
            let mut here = Score::default();
            (0..programs).for_each(|seed| here.add(&bench.score(kind, seed)));
            line(&format!("{}: {kind:?}", machine.name), &here);
            by_kind[place].add(&here);
            of_machine.add(&here);
        }
        by_machine.push((machine.name, of_machine));
    }
    let mut all = Score::default();
    for (kind, score) in program::KINDS.iter().zip(&by_kind).filter(|(_, score)| !score.errors.is_empty()) {
        line(&format!("{kind:?}"), score);
        all.add(score);
    }
    for (name, score) in by_machine.iter().filter(|(_, score)| !score.errors.is_empty()) {
        line(name, score);
    }
    line("all", &all);
    println!("promised                       4.0    12.0   90-97     1.0     5.0");
}
