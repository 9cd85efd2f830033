use super::*;

#[test]
fn flags_are_not_part_of_the_mode() {
    let told = |mode, nodes| Policy::from_kernel(ThreadPolicy::from_kernel(mode, nodes));
    let nodes: NodeSet = "0-1".parse().unwrap();
    let interleave = Policy::Inherited { mode: "interleave".to_owned(), nodes: nodes.clone() };
    assert_eq!(told(3, nodes.clone()), interleave);
    assert_eq!(told(3 | 1 << 15, nodes.clone()), interleave);
    assert_eq!(told(0, NodeSet::new()), Policy::Default);
    assert_eq!(told(4, NodeSet::new()), Policy::Default, "local");
    assert_eq!(told(1, NodeSet::new()), Policy::Default, "preferred without nodes is local");
    assert_ne!(told(1, nodes.clone()), Policy::Default);
    let newer = told(42, nodes.clone());
    assert_eq!(newer, Policy::Inherited { mode: "number 42".to_owned(), nodes });
}

#[test]
fn a_policy_that_is_set_is_seen() {
    // Policies belong to threads; this one ends with the test.
    let seen = std::thread::spawn(|| {
        let preferred =
            ThreadPolicy { mode: PolicyMode::Preferred, balancing: false, nodes: "0".parse().unwrap() };
        (preferred.set_own(), Policy::of_this_thread())
    });
    match seen.join().unwrap() {
        (Ok(()), policy) => assert_eq!(
            policy,
            Policy::Inherited { mode: "preferred".to_owned(), nodes: "0".parse().unwrap() }
        ),
        (Err(errno), policy) => {
            eprintln!("SKIPPED: this system forbids set_mempolicy ({errno})");
            assert!(matches!(policy, Policy::Forbidden | Policy::Missing), "{policy:?}");
        }
    }
}
