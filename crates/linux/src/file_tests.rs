use super::*;
use crate::fixture::Tree;

#[test]
fn a_record_of_any_length_is_read_whole() {
    let tree = Tree::new();
    let mut buffer = Vec::new();
    for length in [0, 1, 1023, 1024, 1025, 4096, 70_000] {
        let text = "x".repeat(length);
        tree.write("record", &text);
        read_path(&tree.path().join("record"), &mut buffer).unwrap();
        assert_eq!(buffer, text.as_bytes(), "{length}");
    }
}

#[test]
fn a_kept_file_is_read_anew_each_time() {
    let tree = Tree::new();
    tree.write("record", "first");
    let file = File::open(tree.path().join("record")).unwrap();
    let mut buffer = Vec::new();
    for text in ["first", "second and longer", "3"] {
        tree.write("record", text);
        read_record(&file, &mut buffer).unwrap();
        assert_eq!(buffer, text.as_bytes());
    }
}

#[test]
fn what_cannot_be_read_says_why() {
    let tree = Tree::new();
    let mut buffer = Vec::new();
    assert!(read_path(&tree.path().join("none"), &mut buffer).unwrap_err().is_gone());
    tree.write("file", "");
    assert!(read_path(&tree.path().join("file/below"), &mut buffer).unwrap_err().is_gone());
    let error = read_path(tree.path(), &mut buffer).unwrap_err();
    assert!(!error.is_gone() && error.to_string().contains("cannot be read"), "{error}");
}

#[test]
fn lines_come_whole_whatever_the_pieces() {
    let tree = Tree::new();
    let lines: Vec<String> = (0..3000).map(|k| format!("line {k} {}", "y".repeat(k % 97))).collect();
    for end in ["\n", ""] {
        tree.write("lines", &(lines.join("\n") + end));
        let mut reader = Lines::open(&tree.path().join("lines")).unwrap();
        let mut found = Vec::new();
        while reader.piece(|line| found.push(String::from_utf8(line.to_vec()).unwrap())).unwrap() {}
        assert_eq!(found, lines, "ending {end:?}");
        assert!(!reader.piece(|_| panic!("nothing is left")).unwrap());
    }
}

#[test]
fn a_line_longer_than_a_piece_is_put_together() {
    let tree = Tree::new();
    let long = "z".repeat(3 * PIECE);
    tree.write("lines", &format!("a\n{long}\nb\n"));
    let mut reader = Lines::open(&tree.path().join("lines")).unwrap();
    let mut lengths = Vec::new();
    while reader.piece(|line| lengths.push(line.len())).unwrap() {}
    assert_eq!(lengths, [1, long.len(), 1]);
}

#[test]
fn numbers_fill_the_word() {
    assert_eq!(number::<u32>(b"42"), Some(42));
    for text in ["", " 1", "1 ", "1.0", "0x1", "4294967296", "-1"] {
        assert_eq!(number::<u32>(text.as_bytes()), None, "{text:?}");
    }
}

#[test]
fn counts_are_digits_only() {
    for (text, value) in [("0", 0), ("42", 42), ("007", 7), ("18446744073709551615", u64::MAX)] {
        assert_eq!(count(text.as_bytes()), Some(value), "{text}");
    }
    for text in ["", " 1", "1 ", "+1", "-1", "1.0", "0x1", "18446744073709551616", "99999999999999999999999"]
    {
        assert_eq!(count(text.as_bytes()), None, "{text:?}");
    }
}
