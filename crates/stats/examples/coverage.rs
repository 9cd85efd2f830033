//! Prints the measured error rates and coverages that `docs/statistics.md` quotes.
//!
//! `cargo run -p numawise-stats --example coverage --release -- [CHECKS] [dense]` (10,000 by default). With `dense`, it
//! prints only the extremes over several hundred worlds with normal noise, to find where the promises are tightest; with `family`,
//! only the family of a check.

#[path = "../tests/simulated/mod.rs"]
mod simulated;

use simulated::lists::{drift_rates, median_coverage, spread_rates};
use simulated::{Drops, NoiseShape, Rates, Rule, World, naive_affected, simulate};

fn main() {
    let checks = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(10_000);
    if std::env::args().nth(2).as_deref() == Some("dense") {
        return extremes(checks);
    }
    if std::env::args().nth(2).as_deref() == Some("family") {
        return family(checks);
    }
    println!("{checks} simulated checks a line, at most 40 blocks; rates in %; blocks: mean number run");
    header();
    for (seed, (name, world)) in (1..).zip(plain_grid().into_iter().chain(hard_grid())) {
        line(&name, &simulate(&world, Rule::Sequential, checks, seed));
    }
    println!("\nas above, but only a gain counts in contrasts after the first");
    header();
    for (seed, (k, effect, sd)) in
        (900..).zip([(3, 1.0, 0.04), (3, 0.95, 0.02), (3, 0.98, 0.1), (6, 1.0, 0.04), (6, 0.95, 0.02)])
    {
        let world = World::plain(k, effect, sd, 40).gain_only_after_the_first();
        line(&format!("k={k} effect={effect} sd={sd}"), &simulate(&world, Rule::Sequential, checks, seed));
    }
    family(checks);
    println!("\nother rules, null checks and a true ratio of 1.02");
    header();
    for (seed, k) in [(1001, 1), (1002, 6)] {
        for (name, rule) in
            [("one analysis of 40 blocks", Rule::Fixed), ("stop when decided", Rule::Impatient)]
        {
            let null = World::plain(k, 1.0, 0.2, 40);
            line(&format!("{name}, k={k} effect=1 sd=0.2"), &simulate(&null, rule, checks, seed));
            let small = World::plain(k, 1.02, 0.02, 40);
            line(&format!("{name}, k={k} effect=1.02 sd=0.02"), &simulate(&small, rule, checks, seed));
        }
        let naive = naive_affected(&World::plain(k, 1.0, 0.2, 40), checks, seed);
        println!("{:<46} {:>8.2}", format!("plain 95 % intervals, peeking, k={k} effect=1"), 100.0 * naive);
    }
    dropped_points(checks);
    drifts(checks);
    spreads(checks / 2);
    println!("\n95 % bootstrap interval of a median: coverage in %");
    for count in [5, 6, 8, 12, 20, 60] {
        println!("{count:>3} values: {:.1}", 100.0 * median_coverage(count, checks / 2, 3000 + count as u64));
    }
}

/// What is compared on two nodes.
fn family(checks: usize) {
    println!("\nthe family of a check on two nodes, margin 5 %");
    header();
    for (seed, (name, effects)) in (1100..).step_by(10).zip(CHECKS) {
        for (seed, sd) in (seed..).zip([0.005, 0.01, 0.02, 0.05, 0.1, 0.2]) {
            let world = World::check(effects, sd, 40);
            line(&format!("{name} sd={sd}"), &simulate(&world, Rule::Sequential, checks, seed));
        }
    }
}

/// The family of a check in which nothing matters and a point is dropped on the way.
fn dropped_points(checks: usize) {
    println!("\na point is dropped, drift 30 %, blocks 5 %");
    header();
    for (seed, (drops, blocks, sd)) in (1300..).zip([
        (Drops::Fixed(4, 2), 5, 0.05),
        (Drops::Slowest(2), 5, 0.1),
        (Drops::Slowest(4), 12, 0.05),
        (Drops::SlowerThanBaseline(2), 5, 0.1),
        (Drops::SlowerThanBaseline(3), 15, 0.2),
    ]) {
        let world = World { drift: 0.3, block: 0.05, drops, ..World::check([1.0; 5], sd, blocks) };
        let name = format!("{drops:?} sd={sd}, {blocks} blocks");
        line(&name, &simulate(&world, Rule::Sequential, checks, seed));
    }
}

/// How often a drift of more than 5 % is said.
fn drifts(checks: usize) {
    println!("\ndrift of more than 5 % said, and interval covers, in %");
    for (seed, (count, sd)) in
        (1500..).zip([(5, 0.02), (5, 0.2), (8, 0.01), (15, 0.05), (15, 0.02), (40, 0.03), (40, 0.3)])
    {
        for whole in [1.0, 1.1] {
            let r = drift_rates(NoiseShape::Normal, sd, count, whole, checks, seed);
            println!(
                "{count:>3} values sd={sd} drift {whole}: {:.1} {:.1}",
                100.0 * r.said,
                100.0 * r.covers
            );
        }
    }
}

/// The worst of each promise over a dense grid.
fn extremes(checks: usize) {
    let mut lines: Vec<(String, f64, Rates)> = Vec::new();
    for k in [1, 2, 6] {
        for effect in [1.0, 1.01, 1.02, 1.03, 1.04, 1.06, 1.1, 1.2, 1.5] {
            for sd in [0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.15] {
                for max in [12, 60] {
                    let seed = 10_000 + lines.len() as u64;
                    let r = simulate(&World::plain(k, effect, sd, max), Rule::Sequential, checks, seed);
                    lines.push((format!("k={k} effect={effect} sd={sd} max={max}"), effect, r));
                }
            }
        }
    }
    println!("{} worlds of {checks} checks", lines.len());
    header();
    lines.sort_by(|a, b| a.2.all_cover.total_cmp(&b.2.all_cover));
    println!("lowest and highest coverage:");
    for (name, _, r) in lines[..6].iter().chain(&lines[lines.len() - 4..]) {
        line(name, r);
    }
    let outside = lines.iter().filter(|l| !(0.93..=0.97).contains(&l.2.all_cover)).count();
    println!("worlds outside 93 to 97 %: {outside}");
    println!("most false alarms:");
    lines.retain(|l| l.1 == 1.0);
    lines.sort_by(|a, b| b.2.affected.total_cmp(&a.2.affected));
    for (name, _, r) in &lines[..4] {
        line(name, r);
    }
}

/// Effects of all nodes, of interleaving, of one node, of remote memory vs local memory on that node, and of copies.
const CHECKS: [(&str, [f64; 5]); 5] = [
    ("nothing matters", [1.0, 1.0, 0.6, 1.0, 1.5]),
    ("nothing matters, one node as fast", [1.0, 1.0, 1.0, 1.0, 1.0]),
    ("remote memory costs 1.43x", [1.0, 1.0, 0.6, 0.7, 1.0]),
    ("interleaving brings 1.06x", [1.0, 1.06, 0.9, 0.95, 1.2]),
    ("interleaving brings 1.8x", [1.1, 1.8, 0.9, 0.6, 1.5]),
];

fn spreads(pairs: usize) {
    println!(
        "\n{pairs} pairs of lists a line: said to differ at equal spreads, covered; the same at a ratio of 3; in %"
    );
    let shapes = [
        ("normal", NoiseShape::Normal),
        ("heavy", NoiseShape::Heavy),
        ("skewed", NoiseShape::Skewed),
        ("outliers", NoiseShape::Outliers),
    ];
    for (seed, counts) in (2000..).zip([(5, 5), (8, 8), (15, 15), (60, 60), (5, 12), (8, 60)]) {
        for (name, shape) in shapes {
            let same = spread_rates(shape, counts, 1.0, pairs, seed);
            let thrice = spread_rates(shape, counts, 3.0, pairs, seed);
            println!(
                "{:<24} {:>6.1} {:>6.1} {:>8.1} {:>6.1}",
                format!("{} and {} {name}", counts.0, counts.1),
                100.0 * same.differs,
                100.0 * same.covers,
                100.0 * thrice.differs,
                100.0 * thrice.covers
            );
        }
    }
}

fn header() {
    println!(
        "{:<46} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}",
        "world", "affected", "not aff.", "all cov", "1st cov", "best cov", "wrong", "blocks"
    );
}

fn line(name: &str, r: &Rates) {
    println!(
        "{name:<46} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>7.1}",
        100.0 * r.affected,
        100.0 * r.not_affected,
        100.0 * r.all_cover,
        100.0 * r.first_covers,
        100.0 * r.best_covers,
        100.0 * r.wrong,
        r.mean_blocks
    );
}

fn plain_grid() -> Vec<(String, World)> {
    let mut worlds = Vec::new();
    for k in [1, 3, 6] {
        for effect in [1.0, 1.02, 1.05, 1.3, 2.0] {
            for sd in [0.005, 0.01, 0.02, 0.03, 0.08, 0.2] {
                worlds.push((format!("k={k} effect={effect} sd={sd}"), World::plain(k, effect, sd, 40)));
            }
        }
    }
    worlds
}

fn hard_grid() -> Vec<(String, World)> {
    let mut worlds = Vec::new();
    for effect in [1.0, 1.05, 1.3] {
        for sd in [0.01, 0.05] {
            let mut add = |name: &str, world: World| {
                worlds.push((format!("{name} k={} effect={effect} sd={sd}", world.effects.len()), world));
            };
            for k in [1, 6] {
                let with = |shape| World { shape, ..World::plain(k, effect, sd, 40) };
                add("heavy", with(NoiseShape::Heavy));
                add("skewed", with(NoiseShape::Skewed));
                add("outliers", with(NoiseShape::Outliers));
                add("outliers in baseline", with(NoiseShape::BaselineOutliers));
            }
            let three = World::plain(3, effect, sd, 40);
            add("drift 30 %, blocks 5 %", World { drift: 0.3, block: 0.05, ..three.clone() });
            add("10 % missing", World { missing: 0.1, ..three.clone() });
            add("steps of 2 %", World { step: 0.2, ..three });
            let mut noisy = World::plain(6, effect, sd, 40);
            noisy.noise[0] *= 5.0;
            add("baseline noisy x5", noisy);
            let mut noisy = World::plain(6, effect, sd, 40);
            noisy.noise[6] *= 5.0;
            add("last point noisy x5", noisy);
        }
    }
    worlds
}
