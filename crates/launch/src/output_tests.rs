use super::*;

#[test]
fn the_end_is_kept_and_the_rest_is_counted() {
    let mut tail = Tail::default();
    for part in ["abc", "de", "fghijklmnop", "q"] {
        tail.push(part.as_bytes(), 6);
    }
    let output = tail.finish();
    assert_eq!((output.text.as_str(), output.dropped), ("lmnopq", 11));
}

#[test]
fn a_short_stream_is_whole() {
    let mut tail = Tail::default();
    tail.push(b"one\n", 6);
    assert_eq!(tail.finish(), Output { text: "one\n".to_owned(), dropped: 0 });
    assert_eq!(Tail::default().finish(), Output::default());
}

#[test]
fn a_tail_begins_with_a_line() {
    let output = Output { text: "first\nsecond\nthird\n\n".to_owned(), dropped: 0 };
    assert_eq!(output.tail(100), "first\nsecond\nthird");
    assert_eq!(output.tail(13), "second\nthird".trim_start());
    assert_eq!(output.tail(12), "second\nthird");
    assert_eq!(output.tail(11), "third");
    assert_eq!(output.tail(3), "ird");
}

#[test]
fn a_tail_does_not_cut_a_letter() {
    let output = Output { text: "ääää".to_owned(), dropped: 0 };
    assert_eq!(output.tail(3), "ä");
}

#[test]
fn bytes_that_are_no_text_are_shown_as_such() {
    let mut tail = Tail::default();
    tail.push(b"a\xffb", 10);
    assert_eq!(tail.finish().text, "a\u{fffd}b");
}
