use super::*;

#[test]
fn words_are_shown_as_they_are() {
    assert_eq!(escaped(".so -x 'a' \"\" `*b` \\"), "\\&.so \\-x \\(aqa\\(aq \\(dq\\(dq \\fI*b\\fR \\e");
}

#[test]
fn paragraphs_stand_apart_and_code_keeps_its_lines() {
    assert_eq!(paragraphs("One\ntwo.\n\nThree."), "One\ntwo.\n.PP\nThree.\n");
    assert_eq!(
        paragraphs("One:\n\n    a();\n      b();\n\nTwo."),
        "One:\n.PP\n.RS 4\n.nf\na();\n  b();\n.fi\n.RE\n.PP\nTwo.\n"
    );
    assert_eq!(paragraphs("One:\n\n    a();"), "One:\n.PP\n.RS 4\n.nf\na();\n.fi\n.RE\n");
}

#[test]
fn long_declarations_are_broken_behind_commas() {
    assert_eq!(wrapped("int short_one(int a);"), ["int short_one(int a);"]);
    let long = "int numawise_placement_cpus(const numawise_placement *placement, unsigned task, unsigned char *mask);";
    let blanks = " ".repeat(28);
    assert_eq!(
        wrapped(long),
        [
            "int numawise_placement_cpus(const numawise_placement *placement,".to_owned(),
            format!("{blanks}unsigned task, unsigned char *mask);")
        ]
    );
}
