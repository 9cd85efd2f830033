use super::*;

#[test]
fn pages_of_our_own_are_found() {
    let page = page_size().0 as usize;
    let memory = vec![1u8; 8 * page];
    let first = (memory.as_ptr() as usize).next_multiple_of(page);
    // The last address is in no mapping.
    let addresses = [first, first + page, 16 * page];
    let mut nodes = [i32::MIN; 3];
    match page_nodes(Pid(std::process::id() as i32), &addresses, &mut nodes) {
        Ok(()) => {
            assert!(nodes[0] >= 0 && nodes[1] >= 0, "{nodes:?}");
            assert!(nodes[2] < 0, "{nodes:?}");
        }
        // What a container's filter answers.
        Err(error) => assert!(matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS)), "{error}"),
    }
}

#[test]
fn a_move_that_cannot_be_says_why() {
    let node = NodeSet::single(NodeId(0));
    match migrate(Pid(0), &node, &node) {
        // What is on node 0 stays there.
        Ok(left) => assert_eq!(left, 0),
        Err(error) => {
            assert!(matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS)), "{error}");
            eprintln!("SKIPPED: this system forbids migrate_pages ({error})");
            return;
        }
    }
    let nobody = migrate(Pid(i32::MAX), &node, &node).unwrap_err();
    assert_eq!(nobody.raw_os_error(), Some(libc::ESRCH), "{nobody}");
    let nowhere = migrate(Pid(0), &node, &NodeSet::new()).unwrap_err();
    assert_eq!(nowhere.raw_os_error(), Some(libc::EINVAL), "{nowhere}");
}

#[test]
fn pages_are_nowhere_before_they_are_touched() {
    let page = page_size().0 as usize;
    let start = map(4 * page, false).unwrap();
    let second = start.wrapping_add(page);
    // SAFETY: inside of the mapping.
    unsafe { second.write(1) };
    let mut nodes = [i32::MIN; 2];
    match page_nodes(Pid(0), &[start as usize, second as usize], &mut nodes) {
        Ok(()) => {
            assert_eq!(nodes[0], -libc::ENOENT);
            assert!(nodes[1] >= 0, "{nodes:?}");
        }
        Err(error) => eprintln!("SKIPPED: move_pages: {error}"),
    }
    // SAFETY: all of it, no longer used.
    unsafe { unmap(start, 4 * page) };
}

#[test]
fn a_node_that_is_not_there_is_an_error() {
    let bytes = page_size().0 as usize;
    let start = map(bytes, false).unwrap();
    for node in [1023, 5000] {
        // SAFETY: our mapping.
        assert!(unsafe { bind(start, bytes, NodeId(node)) }.is_err(), "{node}");
    }
    // SAFETY: all of it, no longer used.
    unsafe { unmap(start, bytes) };
}

#[test]
fn the_page_size_is_sound() {
    assert!(page_size().0.is_power_of_two() && page_size().0 >= 4096);
}
