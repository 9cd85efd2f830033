use super::*;

/// Colours, the title of the window, C1, bidi overrides, zero-width, a tag, a BOM, line ends.
const HOSTILE: &str =
    "a\x1b[31mb\x07\u{9b}0m\u{202e}c\u{200b}\u{2066}\u{e0041}\u{feff}\r\n\t\u{ad}\u{fe0f}\u{2028}d\u{0}\x7f";

#[test]
fn what_steers_is_spelled_out_on_one_line() {
    let shown = line(HOSTILE);
    assert_eq!(
        shown,
        "a\\x1b[31mb\\x07\\u{9b}0m\\u{202e}c\\u{200b}\\u{2066}\\u{e0041}\\u{feff}\\r\\n\\t\\u{ad}\\u{fe0f}\\u{2028}d\\x00\\x7f"
    );
    assert!(!shown.chars().any(is_harmful));
    assert_eq!(
        line("Grüße, 世界: ok 'x' \\"),
        "Grüße, 世界: ok 'x' \\",
        "letters of any language are only letters"
    );
}

#[test]
fn only_our_own_line_breaks_stay() {
    assert_eq!(paragraphs("one\ntwo\r\x1b[2J\u{202e}"), "one\ntwo\\r\\x1b[2J\\u{202e}");
    let page = replaced("<p>\x1b\u{202e}\u{200b}\n\t</p>");
    assert_eq!(page, "<p>\u{fffd}\u{fffd}\u{fffd}\n\t</p>");
}

#[test]
fn long_texts_are_cut_with_their_length() {
    let long = "x".repeat(1_000_000);
    let shown = line(&long);
    assert!(shown.len() < 5000 && shown.ends_with("x... (1000000 characters)"), "{}", shown.len());
    assert!(quoted(&long).len() < 200);
    assert_eq!(quoted(&"é".repeat(120)), "é".repeat(120));
    assert_eq!(quoted(&"é".repeat(121)), "é".repeat(120) + "... (121 characters)");
}

#[test]
fn bytes_that_are_no_text_are_spelled_out() {
    assert_eq!(bytes(b"a\xff\xfe\x1bb\xc3"), "a\\xff\\xfe\\x1bb\\xc3");
    assert_eq!(bytes("Grüße".as_bytes()), "Grüße");
}
