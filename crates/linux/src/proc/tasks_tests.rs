use super::*;
use crate::fixture::Tree;

#[test]
fn only_numbers_are_tasks() {
    let tree = Tree::new();
    for name in ["12", "7", "self", "thread-self", "12x", "-", "uptime"] {
        tree.write(&format!("{name}/stat"), "");
    }
    let mut found = numbered(tree.path()).unwrap();
    found.sort();
    assert_eq!(found, [Pid(7), Pid(12)]);
    assert!(numbered(&tree.path().join("99")).unwrap_err().is_gone());
}

#[test]
fn children_of_a_thread() {
    let tree = Tree::new();
    let mut buffer = Vec::new();
    for (text, expected) in
        [("", vec![]), ("12 ", vec![Pid(12)]), ("12 13 4711 ", vec![Pid(12), Pid(13), Pid(4711)])]
    {
        tree.write("children", text);
        assert_eq!(children(&tree.path().join("children"), &mut buffer).unwrap(), expected);
    }
    for text in ["12 x", "1.5", "99999999999"] {
        tree.write("children", text);
        let error = children(&tree.path().join("children"), &mut buffer).unwrap_err();
        assert!(error.to_string().contains("expected process identifiers"), "{error}");
    }
    assert!(children(&tree.path().join("none"), &mut buffer).unwrap_err().is_gone());
}

#[test]
fn parents_pass_over_what_is_broken() {
    let tree = Tree::new();
    let line = |parent: i32| {
        format!(
            "1 (a b) (c)) S {parent} 1 1 0 -1 0 1 0 0 0 1 1 0 0 20 0 1 0 5 1 1 1 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0"
        )
    };
    tree.write("10/stat", &line(1));
    tree.write("11/stat", &line(10));
    tree.write("12/stat", "12 (cut");
    tree.write("13/nothing", "");
    tree.write("14/stat", "");
    let mut pairs = parents(tree.path(), &mut Vec::new()).unwrap();
    pairs.sort();
    assert_eq!(pairs, [(Pid(1), Pid(10)), (Pid(10), Pid(11))]);
}
