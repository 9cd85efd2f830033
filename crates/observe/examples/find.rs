//! Says which processes somebody means: `find pid N | below N | name X | user N | job X`.

use numawise_observe::{ProcessRequest, Roots, find};
use numawise_units::Pid;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = || words[1].parse().expect("a number");
    let wanted = match words[0].as_str() {
        "pid" => ProcessRequest::Pid(Pid(number())),
        "below" => ProcessRequest::Descendants(Pid(number())),
        "name" => ProcessRequest::Name(words[1].clone()),
        "user" => ProcessRequest::User(words[1].parse().expect("a number")),
        "job" => ProcessRequest::Job(words[1].clone()),
        other => panic!("no way to look for '{other}'"),
    };
    match find(&Roots::default(), &wanted) {
        Ok(found) => println!("{found:?}"),
        Err(error) => println!("{error}"),
    }
}
