use clap::CommandFactory;

use super::*;

fn read(words: &str) -> Result<Inner, String> {
    let words: Vec<OsString> = words.split(' ').filter(|word| !word.is_empty()).map(OsString::from).collect();
    Inner::of(&words, crate::commands::Arguments::command()).map_err(|error| match error {
        Unusable::Usage(error) => error.to_string(),
        Unusable::Words(text) => text,
    })
}

fn joined(inner: &Inner) -> String {
    inner.words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_program_alone_is_checked_into_a_record_of_its_own() {
    for words in ["-- bin/app 64 -x", "bin/app 64 -x", "check -- bin/app 64 -x"] {
        let inner = read(words).unwrap();
        assert_eq!(joined(&inner), "check --output app.rehearsed.nw -- bin/app 64 -x", "{words}");
        assert_eq!(inner.outputs, [PathBuf::from("app.rehearsed.nw")]);
    }
}

#[test]
fn files_that_a_command_writes_come_back() {
    let inner = read("check --output my.nw --html r.html --json=r.json -- app").unwrap();
    assert_eq!(inner.outputs, ["my.nw", "r.html", "r.json"].map(PathBuf::from));
    assert_eq!(read("check --json --fresh -- app").unwrap().outputs, [PathBuf::from("app.rehearsed.nw")]);
    assert_eq!(read("snapshot -- app").unwrap().outputs, [] as [PathBuf; 0]);
    assert_eq!(read("objects --output o.nw -- app").unwrap().outputs, [PathBuf::from("o.nw")]);
    assert_eq!(
        read("run --membind 1 -- app -n 3").map(|inner| joined(&inner)).unwrap(),
        "run --membind 1 -- app -n 3"
    );
}

#[test]
fn where_looks_at_a_program_that_runs_beside_it() {
    let inner = read("where --threads --record s.nw -- app 7").unwrap();
    assert_eq!(
        (joined(&inner).as_str(), &inner.beside[..]),
        ("where --threads --record s.nw --job", &["app".into(), "7".into()][..])
    );
    assert_eq!(inner.outputs, [PathBuf::from("s.nw")]);
    assert!(read("where --threads --").unwrap_err().contains("no program"));
}

#[test]
fn mistakes_are_found_before_a_guest_starts() {
    assert!(read("").unwrap_err().contains("no program is given"));
    assert!(read("check --no-such -- app").unwrap_err().contains("--no-such"));
    assert!(read("move -- app").unwrap_err().contains("cannot be rehearsed"));
}

#[test]
fn a_word_that_a_script_cannot_hold_is_refused_and_not_left_out() {
    use std::os::unix::ffi::OsStringExt;
    let words: Vec<OsString> =
        [b"--".to_vec(), b"app".to_vec(), b"\xff.dat".to_vec()].into_iter().map(OsString::from_vec).collect();
    let problem = match Inner::of(&words, crate::commands::Arguments::command()) {
        Err(Unusable::Words(problem)) => problem,
        _ => panic!("it is refused"),
    };
    assert!(problem.contains(".dat is not UTF-8"), "{problem}");
}
