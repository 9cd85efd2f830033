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
        lines: vec![PrintedLine { tool: "numawise".to_owned(), effect: None, not_measured: false }],
    }
}

const SERIAL: [(&str, f64); 5] =
    [(AS_IS, 1.6), ("interleave", 1.0), ("node0", 1.3), ("remote", 3.0), ("line0", 1.02)];

#[test]
fn a_gain_is_right_when_its_interval_holds_the_truth_or_nearly() {
    let serial = runs(&SERIAL);
    let of = |told: &Told| judge(&case("gains", "cures = ['interleave']"), told, &serial);
    assert_eq!(of(&said("gains", "interleave", 1.6)).verdict, Answer::Right);
    assert_eq!(of(&said("gains", "interleave", 1.5)).verdict, Answer::Right, "its upper end is 3 % short");
    let short = of(&said("gains", "interleave", 1.4)).verdict;
    assert!(matches!(short, Answer::Wrong(why) if why.contains("said 1.40x") && why.contains("true 1.60x")));
    let other = judge(&case("not_affected", ""), &said("gains", "interleave", 1.6), &serial).verdict;
    assert_eq!(other, Answer::Wrong("expected not_affected".to_owned()));
}

#[test]
fn a_truth_that_is_not_known_well_leaves_it_open() {
    let mut noisy = runs(&[(AS_IS, 1.6), ("interleave", 1.0)]);
    noisy[0].seconds = 1.0;
    let answer = judge(&case("gains", ""), &said("gains", "interleave", 1.8), &noisy).verdict;
    assert!(matches!(answer, Answer::Open(_)), "{answer:?}");
}

#[test]
fn nothing_to_gain_is_wrong_where_something_is_gained_by_hand() {
    let mut told = said("placed_well_sensitive", "remote", 1.3 / 3.0);
    let answer = judge(&case("placed_well_sensitive", ""), &told, &runs(&SERIAL));
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
        Judgement { verdict: Answer::Right, finding: Answer::Right, cure: Answer::Right, line: Answer::None };
    assert_eq!(judge(&case("placed_well_sensitive", ""), &told, &well), right);
    told.case = "not_affected".to_owned();
    let answer = judge(&case("not_affected", ""), &told, &well).verdict;
    assert!(matches!(answer, Answer::Wrong(why) if why.starts_with("remote memory costs 2.31x")));
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
fn the_line_is_held_to_the_effect_beside_it_or_to_its_placement() {
    let mut told = said("gains", "interleave", 1.6);
    assert_eq!(lines(&told, &runs(&SERIAL)), Answer::Right);
    told.lines[0].effect = Some(Gain { ratio: 1.3, low: 1.28, high: 1.32 });
    assert!(
        matches!(lines(&told, &runs(&SERIAL)), Answer::Wrong(why) if why.starts_with("numawise: said 1.30x"))
    );
    assert_eq!(lines(&told, &runs(&SERIAL[..4])), Answer::Wrong("numawise: the line did not run".to_owned()));
    told.lines[0] = PrintedLine { effect: None, not_measured: true, ..told.lines[0].clone() };
    assert!(
        matches!(lines(&told, &runs(&SERIAL)), Answer::Open(why) if why.contains("no effect stands beside it"))
    );
    told.lines[0].not_measured = false;
    told.lines.push(PrintedLine { tool: "numactl".to_owned(), effect: None, not_measured: false });
    let both = runs(&[&SERIAL[..], &[("line1", 1.4)]].concat());
    assert!(matches!(lines(&told, &both), Answer::Wrong(why) if why.starts_with("numactl: said 1.60x")));
    let mut absent = both.clone();
    absent.iter_mut().filter(|run| run.placement == "line1").for_each(|run| run.status = 127);
    assert!(matches!(lines(&told, &absent), Answer::Open(why) if why == "numactl: it is not in the guest"));
    told.recommended = None;
    assert_eq!(lines(&told, &both), Answer::None);
}

#[test]
fn the_other_node_stands_for_one_that_was_not_run() {
    let told = said("gains", "node1", 1.6 / 1.3);
    assert_eq!(judge(&case("gains", ""), &told, &runs(&SERIAL)).verdict, Answer::Right);
}

#[test]
fn a_gain_that_its_line_does_not_keep_is_a_gain_and_its_cure_stays_open() {
    let told = Told { recommended: None, ..said("gain_not_kept", "interleave", 1.6) };
    let answer = judge(&case("gains", "cures = ['interleave']"), &told, &runs(&SERIAL));
    assert_eq!((answer.verdict, answer.line), (Answer::Right, Answer::None));
    assert!(matches!(answer.cure, Answer::Open(_)));
    let answer = judge(&case("not_affected", ""), &told, &runs(&SERIAL)).verdict;
    assert_eq!(answer, Answer::Wrong("expected not_affected".to_owned()));
}
