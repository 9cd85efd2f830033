use super::*;

#[test]
fn what_a_job_hands_over_is_found_and_goes_with_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = JobFolder::beside(&folder.path().join("a.nw"));
    let name = jobs.order(&Order::Describe).unwrap();
    let second = jobs.order(&Order::Describe).unwrap();
    assert!(name != second && name.starts_with("numawise-"));
    assert_eq!(order_at(&jobs.order_file(&name)).unwrap(), Order::Describe);
    assert!(jobs.result(&name).is_none() && jobs.trials().iter().all(|(_, trial)| trial.is_none()));
    let result = JobResult::Failed { problem: "p".to_owned(), failure: JobFailure::Other };
    hand_over(&jobs.order_file(&name), &result).unwrap();
    assert_eq!(jobs.result(&name).unwrap().unwrap(), result);
    jobs.remove(&name);
    assert_eq!(jobs.names(), [second.as_str()]);
    // Nobody waits for it any more.
    hand_over(&jobs.order_file(&name), &result).unwrap();
    assert!(jobs.result(&name).is_none());
    jobs.remove(&second);
    assert!(!jobs.path().exists(), "the folder goes with the last");
}

#[test]
fn what_is_damaged_is_no_order_and_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = JobFolder::beside(&folder.path().join("a.nw"));
    let name = jobs.order(&Order::Describe).unwrap();
    for broken in ["", "{", "\"other\"", "{\"trial\":{}}", "[1]"] {
        std::fs::write(jobs.order_file(&name), broken).unwrap();
        assert!(order_at(&jobs.order_file(&name)).is_err(), "{broken}");
        std::fs::write(jobs.order_file(&name).with_extension("result"), broken).unwrap();
        assert!(jobs.result(&name).unwrap().is_err(), "{broken}");
        assert_eq!(jobs.trials(), [(name.clone(), None)]);
    }
    std::fs::write(jobs.output_file(&name), vec![b'x'; 9000]).unwrap();
    assert_eq!(jobs.output(&name).len(), 4096);
}
