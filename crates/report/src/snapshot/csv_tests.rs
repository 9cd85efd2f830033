use super::*;

#[test]
fn tables_have_names_that_are_read_back() {
    for (name, table) in TABLES {
        assert_eq!((name.parse(), table.to_string()), (Ok(table), name.to_owned()));
    }
    let refused = "rank".parse::<CsvTable>().unwrap_err().to_string();
    assert!(refused.contains("'rank'") && refused.contains("efficiency, ranks, memory"), "{refused}");
}

#[test]
fn what_is_missing_is_an_empty_cell_with_a_reason() {
    assert_eq!(
        cells(&Reading::unavailable("no, not \"here\"")),
        (String::new(), "\"no, not \"\"here\"\"\"".to_owned())
    );
    assert_eq!(cells(&Reading::Measured("a\nb".to_owned())).0.lines().count(), 1);
}
