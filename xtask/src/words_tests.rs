use super::*;

fn lines(path: &str, text: &str) -> Vec<usize> {
    check(path, text).into_iter().map(|breach| breach.line).collect()
}

#[test]
fn refused_words_are_found_in_names_comments_and_texts() {
    let text = "fn gaugeAll() {}\nstruct TaskWhereabouts;\nconst LAID_OVER: u8 = 0;\n// what this Room is\nf(\"is laid over it\");\n";
    assert_eq!(lines("crates/x/src/a.rs", text), [1, 2, 3, 4, 5]);
    assert_eq!(lines("crates/x/src/gang.rs", ""), [0], "the name of the file");
    assert_eq!(lines("docs/user/a.md", "a profile that was laid over the machine\n"), [1]);
}

#[test]
fn other_words_that_hold_them_are_fine() {
    let text =
        "// a room for it, bathroom, gangway, space, engaged, pacemaker, overlaid\nlet roomy = crewless;\n";
    assert_eq!(lines("crates/x/src/a.rs", text), [] as [usize; 0]);
    assert_eq!(lines("testdata/a.md", "the room"), [] as [usize; 0]);
    assert_eq!(lines("a.xml", "the room"), [] as [usize; 0]);
}
