//! Thousands of mutated inputs for every reader, each within a limit of time and of memory.
//!
//! ```text
//! cargo test -p numawise-hostile --test mutations                       every reader, as `make test` does
//! cargo test -p numawise-hostile --test mutations -- READER ...         these readers
//! ... -- --seed 7 --inputs 20000                                        another seed, so many inputs for each reader
//! ... -- --repeat READER FILE                                           one input again
//! ```

mod counted;
mod limits;
mod master;
mod worker;

use std::process::ExitCode;

#[global_allocator]
static COUNTED: counted::Counted = counted::Counted;

/// What was asked for.
#[derive(Debug, Default)]
struct Request {
    readers: Vec<String>,
    seed: u64,
    inputs: Option<u64>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--worker", reader, seed, from, end, progress] => worker::run(reader, [seed, from, end], progress),
        ["--repeat", reader, file] => worker::repeat(reader, file),
        // What a listing of all tests asks for.
        ["--list", ..] => {
            println!("mutations: test");
            ExitCode::SUCCESS
        }
        words => master::run(&request(words)),
    }
}

fn request(words: &[&str]) -> Request {
    let mut request = Request { seed: 1, ..Request::default() };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut number =
            || words.next().and_then(|text| text.parse().ok()).expect("a number behind the option");
        match *word {
            "--seed" => request.seed = number(),
            "--inputs" => request.inputs = Some(number()),
            // Options of the usual test harness mean nothing here; a word is a part of a reader's name.
            word if word.starts_with('-') => {}
            word => request.readers.push(word.to_owned()),
        }
    }
    request
}
