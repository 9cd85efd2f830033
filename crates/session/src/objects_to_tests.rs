use numawise_units::Bytes;

use super::*;

fn at(file: &str, address: u64) -> FileAddress {
    FileAddress { file: file.to_owned(), address }
}

#[test]
fn what_runs_before_main_is_in_no_rule_and_what_calls_back_is() {
    let (app, libc, new) = ("/home/me/app", "/lib/libc.so.6", "/lib/libstdc++.so.6");
    let own = vec![at(new, 1), at(app, 2), at(app, 3)];
    let begun = |end: &[FileAddress]| of_program([&own[..], end].concat());
    assert_eq!(begun(&[at(libc, 4), at(libc, 5), at(app, 6)]), own);
    assert_eq!(begun(&[at(libc, 4), at("/lib64/ld-musl-x86_64.so.1", 5), at(app, 6)]), own);
    // A thread, and a stack that was followed to its end at main.
    assert_eq!(begun(&[at(libc, 4), at(libc, 5)]), own);
    assert_eq!(begun(&[]), own);
    // By a function that qsort calls.
    let sorted = [at(libc, 7), at(app, 8), at(app, 9)];
    assert_eq!(begun(&[&sorted[..], &[at(libc, 4), at(app, 6)]].concat()), [&own[..], &sorted].concat());
    // Something is left of each.
    assert_eq!(of_program(vec![at(libc, 1)]), [at(libc, 1)]);
    assert_eq!(of_program(vec![at(libc, 1), at(libc, 2)]), [at(libc, 1)]);
    assert_eq!(of_program(vec![]), []);
}

#[test]
fn errors_say_what_there_is_and_what_to_try() {
    let record = PathBuf::from("run.nw");
    let names = vec!["u".to_owned(), "v".to_owned()];
    let reason = "only 3 samples".to_owned();
    let errors = [
        ObjectsToError::NotChosen { record: record.clone(), reason, names: names.clone() },
        ObjectsToError::NoSuchObjects {
            record: record.clone(),
            missing: vec!["w".to_owned()],
            names: vec![],
        },
        ObjectsToError::NothingFits { record, nodes: "2".parse().unwrap(), free: Bytes::mib(1) },
    ];
    let texts = errors.map(|error| error.to_string());
    assert_eq!(
        texts,
        [
            "which objects of run.nw have the most time is not known: only 3 samples; name them: run.nw:NAME,NAME (there are u, v, \
             or a line such as solve.c:41)",
            "run.nw has no object named w; none has a name; a line such as solve.c:41 stands for what is allocated through it",
            "no object of run.nw fits into what is free on node 2, 1 MiB, and has time for memory",
        ]
    );
}
