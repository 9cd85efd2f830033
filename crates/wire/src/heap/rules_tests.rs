use std::format;
use std::string::String;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;

fn decoded(text: &str) -> Result<Vec<Part<'_>>, RulesError> {
    let mut parts = Vec::new();
    decode(text.as_bytes(), &mut |part| parts.push(part)).map(|()| parts)
}

fn at(file: u8, address: u64) -> InFile {
    InFile::new(file, address)
}

#[test]
fn rules_are_nodes_files_calls_and_variables() {
    let mut text = String::new();
    begin(&mut text).unwrap();
    write_nodes(&[0b1100], Spread::Preferred, &mut text).unwrap();
    write_file(b"app", &mut text).unwrap();
    write_file("li;b\u{e4}.so".as_bytes(), &mut text).unwrap();
    let calls = Calls::of([at(0, 0x11a9), at(1, u64::MAX)]);
    write_calls(&calls, &mut text).unwrap();
    write_variable(at(1, 0x4060), 0xa000, &mut text).unwrap();
    assert_eq!(text, "2;n2-3;fapp;fli%3bb%c3%a4.so;c0:11a9,1:ffffffffffffffff;g1:4060+a000");
    let mut nodes = [0; NODE_WORDS];
    nodes[0] = 0b1100;
    let parts = decoded(&text).unwrap();
    assert_eq!(
        parts,
        [
            Part::Nodes(nodes, Spread::Preferred),
            Part::File(b"app"),
            Part::File(b"li%3bb%c3%a4.so"),
            Part::Calls(calls),
            Part::Variable { at: at(1, 0x4060), bytes: 0xa000 }
        ]
    );
    assert!(is_named(b"app", b"app") && is_named(b"li%3bb%c3%a4.so", "li;b\u{e4}.so".as_bytes()));
    for other in ["ap", "appl", "", "App"] {
        assert!(!is_named(b"app", other.as_bytes()), "{other}");
    }
    assert!(!is_named(b"%3", b"3") && !is_named(b"%zz", b"z") && !is_named(b"%", b"%"));
}

#[test]
fn broken_rules_are_refused_by_what_is_broken() {
    for (text, error) in [
        ("", RulesError::Version),
        ("1;n0", RulesError::Version),
        ("2 ;n0", RulesError::Version),
        ("2;", RulesError::Part),
        ("2;x", RulesError::Part),
        ("2;n", RulesError::Part),
        ("2;n1024", RulesError::Part),
        ("2;i", RulesError::Part),
        ("2;i0;c0:1", RulesError::Part),
        ("2;n2-1", RulesError::Part),
        ("2;f", RulesError::Part),
        ("2;fa b", RulesError::Part),
        ("2;fa;c0:1", RulesError::Part),
        ("2;fa;g0:1+1", RulesError::Part),
        ("2;n0;c0:1", RulesError::Part),
        ("2;n0;fa;c1:1", RulesError::Part),
        ("2;n0;fa;c", RulesError::Part),
        ("2;n0;fa;c0:1,", RulesError::Part),
        ("2;n0;fa;c0:1:2", RulesError::Part),
        ("2;n0;fa;c0:g", RulesError::Part),
        ("2;n0;fa;c0:-1", RulesError::Part),
        ("2;n0;fa;c0:11111111111111111", RulesError::Part),
        ("2;n0;fa;g0:1", RulesError::Part),
        ("2;n0;fa;g0:1+", RulesError::Part),
        ("2;n0;fa;g0:1+1+1", RulesError::Part),
        ("2;n0;fa;g0:ffffffffffffffff+1", RulesError::Part),
        ("2;n0;fa;c0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1", RulesError::TooMany),
    ] {
        assert_eq!(decoded(text), Err(error), "{text}");
    }
    let many = |part: &str, count: usize| format!("2;n0;fa{}", part.repeat(count));
    for (part, most) in
        [(";n0", MOST_TARGETS - 1), (";i0", MOST_TARGETS - 1), (";fa", MOST_FILES - 1), (";c0:1", MOST_RULES)]
    {
        assert!(decoded(&many(part, most)).is_ok(), "{part}");
        assert_eq!(decoded(&many(part, most + 1)), Err(RulesError::TooMany), "{part}");
    }
    assert_eq!(decoded(&format!("2;f{}", "a".repeat(MOST_TEXT))), Err(RulesError::TooMany));
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(
        names in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..20), 1..5),
        stacks in prop::collection::vec(prop::collection::vec((0usize..5, any::<u64>()), 1..=MOST_FRAMES), 0..20),
    ) {
        let mut text = String::new();
        begin(&mut text).unwrap();
        write_nodes(&[1], Spread::Interleaved, &mut text).unwrap();
        names.iter().for_each(|name| write_file(name, &mut text).unwrap());
        let frame = |(file, address): &(usize, u64)| at((*file % names.len()) as u8, *address);
        let stacks: Vec<Calls> = stacks.iter().map(|frames| Calls::of(frames.iter().map(frame))).collect();
        stacks.iter().for_each(|calls| write_calls(calls, &mut text).unwrap());
        let parts = decoded(&text).unwrap();
        let files = parts.iter().filter_map(|part| match part { Part::File(name) => Some(*name), _ => None });
        prop_assert!(files.zip(&names).all(|(encoded, name)| is_named(encoded, name)));
        let found: Vec<Calls> =
            parts.iter().filter_map(|part| match part { Part::Calls(calls) => Some(*calls), _ => None }).collect();
        prop_assert_eq!(found, stacks);
    }

    #[test]
    fn nothing_does_harm(text in "2;n0;fa(;[cginf][0-9a-f:,+%-]{0,12}){0,4}|.{0,12}") {
        if let Ok(parts) = decoded(&text) {
            for part in parts {
                match part {
                    Part::Calls(calls) => prop_assert!((1..=MOST_FRAMES).contains(&calls.frames().len())),
                    Part::Nodes(nodes, Spread::Preferred) => prop_assert!(mask::first(&nodes).is_some()),
                    _ => {}
                }
            }
        }
    }
}
