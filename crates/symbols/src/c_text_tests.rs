use super::*;

fn split(text: &str) -> Vec<String> {
    let words = words(text);
    let text = |range: Range<usize>| words[range].iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    statements(&words).into_iter().map(text).collect()
}

#[test]
fn comments_texts_and_lines_of_the_preprocessor_are_no_words() {
    let text =
        "a /* b\n c */ = 'd' + \"e\\\"f\" ; // g\n#define h \\\n i\nj R\"x(k\n)\" l)x\" 1'000.5e3 m->n::o\n";
    let found: Vec<(&str, u32)> = words(text).iter().map(|word| (word.text, word.line)).collect();
    let expected = [
        ("a", 1),
        ("=", 2),
        ("''", 2),
        ("+", 2),
        ("\"\"", 2),
        (";", 2),
        ("j", 5),
        ("\"\"", 5),
        ("1'000.5e3", 6),
        ("m", 6),
        ("->", 6),
        ("n", 6),
        ("::", 6),
        ("o", 6),
    ];
    assert_eq!(found, expected);
}

#[test]
fn statements_end_at_semicolons_blocks_heads_and_labels() {
    assert_eq!(
        split(
            "int f(int n) { if (n) a = b; else { c = d; } for (i = 0; i < n; i++) e(i); x: y(); case 3: z(); }"
        ),
        [
            "int f ( int n )",
            "if ( n )",
            "a = b",
            "c = d",
            "for ( i = 0 ; i < n ; i ++ )",
            "e ( i )",
            "x",
            "y ( )",
            "case 3",
            "z ( )"
        ]
    );
    assert_eq!(
        split("int t[] = {{1, 2}, {3, 4}}; T u{n}, v = {}; struct S { int a; }; auto l = [&] { b(); };"),
        [
            "int t [ ] = { { 1 , 2 } , { 3 , 4 } }",
            "T u { n } , v = { }",
            "struct S",
            "int a",
            "auto l = [ & ] { b ( ) ; }"
        ]
    );
}

#[test]
fn brackets_that_do_not_match_end_with_their_block() {
    assert_eq!(split("{ f((a; } b; } ] ) c;"), ["f ( ( a ;", "b", "] ) c"]);
}
