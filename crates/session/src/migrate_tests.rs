use super::*;

fn request(process: &str, from: &str, to: &str) -> MoveRequest {
    let targets = TargetRequest { processes: vec![process.to_owned()], ..TargetRequest::default() };
    MoveRequest { targets, from: from.to_owned(), to: to.to_owned() }
}

fn failure(process: &str, from: &str, to: &str) -> Error {
    move_memory(&request(process, from, to)).unwrap_err()
}

#[test]
fn memory_that_is_where_it_is_to_go_stays() {
    let mut program = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let result = move_memory(&request(&program.id().to_string(), "all", "0"));
    program.kill().unwrap();
    program.wait().unwrap();
    match result {
        Ok((all, missing)) => {
            let one = &all[0];
            assert!(missing.is_empty() && all.len() == 1 && one.name == "sleep", "{all:?}");
            assert_eq!(one.unmoved_pages, Reading::Measured(0));
            assert!(one.before.measured().is_some_and(|memory| !memory.is_empty()), "{one:?}");
            assert!(one.takes_shared.measured().is_some());
        }
        // What a container's filter answers.
        Err(Error::NothingMoved { .. } | Error::PolicyUnknown(_)) => {
            eprintln!("SKIPPED: moving pages is forbidden here")
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn lists_and_nodes_that_make_no_sense_are_told_by_side() {
    let own = std::process::id().to_string();
    let of = |error: Error| match error {
        Error::List { list, .. } | Error::CannotMoveNodes { list, .. } => list,
        other => panic!("{other}"),
    };
    assert_eq!(of(failure(&own, "x", "0")), RequestedList::MoveFrom);
    assert_eq!(of(failure(&own, "0", "0,")), RequestedList::MoveTo);
    assert_eq!(of(failure(&own, "900", "0")), RequestedList::MoveFrom);
    let unknown = failure(&own, "0", "900").to_string();
    assert!(unknown.starts_with("there is no node 900 whose memory could be used; there are 0"), "{unknown}");
}

#[test]
fn who_has_no_memory_of_its_own_says_so() {
    // The kernel's own first thread; a container does not show it.
    let kernel = numawise_observe::snapshot(
        &[Pid(2)],
        &SnapshotOptions { memory: false, ..SnapshotOptions::default() },
    );
    if kernel.tasks.first().is_none_or(|task| task.name != "kthreadd") {
        eprintln!("SKIPPED: process 2 is no thread of the kernel here");
        return;
    }
    let error = failure("2", "0", "0").to_string();
    assert!(error.starts_with("nothing was moved of process 2: "), "{error}");
    assert!(matches!(failure("4194305", "0", "0"), Error::NothingFound(_)));
}
