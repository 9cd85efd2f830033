use super::*;

fn wrong() -> Answer {
    Answer::Wrong("why".to_owned())
}

fn not_run() -> Answer {
    Answer::NotRun("no time".to_owned())
}

#[test]
fn a_cell_is_one_mark_or_counts() {
    assert_eq!(cell(&[]), "");
    assert_eq!(cell(&[&Answer::Right, &Answer::Right]), "yes");
    assert_eq!(cell(&[&not_run()]), "not run");
    let open = Answer::Open(String::new());
    assert_eq!(
        cell(&[&not_run(), &Answer::Right, &wrong(), &open, &Answer::Right]),
        "2 yes, 1 **no**, 1 ?, 1 not run"
    );
}

#[test]
fn every_printed_line_counts_and_those_that_were_not_run_count_apart() {
    let case: Case =
        toml::from_str("name = 'a'\nabout = ''\ncommand = 'x'\nthreads = 4\ncases = ['gains']").unwrap();
    let kept = Kept {
        name: "a".to_owned(),
        hand: Vec::new(),
        checks: Vec::new(),
        spoiled: None,
        host: String::new(),
        seconds: 0.0,
        setup: String::new(),
    };
    let row = |lines: Vec<Answer>| Row {
        case: &case,
        kept: &kept,
        seed: 1,
        told: None,
        judgement: Judgement {
            verdict: Answer::Right,
            finding: wrong(),
            cure: Answer::Right,
            lines: lines.into_iter().map(|answer| ("numactl".to_owned(), answer)).collect(),
        },
    };
    let rows = [row(vec![Answer::Right, not_run()]), row(vec![]), row(vec![wrong(), Answer::Right])];
    let text = totals(&rows);
    assert!(text.contains("| verdict | 3 of 3 | 0 | 0 | 0 |\n| finding | 0 of 3 | 3 | 0 | 0 |\n"), "{text}");
    assert!(text.contains("| line | 2 of 4 | 1 | 0 | 1 |\n"), "{text}");
    assert!(super::wrong(&rows).contains("- a, line of numactl: no time\n"));
}
