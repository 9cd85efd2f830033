use numawise_wire::heap::rules::{Part, decode};

use super::*;

fn at(file: &str, address: u64) -> FileAddress {
    FileAddress { file: file.to_owned(), address }
}

fn nodes() -> NodeSet {
    "2-3".parse().unwrap()
}

#[test]
fn files_are_named_once_by_the_ends_of_their_paths() {
    let objects = [
        PlacedObject::Calls(vec![at("/lib/libnew.so.6", 0x20), at("/home/me/app", 0x1234)]),
        PlacedObject::Calls(vec![at("/home/me/app", 0x99)]),
        PlacedObject::Variable { at: at("/home/me/app", 0x4000), bytes: Bytes(0x8000) },
    ];
    let rules = ObjectRules::new(&nodes(), Spread::Preferred, &objects, Bytes(16_384)).unwrap();
    assert_eq!(rules.text, "2;n2-3;flibnew.so.6;fapp;c0:20,1:1234;c1:99;g1:4000+8000");
    let mut parts = 0;
    decode(rules.text.as_bytes(), &mut |part| parts += usize::from(!matches!(part, Part::Nodes(..))))
        .unwrap();
    assert_eq!(parts, 5);
}

#[test]
fn what_the_library_would_refuse_is_not_handed_over() {
    let rules = |objects: &[PlacedObject]| ObjectRules::new(&nodes(), Spread::Preferred, objects, Bytes(1));
    assert_eq!(rules(&[PlacedObject::Calls(vec![])]), None);
    assert_eq!(rules(&[PlacedObject::Calls(vec![at("/", 1)])]), None);
    let one = PlacedObject::Calls(vec![at("/app", 1)]);
    assert!(rules(&vec![one.clone(); MOST_RULES]).is_some());
    assert_eq!(rules(&vec![one; MOST_RULES + 1]), None);
    let in_file = |k: usize| PlacedObject::Calls(vec![at(&format!("/lib{k}.so"), 1)]);
    assert!(rules(&(0..MOST_FILES).map(in_file).collect::<Vec<_>>()).is_some());
    for many in [MOST_FILES + 1, 300] {
        assert_eq!(rules(&(0..many).map(in_file).collect::<Vec<_>>()), None, "{many}");
    }
    let long = "x".repeat(4000);
    let long: Vec<_> = (0..20).map(|k| PlacedObject::Calls(vec![at(&format!("/{long}{k}"), 1)])).collect();
    assert_eq!(rules(&long), None);
}
