use super::*;
use std::io::Write as _;

#[test]
fn flags_are_not_part_of_the_mode() {
    let nodes: NodeSet = "0-1".parse().unwrap();
    let interleave = Policy::Inherited { mode: "interleave".to_owned(), nodes: nodes.clone() };
    assert_eq!(Policy::from_kernel(3, nodes.clone()), interleave);
    assert_eq!(Policy::from_kernel(3 | 1 << 15, nodes.clone()), interleave);
    assert_eq!(Policy::from_kernel(0, NodeSet::new()), Policy::Default);
    assert_eq!(Policy::from_kernel(4, NodeSet::new()), Policy::Default, "local");
    assert_eq!(Policy::from_kernel(1, NodeSet::new()), Policy::Default, "preferred without nodes is local");
    assert_ne!(Policy::from_kernel(1, nodes.clone()), Policy::Default);
    let newer = Policy::from_kernel(42, nodes.clone());
    assert_eq!(newer, Policy::Inherited { mode: "number 42".to_owned(), nodes });
}

#[test]
fn a_policy_that_is_set_is_seen() {
    // Policies belong to threads; this one ends with the test.
    let seen = std::thread::spawn(|| {
        let nodes = [1u64];
        // SAFETY: the call reads 64 bits; it changes this thread only.
        let set = unsafe { libc::syscall(libc::SYS_set_mempolicy, 1, nodes.as_ptr(), 65usize) };
        (set, Policy::of_this_thread())
    });
    match seen.join().unwrap() {
        (0, policy) => assert_eq!(
            policy,
            Policy::Inherited { mode: "preferred".to_owned(), nodes: "0".parse().unwrap() }
        ),
        (_, policy) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED: this system forbids set_mempolicy");
            assert!(matches!(policy, Policy::Forbidden | Policy::Missing), "{policy:?}");
        }
    }
}
