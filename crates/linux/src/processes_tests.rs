use super::*;
use crate::fixture::Tree;

#[test]
fn processes_of_the_system_are_behind_the_slash() {
    let tree = Tree::new();
    let roots = Roots::at(tree.path());
    assert_eq!(running(&roots), None);
    for (text, expected) in [
        ("0.00 0.01 0.05 1/345 6789\n", Some(345)),
        ("0.00 0.01 0.05 1 6789\n", None),
        ("0.00 0.01 0.05 1/x 6789\n", None),
        ("", None),
    ] {
        tree.write("proc/loadavg", text);
        assert_eq!(running(&roots), expected, "{text:?}");
    }
    assert!(running(&Roots::live()).unwrap() > 0);
}

#[test]
fn threads_of_a_user_are_counted() {
    let tree = Tree::new();
    let roots = Roots::at(tree.path());
    for (pid, user, threads) in [(1, 0, 1), (7, 1000, 3), (8, 1000, 2), (9, 1001, 50)] {
        tree.write(
            &format!("proc/{pid}/status"),
            &format!("Name:\tx\nUid:\t{user}\t{user}\t{user}\t{user}\n"),
        );
        let rest = format!("S 1 1 1 0 -1 0 1 0 1 0 1 1 0 0 20 0 {threads} 0 5{}", " 0".repeat(30));
        tree.write(&format!("proc/{pid}/stat"), &format!("{pid} (x) {rest}\n"));
    }
    tree.write("proc/10/status", "Uid:\t1000\t1000\t1000\t1000\n"); // it has just ended
    assert_eq!(of_user(&roots, 1000).unwrap(), 5);
    assert_eq!(of_user(&roots, 5).unwrap(), 0);
    assert!(of_user(&Roots::at(tree.path().join("none")), 0).is_err());
}
