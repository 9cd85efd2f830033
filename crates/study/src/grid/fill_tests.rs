use super::*;

/// `schedule` is at its first level `static`, `init` at its second, `threads` is 8.
fn at<'a>(name: &str) -> Option<Filling<'a>> {
    let filling = |level: &'a str, is_first| Some(Filling { level: OsStr::new(level), is_first });
    match name {
        "schedule" => filling("static", true),
        "init" => filling("first-touch", false),
        "threads" => filling("8", false),
        "none" => filling("", true),
        _ => None,
    }
}

fn filled(text: &str) -> Option<String> {
    let filled = Template::new(OsStr::new(text)).fill(&at, &["schedule", "init"], &[]).unwrap();
    filled.map(|text| text.into_string().unwrap())
}

#[test]
fn names_become_their_levels() {
    for (text, expected) in [
        ("--schedule={schedule}", "--schedule=static"),
        ("{threads}x{threads}", "8x8"),
        ("plain", "plain"),
        ("", ""),
        ("a{none}b", "ab"),
        ("{none}", ""),
    ] {
        assert_eq!(filled(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn a_text_stands_at_all_levels_but_the_first_or_at_the_one_that_is_named() {
    assert_eq!(filled("{init:+--first-touch}").as_deref(), Some("--first-touch"));
    assert_eq!(filled("{schedule:+--dynamic}"), None, "the word is left out");
    assert_eq!(filled("x{schedule:+--dynamic}").as_deref(), Some("x"));
    assert_eq!(filled("{schedule=static:+-s}").as_deref(), Some("-s"));
    assert_eq!(filled("{schedule=guided:+-g}"), None);
    assert_eq!(filled("{schedule=guided:+-g}{init=first-touch:+-f}").as_deref(), Some("-f"));
    assert_eq!(filled("{none=:+empty}").as_deref(), Some("empty"));
    assert_eq!(filled("{init:+}"), None);
}

#[test]
fn other_braces_stay_as_they_are() {
    for text in [
        "{\"a\": {\"b\": 1}}",
        "{ print $1 }",
        "{}",
        "{",
        "}",
        "{1}",
        "${HOME}x{",
        "{a b}",
        "{init:-x}",
        "{init",
        "{init=x}",
    ] {
        let expected = if text == "${HOME}x{" { continue } else { text };
        assert_eq!(filled(text).as_deref(), Some(expected), "{text}");
    }
    assert_eq!(filled("{{init}}").as_deref(), Some("{init}"));
    assert_eq!(filled("awk {{print}}").as_deref(), Some("awk {print}"));
    assert_eq!(filled("{{1}}").as_deref(), Some("{{1}}"));
    let bytes = OsString::from_vec(vec![0xff, b'{', b'i', b'n', b'i', b't', b'}']);
    let filled = Template::new(&bytes).fill(&at, &[], &[]).unwrap().unwrap();
    assert_eq!(filled.as_bytes(), b"\xfffirst-touch");
}

#[test]
fn what_is_kept_of_a_name_that_is_filled_in_later_is_kept_until_then() {
    let text = "{{task}} {{init}} {{{task}}} {{template:a b.nml}}";
    let filled = |later: &[&str]| Template::new(OsStr::new(text)).fill(&at, &[], later).unwrap().unwrap();
    assert_eq!(filled(&[]), "{task} {init} {{task}} {template:a b.nml}");
    assert_eq!(filled(&["task", "template:a b.nml"]), "{{task}} {init} {{{task}}} {{template:a b.nml}}");
}

#[test]
fn a_file_by_its_name_is_a_name() {
    assert_eq!(
        Template::new(OsStr::new("-i {template:a b.nml} {template}")).names(),
        ["template:a b.nml", "template"]
    );
    assert_eq!(Template::new(OsStr::new("{template:+x}")).names(), ["template"]);
    for plain in ["{template:}", "{templates:a}", "{template:a"] {
        assert!(Template::new(OsStr::new(plain)).names().is_empty(), "{plain}");
    }
}

#[test]
fn a_name_of_nothing_says_what_there_is_and_how_to_keep_it() {
    let error = Template::new(OsStr::new("awk {print}")).fill(&at, &["schedule", "init"], &[]).unwrap_err();
    let text = error.to_string();
    assert_eq!(
        text,
        "{print} in 'awk {print}' names nothing; there are: schedule, init. Write {{print}} where the program is to get {print}"
    );
}

#[test]
fn names_are_given_once_in_their_order() {
    let template = Template::new(OsStr::new("{b}{a:+x}{b=1:+{c}"));
    assert_eq!(template.names(), ["b", "a"]);
}
