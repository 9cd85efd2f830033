//! Checks as people and scripts see them.

use crate::sample;
use numawise_facts::notice::{NotTriedReason, PlacementGroup, StudyNotice};
use numawise_facts::{
    ContrastRole, Effect, Metric, MetricProblem, PointId, PointPair, PointRole, Reading, StopReason,
    StudyHeader,
};
use numawise_report::check;
use numawise_report::document::{self, Style};
use numawise_tables::{MoreRepeats, PlacedWell};
use numawise_units::{Bytes, Ratio};

/// Blanks and line breaks do not matter.
fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn terminal_snapshots() {
    for sample in sample::all() {
        if sample.name == "large" {
            continue;
        }
        let text = document::terminal(&check::document(&sample.check()), Style::plain());
        insta::assert_snapshot!(format!("terminal-{}", sample.name), text);
    }
}

#[test]
fn json_snapshots() {
    for sample in sample::all() {
        if ["affected", "failed", "nothing-available"].contains(&sample.name) {
            let mut value: serde_json::Value = serde_json::from_str(&check::json(&sample.check())).unwrap();
            // A few trials show what a trial looks like.
            value["trials"].as_array_mut().unwrap().truncate(5);
            let text = serde_json::to_string_pretty(&value).unwrap();
            insta::assert_snapshot!(format!("json-{}", sample.name), text);
        }
    }
}

#[test]
fn a_narrow_terminal_without_unicode_and_with_colours() {
    let sample = &sample::all()[0];
    let style = Style { colour: false, unicode: false, width: 72 };
    let narrow = document::terminal(&check::document(&sample.check()), style);
    insta::assert_snapshot!("terminal-narrow", narrow);
    assert!(narrow.is_ascii());
    let colour = document::terminal(&check::document(&sample.check()), Style { colour: true, ..style });
    let mut plain = String::new();
    let mut rest = colour.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain += before;
        rest = after.split_once('m').unwrap().1;
    }
    assert_eq!(plain + rest, narrow, "colours change nothing but colours");
    assert!(colour.contains("\u{1b}[1;35mGAINS\u{1b}[0m"));
}

#[test]
fn lines_are_as_long_as_the_terminal_is_wide() {
    for sample in sample::all() {
        for width in [72, 80, 96, 110] {
            let text =
                document::terminal(&check::document(&sample.check()), Style { width, ..Style::plain() });
            // Commands are not broken, nor words that are longer than a line, nor a program's output.
            let (before, rest) = text.split_once("\nUse from now on\n").unwrap();
            let after = rest.split_once("\nLimits on this machine").map_or("", |(_, after)| after);
            let free = |line: &&str| {
                line.contains("onerror") || line.contains("owned") || line.starts_with("    | ")
            };
            let long = before
                .lines()
                .chain(after.lines())
                .filter(|line| !free(line))
                .find(|line| line.chars().count() > width);
            assert_eq!(long, None, "{} at {width}", sample.name);
        }
    }
}

#[test]
fn the_same_findings_in_the_same_words_everywhere() {
    let mut looked_at = 0;
    for sample in sample::all() {
        let check = sample.check();
        let terminal = normal(&document::terminal(&check::document(&check), Style::plain()));
        let json: serde_json::Value = serde_json::from_str(&check::json(&check)).unwrap();
        let html = document::html(&check::document(&check));
        let mut said: Vec<String> = Vec::new();
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        said.push(text(&json["text"]));
        for finding in json["findings"].as_array().unwrap() {
            said.extend([text(&finding["id"]), text(&finding["title"])]);
            let sentences = ["evidence", "advice"].map(|key| finding[key].as_array().unwrap());
            said.extend(sentences.into_iter().flatten().map(|one| text(&one["text"])));
        }
        for key in ["caveats", "unavailable", "not_tried"] {
            for notice in json[key].as_array().unwrap() {
                assert!(text(&notice["code"]).starts_with("NW5"), "{notice}");
                said.push(text(&notice["text"]));
            }
        }
        said.extend(check.analysis.findings.iter().map(|finding| finding.cost.to_string()));
        said.extend(json["expected"]["text"].as_str().map(str::to_owned));
        said.extend(check.from_now_on.comments.iter().cloned());
        said.push(check.from_now_on.line.clone());
        said.extend(check.from_now_on.equivalents.iter().map(|(_, line)| line.clone()));
        for text in said {
            let shown = text.replace(['\u{1b}', '\u{7}', '\u{202e}'], "\u{fffd}");
            assert!(terminal.contains(&normal(&shown)), "terminal of {}: {text}", sample.name);
            let escaped =
                shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
            assert!(html.contains(&escaped), "HTML of {}: {text}", sample.name);
            looked_at += 1;
        }
    }
    assert!(looked_at > 50);
}

#[test]
fn the_fields_that_scripts_rely_on() {
    for sample in sample::all() {
        let check = sample.check();
        let json: serde_json::Value = serde_json::from_str(&check::json(&check)).unwrap();
        assert_eq!(json["schema"], "numawise/check/1");
        let verdict = json["verdict"].as_str().unwrap();
        assert!(["affected", "not affected", "undecided"].contains(&verdict));
        let effect = &json["effect"];
        let measured = ["ratio", "low", "high"].iter().all(|key| effect[key].is_f64());
        assert!(measured != effect["unavailable"].is_string(), "{effect}");
        assert_eq!(json["trials"].as_array().unwrap().len(), check.study.trials.len());
        for (trial, row) in check.study.trials.iter().zip(json["trials"].as_array().unwrap()) {
            assert_eq!(row["value"].as_f64(), check.study.header.value(trial));
            assert_eq!(row["wall_ns"], trial.wall.0);
            assert_eq!(row["point"], trial.point.0);
        }
        for key in ["findings", "points", "contrasts", "limits", "caveats", "unavailable", "not_tried"] {
            assert!(json[key].is_array(), "{key}");
        }
        assert!(json["use"]["line"].is_string());
        assert!(json["seed"].is_u64() && json["budget_ns"].is_u64());
    }
}

/// A line to use from now on without a finding that says why would be a riddle.
#[test]
fn what_is_recommended_is_the_cure_of_a_finding() {
    let mut recommended = 0;
    for sample in sample::all() {
        let Some(point) = &sample.analysis.recommended else { continue };
        let request = &sample.study.header.point(point).unwrap().request;
        let mut cures = sample.analysis.findings.iter().filter_map(|finding| finding.cure.as_ref());
        assert!(cures.any(|cure| cure == request), "{}", sample.name);
        let text = document::terminal(&check::document(&sample.check()), Style::plain());
        assert!(!normal(&text).contains("Findings none"), "{text}");
        recommended += 1;
    }
    assert!(recommended > 1);
}

/// What is to be done stands in the order of what it brought, where it was tried.
#[test]
fn advice_is_ordered_by_what_it_brought() {
    for sample in sample::all() {
        for finding in &sample.analysis.findings {
            let brought: Vec<f64> =
                finding.advice.iter().filter_map(|step| Some(step.brought.measured()?.ratio.0)).collect();
            assert!(brought.is_sorted_by(|a, b| a >= b), "{}: {brought:?}", sample.name);
        }
    }
}

/// Every key is described, so that nobody has to guess.
#[test]
fn the_description_names_every_key() {
    let document = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats/check-json.md");
    let document = std::fs::read_to_string(document).unwrap();
    let mut keys = std::collections::BTreeSet::new();
    for sample in sample::all() {
        let json: serde_json::Value = serde_json::from_str(&check::json(&sample.check())).unwrap();
        collect(&json, &mut keys);
    }
    assert!(keys.len() > 60);
    let missing: Vec<_> = keys.iter().filter(|key| !document.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "not in docs/formats/check-json.md: {missing:?}");
}

fn collect(value: &serde_json::Value, keys: &mut std::collections::BTreeSet<String>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                keys.insert(key.clone());
                // The arguments of a notice are described with its code.
                if key != "arguments" {
                    collect(value, keys);
                }
            }
        }
        serde_json::Value::Array(list) => list.iter().for_each(|value| collect(value, keys)),
        _ => {}
    }
}

#[test]
fn nothing_from_outside_becomes_markup() {
    for sample in sample::all() {
        let page = document::html(&check::document(&sample.check()));
        assert_eq!(page.matches("<script").count(), 3, "{}", sample.name);
        assert_eq!(page.matches("</script").count(), 3, "{}", sample.name);
        assert_eq!(page.matches("<img").count(), 0, "{}", sample.name);
        for forbidden in ["src=", "href=", "url(", "@import", "<link", "<iframe", "<object", "<embed"] {
            let (before_library, rest) = page.split_once("<script>").unwrap();
            let (_, after_library) = rest.split_once("</script>").unwrap();
            // Texts that look so are escaped; "src=x" of the hostile sample has no meaning outside a tag.
            let plain = |text: &str| text.replace("src=x", "").replace("\\u003cimg", "");
            assert!(!plain(before_library).contains(forbidden), "{}: {forbidden}", sample.name);
            assert!(!plain(after_library).contains(forbidden), "{}: {forbidden}", sample.name);
        }
        assert!(page.contains("default-src 'none'"));
        assert!(page.len() <= 1_500_000, "{}: {} bytes", sample.name, page.len());
    }
}

#[test]
fn the_data_of_the_charts_can_be_read_again() {
    for sample in sample::all() {
        let page = document::html(&check::document(&sample.check()));
        let (_, rest) = page.split_once("id=\"data\"").unwrap();
        let (_, rest) = rest.split_once('>').unwrap();
        let (data, _) = rest.split_once("</script>").unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        let trials = data["trials"].as_array().unwrap();
        assert_eq!(trials.len(), sample.study.trials.len().min(4000));
        if let Some(k) = sample.study.trials.iter().position(|trial| !trial.disturbances.is_empty()) {
            assert_eq!((&trials[k][0], &trials[k][4]), (&k.into(), &1.into()));
        }
        let name = sample.study.header.points[1].id.0.replace(['\u{1b}', '\u{7}', '\u{202e}'], "\u{fffd}");
        assert_eq!(data["points"][1].as_str().unwrap().replace(['\u{1b}', '\u{7}'], "\u{fffd}"), name);
    }
}

/// The verdict's sentence of a sample after a change.
fn sentence(mut sample: sample::Sample, change: impl FnOnce(&mut sample::Sample)) -> String {
    change(&mut sample);
    let json: serde_json::Value = serde_json::from_str(&check::json(&sample.check())).unwrap();
    json["text"].as_str().unwrap().to_owned()
}

fn named(name: &str) -> sample::Sample {
    sample::all().into_iter().find(|sample| sample.name == name).unwrap()
}

#[test]
fn the_verdict_says_what_its_values_say() {
    let placed_well = |s: &mut sample::Sample| s.analysis.verdict.placed_well = PlacedWell::Yes;
    let text = sentence(named("affected"), placed_well);
    assert!(
        text.starts_with("The program is placed well as it is: nothing that was tried is faster"),
        "{text}"
    );
    assert!(text.contains("Placement matters here"), "{text}");
    let slight = |s: &mut sample::Sample| s.analysis.verdict.slight = true;
    assert!(sentence(named("one-node"), slight).contains("matters a little here"));
    let worse = sentence(named("affected"), |s| {
        let verdict = &mut s.analysis.verdict;
        (verdict.from, verdict.to) = ("one-node".into(), "remote".into());
        verdict.effect = verdict.effect.clone().map(|effect| effect.inverse());
    });
    let start = "Placement matters here: one-node (CPUs and memory of node 0, 4 threads) is 1.87x";
    assert!(worse.starts_with(start), "a loss is said from its better end: {worse}");
    let text = sentence(named("not-affected"), |_| ());
    assert!(text.contains("no placement that was tried differs by more than 3.0 %"), "{text}");
    for (more, part) in [
        (MoreRepeats::About(120), "about 120 more repeats would decide"),
        (MoreRepeats::AFew, "a few more repeats may decide"),
        (MoreRepeats::OutOfReach, "will not decide"),
    ] {
        let text = sentence(named("undecided"), |s| s.analysis.verdict.more_repeats = Some(more));
        assert!(text.starts_with("It is not decided yet") && text.contains(part), "{text}");
    }
    let few = |repeats: u32| {
        move |s: &mut sample::Sample| {
            s.analysis.contrasts.iter_mut().for_each(|contrast| contrast.repeats = repeats);
            s.analysis.stopped = Some(StopReason::BudgetSpent);
        }
    };
    let two = sentence(named("undecided"), few(2));
    assert_eq!(
        normal(&two),
        "It is not decided yet whether placement matters: 2 repeats of os and interleave could be compared, and fewer than 5 decide \
         nothing; give it more time (--budget), and the same command goes on from here."
    );
    assert!(sentence(named("undecided"), few(0)).contains("no repeat of os and interleave"));
    let mut two = named("undecided");
    few(2)(&mut two);
    assert_first_line(&two.check(), "cannot_tell", "CANNOT TELL YET");
    let alone = sentence(named("not-affected"), |s| {
        s.study.header.pairs.clear();
        s.study.header.not_tried = vec![StudyNotice::OneCpu.into()];
    });
    assert!(alone.starts_with("Placement cannot matter here: pinning: there is only one CPU"), "{alone}");
}

fn assert_first_line(check: &check::Check, case: &str, line: &str) {
    let wide = Style { width: 120, ..Style::plain() };
    let text = document::terminal(&check::document(check), wide);
    assert_eq!(text.lines().find(|line| !line.is_empty()), Some(line));
    let json: serde_json::Value = serde_json::from_str(&check::json(check)).unwrap();
    assert_eq!(json["case"], case);
    let headline = json["headline"].as_str().unwrap().to_uppercase();
    assert_eq!(headline, line.replacen("  ", "; ", 1).to_uppercase());
}

/// What makes another case of a sample.
type Change<'a> = &'a dyn Fn(&mut sample::Sample);

/// The first line of the terminal, and of the JSON, is the user's own case.
#[test]
fn the_first_line_is_the_case_of_who_asked() {
    let remote = |s: &mut sample::Sample| {
        let verdict = &mut s.analysis.verdict;
        (verdict.from, verdict.to) = ("one-node".into(), "remote".into());
        verdict.effect = verdict.effect.clone().map(|effect| effect.inverse());
        verdict.placed_well = PlacedWell::Yes;
    };
    let open = |s: &mut sample::Sample| {
        remote(s);
        s.analysis.verdict.placed_well = PlacedWell::NotDecided { points: vec!["interleave".into()] };
    };
    let rate = |s: &mut sample::Sample| {
        remote(s);
        s.study.header.metric = Metric::Output { regex: "r: (.*)".to_owned(), higher_is_better: true };
    };
    let pinned = |s: &mut sample::Sample| {
        remote(s);
        (s.analysis.verdict.to, s.analysis.verdict.slight) = ("pinned".into(), true);
    };
    let well = |s: &mut sample::Sample| s.analysis.verdict.placed_well = PlacedWell::Yes;
    let cases: [(&str, Change, &str, &str); 9] = [
        ("affected", &|_| (), "gains", "GAINS  1.87x (95 % interval 1.82x to 1.92x) by interleave vs os"),
        (
            "affected",
            &remote,
            "placed_well_sensitive",
            "PLACED WELL  sensitive: would take 1.87x (95 % interval 1.82x to 1.92x) as long on remote memory",
        ),
        (
            "affected",
            &open,
            "sensitive",
            "SENSITIVE  would take 1.87x (95 % interval 1.82x to 1.92x) as long on remote memory",
        ),
        (
            "affected",
            &rate,
            "placed_well_sensitive",
            "PLACED WELL  sensitive: would be 0.54x (95 % interval 0.52x to 0.55x) as fast on remote memory",
        ),
        (
            "affected",
            &pinned,
            "placed_well_sensitive",
            "PLACED WELL  a little sensitive: would take 1.87x (95 % interval 1.82x to 1.92x) as long at pinned",
        ),
        (
            "not-affected",
            &|_| (),
            "not_affected",
            "NOT AFFECTED  0.996x (95 % interval 0.988x to 1.005x): interleave vs os",
        ),
        (
            "undecided",
            &|_| (),
            "cannot_tell",
            "CANNOT TELL YET  1.040x (95 % interval 0.84x to 1.29x): interleave vs os",
        ),
        (
            "undecided",
            &|s| s.analysis.verdict.more_repeats = Some(MoreRepeats::OutOfReach),
            "cannot_tell",
            "CANNOT TELL  1.040x (95 % interval 0.84x to 1.29x): interleave vs os",
        ),
        (
            "undecided",
            &well,
            "placed_well",
            "PLACED WELL  1.040x (95 % interval 0.84x to 1.29x): interleave vs os",
        ),
    ];
    for (name, change, case, line) in cases {
        let mut sample = named(name);
        change(&mut sample);
        assert_first_line(&sample.check(), case, line);
    }
}

/// One node is near to a GPU, and a point on node 1 is far from it.
fn near_a_gpu(sample: &mut sample::Sample) {
    let header = &mut sample.study.header;
    let point = |header: &StudyHeader, id: &str| {
        header.points.iter().position(|point| point.id.0 == id).expect("the sample has it")
    };
    let near = point(header, "one-node");
    let mut far = header.points[near].clone();
    (far.id, far.role, far.levels.placement.nodes) = ("far".into(), PointRole::Diagnosis, "1".parse().ok());
    for id in ["one-node", "remote"] {
        let at = point(header, id);
        header.points[at].levels.placement.near = "gpu:0".parse().ok();
    }
    for (shown, point) in sample.analysis.points.iter_mut().zip(&header.points) {
        shown.levels.clone_from(&point.levels);
    }
    header.points.push(far);
    let (from, to) = (PointId::from("one-node"), PointId::from("far"));
    header.pairs.push(PointPair { from, to, role: ContrastRole::BothWays });
}

#[test]
fn what_being_near_to_a_device_is_worth_is_said() {
    let row = |sample: &sample::Sample| {
        let text = normal(&document::terminal(&check::document(&sample.check()), Style::plain()));
        text.split_once("Near a device ").map(|(_, row)| row.to_owned())
    };
    let says = |sample: &sample::Sample, begin: &str| row(sample).is_some_and(|row| row.starts_with(begin));
    let mut sample = named("affected");
    assert_eq!(row(&sample), None, "nobody asked");
    near_a_gpu(&mut sample);
    let not_compared = "near gpu:0 (node 0) could not be compared with far from it (node 1)";
    assert!(says(&sample, not_compared), "{:?}", row(&sample));
    let effect = Effect { ratio: Ratio(0.8), low: Ratio(0.75), high: Ratio(0.85) };
    let mut contrast = sample.analysis.contrasts[0].clone();
    (contrast.from, contrast.to, contrast.effect) =
        ("one-node".into(), "far".into(), Reading::Measured(effect));
    sample.analysis.contrasts.push(contrast);
    let worth = "near gpu:0 (node 0) is 1.25x (95 % interval 1.18x to 1.33x) as fast as far from it (node 1)";
    assert!(says(&sample, worth), "{:?}", row(&sample));
    let verdict = &mut sample.analysis.verdict;
    (verdict.from, verdict.to, verdict.placed_well) = ("one-node".into(), "far".into(), PlacedWell::Yes);
    verdict.effect = Reading::Measured(effect);
    let line =
        "PLACED WELL  sensitive: would take 1.25x (95 % interval 1.18x to 1.33x) as long far from gpu:0";
    assert_first_line(&sample.check(), "placed_well_sensitive", line);
    sample.study.header.pairs.pop();
    let none = "near gpu:0 (node 0), not compared with a node far from it";
    assert!(says(&sample, none), "{:?}", row(&sample));
    let json: serde_json::Value = serde_json::from_str(&check::json(&sample.check())).unwrap();
    let levels = &json["points"][1]["levels"]["placement"];
    assert_eq!(
        (&levels["near"], &json["points"][0]["levels"]["placement"]["near"]),
        (&"gpu:0".into(), &serde_json::Value::Null)
    );
    assert_eq!(json["points"][1]["title"], "CPUs and memory of node 0, 4 threads, near gpu:0");
}

#[test]
fn memory_of_another_node_is_said_in_a_sentence() {
    let sample = named("affected");
    let json: serde_json::Value = serde_json::from_str(&check::json(&sample.check())).unwrap();
    assert_eq!(
        json["expected"]["text"],
        "measured on this machine: to CPUs of node 0 the memory of node 1 takes 1.75x as long to answer as local memory and \
         gives 0.44x the bandwidth of local memory; with all its memory there a program could take at most 1.75x as long if it \
         is bound by latency, and 2.25x if it is bound by bandwidth; seen: 1.59x"
    );
}

#[test]
fn notices_of_a_study_are_sentences_with_their_values() {
    let not_tried = |placements, reason| StudyNotice::NotTried { placements, reason };
    let does_not_fit = NotTriedReason::DoesNotFit {
        needs: Bytes::mib(190),
        nodes: "2-3".parse().unwrap(),
        capacity: Bytes::mib(180),
    };
    let only = NotTriedReason::OnlyMemoryOf { nodes: "0".parse().unwrap() };
    let one = || "one-node".into();
    for (notice, text) in [
        (
            not_tried(PlacementGroup::HighBandwidthMemory, does_not_fit),
            "HBM: the program needs 190 MiB, and nodes 2-3 can take 180 MiB",
        ),
        (
            not_tried(PlacementGroup::InterleavedAndRemote, only),
            "interleaved and remote memory: only node 0 may give us memory",
        ),
        (
            not_tried(
                PlacementGroup::CopyPerNode,
                NotTriedReason::FewerThreadsThanNodes { threads: 1, nodes: 2 },
            ),
            "one copy on each node: 1 thread for 2 nodes",
        ),
        (
            StudyNotice::DisturbedCounted { trials: 12 },
            "12 trials were disturbed by other load and used all the same: too few were not disturbed",
        ),
        (
            StudyNotice::ThreadCountMismatch { point: one(), ran: 5, planned: 4, in_command: true },
            "one-node: the program ran 5 threads at once where its command asks for 4 ({threads})",
        ),
        (
            StudyNotice::ThreadCountMismatch { point: one(), ran: 5, planned: 4, in_command: false },
            "one-node: the program ran 5 threads where 4 were asked for (OMP_NUM_THREADS); if it takes their number as an \
             argument, write {threads} there",
        ),
        (
            StudyNotice::NoMetric { point: one(), problem: MetricProblem::NoMatch },
            "point one-node: --metric matches nothing in the program's output (stdout and stderr)",
        ),
        (
            StudyNotice::PointGivenUp { point: one(), failures: 3 },
            "one-node failed 3 times in a row and is given up",
        ),
        (
            StudyNotice::RanLess { point: one(), ran: 1, baseline: 5 },
            "one-node was dropped on the way, since the time given was too short for it (--budget): it ran once, and the operating \
             system's placement 5 times",
        ),
        (
            StudyNotice::Drifted {
                point: "os".into(),
                effect: Effect { ratio: Ratio(0.8), low: Ratio(0.75), high: Ratio(0.9) },
                repeats: 9,
            },
            "runs of os became 1.25x (95 % interval 1.11x to 1.33x) slower in the course of its 9 repeats: the machine became slower \
             (warm, or others use it), or the program leaves behind what slows it down; each block compares runs side by side, so \
             that the effects hold",
        ),
    ] {
        assert_eq!(numawise_report::notice::text(&notice.into()), text);
    }
}

#[test]
fn reasons_stand_below_the_marks_of_either_face() {
    let mut sample = named("affected");
    let why = "no block has both of them";
    sample.analysis.contrasts[4].effect = Reading::unavailable(why);
    sample.study.header.machine.nodes[0].distances = Reading::unavailable("the firmware has no table");
    let document = check::document(&sample.check());
    let terminal = document::terminal(&document, Style::plain());
    assert!(terminal.lines().any(|line| line.starts_with("  remote") && line.contains("[1]")), "{terminal}");
    let (_, reasons) = terminal.split_once("\nWhy figures are unavailable\n").unwrap();
    assert!(reasons.starts_with(&format!("  [1] {why}\n\n  Record")), "{reasons}");
    // The distances are in the page only.
    let page = document::html(&document);
    let (_, reasons) = page.split_once("Why figures are unavailable").unwrap();
    assert!(reasons.contains(why) && reasons.contains("the firmware has no table"));
}

#[test]
fn a_machine_with_one_node_has_no_picture_of_nodes() {
    let mut sample = named("affected");
    let shown = |sample: &sample::Sample| {
        document::html(&check::document(&sample.check())).contains("Where memory and CPU time were")
    };
    assert!(shown(&sample));
    sample.study.header.machine.nodes.truncate(1);
    assert!(!shown(&sample));
}
