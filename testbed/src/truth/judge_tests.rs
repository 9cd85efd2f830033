use super::super::told::Effect;
use super::*;

fn case(cases: &str, extra: &str) -> Case {
    let text = format!("name = 'a'\nabout = ''\ncommand = 'x'\nthreads = 4\ncases = ['{cases}']\n{extra}");
    toml::from_str(&text).unwrap()
}

/// Three rounds of each placement with hardly any noise.
fn runs(times: &[(&str, f64)]) -> Vec<HandRun> {
    let run = |placement: &str, round: usize, seconds: f64| HandRun {
        round,
        placement: placement.to_owned(),
        seconds: seconds * (1.0 + 0.001 * round as f64),
        status: 0,
    };
    times.iter().flat_map(|(name, time)| (0..3).map(|round| run(name, round, *time))).collect()
}

fn said(case: &str, to: &str, ratio: f64) -> Told {
    let gain = Gain { ratio, low: ratio * 0.97, high: ratio * 1.03 };
    let sensitive = case == "placed_well_sensitive";
    let from = if sensitive { "node0" } else { AS_IS };
    Told {
        case: case.to_owned(),
        effect: Some(Effect { from: from.to_owned(), to: to.to_owned(), gain }),
        findings: Vec::new(),
        recommended: (!sensitive).then(|| to.to_owned()),
        lines: vec![PrintedLine { tool: "numawise".to_owned(), effect: None, not_measured: None }],
    }
}

const SERIAL: [(&str, f64); 5] =
    [(AS_IS, 1.6), ("interleave", 1.0), ("node0", 1.3), ("remote", 3.0), ("line1-0", 1.02)];

#[test]
fn a_gain_is_right_when_its_interval_holds_the_truth_or_nearly() {
    let serial = runs(&SERIAL);
    let of = |told: &Told| judge(&case("gains", "cures = ['interleave']"), 1, told, &serial);
    assert_eq!(of(&said("gains", "interleave", 1.6)).verdict, Answer::Right);
    assert_eq!(of(&said("gains", "interleave", 1.5)).verdict, Answer::Right, "its upper end is 3 % short");
    let short = of(&said("gains", "interleave", 1.4)).verdict;
    assert!(matches!(short, Answer::Wrong(why) if why.contains("said 1.40x") && why.contains("true 1.60x")));
    let other = judge(&case("not_affected", ""), 1, &said("gains", "interleave", 1.6), &serial).verdict;
    assert_eq!(other, Answer::Wrong("expected not_affected".to_owned()));
}

#[test]
fn a_truth_that_is_not_known_well_leaves_it_open() {
    let mut noisy = runs(&[(AS_IS, 1.6), ("interleave", 1.0)]);
    noisy[0].seconds = 1.0;
    let answer = judge(&case("gains", ""), 1, &said("gains", "interleave", 1.8), &noisy).verdict;
    assert!(matches!(answer, Answer::Open(_)), "{answer:?}");
}

#[test]
fn nothing_to_gain_is_wrong_where_something_is_gained_by_hand() {
    let mut told = said("placed_well_sensitive", "remote", 1.3 / 3.0);
    let answer = judge(&case("placed_well_sensitive", ""), 1, &told, &runs(&SERIAL));
    assert!(
        matches!(&answer.verdict, Answer::Wrong(why) if why.starts_with("interleave brings 1.60x")),
        "{answer:?}"
    );
    assert!(
        matches!(&answer.cure, Answer::Wrong(why) if why.starts_with("interleave is 1.60x")),
        "{answer:?}"
    );
    let well = runs(&[(AS_IS, 1.0), ("node0", 1.3), ("remote", 3.0), ("spread", 0.98)]);
    let right =
        Judgement { verdict: Answer::Right, finding: Answer::Right, cure: Answer::Right, lines: vec![] };
    assert_eq!(judge(&case("placed_well_sensitive", ""), 1, &told, &well), right);
    told.case = "not_affected".to_owned();
    let answer = judge(&case("not_affected", ""), 1, &told, &well).verdict;
    assert!(matches!(answer, Answer::Wrong(why) if why.starts_with("remote memory costs 2.31x")));
}

#[test]
fn the_margin_of_the_check_is_that_of_who_judges_it() {
    let noisy = runs(&[(AS_IS, 1.1), ("node0", 1.0), ("remote", 1.15)]);
    let of = |extra: &str| {
        let told = Told { case: "not_affected".to_owned(), recommended: None, ..said("gains", "node0", 1.1) };
        let Judgement { verdict, cure, .. } = judge(&case("not_affected", extra), 1, &told, &noisy);
        [verdict, cure]
    };
    assert_eq!(of("margin = 20"), [Answer::Right, Answer::Right]);
    assert!(of("").iter().all(|answer| matches!(answer, Answer::Wrong(_))));
}

#[test]
fn findings_must_be_there_and_no_others() {
    let expected = case("gains", "findings = ['NW001']\nmay = ['NW002']");
    let mut told = said("gains", "interleave", 1.6);
    let mut of = |ids: &[&str]| {
        told.findings = ids.iter().map(|id| (*id).to_owned()).collect();
        finding(&expected, &told)
    };
    assert_eq!(of(&["NW001", "NW002"]), Answer::Right);
    assert_eq!(of(&["NW002"]), Answer::Wrong("NW001 is missing".to_owned()));
    assert_eq!(of(&["NW001", "NW008"]), Answer::Wrong("NW008 is not so".to_owned()));
    assert_eq!(of(&["NW001", "NW004"]), Answer::Right);
    let either = self::case("gains", "either = ['NW007', 'NW052']");
    told.findings = vec!["NW052".to_owned()];
    assert_eq!(finding(&either, &told), Answer::Right);
    told.findings.clear();
    assert_eq!(finding(&either, &told), Answer::Wrong("NW007 or NW052 is missing".to_owned()));
}

#[test]
fn the_cure_must_be_the_best_by_hand() {
    let serial = runs(&SERIAL);
    let of = |to: &str, extra: &str| cure(&case("gains", extra), &said("gains", to, 1.6), &serial);
    assert_eq!(of("interleave", "cures = ['interleave']"), Answer::Right);
    assert_eq!(
        of("node0", "cures = ['interleave']"),
        Answer::Wrong("one-node instead of interleave".to_owned())
    );
    assert!(matches!(of("node0", ""), Answer::Wrong(why) if why.starts_with("interleave is 1.30x")));
    assert!(matches!(of("spread", ""), Answer::Open(_)), "it was not run by hand");
}

#[test]
fn each_line_is_held_to_the_effect_beside_it_or_to_its_placement() {
    let mut told = said("gains", "interleave", 1.6);
    let of = |told: &Told, runs: &[HandRun]| -> Vec<Answer> {
        lines(1, told, runs).into_iter().map(|(_, answer)| answer).collect()
    };
    assert_eq!(of(&told, &runs(&SERIAL)), [Answer::Right]);
    told.lines[0].effect = Some(Gain { ratio: 1.3, low: 1.28, high: 1.32 });
    let answers = of(&told, &runs(&SERIAL));
    assert!(matches!(&answers[..], [Answer::Wrong(why)] if why.starts_with("said 1.30x")), "{answers:?}");
    assert_eq!(of(&told, &runs(&SERIAL[..4])), [Answer::Wrong("the line did not run".to_owned())]);
    told.lines[0].effect = None;
    told.lines.push(PrintedLine { tool: "numactl".to_owned(), effect: None, not_measured: None });
    let both = runs(&[&SERIAL[..], &[("line1-1", 1.4)]].concat());
    let answers = of(&told, &both);
    assert!(
        matches!(&answers[..], [Answer::Right, Answer::Wrong(why)] if why.starts_with("said 1.60x")),
        "{answers:?}"
    );
    let mut absent = both.clone();
    absent.iter_mut().filter(|run| run.placement == "line1-1").for_each(|run| run.status = 127);
    assert_eq!(of(&told, &absent), [Answer::Right, Answer::Open("it is not in the guest".to_owned())]);
    told.recommended = None;
    assert_eq!(of(&told, &both), []);
}

#[test]
fn a_line_that_is_printed_as_not_measured_is_no_answer_of_its_own() {
    let mut told = said("gains", "interleave", 1.6);
    told.lines[0].not_measured = Some("no time".to_owned());
    let of = |runs: &[HandRun]| lines(1, &told, runs);
    let stated = |why: &str| vec![("numawise".to_owned(), Answer::NotRun(why.to_owned()))];
    assert_eq!(of(&runs(&SERIAL)), stated("no time; true 1.57x (1.57 to 1.57)"));
    assert_eq!(of(&runs(&SERIAL[..4])), stated("no time"));
}

#[test]
fn lines_of_a_check_are_held_to_its_own_runs() {
    let told = said("gains", "interleave", 1.6);
    let both = runs(&[&SERIAL[..4], &[("line1-0", 1.02), ("line2-0", 3.0)]].concat());
    assert_eq!(lines(1, &told, &both)[0].1, Answer::Right);
    assert!(matches!(&lines(2, &told, &both)[0].1, Answer::Wrong(why) if why.contains("true 0.53x")));
    assert!(matches!(&lines(3, &told, &both)[0].1, Answer::Wrong(why) if why == "the line did not run"));
}

#[test]
fn the_other_node_stands_for_one_that_was_not_run() {
    let told = said("gains", "node1", 1.6 / 1.3);
    assert_eq!(judge(&case("gains", ""), 1, &told, &runs(&SERIAL)).verdict, Answer::Right);
}

#[test]
fn a_gain_that_its_line_does_not_keep_is_a_gain_and_its_cure_stays_open() {
    let told = Told { recommended: None, ..said("gain_not_kept", "interleave", 1.6) };
    let answer = judge(&case("gains", "cures = ['interleave']"), 1, &told, &runs(&SERIAL));
    assert_eq!((answer.verdict, answer.lines), (Answer::Right, vec![]));
    assert!(matches!(answer.cure, Answer::Open(_)));
    let answer = judge(&case("not_affected", ""), 1, &told, &runs(&SERIAL)).verdict;
    assert_eq!(answer, Answer::Wrong("expected not_affected".to_owned()));
}
