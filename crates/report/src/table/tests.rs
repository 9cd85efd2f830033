use super::*;

fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

#[test]
fn columns_are_as_wide_as_their_widest_cell() {
    let text = table(&rows("a|number|last\nlonger|1|\nx"), &[Side::Left, Side::Right]);
    assert_eq!(text, "a       number  last\nlonger       1\nx\n");
}

#[test]
fn what_is_too_wide_loses_columns_in_order() {
    let all = "a|b|c\n1111|2222|3333";
    let sides = [Side::Left, Side::Right, Side::Left];
    let shown = |width| fitted(rows(all), &sides, width, &["c", "a", "not there"]);
    assert_eq!(shown(16), "a        b  c\n1111  2222  3333\n");
    assert_eq!(shown(15), "a        b\n1111  2222\n");
    assert_eq!(shown(9), "   b\n2222\n");
    assert_eq!(shown(0), "   b\n2222\n", "one column stays");
}

#[test]
fn nothing_is_nothing() {
    assert_eq!(table(&[], &[]), "");
    assert_eq!(fitted(vec![], &[], 0, &["a"]), "");
}
