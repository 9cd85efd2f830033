use super::*;

const KNOWN: [&str; 5] = ["ranks", "threads", "place", "init", "cpus"];

/// 4 ranks of 2 threads, `place` semi, `init` first-touch, 8 CPUs.
fn look(name: &str) -> Option<Operand> {
    match name {
        "ranks" => Some(Operand::Number(4.0)),
        "threads" => Some(Operand::Number(2.0)),
        "cpus" => Some(Operand::Number(8.0)),
        "place" => Some(Operand::Word("semi".to_owned())),
        "init" => Some(Operand::Word("first-touch".to_owned())),
        _ => None,
    }
}

fn holds(text: &str) -> bool {
    let constraint: Constraint = text.parse().unwrap_or_else(|error| panic!("{error}"));
    constraint.holds(&look, &KNOWN).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn conditions_are_what_they_say() {
    for text in [
        "ranks*threads<=cpus",
        "ranks * threads == cpus",
        "ranks + threads * 3 == 10",
        "(ranks + threads) * 3 == 18",
        "cpus % ranks == 0",
        "cpus - ranks - threads == 2",
        "cpus / ranks / threads == 1",
        "place==semi",
        "semi==place",
        "place=='semi' && init==first-touch",
        "place != \"local\"",
        "!place==local",
        "!(place==semi) || threads-1==1",
        "threads>1 && threads<3 && ranks>=4 && ranks<=4.0",
        "threads==1 || threads==2",
        "(threads==2) == (ranks==4)",
    ] {
        assert!(holds(text), "{text}");
    }
    for text in
        ["place==4", "ranks*threads<cpus", "place==local", "threads>2 || ranks!=4", "!threads==2 && ranks==4"]
    {
        assert!(!holds(text), "{text}");
    }
}

#[test]
fn what_decides_already_leaves_the_rest_alone() {
    assert!(holds("threads==2 || cpus/0==1"));
    assert!(!holds("threads==3 && cpus/0==1"));
}

#[test]
fn broken_conditions_say_where_and_what_was_expected() {
    let error = |text: &str| text.parse::<Constraint>().unwrap_err().to_string();
    assert!(error(" ").contains("empty"));
    assert_eq!(
        error("ranks*"),
        "'ranks*': at 7: found the end, expected a number, a name, a word in quotes, ! or ("
    );
    assert_eq!(error("(ranks"), "'(ranks': at 7: found the end, expected ) or an operator");
    assert_eq!(error("ranks = 4"), "'ranks = 4': at 7: found '=', expected an operator or the end");
    assert_eq!(error("ranks 4"), "'ranks 4': at 7: found '4', expected an operator or the end");
    assert!(error("place=='semi").contains("the closing quote"));
    assert!(error("1.2.3==1").contains("a number"));
    assert!(error("1<=threads<=4").contains("&& between two comparisons"));
    assert!(error(&"(".repeat(1000)).contains("fewer parentheses"));
    assert!(error("ranks < \u{e9}").contains("found '\u{e9}'"));
}

#[test]
fn conditions_without_meaning_say_why() {
    let error =
        |text: &str| text.parse::<Constraint>().unwrap().holds(&look, &KNOWN).unwrap_err().to_string();
    assert_eq!(
        error("rank*threads<=cpus"),
        "'rank*threads<=cpus': 'rank' is neither a factor nor a figure of the machine; there are: ranks, threads, place, init, cpus"
    );
    assert!(error("rank==4").contains("'rank' is neither"));
    assert!(error("ranks").contains("it is the number 4 and not a comparison"));
    assert!(error("place<4").contains("< takes numbers, found the word 'semi'"));
    assert!(error("(ranks==4)==4").contains("a comparison is compared with the number 4"));
    assert!(error("ranks && threads==2").contains("&& takes comparisons on both sides, found the number 4"));
    assert!(error("!ranks").contains("! takes a comparison"));
    assert!(error("cpus/0==1").contains("8 / 0 is no number"));
}

#[test]
fn it_is_shown_as_it_was_typed() {
    assert_eq!("a <= 1".parse::<Constraint>().unwrap().to_string(), "a <= 1");
}
