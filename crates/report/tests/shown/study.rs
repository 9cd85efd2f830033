//! The page of a study: what it draws is what the JSON says, and it stays small.

use crate::sample::grid;
use numawise_facts::{Effect, Metric, Outcome, Reading, Study};
use numawise_report::document::{self, Document};
use numawise_report::study::{self, ShownStudy};
use numawise_tables::{GridRow, GridTables};
use numawise_units::Ratio;
use serde_json::Value;

/// A study with all that is said of it.
struct Page {
    document: Document,
    html: String,
    json: Value,
    study: Study,
}

fn page_of(study: Study, tables: &GridTables) -> Page {
    let shown = ShownStudy { study: &study, tables, record: "app.study.nw" };
    let document = study::document(&shown);
    let html = document::html(&document);
    let json = serde_json::from_str(&study::json(&shown)).unwrap();
    Page { document, html, json, study }
}

fn page(study: Study) -> Page {
    let tables = numawise_analyse::grid(&study).unwrap();
    page_of(study, &tables)
}

impl Page {
    fn data(&self) -> &Value {
        &self.document.charts.as_ref().unwrap().data
    }

    /// A point of the JSON.
    fn point(&self, name: &str) -> &Value {
        let mut points = self.json["points"].as_array().unwrap().iter();
        points.find(|point| point["point"] == name).unwrap_or_else(|| panic!("no point {name}"))
    }

    /// A file in the page, as a browser would save it.
    fn download(&self, name: &str) -> String {
        let (before, _) = self.html.split_once(&format!("\" download=\"{name}\"")).unwrap();
        let (_, coded) = before.rsplit_once("data:text/csv;charset=utf-8,").unwrap();
        let mut bytes = Vec::new();
        let mut rest = coded.bytes();
        while let Some(byte) = rest.next() {
            if byte == b'%' {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
            } else {
                bytes.push(byte);
            }
        }
        String::from_utf8(bytes).unwrap()
    }

    #[track_caller]
    fn says(&self, text: &str) {
        assert!(self.html.contains(text), "'{text}' is not in the page");
    }
}

#[track_caller]
fn is_close(found: &Value, expected: &Value) {
    let (found, expected) = (found.as_f64().unwrap(), expected.as_f64().unwrap());
    assert!((found / expected - 1.0).abs() < 1e-4, "{found}, expected {expected}");
}

#[test]
fn curves_are_the_speedups_and_efficiencies_of_the_json() {
    let page = page(grid::scaling());
    let curves = &page.data()["curves"];
    assert_eq!((&curves["along"], &curves["measure"]), (&"threads".into(), &"speedup".into()));
    assert_eq!((&curves["geometric"], &curves["first_workers"]), (&true.into(), &1.0.into()));
    let lines = curves["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 2);
    for line in lines {
        let name = line["name"].as_str().unwrap();
        let points = line["points"].as_array().unwrap();
        assert_eq!(points.len(), 6);
        for drawn in points {
            let threads = drawn[0].as_f64().unwrap();
            let of = page.point(&format!("{name} threads={threads}"));
            for (k, figure) in ["ratio", "low", "high"].iter().enumerate() {
                is_close(&drawn[1 + k], &of["speedup"][figure]);
                is_close(&drawn[4 + k], &of["efficiency"][figure]);
            }
            assert_eq!(drawn[7], of["n"]);
        }
    }
    page.says("id=\"chart-curves\"");
    page.says("id=\"chart-efficiency\"");
    page.says("12 points of the curves as a table");
}

#[test]
fn a_law_is_drawn_where_it_fits_and_goes_through_the_points() {
    let page = page(grid::scaling());
    let lines = page.data()["curves"]["lines"].as_array().unwrap();
    let law = &lines[0]["law"];
    assert_eq!(law["name"], "Amdahl's law");
    let points = law["points"].as_array().unwrap();
    let (first, last) = (&points[0], &points[points.len() - 1]);
    assert_eq!((first[0].as_f64(), last[0].as_f64()), (Some(1.0), Some(32.0)));
    let expected = grid::amdahl(0.05, 1.0) / grid::amdahl(0.05, 32.0);
    let found = last[1].as_f64().unwrap() / first[1].as_f64().unwrap();
    assert!((found / expected - 1.0).abs() < 0.03, "{found}, expected {expected}");
    assert!((first[1].as_f64().unwrap() - 1.0).abs() < 0.02, "{first}");
    assert_eq!(lines[1]["law"], Value::Null, "a cliff is no law");
}

#[test]
fn ranks_by_threads_share_the_axis_of_all_workers() {
    let page = page(grid::hybrid());
    let curves = &page.data()["curves"];
    assert_eq!(curves["along"], "threads of all processes");
    let lines = curves["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 8, "ten combinations have two points at least, and eight have a colour");
    assert!(lines.iter().any(|line| line["name"] == "threads=1 pin=off"), "that of the baseline: {curves}");
    page.says("2 more are in the table of points");
}

#[test]
fn other_numbers_are_drawn_with_the_median_and_no_ideal() {
    let page = page(grid::parameter());
    let curves = &page.data()["curves"];
    assert_eq!((&curves["along"], &curves["measure"]), (&"block".into(), &"metric".into()));
    assert_eq!(curves["first_workers"], Value::Null);
    let drawn = &curves["lines"][1]["points"][2];
    let of = &page.point("block=24 pin=on")["metrics"]["wall_time"];
    is_close(&drawn[1], &of["median"]);
    is_close(&drawn[2], &of["low"]);
    is_close(&drawn[3], &of["high"]);
    assert_eq!(drawn[4], Value::Null, "there is no efficiency");
    assert!(!page.html.contains("id=\"chart-efficiency\""));
}

#[test]
fn a_map_has_a_cell_for_each_pair_and_a_dash_where_there_is_no_point() {
    let page = page(grid::hybrid());
    page.says("<h3>ranks by threads</h3>");
    page.says("<h3>ranks by pin</h3>");
    let (_, map) = page.html.split_once("<h3>ranks by threads</h3>").unwrap();
    let (map, _) = map.split_once("<h3>").unwrap();
    let pairs = map.matches("title=\"ranks=").count();
    let absent = map.matches("title=\"not asked for\"").count();
    assert_eq!((pairs, absent), (21, 15));
    let best = page.json["best"]["point"].as_str().unwrap();
    let pin = best.rsplit_once(' ').unwrap().1;
    assert!(map.contains(&format!("At {pin}, as in the best point")), "{map}");
    let of = |depth: &str| map.split("title=\"").filter(|cell| cell.contains(depth)).collect::<Vec<_>>();
    let deepest = of("style=\"--h:100\"");
    assert!(deepest.iter().any(|cell| cell.starts_with(best)), "{deepest:?}");
    assert!(of("style=\"--h:0\"").iter().any(|cell| cell.starts_with("ranks=1 threads=1 ")));
}

#[test]
fn dots_are_the_trials_and_show_that_pinning_changes_the_spread() {
    let page = page(grid::parameter());
    let rows = page.data()["spread"].as_array().unwrap();
    assert_eq!(rows.len(), 16);
    let widest = |row: &Value| {
        let dots = row["trials"].as_array().unwrap();
        assert_eq!(dots.len(), 8);
        dots.iter().map(|dot| dot[1].as_f64().unwrap().abs()).fold(0.0, f64::max)
    };
    for pair in rows.chunks(2) {
        assert!(widest(&pair[0]) > 3.0 * widest(&pair[1]), "{pair:?}");
    }
    for row in rows {
        for dot in row["trials"].as_array().unwrap() {
            let trial = &page.study.trials[dot[0].as_u64().unwrap() as usize];
            assert_eq!(row["point"], trial.point.0.as_str());
            let value = row["median"].as_f64().unwrap() * (1.0 + dot[1].as_f64().unwrap());
            assert!((value / page.study.header.value(trial).unwrap() - 1.0).abs() < 1e-4);
        }
    }
}

#[test]
fn trials_stand_in_their_order_with_failures_and_disturbed_ones_marked() {
    let page = page(grid::scaling());
    let trials = page.data()["trials"].as_array().unwrap();
    assert_eq!(trials.len(), page.study.trials.len());
    assert!(trials.iter().enumerate().all(|(k, trial)| trial[0] == k));
    let marked = |mark: u64| {
        let of = trials.iter().filter(|trial| trial[4] == mark);
        of.map(|trial| trial[0].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(marked(3), [0], "the warm-up");
    assert_eq!(marked(1), [33]);
    assert_eq!(marked(2), [20, 96]);
    assert_eq!(trials[20][3], Value::Null, "a failure has no value");
    assert_eq!(trials[20][5][0], "failed: exit status 3");
    page.says("3 trials failed or were disturbed");
    page.says("killed by signal 9");
    page.says("other load: 35.0 % of the machine");
}

#[test]
fn raw_data_are_in_the_page_as_they_were_measured() {
    let page = page(grid::scaling());
    let text = page.download("trials.csv");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "place,threads,block,value,status,disturbances");
    assert_eq!(lines.len(), 1 + page.study.trials.len());
    for (line, trial) in lines[1..].iter().zip(&page.study.trials) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(format!("place={} threads={}", cells[0], cells[1]), trial.point.0);
        match page.study.header.value(trial) {
            Some(value) => assert!((cells[3].parse::<f64>().unwrap() / value - 1.0).abs() < 1e-8, "{line}"),
            None => assert_eq!((cells[3], cells[4]), ("", "failed")),
        }
    }
    let points = page.download("points.csv");
    assert_eq!(points.lines().count(), 13);
    assert!(points.contains("./app 32"), "{points}");
    // What one needs to do it again.
    for text in ["What was run at each of 12 points", "OMP_PROC_BIND=close", "Example CPU 4000", "20250101"] {
        page.says(text);
    }
}

#[test]
fn texts_from_outside_stay_texts() {
    let mut study = grid::parameter();
    let grid = study.header.grid.as_mut().unwrap();
    grid.factors[1].levels[1] = "</script><img src=x onerror=alert(1)>\"'%41".to_owned();
    study.header.metric = Metric::Output { regex: "</script>(.*)".to_owned(), higher_is_better: false };
    let page = page(study);
    assert!(!page.html.contains("<img"));
    assert_eq!(page.html.matches("</script>").count(), 3);
    assert!(page.download("trials.csv").contains("<img src=x onerror=alert(1)>\"\"'%41"));
}

#[test]
fn nothing_measured_draws_nothing() {
    let mut study = grid::scaling();
    study.trials.clear();
    let page = page(study);
    assert_eq!(page.data()["curves"], Value::Null);
    assert_eq!(page.data()["trials"], serde_json::json!([]));
    assert!(!page.html.contains("id=\"chart-"));
}

/// Points that are placed alike have other names.
#[test]
fn what_was_not_tried_is_named_by_its_point() {
    use numawise_facts::notice::StudyNotice;
    let mut study = grid::scaling();
    let levels = study.header.points[0].levels.clone();
    let not_tried = |point: &str| StudyNotice::CannotBePlaced {
        point: point.into(),
        levels: levels.clone(),
        problem: "64 threads do not fit".to_owned(),
        limits: vec![],
    };
    study.header.not_tried =
        vec![not_tried("place=local threads=64").into(), not_tried("place=distributed threads=64").into()];
    let page = page(study);
    page.says("place=local threads=64: 64 threads do not fit");
    page.says("place=distributed threads=64: 64 threads do not fit");
}

#[test]
fn bars_are_medians_at_two_factors_and_the_table_says_the_same() {
    let page = page(grid::scaling());
    let bars = &page.data()["bars"];
    assert_eq!((&bars["along"], &bars["by"]), (&"threads".into(), &"place".into()));
    assert_eq!(bars["names"], serde_json::json!(["local", "distributed"]));
    let median = &page.point("place=distributed threads=8")["metrics"]["wall_time"]["median"];
    assert_eq!(bars["groups"][3][1][0], *median);
    page.says("Medians by threads and place");
    page.says(">place=local</th>");
}

#[test]
fn names_of_factors_and_figures_stay_as_they_are_written() {
    let mut study = grid::scaling();
    study.header.metric = Metric::Output { regex: "(.)".to_owned(), higher_is_better: false };
    let page = page(study);
    for title in ["threads", "place", "wall_time", "Median"] {
        page.says(&format!(">{title}</th>"));
    }
}

/// A terminal shows the bars of speedups with the part that is open; it gets nothing that only a page shows.
#[test]
fn a_terminal_has_bars_with_intervals_and_nothing_of_the_page() {
    use numawise_report::document::{Block, Face, Style, terminal};
    let study = grid::scaling();
    let tables = numawise_analyse::grid(&study).unwrap();
    let shown = ShownStudy { study: &study, tables: &tables, record: "app.study.nw" };
    let short = study::terminal_document(&shown);
    assert!(short.charts.is_none());
    let is_of_page = |block: &Block| matches!(block, Block::Only(Face::Html, _));
    assert!(!short.blocks.iter().any(is_of_page));
    let style = Style { width: 140, ..Style::plain() };
    let text = terminal(&short, style);
    assert_eq!(text, terminal(&study::document(&shown), style), "the same as of the page's document");
    assert!(text.contains("\u{2588}\u{2592}"), "{text}");
    let ascii = terminal(&short, Style { unicode: false, ..style });
    assert!(ascii.contains("#-") && ascii.is_ascii(), "{ascii}");
}

/// Tables as an analysis makes them, without its intervals: it is the page that is tried here.
fn quick_tables(study: &Study) -> GridTables {
    let grid = study.header.grid.as_ref().unwrap();
    let mut samples = std::collections::BTreeMap::<&str, Vec<f64>>::new();
    for trial in study.trials.iter().filter(|trial| !trial.is_warm_up()) {
        samples.entry(&trial.point.0).or_default().extend(study.header.value(trial));
    }
    let mean = |point: &str| samples[point].iter().sum::<f64>() / samples[point].len() as f64;
    let first = mean(&grid.runs[0].point.0);
    let row = |run: &numawise_facts::GridRun| {
        let value = mean(&run.point.0);
        let effect = |share: f64| {
            let ratio = |by: f64| Ratio(first / value / share * by);
            Reading::Measured(Effect { ratio: ratio(1.0), low: ratio(0.98), high: ratio(1.02) })
        };
        let [mean, median, min, low, high] =
            [1.0, 1.0, 0.98, 0.99, 1.01].map(|by| Reading::Measured(value * by));
        GridRow {
            others: Vec::new(),
            point: run.point.clone(),
            levels: grid.levels(run).map(str::to_owned).collect(),
            workers: run.workers,
            repeats: samples[run.point.0.as_str()].len() as u32,
            failures: 0,
            disturbed: 0,
            mean,
            median,
            sd: Reading::Measured(0.01 * value),
            min,
            low,
            high,
            speedup: effect(1.0),
            efficiency: effect(f64::from(run.workers.unwrap())),
        }
    };
    GridTables {
        findings: vec![],
        factors: grid.factors.clone(),
        rows: grid.runs.iter().map(row).collect(),
        baseline: grid.runs[0].point.clone(),
        best: Reading::unavailable("it was not looked for"),
        scaling: vec![],
        effects: vec![],
        trials: study.trials.len() as u32,
        stopped: study.stopped,
        pictures: vec![],
        unavailable: vec![],
    }
}

#[test]
fn a_hundred_thousand_trials_make_a_page_below_5_mb_that_says_what_it_leaves_out() {
    let limit = 5_000_000;
    for (points, repeats) in [(1000, 100), (10_000, 10), (20, 5000)] {
        let mut study = grid::large(points, repeats);
        for trial in study.trials.iter_mut().filter(|trial| trial.number % 10 == 3) {
            trial.disturbances = vec![numawise_facts::Disturbance::Steal(0.02)];
        }
        for trial in study.trials.iter_mut().filter(|trial| trial.number % 10 == 7) {
            let output_tail = "x".repeat(4000);
            trial.outcome = Outcome::Failed { failure: numawise_facts::Exit::Code(1).into(), output_tail };
        }
        let tables = quick_tables(&study);
        let page = page_of(study, &tables);
        assert!(page.html.len() < limit, "{points} points: {} bytes", page.html.len());
        let trials = page.data()["trials"].as_array().unwrap().len();
        assert!((4000..=5002).contains(&trials), "{trials} are drawn");
        page.says("Of 100001 trials one in 26 is drawn, and besides 1000 of the 20000 that failed or were disturbed");
        let dots = page.data()["spread"].as_array().unwrap();
        assert!(dots.len() <= 40);
        assert!(dots.iter().map(|row| row["trials"].as_array().unwrap().len()).sum::<usize>() <= 4000);
        let held = page.download("trials.csv").lines().count() - 1;
        assert!(held > 50_000, "{held} trials are in the page");
        if held < 100_001 {
            page.says(&format!("the first {held} of 100001 trials"));
        }
    }
}

#[test]
fn findings_are_the_same_on_the_page_the_terminal_and_in_json() {
    let page = page(grid::parameter());
    let findings = page.json["findings"].as_array().unwrap();
    let ids: Vec<&str> = findings.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["NW062", "NW064"], "the block has a best size, and pinned runs scatter less");
    let [matters, scatters] = findings.as_slice() else { unreachable!() };
    let run: Vec<&str> = page.study.header.points.iter().map(|point| point.id.0.as_str()).collect();
    for finding in findings {
        let cure = finding["cure"]["point"].as_str().unwrap();
        assert!(run.contains(&cure), "{cure} was not run");
        assert_eq!(finding["cure"]["command"], page.point(cure)["command"]);
        assert_eq!(finding["cure"]["levels"], page.point(cure)["levels"]);
    }
    assert!(matters["cost"]["low"].as_f64().unwrap() > 1.0, "{matters}");
    assert!(scatters["cost"]["unavailable"].is_string(), "{scatters}");
    let first = &scatters["evidence"][0];
    assert_eq!((&first["quantity"], &first["unit"]), (&"scatter_of_level".into(), &"ratio".into()));
    assert_eq!(first["subject"]["levels"]["to"], "on");
    let study = ShownStudy {
        study: &page.study,
        tables: &numawise_analyse::grid(&page.study).unwrap(),
        record: "app.study.nw",
    };
    let terminal = document::terminal(&study::terminal_document(&study), document::Style::plain());
    for finding in findings {
        let title = finding["title"].as_str().unwrap();
        page.says(title);
        assert!(terminal.contains(title), "{terminal}");
        let sentence = finding["evidence"][0]["text"].as_str().unwrap();
        page.says(sentence);
    }
}

#[test]
fn a_study_without_findings_says_nothing_of_them() {
    let threads = [1, 2, 4, 8];
    let factors = vec![grid::numbers(numawise_facts::FactorKind::Threads, "threads", threads)];
    let page = page(grid::study(factors, 8, |levels| Some((8.0 / f64::from(threads[levels[0]]), 0.01))));
    assert_eq!(page.json["findings"], Value::Array(vec![]));
    assert!(!page.html.contains("id=\"findings\""));
}
