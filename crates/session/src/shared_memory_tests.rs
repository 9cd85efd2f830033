use super::*;

fn request(path: PathBuf, steps: Vec<SharedStep>) -> SharedRequest {
    let region = Region { offset: Bytes(0), length: Some(Bytes::kib(16)), mode: 0o600, huge: false };
    SharedRequest { place: SharedPlace::File(path), region, strict: false, steps }
}

#[test]
fn steps_are_done_in_their_order() {
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = folder.path().join("memory");
    let steps = vec![
        SharedStep::ShowPolicies,
        SharedStep::Policy(MemoryMode::Interleave, "all".to_owned()),
        SharedStep::Verify,
        SharedStep::ShowPolicies,
        SharedStep::ShowNodes,
    ];
    let findings = carry_out(&request(path.clone(), steps)).unwrap();
    let [SharedFinding::Policies(before), SharedFinding::Policies(after), SharedFinding::Nodes(nodes)] =
        &findings[..]
    else {
        panic!("{findings:?}")
    };
    let modes =
        |parts: &[SharedPart<SharedPolicy>]| parts.iter().map(|part| part.has.mode).collect::<Vec<_>>();
    assert_eq!(
        (modes(before), modes(after)),
        (vec![Some(MemoryMode::Default)], vec![Some(MemoryMode::Interleave)])
    );
    assert_eq!((nodes[0].begin, nodes.last().unwrap().end), (Bytes(0), Bytes::kib(16)));
    let unset = carry_out(&request(path.clone(), vec![SharedStep::Verify])).unwrap_err();
    assert!(matches!(unset, Error::NothingToVerify), "{unset}");
    let wrong = vec![SharedStep::Policy(MemoryMode::Bind, "x".to_owned())];
    assert!(matches!(carry_out(&request(path, wrong)), Err(Error::List { .. })));
    let nowhere = request("/dev/shm/no/such".into(), vec![]);
    assert!(carry_out(&nowhere).unwrap_err().to_string().starts_with("/dev/shm/no/such cannot be had: "));
}
