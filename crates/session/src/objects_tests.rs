use std::path::PathBuf;

use numawise_facts::Argument;

use super::*;

fn request(words: &[&str]) -> ObjectsRequest {
    let command = words.iter().copied().map(Argument::from).collect();
    let run = RunRequest::new(RunSpec { command, directory: PathBuf::new() });
    ObjectsRequest {
        run,
        followed: Followed::Objects { least: Bytes::kib(16) },
        ranks: None,
        period: None,
        version: "0".to_owned(),
    }
}

#[test]
fn what_is_followed_already_is_not_followed_again() {
    let outer = |name: &str| (name == "NUMAWISE_OBJECTS").then(|| OsString::from("/dev/shm/outer"));
    match prepare(request(&["./app"]), &outer) {
        Err(Error::WatchedAlready { folder }) => assert_eq!(folder, PathBuf::from("/dev/shm/outer")),
        other => panic!("{other:?}"),
    }
}
