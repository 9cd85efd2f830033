use numawise_facts::Snapshot;

use super::*;

#[test]
fn numbers_are_processes_and_the_rest_are_names() {
    assert_eq!(wanted("4711").unwrap(), ProcessRequest::Pid(Pid(4711)));
    for name in ["app", "4711a", "/usr/bin/app", "+3", "1.5", "日本"] {
        assert_eq!(wanted(name).unwrap(), ProcessRequest::Name(name.to_owned()));
    }
    for bad in ["", "0", "2147483648", "99999999999999999999"] {
        assert!(wanted(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_job_is_one_of_the_batch_system_or_a_process_with_those_below() {
    assert_eq!(job("4711"), [ProcessRequest::Job("4711".into()), ProcessRequest::Descendants(Pid(4711))]);
    assert_eq!(job("4711.server"), [ProcessRequest::Job("4711.server".into())]);
    assert_eq!(job("0"), [ProcessRequest::Job("0".into())]);
}

#[test]
fn users_have_names_and_numbers() {
    assert_eq!(user_number("root").unwrap(), 0);
    assert_eq!(user_number("65534").unwrap(), 65534);
    for bad in ["", "no such user", "ro\0ot", "-1", &"x".repeat(100_000)] {
        assert!(user_number(bad).is_err(), "{bad:?}");
    }
}

fn targets(words: &[&str]) -> Targets {
    let processes = words.iter().map(ToString::to_string).collect();
    Targets::new(&TargetRequest { processes, ..TargetRequest::default() }).unwrap()
}

#[test]
fn those_that_are_there_are_found_and_the_others_named() {
    let own = std::process::id().to_string();
    let mut targets = targets(&[&own, "no-such-program-anywhere"]);
    let missing = targets.search().unwrap();
    assert_eq!(targets.now().unwrap(), [Pid(own.parse().unwrap())]);
    let [FindError::Name { name, .. }] = &missing[..] else { panic!("{missing:?}") };
    assert_eq!(name, "no-such-program-anywhere");
}

#[test]
fn a_user_narrows_what_names_give() {
    let own = std::process::id().to_string();
    let with = |user: &str| {
        let (processes, user) = (vec![own.clone()], Some(user.to_owned()));
        Targets::new(&TargetRequest { processes, user, job: None }).unwrap().search()
    };
    // Nobody has this number.
    assert!(with("4123456789").is_err());
}

#[test]
fn a_number_that_is_used_again_is_not_the_process_that_was_meant() {
    let own = Pid(std::process::id() as i32);
    let mut targets = targets(&[&own.to_string()]);
    targets.search().unwrap();
    let options = numawise_observe::SnapshotOptions { memory: false, ..Default::default() };
    let sample: Snapshot = numawise_observe::snapshot(&[own], &options);
    assert_eq!(targets.keep(sample.clone()).tasks.len(), 1);
    let mut other = sample.clone();
    other.tasks[0].started = Nanoseconds(1);
    assert_eq!(targets.keep(other.clone()).tasks.len(), 0);
    targets.search().unwrap();
    assert_eq!(targets.keep(other).tasks.len(), 0, "nor after another search");
    assert_eq!(targets.keep(sample).tasks.len(), 1);
}

#[test]
fn nothing_asked_for_is_no_request() {
    assert!(matches!(Targets::new(&TargetRequest::default()), Err(Error::NothingAskedFor)));
}
