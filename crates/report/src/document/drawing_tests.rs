use super::*;

#[test]
fn neighbours_of_a_depth_are_one_line_and_moves_are_from_the_last() {
    let cell = |row, column, depth| HeatCell { row, column, depth };
    let of = HeatMap {
        id: "map".to_owned(),
        title: String::new(),
        size: 4,
        axes: ("from", "to"),
        ticks: vec![],
        cells: vec![cell(0, 1, 1.0), cell(0, 2, 1.0), cell(0, 3, 0.0), cell(2, 0, 1.0)],
        scale: (String::new(), String::new()),
    };
    assert_eq!(
        paths(&of),
        "<path style=\"--h:0\" d=\"M0 .5m3 0h1\"/><path style=\"--h:100\" d=\"M0 .5m1 0h2m-3 2h1\"/>"
    );
}

#[test]
fn a_bar_says_its_parts_and_is_never_higher_than_one() {
    let part = |name, colour| BarPart { name, colour };
    let one = Bar { name: "rank <7>".to_owned(), shares: vec![0.75, 0.0, 0.5] };
    let of = Bars {
        chart: Some("chart"),
        label: String::new(),
        parts: vec![part("useful", "--good"), part("MPI", "--n0"), part("waits", "--n1")],
        bars: vec![one],
        caption: String::new(),
    };
    let text = bars(&of).into_string();
    assert!(text.contains("rank &lt;7&gt;\nuseful: 75.0 %\nwaits: 50.0 %</title>"), "{text}");
    assert!(text.contains("M0 25.0h9v75.0") && text.contains("M0 0.0h9v25.0"), "{text}");
}

#[test]
fn a_bar_without_a_chart_lies_under_its_name_with_its_parts_in_their_order() {
    let part = |name, colour| BarPart { name, colour };
    let of = Bars {
        chart: None,
        label: "what".to_owned(),
        parts: vec![part("useful", "--good"), part("MPI", "--n0"), part("waits", "--n1")],
        bars: vec![Bar { name: "a<b>".to_owned(), shares: vec![0.5, f64::NAN, 0.25] }],
        caption: String::new(),
    };
    let text = bars(&of).into_string();
    assert!(text.contains("<code>a&lt;b&gt;</code>"), "{text}");
    let drawn = r#"<div><span style="--c:var(--good);width:50.00%"></span><span style="--c:var(--n1);width:25.00%"></span></div>"#;
    assert!(text.contains(drawn) && !text.contains("data-until"), "{text}");
}
