use super::*;

const HEADER: &str = r#"/* Reads tea leaves: for C.
 *
 *     numawise_read(cup);
 *
 * Nothing else. */
#ifndef TEA_H

/* ---- Cups ---- */

/* All colours. */
enum numawise_colour {
    NUMAWISE_RED = 0,
    NUMAWISE_BLUE = 1 /* As the sea; or so. */
};

typedef struct numawise_cup numawise_cup;
typedef void (*numawise_function)(const char *name);

/* Reads a cup; `much` is of it.
 * To be closed. */
static inline int numawise_read(numawise_cup **cup,
                                size_t much)
{
    if (much) { return 1; }
    return 0;
}
__attribute__((unused)) static int numawise_inner_(void) { return 0; }
/* Its text. */
const char *numawise_text(void);

#else
static inline int numawise_read(numawise_cup **cup, size_t much) { return 0; }
#endif
"#;

#[test]
fn calls_have_their_comments_and_types_their_members() {
    let header = read(HEADER).unwrap();
    assert_eq!(header.overview, "Reads tea leaves: for C.\n\n    numawise_read(cup);\n\nNothing else.");
    assert_eq!(header.notes, ["---- Cups ----"]);
    let [read, text] = &header.calls[..] else { panic!("{:?}", header.calls) };
    assert_eq!(read.declaration, "int numawise_read(numawise_cup **cup, size_t much);");
    assert_eq!(read.comment, "Reads a cup; `much` is of it.\nTo be closed.");
    assert_eq!((read.returns(), read.arguments()), ("int", "numawise_cup **cup, size_t much"));
    assert_eq!((text.name.as_str(), text.returns()), ("numawise_text", "const char *"));
    let members = header.members("enum numawise_colour");
    assert_eq!(
        members,
        [("NUMAWISE_RED", ""), ("NUMAWISE_BLUE", "As the sea; or so.")]
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
    );
}

#[test]
fn a_call_without_a_comment_is_named_with_its_line() {
    for between in ["", "/* Of nothing. */\n\n", "/* Of the next line. */\n#define A 1\n"] {
        let text = format!("/* Begin. */\n#define B\n{between}int numawise_lone(void);\n");
        let line = text.lines().count();
        assert_eq!(
            read(&text),
            Err(BadHeader::NoComment { call: "numawise_lone".to_owned(), line }),
            "{between}"
        );
    }
    assert_eq!(read("int x(void);\n"), Err(BadHeader::NoOverview));
    assert_eq!(read("/* A\n"), Err(BadHeader::Open { line: 1 }));
    assert_eq!(read("/* A */\n\nint numawise_x(\n"), Err(BadHeader::Open { line: 3 }));
}
