use super::*;

#[test]
fn tokens_are_the_same_or_not() {
    assert!(is_same(b"abc", b"abc") && is_same(b"", b""));
    for (one, other) in [("abc", "abd"), ("abc", "ab"), ("", "a"), ("abc", "abcd"), ("bbc", "abc")] {
        assert!(!is_same(one.as_bytes(), other.as_bytes()), "{one} {other}");
    }
    let (one, other) = (token().unwrap(), token().unwrap());
    assert!(
        one.len() == 32 && one.bytes().all(|sign| sign.is_ascii_hexdigit()) && one != other,
        "{one} {other}"
    );
}

#[test]
fn a_window_is_asked_for_in_whole_numbers_once_each() {
    let all = "from=1&to=20&top=0&bottom=99999999999&columns=0&lines=100000&phases=1";
    let (asked, ranks) = asked(all).unwrap();
    assert_eq!(ranks, None);
    assert_eq!((asked.from, asked.to), (Nanoseconds(1), Nanoseconds(20)));
    assert_eq!((asked.top, asked.bottom, asked.columns, asked.lines), (0, u32::MAX, 1, 8192));
    assert!(asked.with_phases);
    let of_ranks = |ranks: &str| super::asked(&format!("{all}&ranks={ranks}")).map(|(_, ranks)| ranks);
    assert_eq!(of_ranks("3,0-1"), Some(Some("0,1,3".parse().unwrap())));
    assert_eq!(
        (of_ranks(""), of_ranks("x"), of_ranks("-1"), of_ranks("1&ranks=2")),
        (Some(None), None, None, None)
    );
    for wrong in [
        "",
        "from=1",
        &all.replace("to=20", "to=-1"),
        &all.replace("to=20", "to=1e3"),
        &all.replace("to=20", "to=99999999999999999999999"),
        &format!("{all}&from=2"),
        &all.replace("top=0", "top="),
    ] {
        assert!(super::asked(wrong).is_none(), "{wrong}");
    }
}
