use super::*;

fn parsed(text: &str) -> Option<String> {
    let list: RanksByThreadsList = text.parse().ok()?;
    Some(list.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

#[test]
fn a_number_is_all_of_its_divisions() {
    assert_eq!(parsed("24").as_deref(), Some("24x1,12x2,8x3,6x4,4x6,3x8,2x12,1x24"));
    assert_eq!(parsed("1").as_deref(), Some("1x1"));
    assert_eq!(parsed("7").as_deref(), Some("7x1,1x7"));
}

#[test]
fn divisions_may_be_listed() {
    assert_eq!(parsed("24x1,2x12").as_deref(), Some("24x1,2x12"));
    assert_eq!(parsed("3x2").as_deref(), Some("3x2"));
}

#[test]
fn a_division_is_read_as_it_is_shown() {
    let division = RanksByThreads { ranks: 12, threads: 2 };
    assert_eq!(division.to_string().parse(), Ok(division));
    for text in ["", "24", "12x2,6x4", "0x2", "2x", "300x300"] {
        assert!(text.parse::<RanksByThreads>().is_err(), "{text}");
    }
}

#[test]
fn what_is_no_division_is_refused() {
    for text in [
        "", "0", "x", "2x", "x2", "2x0", "0x2", "2x1,", "2x1,2x1", "-2", "+2", "2X1", "65537", "300x300",
        "2x1x1", "2,1x2",
    ] {
        assert_eq!(parsed(text), None, "{text}");
    }
}
