use clap::Parser;

use super::*;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    arguments: Arguments,
}

fn request(line: &str) -> Result<Request, String> {
    let words = std::iter::once("where").chain(line.split_whitespace());
    let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
    Request::new(line.arguments).map_err(|failure| format!("{failure:?}"))
}

fn mode(line: &str) -> Mode {
    request(line).unwrap().mode
}

#[test]
fn one_sample_unless_more_is_asked_for() {
    assert_eq!(mode("1"), Mode::Once);
    assert_eq!(mode("app --interval 0.5"), Mode::Repeat { interval: Nanoseconds(500_000_000), count: 1 });
    assert_eq!(mode("app -n 3"), Mode::Repeat { interval: USUAL, count: 3 });
    assert_eq!(mode("--user me -w"), Mode::Watch { interval: USUAL, fixed: false });
    assert_eq!(mode("--job 7 -w -i 2s"), Mode::Watch { interval: Nanoseconds(2_000_000_000), fixed: true });
}

#[test]
fn mappings_are_listed_when_asked_for_and_in_the_view() {
    let mappings = |line| request(line).unwrap().watch.mappings;
    assert_eq!((mappings("1"), mappings("1 --mappings 7"), mappings("1 -w")), (0, 7, LISTED));
}

#[test]
fn what_cannot_be_is_refused() {
    for (line, expected) in [
        ("1 --interval 0", "too short"),
        ("1 --interval 1ms", "too short"),
        ("1 --interval soon", "is not a span of time"),
        ("1 --interval=-1", "is not a span of time"),
        ("1 --count 0", "would show nothing"),
        ("1 --json --csv", "cannot be used with"),
        ("1 --watch --json", "cannot be used with"),
        ("1 --watch --count 3", "cannot be used with"),
        ("1 --mappings x", "invalid digit"),
    ] {
        let said = request(line).unwrap_err();
        assert!(said.contains(expected), "{line}: {said}");
    }
}
