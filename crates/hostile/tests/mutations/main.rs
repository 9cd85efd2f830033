//! Mutated inputs for every reader: none may panic, end the process, take much memory, or never come to an end. Each run takes some, by
//! another seed, which it prints; an input that is found becomes a case of its reader's tests. How long inputs take is judged where it is
//! asked for, on all inputs of the fixed seed.
//!
//! ```text
//! cargo test -p numawise-hostile --test mutations                       some inputs of every reader, as `make test` does
//! cargo test -p numawise-hostile --test mutations -- --ignored          all inputs, and their times, as `make test-timing` does
//! cargo test -p numawise-hostile --test mutations -- READER ...         these readers
//! ... -- --seed 7 --inputs 20000                                        this seed, so many inputs for each reader
//! ... -- --repeats READER FILE                                           one input again
//! ```

mod counted;
mod limits;
mod master;
mod worker;

use std::process::ExitCode;

#[global_allocator]
static COUNTED: counted::Counted = counted::Counted;

/// The name of the one test, as listed and as asked for.
const NAME: &str = "mutations";

/// What was asked for.
#[derive(Debug, Default)]
struct Request {
    readers: Vec<String>,
    seed: Option<u64>,
    inputs: Option<u64>,
    /// All inputs, each within a limit of time.
    timing: bool,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--worker", reader, seed, from, end, timing, progress] => {
            worker::run(reader, [seed, from, end], *timing == "timing", progress)
        }
        ["--repeats", reader, file] => worker::repeat(reader, file),
        // What a listing of all tests asks for.
        ["--list", ..] => {
            println!("{NAME}: test");
            ExitCode::SUCCESS
        }
        words => master::run(&request(words)),
    }
}

fn request(words: &[&str]) -> Request {
    let mut request = Request::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut number =
            || words.next().and_then(|text| text.parse().ok()).expect("a number behind the option");
        match *word {
            "--seed" => request.seed = Some(number()),
            "--inputs" => request.inputs = Some(number()),
            "--ignored" => request.timing = true,
            // Other options of the usual test harness mean nothing here; a word is a part of a reader's name.
            word if word.starts_with('-') || word == NAME => {}
            word => request.readers.push(word.to_owned()),
        }
    }
    request
}
