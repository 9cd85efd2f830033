use super::*;

fn region(offset: u64, length: Option<u64>) -> Region {
    Region { offset: Bytes::kib(offset), length: length.map(Bytes::kib), mode: 0o600, huge: false }
}

#[test]
fn a_file_is_made_grows_and_keeps_what_is_in_it() {
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = folder.path().join("memory");
    let missing = SharedMemory::of_file(&path, &region(0, None)).unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound, "without a length none is made");
    let shared = SharedMemory::of_file(&path, &region(0, Some(16))).unwrap();
    std::fs::write(&path, vec![7; 16 << 10]).unwrap();
    shared.touch();
    assert!(std::fs::read(&path).unwrap().iter().all(|byte| *byte == 7));
    let node = shared.node_at(0).unwrap();
    let nodes = NodeSet::single(node);
    shared.set_policy(PolicyMode::Bind, &nodes, true).unwrap();
    let policy = shared.policy_at(4096).unwrap();
    assert_eq!((policy.mode, policy.nodes), (PolicyMode::Bind, nodes));
    drop(shared);
    let behind = SharedMemory::of_file(&path, &region(8, Some(16))).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 24 << 10);
    assert_eq!(behind.policy_at(0).unwrap().mode, PolicyMode::Bind, "it outlives who set it");
    assert_eq!(behind.policy_at(8 << 10).unwrap().mode, PolicyMode::Default);
    for (offset, length) in [(1, Some(4)), (0, Some(3)), (0, Some(0)), (24, None)] {
        let error = SharedMemory::of_file(&path, &region(offset, length)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{offset} {length:?}: {error}");
    }
    let unused = folder.path().join("unused");
    assert!(SharedMemory::of_file(&unused, &region(1, Some(4))).is_err());
    assert!(!unused.exists(), "a file that nobody can use is not left behind");
}

#[test]
fn a_segment_is_made_by_its_key_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let missing = SharedMemory::of_key(&key, 3, &region(0, None)).unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound, "without a length none is made");
    let made = SharedMemory::of_key(&key, 3, &region(0, Some(16))).unwrap();
    let nodes = NodeSet::single(made.node_at(0).unwrap());
    made.set_policy(PolicyMode::Bind, &nodes, false).unwrap();
    drop(made);
    let found = SharedMemory::of_key(&key, 3, &region(8, None)).unwrap();
    assert_eq!((found.bytes(), found.policy_at(0).unwrap().mode), (Bytes::kib(8), PolicyMode::Bind));
    let beyond = SharedMemory::of_key(&key, 3, &region(8, Some(16))).unwrap_err();
    assert!(beyond.to_string().contains("16384 bytes"), "{beyond}");
    drop(found);
    let name = CString::new(key.as_os_str().as_bytes()).unwrap();
    // SAFETY: a live string that ends with a zero, and numbers.
    unsafe {
        libc::shmctl(libc::shmget(libc::ftok(name.as_ptr(), 3), 0, 0), libc::IPC_RMID, ptr::null_mut())
    };
}
