use super::*;

fn of(line: &str) -> (String, usize) {
    let (words, notices) = today(line.split(' ').map(OsString::from));
    let words: Vec<_> = words.iter().map(|word| word.to_str().unwrap()).collect();
    (words.join(" "), notices.len())
}

#[test]
fn old_spellings_become_those_of_today_and_are_said() {
    let today = |line: &str| (line.to_owned(), 1);
    assert_eq!(of("numawise study --repeat 3 -- a"), today("numawise study --repeats 3 -- a"));
    assert_eq!(of("numawise study --repeat=3"), today("numawise study --repeats=3"));
    assert_eq!(
        of("numawise snapshot --json a.json -q -- a"),
        today("numawise snapshot --json=a.json -q -- a")
    );
    assert_eq!(of("numawise snapshot --runs 2 -- a"), today("numawise snapshot --repeats 2 -- a"));
}

#[test]
fn what_is_spelled_as_today_or_is_the_programs_stays() {
    for line in [
        "numawise",
        "numawise check --json -- a --json b",
        "numawise snapshot --json -- a",
        "numawise snapshot --json --quiet -- a",
        "numawise objects -- a --json b --repeat 3",
        "numawise study --repeats 3",
        "numawise report a.nw --json b.nw",
    ] {
        assert_eq!(of(line), (line.to_owned(), 0));
    }
}
