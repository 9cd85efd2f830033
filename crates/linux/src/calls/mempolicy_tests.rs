use super::*;

#[test]
fn the_table_has_every_number_once() {
    for number in 0..7 {
        let mode = PolicyMode::from_number(number);
        assert_eq!(mode.number(), number);
        assert!(mode.name().is_some());
    }
    assert_eq!(PolicyMode::from_number(2), PolicyMode::Bind);
    assert_eq!(PolicyMode::from_number(42), PolicyMode::Unknown(42));
    assert_eq!(PolicyMode::Unknown(42).number(), 42);
    assert_eq!(PolicyMode::Unknown(42).name(), None);
}

#[test]
fn flags_are_not_part_of_the_mode() {
    let nodes: NodeSet = "0-1".parse().unwrap();
    let of = |mode| ThreadPolicy::from_kernel(mode, nodes.clone());
    assert_eq!(of(3 | 1 << 15), of(3));
    assert_eq!(
        of(2 | 1 << 13),
        ThreadPolicy { mode: PolicyMode::Bind, balancing: true, nodes: nodes.clone() }
    );
}

#[test]
fn a_policy_that_is_set_is_seen() {
    // Policies belong to threads; this one ends with the test.
    std::thread::spawn(|| {
        let policy =
            ThreadPolicy { mode: PolicyMode::Preferred, balancing: false, nodes: NodeSet::single(NodeId(0)) };
        match policy.set_own() {
            Ok(()) => {
                assert_eq!(ThreadPolicy::own().unwrap(), policy);
                assert!(allowed_nodes().unwrap().contains(NodeId(0)));
                assert!(!setting_is_forbidden());
            }
            Err(errno) => {
                eprintln!("SKIPPED: this system forbids set_mempolicy ({})", error(errno));
                assert!(setting_is_forbidden() || errno == libc::ENOSYS);
            }
        }
    })
    .join()
    .unwrap();
}
