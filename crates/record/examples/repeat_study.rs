//! Makes a large study of a small one, for measurements of what reads it: the trials of its first block, as they were observed, again in
//! each of so many blocks, with other times.
//!
//! `cargo run --release -p numawise-record --example repeat_study FROM.nw TO.nw BLOCKS`

use std::path::PathBuf;

use numawise_facts::{Outcome, Trial};
use numawise_record::Record;
use numawise_units::Nanoseconds;

fn main() {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().expect("FROM.nw TO.nw BLOCKS");
    let (from, to) = (PathBuf::from(word()), PathBuf::from(word()));
    let blocks: u32 = word().parse().expect("a number of blocks");
    let study = Record::open_to_read(&from).and_then(|record| record.study()).expect("a study");
    let first: Vec<&Trial> = study.trials.iter().filter(|trial| trial.block == 1).collect();
    let mut spread = Spread(1);
    let mut trials = Vec::with_capacity(first.len() * blocks as usize);
    for block in 1..=blocks {
        for trial in &first {
            trials.push(again(trial, trials.len() as u32, block, 1.0 + 0.04 * (spread.next() - 0.5)));
        }
    }
    let mut header = study.header.clone();
    header.min_repeats = blocks;
    let mut record = Record::create_with(&to, &header, &trials).expect("the study can be kept");
    record.set_stopped(study.stopped).expect("the end can be kept");
    println!("{} points, {} trials", header.points.len(), trials.len());
}

/// A trial as if it had been run later, and had taken so many times as long.
fn again(trial: &Trial, number: u32, block: u32, slower: f64) -> Trial {
    let mut trial = Trial { number, block, ..trial.clone() };
    trial.started = trial.started + Nanoseconds(u64::from(number) * 50_000_000);
    if let Outcome::Measured { per_task } = &mut trial.outcome {
        per_task.iter_mut().for_each(|value| *value *= slower);
    }
    trial
}

/// Shares from 0 to 1, the same every time.
struct Spread(u64);

impl Spread {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
