use super::*;

const MAP: &str = "# A\n\n## Crates\n\n| crate | uses | what |\n|---|---|---|\n| `units` | | leaf |\n| `facts` | `units` | nouns |\n\n## More\n| `not` | `this` |\n";

fn edges(pairs: &[(&str, &[&str])]) -> Edges {
    pairs
        .iter()
        .map(|(name, uses)| (name.to_string(), uses.iter().map(|u| u.to_string()).collect()))
        .collect()
}

#[test]
fn the_table_is_read_from_its_section_alone() {
    assert_eq!(crates(MAP), edges(&[("units", &[]), ("facts", &["units"])]));
    assert!(crates("# nothing").is_empty());
}

#[test]
fn a_difference_either_way_is_told() {
    let complaints = |drawn: &Edges, real: &Edges| {
        let mut report = Report::default();
        compare(drawn, real, &mut report);
        report.complaints().join("\n")
    };
    let drawn = edges(&[("a", &[]), ("b", &["a"])]);
    assert_eq!(complaints(&drawn, &drawn), "");
    let real = edges(&[("a", &["b"]), ("b", &[]), ("c", &[])]);
    let text = complaints(&drawn, &real);
    for part in ["crates/c is not in the table", "crates/a uses b", "b uses a, and it does not"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(complaints(&drawn, &edges(&[("a", &[])])).contains("crates/b is not there"));
}

#[test]
fn a_way_round_is_a_way() {
    let mut report = Report::default();
    forbidden(&edges(&[("placement", &["facts"]), ("facts", &["machine"])]), &mut report);
    assert!(report.complaints()[0].contains("placement reaches machine"));
    let mut fine = Report::default();
    forbidden(
        &edges(&[("machine", &["facts"]), ("placement", &["facts"]), ("facts", &["facts"])]),
        &mut fine,
    );
    assert_eq!(fine.complaints(), [] as [&str; 0]);
}

#[test]
fn leaves_guests_and_faces_keep_to_themselves() {
    let complaints = |drawn: &Edges| {
        let mut report = Report::default();
        only(drawn, &mut report);
        report.complaints().join("\n")
    };
    let fine = [("agent", &["wire", "syscalls"] as &[&str]), ("cli", &["session"]), ("facts", &["units"])];
    assert_eq!(complaints(&edges(&fine)), "");
    assert!(complaints(&edges(&[("agent", &["facts"])])).contains("agent uses facts"));
    assert!(complaints(&edges(&[("units", &["facts"])])).contains("units uses facts"));
    assert!(complaints(&edges(&[("study", &["session"])])).contains("study uses session"));
}

#[test]
fn other_peoples_crates_stay_behind_ours() {
    let complaints = |others: &Edges| {
        let mut report = Report::default();
        behind(others, &mut report);
        report.complaints().join("\n")
    };
    assert_eq!(complaints(&edges(&[("cli", &["clap"]), ("study", &["rand"])])), "");
    assert!(complaints(&edges(&[("study", &["clap"])])).contains("crates/study uses clap"));
}
